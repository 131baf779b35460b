"""What `benchmarks.pages` measures on: documents with versions, texts, filings and jobs in every status."""

import uuid
from dataclasses import dataclass

from django.db import connections

from tenants.scope import operator_scope

_TABLES = (
    "documents_document",
    "documents_documentversion",
    "documents_filing",
    "jobs_job",
    "jobs_jobattempt",
    "tenants_auditevent",
)

_STATEMENTS = (
    """
    INSERT INTO tenants_tenant (id, name, status, status_before, timezone, languages, retention_released_by,
                                retention_released_reason)
    SELECT ('00000000-0000-4000-8000-' || lpad(number::text, 12, '0'))::uuid, 'Tenant ' || number, 'active',
           '', 'Europe/Berlin', '{deu,eng}', '', ''
    FROM generate_series(0, %(tenants)s - 1) AS number
    """,
    # Every other document is one of the first tenant.
    """
    INSERT INTO documents_document (id, tenant_id, title, title_manually_set, issued_at, issued_source,
                                    issued_candidates, source, source_ref, legal_hold, created_at, updated_at)
    SELECT gen_random_uuid(),
           ('00000000-0000-4000-8000-'
            || lpad((CASE WHEN n %% 2 = 0 THEN 0 ELSE n %% %(tenants)s END)::text, 12, '0'))::uuid,
           'Rechnung ' || n, false, date '2018-01-01' + n %% 3000, '', '[]', 'import', '', false,
           now() - make_interval(secs => 60 * n), now()
    FROM generate_series(1, %(rows)s) AS n
    """,
    """
    INSERT INTO documents_documentversion (id, tenant_id, document_id, number, content_hash, size, media_type,
                                           filename, pages, created_at)
    SELECT gen_random_uuid(), tenant_id, id, 1, md5(id::text) || md5(id::text), 100000, 'application/pdf',
           'scan.pdf', 2, created_at
    FROM documents_document
    """,
    """
    INSERT INTO documents_label (id, tenant_id, kind, name, key, created_at)
    SELECT gen_random_uuid(), id, 'tag', 'Steuer ' || number, 'steuer ' || number, now()
    FROM tenants_tenant, generate_series(1, 20) AS number
    """,
    """
    INSERT INTO documents_filing (tenant_id, document_id, label_id, kind, state, set_by, because, decided_at)
    SELECT document.tenant_id, document.id, label.id, 'tag', 'filed', 'rule', '[]', now()
    FROM documents_document AS document JOIN documents_label AS label
      ON label.tenant_id = document.tenant_id
         AND label.key = 'steuer ' || (1 + extract(day FROM issued_at)::int %% 20)
    """,
    """
    INSERT INTO jobs_job (tenant_id, type, payload, document_id, status, home_lane, lane, max_retries,
                          next_attempt_at, created_at, updated_at, started_at, finished_at, retry_count,
                          lease, error_message, failure_kind, fingerprint, worker, progress_done,
                          progress_total)
    SELECT tenant_id, 'analyze-document', jsonb_build_object('document_id', id), id, status, 1, 1, 5,
           created_at, created_at, created_at, created_at,
           CASE WHEN status IN ('failed', 'succeeded') THEN created_at END, 0, 1,
           CASE WHEN status = 'failed' THEN 'page ' || n %% 40 || ' took 60 s' ELSE '' END,
           CASE WHEN status = 'failed' THEN 'timeout' ELSE '' END,
           CASE WHEN status = 'failed' THEN repeat((n %% 5)::text, 64) ELSE '' END, '', 0, 0
    FROM (SELECT *, CASE WHEN n %% 100 = 0 THEN 'failed' WHEN copy > 1 THEN 'succeeded'
                         WHEN n %% 100 = 1 THEN 'queued' WHEN n <= 8 THEN 'processing'
                         ELSE 'succeeded' END AS status
          FROM (SELECT *, row_number() OVER (ORDER BY created_at) AS n FROM documents_document) AS counted
               CROSS JOIN generate_series(1, %(each)s) AS copy
         ) AS made
    """,
    """
    INSERT INTO jobs_jobattempt (tenant_id, job_id, lease, started_at, ended_at, outcome, error, traceback)
    SELECT tenant_id, id, 1, started_at, finished_at, 'timeout', error_message, repeat('a line of it\n', 40)
    FROM jobs_job WHERE status = 'failed'
    """,
    """
    INSERT INTO jobs_errorgroup (fingerprint, type, kind, jobs, tenants, first_at, last_at, newest_job,
                                 is_more)
    SELECT fingerprint, min(type), 'timeout', count(*), count(DISTINCT tenant_id), min(finished_at),
           max(finished_at), max(id), false
    FROM jobs_job WHERE status = 'failed' GROUP BY fingerprint
    """,
    """
    INSERT INTO jobs_jobminute (minute, type, outcome, worker, attempts, seconds)
    SELECT date_trunc('minute', now()) - make_interval(mins => minute), 'analyze-document', outcome, '',
           20, 40
    FROM generate_series(0, 1440) AS minute, unnest(ARRAY['succeeded', 'failed']) AS outcome
    """,
    # What workers keep ready for the first page: a sample, themselves, hours of tenants, chores, operations.
    """
    INSERT INTO jobs_queuesample (counts, approximate, running, oldest_due_seconds, database_bytes, waiting,
                                  worker, lanes)
    SELECT jsonb_build_object('analyze-document', jsonb_object_agg(status, jobs)), false, 8, 700, 1e9,
           (SELECT jsonb_agg(jsonb_build_object('tenant', id, 'waiting', 100, 'oldest', 60))
            FROM (SELECT id FROM tenants_tenant ORDER BY id LIMIT 50) AS first), 'worker 1', '{"1": 10000}'
    FROM (SELECT status, count(*) AS jobs FROM jobs_job GROUP BY status) AS counted
    """,
    """
    INSERT INTO jobs_workerprocess (name, host, pid, slots, state)
    SELECT 'worker ' || number, 'host', number, 4, 'running' FROM generate_series(1, 4) AS number
    """,
    "UPDATE jobs_job SET worker = 'worker ' || (1 + id %% 4) WHERE status = 'processing'",
    """
    INSERT INTO jobs_tenanthour (tenant_id, hour, attempts, failed, seconds)
    SELECT id, date_trunc('hour', now()), 100, 1, 100 FROM tenants_tenant
    """,
    """
    INSERT INTO jobs_dailychore (name, day, started_at, ended_at, lease_expires_at, outcome, message)
    SELECT 'chore-' || number, current_date, now(), now(), now(), 'done', ''
    FROM generate_series(1, 5) AS number
    """,
    """
    INSERT INTO jobs_operation (id, verb, wanted, as_of, actor, origin, state, total, done, skipped,
                                after_id, ended_at)
    SELECT gen_random_uuid(), 'requeue', '{"kind": "timeout"}', now(), 'user:' || gen_random_uuid(), '',
           'done', 100, 100, '{}', 0, now()
    FROM generate_series(1, 10)
    """,
)


