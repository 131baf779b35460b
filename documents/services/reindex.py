"""Moving a tenant's search from one engine to the other: the new index is filled while the old one answers.

Whatever is broken off goes on where it was when it is called again. From the first step on each change of a
document goes to both engines; the switch is one row.
"""

import time
import uuid
from collections.abc import Callable
from enum import StrEnum

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from documents.errors import SearchError
from documents.models import Document, IndexedCopy, IndexState, SearchEntry, TenantIndex
from documents.search.engine import find_state, get_postgres, get_quickwit
from documents.search.quickwit.backend import QuickwitSearch, index_of, want_copies
from documents.selectors import find_newest_versions
from documents.services.changes import lock_active_tenant
from documents.services.indexing import load_waiting, note_sent, send_waiting, stored_entry
from tenants.scope import tenant_scope

_BATCH = 50
_REMOVED = 500
#: Seconds that others' transactions are waited for.
_WRITERS_SECONDS = 600.0

Tell = Callable[[int, int | None], None]


class Engine(StrEnum):
    """Where a tenant's search can lie."""

    POSTGRESQL = "postgresql"
    QUICKWIT = "quickwit"


def move_search(*, tenant_id: uuid.UUID, to: Engine, tell: Tell) -> int:
    """Have a tenant's search answered by an engine; returns how many documents were written there for it.

    `tell` is called with how many are done, and of how many. Raises `SearchError`, `SearchUnreachable`,
    `TenantNotActive`. Opens scopes and transactions of its own: none may be open.
    """
    if not settings.ARCHIV_SEARCH_URL:
        raise SearchError("There is no other engine: set ARCHIV_SEARCH_URL to the address of Quickwit.")
    outside = get_quickwit(settings.ARCHIV_SEARCH_URL)
    if to is Engine.QUICKWIT:
        return _move_out(tenant_id, outside, tell)
    return _move_back(tenant_id, outside, tell)


def _move_out(tenant_id: uuid.UUID, outside: QuickwitSearch, tell: Tell) -> int:
    with tenant_scope(tenant_id):
        state = find_state(tenant_id)
    if state is None:
        _forget_outside(tenant_id, outside)  # of an earlier time
        _set_state(tenant_id, IndexState.FILLING)
    _wait_for_writers()
    with transaction.atomic(durable=True), tenant_scope(tenant_id):
        lock_active_tenant(tenant_id)
        outside.client.create(index_of(tenant_id))
    written = 0
    with tenant_scope(tenant_id):
        total = _missing_outside(tenant_id).count()
    while True:
        tell(written, total)
        with transaction.atomic(durable=True), tenant_scope(tenant_id):
            ids = list(_missing_outside(tenant_id).values_list("pk", flat=True)[:_BATCH])
            rows = IndexedCopy.objects.filter(tenant_id=tenant_id, document_id__in=ids)
            want_copies(tenant_id, set(ids) - set(rows.values_list("document_id", flat=True)))
        if not ids:
            break
        waiting = load_waiting(tenant_id=tenant_id, document_ids=ids)
        with transaction.atomic(durable=True), tenant_scope(tenant_id):
            lock_active_tenant(tenant_id)  # a wipe waits, and drops what is sent here
            send_waiting(tenant_id=tenant_id, engine=outside, waiting=waiting)
            note_sent(tenant_id=tenant_id, waiting=waiting)
        written += len(waiting.marks)
    _set_state(tenant_id, IndexState.SERVING)
    removed = 1
    while removed:
        with transaction.atomic(durable=True), tenant_scope(tenant_id):
            removed = get_postgres().wipe(tenant_id=tenant_id, limit=_REMOVED)
    return written


def _move_back(tenant_id: uuid.UUID, outside: QuickwitSearch, tell: Tell) -> int:
    with tenant_scope(tenant_id):
        state = find_state(tenant_id)
    written = 0
    if state in {IndexState.SERVING, IndexState.LEAVING}:
        _set_state(tenant_id, IndexState.LEAVING)
        _wait_for_writers()
        with tenant_scope(tenant_id):
            total = _missing_inside(tenant_id).count()
        while batch := _write_inside(tenant_id):
            written += batch
            tell(written, total)
    with transaction.atomic(durable=True), tenant_scope(tenant_id):
        TenantIndex.objects.filter(tenant_id=tenant_id).delete()
    _forget_outside(tenant_id, outside)
    return written


def _write_inside(tenant_id: uuid.UUID) -> int:
    """Write a batch of entries, with their documents locked: nothing newer is written over."""
    with transaction.atomic(durable=True), tenant_scope(tenant_id):
        lock_active_tenant(tenant_id)
        found = list(_missing_inside(tenant_id).select_for_update(no_key=True, of=("self",))[:_BATCH])
        versions = find_newest_versions(tenant_id, [document.pk for document in found])
        for document in found:
            get_postgres().upsert(stored_entry(document, versions[document.pk]))
        return len(found)


def _missing_outside(tenant_id: uuid.UUID) -> QuerySet[Document]:
    copies = IndexedCopy.objects.filter(tenant_id=tenant_id, document_id=OuterRef("pk")).exclude(found=None)
    return _findable(tenant_id).exclude(Exists(copies))


def _missing_inside(tenant_id: uuid.UUID) -> QuerySet[Document]:
    entries = SearchEntry.objects.filter(tenant_id=tenant_id, document_id=OuterRef("pk"))
    return _findable(tenant_id).exclude(Exists(entries))


def _findable(tenant_id: uuid.UUID) -> QuerySet[Document]:
    rows = Document.objects.filter(tenant_id=tenant_id, trashed_at=None, purging_at=None)
    return rows.exclude(versions=None).order_by("pk")


def _set_state(tenant_id: uuid.UUID, state: IndexState) -> None:
    with transaction.atomic(durable=True), tenant_scope(tenant_id):
        lock_active_tenant(tenant_id)
        TenantIndex.objects.update_or_create(tenant_id=tenant_id, defaults={"state": state})


def _forget_outside(tenant_id: uuid.UUID, outside: QuickwitSearch) -> None:
    gone = 1
    while gone:
        with transaction.atomic(durable=True), tenant_scope(tenant_id):
            gone = outside.wipe(tenant_id=tenant_id, limit=_REMOVED)


def _wait_for_writers() -> None:
    """Return when every transaction has ended that may have written before the state was changed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::text")
        (last,) = cursor.fetchone()
        until = time.monotonic() + _WRITERS_SECONDS
        while True:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot()) > %s::xid8", [last])
            if cursor.fetchone() == (True,):
                return
            if time.monotonic() > until:
                raise SearchError(
                    "A transaction of the database does not end: end it, and call this again to go on."
                )
            time.sleep(0.05)
