"""What can go wrong, as exceptions.

ArchivError
├── NotReached
├── Unreadable
├── AnalysisFailed
├── StillAnalyzing
└── Problem
    ├── NotAllowed
    ├── NotFound
    ├── Duplicate
    ├── Changed
    └── TooOften
"""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID


class ArchivError(Exception):
    """Something went wrong with a request to the archive."""


class NotReached(ArchivError):
    """The archive cannot be reached, or the connection broke."""


class Unreadable(ArchivError):
    """The answer is none that this client can read: is there an archive at this address?"""


class AnalysisFailed(ArchivError):
    """The document is stored, and its analysis has failed; the message says why."""


class StillAnalyzing(ArchivError):
    """The analysis had not ended when the patience was over; the document is stored all the same."""


class Problem(ArchivError):
    """The archive has refused. `code` is stable and for programs, the message is for people.

    `request_id` is what an operator finds in the logs. `details` is all that was answered.
    """

    def __init__(self, status: int, details: Mapping[str, Any]) -> None:
        super().__init__(str(details.get("detail", "")))
        self.status = status
        self.code = str(details.get("code", ""))
        self.request_id = str(details.get("request_id", ""))
        self.details = dict(details)

    def __str__(self) -> str:
        return f"{self.args[0]} ({self.status} {self.code}, request {self.request_id})"


class NotAllowed(Problem):
    """The token is not valid, or holds too little."""


class NotFound(Problem):
    """There is no such thing, or it is another tenant's."""


class Duplicate(Problem):
    """The archive has these bytes already."""

    @property
    def document_id(self) -> UUID:
        """The document that has them."""
        return UUID(self.details["document_id"])

    @property
    def trashed(self) -> bool:
        """Whether it lies in the trash."""
        return bool(self.details["trashed"])


class Changed(Problem):
    """Somebody else has changed it meanwhile: look at it again."""


class TooOften(Problem):
    """There were too many requests, and waiting did not help."""


_BY_STATUS: Mapping[int, type[Problem]] = {
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    412: Changed,
    429: TooOften,
}


def problem_of(status: int, body: bytes) -> ArchivError:
    """Return the exception that stands for an answer with an error."""
    try:
        details = json.loads(body)
    except ValueError:
        details = None
    if not isinstance(details, dict) or "code" not in details:
        return Unreadable(f"{Unreadable.__doc__} It answered with {status}.")
    kind = Duplicate if details["code"] == "duplicate" else _BY_STATUS.get(status, Problem)
    return kind(status, details)
