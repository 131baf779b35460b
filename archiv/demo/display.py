"""What the demo shows: progress, the table, the hits, how to go on. Lines only where nobody watches."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from archiv.demo.outcome import Outcome
from archiv.samples import Sample, Status, TextSource
from documents.search.excerpts import Part
from documents.search.results import SearchHit

WIDTH_OF_FILES = 160
"""Columns where the output is no terminal, so that a table in a file is not folded."""

_COLOURS = {Status.DONE: "green", Status.DUPLICATE: "cyan", Status.FAILED: "yellow"}

Advance = Callable[[int, str], None]
"""Tell how much is done, and a word on what."""


class Display:
    """Writes to one console, rich where it is a terminal."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def say(self, line: str) -> None:
        """One plain line."""
        self.console.print(escape(line), highlight=False)

    @contextmanager
    def progress(self, title: str, total: int) -> Iterator[Advance]:
        """A bar from 0 to `total`; without a terminal one line at the end of it."""
        if not self.console.is_terminal:
            reached = 0

            def note(done: int, _: str) -> None:
                nonlocal reached
                reached = done

            yield note
            self.say(f"{title}: {reached} of {total}")
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[detail]}"),
        )
        with Progress(*columns, console=self.console) as bar:
            task = bar.add_task(title, total=total, detail="")
            yield lambda done, detail: bar.update(task, completed=done, detail=escape(detail))
            bar.update(task, detail="")

    def table(self, rows: Sequence[tuple[Sample, Outcome]]) -> None:
        """One line for each sample, parted by tenant; below it why some could not be read."""
        table = Table(
            box=SIMPLE_HEAD,
            pad_edge=False,
            title="What became of them",
            title_justify="left",
            title_style="bold",
        )
        roomy = self.console.width >= WIDTH_OF_FILES
        for heading in ("tenant", "file", "status"):
            table.add_column(heading, overflow="fold", no_wrap=roomy)
        table.add_column("pages", justify="right")
        table.add_column("text from")
        table.add_column("issued", no_wrap=roomy)
        table.add_column("title", overflow="fold")
        table.add_column("seconds", justify="right")
        previous = ""
        for sample, outcome in rows:
            if previous and sample.tenant != previous:
                table.add_section()
            table.add_row(
                "" if sample.tenant == previous else escape(sample.tenant),
                escape(sample.filename),
                Text(outcome.status, style=_colour(outcome.status)),
                "" if outcome.pages is None else str(outcome.pages),
                "" if outcome.text_source is TextSource.NONE else outcome.text_source,
                _day(outcome.issued),
                escape(outcome.title),
                "" if outcome.seconds is None else f"{outcome.seconds:.1f}",
            )
            previous = sample.tenant
        self.console.print(table)
        for sample, outcome in rows:
            if outcome.reason:
                self.say(f"{sample.filename}: {outcome.reason}")

    def hit(self, hit: SearchHit) -> None:
        """One document that was found, with the found words marked, in colour or else in brackets."""
        where = f"{hit.version.filename}, page {hit.excerpt.page}" if hit.excerpt else hit.version.filename
        line = Text("  ").append_text(self._marked(hit.title, "bold")).append(f"  {where}", style="dim")
        self.console.print(line, highlight=False)
        if hit.excerpt:
            self.console.print(
                Padding(self._marked(hit.excerpt.parts, ""), (0, 0, 0, 4), expand=False), highlight=False
            )

    def _marked(self, parts: Sequence[Part], style: str) -> Text:
        text = Text()
        for part in parts:
            if part.marked:
                shown = part.text if self.console.is_terminal else f"»{part.text}«"
                text.append(shown, style="bold black on yellow")
            else:
                text.append(part.text, style=style)
        return text

    def heading(self, line: str) -> None:
        """A line that begins a part."""
        self.console.print()
        self.console.print(escape(line), style="bold", highlight=False)

    def problem(self, line: str) -> None:
        """A line on what is wrong."""
        self.console.print(escape(line), style="red", highlight=False)


def _colour(status: str) -> str:
    return next((colour for known, colour in _COLOURS.items() if known == status), "red")


def _day(issued: date | None) -> str:
    return "" if issued is None else issued.isoformat()
