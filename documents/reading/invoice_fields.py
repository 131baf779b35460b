"""An invoice as a field of a frame and back; the way back trusts nothing."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from decimal import Decimal, InvalidOperation

from documents.einvoices.model import MAX_AMOUNT, MAX_TEXT, Invoice, Syntax
from documents.reading.protocol import ProtocolError
from documents.textlayer import clean

_TEXTS = ("profile", "type_code", "number", "seller", "buyer", "currency")
_DAYS = ("issued", "due")
_AMOUNTS = ("net", "tax", "gross")
_NAMES = {"syntax", *_TEXTS, *_DAYS, *_AMOUNTS}


def invoice_to_field(invoice: Invoice | None) -> dict[str, str | None] | None:
    """The field for an invoice, in the reader."""
    if invoice is None:
        return None
    return {name: None if value is None else str(value) for name, value in asdict(invoice).items()}


def invoice_from_field(given: object) -> Invoice | None:
    """The invoice in a field; ProtocolError for anything that is none."""
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != _NAMES:
        raise ProtocolError("an invoice that is none")
    texts: dict[str, str] = {}
    for name in ("syntax", *_TEXTS):
        value = given[name]
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise ProtocolError(f"invoice.{name} is not a string of at most {MAX_TEXT} characters")
        texts[name] = " ".join(clean(value, MAX_TEXT).split())
    syntax = texts.pop("syntax")
    if syntax not in set(Syntax) or len(texts["currency"]) > 3:
        raise ProtocolError("an invoice in no language or currency")
    days = {name: _day(given[name]) for name in _DAYS}
    amounts = {name: _amount(given[name]) for name in _AMOUNTS}
    return Invoice(syntax=Syntax(syntax), **texts, **days, **amounts)  # type: ignore[arg-type]


def _day(given: object) -> date | None:
    try:
        return None if given is None else date.fromisoformat(given)  # type: ignore[arg-type]
    except (ValueError, TypeError) as error:
        raise ProtocolError(f"a day of an invoice: {error}") from error


def _amount(given: object) -> Decimal | None:
    if given is None:
        return None
    if not isinstance(given, str) or len(given) > 20:
        raise ProtocolError("an amount of an invoice that is none")
    try:
        number = Decimal(given)
        if not number.is_finite() or abs(number) >= MAX_AMOUNT:
            raise ProtocolError("an amount of an invoice out of bounds")
        return number.quantize(Decimal("0.01"))
    except InvalidOperation as error:
        raise ProtocolError("an amount of an invoice that is none") from error
