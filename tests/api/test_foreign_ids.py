"""At every place of every request: what belongs to another tenant answers as what nobody has.

Compared are status, headers, body and the number of statements; the places are found from the schema.
"""

import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, reset_queries
from django.test.utils import CaptureQueriesContext

from documents.models import Asset
from tenants.scope import tenant_scope
from tests.api.conftest import Api, make_caller
from tests.api.known import known_of
from tests.api.routes import BODIES, ROUTES, Route
from tests.api.slots import SLOTS, Request, Slot, Things, requests_of
from tests.archiv.two_tenants import Filled, empty_vault, fill
from tests.factories import AssetFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("same_statements")]

#: Accounts belong to nobody: who knows the id of one may take it in, which the trail notes. A link is its own
#: proof.
LEFT_OUT = ("join", "follow_link")
PASSWORD = "Dachrinne-4711"
_KINDS = {"tag": "tags", "correspondent": "correspondents", "document_type": "document-types"}
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_STATES: Mapping[str, tuple[Mapping[str, str], ...]] = {
    "If-Match": ({"If_Match": "*"}, {"If_Match": '"1"'}, {}),
    "Range": ({}, {"Range": "bytes=0-0", "If_None_Match": '"1"'}),
}
_NAMED = ("document_id", "user_id", "tenant_id", "label_id")
#: What takes something away comes last, so that our own things are there for the calls before.
_ORDER = ("GET", "POST", "PATCH", "PUT", "DELETE")


def things_of(filled: Filled, caller: Api) -> dict[str, str]:
    """Return the id of one of each thing that the tenant has, and names of its labels."""
    known = known_of(filled)
    caller.user.set_password(PASSWORD)
    caller.user.save(update_fields=["password"])
    found = {name: known[f"{name}_id"] for name in ("document", "user", "set", "token", "tenant", "workflow")}
    found |= {"version": filled.known.version, "sha256": known["sha256"], "username": caller.user.username}
    found["job"] = known["job_id"]
    for kind in (Asset.THUMBNAIL, Asset.SEARCHABLE):
        with tenant_scope(filled.tenant.id):
            AssetFactory.create(
                tenant_id=filled.tenant.id, version_id=found["version"], version=None, kind=kind
            )
    for kind, path in _KINDS.items():
        for name in (kind, f"{kind}_other"):
            label = caller("POST", f"/{path}", {"name": f"{name} {filled.known.word}"})
            found[name], found[f"{name}_name"] = label.json()["id"], label.json()["name"]
        rule = caller("POST", f"/{path}/{found[kind]}/rules", {"pattern": "Dach"})
        found[f"{kind}_rule"] = rule.json()["id"]
    return found


