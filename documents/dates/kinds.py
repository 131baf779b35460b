"""What a date in a document may be the date of, and how much that speaks for its being the date of issue."""

from enum import StrEnum


class Kind(StrEnum):
    """The kind of a date, by its label or its place."""

    ISSUED = "issued"  # Rechnungsdatum, invoice date, 発行日
    DOCUMENT = "document"  # Rechnung Nr. 4711 vom, Facture du
    DATED = "dated"  # Datum, date
    PLACE = "place"  # München, den
    CREATED = "created"  # erstellt am, generated on
    UNLABELLED = "unlabelled"
    CONTRACT = "contract"  # Vertrag vom
    AS_OF = "as_of"  # Stand
    RECEIVED = "received"
    ORDER = "order"
    DELIVERY = "delivery"
    SERVICE = "service"
    PAYMENT = "payment"
    BOOKING = "booking"
    PICKUP = "pickup"
    PERIOD = "period"
    APPOINTMENT = "appointment"
    ROW = "row"  # one of a table's rows
    REFERENCE = "reference"  # Ihr Schreiben vom
    OTHER = "other"  # a date with a label of its own that is none of these
    DUE = "due"
    BIRTH = "birth"
    VALID = "valid"
    TERM = "term"  # Mietbeginn, seit, start date
    PRINT = "print"
    VERSION = "version"
    CITED = "cited"  # gemäß ... vom, laws
    PROMOTION = "promotion"
    SEARCH = "search"
    NUMBER = "number"  # no date at all: version, telephone, article


# Points of a kind. What is not above zero is never the date of issue, only offered as a candidate.
POINTS: dict[Kind, int] = {
    Kind.ISSUED: 100,
    Kind.DOCUMENT: 88,
    Kind.DATED: 84,
    Kind.PLACE: 82,
    Kind.CREATED: 74,
    Kind.UNLABELLED: 40,
    Kind.CONTRACT: 38,
    Kind.AS_OF: 26,
    Kind.ORDER: 25,
    Kind.PAYMENT: 24,
    Kind.BOOKING: 24,
    Kind.SERVICE: 23,
    Kind.DELIVERY: 22,
    Kind.RECEIVED: 21,
    Kind.PICKUP: 20,
    Kind.ROW: 19,
    Kind.PERIOD: 17,
    Kind.OTHER: 16,
    Kind.APPOINTMENT: 6,  # to come: rather a month without a day
    Kind.REFERENCE: 8,
    Kind.DUE: -20,
    Kind.TERM: -25,
    Kind.PRINT: -25,
    Kind.CITED: -30,
    Kind.VERSION: -30,
    Kind.SEARCH: -30,
    Kind.PROMOTION: -30,
    Kind.VALID: -30,
    Kind.BIRTH: -60,
    Kind.NUMBER: -60,
}
