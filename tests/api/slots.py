"""Every place of a request where something of a tenant can be named, found from the schema."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from archiv.api.site import api
from tests.api.routes import BODIES, ROUTES, Route

#: What is known of a tenant, or made up: an id for each thing that can be named.
Things = Mapping[str, str]
Build = Callable[[str], Any]

_KINDS = {"tags": "tag", "correspondents": "correspondent", "document-types": "document_type"}
#: What stands at a place, by the last name on the way there. Labels and rules go by the path of the route.
_THINGS = {
    **dict.fromkeys(("document_id", "document_ids"), "document"),
    **dict.fromkeys(("tags", "tags_all", "tags_any", "tags_none", "add_tags", "remove_tags"), "tag"),
    **dict.fromkeys(("any", "all", "none", "add", "remove"), "tag"),
    **{name: name for name in ("correspondent", "document_type", "sha256")},
    **{f"{name}_id": name for name in ("user", "set", "token", "job", "workflow", "tenant")},
    "version": "version",
}
#: What is done to documents at once, and with what; all but the first leave labels aside.
_BULK = (
    *({"action": one} for one in ("file", "trash", "restore", "reanalyze")),
    {"action": "classify", "retention_class": "books"},
)


@dataclass(frozen=True)
class Slot:
    """One place: `where` is path, query or a media type, `way` the names that lead to it.

    `is_named`: it takes a name as well as an id.
    """

    where: str
    way: str
    thing: str
    build: Build
    is_named: bool


@dataclass(frozen=True)
class Request:
    """What is sent."""

    method: str
    path: str
    body: bytes
    content_type: str


def slots_of(route: Route) -> list[Slot]:
    """Return the places of a route where an id, a hash, or the id or name of a label is taken."""
    operation = _schema()["paths"][route.path][route.method.lower()]
    given = [
        (one["in"], one["name"], one["schema"])
        for one in operation.get("parameters", ())
        if one["in"] in ("path", "query")
    ]
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        shape = _resolved(content["schema"])
        given += [(media_type, name, one) for name, one in shape.get("properties", {}).items()]
    return [
        Slot(where, way, _thing(route, way), build, is_named)
        for where, name, shape in given
        for way, build, is_named in _walk(name, shape, is_path=where == "path")
    ]


def requests_of(route: Route, slot: Slot | None, things: Things, ours: Things) -> Iterator[Request]:
    """Yield the requests that name `things` at one place, or at all, and what is ours elsewhere."""
    path = route.path.removeprefix("/api")
    for one in slots_of(route):
        if one.where == "path":
            named = things if slot is None or slot.way == one.way else ours
            path = path.replace(f"{{{one.way}}}", named[one.thing])
    query: dict[str, Any] = dict.fromkeys(route.required, "quarz")
    if slot is not None and slot.where == "query":
        query[slot.way] = slot.build(things[slot.thing])
    address = path + (f"?{urlencode(query, doseq=True)}" if query else "")
    elsewhere = things if slot is None else ours
    known = {name: elsewhere[thing] for name, thing in _THINGS.items() if name.endswith("_id")}
    label = elsewhere[_thing(route, "into")]
    body = BODIES[route.id]({**elsewhere, **known, "label_id": label}) if route.needs_body else b""
    if slot is not None and slot.where == MULTIPART_CONTENT.partition(";")[0]:
        form = {"file": SimpleUploadedFile("a.txt", b"by form"), slot.way: slot.build(things[slot.thing])}
        yield Request(route.method, address, encode_multipart(BOUNDARY, form), MULTIPART_CONTENT)
        return
    if isinstance(body, bytes):
        yield Request(route.method, address, body, "application/octet-stream")
        return
    if slot is not None and slot.where == "application/json":
        name = slot.way.partition(".")[0]
        body = {**body, name: slot.build(things[slot.thing])}
    actions = _BULK if slot is None or slot.thing == "document" else _BULK[:1]
    for action in actions if route.id == "bulk" else ({},):
        yield Request(route.method, address, json.dumps({**body, **action}).encode(), "application/json")


def _thing(route: Route, way: str) -> str:
    name = way.rpartition(".")[2]
    if name in ("label_id", "rule_id", "into"):
        kind = _KINDS.get(route.path.split("/")[2], "tag")
        return {"label_id": kind, "rule_id": f"{kind}_rule", "into": f"{kind}_other"}[name]
    return _THINGS.get(name, "")


def _walk(way: str, shape: Mapping[str, Any], *, is_path: bool = False) -> Iterator[tuple[str, Build, bool]]:
    """Yield the places in a value of this shape, each with what builds the value around what is named."""
    shape = _resolved(shape)
    for one in (*shape.get("anyOf", ()), *shape.get("oneOf", ())):
        yield from _walk(way, one)
    is_named = "By id or by name" in shape.get("description", "")
    if is_path or is_named or shape.get("format") == "uuid":
        yield way, lambda named: named, is_named
    for one, build, names in _walk(way, shape["items"]) if "items" in shape else ():
        yield one, _in_list(build), names
    fixed = {name: one["enum"][0] for name, one in shape.get("properties", {}).items() if "enum" in one}
    for name, inner in shape.get("properties", {}).items():
        for one, build, names in _walk(f"{way}.{name}", inner):
            yield one, _in_object(fixed, name, build), names


def _in_list(build: Build) -> Build:
    return lambda named: [build(named)]


def _in_object(fixed: Mapping[str, Any], name: str, build: Build) -> Build:
    return lambda named: {**fixed, name: build(named)}


def _resolved(shape: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in shape:
        shape = _schema()["components"]["schemas"][shape["$ref"].rpartition("/")[2]]
    return shape


@cache
def _schema() -> Any:
    return json.loads(json.dumps(api.get_openapi_schema()))


#: Every place of every route.
SLOTS = {route.id: slots_of(route) for route in ROUTES.values()}
