"""The tenant's jobs."""

from collections.abc import Iterator
from typing import Literal
from uuid import UUID

from archiv_client.models import Job, JobWithAttempts
from archiv_client.paging import pages
from archiv_client.reading import read
from archiv_client.transport import Caller


class Jobs:
    """What waits, runs, failed and is done."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        status: Literal["queued", "processing", "failed", "succeeded", "all"] = "failed",
        *,
        document_id: UUID | None = None,
    ) -> Iterator[Job]:
        """Yield jobs, newest first: those of this status, or all of a document."""
        query = {"status": status, "document_id": str(document_id) if document_id else None}
        return pages(self._caller, "/jobs", "jobs", Job, query)

    def get(self, job_id: int) -> JobWithAttempts:
        """Return one job with its attempts."""
        return read(JobWithAttempts, self._caller.call("GET", f"/jobs/{job_id}"))

    def requeue(self, job_id: int) -> JobWithAttempts:
        """Let a failed job run again with all its retries."""
        return read(JobWithAttempts, self._caller.call("POST", f"/jobs/{job_id}/requeue"))

    def cancel(self, job_id: int) -> JobWithAttempts:
        """End a job that waits or runs."""
        return read(JobWithAttempts, self._caller.call("POST", f"/jobs/{job_id}/cancel"))
