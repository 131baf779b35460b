"""What goes between dispatcher and child: one message down for each batch, one up when the child is idle.

Over a SEQPACKET socket: each message arrives whole or not at all. How jobs ended that did not fail stands in
the shared cell; a failure is told in a message of its own, before the next job begins.
"""

import json
import marshal
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import lru_cache

from jobs.context import RunningJob
from jobs.engine.store.claims import Claimed
from jobs.engine.store.ends import Again

#: What a message may be: the bytes that were received, or a view of them.
Buffer = bytes | memoryview
#: The largest message that is read; the kernel refuses to send larger ones long before.
MESSAGE_BYTES = 1 << 20


class Outcome(StrEnum):
    """How an attempt ended, as its child saw it."""

    #: Finished in the child, with its effects.
    FINISHED = "finished"
    #: Failed for good in the child, with what it wrote all the same.
    GAVE_UP = "gave_up"
    #: The handler came back without effects: the dispatcher finishes the job.
    DONE = "done"
    FAILED = "failed"
    #: Somebody else has the job.
    LOST = "lost"


@dataclass(frozen=True)
class Report:
    """One ended attempt. The texts are cleaned and bounded; all but the first two belong to failures."""

    id: int
    outcome: Outcome
    kind: str = ""
    error: str = ""
    again: Again = Again.WHILE_RETRIES
    fingerprint: str = ""
    traceback: str = ""


#: What the cell says of jobs that did not fail.
LETTERS = {Outcome.DONE: "d", Outcome.FINISHED: "f"}
OUTCOMES = {letter: outcome for outcome, letter in LETTERS.items()}
# The first byte of what a child says: whether it is idle now, or goes on with its batch.
_IDLE, _AT_WORK = b".", b"!"


def encode_batch(jobs: Sequence[Claimed]) -> bytes:
    """Return the message that hands out jobs."""
    # Both ends are one program, and a child believes its dispatcher: a tenth of the cost of JSON.
    return marshal.dumps([job[:_HANDED_FIELDS] for job in jobs])


#: The first fields of `Claimed` are what a child needs to know.
_HANDED_FIELDS = 7


def decode_batch(data: Buffer) -> list[RunningJob]:
    """Return the jobs that were handed out."""
    return [
        RunningJob(
            job_id,
            _uuid(tenant_id),
            uuid.UUID(document_id) if document_id else None,
            type_name,
            json.loads(payload),
            lease,
            retry_count,
        )
        for job_id, tenant_id, type_name, payload, document_id, lease, retry_count in marshal.loads(data)  # noqa: S302
    ]


@lru_cache(maxsize=1024)
def _uuid(text: str) -> uuid.UUID:
    """Return the tenant's id: jobs of a batch often have one in common."""
    return uuid.UUID(text)


def encode_report(report: Report | None, *, idle: bool) -> bytes:
    """Return what a child says: that it is idle, and how an attempt ended that failed."""
    body = b"" if report is None else json.dumps(asdict(report)).encode()
    return (_IDLE if idle else _AT_WORK) + body


def decode_report(data: Buffer) -> tuple[Report | None, bool]:
    """Return what a child says; raises ValueError, TypeError or KeyError for what no child would."""
    if data[:1] not in (_IDLE, _AT_WORK):
        raise ValueError(bytes(data[:20]))
    if len(data) == 1:
        return None, data == _IDLE
    fields = json.loads(bytes(data[1:]))
    report = Report(**fields | {"outcome": Outcome(fields["outcome"]), "again": Again(fields["again"])})
    return report, data[:1] == _IDLE


@dataclass(frozen=True)
class ChildSetup:
    """What a child is told when it is forked: names of templates, whose sockets follow channel and cell."""

    worker: str
    templates: tuple[str, ...]

    def encode(self) -> bytes:
        """Return the payload of the fork request."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> "ChildSetup":
        """Return what was encoded."""
        fields = json.loads(data)
        return cls(fields["worker"], tuple(fields["templates"]))
