"""Invoices: tables, sums, a due date and a delivery date beside the date of issue."""

from decimal import Decimal

from reportlab.platypus import Flowable, PageBreak

from archiv.samples.blocks import (
    ENGLISH,
    GERMAN,
    Item,
    address_and_references,
    gap,
    heading,
    invoice_table,
    invoice_total,
    listing,
    text,
)
from archiv.samples.paper import print_pdf
from archiv.samples.senders import (
    EXAMPLE_BOXES,
    KANZLEI_ADDRESS,
    PAPIERWERK,
    RESTAURIERUNG,
    SAMPLE_SOFTWARE,
    STADTARCHIV_ADDRESS,
    STADTWERKE,
)


def office_supplies() -> bytes:
    """A German invoice of one page for paper and toner."""
    head = PAPIERWERK
    items = [
        Item(20, "Paket", "Kopierpapier A4, 80 g/m², weiß, 500 Blatt", Decimal("4.29")),
        Item(4, "Stück", "Toner schwarz, Reichweite 6.000 Seiten", Decimal("78.50")),
        Item(50, "Stück", "Aktenordner A4 breit, Rückenschild grün", Decimal("2.19")),
        Item(10, "Packung", "Versandtaschen C4 mit Fenster, 100 Stück", Decimal("11.90")),
        Item(1, "pausch.", "Lieferung frei Haus, Hinterhof 2. Etage", Decimal("9.50")),
    ]
    total = GERMAN.money(invoice_total(items, 19))
    story = [
        *address_and_references(
            head,
            KANZLEI_ADDRESS,
            [
                ("Rechnungsnummer", "2026-0117"),
                ("Rechnungsdatum", "14.01.2026"),
                ("Kundennummer", "80204"),
                ("Lieferdatum", "12.01.2026"),
            ],
        ),
        heading(head, "Rechnung 2026-0117"),
        *text(
            head,
            "Sehr geehrte Damen und Herren,",
            "für Ihre Bestellung vom 8. Januar 2026 danken wir und berechnen wie folgt:",
        ),
        *invoice_table(head, items, GERMAN, 19),
        *text(
            head,
            f"Bitte überweisen Sie den Gesamtbetrag von <b>{total}</b> ohne Abzug bis zum 28.01.2026 unter "
            "Angabe der Rechnungsnummer. Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.",
            "Mit freundlichen Grüßen<br/>Papierwerk Beispiel GmbH",
        ),
    ]
    return print_pdf(story, head, title="Rechnung 2026-0117")


def electricity_year() -> bytes:
    """A German annual bill of two pages: a long table of meter readings."""
    head = STADTWERKE
    months = [f"{month} 2024" for month in ("Oktober", "November", "Dezember")]
    months += [f"{month} 2025" for month in ("Januar", "Februar", "März", "April", "Mai", "Juni")]
    months += [f"{month} 2025" for month in ("Juli", "August", "September")]
    used = (412, 455, 498, 521, 470, 433, 371, 340, 318, 305, 327, 352)
    price = Decimal("0.3170")
    reading = 48_210
    rows = [["Zeitraum", "Zählerstand", "Verbrauch kWh", "Arbeitspreis", "Betrag"]]
    for month, amount in zip(months, used, strict=True):
        reading += amount
        rows.append(
            [
                month,
                f"{reading}",
                f"{amount}",
                "31,70 ct",
                GERMAN.money((amount * price).quantize(Decimal("0.01"))),
            ]
        )
    items = [
        Item(sum(used), "kWh", "Arbeitspreis Strom, Tarif Gewerbe Basis", price),
        Item(12, "Monate", "Grundpreis mit Messstellenbetrieb", Decimal("14.90")),
    ]
    total = invoice_total(items, 19)
    paid = Decimal("1920.00")
    story: list[Flowable] = [
        *address_and_references(
            head,
            KANZLEI_ADDRESS,
            [
                ("Rechnungsnummer", "SW-25-771204"),
                ("Rechnungsdatum", "07.11.2025"),
                ("Vertragskonto", "00 771 204"),
                ("Zählernummer", "1EMH00 4711"),
            ],
        ),
        heading(head, "Jahresabrechnung Strom"),
        *text(
            head,
            "Guten Tag,",
            "hier ist Ihre Abrechnung für den Leistungszeitraum 01.10.2024 bis 30.09.2025. "
            "Verbrauchsstelle ist Musterallee 12, Erdgeschoss und 1. Obergeschoss.",
            size=9.5,
        ),
        *invoice_table(head, items, GERMAN, 19),
        *text(
            head,
            f"Ihre Abschläge von zusammen <b>{GERMAN.money(paid)}</b> sind abgezogen. Es verbleibt eine "
            f"Nachzahlung von <b>{GERMAN.money(total - paid)}</b>, die wir am 21.11.2025 von Ihrem Konto "
            "einziehen. Ihr neuer Abschlag beträgt ab Dezember 185,00 € im Monat.",
            "Der Strom stammte zu 64 % aus erneuerbaren Quellen. Fragen zur Abrechnung beantwortet unser "
            "Kundendienst montags bis freitags von 8 bis 18 Uhr.",
            size=9.5,
        ),
        PageBreak(),
        heading(head, "Anlage: Verbrauch nach Monaten"),
        listing(head, rows, (45, 30, 32, 30, 28), numbers_from=1),
        gap(5),
        *text(head, "Die Zählerstände wurden aus der Ferne abgelesen. Beträge ohne Umsatzsteuer.", size=9),
    ]
    return print_pdf(story, head, title="Jahresabrechnung Strom 2025")


