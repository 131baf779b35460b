"""The only writers of tenants, members, capability sets, tokens and wipe orders: one module for each.

Calls are keyword-only. Each is one transaction that ends with its event in the audit trail, but where its
docstring speaks of several.
"""

from tenants.services.authorising import authorise_order, refuse_order
from tenants.services.capability_sets import change_set, create_set, delete_set
from tenants.services.lifecycle import (
    Provisioned,
    create_tenant,
    provision_tenant,
    resume_tenant,
    suspend_tenant,
)
from tenants.services.members import add_member, change_member, remove_member
from tenants.services.retention import release_retention
from tenants.services.tokens import MintedToken, authenticate_token, mint_token, revoke_token
from tenants.services.wipe_inspection import (
    Inspection,
    find_order,
    inspect_wipe,
    refuse_used_order,
)
from tenants.services.wipe_orders import PlacedOrder
from tenants.services.wipes import approve_wipe, cancel_order, order_wipe, submit_order
from tenants.services.wiping import carry_out_wipe

__all__ = [
    "Inspection",
    "MintedToken",
    "PlacedOrder",
    "Provisioned",
    "add_member",
    "approve_wipe",
    "authenticate_token",
    "authorise_order",
    "cancel_order",
    "carry_out_wipe",
    "change_member",
    "change_set",
    "create_set",
    "create_tenant",
    "delete_set",
    "find_order",
    "inspect_wipe",
    "mint_token",
    "order_wipe",
    "provision_tenant",
    "refuse_order",
    "refuse_used_order",
    "release_retention",
    "remove_member",
    "resume_tenant",
    "revoke_token",
    "submit_order",
    "suspend_tenant",
]
