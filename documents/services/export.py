"""Handing over all originals of a tenant with what is known of them: before a wipe, or as a copy.

An export that was stopped goes on when it is begun again at the same place. It ends when a whole walk over
the documents finds nothing new, and its lists are written last.
"""

import fcntl
import hashlib
import io
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO
from zoneinfo import ZoneInfo

from django.db.models import Q

from documents.errors import ExportRefused, FileMissing, VaultError
from documents.export.journal import Journal, Totals
from documents.export.names import export_path
from documents.export.pages import Overview, document_pages, overview_page
from documents.export.targets import JOURNAL, SUMS, BytesDiffer, Member, Target, make_folder, target_at
from documents.filing import FilingState, LabelKind
from documents.filing_selectors import DocumentLabel, find_labels
from documents.models import Document, DocumentVersion, FileFacts
from documents.models.facts import STATED
from documents.vault import get_vault
from jobs.failpoints import failpoint
from tenants.access import Access, requires
from tenants.audit import record
from tenants.errors import TenantNotFound
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope

_BATCH = 100
METADATA = "documents.jsonl"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Exported:
    """What an export holds. `sums_hash` is the hash of its list of hashes, as it is in the audit trail."""

    totals: Totals
    sums_hash: str


@requires("documents:read")
def export_tenant(*, access: Access, place: Path, progress: Progress) -> Exported:
    """Export all originals of a tenant, those in the trash too, to a folder or a ZIP file.

    `progress` is told how many of how many originals are done. An original that is missing or damaged is
    named in the export and left out. Memory does not grow with the tenant. Raises `ExportRefused`,
    `TenantNotFound`, and OSError where the place cannot be written.
    """
    with tenant_scope(access.tenant_id):
        tenant = Tenant.objects.filter(pk=access.tenant_id).first()
    if tenant is None:
        raise TenantNotFound
    target = target_at(place)
    if target.is_published() and not (target.work / JOURNAL).exists():
        target.clear()
        raise ExportRefused(f"{place}: there is a complete export already: choose another place.")
    with _working(target) as journal:
        if journal.fact("tenant", str(tenant.pk)) != str(tenant.pk):
            raise ExportRefused(f"{place}: an export of another tenant was begun here: choose another place.")
        export_id = journal.fact("export", uuid.uuid4().hex)
        sums = journal.find_list(SUMS) if target.is_published() else None
        resumed = sums is not None
        if sums is None:
            journal.forget_lists()
            journal.commit()
            target.begin(journal.members())
            export = _Export(tenant, target, journal, progress)
            while export.walk():
                pass  # once more, for what came meanwhile
            sums = export.finish()
        failpoint("export.published")
        exported = Exported(journal.totals(), sums.digest)
        _record(tenant.pk, export_id, exported, resumed=resumed)
        failpoint("export.recorded")
        target.clear()
    return exported


def _record(tenant_id: uuid.UUID, export_id: str, exported: Exported, *, resumed: bool) -> None:
    """Tell the audit trail, unless an attempt that was stopped before it had cleared up has done so."""
    totals = exported.totals
    with tenant_scope(tenant_id):
        told = AuditEvent.objects.filter(tenant_id=tenant_id, action="tenant.exported")
        if resumed and told.filter(details__contains=export_id).exists():
            return
        record(
            "tenant.exported",
            tenant_id=tenant_id,
            object_type="tenant",
            object_id=tenant_id,
            details={
                "documents": totals.documents,
                "files": totals.files,
                "bytes": totals.size,
                "problems": totals.problems,
                "sums": exported.sums_hash,
                "export": export_id,
            },
        )


