r"""The words that stand before a date, by kind.

Each is a part of a regular expression in the spelling of its language, parted by blanks; "_" stands for
blanks in the text. They are folded like the text (lower case, no accents) when the tables are compiled, so
escapes must be lower case. A word begins where a word of the text begins, or with \w* anywhere in it, or with
\w+ only within it. The order of the kinds decides where two fit at the same place.
Languages: de, en, fr, it, es, pt, nl, pl, cs, sk, hu, tr, ru, uk, lt, lv, et.
"""

from documents.dates.kinds import Kind

WORDS: tuple[tuple[Kind, str], ...] = (
    (
        Kind.BIRTH,
        r"""
        geburts?(?:-|\s)?(?:datum|tag) geb\.?(?:-|\s)?(?:datum|dat)\.? geboren(?:e[rn]?)? geb\.
        date_of_birth birth\s?(?:date|day) born d\.?o\.?b\.?\b (?:date_de_)?naissance nee?_(?:le|\(e\)_le)
        ne\(e\) (?:data_di_)?nascita nat[oa]_(?:a_\w+_)?il (?:fecha_de_)?nacimiento nacid[oa]
        (?:data_de_)?nascimento nascid[oa] geboorte(?:datum|dag)? (?:data_)?urodzenia urodzon[ya] ur\.
        (?:datum_)?narozen[iyao]? nar\. (?:datum_)?narodenia narodeny
        szul(?:etesi|etett|\.)\s*(?:ido|datum)? dogum(?:_(?:tarihi|yili))? (?:дата_)?рождения
        родил(?:ся|ась) (?:дата_)?народження gimimo\s*(?:data)? gim\. dzim(?:sanas|is|usi)\w*\s*(?:datums)?
        sunni(?:aeg|kuupaev)? sundinud
    """,
    ),
    (
        Kind.REFERENCE,
        r"""
        (?:ihr|unser|dein)e?[mnrs]?_(?:schreiben|nachricht|brief|e-?mail|mail|antrag|anfrage|angebot|zeichen|anruf|telefonat|anliegen)\w*
        schreiben_ihre\w* telefonat\w* gesprach\w* antrag\w* anfrage ihr_zeichen ursprungs\w* urteil\w*
        beschluss\w* reklamations?\w* widerspruch\w*
        your_(?:letter|e-?mail|message|enquiry|inquiry|request|application|call)
        (?:our|the)_(?:conversation|call) (?:date_de_)?facture_associee
        votre_(?:courrier|lettre|demande|message) (?:vostra|sua)_(?:lettera|richiesta)
        su_(?:carta|solicitud) vasz\w*_(?:pism\w*|wniosk\w*)
        (?:original|related|associated|corrected)_invoice(?:_date)? zu_rechnung
    """,
    ),
    (
        Kind.VALID,
        r"""
        gultig\w* gultigkeit\w* haltbar\w* mhd ablauf(?:datum)? verfall\w* lauft_ab
        valid(?:ity)?(?:_(?:until|till|thru|through|from|to))? expir\w* exp\.?_date exp\. best_before
        good_(?:through|until) use_by valable\w* validite valid[oa]s? validita validez caduc\w* validade
        geldig\w* houdbaar\w* wazn\w* (?:do|v)_platnosti platnost\w* platn[yea]\w*_(?:do|od) ervenyes\w*
        gecerli\w* son_kullanma\w* действител\w* срок_(?:действия|годности) годен дійсн\w* чинн\w*
        термін_(?:дії|придатності) galioj\w* derig\w* kehtiv\w* kehtib
    """,
    ),
    (
        Kind.PROMOTION,
        r"""
        aktion(?:s\w*)? rabattaktion\w* angebotszeitraum gutschein\w* einlosbar\w* gewinnspiel\w*
        teilnahmeschluss einsendeschluss verkaufsoffen\w* nur_(?:noch_)?(?:bis|vom) sale promo(?:tion)?s?
        offers?_(?:ends?|valid|available|runs?) voucher coupon soldes? offre_(?:valable|speciale)
        promozion\w* promocion\w* promocja oferta_(?:valida|wazna) kampanya\w* акци[яию]\w* akcij[ao]\w*
        akce
    """,
    ),
    (
        Kind.SEARCH,
        r"""
        such(?:e|zeitraum|ergebnis\w*|bereich|kriteri\w*|anfrage) gesucht filter\w* umsatzanzeige
        anzeigezeitraum umsatze(?:_(?:vom|von))? search(?:ed)?(?:_\w+)? date_range showing
        results?_(?:from|for) recherche\w* ricerca busqueda pesquisa zoek\w* wyszukiw\w* hledan\w*
        vyhladavan\w*
    """,
    ),
    (
        Kind.PRINT,
        r"""
        gedruckt\w* druckdatum druck\b druck(?:ausgabe|stand)?_(?:vom|am) ausdruck\w* ausgedruckt abgerufen
        abruf(?:datum)? angezeigt print(?:ed)?(?:_(?:on|at|date|out))? date_(?:of_)?print(?:ed|ing)?
        downloaded retrieved accessed imprime\w* impression stampat[oa] (?:data_)?(?:di_)?stampa impres[oa]
        impresion impressao afgedrukt geprint afdruk\w* wydruk\w* vytisten\w* (?:datum_)?tisku? vytlacen\w*
        tlace nyomtat\w* yazdir\w* baski\w* распечат\w* (?:дата_)?печати роздрук\w* (?:дата_)?друку
        spausdin\w* izdruk\w* drukat\w* prinditud trukitud valjatrukk\w*
    """,
    ),
    (
        Kind.VERSION,
        r"""
        version\w* vers\. fassung\w* auflage ausgabestand revision\w* rev\.? release\w* ver\. formular\w*
        vordruck\w* agb verze\b verzi[ao]\w* wersj[ai] versione versao versie surum\w* верси[яи] версі[яї]
        versij[ao] versioon\w* copyright updated? last_(?:modified|changed|updated) geandert aktualisiert
        bearbeitet letzte_anderung mis_a_jour
    """,
    ),
    (
        Kind.CITED,
        r"""
        \w*gesetz\w* \w*verordnung\w* richtlinie\w* bgbl\w* amtsblatt i\.\s?d\.\s?f\. bek\. regulation\w*
        directive\w* act_of law_of decree decret\w* arrete loi\b legge d\.\s?lgs\.? ley\b real_decreto lei\b
        wet_van ustaw\w* rozporzadzeni\w* zakon\w* vyhlask\w* torveny\w* kanun\w* закон\w* istatym\w*
        likum\w* seadus\w*
    """,
    ),
    (
        Kind.DUE,
        r"""
        fallig\w* zahlbar\w* zahlungs?(?:-|\s)?(?:ziel|frist|termin)\w*
        (?:be)?zahl(?:en|t)_(?:sie_)?(?:bitte_)?(?:bis|spatestens) spatestens \w*frist(?:\w*|ende)
        uberweis\w* skonto\w* einzug\w* eingezogen (?:ab)?gebucht_(?:wird|werden) abbuch\w* abgebucht
        zu_zahlen bis_(?:zum|spatestens|einschließlich) bis\b due(?:_(?:date|on|by))? date_due payable\w*
        pay(?:ment)?_(?:by|before|until|deadline|due) deadline no_later_than until (?:not_)?later_than
        remit\w* by\b before\b (?:date_d')?echeance a_(?:payer|regler)_(?:avant|le|jusqu\w*)
        payable_(?:le|avant) date_limite avant_le jusqu'?au exigible scadenza scad\. entro(?:_il)? da_pagare
        (?:fecha_de_)?vencimiento vence antes_del hasta(?:_el)? (?:data_de_)?vencimento data_limite ate\b
        verval\w* uiterlijk te_betalen betalen_(?:voor|uiterlijk) uiterste_betaal\w*
        termin_(?:platnosci|zaplaty) platne_do zaplac\w*_do do_dnia do_zaplaty (?:datum_)?splatnost\w*
        splatn\w* (?:fizetesi_)?hatarido\w* esedekes\w* lejarat\w* vade\w* son_odeme(?:_tarihi)?
        срок_(?:оплаты|платежа) (?:оплатить|уплатить)_до к_оплате до\b (?:термін|строк)_(?:оплати|сплати)
        сплатити_до apmok\w*_(?:iki|terminas) moket\w*_iki mokejimo_terminas iki\b
        apmaks\w*_(?:lidz|termins) samaks\w*_(?:lidz|termins) lidz\b makset(?:ahtaeg|ahtpaev) tahtaeg tasuda
        kuni\b
    """,
    ),
    (
        Kind.PERIOD,
        r"""
        \w*zeitraum \w*periode zeit_vom von\s?: from\s?: date_from datum_von billing_(?:period|cycle)
        (?:service|statement|reporting|pay)?\s?period between periode_(?:du|de) period[oa]
        okres(?:_rozliczeniowy)? obdobi\w* idoszak\w* donem\w* период\w* період\w* laikotarp\w*
        period[sia]\b periood\w*
    """,
    ),
    (
        Kind.DELIVERY,
        r"""
        liefer(?!anten?\b)\w*(?:[-\s]+(?:datum|termin|tag))? geliefert versand\w*(?:[-\s]+datum)? versendet
        zustell\w*(?:[-\s]+datum)? zugestellt deliver\w*(?:_date)? ship(?:ped|ping|ment)?(?:_date)?
        dispatch\w*(?:_date)? date_of_(?:delivery|shipment|dispatch) (?:date_de_)?livraison livree?_le
        expedi(?:tion|e)\w* (?:data_(?:di_)?)?consegna ddt spedizion\w* (?:fecha_de_)?entrega envio
        albaran\w* (?:data_de_)?expedicao (?:af)?lever\w* verzend\w* pakbon\w* (?:data_)?dostaw\w* wysyl\w*
        wz\b (?:datum_)?dodani dodac\w* (?:datum_)?dodania szallit\w* teslim\w*(?:_tarihi)? sevk\w*
        irsaliye\w* (?:дата_)?доставк\w* (?:дата_)?отгрузк\w* (?:дата_)?поставк\w* (?:дата_)?відвантаж\w*
        (?:дата_)?постач\w* pristatym\w* piegad\w* (?:ara\s?)?tarne\w* saatelehe
    """,
    ),
    (
        Kind.SERVICE,
        r"""
        leistungs\w*(?:[-\s]+(?:datum|tag))? datum_der_leistung leistung ausfuhrungs\w* behandlungs?\w*
        (?:date_of_)?(?:service|supply)(?:_date)? performed (?:date_de_)?prestation prestazion\w*
        prestacion\w* (?:fecha_de_)?operacion prestacao prestatie\w* uitvoer\w* (?:data_)?sprzedazy
        (?:data_)?wykonania (?:datum_)?uskutecneni\s?\w*(?:_zdanitelneho_plneni)? duzp d\.?u\.?z\.?p\.?
        zdanitelneho_plneni zdanit\.\s?pln\w* teljesit\w*(?:_(?:datuma|ideje|napja|kelte))? hizmet\w*
        оказани\w* выполнени\w* наданн\w* виконанн\w* suteikim\w* atlikim\w* sniegsan\w* osutami\w*
        teostami\w*
    """,
    ),
    (
        Kind.PICKUP,
        r"""
        abhol\w* abgeholt pick(?:ed)?[-\s]?up(?:_date)? collect(?:ed|ion)(?:_date)? retrait enlevement
        ritiro recogida recolha levantamento afhaal\w* ophaal\w* (?:data_)?odbior\w* odebran\w* vyzvednut\w*
        (?:datum_)?odber\w* vyzdvihnut\w* atvetel\w* самовывоз\w* (?:дата_)?получения самовивіз\w*
        (?:дата_)?отримання atsiem\w* sanemsan\w* kattesaami\w*
    """,
    ),
    (
        Kind.ORDER,
        r"""
        bestell(?!er\b)\w*(?:[-\s]+(?:datum|tag))? auftrags?\w*(?:[-\s]+(?:datum|tag)(?:[-\s]lief)?)?
        (?:purchase_)?order(?:ed)?(?:_(?:date|placed|of))?(?!_confirmation_date) p\.?o\.?_date
        date_of_(?:your_)?order (?:date_de_|bon_de_)?commande ordin[ei] ordinazione pedid[oa]s? encomenda
        bestelling\w* orderdatum zamowieni\w* objednav\w* objednan\w* (?:meg)?rendeles\w*
        siparis\w*(?:_tarihi)? заказ\w* замовлен\w* uzsakym\w* pasutijum\w* tellimus\w*
    """,
    ),
    (
        Kind.BOOKING,
        r"""
        buchungs?\w*(?:[-\s]+(?:datum|tag))? bu\.?-?tag gebucht wertstellung\w* wert\b valuta\w*
        book(?:ed|ing)(?:_date)? post(?:ed|ing)(?:_date)? value_date transaction(?:_date)?
        date_(?:de_)?(?:valeur|comptable|d'?\s?operation) data_(?:valuta|contabile) fecha_valor
        boek(?:ing\w*|datum) rentedatum data_(?:ksiegowania|operacji|waluty)
        datum_(?:zauctovani|provedeni|valuty) konyveles\w* ertek(?:nap|datum)\w* islem_tarihi
        дата_(?:операции|проводки|операції)
    """,
    ),
    (
        Kind.PAYMENT,
        r"""
        zahlung\w*(?:[-\s]+datum)? bezahlt gezahlt uberwiesen gutgeschrieben paid(?:_on)?
        payments?(?:_(?:date|received|made))? date_of_payment charged paye\w*(?:_le)? regle\w*(?:_le)?
        (?:date_de_)?(?:reglement|paiement) pagat[oa] pagament[oi] pag[oa]d?[oa]?\b betaald\w* betaling\w*
        betaaldatum zaplacon\w* (?:data_)?platnosci (?:data_)?wplat\w* zaplacen\w* uhrad\w* uhraden\w*
        uhrazen\w* platb\w* (?:ki|be)?fizet\w* odeme(?:_tarihi)? odendi оплат\w* оплачен\w* платеж\w*
        платіж\w* apmoket\w* apmokej\w* mokej\w* maksajum\w* samaksat\w* makse\w* tasutud
    """,
    ),
    (
        Kind.RECEIVED,
        r"""
        (?:post)?eingang\w* eingegangen eing\. erhalten received(?:_on)? date_received recue?_le
        ricevut[oa]_il recibid[oa] recebid[oa] ontvangen ontvangst\w* (?:data_)?wplyw\w* wplynelo dosl[oa]\b
        doruceno dorucen\w* erkez\w* поступил\w* получен[оа]?\b надійшл\w* отримано gauta\b sanemts saabunud
    """,
    ),
    (
        Kind.APPOINTMENT,
        r"""
        termin\w* appointment\w* rendez-vous meeting besprechung\w* besuch\w* untersuchung\w*
        check-?\s?(?:in|out) anreise\w* abreise\w* ankunft\w* abflug\w* abfahrt\w*
        reise(?:datum|tag|termin|antritt)? flug(?:datum|tag)? flight depart\w* arriv\w* arrivo partenza
        event\w* veranstaltung\w* konzert\w* aufenthalt\w* next_(?:reading|bill|invoice|payment)
        nachste[rn]?_\w+ ablesung\w* abgelesen ablesedatum zahlerstand\w*
    """,
    ),
    (
        Kind.TERM,
        r"""
        \w*beginn\w* eintritt\w* austritt\w* seit\b ab_(?:dem|sofort) ab\b laufzeit\w* \w*ende\b
        start(?:ing|s|ed)?(?:_(?:date|on))? end(?:ing|s|ed)?_(?:date|on) effective(?:_(?:date|from|as_of))?
        since\b as_from commenc\w* kundigung_zum wirkung_(?:zum|vom|ab) in_kraft mitglied_seit member_since
        einstellungs\w* zum\b (?:date_(?:de_)?)?debut (?:date_(?:de_)?)?fin\b depuis a_(?:partir|compter)_du
        des_le inizio fine dal\b a_partire_dal? inicio fin desde a_partir_de\w* fim ingangsdatum begindatum
        einddatum vanaf sinds od_dnia rozpoczec\w* zakoncze\w* zacat\w* ukonc\w* kezdet\w* vege baslangic\w*
        bitis\w* начал\w* окончани\w* с_даты начиная почат\w* закінченн\w* pradzi\w* pabaig\w* sakum\w*
        beigu\w* algus\w* lopp\w*
    """,
    ),
    (
        Kind.CREATED,
        r"""
        erstell(?:t|ungs?datum|datum)(?:_am)? angelegt aufgestellt verfasst unterzeichnet unterschrieben
        signed(?:_(?:on|at|by))? signature_date created(?:_(?:on|at))? creation_date generated(?:_on)?
        prepared(?:_on)? (?:date_d')?edition edite\w*_le signe\w*_le creat[oa]_il cread[oa] criad[oa]
        firmad[oa] aangemaakt utworzon\w* sporzadzon\w* vytvoren\w* podpisan\w* keszult olusturul\w*
        создан\w* составлен\w* створен\w* складен\w* sukurt\w* sudaryt\w* koostatud kaufdatum purchase_date
        date_of_purchase date_d'achat kassenbon\w* gesendet sent envoye\w* inviat[oa] enviad[oa] verzonden
        aufnahmedatum messdatum prufdatum
    """,
    ),
)
