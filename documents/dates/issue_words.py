"""The words that say "this is the date of issue": labels, nouns of documents, general words, and the East.

Written like `label_words.py`.
"""

from documents.dates.kinds import Kind

ISSUED = r"""
    rechnungs?-?\s?(?:und|u\.|/|&|=)\s?\w+datum\b (?:invoice|issue)\s?(?:and|/|&)\s?\w+_date\b
    rechnungs?(?:-|\s|\.|/)*(?:datum|dat\.?|tag)\b (?:re|rg|rech|rechn)\.?(?:-|\s)*(?:datum|dat\.)

    datum_(?:der|des|dieser|dieses)_(?:\w*rechnung|\w*bescheid\w*|belegs?|ausstellung|schreibens|gutschrift|erstellung|mahnung|angebots?)

    (?:ausstellungs?|ausstell|beleg|bescheid|brief|dokument(?:en)?s?|ausfertigungs|gutschrifts?|mahnungs?|mahn|angebots?|quittungs|bon|schreibens|faktura|fakturierungs|fakturen|auszugs?|kontoauszugs|protokoll|abrechnungs|storno|korrektur|berichts|befund|meldungs|mitteilungs|bestatigungs)(?:-|\s)*(?:datum|tag)\b
    ausgestellt(?:_(?:am|in))? ausgefertigt(?:_am)? ausstellung_am tag_der_(?:ausstellung|rechnungsstellung)

    (?:invoice|issued?|issuance|billing|bill|statement|receipt|document|letter|report|quote|quotation|credit_note|notice|tax_point|certificate|memo|inv\.?)\s?(?:date|dt\.?)\b
    dates?_of_(?:this_|the_)?(?:issue|invoice|issuance|statement|receipt|bill|letter|notice|document|report)
    date_issued invoice_dated? issued(?:_(?:on|at|date|this))? dated(?:_(?:the|this))?
    date_(?:de_(?:la_)?)?(?:facture|facturation|document|l'avis|courrier|releve)\b
    date_d'?\s?(?:emission|etablissement) date_du_(?:document|courrier|releve) emise?_le etablie?_le
    delivree?_le data_(?:di_|della_|del_)?(?:fattura|emissione|documento|fatturazione|ricevuta|doc\.?)
    emess[oa]_il rilasciat[oa]_il fecha_(?:de_(?:la_)?)?(?:factura|emision|expedicion|facturacion|documento)
    emitid[oa](?:_(?:el|en|em|a))? expedid[oa](?:_(?:el|en))?
    data_(?:de_|da_|do_)?(?:emissao|fatura|factura|documento) data-?emissao
    (?:factuur|nota|uitgifte|offerte|brief|document)\s?-?datum
    datum_(?:van_)?(?:factuur|uitgifte|afgifte|brief) dagtekening opgemaakt(?:_op)? uitgegeven_op
    data_(?:wystawienia|faktury|sporzadzenia|dokumentu|wydania) wystawion[oay](?:_(?:dnia|w_dniu))?
    (?:datum|dat\.)\s?(?:vystaven\w*|vyhotoven\w*|faktury|vydan\w*|dokladu) vystaven[oaey]?(?:_(?:dne|dna))?
    vyhotoven[oaey] (?:szamla_)?kelte\b (?:szamla_)?kiallitas\w*(?:_(?:datuma|kelte|napja|ideje))?
    keltezes\w* szamla_datuma kibocsat\w*(?:_(?:datuma|kelte))? kiallitva
    (?:fatura|duzenlen?me|tanzim|belge|makbuz)_tarihi tarihli
    дата_(?:счета|счет-фактуры|выставления|выдачи|составления|документа|оформления|выписки|акта)
    выдан[оа]?\b выставлен\w*
    дата_(?:рахунк[ау]|рахунку-фактури|виставлення|видачі|складання|документа|документу|виписки|акта|акту)
    видано виставлен\w* (?:saskaitos|israsymo|dokumento|isdavimo|sudarymo)_data israsyt[aoy]\w*
    (?:rekina|izrakstisanas|dokumenta|izdosanas|sastadisanas)_datums izrakstit[sai]\w*
    (?:arve|valjastamise|koostamise|dokumendi|arve_esitamise)\s*kuupaev arve\s?kp\.? valjastatud
"""

DATED = r"""
    datum\b dat\. datiert date\b data\b fecha\b tarih\w* дата\b datums\b kuupaev\w* kp\. kelt\b dne\b dna\b
    dnia\b
"""

