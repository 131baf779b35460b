"""The words that titles are made of: kinds of documents, labels of numbers and subjects, salutations, noise.

Tables are regular expressions parted by blanks ("_" is a run of blanks), matched without regard to case.
"""


def one_of(table: str) -> str:
    """Return a group that matches any phrase of a table."""
    phrases = [phrase.replace("_", r"\s+") for phrase in table.split()]
    return f"(?:{'|'.join(phrases)})"


# What may stand before the kind in a heading: "Ihre Rechnung".
LEAD = r"\W{0,6}(?:(?:ihre?|unsere?|your|our|votre|vostra|su)\s+)?"

# Kinds that have no number of their own: what is numbered on their pages are other papers.
PROSE_KINDS = one_of(
    r"""
    [\w-]*niederschrift (?!tages|größen|rang|zu|an)\w{3,}ordnung [\w-]*satzung [\w-]*findbuch
    [\w-]*vermerk (?:akten|telefon|gesprächs)notiz \w+zusage \w*bedingungen testament ladung elternbrief
    rundschreiben abgabeliste finding_aid engagement_letter terms_of_engagement terms_of_business minutes_of
    file_note memorandum \w*urkunde
    """
)

# Longer before shorter where one begins with the other.
KINDS = one_of(
    rf"""
    {PROSE_KINDS.replace(" ", "_")}
    [\w-]*rechnungs-?korrektur [\w-]*rechnung [\w-]*gutschrift [\w-]*mahnung zahlungserinnerung
    lieferschein auftragsbestätigung bestellbestätigung bestellung angebot kostenvoranschlag quittung
    kassenbon zahlungsbeleg kontoauszug depotauszug finanzreport liquidation [\w-]*bescheid kündigung
    kündigungsbestätigung [\w-]*vertrag versicherungsschein nachtrag [\w-]*bescheinigung beschluss
    urteil [\w-]*beleg [\w-]+mandat [\w-]*antrag anmeldung abmeldung einladung [\w-]*erklärung
    [\w-]*mitteilung avis_d'\w+ [\w-]*zeugnis [\w-]*protokoll gutachten arztbrief [\w-]*bericht
    [\w-]*befund rezept [\w-]*abrechnung [\w-]*vollmacht
    karteikarte (?:final|first|second)_(?:reminder|notice)
    (?:tax|commercial|pro-?forma|sales|self-billed)_invoice invoice credit_note credit_memo debit_note
    receipt (?:bank|account)_statement statement_of_account statement quotation quote purchase_order
    order_confirmation delivery_note packing_slip (?:payment_)?reminder contract agreement certificate
    pay_?slip policy_schedule facture_d'avoir facture_proforma facture avoir devis reçu bon_de_livraison
    bon_de_commande relevé_de_compte attestation contrat fattura nota_di_credito preventivo ricevuta
    documento_di_trasporto estratto_conto factura_proforma factura presupuesto albarán recibo
    nota_de_crédito contrato nota_fiscal fatura orçamento factuur creditnota offerte pakbon
    orderbevestiging rekeningafschrift faktura_vat faktura_korygująca faktura_pro_forma faktura paragon
    rachunek oferta faktúra dobropis dodací_list objednávka výpis_z_účtu zálohová_faktura számla
    díjbekérő fatura makbuz irsaliye счёт-фактура счет-фактура счёт счет акт накладная рахунок-фактура
    рахунок pvm_sąskaita_faktūra sąskaita_faktūra sąskaita rēķins arve 請求書 領収書 見積書 納品書
    注文書 契約書 发票 發票 收据 收據 报价单 合同 对账单
    """
)

# What speaks for a line without making it a heading by itself.
DOCUMENT_WORDS = one_of(
    r"""
    \w+(?:karte|liste|plan|vermerk|zusage|verzeichnis|schreiben|anleitung|anfrage|nachweis|ausweis|formular)
    \w+(?:übersicht|notiz|rundbrief|vergleich|gesuch) vergleich kündigung bill minutes list policy notice
    report letter deed schedule terms_and_conditions licence license application memo
    """
)

