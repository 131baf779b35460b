"""The page that explains the API: made from its schema, with no script and no style of its own in it, so that
it needs no exception from the policy of the site.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from archiv.api.routes import MARK
from archiv.api.site import api


@dataclass(frozen=True)
class Field:
    """One parameter of a route, or one field of a body."""

    name: str
    where: str
    kind: str
    required: bool
    words: str


@dataclass(frozen=True)
class Route:
    """One route as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    capability: str
    fields: tuple[Field, ...]
    answers: tuple["Answer", ...]


@dataclass(frozen=True)
class Answer:
    """One status that a route answers with, and the shape of what comes; empty for a file or nothing."""

    status: str
    shape: str


@dataclass(frozen=True)
class Shape:
    """What a body or an answer consists of."""

    name: str
    words: str
    fields: tuple[Field, ...]


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show every route with its parameters, its answers, and the capability that it needs."""
    return render(request, "api/reference.html", {"groups": _groups(), "shapes": _shapes()})


@cache
def _groups() -> dict[str, list[Route]]:
    schema = api.get_openapi_schema()
    groups: dict[str, list[Route]] = {}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            route = Route(
                id=operation["operationId"],
                method=method.upper(),
                path=path,
                summary=operation["summary"],
                description=operation.get("description", ""),
                capability=operation[MARK],
                fields=tuple(_fields(schema, operation)),
                answers=tuple(_answers(operation)),
            )
            groups.setdefault(operation["tags"][0], []).append(route)
    return groups


@cache
def _shapes() -> list[Shape]:
    shapes: dict[str, Any] = api.get_openapi_schema()["components"]["schemas"]
    return [
        Shape(
            name,
            shape.get("description", ""),
            tuple(
                Field(key, "", _kind(one), key in shape.get("required", ()), one.get("description", ""))
                for key, one in shape.get("properties", {}).items()
            ),
        )
        for name, shape in sorted(shapes.items())
    ]


def _answers(operation: dict[str, Any]) -> Iterator[Answer]:
    for status, answer in operation["responses"].items():
        if status == "default":
            continue
        content = answer.get("content", {}).get("application/json", {}).get("schema", {})
        yield Answer(str(status), _kind(content) if "$ref" in content else "")


def _fields(schema: dict[str, Any], operation: dict[str, Any]) -> Iterator[Field]:
    for parameter in operation.get("parameters", ()):
        yield Field(
            parameter["name"],
            parameter["in"],
            _kind(parameter["schema"]),
            bool(parameter.get("required")),
            parameter.get("description", ""),
        )
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        body = content["schema"]
        if "$ref" in body:
            body = schema["components"]["schemas"][body["$ref"].rpartition("/")[2]]
        for name, one in body.get("properties", {}).items():
            yield Field(
                name, media_type, _kind(one), name in body.get("required", ()), one.get("description", "")
            )


def _kind(shape: dict[str, Any]) -> str:
    """Return the type of a value in a few words."""
    if "anyOf" in shape:
        return " or ".join(_kind(one) for one in shape["anyOf"])
    if "items" in shape:
        return f"list of {_kind(shape['items'])}"
    if isinstance(shape.get("additionalProperties"), dict):
        return f"object of {_kind(shape['additionalProperties'])}"
    if "const" in shape:
        return str(shape["const"])
    if "enum" in shape:
        return ", ".join(map(str, shape["enum"]))
    return str(shape.get("format") or shape.get("type") or shape.get("$ref", "").rpartition("/")[2])
