"""Spans and lists of dates: "01.10. - 31.10.2022", "von ... bis ...", "1, 2 und 3 May"."""

import re

from documents.dates.phrases import any_of

_BETWEEN = re.compile(
    r"\s*"
    + any_of(r"""
    - ~ 〜 至 から bis(?:_(?:zum|einschl\.|einschließlich))? to until till through thru
    and au al a ate hasta(?:_el)? tot(?:_en_met)?
    t/m do az? по до iki lidz kuni und(?:_dem)?
""")
    + r"\s*"
)
_LONGEST_BETWEEN = 22
_BEGINNING = re.compile(
    r"(?<![0-9./-])[0-9]{1,2}\.(?: ?(?:[0-9]{1,2}\.|[^\W\d_]{3,10}))?\s?(?:-|/|bis|und)\s?$"
)
# Before a month's name the first day needs no dot: "1 - 5 May 2024", "May 1 - May 5, 2024".
_BEGINNING_BEFORE_NAME = re.compile(
    r"(?<![0-9./-])[0-9]{1,2}\.?(?: [^\W\d_]{3,10})?\s?(?:-|to|au|al|do|bis)\s?$|"
    r"[^\W\d_]{3,10}\.? [0-9]{1,2}\s?-\s?$"
)
_AND = re.compile(r"\s{0,3}(?:[,;/&+]|und|and|oder|or|et|e|y|i|a)\s{0,3}")


def is_span(text: str, end: int, start: int) -> bool:
    """Return whether what stands between two dates of `text` makes them a span."""
    return start - end <= _LONGEST_BETWEEN and bool(_BETWEEN.fullmatch(text, end, start))


def is_list(text: str, end: int, start: int) -> bool:
    """Return whether only a comma or an "and" stands between two dates of `text`."""
    return bool(_AND.fullmatch(text, end, start))


def before_open_span(before: str, *, named: bool) -> str | None:
    """Return what precedes a span that begins with less than a date and ends with the date after `before`.

    None if there is no such beginning. `named`: the date has its month's name.
    """
    match = _BEGINNING.search(before) or (_BEGINNING_BEFORE_NAME.search(before) if named else None)
    return before[: match.start()] if match else None
