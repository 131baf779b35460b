"""Before its date nothing and nobody removes a paper; after it, every way is open again."""

import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.db.models import ProtectedError
from django.db.models.functions import Now

from documents.models import Document, DocumentVersion
from documents.services.purge import PURGE, purge_documents
from documents.services.trash import trash_documents
from jobs.models import Job
from jobs.services import enqueue_job
from tenants.access import operator_access
from tenants.errors import WipeForbidden
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope, tenant_scope
from tenants.services import order_wipe
from tests.documents.test_purge import purge_job, work_off
from tests.emptying import remove_all_rows
from tests.factories import DocumentVersionFactory, TenantFactory, WipeOrderFactory
from tests.operators import sign_in
from tests.tenants.wiping import work_off as work_off_wipe

pytestmark = pytest.mark.django_db(transaction=True)

AHEAD, BEHIND = Now() + timedelta(seconds=1), Now() - timedelta(seconds=1)
LIST = "/admin/documents/document/"


@dataclass(frozen=True)
class Paper:
    """A document in the trash of a tenant of its own."""

    tenant: Tenant
    document_id: uuid.UUID
    version_id: uuid.UUID
    until: datetime | None


def make_paper(**values: Any) -> Paper:
    tenant = TenantFactory.create()
    with tenant_scope(tenant.id):
        version = DocumentVersionFactory.create(tenant_id=tenant.id)
        Document.objects.filter(pk=version.document_id).update(trashed_at=Now(), **values)
        until = Document.objects.values_list("retain_until", flat=True).get(pk=version.document_id)
    return Paper(tenant, version.document_id, version.pk, until)


def set_retention(paper: Paper, until: Any) -> None:
    with tenant_scope(paper.tenant.id):
        Document.objects.filter(pk=paper.document_id).update(retain_until=until)


def by_service(paper: Paper) -> None:
    ids = [paper.document_id]
    if purge_documents(access=operator_access(paper.tenant.id), document_ids=ids).changed:
        work_off(purge_job(paper.tenant))


def by_command(paper: Paper) -> None:
    try:
        call_command("purge", paper.tenant.name, str(paper.document_id), stdout=StringIO())
    except CommandError:
        return
    work_off(purge_job(paper.tenant))


def by_command_on_all(paper: Paper) -> None:
    call_command("purge", paper.tenant.name, "--all", stdout=StringIO())
    with tenant_scope(paper.tenant.id):
        queued = Job.objects.filter(type=PURGE).exists()
    if queued:
        work_off(purge_job(paper.tenant))


def by_admin(paper: Paper) -> None:
    client = sign_in("documents.view_document", "documents.purge_document")
    client.post(LIST, {"action": "purge", "_selected_action": [str(paper.document_id)]})
    with tenant_scope(paper.tenant.id):
        queued = Job.objects.filter(type=PURGE).exists()
    if queued:
        work_off(purge_job(paper.tenant))


def by_a_job_that_somebody_queued(paper: Paper) -> None:
    with tenant_scope(paper.tenant.id):
        enqueue_job(
            tenant_id=paper.tenant.id,
            type=PURGE,
            payload={"document_id": str(paper.document_id)},
            document_id=paper.document_id,
        )
    work_off(purge_job(paper.tenant))


def by_the_orm(paper: Paper) -> None:
    with tenant_scope(paper.tenant.id):
        DocumentVersion.objects.filter(pk=paper.version_id).delete()
        Document.objects.filter(pk=paper.document_id).delete()


def by_sql(paper: Paper, alias: str = "default") -> None:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SELECT set_config('archiv.operator', 'on', true)")
        cursor.execute("DELETE FROM documents_documentversion WHERE id = %s", [paper.version_id])
        cursor.execute("DELETE FROM documents_document WHERE id = %s", [paper.document_id])


def by_sql_of_the_owner(paper: Paper) -> None:
    by_sql(paper, "owner")


