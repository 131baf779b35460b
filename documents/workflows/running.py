"""Running workflows one after the other on the facts of a document (pure): effects come out, no more."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from documents.filing import LabelKind, Matcher
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
from documents.workflows.conditions import Conditions, Facts, find_unmet


@dataclass(frozen=True)
class Flow:
    """One workflow, ready to be run. Make it by `make`, which gets the condition on the text ready too."""

    id: uuid.UUID
    name: str
    conditions: Conditions
    actions: tuple[Action, ...]
    matcher: Matcher | None = None

    @classmethod
    def make(cls, id: uuid.UUID, name: str, conditions: Conditions, actions: tuple[Action, ...]) -> "Flow":
        """Return the workflow with its condition on the text made ready."""
        return cls(id, name, conditions, actions, Matcher([conditions.text]) if conditions.text else None)


@dataclass(frozen=True)
class ActionResult:
    """What came of one action: its name as in JSON, what it was about, and whether it changed anything."""

    do: str
    what: str = ""
    changed: bool = True


@dataclass(frozen=True)
class FlowResult:
    """What came of one workflow. `unmet` names the condition that did not hold; empty: it was run."""

    flow: Flow
    unmet: str = ""
    actions: tuple[ActionResult, ...] = ()


@dataclass
class Effects:
    """What all workflows together want done, in the order in which they said it."""

    added: dict[uuid.UUID, LabelKind] = field(default_factory=dict)
    removed: set[uuid.UUID] = field(default_factory=set)
    title_template: str = ""
    retention_class: str = ""
    notes: list[tuple[uuid.UUID, str]] = field(default_factory=list)
    webhooks: list[tuple[uuid.UUID, str]] = field(default_factory=list)


def run_flows(flows: Iterable[Flow], facts: Facts) -> tuple[Effects, tuple[FlowResult, ...]]:
    """Run workflows in their order; what one files is seen by the conditions of the next."""
    effects, results = Effects(), []
    for flow in flows:
        unmet = find_unmet(flow.conditions, facts, flow.matcher)
        if unmet:
            results.append(FlowResult(flow, unmet))
            continue
        done = []
        for action in flow.actions:
            facts, result = _act(flow, action, facts, effects)
            done.append(result)
        results.append(FlowResult(flow, actions=tuple(done)))
    return effects, tuple(results)


def _act(flow: Flow, action: Action, facts: Facts, effects: Effects) -> tuple[Facts, ActionResult]:
    match action:
        case AddTags(tags):
            return _add(facts, effects, LabelKind.TAG, tags, "add_tags")
        case SetLabel(kind, label):
            for other in facts.labels.get(kind, frozenset()) - {label}:
                effects.added.pop(other, None)
            return _add(facts, effects, kind, (label,), f"set_{kind}")
        case RemoveTags(tags):
            there = facts.labels.get(LabelKind.TAG, frozenset())
            effects.removed |= set(tags)
            for tag in tags:
                effects.added.pop(tag, None)
            result = ActionResult("remove_tags", _join(tags), changed=bool(there & set(tags)))
            return _with(facts, LabelKind.TAG, there - set(tags)), result
        case SetTitle(template):
            effects.title_template = template
            return facts, ActionResult("set_title", template)
        case SetRetentionClass(name):
            effects.retention_class = name
            return facts, ActionResult("set_retention_class", name)
        case AddNote(text):
            effects.notes.append((flow.id, text))
            return facts, ActionResult("add_note", text)
        case CallWebhook(url):
            effects.webhooks.append((flow.id, url))
            return facts, ActionResult("call_webhook", url)


def _add(
    facts: Facts, effects: Effects, kind: LabelKind, labels: Sequence[uuid.UUID], do: str
) -> tuple[Facts, ActionResult]:
    there = facts.labels.get(kind, frozenset())
    for label in labels:
        effects.added[label] = kind
        effects.removed.discard(label)
    after = frozenset(labels) if kind.is_single else there | set(labels)
    return _with(facts, kind, after), ActionResult(do, _join(labels), changed=after != there)


def _with(facts: Facts, kind: LabelKind, labels: frozenset[uuid.UUID]) -> Facts:
    return replace(facts, labels={**facts.labels, kind: labels})


def _join(labels: Iterable[uuid.UUID]) -> str:
    return " ".join(map(str, labels))
