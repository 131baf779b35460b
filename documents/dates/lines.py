"""Lines and pages of folded text, and where a position is among them."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

# A form feed ends a line too. What is longer is no line of a page: it is cut, so that no line costs more.
_LINE = re.compile(r"[^\n\f]{1,2000}[\n\f]?|[\n\f]")
_PAGE_END = re.compile(r"\f")


@dataclass(frozen=True)
class Lines:
    """Folded text cut into lines of at most 2,000 characters; pages end at form feeds."""

    text: str

    @cached_property
    def _starts(self) -> list[int]:
        """Offsets at which lines begin, and the end of the text."""
        return [0, *(match.end() for match in _LINE.finditer(self.text))]

    @cached_property
    def _texts(self) -> list[str]:
        return [self.text[start:end].rstrip("\n\f") for start, end in pairwise(self._starts)]

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self._starts) - 1

    @cached_property
    def _page_ends(self) -> list[int]:
        return [match.start() for match in _PAGE_END.finditer(self.text)]

    def line_at(self, position: int) -> int:
        """Return the number (0-based) of the line that holds `position`."""
        return bisect_right(self._starts, position) - 1

    def page_at(self, position: int) -> int:
        """Return the number (1-based) of the page that holds `position`."""
        return bisect_right(self._page_ends, position) + 1

    def start_of(self, line: int) -> int:
        """Return the offset of a line's first character."""
        return self._starts[line]

    def line(self, number: int) -> str:
        """Return a line without its end; one that does not exist is empty."""
        texts = self._texts
        return texts[number] if 0 <= number < len(texts) else ""
