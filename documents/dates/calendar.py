"""From parts to a date: two-digit years, misread digits, numerals, the calendar, and the years that count."""

from datetime import date

EARLIEST_YEAR = 1901
# A two-digit year this close ahead is one still to come (a deadline, an expiry), not one of the last century.
_YEARS_AHEAD = 20

_MISREAD = str.maketrans(
    {"o": "0", "d": "0", "q": "0", "l": "1", "i": "1", "|": "1", "z": "2", "s": "5", "b": "8", "g": "9"}
)
_KANJI = {"〇": 0, "零": 0, "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}


def full_year(year: int, digits: int, today: date) -> int:
    """Return the year that `digits` written digits mean, seen from `today`."""
    if digits > 2:
        return year
    century = today.year - today.year % 100
    return century + year if century + year <= today.year + _YEARS_AHEAD else century - 100 + year


def real_date(year: int, month: int, day: int) -> date | None:
    """Return the date, or None where the calendar has none or the year is out of any reasonable range."""
    if not EARLIEST_YEAR <= year <= 2199:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def repair_digits(word: str) -> str:
    """Return a folded group of characters with the letters that stand for misread digits replaced."""
    return word.translate(_MISREAD).replace(" ", "")


def count_digits(word: str) -> int:
    """Return how many real digits a group of characters has."""
    return sum(character.isdigit() for character in word)


def read_numeral(word: str) -> int | None:
    """Return the number written in ASCII digits or Chinese numerals ("十五", "元"), or None."""
    if word.isascii() and word.isdigit():
        return int(word)
    if word == "元":
        return 1
    if "十" in word:
        tens, _, ones = word.partition("十")
        if (tens and tens not in _KANJI) or (ones and ones not in _KANJI):
            return None
        return _KANJI.get(tens, 1) * 10 + _KANJI.get(ones, 0)
    if word and all(character in _KANJI for character in word):
        return int("".join(str(_KANJI[character]) for character in word))
    return None
