"""One warm template for all tests of reading, and a way to read bytes with it."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from documents.ocr.languages import LANGUAGES
from documents.reading.client import read_file, start_reader_template
from documents.reading.messages import Attached, Facts, Limits, Note, PageRead, Picture, ReadOptions
from documents.reading.sniff import sniff
from tests.documents.conftest import SEALED


@dataclass
class Reading:
    """All that was read of one file."""

    facts: Facts | None = None
    pages: list[PageRead] = field(default_factory=list)
    picture: Picture | None = None
    notes: list[Note] = field(default_factory=list)
    attached: list[Attached] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(page.text for page in self.pages)

    @property
    def sources(self) -> list[str]:
        return [page.source for page in self.pages]

    @property
    def remarks(self) -> str:
        return "\n".join(note.message for note in self.notes)


@dataclass
class ReadBytes:
    """Reads bytes as an uploaded file would be."""

    requests: socket.socket

    def __call__(
        self,
        data: bytes,
        name: str = "",
        *,
        limits: Limits | None = None,
        skip: frozenset[int] = frozenset(),
        languages: tuple[str, ...] = LANGUAGES,
    ) -> Reading:
        reading = Reading()
        options = ReadOptions(
            sniff(data[:65536], name), limits=limits or Limits(), skip_pages=skip, languages=languages
        )
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.flush()
            for part in read_file(self.requests, file.fileno(), options):
                if isinstance(part, Facts):
                    assert reading.facts is None
                    reading.facts = part
                elif isinstance(part, PageRead):
                    reading.pages.append(part)
                elif isinstance(part, Attached):
                    reading.attached.append(part)
                elif isinstance(part, Picture):
                    reading.picture = part
                else:
                    reading.notes.append(part)
        return reading


@pytest.fixture(scope="session")
def read_bytes() -> Iterator[ReadBytes]:
    with start_reader_template(module=SEALED) as template:
        yield ReadBytes(template.requests)