def by_truncating(paper: Paper) -> None:
    """As the owner of the tables: nobody else may. All tables that hang on them go as well."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("TRUNCATE documents_document CASCADE")


def by_truncating_its_versions(paper: Paper) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("TRUNCATE documents_documentversion CASCADE")
    by_the_orm(paper)


def by_taking_the_file_away(paper: Paper) -> None:
    """Move the version to a document that nothing keeps, and delete that one."""
    with tenant_scope(paper.tenant.id):
        other = Document.objects.create(tenant_id=paper.tenant.id, title="x", source="import")
        DocumentVersion.objects.filter(pk=paper.version_id).update(document_id=other.pk)
        DocumentVersion.objects.filter(pk=paper.version_id).delete()
        Document.objects.filter(pk__in=(other.pk, paper.document_id)).delete()


def by_a_bulk_action(paper: Paper) -> None:
    """Ticked together with one that nothing keeps."""
    with tenant_scope(paper.tenant.id):
        other = Document.objects.create(
            tenant_id=paper.tenant.id, title="x", source="import", trashed_at=Now()
        )
    client = sign_in("documents.view_document", "documents.purge_document")
    ticked = [str(other.pk), str(paper.document_id)]
    client.post(LIST, {"action": "purge", "_selected_action": ticked})
    with tenant_scope(paper.tenant.id):
        queued = list(Job.objects.filter(type=PURGE))
    assert str(other.pk) in {str(job.document_id) for job in queued}
    for job in queued:
        work_off(job)


def by_a_signed_delete(paper: Paper) -> None:
    try:
        order_wipe(access=operator_access(paper.tenant.id))
    except WipeForbidden:
        return
    assert work_off_wipe() == ""


def by_a_signed_reset(paper: Paper) -> None:
    try:
        order_wipe(access=operator_access(paper.tenant.id), action="reset")
    except WipeForbidden:
        return
    assert work_off_wipe() == ""


def by_a_wipe(paper: Paper) -> None:
    """What the rows' phase of a wipe does, with an order that is authorised and no retention released."""
    with tenant_scope(paper.tenant.id):
        Tenant.objects.filter(pk=paper.tenant.pk).update(status="deleting")
        WipeOrderFactory.create(tenant_id=paper.tenant.pk, state="authorised")
    by_the_orm(paper)


WAYS: list[Callable[[Paper], None]] = [
    by_service,
    by_command,
    by_command_on_all,
    by_admin,
    by_a_bulk_action,
    by_a_job_that_somebody_queued,
    by_the_orm,
    by_sql,
    by_sql_of_the_owner,
    by_truncating,
    by_truncating_its_versions,
    by_taking_the_file_away,
    by_a_wipe,
    by_a_signed_delete,
    by_a_signed_reset,
]


def make_alone(way: Callable[[Paper], None]) -> None:
    """Remove the papers of earlier tries where the way meets those of all tenants."""
    if way in (by_truncating, by_truncating_its_versions):
        remove_all_rows()


def is_there(paper: Paper) -> bool:
    with operator_scope():
        documents = Document.objects.filter(pk=paper.document_id).exists()
        versions = DocumentVersion.objects.filter(pk=paper.version_id).exists()
    assert documents == versions, "both or neither"
    return documents


def tried(way: Callable[[Paper], None], paper: Paper) -> bool:
    """Whether the document is gone afterwards; the database may have refused."""
    with suppress(IntegrityError):
        way(paper)
    return not is_there(paper)


def tried_a_second_before(way: Callable[[Paper], None]) -> bool:
    """Whether a document went whose instant lay one second ahead when it was made, and still when it ended.

    On a busy machine the second may pass meanwhile, and then nothing is said: it is tried anew.
    """
    for _ in range(20):
        make_alone(way)
        paper = make_paper(retain_until=AHEAD)
        gone = tried(way, paper)
        if not gone:
            return False  # refused: before the instant, or a moment too late for the database's clock
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT %s > clock_timestamp()", [paper.until])
            if cursor.fetchone() == (True,):
                return True
    raise AssertionError("it took more than a second each time")


