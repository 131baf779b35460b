"""What goes between dispatcher and child: one message down for each job, one up when it has ended.

JSON over a SEQPACKET socket: each message arrives whole or not at all.
"""

import json
import uuid
from dataclasses import asdict, dataclass
from enum import StrEnum

from jobs.context import RunningJob
from jobs.engine.store.claims import Claimed
from jobs.engine.store.ends import Again

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


def encode_job(job: Claimed) -> bytes:
    """Return the message that hands out a job."""
    return json.dumps(asdict(job), ensure_ascii=False).encode("utf-8", "replace")


def decode_job(data: bytes) -> RunningJob:
    """Return the job that was handed out."""
    fields = json.loads(data)
    document_id = fields["document_id"]
    return RunningJob(
        id=fields["id"],
        tenant_id=uuid.UUID(fields["tenant_id"]),
        document_id=uuid.UUID(document_id) if document_id else None,
        type=fields["type"],
        payload=json.loads(fields["payload"]),
        lease=fields["lease"],
        retry_count=fields["retry_count"],
    )


def encode_report(report: Report) -> bytes:
    """Return the message that an attempt has ended."""
    return json.dumps(asdict(report)).encode()


def decode_report(data: bytes) -> Report:
    """Return what a child reports."""
    fields = json.loads(data)
    return Report(**fields | {"outcome": Outcome(fields["outcome"]), "again": Again(fields["again"])})


@dataclass(frozen=True)
class ChildSetup:
    """What a child is told when it is forked: the names of the templates whose sockets follow its channel."""

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
