"""The facts a file states, between the reader and the table that keeps them. Each call needs the scope."""

from __future__ import annotations

import uuid
from dataclasses import asdict, replace

from documents.einvoices import Invoice, Syntax
from documents.models import FactsSyntax, FileFacts
from documents.pipeline import Reading


def write_facts(*, tenant_id: uuid.UUID, version_id: uuid.UUID, reading: Reading) -> None:
    """Keep what the file states in place of what was kept before. Needs the transaction that ends the job."""
    FileFacts.objects.filter(tenant_id=tenant_id, version_id=version_id).delete()
    if reading.invoice is not None:
        FileFacts.objects.create(tenant_id=tenant_id, version_id=version_id, **asdict(reading.invoice))
    elif reading.subject or reading.author or reading.issued:
        FileFacts.objects.create(
            tenant_id=tenant_id,
            version_id=version_id,
            syntax=FactsSyntax.MAIL,
            issued=reading.issued,
            subject=reading.subject or "",
            author=reading.author,
        )


def with_kept_facts(reading: Reading, *, tenant_id: uuid.UUID, version_id: uuid.UUID) -> Reading:
    """Return a reading with the facts that were kept of its version."""
    facts = FileFacts.objects.filter(tenant_id=tenant_id, version_id=version_id).first()
    if facts is None:
        return reading
    if not facts.is_invoice:
        return replace(reading, issued=facts.issued, subject=facts.subject or None, author=facts.author)
    kept = {name: getattr(facts, name) for name in Invoice.__dataclass_fields__}
    return replace(reading, invoice=Invoice(**kept | {"syntax": Syntax(facts.syntax)}))
