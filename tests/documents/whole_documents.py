"""Whole invoices, letters, notices and statements, made up in six layouts with known answers.

Each carries what misleads: due, delivery, order and birth dates, periods, opening hours, laws, versions,
numbers that look like dates, references to other papers, print lines. Every run makes the same documents.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from tests.documents.whole_words import (
    COMPANIES,
    DE_FORMS,
    EN_FORMS,
    FOOTER,
    ISSUE_LABELS,
    PEOPLE,
    STREETS,
    TOWNS,
    Dice,
)


@dataclass(frozen=True)
class WholeDocument:
    """A document with the answers it must give."""

    name: str
    pages: tuple[str, ...]
    issued: date
    title: str
    languages: tuple[str, ...] = ("de", "en")

    @property
    def text(self) -> str:
        return "\f".join(self.pages)


def letter(dice: Dice, day: date) -> tuple[tuple[str, ...], str]:
    """A letter with place and date, a subject, and references to older letters."""
    form = dice.choice(DE_FORMS[:5])
    older, due = day - timedelta(days=dice.randrange(5, 60)), day + timedelta(days=dice.randrange(7, 40))
    answer = due - timedelta(days=3)
    town = dice.choice(TOWNS)
    dated = dice.choice(
        (
            f"{town}, den {form(day)}",
            f"{town}, {form(day)}",
            f"Datum: {form(day)}",
            f"{form(day)}",
            f"den {form(day)}",
        )
    )
    subject = dice.choice(
        (
            f"Kündigung meines Vertrages {dice.number()}",
            "Ihre Anfrage zur Heizungswartung",
            "Einladung zur Mitgliederversammlung",
            "Widerspruch gegen die Nebenkostenabrechnung",
        )
    )
    marked = dice.choice((f"Betreff: {subject}", subject, f"Betr.: {subject}"))
    reference = dice.choice(
        (f"Ihr Schreiben vom {form(older)}", f"Ihr Zeichen: ab/12 - Ihre Nachricht vom {form(older)}", "")
    )
    body = dice.choice(
        (
            f"danke für Ihren Brief vom {form(older)}. Laut Vertrag vom {form(older)} endet er {form(due)}.",
            f"wir danken für das Telefonat vom {form(older)} und bitten um Antwort bis zum {form(due)}.",
            f"ich lade Sie ein. Termin ist der {form(due)} um 18.30 Uhr, Anmeldung bis {form(answer)}.",
        )
    )
    page = "\n".join(
        (
            f"{dice.choice(COMPANIES)} · {dice.choice(STREETS)} · 50667 Köln",
            "",
            dice.address(),
            "",
            reference,
            dated,
            "",
            marked,
            "",
            "Sehr geehrte Damen und Herren,",
            "",
            body,
            "",
            "Mit freundlichen Grüßen",
            dice.choice(PEOPLE),
            "",
            FOOTER,
        )
    )
    return (page,), subject


def invoice_block(dice: Dice, day: date) -> tuple[tuple[str, ...], str]:
    """An invoice with one label and value a line."""
    form, number = dice.choice(DE_FORMS), dice.number()
    order, delivery, due = (day + timedelta(days=days) for days in (-12, -3, 14))
    lines = [
        f"{dice.choice(ISSUE_LABELS)}: {form(day)}",
        f"Bestelldatum: {form(order)}",
        f"Lieferdatum: {form(delivery)}",
        f"Kundennummer: {dice.randrange(1000, 99_999)}",
        f"Zahlbar bis: {form(due)}",
        f"Leistungszeitraum: {form(order)} - {form(delivery)}",
    ]
    dice.shuffle(lines)
    heading = dice.choice(
        (
            f"Rechnung Nr. {number}",
            f"Rechnung {number}",
            f"RECHNUNG\nRechnungsnummer: {number}",
            f"Rechnung\nRechnungs-Nr.: {number}",
        )
    )
    page = "\n".join(
        (
            dice.choice(COMPANIES),
            dice.address(),
            "",
            heading,
            *lines,
            "",
            "Pos Bezeichnung Menge Preis",
            "1 Schrauben M4x12 100 12,05 EUR",
            "2 Winkel 10-12-20 4 20,24 EUR",
            "Summe 32,29 EUR",
            f"Bitte überweisen Sie bis zum {form(due)} ohne Abzug.",
            FOOTER,
        )
    )
    return (page,), f"Rechnung {number}"


def invoice_row(dice: Dice, day: date) -> tuple[tuple[str, ...], str]:
    """An invoice whose labels are a row over the row of values, and whose positions have dates; two pages."""
    form, number = dice.choice((DE_FORMS[0], DE_FORMS[3])), dice.number()
    worked = [day - timedelta(days=days) for days in (9, 8, 7, 5)]
    columns = [
        ("Kundennummer", str(dice.randrange(1000, 99_999))),
        ("Rechnungsnummer", number),
        ("Rechnungsdatum", form(day)),
        ("Lieferdatum", form(day - timedelta(days=5))),
        ("Fälligkeitsdatum", form(day + timedelta(days=14))),
    ]
    dice.shuffle(columns)
    wide = dice.random() < 0.5
    header = (
        "".join(f"{label:<20}" for label, _ in columns) if wide else " ".join(label for label, _ in columns)
    )
    values = (
        "".join(f"{value:<20}" for _, value in columns) if wide else " ".join(value for _, value in columns)
    )
    rows = [
        f"{form(on)} Montage {dice.randrange(1, 9)},00 Std {dice.randrange(50, 400)},00 EUR" for on in worked
    ]
    first = "\n".join(
        (
            dice.choice(COMPANIES),
            dice.address(),
            "",
            "RECHNUNG",
            "",
            header.rstrip(),
            values.rstrip(),
            "",
            "Datum Leistung Menge Betrag",
            *rows[:3],
        )
    )
    second = "\n".join(
        (
            f"Seite 2 zur Rechnung {number}",
            rows[3],
            f"Rechnungsbetrag fällig am {form(day + timedelta(days=14))}",
            FOOTER,
        )
    )
    return (first, second), f"Rechnung {number}"


def statement(dice: Dice, day: date) -> tuple[tuple[str, ...], str]:
    """A bank's statement: a print line, a period, dated rows, balances."""
    form = DE_FORMS[0]
    number = f"{dice.randrange(1, 12)}/{day.year}"
    printed = day + timedelta(days=dice.randrange(0, 30))
    rows = [
        f"{form(day - timedelta(days=ago))} {form(day - timedelta(days=ago))} {what} {dice.randrange(99)},99"
        for ago, what in (
            (28, "Miete"),
            (20, "Strom Abschlag"),
            (14, "Kartenzahlung 12.05 Markt"),
            (2, "Lastschrift"),
        )
    ]
    stamp = dice.choice(
        (
            f"{form(printed)}, 10:14 Meine Bank Online",
            f"Gedruckt am {form(printed)} 10:14 Uhr",
            "Meine Bank eG",
        )
    )
    title = dice.choice((f"Kontoauszug Nr. {number}", f"Kontoauszug {number}"))
    dated = dice.choice((f"erstellt am {form(day)}", f"Auszugsdatum {form(day)}", f"Datum: {form(day)}"))
    page = "\n".join(
        (
            stamp,
            "",
            f"{title}",
            dated,
            f"Zeitraum {form(day - timedelta(days=30))} bis {form(day)}",
            f"Kontostand am {form(day - timedelta(days=30))} 1.205,20 H",
            "Buchung Wert Text Betrag",
            *rows,
            f"Neuer Kontostand am {form(day)} 1.024,20 H",
            "Einlagensicherungsgesetz vom 28.05.2015",
            "Fassung 10/2014",
            FOOTER,
        )
    )
    return (page,), f"Kontoauszug {number}"


