"""Finding values in parsed XML by local names: prefixes and namespaces differ between standards and years."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from xml.etree.ElementTree import Element

from documents.einvoices.model import MAX_AMOUNT, MAX_TEXT

_CENT = Decimal("0.01")
_LONGEST_AMOUNT = 40


def local_name(element: Element) -> str:
    """The name of an element without its namespace; empty for comments."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def children(element: Element | None, *names: str) -> Iterator[Element]:
    """The direct children with one of these local names."""
    if element is not None:
        yield from (child for child in element if local_name(child) in names)


def find(element: Element | None, *path: str) -> Element | None:
    """The first element down a path of local names; alternatives in one step are parted by `|`."""
    for step in path:
        element = next(children(element, *step.split("|")), None)
    return element


def text(element: Element | None) -> str:
    """The text of an element on one line, without characters that nobody sees, cut at MAX_TEXT."""
    words = " ".join((element.text or "").split()) if element is not None else ""
    return "".join(character for character in words if character.isprintable())[:MAX_TEXT].strip()


def day(element: Element | None) -> date | None:
    """The day in an element: CCYYMMDD, or ISO 8601 with or without a time; None for anything else."""
    digits = text(element)[:10].replace("-", "")
    if len(digits) < 8 or not digits[:8].isascii() or not digits[:8].isdigit():
        return None
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))
    except ValueError:
        return None


def amount(element: Element | None) -> Decimal | None:
    """The amount in an element, with two decimals; None where it is no number, or beyond MAX_AMOUNT."""
    written = text(element)
    if not written or len(written) > _LONGEST_AMOUNT:
        return None
    try:
        number = Decimal(written)
        if not number.is_finite() or abs(number) >= MAX_AMOUNT:
            return None
        return number.quantize(_CENT, ROUND_HALF_UP)
    except InvalidOperation:
        return None


def currency(element: Element | None) -> str:
    """A code of a currency; empty for anything but three capitals."""
    code = text(element)
    return code if len(code) == 3 and code.isascii() and code.isalpha() and code.isupper() else ""
