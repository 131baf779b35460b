"""Every route of the API, found from its schema, and how it is called in tests."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from archiv.api.routes import MARK
from archiv.api.site import api

#: What is asked with, where a route must be asked with something.
QUERIES = {"q": "quarz"}


@dataclass(frozen=True)
class Route:
    """One operation of the schema."""

    id: str
    method: str
    path: str
    capability: str
    parameters: tuple[str, ...]
    #: Names of what must stand behind the question mark.
    required: tuple[str, ...]
    needs_body: bool
    #: Names of the headers that it reads.
    headers: tuple[str, ...]

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the address below `/api` with its parameters filled in."""
        path = self.path.removeprefix("/api")
        for name in self.parameters:
            path = path.replace(f"{{{name}}}", values[name])
        query = "&".join(f"{name}={QUERIES[name]}" for name in self.required)
        return f"{path}?{query}" if query else path


def routes() -> Iterator[Route]:
    """Yield every operation."""
    for path, operations in api.get_openapi_schema()["paths"].items():
        for method, operation in operations.items():
            names: dict[str, list[str]] = {"path": [], "query": [], "header": []}
            for one in operation.get("parameters", ()):
                if one["in"] in ("path", "header") or (one["in"] == "query" and one.get("required")):
                    names[one["in"]].append(one["name"])
            yield Route(
                operation["operationId"],
                method.upper(),
                path,
                operation.get(MARK, ""),
                tuple(names["path"]),
                tuple(names["query"]),
                "requestBody" in operation,
                tuple(names["header"]),
            )


ROUTES = {route.id: route for route in routes()}

_KINDS = ("tag", "correspondent", "document_type")
_ACTIONS = [{"do": "add_note", "text": "Gelesen."}]
#: Routes that are told in their bodies which documents they are about, or whom.
NAMED_IN_BODY = ("bulk", "join", "sign_in", "try_on", "preview", "apply", "dry_run")

#: What each route with a body is sent, given what is known of a tenant; a new one without an entry fails.
BODIES: Mapping[str, Any] = {
    "store": lambda known: b"bytes of its own",
    "edit": lambda known: {"title": "Meins", "tags": []},
    "make_link": lambda known: {"seconds": 60},
    "classify": lambda known: {"name": "books"},
    "make_retention_class": lambda known: {"name": "Bauakten", "years": 30},
    "bulk": lambda known: {"action": "trash", "document_ids": [known["document_id"]]},
    "join": lambda known: {"user_id": known["user_id"], "capability_set": "readonly"},
    "promote": lambda known: {"capability_set": "readonly"},
    "make_set": lambda known: {"name": "Scanner", "capabilities": ["documents:upload"]},
    "fill_set": lambda known: {"capabilities": ["documents:read"]},
    "mint": lambda known: {"name": "Scanner", "capability_set": "user"},
    "create_tag": lambda known: {"name": "Dach"},
    "create_correspondent": lambda known: {"name": "Dachdecker"},
    "create_document_type": lambda known: {"name": "Angebot"},
    "rename_tag": lambda known: {"name": "Meins"},
    "rename_correspondent": lambda known: {"name": "Meins"},
    "rename_document_type": lambda known: {"name": "Meins"},
    **{f"merge_{kind}": lambda known: {"into": known["label_id"]} for kind in _KINDS},
    **{f"add_{kind}_rule": lambda known: {"pattern": "Dach"} for kind in _KINDS},
    **{f"change_{kind}_rule": lambda known: {"kind": "all", "pattern": "Dach"} for kind in _KINDS},
    "try_on": lambda known: {"pattern": "a", "document_ids": [known["document_id"]]},
    "preview": lambda known: {"document_ids": [known["document_id"]]},
    "apply": lambda known: {"document_ids": [known["document_id"]]},
    "make_workflow": lambda known: {"name": "Ablage", "actions": _ACTIONS},
    "define_workflow": lambda known: {"name": "Ablage", "actions": _ACTIONS},
    "dry_run": lambda known: {"document_id": known["document_id"], "actions": _ACTIONS},
    "file_document": lambda known: {"add": [known["label_id"]]},
    "take_date": lambda known: {"issued_at": "2024-05-26"},
    "sign_in": lambda known: {
        "username": known.get("username", "nobody"),
        "password": known.get("password", "nothing"),
        "tenant_id": known["tenant_id"],
    },
}
