"""What looks like a date and is part of something else: versions, addresses, amounts, numbers."""

import re

from documents.dates.phrases import any_of
from documents.dates.written import Trait

# Letters that may touch a date: a word run into it, the "r." and "г." after a year, the T of ISO 8601.
_RUN_IN = re.compile(
    any_of("vom am den datum date tarih tarihi fecha data dne dnia du le on of от від дата kelt dated") + "$"
)
_RUN_ON = re.compile(any_of(r"t[0-9] r\.?(?![a-z]) г\.? р\.? z\b uhr a\. -?(?:an|en|i|ei|jen|jei|tol|ig)\b"))
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_OR_CYRILLIC = re.compile("[a-z\u0430-\u044f\u0456\u0491]")
_NUMBER_WORD = re.compile(
    r"(?:(?<![^\W_])"
    + any_of(r"""
    version ver vers release rev revision build firmware update kapitel abschnitt ziffer ziff punkt absatz
    chapter section
    clause nr no num nummer number n° № numero numer cislo tel telefon telefax fax mobil handy fon phone tlf
    gsm iban bic
    blz konto kto ip ip-adresse server host art artikel din iso vde typ type model modell serie sn s/n ean
    gtin pzn oid
    ref id pos plz hrb az aktenzeichen ust-?id v
""")
    + "|"
    + any_of("nummer number [a-z]-?nr 番号 号码 編號 编号 電話 电话 §")
    + r")[\s.:#=-]{0,3}$"
)
_DATE_WORD = re.compile(
    any_of(r"dat(?:um|e|a|\.) fecha tarih\w* дата 日付 日期") + r"\W{0,4}[^\W\d]{0,12}\W{0,3}$"
)
_LONG_NUMBER = re.compile(
    r"(?<![^\W_])"
    + any_of(r"""
    tel fon fax phone mobil handy iban bic blz konto kto steuer ust vat tva siret siren hotline
""")
    + r"[\w.-]{0,14}\.?:?\s?[\s0-9+()/.:-]{0,25}$"
)
_UNIT = re.compile(
    r"\s?"
    + any_of(r"€ \$ £ % eur\b usd\b chf\b kg\b mm\b cm\b m² uhr\b h\b stk\b stuck\b kwh\b pln\b kc\b ft\b")
)
_MONEY = re.compile(any_of(r"€ \$ £ eur usd chf") + r"\s?$")
_HEADING_AFTER = re.compile(r"\.?\s+[^\W\d_]")
_SLASHED = re.compile(r"[0-9][/-]$")
_OPEN_SPAN = re.compile(r"[0-9]\.[-/]$")
_URL = re.compile(r"://|www\.|@|\\")
_ADDRESS_REACH = 80
_LINE_REACH = 160


def is_no_date(
    text: str, start: int, end: int, separator: str, traits: frozenset[Trait], *, whole_year: bool
) -> bool:
    """Return whether the digits at `start`-`end` of folded text are part of a number, code or address."""
    earliest = max(0, start - _LINE_REACH)
    before = text[text.rfind("\n", earliest, start) + 1 or earliest : start]
    after = text[end : end + 24]
    if (
        _goes_on_before(before, separator)
        or _goes_on_after(after, separator)
        or _in_address(text, start, end)
    ):
        return True
    is_first = not before.strip()
    if not is_first and _NUMBER_WORD.search(before) and not _DATE_WORD.search(before[:-1]):
        return True
    if not whole_year and (_UNIT.match(after) or _MONEY.search(before)):
        return True
    if Trait.BARE in traits and is_first and _HEADING_AFTER.match(after):
        return True  # "1.2.19 Heading"
    if is_first:
        return False
    plain = separator == "." and whole_year and not _SLASHED.search(before)
    return not plain and bool(_LONG_NUMBER.search(before))


def _goes_on_before(before: str, separator: str) -> bool:
    """Whether a word or a longer run of numbers touches the first digit."""
    if not before:
        return False
    last, joined = before[-1], before[-2:-1]
    if last.isdigit():
        return True
    if _LATIN_OR_CYRILLIC.match(last):
        return not _RUN_IN.search(before)
    if joined.isdigit() and (last == separator or last in ".,:_+*"):
        return not _is_open_span(before)
    if last in "#*_" and joined.isalnum():
        return True
    return last == separator != "." and bool(_LATIN_OR_CYRILLIC.match(joined))


def _goes_on_after(after: str, separator: str) -> bool:
    """Whether a word or a longer run of numbers touches the last digit."""
    if not after:
        return False
    first, joined = after[0], after[1:2]
    if first.isdigit():
        return True
    if _LATIN_OR_CYRILLIC.match(first):
        return not _RUN_ON.match(after)
    if first in "./-,_" and joined.isdigit():
        return first == separator or first in ",_"
    return first in "-_" and separator == "-" and bool(_LETTER.match(joined))


def _is_open_span(before: str) -> bool:
    """Whether a span goes on here, as after "01.-" or "01.10.-"."""
    return bool(_OPEN_SPAN.search(before))


def _in_address(text: str, start: int, end: int) -> bool:
    """Whether the unbroken word around is a URL, a path or a mail address."""
    if not _URL.search(text, max(0, start - _ADDRESS_REACH), end + _ADDRESS_REACH):
        return False
    before, after = (
        text[max(0, start - _ADDRESS_REACH) : start].split(),
        text[end : end + _ADDRESS_REACH].split(),
    )
    left = before[-1] if before and not text[start - 1].isspace() else ""
    right = after[0] if after and not text[end].isspace() else ""
    return bool(_URL.search(left + right))
