"""Lines and pages of folded text, and where a position is among them."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

_LINE_END = re.compile(r"[\n\f]")  # a form feed ends a line too
_PAGE_END = re.compile(r"\f")


@dataclass(frozen=True)
class Lines:
    """Folded text cut into lines; pages end at form feeds."""

    text: str

    @cached_property
    def starts(self) -> list[int]:
        """Offsets at which lines begin."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    @cached_property
    def _page_ends(self) -> list[int]:
        return [match.start() for match in _PAGE_END.finditer(self.text)]

    def line_at(self, position: int) -> int:
        """Return the number (0-based) of the line that holds `position`."""
        return bisect_right(self.starts, position) - 1

    def page_at(self, position: int) -> int:
        """Return the number (1-based) of the page that holds `position`."""
        return bisect_right(self._page_ends, position) + 1

    def start_of(self, line: int) -> int:
        """Return the offset of a line's first character."""
        return self.starts[line]

    def line(self, number: int) -> str:
        """Return a line without its end; one that does not exist is empty."""
        if not 0 <= number < len(self.starts):
            return ""
        end = self.starts[number + 1] - 1 if number + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[number] : end]
