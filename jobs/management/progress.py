"""A bar for commands that take long, on a terminal only."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Protocol, cast

from django.core.management.base import OutputWrapper
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Tell(Protocol):
    """Is told how much is done."""

    def __call__(self, done: int, of: int | None) -> None:
        """Show so much."""


@contextmanager
def progress_bar(out: OutputWrapper, label: str, *, shown: bool) -> Iterator[Tell]:
    """Draw a bar while the block runs, if `out` is a terminal."""
    console = Console(file=cast("IO[str]", out), soft_wrap=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    ending, out.ending = out.ending, ""  # the bar draws over its own line
    try:
        with Progress(*columns, console=console, disable=not (shown and console.is_terminal)) as bar:
            task = bar.add_task(label, total=None)
            yield lambda done, of: bar.update(task, completed=done, total=of)
    finally:
        out.ending = ending