@dataclass(frozen=True)
class Known:
    """Rows to ask for: the largest tenant, one of its frequent tags, a document, a failed job."""

    tenant: uuid.UUID
    label: uuid.UUID
    document: uuid.UUID
    failed: int


def load(*, rows: int, tenants: int, each: int = 1) -> Known:
    """Fill the scratch database: tables first, then their indexes; foreign keys stay away.

    So many documents have so many jobs each, all but one of them ended.
    """
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        cursor.execute("SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'")
        cursor.execute("SET synchronous_commit = off")
        cursor.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint"
            " WHERE contype = 'f' AND conrelid = ANY(%s::regclass[])",
            [list(_TABLES)],
        )
        for table, name in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        cursor.execute(
            "SELECT pg_index.indexrelid::regclass::text, pg_get_indexdef(indexrelid), conname,"
            " indrelid::regclass::text FROM pg_index LEFT JOIN pg_constraint ON conindid = indexrelid"
            " AND contype = 'u' WHERE indrelid = ANY(%s::regclass[]) AND NOT indisprimary",
            [list(_TABLES)],
        )
        indexes = cursor.fetchall()
        for name, _, constraint, table in indexes:
            # Others refer to some of them: those foreign keys go along.
            cursor.execute(
                f"ALTER TABLE {table} DROP CONSTRAINT {constraint} CASCADE"
                if constraint
                else f"DROP INDEX {name}"
            )
        for statement in _STATEMENTS:
            with operator_scope(using="owner"):
                cursor.execute(statement, {"rows": rows, "tenants": tenants, "each": each})
        for _, definition, *_ in indexes:
            cursor.execute(definition)
        cursor.execute("VACUUM ANALYZE")
    tenant = uuid.UUID("00000000-0000-4000-8000-000000000000")
    with operator_scope(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT id FROM documents_label WHERE tenant_id = %s AND key = 'steuer 5'", [tenant])
        (label,) = cursor.fetchone()
        cursor.execute("SELECT document_id, id FROM jobs_job WHERE status = 'failed' ORDER BY id LIMIT 1")
        document, failed = cursor.fetchone()
    return Known(tenant, label, document, failed)
