"""Whose word counts when a document is filed."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.filing import (
    Change,
    Filed,
    FilingState,
    LabelKind,
    Proposal,
    SetBy,
    Verb,
    decide,
    labels_after,
)

A, B = uuid.UUID(int=1), uuid.UUID(int=2)
TAG, SENDER = LabelKind.TAG, LabelKind.CORRESPONDENT


def filed(label: uuid.UUID, kind: LabelKind, state: str = "filed", by: str = "person") -> Filed:
    return Filed(label, kind, FilingState(state), SetBy(by))


def proposed(label: uuid.UUID, kind: LabelKind, by: str = "rule", confidence: float = 1.0) -> Proposal:
    return Proposal(label, kind, SetBy(by), confidence=confidence)


def told(changes: tuple[Change, ...]) -> list[tuple[str, uuid.UUID]]:
    return [(str(change.verb), change.label) for change in changes]


def test_what_a_rule_says_is_filed_and_what_former_filing_says_is_suggested() -> None:
    changes = decide([], [proposed(A, TAG), proposed(B, TAG, "suggestion", 0.99)])
    assert told(changes) == [("file", A), ("suggest", B)]


def test_a_suggestion_is_filed_from_the_confidence_on_that_the_tenant_has_set() -> None:
    likely, doubtful = proposed(A, TAG, "suggestion", 0.9), proposed(B, TAG, "suggestion", 0.89)
    assert told(decide([], [likely, doubtful], apply_above=0.9)) == [("file", A), ("suggest", B)]


@pytest.mark.parametrize("state", ["removed", "refused"])
@pytest.mark.parametrize("kind", [TAG, SENDER])
def test_what_a_person_has_taken_away_or_refused_does_not_come_back(state: str, kind: LabelKind) -> None:
    assert decide([filed(A, kind, state)], [proposed(A, kind)], take_back=True) == ()


def test_a_single_label_that_a_person_has_set_stays() -> None:
    assert decide([filed(A, SENDER)], [proposed(B, SENDER)], take_back=True) == ()


def test_where_a_person_has_taken_the_single_label_away_none_comes_by_itself() -> None:
    assert decide([filed(A, SENDER, "removed")], [proposed(B, SENDER)]) == ()
    assert told(decide([filed(A, SENDER, "refused")], [proposed(B, SENDER)])) == [("file", B)]


def test_a_rule_takes_the_place_of_what_a_rule_or_a_suggestion_had_set() -> None:
    for by in ("rule", "suggestion"):
        changes = decide([filed(A, SENDER, by=by)], [proposed(B, SENDER)])
        assert told(changes) == [("drop", A), ("file", B)]


@pytest.mark.parametrize("by", ["rule", "suggestion"])
def test_what_a_workflow_has_set_gives_way_to_a_workflow_only(by: str) -> None:
    held = filed(A, SENDER, by="workflow")
    assert decide([held], [proposed(B, SENDER, by)], apply_above=0.5, take_back=True) == ()
    assert told(decide([held], [proposed(B, SENDER, "workflow")])) == [("drop", A), ("file", B)]
    removed = filed(A, TAG, "removed", by="workflow")
    assert decide([removed], [proposed(A, TAG, by)], apply_above=0.5) == ()
    assert told(decide([removed], [proposed(A, TAG, "workflow")])) == [("file", A)]


@pytest.mark.parametrize("kind", [TAG, SENDER])
def test_what_a_rule_had_filed_is_the_word_of_a_workflow_that_wants_it_too(kind: LabelKind) -> None:
    (change,) = decide([filed(A, kind, by="rule")], [proposed(A, kind, "workflow")])
    assert (change.verb, change.proposal and change.proposal.by) == (Verb.FILE, SetBy.WORKFLOW)
    assert decide([filed(A, kind, by="workflow")], [proposed(A, kind, "workflow")], take_back=True) == ()


def test_a_suggestion_takes_the_place_of_nothing() -> None:
    rows = [filed(A, SENDER, by="rule")]
    assert decide(rows, [proposed(B, SENDER, "suggestion", 1.0)], apply_above=0.5) == ()


def test_of_two_rules_for_a_single_label_the_first_wins() -> None:
    assert told(decide([], [proposed(B, SENDER), proposed(A, SENDER)])) == [("file", B)]


def test_suggestions_that_are_made_no_more_go_and_what_was_filed_only_when_asked_for() -> None:
    rows = [filed(A, TAG, "suggested", "suggestion"), filed(B, TAG, by="rule")]
    assert told(decide(rows, [])) == [("drop", A)]
    assert told(decide(rows, [], take_back=True)) == [("drop", A), ("drop", B)]


ROWS = st.lists(
    st.builds(
        Filed,
        st.sampled_from([uuid.UUID(int=n) for n in range(4)]),
        st.just(SENDER),
        st.sampled_from(list(FilingState)),
        st.sampled_from(list(SetBy)),
    ),
    unique_by=lambda row: row.label,
    max_size=4,
).filter(lambda rows: sum(row.state is FilingState.FILED for row in rows) <= 1)
PROPOSALS = st.lists(
    st.builds(
        Proposal,
        st.sampled_from([uuid.UUID(int=n) for n in range(4)]),
        st.just(SENDER),
        st.sampled_from(list(SetBy)),
        confidence=st.floats(0, 1),
    ),
    max_size=5,
)


@given(ROWS, PROPOSALS, st.booleans(), st.one_of(st.none(), st.floats(0.5, 1)))
def test_whatever_is_proposed_a_single_label_is_single_and_a_persons_word_stands(
    rows: list[Filed], proposals: list[Proposal], take_back: bool, above: float | None
) -> None:
    changes = decide(rows, proposals, apply_above=above, take_back=take_back)
    assert len(labels_after(rows, changes)[SENDER]) <= 1
    by_person = {row.label for row in rows if row.set_by is SetBy.PERSON and row.state is FilingState.FILED}
    closed = {
        row.label
        for row in rows
        if row.state is FilingState.REFUSED
        or (row.state is FilingState.REMOVED and row.set_by is not SetBy.WORKFLOW)
    }
    assert not {change.label for change in changes} & (by_person | closed)
    assert len({change.label for change in changes}) == len(changes)
    assert all((change.proposal is None) == (change.verb is Verb.DROP) for change in changes)
