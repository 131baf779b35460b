"""An order in JSON: complete, unambiguous, and for this very tenant."""

import json
import uuid

import pytest

from tenants.errors import (
    ActionMismatch,
    DuplicateKey,
    FieldsMissing,
    NotAnOrder,
    OrderRefused,
    UnknownFields,
    WrongTenant,
)
from tenants.proof_errors import BadAction
from tenants.wipe_payload import SignedOrder, parse_order

TENANT = uuid.UUID("3f2b1c9a-0000-4000-8000-000000000007")
FIELDS: dict[str, object] = {
    "remove_tenant": True,
    "tenant_name": "acme",
    "action": "delete",
    "nonce": "00112233445566778899aabbccddeeff",
    "issued_at": "2026-11-29T10:00:00Z",
    "signature": "8" * 64,
    "final_status": "none",
}


def parse(text: str) -> SignedOrder:
    return parse_order(text, tenant_id=TENANT, tenant_name="acme")


def test_an_order_is_read_with_and_without_the_id_of_its_tenant() -> None:
    for more in ({}, {"tenant_id": str(TENANT)}):
        order = parse(json.dumps(FIELDS | more))
        assert order.payload() == FIELDS


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_each_field_must_be_there_and_of_its_type(name: str) -> None:
    with pytest.raises(FieldsMissing, match=f"{name} is missing"):
        parse(json.dumps({key: value for key, value in FIELDS.items() if key != name}))
    for wrong in (None, 1, ["x"], {"x": 1}):
        with pytest.raises(NotAnOrder, match=f"'{name}' must be"):
            parse(json.dumps(FIELDS | {name: wrong}))


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_a_field_named_twice_is_refused_even_if_both_agree(name: str) -> None:
    text = json.dumps(FIELDS)[:-1] + f", {json.dumps(name)}: {json.dumps(FIELDS[name])}}}"
    with pytest.raises(DuplicateKey, match=f"'{name}' twice"):
        parse(text)
    escaped = json.dumps(FIELDS)[:-1] + f', "\\u{ord(name[0]):04x}{name[1:]}": 1}}'
    with pytest.raises(DuplicateKey, match=f"'{name}' twice"):
        parse(escaped)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", NotAnOrder, "no JSON"),
        ("{", NotAnOrder, "no JSON"),
        ("[]", NotAnOrder, "one JSON object"),
        ('"delete"', NotAnOrder, "one JSON object"),
        ("NaN", NotAnOrder, "NaN"),
        ("[" * 9000, NotAnOrder, "no JSON"),
        (" " * 20_000, NotAnOrder, "20000 characters"),
        (json.dumps(FIELDS) * 2, NotAnOrder, "no JSON"),
        (json.dumps(FIELDS | {"force": True}), UnknownFields, "'force'"),
        (json.dumps(FIELDS | {"remove_tenant": False}), ActionMismatch, "contradicts itself"),
        (json.dumps(FIELDS | {"action": "reset"}), ActionMismatch, "contradicts itself"),
        (json.dumps(FIELDS | {"action": "purge"}), BadAction, "neither 'delete' nor 'reset'"),
        (json.dumps(FIELDS | {"tenant_name": "zeta"}), WrongTenant, "names another tenant"),
        (json.dumps(FIELDS | {"tenant_id": str(uuid.UUID(int=1))}), WrongTenant, "id of another tenant"),
        (json.dumps(FIELDS | {"tenant_id": str(TENANT).upper()}), WrongTenant, "id of another tenant"),
    ],
)
def test_anything_else_is_refused_in_words(text: str, error: type[OrderRefused], said: str) -> None:
    with pytest.raises(error, match=said):
        parse(text)
