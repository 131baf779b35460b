"""The grammar of tenants' names."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.names import InvalidTenantName, clean_tenant_name, is_clean_tenant_name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "must not be empty"),
        (" \u00a0\t", "must not be empty"),
        ("x" * 256, "at most 255"),
        ("acme|delete", "must not contain '|'"),
        ("ac\x00me", "U+0000"),
        ("ac\nme", "U+000A"),
        ("ac\u2028me", "U+2028"),
        ("ac\u2029me", "U+2029"),
        ("ac\ud800me", "U+D800"),
        ("ac\x85me", "U+0085"),
    ],
)
def test_a_name_that_breaks_the_grammar_is_refused_with_the_reason(name: str, said: str) -> None:
    with pytest.raises(InvalidTenantName) as caught:
        clean_tenant_name(name)
    assert said in str(caught.value)


def test_a_name_is_stored_composed_and_without_blanks_around_it() -> None:
    assert clean_tenant_name("  Mu\u0308ller & Söhne GmbH\u3000") == "Müller & Söhne GmbH"


@given(st.text(max_size=300))
def test_whatever_is_accepted_is_in_the_stored_form(name: str) -> None:
    try:
        cleaned = clean_tenant_name(name)
    except InvalidTenantName:
        return
    assert is_clean_tenant_name(cleaned)
    assert 1 <= len(cleaned) <= 255
    assert unicodedata.is_normalized("NFC", cleaned)
    assert "|" not in cleaned
