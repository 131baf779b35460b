"""The fields of a wipe order, as a job carries them and as an order signed elsewhere is written (pure).

Nothing here says whether the order is genuine: that is `tenants.proof`.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from tenants.errors import (
    ActionMismatch,
    DuplicateKey,
    FieldsMissing,
    NotAnOrder,
    UnknownFields,
    WrongTenant,
)
from tenants.proof import DELETE, FINAL_STATUSES
from tenants.proof_errors import BadAction

#: Characters of an order in JSON: several times what the longest name needs.
MOST_CHARACTERS = 16_384
#: May stand beside the fields of the payload in an order signed elsewhere; then it must be the tenant's own.
_TENANT_ID = "tenant_id"


@dataclass(frozen=True)
class SignedOrder:
    """The payload of a `delete-tenant` job: an order with its signature, which nobody has checked yet."""

    remove_tenant: bool
    tenant_name: str
    action: str
    nonce: str
    issued_at: str
    signature: str
    final_status: str

    def payload(self) -> dict[str, object]:
        """Return what the job carries."""
        return asdict(self)


_FIELDS = frozenset(SignedOrder.__dataclass_fields__)


def parse_order(text: str, *, tenant_id: uuid.UUID, tenant_name: str) -> SignedOrder:
    """Return the order that one JSON object says, for this tenant.

    Raises `NotAnOrder`, `DuplicateKey`, and what `read_order` raises.
    """
    if len(text) > MOST_CHARACTERS:
        raise NotAnOrder(f"The order has {len(text)} characters, and at most {MOST_CHARACTERS} are read.")
    try:
        fields = json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise NotAnOrder(f"The order is no JSON: {error}.") from error
    if not isinstance(fields, dict):
        raise NotAnOrder
    return read_order(fields, tenant_id=tenant_id, tenant_name=tenant_name)


def read_order(fields: Mapping[str, object], *, tenant_id: uuid.UUID, tenant_name: str) -> SignedOrder:
    """Return the order that these fields make, for this tenant.

    Raises `FieldsMissing`, `UnknownFields`, `NotAnOrder` for a field of another type, `BadAction`,
    `ActionMismatch`, `WrongTenant`.
    """
    missing = sorted(_FIELDS - fields.keys())
    if missing:
        raise FieldsMissing(f"The order is not complete: {', '.join(missing)} is missing.")
    unknown = sorted(fields.keys() - _FIELDS - {_TENANT_ID})
    if unknown:
        raise UnknownFields(f"No wipe order has {', '.join(map(repr, unknown))[:200]}.")
    if not isinstance(fields["remove_tenant"], bool):
        raise NotAnOrder("'remove_tenant' must be true or false.")
    for name in sorted(fields.keys() - {"remove_tenant"}):
        if not isinstance(fields[name], str):
            raise NotAnOrder(f"{name!r} must be a text.")
    order = SignedOrder(**{name: fields[name] for name in _FIELDS})  # type: ignore[arg-type]  # checked above
    if order.action not in FINAL_STATUSES:
        raise BadAction
    if order.remove_tenant != (order.action == DELETE):
        raise ActionMismatch
    if fields.get(_TENANT_ID, str(tenant_id)) != str(tenant_id):
        raise WrongTenant("The order names the id of another tenant.")
    if order.tenant_name != tenant_name:
        raise WrongTenant("The order names another tenant, or this one by a former name.")
    return order


def _without_duplicates(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in pairs:
        if name in fields:
            raise DuplicateKey(f"The order names {name[:100]!r} twice, so that it can be read in two ways.")
        fields[name] = value
    return fields


def _refuse_constant(name: str) -> object:
    raise NotAnOrder(f"{name} is no value of JSON.")
