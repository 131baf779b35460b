"""Conditions and actions of workflows in the schema; `documents.workflows` reads and checks them."""

from typing import Any

from documents.filing.rules import LEAST_LIKENESS, MAX_PATTERN, RuleKind
from documents.workflows.parsing import MOST_ACTIONS, MOST_CHARACTERS, MOST_VALUES, SOURCES

_TEXT = {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS, "pattern": r"^[^\x00]*$"}
_LABEL = {**_TEXT, "description": "By id or by name."}
_DAY = {"type": ["string", "null"], "format": "date"}


def _some(values: dict[str, Any], *, least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": values, "minItems": least, "maxItems": MOST_VALUES}


def _object(fields: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "additionalProperties": False,
    }


CONDITIONS: dict[str, Any] = {
    **_object(
        {
            "source": _some({"type": "string", "enum": list(SOURCES)}),
            "filename": _some(_TEXT),
            "type": _some(_TEXT),
            "text": _object(
                {
                    "kind": {"type": "string", "enum": [kind.value for kind in RuleKind if kind != "none"]},
                    "pattern": {**_TEXT, "maxLength": MAX_PATTERN},
                    "likeness": {"type": "integer", "minimum": LEAST_LIKENESS, "maximum": 100},
                },
                ("pattern",),
            ),
            "issued": _object({"from": _DAY, "to": _DAY}),
            "tags": _object({name: _some(_LABEL) for name in ("any", "all", "none")}),
            "correspondent": _some(_LABEL),
            "document_type": _some(_LABEL),
        }
    ),
    "default": {},
    "description": "All must hold; none: always. See the how-to on workflows.",
}


def _action(do: str, field: str, value: dict[str, Any]) -> dict[str, Any]:
    return _object({"do": {"type": "string", "enum": [do]}, field: value}, ("do", field))


ACTIONS: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": MOST_ACTIONS,
    "items": {
        "oneOf": [
            _action("add_tags", "tags", _some(_LABEL, least=1)),
            _action("remove_tags", "tags", _some(_LABEL, least=1)),
            _action("set_correspondent", "correspondent", _LABEL),
            _action("set_document_type", "document_type", _LABEL),
            _action("set_title", "template", _TEXT),
            _action("set_retention_class", "name", _TEXT),
            _action("add_note", "text", _TEXT),
            _action("call_webhook", "url", {**_TEXT, "format": "uri"}),
        ]
    },
    "description": "Done in their order. See the how-to on workflows.",
}
