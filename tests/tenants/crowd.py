"""A tenant with tens of thousands of documents, made by a few statements."""

import uuid
from pathlib import Path

from django.conf import settings
from django.db import connections

from tenants.scope import operator_scope

#: In the order of their foreign keys. For each document two pages, and one of everything else.
_STATEMENTS = (
    """INSERT INTO documents_document (id, tenant_id, title, title_manually_set, issued_source,
                                       issued_candidates, legal_hold, source, source_ref)
       SELECT gen_random_uuid(), %(tenant)s, 'Document ' || n, false, '', '[]', false, 'import', ''
       FROM generate_series(1, %(documents)s) AS n""",
    """INSERT INTO documents_documentversion (id, tenant_id, document_id, number, content_hash, size,
                                              media_type, filename)
       SELECT gen_random_uuid(), tenant_id, id, 1, encode(sha256(id::text::bytea), 'hex'), 7,
              'application/pdf', 'paper.pdf'
       FROM documents_document WHERE tenant_id = %(tenant)s""",
    """INSERT INTO documents_pagetext (tenant_id, version_id, page, text, source)
       SELECT tenant_id, id, page, repeat('word ' || page || ' ', 100), 'layer'
       FROM documents_documentversion, generate_series(1, 2) AS page WHERE tenant_id = %(tenant)s""",
    """INSERT INTO documents_asset (id, tenant_id, version_id, kind, job_id, media_type, size)
       SELECT gen_random_uuid(), tenant_id, id, 'thumbnail', 1, 'image/webp', 7
       FROM documents_documentversion WHERE tenant_id = %(tenant)s""",
    """INSERT INTO documents_stepresult (tenant_id, version_id, job_id, step, outcome, seconds, message)
       SELECT tenant_id, id, 1, 'text', 'done', 0, ''
       FROM documents_documentversion WHERE tenant_id = %(tenant)s""",
    """INSERT INTO documents_searchentry (tenant_id, document_id, content, vector)
       SELECT tenant_id, id, title, to_tsvector('simple', title)
       FROM documents_document WHERE tenant_id = %(tenant)s""",
    """INSERT INTO jobs_job (tenant_id, type, payload, document_id, status)
       SELECT tenant_id, 'analyze-document', '{}', id, 'succeeded'
       FROM documents_document WHERE tenant_id = %(tenant)s""",
    """INSERT INTO jobs_jobattempt (tenant_id, job_id, lease, started_at, outcome)
       SELECT tenant_id, id, 1, now(), 'succeeded' FROM jobs_job WHERE tenant_id = %(tenant)s""",
)


def fill_tenant(tenant_id: uuid.UUID, documents: int, *, files: bool = True) -> None:
    """Give a tenant so many documents with everything that an analysis leaves, and their files.

    As the owner, whose statements may take their time.
    """
    with operator_scope(using="owner"), connections["owner"].cursor() as cursor:
        for statement in _STATEMENTS:
            cursor.execute(statement, {"tenant": tenant_id, "documents": documents})
        cursor.execute(
            "SELECT id, content_hash FROM documents_documentversion WHERE tenant_id = %s", [tenant_id]
        )
        rows = cursor.fetchall() if files else []
    root = Path(settings.ARCHIV_VAULT_ROOT)
    for version_id, content_hash in rows:
        for path in (
            root / f"{tenant_id}/{content_hash[:2]}/{content_hash}-{version_id}",
            root / f"{tenant_id}/assets/{version_id}/thumbnail-1",
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"content")
