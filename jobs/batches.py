"""Some at a time: what is long is worked through in short transactions (pure)."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Item = TypeVar("_Item")


def batched(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Yield the items in lists of `size`, the last one shorter; as `itertools.batched`, which 3.11 lacks."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
