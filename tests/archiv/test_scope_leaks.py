"""One connection serves two tenants in turn, whatever goes wrong: no foreign row, no tenant left set."""

import random
import uuid
from collections.abc import Callable, Iterator

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.test import Client, override_settings
from django.urls import path

from documents.models import Document
from tenants.models import Tenant
from tenants.scope import current_tenant_id, operator_scope, tenant_scope
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
@override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[f"{__name__}.BreakingMiddleware"])
def test_two_thousand_rounds_of_errors_leave_no_tenant_set_and_show_no_foreign_row() -> None:
    tenants: list[Tenant] = [TenantFactory.create(), TenantFactory.create()]
    for tenant in tenants:
        with tenant_scope(tenant.id):
            DocumentFactory.create_batch(2, tenant_id=tenant.id, title=f"of {tenant.id}")
    client, dice = Client(raise_request_exception=False), random.Random(20261129)
    shown = 0
    for _ in range(ROUNDS):
        tenant, view = dice.choice(tenants), dice.choice(VIEWS)
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
        shown += len(seen)
        assert current_tenant_id() is None
        assert not connections["default"].in_atomic_block
        assert Document.objects.count() == 0
        with connections["default"].cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('archiv.tenant_id', true), current_setting('archiv.operator', true)"
            )
            assert [value or "" for value in cursor.fetchone()] == ["", ""]
    assert shown > ROUNDS / 10
