"""One connection serves two tenants in turn, whatever goes wrong: no foreign row, no tenant left set."""

import random
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.test import Client, override_settings
from django.urls import path

from documents.models import Document
from jobs import registry
from jobs.context import JobContext
from jobs.engine.child import run_job
from jobs.engine.messages import Outcome
from jobs.errors import GiveUp
from jobs.models import Job
from jobs.services import enqueue_job
from tenants.models import Tenant
from tenants.scope import current_tenant_id, operator_scope, tenant_handler, tenant_scope
from tests.documents.conftest import claim
from tests.factories import DocumentFactory, TenantFactory

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 2_000


class Broken(Exception):
    """Raised on purpose."""


def titles(tenant_id: uuid.UUID) -> list[str]:
    """Read without a filter, as a programmer who forgot it would."""
    with tenant_scope(tenant_id):
        return list(Document.objects.values_list("title", flat=True))


def plain(request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
    return HttpResponse("\n".join(titles(tenant_id)))


def fails_in_the_scope(request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
    with tenant_scope(tenant_id):
        list(Document.objects.all())
        raise Broken


def fails_in_the_database(request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
    with tenant_scope(tenant_id), connections["default"].cursor() as cursor:
        cursor.execute("SELECT 1 / 0")
    raise AssertionError


def fails_in_a_savepoint(request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
    with transaction.atomic():
        try:
            with tenant_scope(tenant_id):
                raise Broken
        except Broken:
            pass
        assert not Document.objects.exists()
    return plain(request, tenant_id)


def streams(request: HttpRequest, tenant_id: uuid.UUID) -> StreamingHttpResponse:
    def body() -> Iterator[str]:
        for title in titles(tenant_id):
            yield title + "\n"

    return StreamingHttpResponse(body())


def fails_while_streaming(request: HttpRequest, tenant_id: uuid.UUID) -> StreamingHttpResponse:
    def body() -> Iterator[str]:
        with tenant_scope(tenant_id):
            yield from Document.objects.values_list("title", flat=True)
            raise Broken

    return StreamingHttpResponse(body())


def fails_after_commit(request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
    def broken() -> None:
        raise Broken

    with tenant_scope(tenant_id):
        transaction.on_commit(broken)
    raise AssertionError


def operates(request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
    with operator_scope():
        assert Document.objects.count() == 4
    raise Broken


VIEWS: tuple[Callable[[HttpRequest, uuid.UUID], HttpResponseBase], ...] = (
    plain,
    fails_in_the_scope,
    fails_in_the_database,
    fails_in_a_savepoint,
    streams,
    fails_while_streaming,
    fails_after_commit,
    operates,
)
urlpatterns = [path(f"{view.__name__}/<uuid:tenant_id>/", view) for view in VIEWS]


def done(context: JobContext) -> None:
    with context.finishing():
        shown_to_jobs[context.job.tenant_id].update(Document.objects.values_list("title", flat=True))


def fails_before(context: JobContext) -> None:
    with tenant_scope(context.job.tenant_id):
        shown_to_jobs[context.job.tenant_id].update(Document.objects.values_list("title", flat=True))
        raise Broken


def fails_in_finishing(context: JobContext) -> None:
    with context.finishing():
        list(Document.objects.all())
        raise Broken


def fails_in_the_statement(context: JobContext) -> None:
    with context.finishing(), connections["default"].cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def fails_after_finishing(context: JobContext) -> None:
    def broken() -> None:
        raise Broken

    with context.finishing():
        transaction.on_commit(broken)


def gives_up(context: JobContext) -> None:
    with context.failing(GiveUp("no use")):
        shown_to_jobs[context.job.tenant_id].update(Document.objects.values_list("title", flat=True))


def forgets_its_scope(context: JobContext) -> None:
    with context.checkpointing():
        list(Document.objects.all())
    assert not Document.objects.exists()
    raise GiveUp("no use")


def opens_the_scope_of_another(context: JobContext) -> None:
    with context.finishing(), tenant_scope(uuid.uuid4()):
        raise AssertionError


HANDLERS = (
    done,
    fails_before,
    fails_in_finishing,
    fails_in_the_statement,
    fails_after_finishing,
    gives_up,
    forgets_its_scope,
    opens_the_scope_of_another,
)
#: What jobs saw, by tenant.
shown_to_jobs: defaultdict[uuid.UUID, set[str]] = defaultdict(set)


@pytest.fixture
def handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register a guarded type of job for each of the handlers, until the test ends."""
    registry.autodiscover()
    monkeypatch.setattr(registry, "_TYPES", dict(registry._TYPES))
    for run in HANDLERS:
        tenant_handler(type_of(run), timeout=9)(run)


def type_of(run: Callable[[JobContext], None]) -> str:
    return "leak-" + run.__name__.replace("_", "-")


def run_as_child(tenant_id: uuid.UUID, run: Callable[[JobContext], None]) -> None:
    """Queue a job, claim it and run it as a child does, in the one connection."""
    with tenant_scope(tenant_id):
        job_id = enqueue_job(tenant_id=tenant_id, type=type_of(run), payload={})
        job = Job.objects.get(id=job_id)
    report = run_job(claim(job), {})
    # An error after the commit is reported as one; what was committed stands.
    ends_well = report.outcome in {Outcome.FINISHED, Outcome.GAVE_UP}
    assert ends_well == (run in {done, gives_up}), report


class BreakingMiddleware:
    """Fails now and then, before and after the view."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: WSGIRequest) -> HttpResponseBase:
        if "before" in request.GET:
            raise Broken
        response = self.get_response(request)
        if "after" in request.GET:
            raise Broken
        return response


@pytest.mark.slow
@pytest.mark.timeout(400)
@override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[f"{__name__}.BreakingMiddleware"])
def test_two_thousand_rounds_of_errors_leave_no_tenant_set_and_show_no_foreign_row(handlers: None) -> None:
    tenants: list[Tenant] = [TenantFactory.create(), TenantFactory.create()]
    for tenant in tenants:
        with tenant_scope(tenant.id):
            DocumentFactory.create_batch(2, tenant_id=tenant.id, title=f"of {tenant.id}")
    client, dice = Client(raise_request_exception=False), random.Random(20261129)
    shown, pids = 0, set[int]()
    for _ in range(ROUNDS):
        tenant = dice.choice(tenants)
        if dice.random() < 0.4:
            run_as_child(tenant.id, dice.choice(HANDLERS))
        else:
            shown += look_at_page(client, dice, tenant)
        assert current_tenant_id() is None
        assert not connections["default"].in_atomic_block
        assert Document.objects.count() == 0
        with connections["default"].cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('archiv.tenant_id', true), current_setting('archiv.operator', true)"
            )
            assert [value or "" for value in cursor.fetchone()] == ["", ""]
        pids.add(connections["default"].connection.info.backend_pid)
    assert shown > ROUNDS / 20
    assert dict(shown_to_jobs) == {tenant.id: {f"of {tenant.id}"} for tenant in tenants}
    assert len(pids) == 1, "it was one connection all the time"


def look_at_page(client: Client, dice: random.Random, tenant: Tenant) -> int:
    """Ask for one page and return how many of the tenant's own titles it showed; it shows no others."""
    view = dice.choice(VIEWS)
    query = dice.choice(["", "", "", "?before", "?after"])
    response = client.get(f"/{view.__name__}/{tenant.id}/{query}")
    body = b""
    try:
        body = response.getvalue()
    except Broken:
        assert view is fails_while_streaming
    lines = body.decode().split("\n") if response.status_code == 200 else []
    seen = {line for line in lines if line.startswith("of ")}
    assert seen <= {f"of {tenant.id}"}
    return len(seen)


def test_a_look_at_a_tenants_status_leaves_the_scope_as_it_was() -> None:
    with operator_scope():
        mine, other = (DocumentFactory.create(tenant=TenantFactory.create(status="active")) for _ in range(2))

    def look(tenant_id: uuid.UUID) -> tuple[str | None, str]:
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT archiv_tenant_status(%s)", [tenant_id])
            (status,) = cursor.fetchone()
            cursor.execute("SELECT coalesce(current_setting('archiv.tenant_id', true), '')")
            return status, cursor.fetchone()[0]

    assert look(mine.tenant_id) == ("active", "")
    assert not Document.objects.exists()
    with tenant_scope(mine.tenant_id):
        assert look(other.tenant_id) == ("active", str(mine.tenant_id))
        assert list(Document.objects.values_list("pk", flat=True)) == [mine.pk]
    assert look(uuid.uuid4()) == (None, "")
