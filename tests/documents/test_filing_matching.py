"""What rules find, what they do not, and what becomes of those that take too long."""

import time
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.filing import BadPattern, Matcher, Rule, RuleKind, check_rule

LETTER = (
    "Stadtwerke Beispielstadt\nKundennummer 4711\nJahresabrechnung Strom für die Müllerstraße\nIhre Rechnung"
)


def rule(kind: str, pattern: str, likeness: int = 90) -> Rule:
    return Rule(uuid.uuid4(), uuid.uuid4(), RuleKind(kind), pattern, likeness)


def fits(kind: str, pattern: str, text: str = LETTER, likeness: int = 90) -> bool:
    check_rule(kind=RuleKind(kind), pattern=pattern, likeness=likeness)
    return bool(Matcher([rule(kind, pattern, likeness)]).match(text).hits)


@pytest.mark.parametrize(
    ("kind", "pattern", "expected"),
    [
        ("none", "Rechnung", False),
        ("any", "rechnung", True),
        ("any", "Gutschrift Rechnung", True),
        ("any", "Rechn", False),
        ("any", "rechn*", True),
        ("any", "*", None),
        ("any", '"ihre rechnung"', True),
        ("any", '"rechnung ihre"', False),
        ("any", "mullerstrasse", True),
        ("any", "MÜLLERSTRASSE", True),
        ("any", '"jahresabrechnung str*"', False),
        ("all", "Strom Stadtwerke", True),
        ("all", "Strom Gas", False),
        ("all", 'Strom "Kundennummer 4711"', True),
        ("all", "stadtw* kunden*", True),
        ("all", "stadtw* gast*", False),
        ("exact", "Jahresabrechnung Strom", True),
        ("exact", "Strom Jahresabrechnung", False),
        ("exact", "abrechnung Strom", False),
        ("regex", r"Kundennummer\s+\d{4}$", True),
        ("regex", r"^ihre rechnung", True),
        ("regex", r"Kundennummer \d{5}", False),
        ("fuzzy", "Stadtwerke Beispielstodt", True),
        ("fuzzy", "Gaswerke Musterhausen", False),
    ],
)
def test_each_kind_of_rule_finds_what_it_says(kind: str, pattern: str, expected: bool | None) -> None:
    if expected is None:
        with pytest.raises(BadPattern):
            fits(kind, pattern)
    else:
        assert fits(kind, pattern) is expected


def test_a_word_that_was_hyphenated_at_the_end_of_a_line_is_found() -> None:
    assert fits("any", "Jahresabrechnung", "Ihre Jahres-\nabrechnung")


def test_something_like_it_is_found_as_ocr_reads_it_but_not_in_a_text_that_is_too_short() -> None:
    assert fits("fuzzy", "Papierwerk Mustermann", "Papicrwerk Mustennann GmbH", likeness=80)
    assert not fits("fuzzy", "Papierwerk Mustermann", "mann", likeness=80)
    assert not fits("fuzzy", "Papierwerk Mustermann", "", likeness=80)


def test_the_weightiest_rule_comes_first() -> None:
    short, long = rule("any", "Strom"), rule("exact", "Jahresabrechnung Strom für die Müllerstraße")
    assert [hit.rule for hit in Matcher([short, long]).match(LETTER).hits] == [long, short]


@pytest.mark.parametrize(
    ("kind", "pattern", "words"),
    [
        ("any", "", "empty"),
        ("any", "  ", "empty"),
        ("any", "?! -", "no letter"),
        ("exact", "x" * 501, "at most 500"),
        ("any", " ".join(f"w{n}" for n in range(51)), "at most 50"),
        ("regex", "(", "no regular expression"),
        ("regex", "a*", "may be empty"),
        ("regex", r"(?P<x>a)(?P=y)", "regular expression"),
        ("regex", r"\L<words>", "cannot be used|no regular"),
        ("fuzzy", "abc", "at least 5"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_with_the_reason(
    kind: str, pattern: str, words: str
) -> None:
    with pytest.raises(BadPattern, match=words):
        check_rule(kind=RuleKind(kind), pattern=pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(x+x+)+y", "x" * 3000),
        (r"(?:a?){2000}a{2000}", "a" * 3000),
        (r"(.*?,){40}P", "1,2,3,4,5,6,7,8,9,10," * 30),
    ],
    ids=["nested", "optional", "columns"],
)
def test_a_catastrophic_expression_is_stopped_named_and_disables_only_itself(pattern: str, text: str) -> None:
    bad, good = rule("regex", pattern), rule("any", "ende")
    matcher = Matcher([bad, good])
    started = time.process_time()
    first = matcher.match(f"{text}\nende")
    assert time.process_time() - started < 5
    assert [stopped.rule for stopped in first.stopped] == [bad]
    assert [hit.rule for hit in first.hits] == [good]
    again = matcher.match(f"{text}\nende")
    assert (again.stopped, [hit.rule for hit in again.hits]) == ((), [good])


def test_a_harmless_expression_is_not_stopped_by_a_very_long_text() -> None:
    matches = Matcher([rule("regex", r"IBAN:?\s*DE\d{20}")]).match("lorem ipsum dolor " * 60_000)
    assert matches.stopped == ()


@given(st.text(max_size=200), st.text(max_size=60), st.sampled_from(list(RuleKind)))
def test_no_text_and_no_pattern_is_an_error(text: str, pattern: str, kind: RuleKind) -> None:
    try:
        check_rule(kind=kind, pattern=pattern)
    except BadPattern:
        return
    Matcher([rule(kind, pattern)]).match(text)


@given(st.lists(st.sampled_from(["ab", "abc", "b", "c", "ca", "bc", "abcd"]), min_size=1, max_size=30))
def test_many_rules_at_once_say_what_each_says_by_itself(words: list[str]) -> None:
    text = " ".join(words)
    rules = [
        rule(kind, pattern)
        for kind in ("any", "all", "exact")
        for pattern in ("ab", "ab c", "bc ca", "a*", "ab*", "c abcd b", '"ca bc" abc')
    ]
    together = {hit.rule for hit in Matcher(rules).match(text).hits}
    assert together == {each for each in rules if Matcher([each]).match(text).hits}
