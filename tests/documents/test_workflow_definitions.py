"""What can be said in a workflow, and what its conditions mean."""

import uuid
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.filing import LabelKind
from documents.workflows import BadWorkflow, Facts, Flow, parse_actions, parse_conditions, run_flows
from documents.workflows.writing import actions_as_data, conditions_as_data

BILL, PAID, SENDER, TYPE = (uuid.UUID(int=number) for number in (1, 2, 3, 4))
NAMES = {
    (LabelKind.TAG, "Rechnung"): BILL,
    (LabelKind.TAG, "bezahlt"): PAID,
    (LabelKind.CORRESPONDENT, "Stadtwerke"): SENDER,
    (LabelKind.DOCUMENT_TYPE, "Bescheid"): TYPE,
}
FACTS = Facts(
    source="mail",
    filename="Rechnung-2026-01.PDF",
    media_type="application/pdf",
    text="Stadtwerke Beispielstadt, Abschlag",
    issued=date(2026, 1, 14),
    labels={LabelKind.TAG: frozenset({BILL}), LabelKind.CORRESPONDENT: frozenset({SENDER})},
)
NOTE = [{"do": "add_note", "text": "gesehen"}]


def resolve(kind: LabelKind, text: str) -> uuid.UUID:
    for (of, name), label in NAMES.items():
        if of is kind and text in (name, str(label)):
            return label
    raise BadWorkflow(f"there is no {kind} {text!r}")


def flow(conditions: Any, actions: Any = NOTE, name: str = "w") -> Flow:
    return Flow.make(
        uuid.uuid4(), name, parse_conditions(conditions, resolve), parse_actions(actions, resolve)
    )


@pytest.mark.parametrize(
    ("conditions", "unmet"),
    [
        ({}, ""),
        ({"source": "mail"}, ""),
        ({"source": ["api", "import"]}, "source"),
        ({"filename": "rechnung*.pdf"}, ""),
        ({"filename": ["*.txt", "*.PDF"]}, ""),
        ({"filename": "rechnung"}, "filename"),
        ({"type": "application/*"}, ""),
        ({"type": "image/*"}, "type"),
        ({"text": {"pattern": "abschlag"}}, ""),
        ({"text": {"kind": "all", "pattern": "abschlag gas"}}, "text"),
        ({"text": {"kind": "fuzzy", "pattern": "Beispielstatt", "likeness": 85}}, ""),
        ({"text": {"kind": "regex", "pattern": "^stadt\\w+ b"}}, ""),
        ({"issued": {"from": "2026-01-14"}}, ""),
        ({"issued": {"from": "2026-01-15"}}, "issued"),
        ({"issued": {"to": "2026-01-13"}}, "issued"),
        ({"tags": {"any": ["Rechnung", "bezahlt"]}}, ""),
        ({"tags": {"all": ["Rechnung", "bezahlt"]}}, "tags.all"),
        ({"tags": {"none": ["bezahlt"]}}, ""),
        ({"tags": {"none": ["Rechnung"]}}, "tags.none"),
        ({"correspondent": "Stadtwerke"}, ""),
        ({"document_type": ["Bescheid"]}, "document_type"),
        ({"source": "mail", "text": {"pattern": "gas"}, "type": "image/*"}, "type"),
    ],
)
def test_each_condition_holds_when_it_says_so(conditions: Any, unmet: str) -> None:
    _, (result,) = run_flows([flow(conditions)], FACTS)
    assert result.unmet == unmet


def test_a_document_without_a_date_meets_no_condition_on_it() -> None:
    undated = Facts(source="mail", filename="a", media_type="b", text="")
    _, (result,) = run_flows([flow({"issued": {"to": "2030-01-01"}})], undated)
    assert result.unmet == "issued"


def test_workflows_see_what_those_before_them_have_done() -> None:
    first = flow({"tags": {"none": ["bezahlt"]}}, [{"do": "add_tags", "tags": ["bezahlt"]}], "first")
    second = flow(
        {"tags": {"all": ["bezahlt"]}},
        [
            {"do": "remove_tags", "tags": ["Rechnung"]},
            {"do": "set_document_type", "document_type": "Bescheid"},
        ],
        "second",
    )
    third = flow({"tags": {"any": ["Rechnung"]}}, name="third")
    effects, results = run_flows([first, second, third], FACTS)
    assert [result.unmet for result in results] == ["", "", "tags.any"]
    assert effects.added == {PAID: LabelKind.TAG, TYPE: LabelKind.DOCUMENT_TYPE}
    assert effects.removed == {BILL}


def test_the_last_word_on_a_tag_counts() -> None:
    undone = flow({}, [{"do": "add_tags", "tags": ["bezahlt"]}, {"do": "remove_tags", "tags": ["bezahlt"]}])
    effects, _ = run_flows([undone], FACTS)
    assert (effects.added, effects.removed) == ({}, {PAID})
    again = flow({}, [{"do": "remove_tags", "tags": ["Rechnung"]}, {"do": "add_tags", "tags": ["Rechnung"]}])
    effects, _ = run_flows([again], FACTS)
    assert (effects.added, effects.removed) == ({BILL: LabelKind.TAG}, set())


