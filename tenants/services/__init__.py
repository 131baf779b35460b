"""The only writers of tenants, members, capability sets and tokens: one module for each.

Every call is keyword-only and one transaction, and ends with its event in the audit trail.
"""

from tenants.services.capability_sets import change_set, create_set, delete_set
from tenants.services.lifecycle import (
    Provisioned,
    create_tenant,
    provision_tenant,
    resume_tenant,
    suspend_tenant,
)
from tenants.services.members import add_member, change_member, remove_member
from tenants.services.tokens import MintedToken, authenticate_token, mint_token, revoke_token

__all__ = [
    "MintedToken",
    "Provisioned",
    "add_member",
    "authenticate_token",
    "change_member",
    "change_set",
    "create_set",
    "create_tenant",
    "delete_set",
    "mint_token",
    "provision_tenant",
    "remove_member",
    "resume_tenant",
    "revoke_token",
    "suspend_tenant",
]
