"""What the town archive scans and photographs, as it was typed or printed."""

from reportlab.platypus import Flowable

from archiv.samples.blocks import Signature, address_and_references, gap, heading, text
from archiv.samples.paper import TYPEWRITER, Letterhead, print_pdf
from archiv.samples.scanned_words import CARD, ESTATE, LOAN, MINUTES
from archiv.samples.senders import EXAMPLE_MUSEUM, STADTARCHIV_ADDRESS, TOWN_CLERK

PRIVATE = Letterhead(
    "Erika Mustermann",
    "Gartenweg 2 · 12349 Musterdorf",
    "Gartenweg 2 · 12349 Musterdorf",
    colour="#222222",
    family=TYPEWRITER,
)


def council_minutes() -> bytes:
    """German minutes of 1987, typewritten."""
    head = TOWN_CLERK
    story: list[Flowable] = [
        *text(head, "Beispielstadt, den 12. März 1987", size=11.5),
        heading(head, "Niederschrift", size=15),
        *text(head, *MINUTES, size=11.5),
        Signature(87),
        *text(head, "Schriftführer", size=11.5),
    ]
    return print_pdf(story, head, title="")


def loan_agreement() -> bytes:
    """An English loan agreement of one page."""
    head = EXAMPLE_MUSEUM
    story: list[Flowable] = [
        *address_and_references(
            head,
            (*STADTARCHIV_ADDRESS, "GERMANY"),
            [("Loan number", "L.2023.17"), ("Date", "6 September 2023")],
        ),
        heading(head, "Loan agreement", size=16),
        *text(head, *LOAN, size=11.5),
        Signature(64),
        *text(head, "Registrar, Exampleton Town Museum", size=11.5),
    ]
    return print_pdf(story, head, title="")


def estate_letter() -> bytes:
    """A German private letter, typewritten, to be photographed on a table."""
    head = PRIVATE
    story: list[Flowable] = [
        *address_and_references(head, STADTARCHIV_ADDRESS, []),
        *text(head, "Musterdorf, den 17. April 2023", size=12.5),
        gap(3),
        *text(head, *ESTATE, size=12.5),
        Signature(19),
        *text(head, "Erika Mustermann", size=12.5),
    ]
    return print_pdf(story, head, title="")


def index_card() -> bytes:
    """A German index card from a map cabinet."""
    head = TOWN_CLERK
    story: list[Flowable] = [
        heading(head, "Karten und Pläne K 114", size=17),
        *text(head, *CARD, size=14),
    ]
    return print_pdf(story, head, title="")
