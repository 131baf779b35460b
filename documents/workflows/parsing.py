"""Reading workflows from JSON (pure). What is wrong is told with its place and with what would be right."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from documents.filing import BadPattern, LabelKind, Rule, RuleKind, check_rule
from documents.filing.rules import USUAL_LIKENESS
from documents.workflows.actions import (
    Action,
    AddNote,
    AddTags,
    CallWebhook,
    RemoveTags,
    SetLabel,
    SetRetentionClass,
    SetTitle,
)
from documents.workflows.conditions import Conditions

SOURCES = ("admin", "api", "import", "mail")
#: Actions of a workflow, values in a list, and characters of a text.
MOST_ACTIONS, MOST_VALUES, MOST_CHARACTERS = 20, 50, 1000
#: Stands for the label of the rule on the text, which files nothing.
_NOBODY = uuid.UUID(int=0)

#: Turns what stands for a label (its id, or its name) into its id. Raises `BadWorkflow`.
Resolve = Callable[[LabelKind, str], uuid.UUID]


class BadWorkflow(ValueError):
    """The workflow cannot be used; the message says where and why."""


def parse_conditions(data: Any, resolve: Resolve) -> Conditions:
    """Return the conditions that `data` (as it comes from JSON) states. Raises `BadWorkflow`."""
    given = _mapping(
        data,
        "conditions",
        ("source", "filename", "type", "text", "issued", "tags", "correspondent", "document_type"),
    )
    issued = _mapping(given.get("issued", {}), "conditions.issued", ("from", "to"))
    tags = _mapping(given.get("tags", {}), "conditions.tags", ("any", "all", "none"))
    first, last = (_day(issued.get(key), f"conditions.issued.{key}") for key in ("from", "to"))
    if first and last and first > last:
        raise BadWorkflow("conditions.issued: the first day comes after the last one.")
    return Conditions(
        sources=_choices(given.get("source", []), "conditions.source", SOURCES),
        filenames=_strings(given.get("filename", []), "conditions.filename"),
        media_types=_strings(given.get("type", []), "conditions.type"),
        text=_rule(given["text"]) if "text" in given else None,
        issued_from=first,
        issued_to=last,
        any_tags=_labels(tags.get("any", []), "conditions.tags.any", LabelKind.TAG, resolve),
        all_tags=_labels(tags.get("all", []), "conditions.tags.all", LabelKind.TAG, resolve),
        no_tags=_labels(tags.get("none", []), "conditions.tags.none", LabelKind.TAG, resolve),
        correspondents=_labels(
            given.get("correspondent", []), "conditions.correspondent", LabelKind.CORRESPONDENT, resolve
        ),
        document_types=_labels(
            given.get("document_type", []), "conditions.document_type", LabelKind.DOCUMENT_TYPE, resolve
        ),
    )


def parse_actions(
    data: Any, resolve: Resolve, *, check_template: Callable[[str], str] = lambda template: template
) -> tuple[Action, ...]:
    """Return the actions that `data` (as it comes from JSON) states, in their order. Raises `BadWorkflow`.

    `check_template` returns a template for titles as it is stored, or raises `BadWorkflow`.
    """
    if not isinstance(data, list) or not data:
        raise BadWorkflow(
            'actions: write a list with at least one action, such as [{"do": "add_note", "text": "…"}].'
        )
    if len(data) > MOST_ACTIONS:
        raise BadWorkflow(f"actions: at most {MOST_ACTIONS} of them; make two workflows.")
    return tuple(
        _action(entry, f"actions[{number}]", resolve, check_template)
        for number, entry in enumerate(data, start=1)
    )


def references(conditions: Conditions, actions: Sequence[Action]) -> Iterator[tuple[LabelKind, uuid.UUID]]:
    """Yield every label that a workflow names."""
    for label in (*conditions.any_tags, *conditions.all_tags, *conditions.no_tags):
        yield LabelKind.TAG, label
    for label in conditions.correspondents:
        yield LabelKind.CORRESPONDENT, label
    for label in conditions.document_types:
        yield LabelKind.DOCUMENT_TYPE, label
    for action in actions:
        match action:
            case AddTags(tags) | RemoveTags(tags):
                for tag in tags:
                    yield LabelKind.TAG, tag
            case SetLabel(kind, label):
                yield kind, label


_FIELD_OF = {
    "add_tags": "tags",
    "remove_tags": "tags",
    "set_correspondent": "correspondent",
    "set_document_type": "document_type",
    "set_title": "template",
    "set_retention_class": "name",
    "add_note": "text",
    "call_webhook": "url",
}


def _action(entry: Any, where: str, resolve: Resolve, check_template: Callable[[str], str]) -> Action:
    do = entry.get("do") if isinstance(entry, dict) else None
    if not isinstance(do, str) or do not in _FIELD_OF:
        raise BadWorkflow(f'{where}: "do" is one of {", ".join(_FIELD_OF)}.')
    field = _FIELD_OF[do]
    given = _mapping(entry, where, ("do", field))
    if field not in given:
        raise BadWorkflow(f'{where}: {do} needs "{field}".')
    value, where = given[field], f"{where}.{field}"
    if field == "tags":
        tags = _labels(value, where, LabelKind.TAG, resolve)
        if not tags:
            raise BadWorkflow(f"{where}: name at least one tag.")
        return AddTags(tags) if do == "add_tags" else RemoveTags(tags)
    text = _string(value, where)
    match do:
        case "set_correspondent" | "set_document_type":
            kind = LabelKind(field)
            return SetLabel(kind, _resolve(text, where, kind, resolve))
        case "set_title":
            try:
                return SetTitle(check_template(text))
            except BadWorkflow as error:
                raise BadWorkflow(f"{where}: {error}") from error
        case "set_retention_class":
            return SetRetentionClass(text)
        case "add_note":
            return AddNote(text)
        case _:
            return CallWebhook(_url(text, where))


def _url(text: str, where: str) -> str:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise BadWorkflow(f"{where}: {text!r} is no address: {error}.") from error
    if parts.scheme not in ("https", "http") or not parts.hostname or port == 0:
        raise BadWorkflow(f"{where}: write a whole address, such as https://example.org/hook.")
    if parts.username is not None or parts.password is not None:
        raise BadWorkflow(f"{where}: no name and password in an address; the signature says who calls.")
    if not text.isascii() or any(c.isspace() or ord(c) < 32 for c in text):
        raise BadWorkflow(f"{where}: write the address in plain ASCII, other characters percent-encoded.")
    return text


def _rule(data: Any) -> Rule:
    given = _mapping(data, "conditions.text", ("kind", "pattern", "likeness"))
    kinds = [str(kind) for kind in RuleKind if kind is not RuleKind.NONE]
    kind, pattern = given.get("kind", "any"), given.get("pattern")
    likeness = given.get("likeness", USUAL_LIKENESS)
    if kind not in kinds:
        raise BadWorkflow(f"conditions.text.kind: one of {', '.join(kinds)}.")
    if not isinstance(likeness, int) or isinstance(likeness, bool):
        raise BadWorkflow("conditions.text.likeness: a whole number of percent.")
    checked = _string(pattern, "conditions.text.pattern")
    try:
        check_rule(kind=RuleKind(kind), pattern=checked, likeness=likeness)
    except BadPattern as error:
        raise BadWorkflow(f"conditions.text.pattern: {error}") from error
    return Rule(_NOBODY, _NOBODY, RuleKind(kind), checked, likeness)


def _mapping(data: Any, where: str, known: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise BadWorkflow(f"{where}: write an object, with some of {', '.join(known)}.")
    unknown = sorted(str(key) for key in data if key not in known)
    if unknown:
        raise BadWorkflow(f"{where}: there is no {unknown[0]!r}. There are: {', '.join(known)}.")
    return data


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadWorkflow(f"{where}: write a text.")
    if len(value) > MOST_CHARACTERS:
        raise BadWorkflow(f"{where}: at most {MOST_CHARACTERS} characters.")
    if "\0" in value or any(0xD800 <= ord(character) <= 0xDFFF for character in value):
        raise BadWorkflow(f"{where}: there is a character in it that cannot be stored.")
    return value.strip()


def _strings(value: Any, where: str) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or len(values) > MOST_VALUES:
        raise BadWorkflow(f"{where}: write a text, or a list of at most {MOST_VALUES}.")
    return tuple(_string(each, where) for each in values)


def _choices(value: Any, where: str, choices: Sequence[str]) -> tuple[str, ...]:
    chosen = _strings(value, where)
    for each in chosen:
        if each not in choices:
            raise BadWorkflow(f"{where}: {each!r} is none of {', '.join(choices)}.")
    return chosen


def _labels(value: Any, where: str, kind: LabelKind, resolve: Resolve) -> tuple[uuid.UUID, ...]:
    return tuple(dict.fromkeys(_resolve(each, where, kind, resolve) for each in _strings(value, where)))


def _resolve(text: str, where: str, kind: LabelKind, resolve: Resolve) -> uuid.UUID:
    try:
        return resolve(kind, text)
    except BadWorkflow as error:
        raise BadWorkflow(f"{where}: {error}") from error


def _day(value: Any, where: str) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise BadWorkflow(f"{where}: write a day as 2026-01-31.") from error
