"""What the law office puts through its scanner and gets by fax, as it was printed."""

from decimal import Decimal

from reportlab.platypus import Flowable, PageBreak

from archiv.samples.blocks import (
    GERMAN,
    Item,
    Signature,
    address_and_references,
    gap,
    heading,
    invoice_table,
    text,
)
from archiv.samples.paper import VERA, Letterhead, print_pdf
from archiv.samples.scanned_words import DRYING, QUESTIONS, SETTLEMENT
from archiv.samples.senders import (
    KANZLEI_ADDRESS,
    KANZLEI_HEAD,
    PAPIERWERK,
)

CAFE = Letterhead(
    "Gasthaus zum Beispiel",
    "Marktstraße 1 · 12345 Beispielstadt",
    "Marktstraße 1",
    colour="#222222",
    family=VERA,
)
INSURER = Letterhead(
    "Musterversicherung AG",
    "Rechtsschutz · Haftpflicht",
    "Versicherungsplatz 6 · 12344 Beispielstadt",
    ("Fax 030 23125-990", "Schadenabteilung"),
    colour="#111111",
    family=VERA,
)


def dunning_letter() -> bytes:
    """A German reminder to pay for toner."""
    head = PAPIERWERK
    items = [Item(2, "Stück", "Toner schwarz, Reichweite 6.000 Seiten", Decimal("78.50"))]
    story = [
        *address_and_references(
            head,
            KANZLEI_ADDRESS,
            [("Mahnung zu", "2025-2107"), ("Datum", "18.09.2025"), ("Kundennummer", "80204")],
        ),
        heading(head, "Zahlungserinnerung"),
        *text(
            head,
            "Sehr geehrte Damen und Herren,",
            "sicher ist es Ihrer Aufmerksamkeit entgangen, dass die folgende Rechnung vom 4. August "
            "2025 noch offen ist. Wir bitten um Ausgleich bis zum 2. Oktober 2025.",
            size=11,
        ),
        *invoice_table(head, items, GERMAN, 19),
        *text(
            head,
            "Sollten Sie inzwischen gezahlt haben, betrachten Sie dieses Schreiben bitte als gegenstandslos. "
            "Mahngebühren berechnen wir bei der ersten Erinnerung nicht.",
            "Mit freundlichen Grüßen<br/>Papierwerk Beispiel GmbH, Buchhaltung",
            size=11,
        ),
    ]
    return print_pdf(story, head, title="")


def settlement() -> bytes:
    """A German court settlement on two pages; the second carries the signatures."""
    head = KANZLEI_HEAD
    story: list[Flowable] = [
        *text(head, "Aktenzeichen: 7 C 388/24<br/>Datum: 21. November 2024", size=11),
        heading(head, "Außergerichtlicher Vergleich", size=16),
        *text(
            head,
            "zwischen dem Verein der Beispielfreunde e. V., Dorfplatz 4, 12348 Musterdorf, nachfolgend "
            "Verein, und der Beispiel Bau GmbH, Kiesweg 10, 12347 Beispielstadt, nachfolgend "
            "Unternehmen.",
            size=12,
        ),
        heading(head, "Vorbemerkung"),
        *text(
            head,
            "Das Unternehmen hat im Sommer 2023 das Dach des Vereinsheims gedeckt. Der Verein rügt undichte "
            "Anschlüsse am Schornstein und hat 4.800,00 € einbehalten. Um einen Rechtsstreit zu vermeiden, "
            "einigen sich die Parteien wie folgt:",
            size=12,
        ),
    ]
    story += text(head, *SETTLEMENT[:4], size=12)
    story.append(PageBreak())
    story += text(head, *SETTLEMENT[4:], size=12)
    story += [gap(4), *text(head, "Für den Verein:", size=12), Signature(31)]
    story += [gap(4), *text(head, "Für das Unternehmen:", size=12), Signature(58)]
    return print_pdf(story, head, title="")


