"""What can go wrong with a job, as a vocabulary. Any other exception of a handler means: try again later.

JobsError
├── LeaseLost
├── GiveUp
│   └── LimitReached
├── Outage
├── TemplateMissing
└── JobRefused
    ├── UnknownJobType
    │   └── RetiredJobType
    └── DuplicateJobType
"""


class JobsError(Exception):
    """Something about a job is wrong."""

    def __str__(self) -> str:
        """Return the message given, else the first line of the class's docstring."""
        return super().__str__() or (type(self).__doc__ or "").partition("\n")[0]


class LeaseLost(JobsError):
    """Somebody else holds this job now, or it has ended: nothing that was done here counts."""


class GiveUp(JobsError):
    """Trying again would not help. The job fails at once, whatever retries are left.

    `kind` is a `FailureKind`: why, for whoever counts failures.
    """

    def __init__(self, message: str, *, kind: str = "gave_up") -> None:
        super().__init__(message)
        self.kind = kind


class LimitReached(GiveUp):
    """A limit on size, time or memory was hit. It would be hit again, so the job fails at once."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="limit")


class Outage(JobsError):
    """Something that archiv stands on is away. The job is tried again with growing pauses, and never fails
    for it.
    """


class TemplateMissing(Outage):
    """The process that this handler needs is not running at this moment."""


class JobRefused(JobsError):
    """A job cannot be put in the queue."""


class UnknownJobType(JobRefused):
    """No installed app has a handler for this type of job."""

    kind = "unknown_type"


class RetiredJobType(UnknownJobType):
    """A type of job that was retired was asked for."""


class DuplicateJobType(JobRefused):
    """Two handlers were registered for one type of job."""
