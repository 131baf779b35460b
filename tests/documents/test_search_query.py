"""Reading what a person types into the search box."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.search.query import (
    MAX_CHARACTERS,
    MAX_TERMS,
    Clause,
    Days,
    Match,
    Query,
    Term,
    parse_query,
    widen,
)


def term(words: str, match: Match, *, excluded: bool = False) -> Term:
    """A term of words between blanks; other spellings of a word stand behind a slash."""
    return Term(tuple(tuple(word.split("/")) for word in words.split()), match, excluded)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Straße", term("strasse", Match.FORMS)),
        ('"offene Rechnung"', term("offene rechnung", Match.EXACT)),
        ("„offene Rechnung“", term("offene rechnung", Match.EXACT)),
        ('"offene Rechnung', term("offene rechnung", Match.EXACT)),
        ("rechn*", term("rechn", Match.PREFIX)),
        ("re*ung", term("re", Match.PREFIX)),
        ("*auszug", term("auszug", Match.PART)),
        ("*05379*", term("05379", Match.PART)),
        ("*ab*", term("ab", Match.PREFIX)),
        ("2025-05379", term("2025 05379", Match.EXACT)),
        ("H52.1", term("h52 1", Match.EXACT)),
        ("-mahnung", term("mahnung", Match.FORMS, excluded=True)),
        ("NOT mahnung", term("mahnung", Match.FORMS, excluded=True)),
        ("NICHT mahnung", term("mahnung", Match.FORMS, excluded=True)),
        ('-"zweite mahnung"', term("zweite mahnung", Match.EXACT, excluded=True)),
        ("領収書", term("領 収 書", Match.EXACT)),
        ("betreff:rechnung", term("betreff rechnung", Match.EXACT)),
    ],
)
def test_a_term_is_read(text: str, expected: Term) -> None:
    assert parse_query(text).clauses == (Clause((expected,)),)


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        ("Müller", "muller/mueller"),
        ("Mueller", "mueller/muller"),
        ("Straße", "strasse"),
        ("Steuer", "steuer"),
        ("due", "due"),
        ("Quelle", "quelle"),
        ('"Müller & Söhne"', "muller/mueller sohne/soehne"),
    ],
)
def test_umlauts_are_also_looked_for_spelled_out_and_back(text: str, spellings: str) -> None:
    match = Match.EXACT if " " in spellings else Match.FORMS
    assert parse_query(text).clauses == (Clause((term(spellings, match),)),)


def test_blanks_mean_all_and_or_means_either_and_binds_closer() -> None:
    query = parse_query("vertrag OR angebot 2024 AND miete")
    assert [[each.words[0][0] for each in clause.terms] for clause in query.clauses] == [
        ["vertrag", "angebot"],
        ["2024"],
        ["miete"],
    ]


@pytest.mark.parametrize("text", ["", "  ", "OR", "- + *", "NOT", '""', "( ) & | ! : <->", "\0\0", "\ud800"])
def test_what_has_no_meaning_asks_for_nothing(text: str) -> None:
    assert parse_query(text).is_empty


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("date:2024", Days(date(2024, 1, 1), date(2024, 12, 31))),
        ("date:2024-02", Days(date(2024, 2, 1), date(2024, 2, 29))),
        ("datum:31.12.2023", Days(date(2023, 12, 31), date(2023, 12, 31))),
        ("date:2024-01..2024-03", Days(date(2024, 1, 1), date(2024, 3, 31))),
        ("date:..2023-06-30", Days(None, date(2023, 6, 30))),
        ("date:2024-02..", Days(date(2024, 2, 1), None)),
    ],
)
def test_a_span_of_days_includes_both_ends(text: str, days: Days) -> None:
    assert parse_query(text).issued == days


@pytest.mark.parametrize("text", ["date:2024-13", "date:gestern", "date:0000", "date:2023-02-29", "date:"])
def test_a_date_that_is_none_is_said_and_left_out(text: str) -> None:
    query = parse_query(f"{text} rechnung")
    assert query.issued is None
    assert "is not a date" in query.notes[0]
    assert query.clauses == (Clause((term("rechnung", Match.FORMS),)),)


def test_a_long_query_is_cut_and_says_so() -> None:
    query = parse_query(" ".join(f"w{number}" for number in range(MAX_TERMS * 3)))
    assert sum(len(clause.terms) for clause in query.clauses) == MAX_TERMS
    assert query.notes
    assert parse_query("x" * 10 * MAX_CHARACTERS).notes


def test_a_wider_query_also_finds_parts_of_words_but_excludes_no_more() -> None:
    wider = widen(parse_query('auszug -mahnung "genau so" ab'))
    assert [[each.match for each in clause.terms] for clause in wider.clauses] == [
        [Match.FORMS, Match.PART],
        [Match.FORMS],
        [Match.EXACT],
        [Match.FORMS],
    ]


@given(st.text(st.sampled_from("ab\"-+*|:()&!<>'\\ .ORNOTdate20\0ß\n„") | st.characters(), max_size=60))
def test_any_text_is_a_query(text: str) -> None:
    query = parse_query(text)
    assert isinstance(query, Query)
    for clause in query.clauses:
        assert clause.terms
        assert all(each.words and all(map(all, each.words)) for each in clause.terms)
