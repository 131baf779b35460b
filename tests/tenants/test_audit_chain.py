"""Audit trails: every kind of tampering is found, and the first bad event is named."""

import pytest

from tenants.audit_chain import (
    FIRST_HASH,
    Finding,
    Head,
    Link,
    UntrustedHeads,
    check_chains,
    derive_key,
    hash_of,
    read_heads,
    sign_heads,
)

ACME, ZETA = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"


def chain(tenant: str, length: int, *, action: str = "document.stored") -> list[Link]:
    links: list[Link] = []
    previous = FIRST_HASH
    for number in range(1, length + 1):
        link = Link(
            tenant_id=tenant,
            sequence=str(number),
            at=str(1_700_000_000_000_000 + number),
            action=action,
            actor="user:ü",
            origin="::1",
            object_type="document",
            object_id=str(number),
            details='{"bytes":12}',
            previous_hash=previous,
            hash="",
        )
        link = link._replace(hash=hash_of(link))
        links.append(link)
        previous = link.hash
    return links


def rehashed(links: list[Link]) -> list[Link]:
    """The chain as somebody who can compute hashes would write it anew."""
    fresh: list[Link] = []
    previous = FIRST_HASH
    for number, link in enumerate(links, start=1):
        again = link._replace(sequence=str(number), previous_hash=previous, hash="")
        again = again._replace(hash=hash_of(again))
        fresh.append(again)
        previous = again.hash
    return fresh


def test_whole_chains_of_several_tenants_have_no_finding() -> None:
    links = chain(ACME, 5) + chain(ZETA, 3)
    heads = {ACME: Head(4, links[3].hash), ZETA: Head(3, links[-1].hash)}
    assert list(check_chains(links, heads)) == []


def test_an_edited_event_is_named() -> None:
    links = chain(ACME, 5) + chain(ZETA, 3)
    links[2] = links[2]._replace(actor="user:somebody")
    assert [(f.tenant_id, f.sequence) for f in check_chains(links, {})] == [(ACME, 3)]


def test_an_event_removed_from_the_middle_is_named() -> None:
    links = chain(ACME, 5)
    del links[2]
    assert list(check_chains(links, {})) == [Finding(ACME, 3, "number 3 is missing: number 4 follows")]


def test_an_inserted_event_is_named() -> None:
    links = chain(ACME, 5)
    links.insert(3, links[2]._replace(action="document.purged"))
    assert [f.sequence for f in check_chains(links, {})] == [4]


def test_two_swapped_events_are_named() -> None:
    links = chain(ACME, 5)
    links[1], links[2] = links[2]._replace(sequence="2"), links[1]._replace(sequence="3")
    assert [f.sequence for f in check_chains(links, {})] == [2]


def test_events_cut_off_the_end_are_missed_by_the_signed_head() -> None:
    links = chain(ACME, 5)
    heads = {ACME: Head(5, links[4].hash)}
    assert [f.sequence for f in check_chains(links[:3], heads)] == [5]
    assert [f.sequence for f in check_chains([], heads)] == [5]


def test_a_chain_written_anew_does_not_fit_the_signed_head() -> None:
    links = chain(ACME, 5)
    heads = {ACME: Head(5, links[4].hash)}
    forged = rehashed([links[0]._replace(actor="user:nobody"), *links[1:]])
    assert list(check_chains(forged, {})) == []
    assert [f.sequence for f in check_chains(forged, heads)] == [5]


def test_no_text_can_shift_from_one_field_into_the_next() -> None:
    link = chain(ACME, 1)[0]
    shifted = link._replace(action="a", actor="bc")
    assert hash_of(link._replace(action="ab", actor="c")) != hash_of(shifted)


def test_signed_heads_come_back_and_a_changed_file_is_refused() -> None:
    key = derive_key("secret")
    text = sign_heads(key, "2026-11-29", {ACME: Head(5, "ab" * 32)})
    assert read_heads([derive_key("other"), key], text) == {ACME: Head(5, "ab" * 32)}
    for bad in (text.replace("[5,", "[4,"), "{}", "", "[]", '{"signed": 1, "signature": "x"}'):
        with pytest.raises(UntrustedHeads):
            read_heads([key], bad)
    with pytest.raises(UntrustedHeads):
        read_heads([derive_key("other")], text)
