"""Lists that go on from page to page."""

from collections.abc import Iterator
from typing import Any, TypeVar

from archiv_client.reading import read
from archiv_client.transport import Caller, Query

Model = TypeVar("Model")
_PAGE = 100


def pages(caller: Caller, path: str, name: str, kind: type[Model], query: Query) -> Iterator[Model]:
    """Yield all rows of a list; a page is asked for when the one before it is used up."""
    cursor: str | None = None
    while True:
        page: dict[str, Any] = caller.call("GET", path, query={**query, "limit": _PAGE, "cursor": cursor})
        for row in page[name]:
            yield read(kind, row)
        cursor = page["next"]
        if cursor is None:
            return