def restoration() -> bytes:
    """A German invoice in a serif face, for the binding of council minutes."""
    head = RESTAURIERUNG
    items = [
        Item(3, "Band", "Ratsprotokolle 1871–1874: Trockenreinigung, Risse geschlossen", Decimal("184.00")),
        Item(1, "Band", "Stadtplan 1892 auf Leinen: planiert und neu kaschiert", Decimal("420.00")),
        Item(12, "Stück", "Schuber nach Maß, säurefreie Pappe", Decimal("31.50")),
    ]
    story = [
        *address_and_references(
            head,
            STADTARCHIV_ADDRESS,
            [("Rechnung Nr.", "R 61/2024"), ("Datum", "22.08.2024"), ("Ihr Auftrag", "StA 12-0440")],
        ),
        heading(head, "Rechnung über Restaurierungsarbeiten"),
        *text(head, "Für die am 15. August 2024 abgenommenen Arbeiten stellen wir in Rechnung:"),
        *invoice_table(head, items, GERMAN, 7),
        *text(
            head,
            "Zahlbar innerhalb von 30 Tagen netto. Ein Zustandsbericht mit Aufnahmen vor und nach der "
            "Behandlung liegt bei; die Negative verbleiben in der Werkstatt.",
            "Mit Dank für den Auftrag<br/>Werkstatt Musterblatt",
        ),
    ]
    return print_pdf(story, head, title="Rechnung R 61/2024")


def software() -> bytes:
    """An English invoice of one page for software licences."""
    head = SAMPLE_SOFTWARE
    items = [
        Item(6, "seats", "Docket Classic, annual licence", Decimal("184.00")),
        Item(1, "year", "Priority support, weekdays 8 am to 6 pm", Decimal("420.00")),
        Item(2, "days", "On-site training for new staff", Decimal("650.00")),
    ]
    total = ENGLISH.money(invoice_total(items, 20))
    story = [
        *address_and_references(
            head,
            (*KANZLEI_ADDRESS, "GERMANY"),
            [
                ("Invoice number", "INV-20418"),
                ("Invoice date", "14 March 2025"),
                ("Due date", "13 April 2025"),
                ("Customer", "DE-0112"),
            ],
        ),
        heading(head, "Invoice INV-20418"),
        *text(head, "Thank you for your order. Please find below the charges for the coming year."),
        *invoice_table(head, items, ENGLISH, 20),
        *text(
            head,
            f"Please pay <b>{total}</b> within 30 days and quote the invoice number. Licences renew on "
            "1 April each year unless cancelled in writing two months before.",
            "Kind regards,<br/>Sample Software Ltd",
        ),
    ]
    return print_pdf(story, head, title="Invoice INV-20418")


def archival_boxes() -> bytes:
    """An English invoice with an ISO date, for boxes and folders."""
    head = EXAMPLE_BOXES
    items = [
        Item(120, "boxes", "Storage box, acid-free, 390 × 260 × 110 mm", Decimal("6.85")),
        Item(400, "folders", "Four-flap folder A4, 120 gsm", Decimal("0.92")),
        Item(3, "rolls", "Japanese tissue 12 gsm, 1 × 10 m", Decimal("44.00")),
    ]
    story = [
        *address_and_references(
            head,
            (*STADTARCHIV_ADDRESS, "GERMANY"),
            [("Invoice", "EAB-3307"), ("Invoice date", "2024-12-05"), ("Order", "PO 2024/88")],
        ),
        heading(head, "Invoice EAB-3307"),
        *invoice_table(head, items, ENGLISH, 20),
        *text(
            head,
            "Goods travel at our risk until they reach your reading room. Payment is due by "
            "2025-01-04; we accept transfers only.",
        ),
    ]
    return print_pdf(story, head, title="Invoice EAB-3307")
