"""Letters, notices and contracts: running text, numbered paragraphs, other dates than the one of issue."""

from reportlab.platypus import Flowable, KeepTogether, PageBreak, Table

from archiv.samples.blocks import Signature, address_and_references, gap, heading, listing, text
from archiv.samples.clauses import RULES, TERMS
from archiv.samples.lease import HANDOVER, LEASE, ROOMS
from archiv.samples.paper import Letterhead, print_pdf
from archiv.samples.senders import (
    IMMOBILIEN,
    KANZLEI_ADDRESS,
    KANZLEI_HEAD,
    SPECIMEN_PARTNERS,
    STADTARCHIV_HEAD,
)


def extension_of_time() -> bytes:
    """A German letter to a court with a dateline."""
    head = KANZLEI_HEAD
    story = [
        *address_and_references(
            head,
            ("Amtsgericht Beispielstadt", "Abteilung 7", "Gerichtsstraße 2", "12345 Beispielstadt"),
            [("Aktenzeichen", "7 C 412/25"), ("Unser Zeichen", "41/25 km"), ("Datum", "5. Juni 2025")],
        ),
        heading(head, "In Sachen Mustermann ./. Beispiel Bau GmbH: Antrag auf Fristverlängerung", size=12),
        *text(
            head,
            "Sehr geehrte Damen und Herren,",
            "in vorbezeichneter Angelegenheit wurde der Klägerin mit Verfügung vom 12. Mai 2025 eine "
            "Frist zur Stellungnahme bis zum 10. Juni 2025 gesetzt. Wir beantragen, diese Frist um "
            "drei Wochen",
            "<b>bis zum 1. Juli 2025</b>",
            "zu verlängern.",
            "Zur Begründung: Das Gutachten des Sachverständigen ging hier erst am 30. Mai 2025 ein und "
            "umfasst mit Anlagen 86 Seiten. Eine Besprechung mit der Mandantin ist wegen deren Kur vor "
            "dem 16. Juni nicht möglich. Die Gegenseite hat der Verlängerung telefonisch zugestimmt.",
            "Bei Rückfragen erreichen Sie uns unter der oben angegebenen Durchwahl.",
            "Mit freundlichen Grüßen",
            size=11,
        ),
        Signature(11),
        *text(head, "Rechtsanwältin<br/>Kanzlei Muster", size=11),
    ]
    return print_pdf(story, head, title="Antrag auf Fristverlängerung 7 C 412/25")


def office_lease() -> bytes:
    """A German lease of several pages, dated at its end and in its head."""
    head = IMMOBILIEN
    story = [
        heading(head, "Mietvertrag über Kanzleiräume", size=16),
        *text(
            head,
            "Vertragsdatum: 1. März 2021",
            "zwischen der <b>Hausverwaltung Musterhof</b>, Lindenweg 5, 12345 Beispielstadt, als "
            "Vermieterin, und der <b>Kanzlei Muster</b>, Musterallee 12, 12345 Beispielstadt, als "
            "Mieterin.",
            size=12.5,
        ),
    ]
    for number, (title, clauses) in enumerate(LEASE, start=1):
        story.append(heading(head, f"§ {number} {title}", size=12))
        for part, clause in enumerate(clauses, start=1):
            story += text(head, f"({part}) {clause}", size=12.5, justify=True)
    story += [gap(4), _signed_on(head, "Beispielstadt, den 1. März 2021"), PageBreak()]
    story += [heading(head, "Anlage 2: Übergabeprotokoll", size=14), *text(head, *HANDOVER, size=12)]
    rows = [["Raum", "Zustand", "Schlüssel"], *([room, state, keys] for room, state, keys in ROOMS)]
    story.append(listing(head, rows, (55, 80, 30), numbers_from=2, size=11))
    return print_pdf(story, head, title="Mietvertrag Kanzleiräume Musterallee 12")


