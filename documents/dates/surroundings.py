"""What the rest of its line makes of a date without a label: a place, a weekday, a time, an amount."""

import re

from documents.dates.phrases import any_of

_DAY_WORD = any_of("den dnia dne dna li")
_WITH_COMMA = any_of("den le dnia dne dna li il a em am el op")
_TOWN = r"[^\W\d_][^\d\n:;!?|]{1,40}?"
_TOWN_WORDS = r"\s*[^\W\d_]{1,20}(?:[ /-][^\W\d_]{1,20}){0,2}"
_PLACE = re.compile(
    rf"\s*(?:an\s+)?{_TOWN},\s+{_WITH_COMMA}\s+|"
    rf"{_TOWN_WORDS}(?<! z)(?<! ze)(?<! zo)\s+{_DAY_WORD}\s+|"  # "Wien, am", "Köln den"
    r"\s*[^\W\d_][^\d\n:;!?|,]{1,32}(?:\([^\W\d_]{1,20}\))?,\s*|"  # "Halle (Saale),"
    rf"\s*(?:fait\s+a\s+[^\W\d_-]{{2,20}},?\s+)?{any_of('den le dnia dne z_dnia')}\s+"
)
_TOWN_ALONE = re.compile(r"\s*[^\W\d_]{3,20}(?:[ /-][^\W\d_]{2,20}){0,2}\s+")
_CONNECTOR_ALONE = re.compile(
    r"\s*" + any_of(r"vom von du del dal of dated dd\.? d\.d\. z_dnia dnia ze_dne dne от від") + r"\s+$"
)
_STAR = re.compile(r"[^\W\d_][^*]*\*\s?$")
# From Monday on; "do" is left out, it is "until" in other languages.
_WEEKDAYS = (
    "montag mo monday mon lundi lunedi lunes segunda-feira maandag",
    "dienstag di tuesday tue mardi martedi martes terca-feira dinsdag",
    "mittwoch mi wednesday wed mercredi mercoledi miercoles quarta-feira woensdag",
    "donnerstag thursday thu jeudi giovedi jueves quinta-feira donderdag",
    "freitag fr friday fri vendredi venerdi viernes sexta-feira vrijdag",
    "samstag sonnabend sa saturday sat samedi sabato sabado zaterdag",
    "sonntag so sunday sun dimanche domenica domingo zondag",
)
_WEEKDAY_NUMBERS = {word: number for number, words in enumerate(_WEEKDAYS) for word in words.split()}
_WEEKDAY = re.compile(
    r"(?<![^\W_])(" + "|".join(_WEEKDAY_NUMBERS) + r")(?![^\W_])[.,]{0,2}\s*(?:(?:den|the|le)\s+)?$"
)
_STAMP = re.compile(r",\s*[0-2]?[0-9][:.][0-5][0-9](?:[:.][0-5][0-9])?(?:\s?[ap]\.?m\.?)?\s+[^\W\d_]")
_HOUR = re.compile(
    r"\s*,?\s*(?:um|ab|gegen|at|from|a partir de|des|alle|ore|a las|o godz\.?|om)\s+[0-2]?[0-9]"
    r"(?:[:.h][0-5][0-9]|\s?(?:uhr|h\b|[ap]\.?m))"
)
_AMOUNT_AT_END = re.compile(r"[0-9][.,][0-9]{2}\s?(?:€|eur|\$|chf|[hs+-])?\s*$")
_MEANING = re.compile(r"[^\W_]")
_SENTENCE = re.compile(r"[^\W_]{3}[^\n]{0,200}[^\W_]{3}")


def without_weekday(before: str) -> str:
    """Return what stands before a date without a weekday at its end."""
    return _WEEKDAY.sub("", before)


def weekday_before(before: str) -> int | None:
    """Return the weekday (0 = Monday) that stands before a date, if any."""
    match = _WEEKDAY.search(before)
    return _WEEKDAY_NUMBERS[match[1]] if match else None


def is_place(before: str, after: str) -> bool:
    """Return whether a line is one of place and date, "München, den", and no sentence goes on behind it."""
    return bool(_PLACE.fullmatch(before)) and not _SENTENCE.search(after)


def is_town(before: str, after: str) -> bool:
    """Return whether only one to three words, as of a town, stand before a date and nothing behind it."""
    return bool(_TOWN_ALONE.fullmatch(before)) and not _MEANING.search(after)


def only_connects(before: str) -> bool:
    """Return whether a "vom" or the like begins the date's line, so that the line above goes on in it."""
    return bool(_CONNECTOR_ALONE.match(before))


def is_born_star(before: str) -> bool:
    """Return whether a name and the star of a birthday stand before a date."""
    return bool(_STAR.match(before))


def is_browsers_stamp(before: str, after: str) -> bool:
    """Return whether a line reads as browsers print it over a page: date, comma, time, the page's title."""
    return not before.strip() and bool(_STAMP.match(after))


def names_hour(after: str) -> bool:
    """Return whether an hour follows at which something is to begin."""
    return bool(_HOUR.match(after))


def ends_with_amount(after: str) -> bool:
    """Return whether the line ends with an amount of money, as a table's row does."""
    return bool(_AMOUNT_AT_END.search(after))
