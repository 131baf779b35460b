"""What looks like a date and is a part of something else: versions, addresses, numbers of all sorts, amounts."""

import re

from documents.dates.written import Trait

# Letters that may touch a date: a word run into it, the "r." and "г." after a year, the T of ISO 8601.
_RUN_IN = re.compile(r"(?:vom|am|den|datum|date|tarih|tarihi|fecha|data|dne|dnia|du|le|on|of|от|від|дата|kelt|dated)$")
_TOUCHING_AFTER = re.compile(r"(?:t[0-9]|r\.?(?![a-z])|г\.?|р\.?|z\b|uhr|a\.|-?(?:an|en|i|ei|jen|jei|tol|ig)\b)")
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[a-z\u0430-\u044f\u0456\u0491]")
_NUMBER_WORD = re.compile(
    r"(?:(?<![^\W_])(?:version|ver|vers|release|rev|revision|build|firmware|update|kapitel|abschnitt|ziffer|ziff|punkt|absatz|chapter|section|clause|"
    r"nr|no|num|nummer|number|n°|№|numero|numer|cislo|tel|telefon|telefax|fax|mobil|handy|fon|phone|tlf|gsm|iban|bic|blz|konto|kto|"
    r"ip|ip-adresse|server|host|art|artikel|din|en|iso|vde|typ|type|model|modell|serie|serien-?nr|sn|s/n|ean|gtin|pzn|oid|ref|id|pos|plz|hrb|"
    r"kunden-?(?:nr|nummer)|kd-?nr|art-?nr|rechnungs-?(?:nr|nummer)|re-?nr|rg-?nr|rechnungsnummer|kundennummer|artikelnummer|az|aktenzeichen|steuer-?(?:nr|nummer)|ust-?id(?:-?nr)?|"
    r"番号|号码|編號|编号|電話|电话)"
    r"|(?<![^\W_])v|(?:nummer|number|[a-z]-?nr)|§)[\s.:#=-]{0,3}$")
_DIRECTLY_DATED = re.compile(r"(?:dat(?:um|e|a|\.)|fecha|tarih\w*|дата|日付|日期)\W{0,4}[^\W\d]{0,12}\W{0,3}$")
_PHONE_RUN = re.compile(r"(?<![^\W_])(?:tel|fon|fax|phone|mobil|handy|iban|bic|blz|konto|kto|steuer|ust|vat|tva|siret|siren|hotline)[\w.-]{0,14}\.?:?\s?[\s0-9+()/.:-]{0,25}$")
_UNIT_AFTER = re.compile(r"\s?(?:€|\$|£|%|eur\b|usd\b|chf\b|kg\b|mm\b|cm\b|m²|uhr\b|h\b|stk\b|stuck\b|kwh\b|pln\b|kc\b|ft\b)")
_URL = re.compile(r"://|www\.|@|\\")
_ADDRESS_REACH = 80
_MONEY_BEFORE = re.compile(r"(?:€|\$|£|eur|usd|chf)\s?$")


def is_no_date(text: str, start: int, end: int, separator: str, traits: frozenset[Trait], whole_year: bool) -> bool:
    """Return whether the digits at `start`-`end` of folded text are part of a number, code or address."""
    line_start = text.rfind("\n", max(0, start - 160), start) + 1 or max(0, start - 160)
    before = text[line_start:start]
    after = text[end:end + 24]
    if _touches(before, after, separator):
        return True
    if _in_address(text, start, end):
        return True
    if _NUMBER_WORD.search(before) and not _DIRECTLY_DATED.search(before[:-1]):
        return True
    if not whole_year and (_UNIT_AFTER.match(after) or _MONEY_BEFORE.search(before)):
        return True
    if Trait.BARE in traits and not before.strip() and re.match(r"\.?\s+[^\W\d_]", after):
        return True  # "1.2.19 Heading"
    plain = separator == "." and whole_year and not re.search(r"[0-9][/-]$", before)
    return not plain and bool(_PHONE_RUN.search(before))


def _touches(before: str, after: str, separator: str) -> bool:
    """Whether letters or a longer run of numbers go on at either end."""
    if before:
        last = before[-1]
        if _LATIN.match(last) or last.isdigit():
            if last.isdigit() or not _RUN_IN.search(before):
                return True
        elif len(before) > 1 and last in "./-,:_+*#":
            joined = before[-2]
            if joined.isdigit() and (last == separator or last in ".,:_+*") and not _is_open_span(before):
                return True
            if _LATIN.match(joined) and last == separator and separator != "." or last in "#*_" and joined.isalnum():
                return True
    if not after:
        return False
    first = after[0]
    if first.isdigit():
        return True
    if _LATIN.match(first):
        return not _TOUCHING_AFTER.match(after)
    if first in "./-,_" and len(after) > 1:
        if after[1].isdigit():
            return first == separator or first in ",_"
        return first in "-_" and separator == "-" and bool(_LETTER.match(after[1]))
    return False


def _is_open_span(before: str) -> bool:
    """"01.-" or "01.10.-" goes on to the end of a span."""
    return bool(re.search(r"[0-9]\.[-/]$", before))


def _in_address(text: str, start: int, end: int) -> bool:
    """Whether the unbroken word around is a URL, a path or a mail address."""
    around = text[max(0, start - _ADDRESS_REACH):end + _ADDRESS_REACH]
    if not _URL.search(around):
        return False
    before, after = text[max(0, start - _ADDRESS_REACH):start].split(), text[end:end + _ADDRESS_REACH].split()
    left = before[-1] if before and not text[start - 1].isspace() else ""
    right = after[0] if after and not text[end].isspace() else ""
    return bool(_URL.search(left + right))