@contextmanager
def _working(target: Target) -> Iterator[Journal]:
    """Open the journal of an export that nobody else works on."""
    folder = target.work.parent
    begun = target.work.exists()
    if not begun and target.work.name == ".export" and folder.exists() and any(folder.iterdir()):
        raise ExportRefused(f"{folder}: the folder is not empty, and no export was begun in it.")
    make_folder(target.work)
    lock = os.open(target.work / "lock", os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    journal = None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ExportRefused(f"{folder}: another export is at work here.") from error
        journal = Journal(target.work / JOURNAL)
        yield journal
    finally:
        if journal is not None:
            journal.close()
        os.close(lock)


@dataclass(frozen=True)
class _Exported:
    """A document with its files, and what it is filed under."""

    document: Document
    versions: Sequence[DocumentVersion]
    labels: Sequence[DocumentLabel]

    def named(self, kind: LabelKind) -> list[str]:
        """Return the names of its labels of one kind."""
        return [label.name for label in self.labels if label.kind is kind]


class _Export:
    """One run of an export."""

    def __init__(self, tenant: Tenant, target: Target, journal: Journal, progress: Progress) -> None:
        self._tenant = tenant
        self._zone = ZoneInfo(tenant.timezone)
        self._target = target
        self._journal = journal
        self._progress = progress

    def walk(self) -> int:
        """Go over all documents, export what is not there yet, and return how many originals that was."""
        added = done = 0
        with tenant_scope(self._tenant.pk):
            total = DocumentVersion.objects.filter(tenant_id=self._tenant.pk).count()
        for batch in self._batches():
            for exported in batch:
                document, facts = exported.document, []
                for version in exported.versions:
                    path, problem, new = self._export(document, version)
                    facts.append(_version_facts(version, path, problem))
                    added += new
                    done += 1
                    self._progress(done, max(total, done))
                day = self._day(document)
                self._journal.add_document(document.pk, day, self._facts(exported, day, facts))
            self._target.seal()
            self._journal.commit()
            failpoint("export.kept")
        return added

    def _batches(self) -> Iterator[Sequence[_Exported]]:
        after = Q()
        while True:
            with tenant_scope(self._tenant.pk):
                rows = Document.objects.filter(after, tenant_id=self._tenant.pk)
                rows = rows.select_related("retention_class").order_by("created_at", "pk")
                documents = list(rows[:_BATCH])
                kept = [document for document in documents if document.purging_at is None]
                kept_ids = [document.pk for document in kept]
                versions: dict[uuid.UUID, list[DocumentVersion]] = {}
                found = DocumentVersion.objects.filter(tenant_id=self._tenant.pk, document_id__in=kept_ids)
                labels = find_labels(self._tenant.pk, kept_ids, states=[FilingState.FILED])
                for version in found.prefetch_related("facts").order_by("number"):
                    versions.setdefault(version.document_id, []).append(version)
            if not documents:
                return
            last = documents[-1]
            # The first condition is what the index of the newest documents begins with.
            after = Q(created_at__gte=last.created_at) & (
                Q(created_at__gt=last.created_at) | Q(pk__gt=last.pk)
            )
            yield [
                _Exported(document, versions.get(document.pk, []), labels.get(document.pk, ()))
                for document in kept
            ]

    def _export(self, document: Document, version: DocumentVersion) -> tuple[str | None, str, int]:
        """Export one original, unless it is there; returns its path or what is wrong, and if it is new."""
        known = self._journal.find(version.pk)
        if known is not None and self._target.holds(known):
            return known.path, "", 0
        path = export_path(
            day=self._day(document), title=document.title, filename=version.filename, version_id=version.pk
        )
        try:
            with get_vault().open(version.vault_path) as source:
                member = self._target.add(path, source, size=version.size, digest=version.content_hash)
        except (VaultError, BytesDiffer) as error:
            problem = "missing" if isinstance(error, FileMissing) else "damaged"
            self._journal.add_problem(version.pk, document.title, problem)
            return None, problem, 0
        self._journal.add(member, version_id=version.pk)
        failpoint("export.copied")
        return path, "", 1

    def finish(self) -> Member:
        """Write the lists, the one of hashes last, publish the export, and return the last list."""
        with self._draft() as draft:
            for line in self._journal.lines():
                draft.write(f"{line}\n".encode())
            self._add(METADATA, draft)
        spans = []
        for page in document_pages(self._journal.lines()):
            self._add_text(page.path, page.text)
            spans.append((page.path, page.first, page.last))
        totals = self._journal.totals()
        overview = Overview(
            tenant=self._tenant.name,
            exported_at=datetime.now(self._zone).isoformat(" ", "minutes"),
            documents=totals.documents,
            files=totals.files,
            size=totals.size,
        )
        self._add_text("index.html", overview_page(overview, spans, self._journal.problems()))
        self._target.seal()
        with self._draft() as draft:
            for member in self._journal.members():
                draft.write(f"{member.digest}  {member.path}\n".encode())
            sums = self._add(SUMS, draft)
        self._target.seal()
        self._journal.commit()
        failpoint("export.listed")
        self._target.publish(self._journal.members())
        return sums

    @contextmanager
    def _draft(self) -> Iterator[IO[bytes]]:
        path = self._target.work / "list"
        with path.open("w+b") as draft:
            yield draft
        path.unlink(missing_ok=True)

    def _add_text(self, path: str, text: str) -> None:
        self._add(path, io.BytesIO(text.encode()))

    def _add(self, path: str, content: IO[bytes]) -> Member:
        """Add a list, and return it."""
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
        digest = hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
        content.seek(0)
        member = self._target.add(path, content, size=size, digest=digest)  # type: ignore[arg-type]
        self._journal.add(member)
        return member

    def _day(self, document: Document) -> date:
        """The date under which a document is filed: its own, or that of storing in the tenant's zone."""
        return document.issued_at or document.created_at.astimezone(self._zone).date()

    def _facts(
        self, exported: _Exported, day: date, versions: Sequence[dict[str, object]]
    ) -> dict[str, object]:
        document = exported.document
        retained = document.retain_until
        return {
            "id": str(document.pk),
            "title": document.title,
            "day": day.isoformat(),
            "issued": document.issued_at.isoformat() if document.issued_at else None,
            "issued_source": document.issued_source,
            "issued_doubt": document.issued_doubt,
            "added": document.created_at.astimezone(UTC).isoformat(),
            "source": document.source,
            "source_ref": document.source_ref,
            "trashed": document.trashed_at is not None,
            "tags": exported.named(LabelKind.TAG),
            "correspondent": next(iter(exported.named(LabelKind.CORRESPONDENT)), None),
            "document_type": next(iter(exported.named(LabelKind.DOCUMENT_TYPE)), None),
            "retention_class": document.retention_class.name if document.retention_class else None,
            "retain_until": retained.astimezone(UTC).isoformat() if retained else None,
            "legal_hold": document.legal_hold,
            "versions": list(versions),
        }


def _version_facts(version: DocumentVersion, path: str | None, problem: str) -> dict[str, object]:
    return {
        "id": str(version.pk),
        "number": version.number,
        "filename": version.filename,
        "media_type": version.media_type,
        "size": version.size,
        "pages": version.pages,
        "sha256": version.content_hash,
        "path": path,
        "problem": problem or None,
        "facts": next(map(_file_facts, version.facts.all()), None),
    }


def _file_facts(facts: FileFacts) -> dict[str, str]:
    """What the file states of itself, amounts and days as text, without what it does not say."""
    stated = {name: getattr(facts, name) for name in STATED}
    return {name: str(value) for name, value in stated.items() if value not in (None, "")}
