"""Signed wipe orders: the vectors, the grammar of each field, and every way to be wrong."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.names import is_clean_tenant_name
from tenants.proof import derive_key, format_issued_at, parse_issued_at, sign, verify
from tenants.proof_errors import (
    BadAction,
    BadFinalStatus,
    BadIssuedAt,
    BadNonce,
    BadTenantId,
    BadTenantName,
    IssuedAhead,
    IssuedOnNoDay,
    IssuedTooLongAgo,
    IssuedWithoutZone,
    ProofError,
    SignatureDigits,
    SignatureLength,
    SignatureWrong,
    SignedForAnother,
)

KEY = derive_key("test-secret-key-0123456789")
ORDER = {
    "tenant_id": "3f2b1c9a-0000-4000-8000-000000000007",
    "tenant_name": "acme",
    "action": "delete",
    "nonce": "00112233445566778899aabbccddeeff",
    "issued_at": "2026-11-29T10:00:00Z",
    "final_status": "none",
}
ISSUED = datetime(2026, 11, 29, 10, tzinfo=UTC)
DELETE = "833331d9f9725c8f0640686a8ccb995aa0ec462cc8ab352a3d339b0318f3bed9"


def check(
    signature: str,
    changes: dict[str, str] | None = None,
    *,
    keys: tuple[bytes, ...] = (KEY,),
    now: datetime = ISSUED,
) -> None:
    verify(keys, signature, now=now, **{**ORDER, **(changes or {})})


def test_the_key_is_that_of_the_vector() -> None:
    assert KEY.hex() == "6d74f8bed847202cf6f90784570f5365a790d520b6c9fb11240b539293c6ff0b"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, DELETE),
        (
            {"action": "reset", "final_status": "suspended"},
            "0cd2b6d0cc2fc132f8fc344b81efd58890e27d3a0df57cb2ad309f50dfcfa41c",
        ),
        (
            {"action": "reset", "final_status": "active"},
            "ece7000e31c9d78d0ba31d2caabff2c1606a90cb803e6b8a7a60adc56f939bd3",
        ),
        (
            {"tenant_name": "Müller & Söhne GmbH"},
            "0cfeb5375d55cb1e4bdbf217739d1f6acae289810722c8d74ec2337faef8bf80",
        ),
    ],
)
def test_an_order_has_the_signature_of_its_vector(changes: dict[str, str], expected: str) -> None:
    assert sign(KEY, **{**ORDER, **changes}) == expected
    check(expected, changes)


def test_an_id_may_be_given_as_text_or_as_a_uuid() -> None:
    fields = {name: value for name, value in ORDER.items() if name != "tenant_id"}
    assert sign(KEY, tenant_id=uuid.UUID(ORDER["tenant_id"]), **fields) == DELETE


BAD_FIELDS: list[tuple[dict[str, object], type[ProofError]]] = [
    ({"tenant_id": ORDER["tenant_id"].upper()}, BadTenantId),
    ({"tenant_id": ORDER["tenant_id"].replace("-", "")}, BadTenantId),
    ({"tenant_id": "{" + ORDER["tenant_id"] + "}"}, BadTenantId),
    ({"tenant_id": ORDER["tenant_id"] + "\n"}, BadTenantId),
    ({"tenant_id": 7}, BadTenantId),
    ({"tenant_name": "acme|delete|x"}, BadTenantName),
    ({"tenant_name": ""}, BadTenantName),
    ({"tenant_name": " acme"}, BadTenantName),
    ({"tenant_name": "Mu\u0308ller"}, BadTenantName),
    ({"tenant_name": "a\u2028b"}, BadTenantName),
    ({"tenant_name": "a\x00b"}, BadTenantName),
    ({"tenant_name": "a" * 256}, BadTenantName),
    ({"tenant_name": None}, BadTenantName),
    ({"action": "Delete"}, BadAction),
    ({"action": "purge"}, BadAction),
    ({"action": ["delete"]}, BadAction),
    ({"nonce": ORDER["nonce"].upper()}, BadNonce),
    ({"nonce": ORDER["nonce"][1:]}, BadNonce),
    ({"nonce": ORDER["nonce"] + "\n"}, BadNonce),
    ({"nonce": "٠" * 32}, BadNonce),
    ({"nonce": 1}, BadNonce),
    ({"final_status": "active"}, BadFinalStatus),
    ({"final_status": ""}, BadFinalStatus),
    ({"action": "reset"}, BadFinalStatus),
    ({"action": "reset", "final_status": "deleting"}, BadFinalStatus),
    ({"issued_at": "2026-11-29T10:00:00"}, IssuedWithoutZone),
    ({"issued_at": "2026-11-29T10:00:00+00:00"}, BadIssuedAt),
    ({"issued_at": "2026-11-29T10:00:00Z\n"}, BadIssuedAt),
    ({"issued_at": "2026-11-29 10:00:00Z"}, BadIssuedAt),
    ({"issued_at": "2026-11-29T10:00:00.000Z"}, BadIssuedAt),
    ({"issued_at": "2026-11-29T10:00Z"}, BadIssuedAt),
    ({"issued_at": "2026-W48-7T10:00:00Z"}, BadIssuedAt),
    ({"issued_at": "20261129T100000Z"}, BadIssuedAt),
    ({"issued_at": "2026-11-29t10:00:00z"}, BadIssuedAt),
    ({"issued_at": "٢٠٢٦-11-29T10:00:00Z"}, BadIssuedAt),
    ({"issued_at": "yesterday"}, BadIssuedAt),
    ({"issued_at": 1796032800}, BadIssuedAt),
    ({"issued_at": "2026-02-30T10:00:00Z"}, IssuedOnNoDay),
    ({"issued_at": "2026-11-29T24:00:00Z"}, IssuedOnNoDay),
    ({"issued_at": "0000-01-01T00:00:00Z"}, IssuedOnNoDay),
]


@pytest.mark.parametrize(("changes", "error"), BAD_FIELDS)
def test_a_field_in_any_other_form_is_neither_signed_nor_verified(
    changes: dict[str, object], error: type[ProofError]
) -> None:
    for call in (
        lambda: sign(KEY, **{**ORDER, **changes}),  # type: ignore[arg-type]
        lambda: check(DELETE, changes),  # type: ignore[arg-type]
    ):
        with pytest.raises(ProofError) as caught:
            call()
        assert type(caught.value) is error
        assert str(caught.value).endswith((".", ")."))


@pytest.mark.parametrize(
    ("signature", "error", "said"),
    [
        (DELETE[:-1], SignatureLength, "63 characters"),
        (DELETE + "0", SignatureLength, "65 characters"),
        (DELETE + "\n", SignatureLength, "65 characters"),
        ("", SignatureLength, "0 characters"),
        (DELETE.upper(), SignatureDigits, "lower-case"),
        ("g" * 64, SignatureDigits, "lower-case"),
        ("٣" * 64, SignatureDigits, "lower-case"),
        ("0" * 64, SignatureWrong, "another key"),
    ],
)
def test_a_signature_in_any_other_form_is_refused_in_words(
    signature: str, error: type[ProofError], said: str
) -> None:
    with pytest.raises(ProofError, match=said) as caught:
        check(signature)
    assert type(caught.value) is error


def test_a_signature_that_is_no_text_is_refused() -> None:
    with pytest.raises(SignatureLength, match="no text"):
        check(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"tenant_id": "3f2b1c9a-0000-4000-8000-000000000008"}, SignatureWrong, "another tenant"),
        ({"tenant_name": "zeta"}, SignatureWrong, "another tenant"),
        ({"nonce": "f" * 32}, SignatureWrong, "another order"),
        ({"issued_at": "2026-11-29T10:00:01Z"}, SignatureWrong, "another order"),
        ({"action": "reset", "final_status": "active"}, SignedForAnother, "for a delete, not for a reset"),
    ],
)
def test_the_signature_of_one_order_is_that_of_no_other(
    changes: dict[str, str], error: type[ProofError], said: str
) -> None:
    with pytest.raises(ProofError, match=said) as caught:
        check(DELETE, changes)
    assert type(caught.value) is error


def test_a_reset_signed_for_one_status_does_not_lead_to_the_other() -> None:
    suspended = sign(KEY, **{**ORDER, "action": "reset", "final_status": "suspended"})
    with pytest.raises(
        SignedForAnother, match="a reset that ends suspended, not for a reset that ends active"
    ):
        check(suspended, {"action": "reset", "final_status": "active"})


@pytest.mark.parametrize("seconds", [0, 300, 299.999, -30, -29.999])
def test_an_order_is_good_for_300_seconds_and_30_ahead(seconds: float) -> None:
    check(DELETE, now=ISSUED + timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("seconds", "error", "said"),
    [
        (300.001, IssuedTooLongAgo, "301 s ago"),
        (301, IssuedTooLongAgo, "301 s ago"),
        (86_400, IssuedTooLongAgo, "86400 s ago"),
        (-30.001, IssuedAhead, "31 s ahead"),
        (-60, IssuedAhead, "60 s ahead"),
    ],
)
def test_an_order_that_is_too_old_or_ahead_is_refused(
    seconds: float, error: type[ProofError], said: str
) -> None:
    with pytest.raises(error, match=said):
        check(DELETE, now=ISSUED + timedelta(seconds=seconds))


def test_former_keys_still_count_and_strange_ones_do_not() -> None:
    new = derive_key("new")
    check(DELETE, keys=(new, KEY))
    for keys in ((new,), ()):
        with pytest.raises(SignatureWrong):
            check(DELETE, keys=keys)
    with pytest.raises(SignatureWrong) as caught:
        check(DELETE, {"action": "reset", "final_status": "active"}, keys=(new,))
    assert type(caught.value) is SignatureWrong, "whoever lacks the key learns nothing of the order"


def test_a_signature_is_compared_in_constant_time_with_every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def noted(one: str, other: str) -> bool:
        compared.append(one)
        return one == other

    monkeypatch.setattr("tenants.proof.hmac.compare_digest", noted, raising=True)
    keys = (KEY, derive_key("new"), derive_key("newer"))
    check(DELETE, keys=keys)
    assert len(set(compared)) == 3, "also after the key that fits"


names = st.text(min_size=1, max_size=40).filter(is_clean_tenant_name)
outcomes = st.sampled_from([("delete", "none"), ("reset", "active"), ("reset", "suspended")])
orders = st.builds(
    lambda tenant_id, name, outcome, nonce, issued_at: {
        "tenant_id": str(tenant_id),
        "tenant_name": name,
        "action": outcome[0],
        "nonce": f"{nonce:032x}",
        "issued_at": format_issued_at(issued_at),
        "final_status": outcome[1],
    },
    st.uuids(),
    names,
    outcomes,
    st.integers(0, 2**128 - 1),
    st.datetimes(
        datetime(1000, 1, 1),  # noqa: DTZ001  hypothesis wants its bounds naive
        datetime(9999, 1, 1),  # noqa: DTZ001
        timezones=st.just(UTC),
    ),
)


@given(orders, orders)
def test_two_orders_never_share_a_signature(one: dict[str, str], other: dict[str, str]) -> None:
    assert (sign(KEY, **one) == sign(KEY, **other)) == (one == other)


@given(orders, st.sampled_from(sorted(ORDER)), st.data())
def test_no_text_can_shift_from_one_field_into_the_next(
    order: dict[str, str], field: str, data: st.DataObject
) -> None:
    """Cut the message anywhere else: what then stands in the fields is signed as nothing."""
    text = "|".join(order.values())
    shifted = data.draw(st.sampled_from([place for place, letter in enumerate(text) if letter == "|"]))
    grown = order | {field: text[: shifted + 1] + order[field]}
    with pytest.raises(ProofError):
        sign(KEY, **grown)


@given(orders)
def test_what_was_signed_is_verified_for_300_seconds(order: dict[str, str]) -> None:
    signature, issued = sign(KEY, **order), parse_issued_at(order["issued_at"])
    verify([KEY], signature, now=issued + timedelta(seconds=300), **order)
    with pytest.raises(IssuedTooLongAgo):
        verify([KEY], signature, now=issued + timedelta(seconds=300, microseconds=1), **order)
