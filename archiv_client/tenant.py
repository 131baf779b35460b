"""The tenant of the token: who calls, what it uses, what was done."""

from collections.abc import Iterator

from archiv_client.models import Event, Profile, Tenant, Usage
from archiv_client.paging import pages
from archiv_client.reading import read
from archiv_client.transport import Caller


class TenantPart:
    """The tenant itself."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def profile(self) -> Profile:
        """Say whose token this is, and what it may do."""
        return read(Profile, self._caller.call("GET", "/profile"))

    def get(self) -> Tenant:
        """Return the tenant."""
        return read(Tenant, self._caller.call("GET", "/tenant"))

    def usage(self) -> Usage:
        """Say how much of the archive the tenant uses."""
        return read(Usage, self._caller.call("GET", "/usage"))

    def audit(self) -> Iterator[Event]:
        """Yield the audit trail, newest first."""
        return pages(self._caller, "/audit", "events", Event, {})
