"""The text of HTML, and nothing else of it: nothing is fetched, run, or kept."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SILENT = frozenset({"script", "style", "template", "noscript", "head", "svg", "math", "object", "iframe"})
_BREAKS = frozenset(
    {
        "p", "div", "br", "tr", "li", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "section",
        "article", "header", "footer", "blockquote", "pre", "hr", "dt", "dd", "form", "fieldset",
    }
)  # fmt: skip
_CELLS = frozenset({"td", "th"})


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self.silent.clear()  # a head that was never closed
        elif tag in _SILENT:
            self.silent.append(tag)
        self.parts.append("\n" if tag in _BREAKS else "\t" if tag in _CELLS else "")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.silent:
            del self.silent[self.silent.index(tag) :]
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(re.sub(r"\s+", " ", data))


def html_text(markup: str) -> str:
    """The words of an HTML document, lines where its blocks end."""
    parser = _Text()
    parser.feed(markup)
    parser.close()
    lines = (re.sub(r"[ \t\u00a0]+", " ", line).strip() for line in "".join(parser.parts).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
