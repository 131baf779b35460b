"""What `benchmarks.isolation` measures on: a scratch database with tenants, documents, jobs and a trail."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.test.utils import setup_databases, teardown_databases

from archiv import embedded
from benchmarks.server import connect, ensure_server, make_database
from tenants.audit_chain import FIRST_HASH, Link, hash_of
from tenants.scope import operator_scope

ALIASES = ("owner", "default", "queue")
#: Different words in the texts.
WORDS = 2_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_TENANTS_SQL = """
INSERT INTO tenants_tenant (id, name, status, status_before, timezone, languages, retention_released_by,
                            retention_released_reason)
SELECT gen_random_uuid(), 'Tenant ' || number, 'active', '', 'Europe/Berlin', '{deu,eng}', '', ''
FROM generate_series(1, %(tenants)s) AS number
"""

_DOCUMENTS_SQL = """
INSERT INTO documents_document (id, tenant_id, title, title_manually_set, issued_at, issued_source,
                                issued_candidates, source, source_ref, legal_hold, created_at, updated_at)
SELECT gen_random_uuid(), tenant.id, 'Rechnung ' || number, false, date '2020-01-01' + number %% 2000, '',
       '[]', 'import', '', false, now() - make_interval(secs => number), now()
FROM tenants_tenant AS tenant, generate_series(1, %(each)s) AS number
"""

_ENTRIES_SQL = """
INSERT INTO documents_searchentry (tenant_id, document_id, content, vector, title, issued_at, added_at)
SELECT tenant_id, id, ' ' || title || '  ' || content || ' ', archiv_search_words(tenant_id, title, content),
       archiv_search_own(tenant_id, archiv_search_vector(title, '')), issued_at, created_at
FROM (SELECT tenant_id, id, lower(title) AS title, issued_at, created_at,
             (SELECT string_agg('wort' || (random() * %(words)s)::int, ' ')
              FROM generate_series(1, 12) WHERE document.id IS NOT NULL) AS content
      FROM documents_document AS document) AS made
"""

_JOBS_SQL = """
INSERT INTO jobs_job (tenant_id, type, payload, document_id, status, home_lane, lane, max_retries,
                      next_attempt_at, created_at, updated_at, retry_count, lease, error_message,
                      failure_kind, fingerprint, worker, progress_done, progress_total)
SELECT tenant_id, 'analyze-document', jsonb_build_object('document_id', id), id, 'queued', 1, 1, 5,
       created_at, created_at, created_at, 0, 0, '', '', '', '', 0, 0
FROM documents_document
"""


@contextmanager
def scratch_database() -> Iterator[None]:
    """Make a database for this run with all migrations and roles, and drop it again."""
    if settings.ARCHIV_EMBEDDED is not None:
        embedded.ensure(settings.ARCHIV_EMBEDDED, prefix=settings.ARCHIV_ROLE_PREFIX)
    made = setup_databases(verbosity=0, interactive=False, aliases=dict.fromkeys(ALIASES))
    try:
        yield
    finally:
        connections.close_all()
        teardown_databases(made, verbosity=0)


@contextmanager
def kept_database(name: str) -> Iterator[None]:
    """Use a database of this name, made at its first use, with the migrations of today; it stays."""
    ensure_server()
    with connect("postgres") as connection:
        row = connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone()
    if row is None:
        make_database(name)
    for alias in ALIASES:
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name
    call_command("migrate", database="owner", verbosity=0)
    try:
        yield
    finally:
        connections.close_all()


def fill(tenants: int, documents: int) -> list[uuid.UUID]:
    """Make so many tenants with as many documents, search entries and jobs in all; return the tenants."""
    each = max(1, documents // tenants)
    parameters = {"tenants": tenants, "each": each, "words": WORDS}
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET statement_timeout = 0; SET maintenance_work_mem = '512MB'")
        # Built at once afterwards: row by row two thirds of the time would go there.
        cursor.execute(
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
            " WHERE indrelid = 'documents_searchentry'::regclass AND NOT indisunique"
        )
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
        for statement in (_TENANTS_SQL, _DOCUMENTS_SQL, _ENTRIES_SQL, _JOBS_SQL):
            with operator_scope(using="owner"):
                cursor.execute(statement, parameters)
        for _, definition in indexes:
            cursor.execute(definition)
        cursor.execute("VACUUM ANALYZE")
    with operator_scope(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT id FROM tenants_tenant ORDER BY id")
        return [row[0] for row in cursor.fetchall()]


def tables_under_policies() -> list[str]:
    """Return every table under row-level security, from the catalogue."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT oid::regclass::text FROM pg_class WHERE relrowsecurity ORDER BY 1")
        return [str(row[0]) for row in cursor.fetchall()]


def switch_policies(tables: list[str], *, on: bool) -> None:
    """Enable or disable row-level security on the tables."""
    verb = "ENABLE" if on else "DISABLE"
    with connections["owner"].cursor() as cursor:
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} {verb} ROW LEVEL SECURITY")


def write_trail(tenants: list[uuid.UUID], events: int) -> int:
    """Write so many events in all into the chains of the tenants, as the database would have; return them."""
    columns = Link._fields
    written = 0
    switch_policies(["tenants_auditevent"], on=False)  # COPY is refused under row-level security
    with connections["owner"].cursor() as cursor:
        with cursor.copy(f"COPY tenants_auditevent ({', '.join(columns)}) FROM STDIN") as copy:
            for tenant in tenants:
                for link in _chain(str(tenant), events // len(tenants)):
                    moment = _EPOCH + timedelta(microseconds=int(link.at))
                    copy.write_row([moment if name == "at" else getattr(link, name) for name in columns])
                    written += 1
        cursor.execute("VACUUM ANALYZE tenants_auditevent")
    switch_policies(["tenants_auditevent"], on=True)
    return written


def _chain(tenant: str, length: int) -> Iterator[Link]:
    before = FIRST_HASH
    for number in range(1, length + 1):
        draft = Link(
            tenant_id=tenant,
            sequence=str(number),
            at=str(1_780_000_000_000_000 + number * 1_000_003),
            action="document.stored",
            actor=f"user:{uuid.UUID(int=number)}",
            origin="2001:db8::1",
            object_type="document",
            object_id=str(uuid.UUID(int=number)),
            details='{"bytes":123456,"hash":"' + "0" * 64 + '"}',
            previous_hash=before,
            hash="",
        )
        before = hash_of(draft)
        yield draft._replace(hash=before)
