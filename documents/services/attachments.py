"""The files that came with a mail become documents of their own, in the transaction that ends its analysis.

That transaction has proved its lease, and who closes a tenant takes its leases: the tenant needs no lock.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from django.db.models import Max

from documents.filenames import clean_filename
from documents.models import Document, DocumentVersion, MailAttachment
from documents.models.document import DocumentSource
from documents.reading.sniff import sniff
from documents.services.store import HEAD, Incoming, insert_document
from documents.vault import Staged, get_vault
from jobs.clock import database_now

MOST_DEEP = 5
"""Mails within mails within mails: those below are not taken out."""


@dataclass(frozen=True)
class Arrived:
    """A file that came with a mail, whole, in staging."""

    number: int
    filename: str
    media_type: str
    staged: Staged


@dataclass
class AttachmentBox:
    """Takes attachments piece by piece, and lays them into staging."""

    arrived: list[Arrived] = field(default_factory=list)
    _open: Staged | None = None
    _head: bytes = b""

    def take(self, number: int, name: str, data: bytes, *, last: bool) -> None:
        """Take the next piece of attachment `number`."""
        if self._open is None:
            self._open, self._head = get_vault().stage(), b""
        self._open.write(data)
        self._head = (self._head + data)[:HEAD]
        if last:
            self._open.seal()
            filename = clean_filename(name)
            self.arrived.append(Arrived(number, filename, str(sniff(self._head, filename)), self._open))
            self._open = None

    def empty(self) -> None:
        """Remove from staging what was not stored."""
        for staged in (*(one.staged for one in self.arrived), *([self._open] if self._open else [])):
            staged.__exit__(None, None, None)


@contextmanager
def attachment_box() -> Iterator[AttachmentBox]:
    """A box whose staged files go again, unless they were stored."""
    box = AttachmentBox()
    try:
        yield box
    finally:
        box.empty()


@dataclass
class Written:
    """What became of the attachments, in words, and the versions that are new, for the audit trail."""

    words: str = ""
    stored: list[DocumentVersion] = field(default_factory=list)


def write_attachments(*, mail: Document, zone: ZoneInfo, arrived: Sequence[Arrived]) -> Written:
    """Store what came with a mail, and link it.

    What was taken out of this mail before is left as it is, also if it was purged since; what the tenant has
    already is linked and not stored again. Needs the transaction that ends the job; a file that is moved into
    the vault is taken back if storing fails.
    """
    written = Written()
    if not arrived:
        return written
    links = MailAttachment.objects.filter(tenant_id=mail.tenant_id)
    depth = (links.filter(document=mail).aggregate(depth=Max("depth"))["depth"] or 0) + 1
    if depth > MOST_DEEP:
        return Written(f"attachments are not taken out: this mail lies {depth - 1} mails deep")
    before = {(link.number, link.content_hash): link for link in links.filter(mail=mail)}
    said: list[str] = []
    try:
        for one in arrived:
            if (one.number, one.staged.digest) in before:
                continue
            document_id, words = _store(mail, zone, one, written)
            said.append(words)
            links.filter(mail=mail, number=one.number).delete()
            MailAttachment.objects.create(
                tenant_id=mail.tenant_id,
                mail=mail,
                number=one.number,
                filename=one.filename,
                content_hash=one.staged.digest,
                document_id=document_id,
                depth=depth,
            )
    except BaseException:
        get_vault().remove_all(version.vault_path for version in written.stored)
        raise
    written.words = "; ".join(said) or f"attachments: {len(arrived)} as before"
    return written


def _store(mail: Document, zone: ZoneInfo, one: Arrived, written: Written) -> tuple[uuid.UUID, str]:
    """The document that this file is, new or not, and what to say of it."""
    versions = DocumentVersion.objects.filter(tenant_id=mail.tenant_id, content_hash=one.staged.digest)
    twin = versions.select_related("document").first()
    if twin is not None:
        where = " in the trash" if twin.document.trashed_at or twin.document.purging_at else ""
        return twin.document_id, f"{one.filename} was here already{where}, as {twin.document.title!r}"
    incoming = Incoming(
        tenant_id=mail.tenant_id,
        staged=one.staged,
        media_type=one.media_type,
        filename=one.filename,
        source=DocumentSource.MAIL,
        source_ref=str(mail.pk),
        created_by=mail.created_by_id,
        lane=None,
    )
    document, version, _ = insert_document(incoming, now=database_now(), zone=zone)
    get_vault().place(one.staged, version.vault_path)
    written.stored.append(version)
    return document.pk, f"{one.filename} is a document of its own"
