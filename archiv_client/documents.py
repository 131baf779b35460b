"""Documents: bringing them in, finding, reading, correcting and filing them."""

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import date, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypedDict, Unpack
from uuid import UUID

from archiv_client.errors import AnalysisFailed, NotFound, StillAnalyzing, Unreadable
from archiv_client.finding import Finding
from archiv_client.keeping import Keeping
from archiv_client.models import Document, File, Link, MailLinks, Progress, Stored, TextPage
from archiv_client.paging import pages
from archiv_client.reading import read
from archiv_client.transport import Query

Unchanged = Literal["unchanged"]
UNCHANGED: Final = "unchanged"
_CHUNK = 1 << 20
#: Seconds for which the archive is asked to wait before it says how far an analysis is.
_LONG_POLL = 15


class Facts(TypedDict, total=False):
    """What is known of a file; labels by id or name. What is left out the archive finds out."""

    title: str
    issued_at: date
    retention_class: str
    source_ref: str
    lane: Literal["normal", "bulk"]
    tags: Sequence[str]
    correspondent: str
    document_type: str


class NewLabels(TypedDict, total=False):
    """What a document is to be filed under, by id or name; None takes the one it has away."""

    tags: Sequence[str]
    correspondent: str | None
    document_type: str | None


class Wanted(TypedDict, total=False):
    """Which documents are wanted, see the schema; both ends of every range are included."""

    q: str
    status: Literal["queued", "processing", "done", "failed"]
    source: Literal["admin", "api", "import", "mail"]
    media_type: str
    retention_class: str
    held: bool
    trashed: bool
    tags_all: Sequence[str]
    tags_any: Sequence[str]
    tags_none: Sequence[str]
    correspondent: str
    document_type: str
    issued_from: date
    issued_to: date
    added_from: datetime
    added_to: datetime
    sort: Literal["added", "-added", "issued", "-issued"]


