"""The admin as a site: its scope, its headers, its words, and what it never does."""

import io
import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from archiv import admin_site
from archiv.middleware import POLICY
from jobs.operator_admin import OperatorAdmin, outside_scope
from tenants.models import Tenant
from tests.factories import TenantFactory
from tests.operators import make_operator, sign_in


def call(view: Callable[..., HttpResponse], request: HttpRequest | None = None) -> HttpResponse:
    """Call a view of the admin as a superuser."""
    request = request or RequestFactory().get("/admin/")
    request.user = make_operator(superuser=True)
    return admin.site.admin_view(view)(request)


def visible_tenants() -> int:
    return len(Tenant.objects.values_list("pk"))


def test_the_root_leads_to_the_admin(client: Client) -> None:
    assert client.get("/").headers["Location"] == "/admin/"


@pytest.mark.django_db
def test_a_view_sees_all_tenants_and_the_scope_ends_with_it() -> None:
    TenantFactory.create()
    TenantFactory.create()
    answer = call(lambda request: HttpResponse(str(visible_tenants())))
    assert answer.content == b"2"
    assert visible_tenants() == 0


@pytest.mark.django_db
def test_a_view_that_opens_its_own_scope_is_given_none() -> None:
    TenantFactory.create()
    answer = call(outside_scope(lambda request: HttpResponse(str(visible_tenants()))))
    assert answer.content == b"0"


class WatchedBody(io.BytesIO):
    """A body of a request that notes whether a transaction was open when it was read."""

    in_transaction: bool | None = None

    def read(self, size: int | None = -1, /) -> bytes:
        self.in_transaction = connection.in_atomic_block
        return super().read(size)


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_the_body_comes_in() -> None:
    body = WatchedBody(b"name=value")
    watched: dict[str, Any] = {"wsgi.input": body}
    form = "application/x-www-form-urlencoded"
    request = RequestFactory().post("/admin/", b"name=value", content_type=form, **watched)
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
    answer = call(lambda request: HttpResponse(request.POST["name"]), request)
    assert answer.content == b"value"
    assert body.in_transaction is False


@pytest.mark.django_db
def test_a_statement_that_takes_too_long_is_withdrawn_and_said_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(admin_site, "STATEMENT_SECONDS", 0.05)

    def sleepy(_request: HttpRequest) -> HttpResponse:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(30)")
        return HttpResponse()

    answer: Any = call(sleepy)
    assert answer.status_code == 503
    answer.render()
    assert "would have taken too long" in answer.content.decode()


@pytest.mark.django_db
def test_every_page_sends_the_strict_policy(client: Client) -> None:
    for address in ("/admin/login/", "/healthz", "/nowhere"):
        assert client.get(address).headers["Content-Security-Policy"] == POLICY
    assert "unsafe" not in POLICY


@pytest.mark.django_db
def test_no_page_has_styles_or_scripts_or_handlers_of_its_own() -> None:
    client = sign_in(superuser=True)
    for address in ["/admin/login/", "/admin/", *lists()]:
        page = client.get(address).content.decode()
        assert "<style" not in page
        assert "javascript:" not in page
        assert ' style="' not in page
        assert " onclick=" not in page
        assert all(' src="' in tag for tag in page.split("<script")[1:])


def lists() -> list[str]:
    return [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for model in admin.site._registry
    ]


def test_every_list_pages_by_key_and_nothing_can_be_deleted() -> None:
    request = RequestFactory().get("/")
    request.user = object()  # type: ignore[assignment]
    assert lists()
    for pages in admin.site._registry.values():
        assert isinstance(pages, OperatorAdmin)
        assert not pages.show_full_result_count
        assert not pages.has_delete_permission(request)


@pytest.mark.django_db
def test_nothing_is_written_to_djangos_log() -> None:
    client = sign_in(superuser=True)
    data = {"username": "new-person", "password1": "kiosk-Wolke-77", "password2": "kiosk-Wolke-77"}
    assert client.post("/admin/tenants/user/add/", data).status_code == 302
    assert not LogEntry.objects.exists()
    assert client.get(f"/admin/tenants/user/{uuid.uuid4()}/history/").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ["Fehlgeschlagene Aufträge", "Mandanten", "Warteschlange", "Abmelden"]),
        ("en", ["Failed jobs", "Tenants", "Queue", "Log out"]),
    ],
)
def test_the_first_page_speaks_the_language_of_the_browser(language: str, words: list[str]) -> None:
    page = sign_in(superuser=True, language=language).get("/admin/").content.decode()
    assert [word for word in words if word not in page] == []


@pytest.mark.django_db
def test_the_menu_has_what_the_person_may_see_and_nothing_else() -> None:
    page = sign_in("jobs.view_job").get("/admin/").content.decode()
    assert "/admin/jobs/failedjob/" in page
    assert "/admin/documents/" not in page
    assert "/admin/tenants/tenant/" not in page


@pytest.mark.django_db
def test_who_is_no_operator_is_asked_to_sign_in(client: Client) -> None:
    for address in ["/admin/", *lists()]:
        assert client.get(address).headers["Location"].startswith("/admin/login/")


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "words"), [("de", "ist nichts"), ("en", "nothing at this address")])
def test_a_page_that_is_not_there_says_so(client: Client, language: str, words: str) -> None:
    response = client.get("/nowhere", headers={"accept-language": language})
    assert response.status_code == 404
    assert words in response.content.decode()


def test_check_deploy_is_silent_with_production_values() -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if name != "ARCHIV_TEST_FOLDER"},
        "ARCHIV_HTTPS": "1",
        "ARCHIV_ALLOWED_HOSTS": "archive.example.org",
        "SECRET_KEY": "7f!kQ2vXz9#mLr4Tw8&bN1cD6eG3hJ5pS0uY-aEoRiVtCxZqMfWlKnPjBgHsDyU",
        "DJANGO_SETTINGS_MODULE": "archiv.settings",
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