def made_up(like: Things) -> dict[str, str]:
    """Return things of the same form that nobody has."""
    found = {name: str(uuid.uuid4()) if _ID.fullmatch(value) else value for name, value in like.items()}
    found |= {name: uuid.uuid4().hex[: len(like[name])] for name in found if name.endswith("name")}
    return found | {"sha256": uuid.uuid4().hex * 2, "job": str(int(like["job"]) // 2)}


def ask(caller: Api, request: Request, headers: Mapping[str, str], things: Things) -> tuple[str, int]:
    """Return all that an answer tells, without what was asked for, and how many statements it took."""
    reset_queries()  # no more than 9,000 are kept
    with CaptureQueriesContext(connection) as captured:
        answer = caller(request.method, request.path, request.body, request.content_type, **headers)
        if answer.streaming:
            text = b"".join(answer).decode()
            answer.close()
        else:
            text = answer.content.decode()
    shown = {name: value for name, value in answer.headers.items() if name != "X-Request-ID"}
    told = (
        f"{answer.status_code} {answer.reason_phrase} {sorted(shown.items())} {sorted(answer.cookies)} {text}"
    )
    told = told.replace(answer.headers["X-Request-ID"], "number")
    for name, value in sorted(things.items(), key=lambda thing: -len(thing[1])):
        if name != "job":  # a number is part of too many other things
            told = told.replace(value, name)
    return _ID.sub("id", told), len(captured)


def by_name(things: Things) -> dict[str, str]:
    """Return the things with names of labels in place of their ids."""
    return {**things, **{kind: things[f"{kind}_name"] for kind in _KINDS}}


def calls_of(
    route: Route, slot: Slot | None, things: Things, ours: Things
) -> Iterator[tuple[Request, Mapping[str, str], Things]]:
    """Yield every request that names these things there, its headers, and what it named."""
    named = [things]
    if slot is not None and slot.is_named:
        named.append(by_name(things))
    states = next((states for name, states in _STATES.items() if name in route.headers), ({},))
    for one in named:
        for request in requests_of(route, slot, one, ours):
            for headers in states:
                yield request, headers, one
            if request.content_type == "application/json" and (slot is None or slot.where == "path"):
                yield replace(request, body=b'{"nonsense": 1}'), states[0], one


def takes_away(route: Route, slot: Slot) -> bool:
    """Return whether naming what is ours there would take it from the calls that follow."""
    return route.method == "DELETE" or (slot.where == "path" and "merge" in route.id)


def test_every_place_is_known_where_something_can_be_named() -> None:
    assert sum(map(len, SLOTS.values())) > 130
    unknown = [(name, slot.way) for name, slots in SLOTS.items() for slot in slots if not slot.thing]
    assert unknown == [("follow_link", "signed")]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_at_every_place_what_belongs_to_another_tenant_is_as_what_nobody_has() -> None:
    empty_vault()
    tenants = [fill(word) for word in ("quarz", "zimt")]
    caller, other = (make_caller(one.tenant) for one in tenants)
    ours, theirs = things_of(tenants[0], caller), things_of(tenants[1], other)
    ours["password"] = PASSWORD
    before, asked = tenants[1].state(), 0
    for route in sorted(ROUTES.values(), key=lambda one: ("merge" in one.id, _ORDER.index(one.method))):
        slots: list[Slot | None] = [*SLOTS[route.id]] if route.id not in LEFT_OUT else []
        for slot in [*slots, None] if slots else ():
            place = f"{route.id}: {slot.where} {slot.way}" if slot else f"{route.id}: everywhere"
            called = [list(calls_of(route, slot, one, ours)) for one in (made_up(theirs), theirs, ours)]
            own: list[bool] = []
            for (request, headers, invented), (foreign, _, known), (mine, _, _) in zip(*called, strict=True):
                if not own:  # the first call may find something to make
                    ask(caller, request, headers, invented)
                    ask(caller, foreign, headers, known)
                nobodys = ask(caller, request, headers, invented)
                assert ask(caller, foreign, headers, known) == nobodys, place
                if slot is not None and not takes_away(route, slot):
                    own.append(ask(caller, mine, headers, ours)[0] != nobodys[0])
                asked += 1
            assert not own or any(own), f"{place}: what is ours makes no difference"
    assert asked > 300
    assert tenants[1].state() == before


@pytest.mark.slow
def test_names_and_bytes_that_another_tenant_has_are_free() -> None:
    empty_vault()
    tenants = [fill(word) for word in ("quarz", "zimt")]
    caller, other = (make_caller(one.tenant) for one in tenants)
    made = 0
    for route in ROUTES.values():
        if route.method != "POST" or route.parameters or not route.needs_body or route.id == "mint":
            continue  # a token is minted in a session only, and any name will do
        body = BODIES[route.id](dict.fromkeys(_NAMED, ""))
        if not isinstance(body, dict) or "name" not in body:
            continue
        assert told_of(other, route, {**body, "name": "Vergeben"})[0] == 201, route.id
        _, taken, free = (
            told_of(caller, route, {**body, "name": name}) for name in ("Erste", "Vergeben", "Frei")
        )
        assert taken == free, route.id
        made += 1
    assert made >= 6
    files = [b"something", tenants[1].known.file, uuid.uuid4().bytes]
    sent = [told_of(caller, ROUTES["store"], content) for content in files]
    assert sent[1] == sent[2]
    assert sent[1][0] == 201


@pytest.mark.parametrize("kind", _KINDS.values())
def test_what_a_merge_takes_depends_on_no_order_of_ids(kind: str) -> None:
    caller = make_caller(fill("quarz").tenant)
    ours = caller("POST", f"/{kind}", {"name": "Dach"}).json()["id"]
    route = ROUTES[f"merge_{kind.removesuffix('s').replace('-', '_')}"]
    missed = [uuid.UUID(int=1), uuid.UUID(int=2**128 - 1)]
    by_path = [told_of(caller, route, {"into": ours}, str(each)) for each in (missed[0], *missed)]
    assert by_path[1] == by_path[2]
    into = [told_of(caller, route, {"into": str(each)}, ours) for each in missed]
    assert into[0] == into[1]
    assert {status for status, _ in by_path + into} == {404}


def told_of(caller: Api, route: Route, body: Any, label_id: str = "") -> tuple[int, int]:
    """Return the status of the answer, and how many statements it took."""
    path = route.path.removeprefix("/api").replace("{label_id}", label_id)
    reset_queries()
    with CaptureQueriesContext(connection) as captured:
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        answer = caller(route.method, path, body, kind)
    return answer.status_code, len(captured)
