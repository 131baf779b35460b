"""What is shown of a hit."""

from hypothesis import given
from hypothesis import strategies as st

from documents.search.excerpts import WIDTH, Marker, Part
from documents.search.parsing import parse_query


def shown(query: str, text: str, **stems: str) -> str:
    marker = Marker(parse_query(query), {word: frozenset(stem.split()) for word, stem in stems.items()})
    return "".join(f"[{part.text}]" if part.marked else part.text for part in marker.mark(text))


def test_a_word_is_marked_as_it_stands_in_the_text() -> None:
    assert shown("strasse", "Die Straße, lang.") == "Die [Straße], lang."
    assert shown("müller", "Herr Mueller und Frau Müller") == "Herr [Mueller] und Frau [Müller]"


def test_other_forms_are_marked_but_not_longer_words() -> None:
    text = "Rechnungen des Rechnungshofs"
    assert shown("rechnung", text, rechnung="rechnung") == "[Rechnungen] des Rechnungshofs"


def test_a_phrase_is_marked_as_a_whole_and_only_as_a_whole() -> None:
    assert shown('"offene rechnung"', "rechnung, offene  Rechnung") == "rechnung, [offene Rechnung]"
    assert shown("2025-05379", "Nr. 2025-05379 vom 5.") == "Nr. [2025-05379] vom 5."
    assert shown("領収書", "この領収書は") == "この[領収書]は"


def test_beginnings_and_parts_mark_the_word_they_are_in() -> None:
    assert shown("konto*", "Kontoauszug") == "[Kontoauszug]"
    assert shown("*auszug", "Kontoauszug") == "[Kontoauszug]"


def test_what_was_excluded_is_not_marked() -> None:
    assert shown("rechnung -mahnung", "Rechnung, Mahnung") == "[Rechnung], Mahnung"


def test_markup_in_a_text_stays_text() -> None:
    marker = Marker(parse_query("b"), {})
    assert marker.mark("<i>b</i>") == (Part("<i>"), Part("b", marked=True), Part("</i>"))


def test_the_excerpt_is_from_the_page_with_most_of_the_words() -> None:
    marker = Marker(parse_query("miete 2024"), {})
    pages = [(1, "Miete " + "x " * 500), (2, "y " * 500 + "Miete für 2024 " + "z " * 500), (3, "2024")]
    excerpt = marker.excerpt(pages)
    assert excerpt is not None
    assert excerpt.page == 2
    assert [part.text for part in excerpt.parts if part.marked] == ["Miete", "2024"]
    assert sum(len(part.text) for part in excerpt.parts) <= WIDTH


def test_no_excerpt_where_nothing_was_found() -> None:
    assert Marker(parse_query("miete"), {}).excerpt([(1, "Kauf")]) is None
    assert Marker(parse_query(""), {}).excerpt([(1, "Kauf")]) is None


@given(st.text(st.sampled_from('abß ü-\n*"') | st.characters(), max_size=40), st.text(max_size=300))
def test_marking_loses_nothing_but_blanks(query: str, text: str) -> None:
    marker = Marker(parse_query(query), {})
    marked = "".join(part.text for part in marker.mark(text))
    assert "".join(marked.split()) == "".join(text.split())
    marker.excerpt([(1, text)])
