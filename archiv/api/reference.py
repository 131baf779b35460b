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

from archiv.api.errors import AWAY, ERRORS, FORGED, INTERNAL, PROBLEM, TOOK_TOO_LONG
from archiv.api.routes import MARK
from archiv.api.site import api

#: Codes of several errors in more general words, and those of errors that have none of ours.
_WORDS = {
    "bad_name": "A name like this cannot be.",
    "bad_request": "The request cannot be read: its JSON, its form, or a header.",
    "body_cut_off": "Fewer bytes came than were announced: nothing was stored.",
    "file_missing": "The file is not in the vault.",
    "invalid_request": "The request is not as the schema says: `errors` names each part and what is wrong.",
    "name_taken": "There is one of this name already.",
    "not_found": "There is nothing at this address, or the tenant has no such thing.",
    "refused": "This cannot be done to it as it is now: `detail` says why.",
    "too_large": "A body without a file has 2.5 MB at most.",
    "too_many": "The tenant has as many of these as there may be.",
}
_UNFORESEEN = (
    (FORGED, 403, "A session changes things only with X-CSRFToken."),
    (INTERNAL, 500, "Something went wrong in the archive; it was logged with the number of the request."),
    (AWAY, 503, "The database does not answer, or had to let others go first: try again after Retry-After."),
    (TOOK_TOO_LONG, 503, "The query was stopped: ask for less at a time."),
)


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
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """One status that a route answers with, and the shape of what comes; empty for a file or nothing."""

    status: str
    shape: str


@dataclass(frozen=True)
class Code:
    """A code of an error, and what it means in general; `detail` in an answer is more exact."""

    code: str
    status: int
    words: str


@dataclass(frozen=True)
class Shape:
    """What a body or an answer consists of."""

    name: str
    words: str
    fields: tuple[Field, ...]


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show every route with its parameters, its answers, and the capability that it needs."""
    return render(
        request, "api/reference.html", {"groups": _groups(), "shapes": _shapes(), "codes": _codes()}
    )


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
                problems=tuple(status for status, answer in _by_status(operation) if _is_problem(answer)),
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
    for status, answer in _by_status(operation):
        if _is_problem(answer):
            continue
        content = answer.get("content", {}).get("application/json", {}).get("schema", {})
        yield Answer(status, _kind(content) if "$ref" in content else "")


def _by_status(operation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(str(status), answer) for status, answer in operation["responses"].items()]


def _is_problem(answer: dict[str, Any]) -> bool:
    return PROBLEM in answer.get("content", {})


@cache
def _codes() -> list[Code]:
    """Return every code once, with the words of the first of its errors."""
    found: dict[str, Code] = {}
    for error, (status, code) in ERRORS.items():
        words = " ".join((error.__doc__ or "").split("\n\n")[0].split())
        found.setdefault(code, Code(code, status, _WORDS.get(code, words)))
    found |= {code: Code(code, status, words) for code, status, words in _UNFORESEEN}
    return [found[code] for code in sorted(found)]


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
