"""How text becomes words: index, queries and marks stand on it."""

import pytest
from django.db import connection
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from documents.search.words import MAX_WORD, find_words, fold, fold_words


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Straße Grüße", "strasse grusse"),
        ("STRASSE ẞ ẞ", "strasse ss ss"),
        ("e\u0301te\u0301", "ete"),
        ("Rech-\nnung", "rechnung"),
        ("Kauf-\nund Mietvertrag", "kauf und mietvertrag"),
        ("Soft\u00adhyphen", "softhyphen"),
        ("H52.1 2025-05379", "h52 1 2025 05379"),
        ("snake_case", "snake case"),
        ("m² ﬁn Archiv™", "m2 fin archiv"),
        ("領収書2024年", "領 収 書 2024 年"),
        ("がが", "が が"),
        ("서울에서", "서 울 에 서"),
        ("İstanbul", "istanbul"),
        ("8e03ey", "8e03 ey"),
        ("a\x00b", "a b"),
        ("…!", ""),
    ],
)
def test_words_are_folded(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_a_word_without_end_is_cut() -> None:
    assert fold("x" * 10_000) == "x" * MAX_WORD


def test_words_know_where_they_stand() -> None:
    text = "Die Straße: 会社会 é"
    found = [(text[word.start : word.end], word.folded) for word in find_words(text)]
    assert found == [
        ("Die", "die"), ("Straße", "strasse"), ("会", "会"), ("社", "社"), ("会", "会"), ("é", "e"),
    ]  # fmt: skip


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_marked_words_are_those_of_the_index(text: str) -> None:
    joined = text.replace("-", " ").replace("\n", " ").replace("\r", " ")
    assert [word.folded for word in find_words(joined)] == fold(joined).split()


@pytest.mark.django_db
@hypothesis_settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(st.sampled_from("abexyzäß0123456789領 -."), max_size=30))
def test_postgresql_parts_folded_text_just_as_it_stands(db: None, text: str) -> None:
    words = fold_words(text)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(array_agg(lexeme::text), '{}') FROM unnest(to_tsvector('simple', %s))",
            [fold(text)],
        )
        (lexemes,) = cursor.fetchone()
    assert set(lexemes) == set(words)
