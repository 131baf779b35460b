"""What rules and former filing propose for one text, and what a document is filed under then (pure)."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from documents.filing.deciding import (
    Change,
    Filed,
    FilingState,
    LabelKind,
    Proposal,
    SetBy,
    Verb,
)
from documents.filing.features import find_features
from documents.filing.matcher import Matcher, Stopped
from documents.filing.scoring import Counts, suggest


@dataclass(frozen=True)
class Knowledge:
    """What a tenant knows when a document is filed: rules, labels, counts, and where the document stands."""

    matcher: Matcher
    kinds: Mapping[uuid.UUID, LabelKind]
    names: Mapping[uuid.UUID, str]
    counts: Mapping[LabelKind, Counts] = field(default_factory=dict)
    filed: tuple[Filed, ...] = ()
    apply_above: float | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """Proposals, those of rules first, and the rules that had to be stopped."""

    proposals: tuple[Proposal, ...] = ()
    stopped: tuple[Stopped, ...] = ()


def propose(text: str, *, filename: str, knowledge: Knowledge) -> Proposed:
    """Return what the rules say of a text and of the name of its file, then what former filing suggests."""
    matches = knowledge.matcher.match(f"{filename}\n{text}")
    proposals = [
        Proposal(hit.rule.label, knowledge.kinds[hit.rule.label], SetBy.RULE, (hit.found,), hit.rule.id)
        for hit in matches.hits
        if hit.rule.label in knowledge.kinds
    ]
    if knowledge.counts:
        features = find_features(text, filename=filename)
        for kind, counted in knowledge.counts.items():
            proposals += suggest(kind, features, counted)
    return Proposed(tuple(proposals), matches.stopped)


def labels_after(filed: Iterable[Filed], changes: Iterable[Change]) -> dict[LabelKind, tuple[uuid.UUID, ...]]:
    """Return what a document is filed under once the changes have been made, by kind."""
    labels = {row.label: row.kind for row in filed if row.state is FilingState.FILED}
    for change in changes:
        if change.verb is Verb.DROP:
            labels.pop(change.label, None)
        elif change.verb is Verb.FILE:
            labels[change.label] = change.kind
    return {kind: tuple(label for label, of in labels.items() if of is kind) for kind in LabelKind}
