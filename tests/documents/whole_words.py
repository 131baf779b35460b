"""The words that whole documents are made of, and the dice that choose among them."""

import random
from collections.abc import Callable
from datetime import date, timedelta

EARLIEST, DAYS = date(2009, 1, 2), 6200

MONTHS = {
    "de": [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    "en": [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    "fr": [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    "es": [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
}
DE_FORMS: tuple[Callable[[date], str], ...] = (
    lambda day: f"{day:%d.%m.%Y}",
    lambda day: f"{day.day}.{day.month}.{day.year}",
    lambda day: f"{day.day}. {MONTHS['de'][day.month - 1]} {day.year}",
    lambda day: f"{day:%d.%m.%y}",
    lambda day: f"{day:%d}. {MONTHS['de'][day.month - 1]} {day.year}",
    lambda day: f"{day:%Y-%m-%d}",
)
EN_FORMS: tuple[Callable[[date], str], ...] = (
    lambda day: f"{day.day} {MONTHS['en'][day.month - 1]} {day.year}",
    lambda day: f"{MONTHS['en'][day.month - 1]} {day.day}, {day.year}",
    lambda day: f"{day.day:02}-{MONTHS['en'][day.month - 1][:3]}-{day.year}",
    lambda day: f"{day:%Y-%m-%d}",
    lambda day: f"{day:%d/%m/%Y}",
)
COMPANIES = (
    "Beispiel GmbH",
    "Muster & Söhne KG",
    "Nordlicht Energie AG",
    "Holzbau Exempel e.K.",
    "Sample Ltd",
    "Acme Tools Inc.",
)
STREETS = ("Hauptstraße 12", "Am Ring 5", "Lindenweg 10", "Bahnhofstr. 3", "High Street 7")
TOWNS = ("Köln", "Berlin", "Bad Homburg", "München", "Halle (Saale)", "Frankfurt am Main", "Wien")
PEOPLE = ("Max Muster", "Erika Beispiel", "Jo Sample")
ISSUE_LABELS = (
    "Rechnungsdatum",
    "Belegdatum",
    "Datum",
    "Rechnungs-Datum",
    "Ausstellungsdatum",
    "Datum der Rechnung",
)
FOOTER = (
    "Beispiel GmbH  Amtsgericht Köln HRB 12052\nIBAN DE12 5001 0517 0648 4898 90 BIC INGDDEFFXXX\n"
    "Tel. 0221/12 05 20-24  Fax 0221 / 12-05-21\nMo-Fr 8.00-20.00 Uhr, Sa 8.10-14.00 Uhr"
)


class Dice(random.Random):
    """Choices for one document."""

    def day(self) -> date:
        return EARLIEST + timedelta(days=self.randrange(DAYS))

    def number(self) -> str:
        return self.choice(
            (
                f"{self.randrange(10_000, 999_999)}",
                f"RE-{self.randrange(2010, 2026)}-{self.randrange(1000, 9999)}",
                f"{self.randrange(2010, 2026)}/{self.randrange(100, 9999)}",
                f"R{self.randrange(10**7, 10**8)}",
            )
        )

    def address(self) -> str:
        postcode = self.randrange(10_000, 99_999)
        return f"{self.choice(PEOPLE)}\n{self.choice(STREETS)}\n{postcode} {self.choice(TOWNS)}"
