"""What an electronic invoice says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

MAX_TEXT = 255
"""Characters of a number, a name, a profile; what is longer is cut."""

MAX_AMOUNT = Decimal(10) ** 15
"""Amounts lie below it, either side of nothing."""


class Syntax(StrEnum):
    """The language the XML is written in."""

    CII = "cii"  # UN/CEFACT Cross Industry Invoice
    UBL = "ubl"  # OASIS Universal Business Language


@dataclass(frozen=True, slots=True)
class Invoice:
    """The facts of one invoice; empty or None where its XML does not say.

    `type_code` is of UNTDID 1001 (380 invoice, 381 credit note), `profile` the guideline it says it follows.
    `due` is the day by which all of it must be paid. Amounts have two decimals, in `currency` (ISO 4217);
    those of a credit note are as written. Texts are one line of at most MAX_TEXT characters.
    """

    syntax: Syntax
    profile: str = ""
    type_code: str = ""
    number: str = ""
    issued: date | None = None
    due: date | None = None
    seller: str = ""
    buyer: str = ""
    net: Decimal | None = None
    tax: Decimal | None = None
    gross: Decimal | None = None
    currency: str = ""
