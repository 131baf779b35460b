"""Dates of Japan, China and Korea: 2024年3月15日, 令和六年三月十五日, R6.3.15, 民國113年5月20日."""

import re
from collections.abc import Iterator

from documents.dates.calendar import read_numeral, real_date
from documents.dates.folding import fold_word
from documents.dates.written import Trait, Written

# The year before the first of each era.
_ERAS = {
    fold_word(name): year
    for names, year in (
        ("明治 ㍾", 1867),
        ("大正 ㍽ 民國 民国", 1911),
        ("昭和 ㍼", 1925),
        ("平成 ㍻", 1988),
        ("令和 ㋿", 2018),
        ("西暦 公元", 0),
    )
    for name in names.split()
}
_ERA_LETTERS = {"m": 1867, "t": 1911, "s": 1925, "h": 1988, "r": 2018}

_NUMERAL = "([0-9]{1,4}|[〇零一二三四五六七八九十元]{1,4})"
_FULL = re.compile(
    rf"(?<![0-9])({'|'.join(_ERAS)}|(?<![a-z])[mtshr])? ?"
    rf"{_NUMERAL} ?[年년] ?{_NUMERAL} ?[月월](?: ?{_NUMERAL} ?[日号號일])?"
)
_LETTER = re.compile(
    r"(?<![a-z0-9])([mtshr])\.? ?([0-9]{1,2}|元)[./-] ?([0-9]{1,2})[./-] ?([0-9]{1,2})(?![0-9]|[./-][0-9])"
)


def find_eastern(text: str, languages: tuple[str, ...]) -> Iterator[Written]:
    """Yield dates with 年月日 or an era's name, and with an era's letter where Japanese is asked for."""
    for match in _FULL.finditer(text) if "年" in text or "년" in text else ():
        era, year, month, day = (
            match[1],
            read_numeral(match[2]),
            read_numeral(match[3]),
            read_numeral(match[4] or "1"),
        )
        traits = frozenset() if match[4] else frozenset({Trait.MONTH_ONLY})
        if year is None or month is None or day is None:
            continue
        if not era and len(match[2]) != 4:
            continue
        before_era = _ERAS.get(era) or _ERA_LETTERS.get(era, 0)
        yield Written(*match.span(), real_date(before_era + year, month, day), traits)
    if "ja" in languages:
        for match in _LETTER.finditer(text):
            year = 1 if match[2] == "元" else int(match[2])
            yield Written(
                *match.span(), real_date(_ERA_LETTERS[match[1]] + year, int(match[3]), int(match[4]))
            )