# A noun of a document is a label only if the date follows closely: "Rechnung Nr. 4711 vom", "Facture du".
DOCUMENT = r"""
    \w*rechnung(?:en)?\b rechnung\s*# rg\.?\s*-?nr\.? re\.?\s*-?nr\.? gutschrift\b \w*mahnung\b
    zahlungserinnerung\b \w*bescheid(?:es|s)?\b kontoausz\w+\b \w*abrechnung\b angebot\b quittung\b
    \w*beleg\b schreiben\b brief\b mitteilung\b \w*bescheinigung\b \w*zeugnis\b \w*protokoll\b gutachten\b
    \w*befund\b rezept\b versicherungsschein\b nachtrag\b kostenvoranschlag\b kundigung\b vollmacht\b
    faktura?\b kurzbericht\b \w*bericht\b (?:tax_)?invoice\b receipt\b statement\b bill\b letter\b notice\b
    quot(?:e|ation)\b credit_note\b certificate\b report\b memo(?:randum)?\b facture\b avoir\b recu\b
    devis\b releve\b attestation\b courrier\b avis\b fattura\b ricevuta\b preventivo\b nota_di_credito\b
    estratto_conto\b factura\b recibo\b presupuesto\b extracto\b fatura\b factuur\b offerte\b creditnota\b
    afschrift\b faktur[ay]\b(?:_vat)? rachunek\b paragon\b doklad\b vypis\b uctenka\b szamla\b makbuz\b
    счет(?:-фактура)?\b квитанция\b акт\b накладная\b выписка\b рахунок(?:-фактура)?\b виписка\b квитанція\b
    saskaita(?:-faktura|_faktura)?\b rekins\b arve\b
"""

CONTRACT = r"""
    \w*vertrag(?:es|s)?\b vereinbarung\b (?:contract|agreement|lease)\b contrat\b contratto\b contrato\b
    overeenkomst\b umow[ay]\b smlouv[ay]\b zmluv[ay]\b szerzodes\w* sozlesme\w* договор\w* догов[оі]р\w*
    sutart\w+ ligum\w+ leping\w*
"""

AS_OF = r"""
    stand\b per_stand as_(?:of|at)\b kontostand\w* saldo\b balance\b situation_au arrete_au stan_na
    (?:bilanz|jahresabschluss|konto?stand|saldo|depotauszug|abschluss|bestand|stichtag)(?:_(?:zum|per|am))?
    per\b
    stav_k(?:u)?\b на_дату станом_на по_состоянию_на
"""

# A date with a label of its own that no table knows.
OTHER = r"""
    \w+datum\b \w+tarihi\b \w+kuupaev\b
    (?:date|data|datum|fecha)_(?:of|de|du|des|der|di|da|do|van|del|della|la)_[a-z]{3,30}\b
"""

# Chinese and Japanese labels need no word boundary.
EASTERN: tuple[tuple[Kind, str], ...] = (
    (Kind.BIRTH, "生年月日 出生日期 出生"),
    (Kind.VALID, "有効期限 有効期間 有效期限 有效期至 有效期 賞味期限 消費期限 保質期 保质期"),
    (Kind.PRINT, "印刷日 出力日 印字日 打印日期 打印时间 打印 列印日期 列印"),
    (Kind.VERSION, "改訂日 改訂 改定 版本 更新日期 修订 更新日 バージョン"),
    (
        Kind.DUE,
        """
        支払期限 支払期日 支払い期限 支払予定日 支払日 振込期限 振込期日 納付期限 納期限
        引落日 引き落とし日 振替日 提出期限 期限 期日 到期日 到期 付款截止 付款期限 缴费期限
        繳費期限 缴款期限 截止日期 截止 应付款日 还款日 還款日 最后还款日
    """,
    ),
    (Kind.PERIOD, "対象期間 利用期間 請求期間 期間 账单周期 賬單週期 账期 期间 期間 周期"),
    (
        Kind.DELIVERY,
        """
        納品日 納期 納入日 出荷日 発送日 配達日 お届け日 お届け予定日 交货日期 交貨日期
        送货日期 送貨日期 发货日期 發貨日期 出货日期 到货日期
    """,
    ),
    (
        Kind.ORDER,
        """
        注文日 発注日 受注日 注文年月日 订单日期 訂單日期 下单日期 下单时间 订购日期
        訂購日期 采购日期
    """,
    ),
    (Kind.SERVICE, "取引日 取引年月日 提供日 実施日 利用日 服务日期 服務日期"),
    (Kind.PAYMENT, "入金日 支払済 決済日 支付日期 支付时间 付款日期 繳款日期 缴款日期"),
    (Kind.BOOKING, "記帳日 交易日期 交易日 记账日期 入账日期"),
    (Kind.PICKUP, "受取日 引取日 集荷日 提货日期 取货日期"),
    (Kind.RECEIVED, "受領日 受付日 受理日期 收到日期 收件日期"),
    (Kind.TERM, "開始日 終了日 契約日 入社日 生效日期 开始日期 結束日期 结束日期 入职日期"),
    (
        Kind.ISSUED,
        """
        発行日 発行年月日 請求日 請求年月日 請求書発行日 請求書日付 作成日 作成年月日 領収日
        見積日 見積年月日 発信日 記入日 交付日 交付年月日 開票日期 开票日期 开票时间
        发票日期 發票日期 签发日期 簽發日期 出具日期 开具日期 開具日期 填发日期 填發日期
        发文日期 發文日期 制单日期 账单日期 賬單日期 帳單日期 报告日期 开立日期 開立日期
        签发 填开日期
    """,
    ),
    (Kind.DATED, "日付 年月日 日時 日期 時間 时间"),
    (Kind.DOCUMENT, "請求書 領収書 見積書 発票 发票 發票 收据 收據 账单 帳單 报告"),
)
