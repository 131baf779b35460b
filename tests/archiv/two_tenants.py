"""Two tenants with something of everything, and what would give one of them away."""

import io
import re
import uuid
from dataclasses import dataclass, fields

from documents.models import Document
from documents.models.document import DocumentSource
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.services import store_document
from documents.vault import STAGING, get_vault
from jobs.models import Job
from tenants.models import Membership, Tenant
from tenants.scope import tenant_scope
from tests.factories import PageTextFactory
from tests.tenants.wiping import State, make_tenant, state_of

_TELLING = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b")


@dataclass(frozen=True)
class Known:
    """What somebody may have learnt of a tenant, and may put where something of their own belongs."""

    word: str
    document: str
    version: str
    trashed: str
    file: bytes

    @classmethod
    def invented(cls) -> "Known":
        """Things that no tenant has."""
        document, version, trashed = (str(uuid.uuid4()) for _ in range(3))
        return cls("einhorn" + uuid.uuid4().hex[:6], document, version, trashed, uuid.uuid4().bytes)

    def cut_from(self, text: str) -> str:
        """Return the text with all of this replaced, so that two of them can be compared."""
        for part in fields(self):
            text = text.replace(str(getattr(self, part.name)), part.name)
        return text


@dataclass(frozen=True)
class Filled:
    """A tenant, what may be known of it, and ids of its jobs and of a member."""

    tenant: Tenant
    known: Known
    queued: int
    failed: int
    member: uuid.UUID

    def state(self) -> State:
        """Return all its rows, the entries of the search index among them, and all its files."""
        return state_of(self.tenant.id)

    def marks(self, *, beside: "Filled") -> set[str]:
        """Return every id, hash, name and word that only this tenant has."""
        text = "\n".join(row for rows in self.state().rows.values() for row in rows)
        other = "\n".join(row for rows in beside.state().rows.values() for row in rows)
        found = set(_TELLING.findall(text)) - set(_TELLING.findall(other))
        return found | {self.tenant.name, self.known.word}


def empty_vault() -> None:
    """Remove the files of earlier tests."""
    vault = get_vault()
    for file in [*vault.list(""), *vault.list(f"{STAGING}/")]:
        vault.remove(file.path)


def fill(word: str) -> Filled:
    """Make a tenant with rows in every table and files, and a document that is found by the word."""
    tenant = make_tenant(name=f"Kanzlei {word}")
    file = f"Vertrag {word}".encode()
    stored, trashed = (
        store_document(
            tenant_id=tenant.id,
            stream=io.BytesIO(content),
            filename=f"{word}.txt",
            source=DocumentSource.IMPORT,
        )
        for content in (file, file + b" alt")
    )
    with tenant_scope(tenant.id):
        Document.objects.filter(pk=trashed.document_id).update(trashed_at="2026-01-01T00:00Z")
        PageTextFactory.create(tenant_id=tenant.id, version_id=stored.version_id, version=None, text=word)
        get_search().upsert(
            Entry(
                tenant_id=tenant.id,
                document_id=stored.document_id,
                title=f"Vertrag {word}",
                filename=f"{word}.txt",
                words=word,
                issued_at=None,
            )
        )
        jobs = Job.objects.filter(tenant_id=tenant.id)
        return Filled(
            tenant,
            Known(
                word,
                str(stored.document_id),
                str(stored.version_id),
                str(trashed.document_id),
                file,
            ),
            queued=jobs.filter(status="queued", type="probe").earliest("id").id,
            failed=jobs.filter(status="failed").earliest("id").id,
            member=Membership.objects.filter(tenant_id=tenant.id).values_list("user_id", flat=True)[0],
        )