def reading_room_fee() -> bytes:
    """A German notice of fees with instructions on legal remedies."""
    head = STADTARCHIV_HEAD
    story = [
        *address_and_references(
            head,
            ("Heimatverein Musterdorf", "Dorfstraße 1", "12348 Musterdorf"),
            [
                ("Kassenzeichen", "41.3-00172"),
                ("Bescheid vom", "30. Juli 2024"),
                ("Auskunft", "Lesesaal, Zimmer 4"),
            ],
        ),
        heading(head, "Gebührenbescheid für die Benutzung des Lesesaals"),
        *text(
            head,
            "Sehr geehrte Damen und Herren,",
            "für die Benutzung des Lesesaals und die Anfertigung von Reproduktionen in der Zeit vom 3. "
            "bis 21. Juni 2024 setzen wir nach §§ 2 und 5 der Gebührensatzung für das Stadtarchiv "
            "folgende Gebühren fest:",
            "Vorlage von Archivgut, 14 Einheiten zu je 2,50 €: 35,00 €<br/>"
            "Reproduktionen, 46 Aufnahmen zu je 0,80 €: 36,80 €<br/>"
            "Beglaubigung, 2 Stück zu je 6,00 €: 12,00 €<br/>"
            "<b>Festgesetzte Gebühr: 83,80 €</b>",
            "Die Gebühr wird mit Bekanntgabe dieses Bescheides fällig und ist bis zum 30. August 2024 "
            "unter Angabe des Kassenzeichens auf das unten genannte Konto zu zahlen.",
            "<b>Rechtsbehelfsbelehrung:</b> Gegen diesen Bescheid kann innerhalb eines Monats nach "
            "Bekanntgabe Widerspruch beim Stadtarchiv Beispielstadt, Am Alten Speicher 3, erhoben "
            "werden. Der Widerspruch hat keine aufschiebende Wirkung.",
            "Im Auftrag",
        ),
        Signature(23),
        *text(head, "Leitung Lesesaal"),
    ]
    return print_pdf(story, head, title="Gebührenbescheid 41.3-00172")


def rules_of_use() -> bytes:
    """German rules of use: several pages of numbered paragraphs."""
    head = STADTARCHIV_HEAD
    story = [
        heading(head, "Benutzungsordnung für das Stadtarchiv Beispielstadt", size=15),
        *text(
            head,
            "Ausfertigung vom 12. Mai 2022",
            "Der Rat der Stadt Beispielstadt hat in seiner Sitzung am 5. Mai 2022 die folgende "
            "Benutzungsordnung beschlossen, die am 1. Juni 2022 in Kraft tritt.",
            size=12.5,
        ),
    ]
    for number, (title, clauses) in enumerate(RULES, start=1):
        story.append(heading(head, f"§ {number} {title}", size=12))
        for part, clause in enumerate(clauses, start=1):
            story += text(head, f"({part}) {clause}", size=12.5, justify=True)
    return print_pdf(story, head, title="Benutzungsordnung Stadtarchiv")


def engagement_terms() -> bytes:
    """An English letter of two pages."""
    head = SPECIMEN_PARTNERS
    story: list[Flowable] = [
        *address_and_references(
            head,
            (*KANZLEI_ADDRESS, "GERMANY"),
            [("Our ref", "SP/0042"), ("Date", "3 February 2025")],
        ),
        *text(head, "Dear colleagues,", size=11),
        heading(head, "Terms of engagement: correspondent counsel in England and Wales", size=12),
    ]
    story += text(head, *TERMS, size=11, justify=True)
    story += [
        *text(head, "Yours faithfully,", size=11),
        Signature(42),
        *text(head, "Specimen & Partners".replace("&", "&amp;"), size=11),
    ]
    return print_pdf(story, head, title="Terms of engagement SP/0042")


def _signed_on(head: Letterhead, place_and_day: str) -> Flowable:
    """Both signatures side by side under the dateline, never torn apart by a page's end."""
    columns = [
        [Signature(7), *text(head, "Vermieterin: Hausverwaltung Musterhof", size=11)],
        [Signature(12), *text(head, "Mieterin: Kanzlei Muster", size=11)],
    ]
    return KeepTogether([*text(head, place_and_day, size=12), Table([columns], hAlign="LEFT")])