@pytest.mark.parametrize("way", WAYS)
def test_before_the_date_and_under_a_hold_every_way_is_refused_and_after_it_is_open(
    way: Callable[[Paper], None],
) -> None:
    assert not tried_a_second_before(way)
    for values in (
        {"retain_until": Now() + timedelta(minutes=5)},
        {"legal_hold": True},
        {"legal_hold": True, "retain_until": BEHIND},
    ):
        make_alone(way)
        assert not tried(way, make_paper(**values)), values
    make_alone(way)
    assert tried(way, make_paper(retain_until=BEHIND))
    assert tried(way, make_paper(retain_until=None))


def test_one_second_by_the_clock_of_the_database_decides() -> None:
    sql = "SELECT documents_reason_to_keep(d) FROM documents_document d WHERE id = %s"
    for until, reason in ((AHEAD, "retention"), (BEHIND, None)):
        paper = make_paper()
        with tenant_scope(paper.tenant.id), connections["default"].cursor() as cursor:
            Document.objects.filter(pk=paper.document_id).update(retain_until=until)
            cursor.execute(sql, [paper.document_id])
            assert cursor.fetchone() == (reason,)


def test_a_transaction_that_began_before_the_date_is_judged_by_the_time_of_its_delete() -> None:
    paper = make_paper()
    with tenant_scope(paper.tenant.id), connections["default"].cursor() as cursor:
        Document.objects.filter(pk=paper.document_id).update(retain_until=Now() + timedelta(seconds=0.2))
        with pytest.raises(IntegrityError), transaction.atomic():
            cursor.execute("DELETE FROM documents_documentversion WHERE id = %s", [paper.version_id])
        cursor.execute("SELECT pg_sleep(0.3)")
        cursor.execute("DELETE FROM documents_documentversion WHERE id = %s", [paper.version_id])
        assert cursor.rowcount == 1


@pytest.mark.parametrize("earlier", [BEHIND, None, Now()])
def test_the_database_lets_nobody_bring_a_date_forward(earlier: Any) -> None:
    paper = make_paper(retain_until=AHEAD)
    with pytest.raises(IntegrityError, match="can be lengthened only"):
        set_retention(paper, earlier)
    set_retention(paper, Now() + timedelta(days=1))


@pytest.mark.parametrize(
    ("released", "status", "order", "goes"),
    [
        (timedelta(seconds=1), "deleting", "authorised", True),
        (timedelta(seconds=-60), "deleting", "authorised", False),  # stored after the papers were handed over
        (timedelta(seconds=1), "active", "authorised", False),
        (timedelta(seconds=1), "deleting", "accepted", False),
        (None, "deleting", "authorised", False),
    ],
)
def test_only_an_authorised_wipe_takes_what_was_stored_before_the_release(
    released: timedelta | None, status: str, order: str, goes: bool
) -> None:
    paper = make_paper(retain_until=Now() + timedelta(minutes=5))
    with tenant_scope(paper.tenant.id):
        released_at = None if released is None else Now() + released
        Tenant.objects.filter(pk=paper.tenant.pk).update(status=status, retention_released_at=released_at)
        WipeOrderFactory.create(tenant_id=paper.tenant.pk, state=order)
    assert tried(by_the_orm, paper) is goes


def test_a_hold_stays_even_where_the_retention_was_released() -> None:
    paper = make_paper(legal_hold=True)
    with tenant_scope(paper.tenant.id):
        Tenant.objects.filter(pk=paper.tenant.pk).update(
            status="deleting", retention_released_at=Now() + timedelta(seconds=1)
        )
        WipeOrderFactory.create(tenant_id=paper.tenant.pk, state="authorised")
    assert not tried(by_the_orm, paper)