# Words that names of senders begin with (also as the end of one: Kreisarchiv), end with, or consist of.
OFFICES = one_of(
    r"""
    archiv amt gericht museum bank sparkasse krankenkasse versicherung verein verband schule gymnasium klinik
    klinikum werke bücherei bibliothek verwaltung ministerium kanzlei werkstatt universität hochschule
    institut genossenschaft gesellschaft praxis behörde stiftung gemeinde stadt magistrat landkreis
    agentur druckerei gasthaus hotel apotheke krankenhaus akademie
    anzeiger zeitung tageblatt feuerwehr kirchengemeinde
    """
)
ORGANISATIONS = one_of(
    r"""
    partners solicitors accountants council museum society academy trust library bank university college
    hospital association office studio archives? department club church institute foundation authority agency
    company
    """
)
PROFESSIONS = one_of(
    r"""
    rechtsanwält\w+ steuerberater\w* wirtschaftsprüfer\w* notarin notare? fachärztin facharzt architekt\w*
    solicitors barristers attorneys (?:chartered_)?accountants inh\. inhaber\w* meisterbetrieb
    abteilung sachgebiet dezernat referat fachbereich department_of postfach
    (?:der|die|the)_[\w-]*(?:bürgermeister(?:in)?|direktor(?:in)?|magistrat|vorstand|landrat|landrätin|mayor)
    """
)

# Words that stay small when capitals throughout are not kept.
# No German articles: "Die" and "Den" may begin a name.
SMALL_WORDS = frozenset(
    ("of", "the", "and", "to", "for", "in", "on", "at", "by", "with", "a", "an", "und", "über", "für")
) | {"zum", "zur", "von", "vom", "mit"}

# What goes on below a heading of one word: "Niederschrift / über die Sitzung".
CONTINUATIONS = one_of("über zum zur zu of on for concerning regarding betreffend")

# Before a number: "Nr.", "No:", "N° ", "#".
NUMBER_MARK = (
    one_of(r"nummer number numéro numero número num nr no n° nº n\. № číslo č\. sz\. \#") + r"\.?\s{0,2}[:.]?"
)

# A label that names the number of the document itself → the kind it is said to be ("" : as the heading says).
NUMBER_LABELS = (
    (r"rechnungs-?\s?(?:nr|nummer|no)\b\.?", "Rechnung"),
    (r"(?:rg|re|rech)\.?-?\s?(?:nr|nummer)\b\.?", "Rechnung"),
    (r"gutschrifts?-?\s?(?:nr|nummer)\b\.?", "Gutschrift"),
    (r"angebots?-?\s?(?:nr|nummer)\b\.?", "Angebot"),
    (r"lieferschein-?\s?(?:nr|nummer)\b\.?", "Lieferschein"),
    (r"beleg-?\s?(?:nr|nummer)\b\.?", ""),
    (r"dokument(?:en)?-?\s?(?:nr|nummer)\b\.?", ""),
    (r"invoice\s(?:no|number|num|nr|#|id)\b\.?", "Invoice"),
    (r"invoice\s?#", "Invoice"),
    (r"credit\snote\s(?:no|number)\b\.?", "Credit note"),
    (r"receipt\s(?:no|number)\b\.?", "Receipt"),
    (r"(?:quote|quotation)\s(?:no|number)\b\.?", "Quotation"),
    (r"document\s(?:no|number)\b\.?", ""),
    (r"(?:n°|numéro)\s(?:de\s)?(?:la\s)?facture", "Facture"),
    (r"facture\s(?:n°|numéro|no\b)", "Facture"),
    (r"(?:numero|n\.)\s(?:della\s)?fattura", "Fattura"),
    (r"(?:número|nº)\s(?:de\s)?factura", "Factura"),
    (r"factuurnummer", "Factuur"),
    (r"numer\sfaktury", "Faktura"),
    (r"číslo\sfakt[uú]ry", "Faktura"),
    (r"fatura\sno", "Fatura"),
    (r"számla\s?(?:sor)?szám\w*", "Számla"),
    (r"arve\s(?:nr|number)\b\.?", "Arve"),
    (r"請求書?番号", "請求書"),
    (r"发票号码?", "发票"),
    (r"發票號碼?", "發票"),
)

SUBJECTS = one_of(
    r"""
    betreff betr\. betrifft subject re objet oggetto asunto assunto betreft onderwerp dotyczy věc vec
    tárgy konu тема
    件名 主题 主題
    """
)

SALUTATIONS = one_of(
    r"""
    sehr_geehrte liebe[rs]?\s guten_tag hallo\s dear\s madame,? monsieur, cher\s chère\s gentile\s
    egregio spettabile
    estimad[oa]s?\s muy_señor exm[oa] prezad[oa] geachte\s beste\s szanown\w+\s vážen\w+\s tisztelt\s
    sayın\s уважаем
    шановн gerbiam\w*\s cienījam lugupeetud 拝啓 尊敬的
    """
)

REPLIES = one_of("re aw wg fw fwd antw tr rif rv enc vs odp sv") + r"\s?:\s*"
