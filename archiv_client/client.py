"""The whole archive of one tenant, by its parts."""

from archiv_client.documents import Documents
from archiv_client.jobs import Jobs
from archiv_client.labels import Labels
from archiv_client.rules import Rules
from archiv_client.tenant import TenantPart
from archiv_client.transport import Caller, Http, Transport
from archiv_client.workflows import Workflows


class Archiv:
    """One archive, seen with one token.

    Keeps nothing and no connection: it can be made once and used by all threads. Every call raises `Problem`
    where the archive refuses, `NotReached` where it cannot be reached, `Unreadable` for a strange answer.
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = 60.0, transport: Transport | None = None
    ) -> None:
        """`url` without `/api`; `timeout` in seconds, for each step of the network. Raises ValueError."""
        caller = Caller(transport or Http(url, token, timeout=timeout))
        self.documents = Documents(caller)
        self.tags = Labels(caller, "tags")
        self.correspondents = Labels(caller, "correspondents")
        self.document_types = Labels(caller, "document-types")
        self.rules = Rules(caller)
        self.workflows = Workflows(caller)
        self.jobs = Jobs(caller)
        self.tenant = TenantPart(caller)
