"""Every route of the API, found from its schema, and how it is called in tests."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from archiv.api.routes import MARK
from archiv.api.site import api


@dataclass(frozen=True)
class Route:
    """One operation of the schema."""

    id: str
    method: str
    path: str
    capability: str
    parameters: tuple[str, ...]

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the path below `/api` with its parameters filled in."""
        path = self.path.removeprefix("/api")
        for name in self.parameters:
            path = path.replace(f"{{{name}}}", values[name])
        return path


def routes() -> Iterator[Route]:
    """Yield every operation."""
    for path, operations in api.get_openapi_schema()["paths"].items():
        for method, operation in operations.items():
            names = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "path"]
            yield Route(operation["operationId"], method.upper(), path, operation.get(MARK, ""), tuple(names))


ROUTES = {route.id: route for route in routes()}

#: What each route with a body is sent, given what is known of a tenant; a new one without an entry fails.
BODIES: Mapping[str, Any] = {
    "store": lambda known: b"bytes of its own",
    "edit": lambda known: {"title": "Meins"},
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
    "file_document": lambda known: {"add": [known["label_id"]]},
    "sign_in": lambda known: {"username": "nobody", "password": "nothing", "tenant_id": known["tenant_id"]},
}


def needs_body(route: Route) -> bool:
    """Tell whether the schema asks for a body."""
    operation = api.get_openapi_schema()["paths"][route.path][route.method.lower()]
    return "requestBody" in operation
