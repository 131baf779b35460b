"""Reading what a person types into the search box."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.search.conditions import Issued
from documents.search.fields import Days, Field, Property
from documents.search.parsing import MAX_CHARACTERS, MAX_TERMS, parse_query
from documents.search.query import (
    Added,
    Clause,
    Condition,
    Having,
    Labelled,
    Match,
    Query,
    Term,
    widen,
)

TODAY = date(2026, 3, 1)


def term(words: str, match: Match, *, excluded: bool = False, joined: str = "") -> Term:
    """A term of words between blanks; other spellings of a word stand behind a slash."""
    return Term(tuple(tuple(word.split("/")) for word in words.split()), match, excluded, joined=joined)


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
        ("2025-05379", term("2025 05379", Match.TOGETHER, joined="202505379")),
        ("H52.1", term("h52 1", Match.TOGETHER, joined="h521")),
        ('"offene rechn"*', term("offene rechn", Match.PREFIX)),
        ("2025-053*", term("2025 053", Match.PREFIX, joined="2025053")),
        ("-mahnung", term("mahnung", Match.FORMS, excluded=True)),
        ("NOT mahnung", term("mahnung", Match.FORMS, excluded=True)),
        ("NICHT mahnung", term("mahnung", Match.FORMS, excluded=True)),
        ('-"zweite mahnung"', term("zweite mahnung", Match.EXACT, excluded=True)),
        ("領収書", term("領 収 書", Match.EXACT)),
        ("betreff:rechnung", term("betreff rechnung", Match.TOGETHER, joined="betreffrechnung")),
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


def words_of(query: Query) -> list[list[str]]:
    """Return the first word of each term, clause by clause."""
    terms = [[term for term in clause.terms if isinstance(term, Term)] for clause in query.clauses]
    return [[term.words[0][0] for term in clause] for clause in terms]


def test_blanks_mean_all_and_or_means_either_and_binds_closer() -> None:
    assert words_of(parse_query("vertrag OR angebot 2024 AND miete")) == [
        ["vertrag", "angebot"],
        ["2024"],
        ["miete"],
    ]


def test_words_that_say_nothing_are_left_out_beside_others() -> None:
    assert words_of(parse_query("die Rechnung von der Telekom")) == [["rechnung"], ["telekom"]]
    assert words_of(parse_query("der")) == [["der"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag:steuer", Labelled(Field.TAG, "steuer")),
        ('-tag:"Steuer 2024"', Labelled(Field.TAG, "steuer 2024", excluded=True)),
        ("NOT tag:steuer", Labelled(Field.TAG, "steuer", excluded=True)),
        ("von:Müller*", Labelled(Field.FROM, "muller")),
        ("FROM:acme", Labelled(Field.FROM, "acme")),
        ("typ:rechnung", Labelled(Field.TYPE, "rechnung")),
        ("has:tag", Having(Property.TAG)),
        ("-hat:datum", Having(Property.DATE, excluded=True)),
        ("added:heute", Added(Days(TODAY, TODAY))),
        ("added:2024", Added(Days(date(2024, 1, 1), date(2024, 12, 31)))),
        ("-date:2024", Issued(Days(date(2024, 1, 1), date(2024, 12, 31)), excluded=True)),
        ("title:vertrag", Term((("vertrag",),), Match.FORMS, in_title=True)),
        ("titel:*trag", Term((("trag",),), Match.PREFIX, in_title=True)),
    ],
)
def test_a_field_is_read(text: str, expected: Condition) -> None:
    assert parse_query(text, today=TODAY).clauses == (Clause((expected,)),)


@pytest.mark.parametrize("text", ["tag:", "from:-", "has:nothing", "date:", "added:soon"])
def test_a_field_without_sense_is_left_out_and_said(text: str) -> None:
    query = parse_query(f"{text} rechnung")
    assert query.clauses == (Clause((term("rechnung", Match.FORMS),)),)
    assert query.notes


def test_a_field_may_stand_beside_or() -> None:
    (clause,) = parse_query("vertrag OR tag:vertrag").clauses
    assert clause.terms == (term("vertrag", Match.FORMS), Labelled(Field.TAG, "vertrag"))


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
        ("2025-05379", "202505379"),
        ("12.500,00", "1250000"),
        ("Hausrat-Versicherung", "hausratversicherung"),
    ],
)
def test_what_is_written_in_pieces_is_also_looked_for_as_one_word(text: str, joined: str) -> None:
    (clause,) = parse_query(text).clauses
    (found,) = clause.terms
    assert isinstance(found, Term)
    assert (found.match, found.joined) == (Match.TOGETHER, joined)


def test_groups_of_digits_are_looked_for_one_by_one_or_all_in_one_word() -> None:
    assert words_of(parse_query("0170 123 45")) == [[each, "017012345"] for each in ("0170", "123", "45")]


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
        ("date:2024-03..2024-01", Days(date(2024, 1, 1), date(2024, 3, 31))),
        ("date:2024-q1", Days(date(2024, 1, 1), date(2024, 3, 31))),
        ("date:>2024-02", Days(date(2024, 3, 1), None)),
        ("date:>=2024-02", Days(date(2024, 2, 1), None)),
        ("date:<2024-02", Days(None, date(2024, 1, 31))),
        ("date:<=2024-02", Days(None, date(2024, 2, 29))),
        ("date:gestern", Days(date(2026, 2, 28), date(2026, 2, 28))),
        ("date:0001..9999", Days(date.min, date.max)),
    ],
)
def test_a_span_of_days_includes_both_ends(text: str, days: Days) -> None:
    assert parse_query(text, today=TODAY).clauses == (Clause((Issued(days),)),)


@pytest.mark.parametrize(
    "text",
    [
        "date:2024-13",
        "date:morgen",
        "date:0000",
        "date:2023-02-29",
        "date:",
        "date:>9999",
        "date:..",
        "date:>",
    ],
)
def test_a_date_that_is_none_is_said_and_left_out(text: str) -> None:
    query = parse_query(f"{text} rechnung")
    assert "is not a date" in query.notes[0]
    assert query.clauses == (Clause((term("rechnung", Match.FORMS),)),)


def test_a_long_query_is_cut_and_says_so() -> None:
    query = parse_query(" ".join(f"w{number}" for number in range(MAX_TERMS * 3)))
    assert sum(len(clause.terms) for clause in query.clauses) == MAX_TERMS
    assert query.notes
    assert parse_query("x" * 10 * MAX_CHARACTERS).notes


def test_a_wider_query_also_finds_parts_of_words_but_excludes_no_more() -> None:
    wider = widen(parse_query('auszug -mahnung "genau so" ab'))
    matches = [[each.match for each in clause.terms if isinstance(each, Term)] for clause in wider.clauses]
    assert matches == [[Match.FORMS, Match.WITHIN], [Match.FORMS], [Match.EXACT], [Match.FORMS]]


PIECES = st.sampled_from(
    [
        *(
            "tag:",
            "date:",
            "added:",
            "has:",
            "from:",
            "title:",
            "..",
            ">=",
            "2024",
            "9999",
            "0001",
            "OR",
            "NOT",
        ),
        *(
            "-",
            "+",
            "*",
            "(",
            ")",
            '"',
            "ß",
            "\n",
            "\0",
            " ",
            "„",
            "“",
            "領収",
            "DE89 3704",
            "12 34",
            "today",
        ),
        *("\ud800", "'", "\\", "&"),
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join))
def test_any_text_is_a_query(text: str) -> None:
    query = parse_query(text)
    assert isinstance(query, Query)
    for clause in query.clauses:
        assert clause.terms
    assert all(each.words and all(map(all, each.words)) for each in query.terms)


@pytest.mark.parametrize("piece", ["a", "12 34 ", "a-", "\0", "(", 'tag:"', "-*"])
def test_ten_thousand_characters_of_anything_are_read(piece: str) -> None:
    assert parse_query(piece * 10_000).notes