def test_a_catastrophic_expression_in_a_condition_is_stopped_and_not_met() -> None:
    slow = flow({"text": {"kind": "regex", "pattern": "(x+x+)+y"}})
    facts = Facts(source="api", filename="a", media_type="b", text="x" * 3000)
    _, (result,) = run_flows([slow], facts)
    assert result.unmet == "text (it took too long)"


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ([], "conditions: write an object"),
        ({"sauce": "mail"}, "conditions: there is no 'sauce'. There are: source"),
        ({"source": "fax"}, "conditions.source: 'fax' is none of admin, api, import, mail"),
        ({"filename": 3}, "conditions.filename: write a text"),
        ({"filename": [""]}, "conditions.filename: write a text"),
        ({"text": {"pattern": "("}, "source": []}, None),
        (
            {"text": {"kind": "regex", "pattern": "("}},
            "conditions.text.pattern: This is no regular",
        ),
        ({"text": {"kind": "none", "pattern": "a"}}, "conditions.text.kind: one of any"),
        ({"text": {"kind": "any"}}, "conditions.text.pattern: write a text"),
        ({"issued": {"from": "31.1.2026"}}, "conditions.issued.from: write a day as 2026-01-31"),
        ({"issued": {"from": "2026-02-01", "to": "2026-01-01"}}, "first day comes after"),
        ({"tags": {"any": "Mahnung"}}, "conditions.tags.any: there is no tag 'Mahnung'"),
        ({"correspondent": "Rechnung"}, "conditions.correspondent: there is no correspondent 'Rechnung'"),
    ],
)
def test_wrong_conditions_are_told_with_their_place(conditions: Any, words: str | None) -> None:
    with pytest.raises(BadWorkflow, match=words or "no letter"):
        parse_conditions(conditions, resolve)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([], "write a list"),
        ({"do": "add_note"}, "write a list"),
        ([{"do": "explode"}], r'actions\[1\]: "do" is one of add_tags'),
        (["x"], r'actions\[1\]: "do" is one of'),
        ([{"do": "add_note"}], r'actions\[1\]: add_note needs "text"'),
        ([*NOTE, {"do": "add_note", "text": "a", "tags": []}], r"actions\[2\]: there is no 'tags'"),
        ([{"do": "add_tags", "tags": []}], "at least one tag"),
        ([{"do": "add_note", "text": "x" * 1001}], "at most 1000"),
        ([{"do": "add_note", "text": "a\0"}], "cannot be stored"),
        ([{"do": "call_webhook", "url": "ftp://a"}], "whole address"),
        ([{"do": "call_webhook", "url": "https://"}], "whole address"),
        ([{"do": "call_webhook", "url": "https://a:b@c.example/"}], "no name and password"),
        ([{"do": "call_webhook", "url": "https://c.example:99999/"}], "is no address"),
        ([{"do": "call_webhook", "url": "https://c.example/a b"}], "plain ASCII"),
        (NOTE * 21, "at most 20"),
    ],
)
def test_wrong_actions_are_told_with_their_place(actions: Any, words: str) -> None:
    with pytest.raises(BadWorkflow, match=words):
        parse_actions(actions, resolve)


def test_what_is_stored_is_what_was_understood() -> None:
    conditions = {
        "source": ["mail"], "filename": ["*.pdf"], "type": ["application/*"],
        "text": {"kind": "any", "pattern": "strom", "likeness": 90}, "issued": {"from": "2026-01-01"},
        "tags": {"any": [str(BILL)], "none": [str(PAID)]}, "correspondent": [str(SENDER)],
        "document_type": [str(TYPE)],
    }  # fmt: skip
    actions = [
        {"do": "add_tags", "tags": [str(BILL)]},
        {"do": "remove_tags", "tags": [str(PAID)]},
        {"do": "set_correspondent", "correspondent": str(SENDER)},
        {"do": "set_document_type", "document_type": str(TYPE)},
        {"do": "set_title", "template": "{issued_date}"},
        {"do": "set_retention_class", "name": "vouchers"},
        {"do": "add_note", "text": "gesehen"},
        {"do": "call_webhook", "url": "https://c.example/hook?a=b"},
    ]
    assert conditions_as_data(parse_conditions(conditions, resolve)) == conditions
    assert actions_as_data(parse_actions(actions, resolve)) == actions


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["add_tags", "do", "tags"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["do", "tags", "text", "url", "source", "issued", "from", "pattern"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_no_json_is_more_than_a_message(data: Any) -> None:
    for parse in (parse_conditions, parse_actions):
        try:
            parse(data, resolve)
        except BadWorkflow:
            continue
