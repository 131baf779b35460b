"""Every route of the schema, called by another tenant, by each set, and by nobody."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from archiv.api.site import api
from tenants.capabilities import CAPABILITIES, SYSTEM_SETS
from tenants.models import ApiToken
from tenants.scope import tenant_scope
from tests.api.conftest import Api, make_caller
from tests.api.known import Known, invented, known_of
from tests.api.routes import BODIES, NAMED_IN_BODY, ROUTES, Route
from tests.archiv.two_tenants import empty_vault, fill

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = sorted(ROUTES)


def some_slow(quick: str, names: list[str]) -> list[Any]:
    """Every route is called for each of them: one in every run, the others where there is time."""
    return [name if name == quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


def call(api: Api, route: Route, known: Known) -> Any:
    """Call a route as it is meant, with ids of `known`."""
    body = BODIES[route.id](known) if route.needs_body else ""
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    answer = api(route.method, route.fill(known), body, kind, If_Match="*")
    if answer.streaming:
        b"".join(answer)
        answer.close()
    return answer


def shape_of(answer: Any, known: Known) -> str:
    """Return all that an answer tells, without what differs each time and what was asked for."""
    if answer.streaming:
        return "a file"
    text = answer.content.decode()
    for name, value in known.items():
        if len(value) > 8:  # the number of a job is part of too many other things
            text = text.replace(value, name)
    if text.startswith("{"):
        body = json.loads(text)
        body.pop("request_id", None)
        text = json.dumps(body, sort_keys=True)
    return f"{answer.status_code} {answer.headers.get('Content-Type')} {text}"


def test_every_route_names_a_capability_and_every_body_is_known() -> None:
    assert len(ROUTES) > 65
    for route in ROUTES.values():
        assert route.capability in (*CAPABILITIES, "public", "signed-in"), route.id
    assert sorted(BODIES) == sorted(route.id for route in ROUTES.values() if route.needs_body)
    made = {
        operation.operation_id
        for _, router in api._routers  # also those that hide from the schema
        for view in router.path_operations.values()
        for operation in view.operations
    }
    assert made == set(ROUTES)
    public = {route.id for route in ROUTES.values() if route.capability == "public"}
    assert public == {"sign_in", "follow_link"}


@pytest.mark.usefixtures("same_statements")
def test_what_belongs_to_another_tenant_is_as_what_does_not_exist() -> None:
    empty_vault()
    theirs = fill("zimt")
    caller = make_caller(fill("quarz").tenant)
    known, before = known_of(theirs), theirs.state()
    asked = 0
    # Joining comes last: from then on the other tenant's member is one of ours.
    for route in sorted(ROUTES.values(), key=lambda route: route.id == "join"):
        if not route.parameters and route.id not in NAMED_IN_BODY:
            continue
        answers, statements = [], []
        # The first call of all may find something to make, such as the classes that come with a tenant.
        for values in (invented(), known, invented()):
            with CaptureQueriesContext(connection) as captured:
                answers.append(shape_of(call(caller, route, values), values))
            statements.append(len(captured))
        if route.id == "join":  # accounts belong to nobody: who knows the id of one may take them in
            assert answers[1].startswith("201")
            continue
        assert answers[1] == answers[2], route.id
        if route.id in ("preview", "apply"):  # they pass by documents that are not there
            assert '"documents": 0' in answers[1]
        else:
            assert answers[1].startswith(("404", "409", "401")), (route.id, answers[1])
        assert statements[1] == statements[2], f"{route.id} asks the database more for what is there"
        asked += 1
    assert asked > 20
    assert theirs.state() == before


def test_no_list_shows_anything_of_another_tenant() -> None:
    empty_vault()
    ours, theirs = fill("quarz"), fill("zimt")
    caller, marks = make_caller(ours.tenant), theirs.marks(beside=ours)
    shown = 0
    for route in ROUTES.values():
        if route.method != "GET" or route.parameters:
            continue
        for query in ("", "?q=zimt", "?q=Vertrag", "?q=kanzlei&trashed=true", "?status=queued"):
            address = route.fill({})
            answer = caller.get(address + (query.replace("?", "&") if route.required else query))
            if answer.status_code == 200:
                text = answer.content.decode()
                assert not {mark for mark in marks if mark in text.replace("q=zimt", "")}, route.id
                shown += ours.known.document in text
    assert shown > 2


@pytest.mark.parametrize("name", some_slow("readonly", sorted(SYSTEM_SETS)))
def test_each_set_gets_what_its_capabilities_say_and_no_more(name: str) -> None:
    empty_vault()
    filled = fill("quarz")
    known = known_of(filled)
    caller = make_caller(filled.tenant, name)  # after that: its own token is not the one that is revoked
    refused = 0
    for route in ROUTES.values():
        if route.capability in ("public", "signed-in"):
            continue
        answer = call(caller, route, known)
        held = route.capability in SYSTEM_SETS[name]
        assert answer.status_code < 500, route.id
        if not held:
            assert (answer.status_code, answer.json()["code"]) == (403, "capability_missing"), route.id
            refused += 1
    assert (refused == 0) == (name == "owner")


@pytest.mark.parametrize("who", some_slow("expired", ["nobody", "made up", "expired", "revoked", "basic"]))
def test_without_a_token_that_is_valid_every_route_says_the_same(who: str) -> None:
    empty_vault()
    filled = fill("quarz")
    caller, known, before = make_caller(filled.tenant), known_of(filled), None
    with tenant_scope(filled.tenant.id):
        tokens = ApiToken.objects.filter(tenant_id=filled.tenant.id)
        if who == "expired":
            tokens.update(expires_at=Now() - timedelta(seconds=1))
        if who == "revoked":
            tokens.update(revoked_at=Now())
    caller.secret = {"nobody": "", "made up": "archiv_" + "x" * 43}.get(who, caller.secret)
    basic = {"Authorization": "Basic YTpi"} if who == "basic" else {}
    before = filled.state()
    for route in ROUTES.values():
        if route.capability == "public":
            continue
        body = BODIES[route.id](known) if route.needs_body else ""
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        answer = caller(route.method, route.fill(known), body, kind, If_Match="*", **basic)
        assert (answer.status_code, answer.json()["code"]) == (401, "not_signed_in"), route.id
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert filled.state() == before