def notice(dice: Dice, day: date) -> tuple[tuple[str, ...], str]:
    """A notice of an office: the citizen's birthday, laws, an application, a period of appeal; two pages."""
    form = dice.choice((DE_FORMS[0], DE_FORMS[2]))
    asked = day - timedelta(days=dice.randrange(10, 90))
    arrived = asked + timedelta(days=2)
    born = date(1950 + dice.randrange(50), dice.randrange(1, 13), dice.randrange(1, 28))
    title = dice.choice(
        (
            f"Bescheid über Einkommensteuer {day.year - 1}",
            "Bescheid über die Festsetzung der Hundesteuer",
            "Elterngeldbescheid",
        )
    )
    dated = dice.choice(
        (
            f"Bescheid vom {form(day)}",
            f"{dice.choice(TOWNS)}, den {form(day)}",
            f"Datum {form(day)}",
            f"Ausgestellt am {form(day)}",
        )
    )
    first = "\n".join(
        (
            "Stadt Musterstadt",
            "Amt für Öffentliches",
            f"Az. 12-05/{day.year}",
            dice.address(),
            f"geb. am {form(born)}",
            "",
            dated,
            "",
            title,
            "",
            f"auf Ihren Antrag vom {form(asked)}, eingegangen am {form(arrived)}, wird festgesetzt:",
            "gemäß § 4 der Satzung vom 12.03.1998 in der Fassung vom 01.12.2004",
        )
    )
    second = "\n".join(
        (
            f"Zeitraum {form(day)} bis {form(day + timedelta(days=300))}",
            f"Die Frist endet am {form(day + timedelta(days=31))}.",
            "Verwaltungsgesetz vom 25.05.1976 (BGBl. I S. 1253)",
            "Vordruck 12, Version 1.2.19, Stand 01.10.2008",
            FOOTER,
        )
    )
    return (first, second), title


def english(dice: Dice, day: date) -> tuple[tuple[str, ...], str]:
    """An invoice in English, labels in a block over the block of values or beside them."""
    form, number = dice.choice(EN_FORMS), dice.number()
    pairs = [
        ("Invoice No", number),
        (dice.choice(("Invoice Date", "Date of issue", "Date", "Issue date")), form(day)),
        ("Due Date", form(day + timedelta(days=30))),
        ("Order Date", form(day - timedelta(days=9))),
        ("Customer", str(dice.randrange(1000, 9999))),
    ]
    dice.shuffle(pairs)
    block = [f"{label}: {value}" for label, value in pairs]
    if dice.random() < 0.5:
        block = [*(f"{label}:" for label, _ in pairs), *(value for _, value in pairs)]
    page = "\n".join(
        (
            dice.choice(COMPANIES),
            "7 High Street, London",
            dice.choice(("INVOICE", "Invoice")),
            *block,
            "",
            "Qty Item Price",
            "4 Brackets 10-12-20 20.24",
            f"Service period {form(day - timedelta(days=30))} to {form(day - timedelta(days=1))}",
            "Total 99.00",
            f"Please pay by {form(day + timedelta(days=30))}. Prices valid until 31 December {day.year}.",
            "Software version 3.12.2020",
        )
    )
    return (page,), f"Invoice {number}"


LAYOUTS = {
    maker.__name__: maker for maker in (letter, invoice_block, invoice_row, statement, notice, english)
}


def whole_documents(each: int) -> Iterator[WholeDocument]:
    """Yield `each` documents of every layout."""
    for name, make in LAYOUTS.items():
        for seed in range(each):
            dice = Dice(f"{name} {seed}")
            day = dice.day()
            pages, title = make(dice, day)
            yield WholeDocument(f"{name}-{seed}", pages, day, title)
