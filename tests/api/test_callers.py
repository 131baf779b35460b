"""Signing in, being counted, and what every answer has."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from archiv.api import tenants
from archiv.api.callers import Caller
from archiv.api.errors import TooManyRequests
from archiv.api.rates import RateLimit
from archiv.models import KeptAnswer, RateBucket
from tenants.access import Access
from tenants.models import ApiToken
from tenants.scope import tenant_scope
from tenants.services import authenticate_token
from tests.api.conftest import Api

PASSWORD = "Dachrinne-4711"


def signed_in(api: Api, **more: Any) -> tuple[Client, dict[str, Any]]:
    api.user.set_password(PASSWORD)
    api.user.save()
    client = Client(enforce_csrf_checks=True)
    body = {"username": api.user.username, "password": PASSWORD, **more}
    answer = client.post("/api/session", json.dumps(body), content_type="application/json")
    return client, {"status": answer.status_code, **answer.json()}


def test_a_member_signs_in_and_changes_things_with_the_token_against_forgery(acme: Api) -> None:
    client, session = signed_in(acme)
    assert (session["status"], session["tenant_id"]) == (201, str(acme.tenant.id))
    assert client.get("/api/profile").json()["username"] == acme.user.username
    body = json.dumps({"name": "Scanner", "capability_set": "user"})
    forged = client.post("/api/tokens", body, content_type="application/json")
    assert (forged.status_code, forged.json()["code"]) == (403, "forged")
    again = client.post("/api/session", json.dumps({}), content_type="application/json")
    assert (again.status_code, again.json()["code"]) == (403, "forged")
    headers = {"X-CSRFToken": session["csrf_token"]}
    made = client.post("/api/tokens", body, content_type="application/json", headers=headers)
    assert made.status_code == 201, made.content
    acme.secret = made.json()["secret"]
    assert acme.get("/profile").json()["token_id"] == made.json()["id"]
    assert client.delete("/api/session", headers=headers).status_code == 204
    assert client.get("/api/profile").status_code == 401


def test_a_secret_is_not_kept_for_whoever_sends_the_request_again(acme: Api) -> None:
    client, session = signed_in(acme)
    headers = {"X-CSRFToken": session["csrf_token"], "Idempotency-Key": "mint-1"}
    body = json.dumps({"name": "Scanner", "capability_set": "user"})
    made, again = (
        client.post("/api/tokens", body, content_type="application/json", headers=headers) for _ in range(2)
    )
    assert made.status_code == 201
    assert (again.status_code, again.json()["code"]) == (409, "told_once")
    with tenant_scope(acme.tenant.id):
        assert ApiToken.objects.filter(name="Scanner").count() == 1
        (kept,) = KeptAnswer.objects.values_list("body", flat=True)
    assert made.json()["secret"] not in kept


def test_a_wrong_name_password_or_tenant_are_one_answer(acme: Api, zeta: Api) -> None:
    _, right = signed_in(acme)
    assert right["status"] == 201
    client = Client()
    bodies = [
        {"username": acme.user.username, "password": "wrong"},
        {"username": "nobody-at-all", "password": PASSWORD},
        {"username": acme.user.username, "password": PASSWORD, "tenant_id": str(zeta.tenant.id)},
    ]
    answers = [
        client.post("/api/session", json.dumps(one), content_type="application/json") for one in bodies
    ]
    assert {(one.status_code, one.json()["detail"]) for one in answers} == {
        (401, "The name, the password or the tenant is wrong.")
    }


def test_too_many_wrong_passwords_wait(acme: Api) -> None:
    signed_in(acme)
    client, body = Client(), {"username": acme.user.username, "password": "wrong"}
    answers = [
        client.post("/api/session", json.dumps(body), content_type="application/json") for _ in range(6)
    ]
    assert [one.status_code for one in answers][-1] == 429
    assert answers[-1].json()["code"] == "too_many_requests"
    assert answers[-1].headers["Retry-After"] == "900"


def test_a_token_mints_no_token(acme: Api) -> None:
    answer = acme("POST", "/tokens", {"name": "Scanner", "capability_set": "user"})
    assert (answer.status_code, answer.json()["code"]) == (403, "capability_missing")


def test_a_bucket_fills_evenly_and_each_caller_has_one_in_all_processes(acme: Api, zeta: Api) -> None:
    ours, theirs = (Caller(authenticate_token(one.secret), by_session=False) for one in (acme, zeta))
    one, other = RateLimit(1), RateLimit(1)  # as two web processes have them
    one.take(ours)
    with pytest.raises(TooManyRequests) as refused:
        other.take(ours)
    assert refused.value.details["seconds"] in range(1, 61)
    one.take(theirs)
    for away in (timedelta(seconds=61), timedelta(days=7)):
        with tenant_scope(acme.tenant.id):
            RateBucket.objects.filter(tenant_id=acme.tenant.id).update(counted_at=Now() - away)
        other.take(ours)
        with pytest.raises(TooManyRequests):
            one.take(ours)
    for _ in range(20):
        RateLimit(0).take(ours)


def test_of_many_requests_at_once_as_many_pass_as_the_bucket_holds(acme: Api) -> None:
    caller, rates = Caller(authenticate_token(acme.secret), by_session=False), RateLimit(5)

    def ask(_: int) -> bool:
        try:
            rates.take(caller)
        except TooManyRequests:
            return False
        finally:
            connections.close_all()
        return True

    began = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        passed = sum(pool.map(ask, range(40)))
    assert 5 <= passed <= 5 + (time.monotonic() - began) * 5 / 60


def test_whoever_asks_too_often_is_told_when_to_come_again(acme: Api, settings: Settings) -> None:
    settings.ARCHIV_API_RATE = 3
    acme.client = Client()  # its gate reads the setting
    answers = [acme.get("/profile") for _ in range(5)]
    assert [one.status_code for one in answers].count(429) == 2
    assert int(answers[-1].headers["Retry-After"]) >= 1


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT pg_terminate_backend(pg_backend_pid())", "database_unavailable"),
        ("SET LOCAL statement_timeout = 1; SELECT pg_sleep(1)", "took_too_long"),
        ("SET LOCAL idle_in_transaction_session_timeout = 1; SELECT 1", "database_unavailable"),
    ],
)
def test_a_database_that_goes_away_is_no_error_of_the_request(
    acme: Api, monkeypatch: pytest.MonkeyPatch, sql: str, code: str
) -> None:
    def ask(*, access: Access) -> None:
        with tenant_scope(access.tenant_id), connection.cursor() as cursor:
            cursor.execute(sql)
            time.sleep(0.1)
            cursor.execute("SELECT 1")

    monkeypatch.setattr(tenants, "get_tenant", ask)
    answer = acme.get("/tenant")
    assert (answer.status_code, answer.json()["code"]) == (503, code)
    assert answer.headers.get("Retry-After") == ("5" if code == "database_unavailable" else None)
    monkeypatch.undo()
    assert acme.get("/tenant").status_code == 200


def test_every_answer_has_a_number_and_no_error_has_another_shape(acme: Api) -> None:
    answer = acme.get("/profile", X_Request_ID="scan-job-4711")
    assert answer.headers["X-Request-ID"] == "scan-job-4711"
    assert len(acme.get("/profile", X_Request_ID="no\ttabs").headers["X-Request-ID"]) == 32
    for method, path in (
        ("GET", "/nowhere"),
        ("PUT", "/documents"),
        ("GET", "/documents/none"),
        ("POST", "/"),
    ):
        problem = acme(method, path)
        assert problem.headers["Content-Type"] == "application/problem+json", path
        body = problem.json()
        assert {"type", "title", "status", "code", "detail", "request_id"} <= set(body)
        assert body["request_id"] == problem.headers["X-Request-ID"]
    broken = acme("POST", "/documents/bulk", "{not json")
    assert (broken.status_code, broken.json()["code"]) == (400, "bad_request")


def test_the_page_that_explains_the_api_needs_no_script_and_names_every_route() -> None:
    page = Client().get("/api/docs")
    text = page.content.decode()
    assert page.status_code == 200
    assert "<script" not in text
    assert "style=" not in text
    from tests.api.routes import ROUTES

    assert all(f'id="{route}"' in text for route in ROUTES)
