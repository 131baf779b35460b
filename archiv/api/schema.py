"""What the schema says besides what django-ninja finds in the views: the errors that each route may have."""

from http import HTTPStatus
from typing import Any

from archiv.api.errors import PROBLEM, Problem
from archiv.api.routes import MARK, PUBLIC

#: Of any route: it cannot be read, too often, took too long or something that it needs is away.
_ALWAYS = (400, 429, 503)


def name_errors(schema: Any) -> None:
    """Add to each operation the statuses of its errors, all of the one shape. There are no others."""
    shape = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schema["components"].setdefault("schemas", {})["Problem"] = shape
    content = {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            for status in sorted(_statuses(method, operation)):
                words = HTTPStatus(status).phrase
                operation["responses"].setdefault(status, {"description": words, "content": content})


def _statuses(method: str, operation: Any) -> set[int]:
    given: list[Any] = operation.get("parameters", [])
    body: dict[str, Any] = operation.get("requestBody", {}).get("content", {})
    found = {*_ALWAYS}
    if operation[MARK] != PUBLIC or body:  # also signing in: 403 in a session without X-CSRFToken
        found |= {401, 403}
    if body or any(one["in"] == "path" for one in given):
        found |= {404}
    if body or any(one["in"] in ("path", "query") for one in given):
        found |= {422}
    if method != "get":
        found |= {409}
    if body:
        found |= {413}
    if any(kind != "application/json" for kind in body):  # bytes of a file
        found |= {411, 507}
    for one in given:
        if one["name"] == "If-Match":
            found |= {412, 428} if one["required"] else {412}
        if one["name"] == "Range":  # what the vault has lost or holds damaged
            found |= {410}
        if one["name"] == "Idempotency-Key":  # the body is compared, whatever is in it
            found |= {413, 422}
    return found
