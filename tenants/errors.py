"""What can go wrong with tenants. The docstring is the message unless a better one is given.

TenantsError
├── TenantNotFound
├── TenantNameTaken
├── TenantNotActive
├── WrongTenantStatus
├── UserNotFound
├── CapabilityDenied
├── UnknownCapability
├── SystemSetIsFixed
├── CapabilitySetInUse
├── CapabilitySetNotFound
├── CapabilitySetNameTaken
├── AlreadyMember
├── NotAMember
├── LastOwner
├── InvalidToken
├── OrderRefused
│   ├── NotAnOrder
│   ├── DuplicateKey
│   ├── FieldsMissing
│   ├── UnknownFields
│   ├── ActionMismatch
│   ├── WrongTenant
│   ├── OrderUsed
│   ├── OrderExpired
│   ├── AnotherOrder
│   ├── WipeForbidden
│   └── ProofError, see `tenants.proof_errors`
├── WipeUnderWay
├── NothingToCancel
├── ApprovalNeeded
├── NothingToApprove
├── RequestExpired
└── SameOperator
"""

from collections.abc import Sequence

from jobs.wording import WordedError, Wording


class TenantsError(WordedError):
    """Something is wrong with a tenant."""


class TenantNotFound(TenantsError):
    """There is no such tenant."""


class TenantNameTaken(TenantsError):
    """Another tenant has this name already: choose another one."""


class TenantNotActive(TenantsError):
    """The tenant is not active, so nothing can be added to it or changed in it."""


class WrongTenantStatus(TenantsError):
    """The tenant's status does not allow this."""


class UserNotFound(TenantsError):
    """There is no such user: create the account first."""


class CapabilityDenied(TenantsError):
    """The capability for this is missing."""


class UnknownCapability(TenantsError):
    """There is no such capability."""


class SystemSetIsFixed(TenantsError):
    """The sets that come with a tenant cannot be changed or deleted: make a set of your own."""


class CapabilitySetInUse(TenantsError):
    """The capability set is in use: give its members and tokens another one first."""


class CapabilitySetNotFound(TenantsError):
    """The tenant has no such capability set."""


class BadName(TenantsError):
    """A name has only characters that can be seen, and at least one."""


class CapabilitySetNameTaken(TenantsError):
    """The tenant has a capability set of this name already."""


class AlreadyMember(TenantsError):
    """The user is a member of this tenant already."""


class NotAMember(TenantsError):
    """The user is not a member of this tenant."""


class LastOwner(TenantsError):
    """A tenant keeps at least one owner: make another member an owner first."""


class InvalidToken(TenantsError):
    """The token is unknown, expired or revoked."""


class OrderRefused(TenantsError):
    """The wipe order is refused, and nothing was touched."""


class NotAnOrder(OrderRefused):
    """The order is not one JSON object with the fields of a wipe order."""


class DuplicateKey(OrderRefused):
    """The order names a field twice, so that it can be read in two ways."""


class FieldsMissing(OrderRefused):
    """The order is not complete."""


class UnknownFields(OrderRefused):
    """The order has fields that no wipe order has."""


class ActionMismatch(OrderRefused):
    """The order contradicts itself: `remove_tenant` is true if and only if the action is 'delete'."""


class WrongTenant(OrderRefused):
    """The order names another tenant."""


class OrderUsed(OrderRefused):
    """The order was used already: each nonce works once. Sign a new one."""


class OrderExpired(OrderRefused):
    """The order came too late, and nothing was touched."""


class AnotherOrder(OrderRefused):
    """There is another wipe order for this tenant."""


class WipeForbidden(OrderRefused):
    """Something forbids that the tenant's papers go."""

    def __init__(self, reasons: Sequence[Wording] = ()) -> None:
        super().__init__(" ".join(map(str, reasons)))
        if reasons:
            self.wordings = tuple(reasons)


class WipeUnderWay(TenantsError):
    """The wipe is authorised: it goes on to its end, and cannot be taken back."""


class NothingToCancel(TenantsError):
    """There is no wipe order of this tenant to cancel."""


class ApprovalNeeded(TenantsError):
    """A wipe needs the approval of a second operator here: request it with --sign."""


class NothingToApprove(TenantsError):
    """There is no request to wipe this tenant."""


class RequestExpired(TenantsError):
    """The request is more than an hour old: request the wipe anew."""


class SameOperator(TenantsError):
    """A wipe is approved by another operator than the one who requested it."""