def test_a_setting_of_the_session_opens_nothing() -> None:
    paper = make_paper(retain_until=Now() + timedelta(minutes=5))
    with tenant_scope(paper.tenant.id), connections["default"].cursor() as cursor:
        cursor.execute("SELECT set_config('archiv.purge', 'on', true), set_config('archiv.wipe', 'on', true)")
        with pytest.raises(IntegrityError), transaction.atomic():
            cursor.execute("DELETE FROM documents_document WHERE id = %s", [paper.document_id])


def test_the_rest_of_a_kept_document_can_be_changed() -> None:
    paper = make_paper(legal_hold=True, retain_until=Now() + timedelta(minutes=5))
    with tenant_scope(paper.tenant.id):
        assert Document.objects.filter(pk=paper.document_id).update(title="better") == 1
        assert DocumentVersion.objects.filter(pk=paper.version_id).update(pages=3) == 1


@pytest.mark.parametrize("values", [{"content_hash": "0" * 64}, {"id": uuid.uuid4()}])
def test_a_version_of_a_kept_document_stays_what_it_is(values: dict[str, Any]) -> None:
    paper = make_paper(legal_hold=True)
    with pytest.raises(IntegrityError, match="must be kept"), tenant_scope(paper.tenant.id):
        DocumentVersion.objects.filter(pk=paper.version_id).update(**values)


@pytest.mark.parametrize("way", [by_a_signed_delete, by_a_signed_reset])
def test_a_wipe_that_was_forbidden_is_in_the_trail(way: Callable[[Paper], None]) -> None:
    paper = make_paper(retain_until=Now() + timedelta(minutes=5))
    way(paper)
    with tenant_scope(paper.tenant.id):
        actions = AuditEvent.objects.filter(tenant_id=paper.tenant.id).values_list("action", flat=True)
        assert list(actions) == ["wipe.forbidden"]


def test_no_cascade_reaches_a_document() -> None:
    """What hangs together is refused by its keys, before the date as after it: parts go by their services."""
    paper = make_paper(retain_until=BEHIND)
    with tenant_scope(paper.tenant.id):
        for thing in (Tenant.objects.get(), Document.objects.get()):
            with pytest.raises(ProtectedError):
                thing.delete()
    with connections["owner"].cursor() as cursor:
        for table, key in (("tenants_tenant", paper.tenant.pk), ("documents_document", paper.document_id)):
            with pytest.raises(IntegrityError), operator_scope(using="owner"):
                cursor.execute(f"DELETE FROM {table} WHERE id = %s", [key])
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert is_there(paper)


@pytest.mark.parametrize("alias", ["default", "queue"])
def test_only_the_owner_of_the_tables_could_empty_them_and_the_dispatcher_reads_no_document(
    alias: str,
) -> None:
    paper = make_paper(retain_until=BEHIND)
    statements = ["TRUNCATE documents_document CASCADE", "TRUNCATE documents_documentversion CASCADE"]
    if alias == "queue":
        statements += ["DELETE FROM documents_document", "DELETE FROM documents_documentversion"]
    for statement in statements:
        with pytest.raises(DatabaseError, match="permission denied"), connections[alias].cursor() as cursor:
            cursor.execute(statement)
    assert is_there(paper)


def test_every_refusal_by_a_service_is_in_the_trail() -> None:
    for way in (by_service, by_command, by_admin, by_a_bulk_action, by_a_job_that_somebody_queued):
        paper = make_paper(retain_until=Now() + timedelta(minutes=5))
        way(paper)
        with tenant_scope(paper.tenant.id):
            event = AuditEvent.objects.get(tenant_id=paper.tenant.id, object_id=str(paper.document_id))
        assert (event.action, event.details) == ("document.purge_refused", '{"reason":"retention"}')


def test_a_held_document_cannot_be_trashed_to_be_purged() -> None:
    paper = make_paper(legal_hold=True)
    with tenant_scope(paper.tenant.id):
        Document.objects.filter(pk=paper.document_id).update(trashed_at=None)
    trash_documents(access=operator_access(paper.tenant.id), document_ids=[paper.document_id])
    by_service(paper)
    assert is_there(paper)
