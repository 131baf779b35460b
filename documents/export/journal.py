"""What an export has done so far, so that one that was stopped goes on: a database in its work folder."""

import json
import sqlite3
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from documents.export.targets import Member

_SCHEMA = """
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS member (
    path TEXT PRIMARY KEY, version TEXT UNIQUE, hash TEXT NOT NULL, size INTEGER NOT NULL,
    crc INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS document (id TEXT PRIMARY KEY, day TEXT NOT NULL, line TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS document_day ON document (day, id);
CREATE TABLE IF NOT EXISTS problem (version TEXT PRIMARY KEY, title TEXT NOT NULL, message TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Totals:
    """How much an export holds: documents, originals and their bytes, and originals that could not be had."""

    documents: int
    files: int
    size: int
    problems: int


class Journal:
    """Written in transactions that the caller ends by `commit`, after what it says is safe on the disk."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, isolation_level="DEFERRED")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(_SCHEMA)

    def fact(self, name: str, value: str) -> str:
        """Return the fact of this name; the first value given is kept."""
        self._database.execute("INSERT OR IGNORE INTO fact VALUES (?, ?)", [name, value])
        (kept,) = self._database.execute("SELECT value FROM fact WHERE name = ?", [name]).fetchone()
        return str(kept)

    def add(self, member: Member, *, version_id: uuid.UUID | None = None) -> None:
        """Note a file that lies in the export; without a version it is one of the lists."""
        version = str(version_id) if version_id else None
        self._database.execute(
            "INSERT OR REPLACE INTO member VALUES (?, ?, ?, ?, ?, ?, ?)",
            [member.path, version, member.digest, member.size, member.crc, member.start, member.stop],
        )
        self._database.execute("DELETE FROM problem WHERE version = ?", [version])

    def find(self, version_id: uuid.UUID) -> Member | None:
        """Return the file of a version, if it was exported."""
        sql = "SELECT path, hash, size, crc, start, stop FROM member WHERE version = ?"
        row = self._database.execute(sql, [str(version_id)]).fetchone()
        return Member(*row) if row else None

    def add_problem(self, version_id: uuid.UUID, title: str, message: str) -> None:
        """Note an original that could not be exported."""
        self._database.execute(
            "INSERT OR REPLACE INTO problem VALUES (?, ?, ?)", [str(version_id), title, message]
        )

    def add_document(self, document_id: uuid.UUID, day: date, facts: Mapping[str, object]) -> None:
        """Note what is known of a document, as it is now."""
        line = json.dumps(facts, ensure_ascii=False)
        self._database.execute(
            "INSERT OR REPLACE INTO document VALUES (?, ?, ?)", [str(document_id), day.isoformat(), line]
        )

    def forget_lists(self) -> None:
        """Forget the lists of an attempt that was stopped while it wrote them."""
        self._database.execute("DELETE FROM member WHERE version IS NULL")

    def commit(self) -> None:
        """Keep what was noted."""
        self._database.commit()

    def close(self) -> None:
        """Close the database; what was not committed is forgotten."""
        self._database.close()

    def lines(self) -> Iterator[str]:
        """Yield the documents by date, one JSON object each."""
        for (line,) in self._database.execute("SELECT line FROM document ORDER BY day, id"):
            yield line

    def members(self) -> Iterator[Member]:
        """Yield the files in the order in which they were written."""
        sql = "SELECT path, hash, size, crc, start, stop FROM member ORDER BY start, path"
        for row in self._database.execute(sql):
            yield Member(*row)

    def find_list(self, path: str) -> Member | None:
        """Return one of the lists, if it was written."""
        sql = "SELECT path, hash, size, crc, start, stop FROM member WHERE path = ? AND version IS NULL"
        row = self._database.execute(sql, [path]).fetchone()
        return Member(*row) if row else None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield title and reason for each original that could not be exported."""
        yield from self._database.execute("SELECT title, message FROM problem ORDER BY title, version")

    def totals(self) -> Totals:
        """Return how much was exported."""
        (documents,) = self._database.execute("SELECT count(*) FROM document").fetchone()
        (files, size) = self._database.execute(
            "SELECT count(*), coalesce(sum(size), 0) FROM member WHERE version IS NOT NULL"
        ).fetchone()
        (problems,) = self._database.execute("SELECT count(*) FROM problem").fetchone()
        return Totals(documents, files, size, problems)
