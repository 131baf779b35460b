"""What the lists of the admin need so that narrow windows can show them as cards."""

from collections.abc import Iterable, Iterator, Mapping

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

register = template.Library()

_CELL = "<td"


@register.filter
def labelled(cells: Iterable[SafeString], headers: Iterable[Mapping[str, object]]) -> Iterator[SafeString]:
    """Yield the cells of a row of Django's change list, each but its heading with its column's name.

    The name stands in `data-label`. A column of boxes has none, nor has what comes without a heading.
    """
    names = [
        "" if "action-checkbox" in str(header.get("class_attrib", "")) else capfirst(str(header["text"]))
        for header in headers
    ]
    for number, cell in enumerate(cells):
        name = names[number] if number < len(names) else ""
        if name and cell.startswith(_CELL):
            start = format_html('<td data-label="{}"', name)
            yield mark_safe(start + cell[len(_CELL) :])  # noqa: S308  Django made the cell
        else:
            yield cell