def power_of_attorney() -> bytes:
    """A German power of attorney: page 1 stays born-digital, page 2 is the signed sheet that gets scanned."""
    head = KANZLEI_HEAD
    story: list[Flowable] = [
        *address_and_references(
            head,
            ("Verein der Beispielfreunde e. V.", "Dorfplatz 4", "12348 Musterdorf"),
            [("Unser Zeichen", "57/25 km"), ("Datum", "8. Oktober 2025")],
        ),
        heading(head, "Vollmacht in Sachen Nachbarrecht"),
        *text(
            head,
            "Sehr geehrte Damen und Herren,",
            "vielen Dank für das Gespräch vom 6. Oktober 2025. Damit wir für Sie tätig werden können, "
            "bitten wir um Rücksendung der beigefügten Vollmacht mit Unterschrift bis zum 22. Oktober "
            "2025.",
            "Die Vollmacht berechtigt uns zur außergerichtlichen Vertretung, zur Akteneinsicht und zur "
            "Entgegennahme von Zahlungen. Sie kann jederzeit widerrufen werden.",
            "Mit freundlichen Grüßen<br/>Kanzlei Muster",
            size=11,
        ),
        PageBreak(),
        heading(head, "Vollmacht", size=18),
        *text(
            head,
            "Der Kanzlei Muster, Musterallee 12, 12345 Beispielstadt, wird hiermit in der Angelegenheit",
            "<b>Grenzbepflanzung am Vereinsheim, Flurstück 112/4</b>",
            "Vollmacht zur außergerichtlichen Vertretung erteilt. Sie umfasst die Befugnis, einseitige "
            "Willenserklärungen abzugeben und entgegenzunehmen, Akten einzusehen und Untervollmacht zu "
            "erteilen.",
            "Musterdorf, im Oktober 2025",
            size=12,
        ),
        Signature(77),
        *text(head, "Unterschrift des Vorstands", size=11),
    ]
    return print_pdf(story, head, title="Vollmacht 57/25")


def receipt() -> bytes:
    """A German receipt for a business lunch."""
    head = CAFE
    story = [
        heading(head, "Bewirtungsbeleg Nr. 5521", size=15),
        *text(
            head,
            "Rechnungsdatum: 27.05.2025",
            "Tisch 8, vier Personen, bedient von Kellner 3",
            "4 × Mittagstisch Spargel mit Schinken zu 16,50 €: 66,00 €<br/>"
            "4 × Apfelschorle 0,4 l zu 3,80 €: 15,20 €<br/>4 × Kaffee zu 2,90 €: 11,60 €",
            "Netto 78,00 €, Umsatzsteuer 19 % 14,80 €",
            "<b>Summe 92,80 €</b>, Trinkgeld 7,20 €, bar bezahlt 100,00 €",
            "Anlass der Bewirtung: Besprechung Vergleich 57/25 mit der Gegenseite",
            "Vielen Dank für Ihren Besuch!",
            size=12,
        ),
        Signature(5),
    ]
    return print_pdf(story, head, title="")


def claim_fax() -> bytes:
    """A German fax of three pages from an insurer."""
    head = INSURER
    story: list[Flowable] = [
        *address_and_references(
            head,
            KANZLEI_ADDRESS,
            [("Schadennummer", "SN-24-118830"), ("Datum", "8. Mai 2024"), ("Seiten", "3")],
        ),
        heading(head, "Wasserschaden Musterallee 12: Deckungszusage", size=14),
        *text(
            head,
            "Sehr geehrte Damen und Herren,",
            "zu dem am 29. April 2024 gemeldeten Schaden im Aktenkeller bestätigen wir "
            "Versicherungsschutz dem Grunde nach. Die Kosten der Trocknung übernehmen wir bis zu einem "
            "Betrag von 3.500,00 €.",
            "Bitte füllen Sie den Fragebogen auf Seite 2 aus und senden Sie ihn mit Fotos bis zum 31. "
            "Mai 2024 zurück. Beschädigte Akten bewahren Sie bitte bis zur Besichtigung auf.",
            "Mit freundlichen Grüßen<br/>Ihre Musterversicherung",
            size=12,
        ),
        PageBreak(),
        heading(head, "Fragebogen zum Leitungswasserschaden", size=15),
        *text(head, *QUESTIONS, size=12),
        PageBreak(),
        heading(head, "Hinweise zur Trocknung von Akten", size=15),
        *text(head, *DRYING, size=12),
    ]
    return print_pdf(story, head, title="")
