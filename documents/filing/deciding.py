"""What becomes of proposals (pure): what a person has set, taken away or refused stays as it is."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class LabelKind(StrEnum):
    """What a label says of a document. A document has any number of tags, and at most one of the others."""

    TAG = "tag"
    CORRESPONDENT = "correspondent"
    DOCUMENT_TYPE = "document_type"

    @property
    def is_single(self) -> bool:
        """Whether a document has at most one label of this kind."""
        return self is not LabelKind.TAG


class FilingState(StrEnum):
    """Where a document stands to a label."""

    FILED = "filed"  # it has it
    SUGGESTED = "suggested"  # it may get it: a person has not looked yet
    REFUSED = "refused"  # a person has refused the suggestion
    REMOVED = "removed"  # it had it, and a person has taken it away


class SetBy(StrEnum):
    """Who decided."""

    PERSON = "person"
    RULE = "rule"
    SUGGESTION = "suggestion"
    WORKFLOW = "workflow"


class Verb(StrEnum):
    """What a change does."""

    FILE = "file"
    SUGGEST = "suggest"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Filed:
    """Where a document stands to one label now."""

    label: uuid.UUID
    kind: LabelKind
    state: FilingState
    set_by: SetBy


@dataclass(frozen=True, slots=True)
class Proposal:
    """A label that a rule, a workflow or former filing proposes, the best first among those of one kind.

    `confidence` from 0 to 1; a rule has 1. `because` are the words that speak for it.
    """

    label: uuid.UUID
    kind: LabelKind
    by: SetBy
    because: tuple[str, ...] = ()
    rule: uuid.UUID | None = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Change:
    """One thing to be done with one label of a document. A dropped one has no proposal."""

    verb: Verb
    label: uuid.UUID
    kind: LabelKind
    proposal: Proposal | None = None


def decide(
    current: Iterable[Filed],
    proposals: Iterable[Proposal],
    *,
    apply_above: float | None = None,
    take_back: bool = False,
) -> tuple[Change, ...]:
    """Return what to do about a document.

    What rules and workflows propose is filed; what former filing suggests only with a confidence of
    `apply_above` or more (None: never), else it is suggested. A person's word stands, then that of a
    workflow, then that of a rule, then a suggestion: a single label gives way only to what ranks as high, and
    never to a suggestion; once a person has taken one away, none of its kind comes by itself. What a workflow
    has taken away, another workflow may bring back. Suggestions that are made no more are dropped, and with
    `take_back` also what rules and suggestions have filed and propose no more.
    """
    rows = tuple(current)
    closed = {row.label: row for row in rows if row.state in (FilingState.REFUSED, FilingState.REMOVED)}
    open_to = [each for each in proposals if each.label not in closed or _reopens(each, closed[each.label])]
    changes: list[Change] = []
    for kind in LabelKind:
        of_kind = [each for each in open_to if each.kind is kind]
        those = [row for row in rows if row.kind is kind]
        changes += (
            _decide_single(those, of_kind, apply_above)
            if kind.is_single
            else _decide_many(those, of_kind, apply_above)
        )
    touched = {change.label for change in changes}
    proposed = {each.label for each in open_to}
    changes += [
        Change(Verb.DROP, row.label, row.kind)
        for row in rows
        if row.label not in touched and _is_outdated(row, proposed, take_back=take_back)
    ]
    return tuple(changes)


def _decide_many(rows: list[Filed], proposals: list[Proposal], apply_above: float | None) -> list[Change]:
    filed = {row.label: row for row in rows if row.state is FilingState.FILED}
    changes: dict[uuid.UUID, Change] = {}
    for proposal in proposals:
        if proposal.label in changes:
            continue
        if proposal.label in filed and not _confirms(proposal, filed[proposal.label]):
            continue
        changes[proposal.label] = _accept(proposal, apply_above)
    return list(changes.values())


def _decide_single(rows: list[Filed], proposals: list[Proposal], apply_above: float | None) -> list[Change]:
    holder = next((row for row in rows if row.state is FilingState.FILED), None)
    if (holder is not None and holder.set_by is SetBy.PERSON) or _was_emptied(rows, holder):
        return []
    by_workflow = holder is not None and holder.set_by is SetBy.WORKFLOW
    stronger = (SetBy.WORKFLOW,) if by_workflow else (SetBy.WORKFLOW, SetBy.RULE)
    certain = [each for each in proposals if each.by in stronger]
    if certain:
        best = certain[0]
        if holder is None:
            return [_accept(best, apply_above)]
        if holder.label == best.label:
            return [_accept(best, apply_above)] if _confirms(best, holder) else []
        return [Change(Verb.DROP, holder.label, holder.kind), _accept(best, apply_above)]
    if holder is None and proposals:
        return [_accept(proposals[0], apply_above)]
    return []


def _reopens(proposal: Proposal, row: Filed) -> bool:
    """Whether a workflow wants what a workflow, and no person, has taken away."""
    return row.state is FilingState.REMOVED and row.set_by is proposal.by is SetBy.WORKFLOW


def _confirms(proposal: Proposal, row: Filed) -> bool:
    """Whether a workflow wants what only a rule or a suggestion has filed: from then on it is its word."""
    return proposal.by is SetBy.WORKFLOW and row.set_by in (SetBy.RULE, SetBy.SUGGESTION)


def _was_emptied(rows: list[Filed], holder: Filed | None) -> bool:
    return holder is None and any(row.state is FilingState.REMOVED for row in rows)


def _accept(proposal: Proposal, apply_above: float | None) -> Change:
    certain = proposal.by is not SetBy.SUGGESTION
    enough = apply_above is not None and proposal.confidence >= apply_above
    verb = Verb.FILE if certain or enough else Verb.SUGGEST
    return Change(verb, proposal.label, proposal.kind, proposal)


def _is_outdated(row: Filed, proposed: set[uuid.UUID], *, take_back: bool) -> bool:
    """Tell whether nothing speaks for a row any more that only rules or suggestions had spoken for."""
    if row.label in proposed:
        return False
    if row.state is FilingState.SUGGESTED:
        return True
    return take_back and row.state is FilingState.FILED and row.set_by in (SetBy.RULE, SetBy.SUGGESTION)
