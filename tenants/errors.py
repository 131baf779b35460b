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
└── InvalidToken
"""


class TenantsError(Exception):
    """Something is wrong with a tenant."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


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