class Documents(Finding, Keeping):
    """The documents of the archive."""

    def upload(
        self, file: str | os.PathLike[str] | BinaryIO, *, filename: str = "", **facts: Unpack[Facts]
    ) -> Stored:
        """Store a file, of any size, in bounded memory. Raises `Duplicate`, which names the document.

        `file` is a path or an open file that can seek. It is sent once: after `NotReached` send it again, the
        archive knows its bytes.
        """
        with ExitStack() as stack:
            if isinstance(file, str | os.PathLike):
                filename = filename or Path(file).name
                file = stack.enter_context(Path(file).open("rb"))
            start = file.tell()
            size = file.seek(0, os.SEEK_END) - start
            file.seek(start)
            query = _as_query({"filename": filename or None, **facts})
            return read(Stored, self._caller.send_file("/documents", file, size=size, query=query))

    def find(self, file: str | os.PathLike[str] | BinaryIO) -> Document | None:
        """Return the document that has the bytes of a file; None if the archive has none, or not yet."""
        digest = hashlib.sha256()
        with ExitStack() as stack:
            if isinstance(file, str | os.PathLike):
                file = stack.enter_context(Path(file).open("rb"))
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        return self.find_hash(digest.hexdigest())

    def find_hash(self, sha256: str) -> Document | None:
        """Return the document that has these bytes; None if the archive has none."""
        try:
            return read(Document, self._caller.call("GET", f"/documents/by-hash/{sha256}"))
        except NotFound:
            return None

    def list(self, **wanted: Unpack[Wanted]) -> Iterator[Document]:
        """Yield documents, newest first if `sort` says nothing else; with `q` the best hits first."""
        return pages(self._caller, "/documents", "documents", Document, _as_query(dict(wanted)))

    def get(self, document_id: UUID) -> Document:
        """Return one document, also one in the trash."""
        return read(Document, self._caller.call("GET", f"/documents/{document_id}"))

    def edit(
        self,
        document: Document,
        *,
        title: str | None = None,
        issued_at: date | Unchanged | None = UNCHANGED,
        retention_class: str | None = None,
        **labels: Unpack[NewLabels],
    ) -> Document:
        """Change a document that was looked at, and leave the rest. Raises `Changed` if it is another by now.

        `issued_at` None: the paper bears no date. `tags` are all that it has from then on.
        """
        changes: dict[str, Any] = {"title": title, "retention_class": retention_class}
        body = {name: value for name, value in changes.items() if value is not None} | labels
        if issued_at != UNCHANGED:
            body["issued_at"] = issued_at.isoformat() if isinstance(issued_at, date) else None
        path = f"/documents/{document.id}"
        return read(Document, self._caller.call("PATCH", path, body=body, if_match=document.etag))

    def versions(self, document_id: UUID) -> tuple[File, ...]:
        """Return the versions of a document, newest first."""
        found = self._caller.call("GET", f"/documents/{document_id}/versions")
        return tuple(read(File, one) for one in found["versions"])

    def attachments(self, document_id: UUID) -> MailLinks:
        """Say what came with a mail, and for what came with one, which."""
        return read(MailLinks, self._caller.call("GET", f"/documents/{document_id}/attachments"))

    def text(self, document_id: UUID) -> Iterator[TextPage]:
        """Yield the text of a document, page by page."""
        following: int | None = 1
        while following is not None:
            path = f"/documents/{document_id}/text"
            found = self._caller.call("GET", path, query={"page": following, "limit": 50})
            for one in found["pages"]:
                yield read(TextPage, one)
            following = found["next"]

    def progress(self, document_id: UUID, *, seen: str = "", wait: int = 0) -> Progress:
        """Say how far the analysis is; with `wait` seconds, as soon as that differs from `seen`."""
        path = f"/documents/{document_id}/progress"
        return read(Progress, self._caller.call("GET", path, query={"seen": seen, "wait": wait}))

    def wait(self, document_id: UUID, *, patience: float = 600.0) -> Document:
        """Return the document when it has been analyzed. Raises `AnalysisFailed`, `StillAnalyzing`."""
        until = time.monotonic() + patience
        seen = ""
        while True:
            left = max(0.0, until - time.monotonic())
            began = time.monotonic()
            now = self.progress(document_id, seen=seen, wait=min(_LONG_POLL, int(left)) if seen else 0)
            if now.status == "done":
                return self.get(document_id)
            if now.status == "failed":
                raise AnalysisFailed(now.error)
            if time.monotonic() >= until:
                raise StillAnalyzing(f"{StillAnalyzing.__doc__}")
            state = f"{now.status}:{now.done}"
            if state == seen and time.monotonic() - began < 1:  # too many wait already: it answers at once
                time.sleep(min(1.0, left))
            seen = state

    def download(
        self, document_id: UUID, into: BinaryIO, *, version: UUID | None = None, first: int = 0
    ) -> int:
        """Write an original into an open file, in pieces; returns how many bytes came.

        After `NotReached` go on with `first`: the number of bytes that are there already.
        """
        path = f"/documents/{document_id}/original"
        query: Query = {"version": str(version) if version else None}
        with self._caller.open(path, query=query, first=first) as answer:
            return _copy(answer.read, into, answer.getheader("Content-Length"))

    def download_searchable(self, document_id: UUID, into: BinaryIO) -> int:
        """Write the searchable PDF of a scan into an open file; `NotFound` where there is none."""
        with self._caller.open(f"/documents/{document_id}/searchable") as answer:
            return _copy(answer.read, into, answer.getheader("Content-Length"))

    def thumbnail(self, document_id: UUID) -> bytes:
        """Return a small picture of the first page. Raises `NotFound` where there is none."""
        with self._caller.open(f"/documents/{document_id}/thumbnail") as answer:
            return answer.read()

    def link(self, document_id: UUID, *, seconds: int = 300) -> Link:
        """Make an address under which the original can be fetched without a token, for a while."""
        made = self._caller.call("POST", f"/documents/{document_id}/links", body={"seconds": seconds})
        return read(Link, made)


def _as_query(given: dict[str, Any]) -> Query:
    return {
        name: value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else value
        for name, value in given.items()
    }


def _copy(source: Any, into: BinaryIO, length: str | None) -> int:
    """Copy what comes, and notice if that is less than was announced."""
    copied = 0
    while chunk := source(_CHUNK):
        into.write(chunk)
        copied += len(chunk)
    if length is not None and copied != int(length):
        raise Unreadable(f"The file was cut off: {copied} bytes came instead of {length}.")
    return copied
