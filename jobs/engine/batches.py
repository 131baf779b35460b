"""Batches: several small jobs go to a child at once, a long one or an unknown one goes alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from jobs.accounts import ROOM_JOBS, room_for
from jobs.engine.store.claims import Claimed

# Messages larger than the buffer of a socket are refused.
_BATCH_BYTES = 64 * 1024
_NEARLY = 1e-9


@dataclass
class _Batch:
    jobs: list[Claimed] = field(default_factory=list)
    load: float = 0.0
    size: int = 0

    def takes(self, job: Claimed, size: float) -> bool:
        return not self.jobs or (
            self.load + size <= 1 + _NEARLY
            and len(self.jobs) < ROOM_JOBS
            and self.size + len(job.payload) <= _BATCH_BYTES
        )

    def add(self, job: Claimed, size: float) -> None:
        self.jobs.append(job)
        self.load += size
        self.size += len(job.payload)


def make_batches(
    jobs: Sequence[Claimed],
    children: int,
    estimate: Callable[[str, str], float | None],
    *,
    most: int = ROOM_JOBS,
) -> tuple[list[list[Claimed]], list[Claimed]]:
    """Spread jobs over so many idle children; returns the batches, and the jobs that found no room.

    `estimate` gives the seconds that a job of a tenant and a type takes, or None; a child takes `most`.
    """
    batches = [_Batch() for _ in range(children)]
    rest: list[Claimed] = []
    kinds = {(job.tenant_id, job.type) for job in jobs}
    rooms = {kind: room_for(estimate(*kind), most) for kind in kinds}
    sizes = {job.id: rooms[job.tenant_id, job.type] for job in jobs}
    # The long ones first: beside small ones they would find no room.
    for job in sorted(jobs, key=lambda job: -sizes[job.id]):
        best = min(batches, key=lambda batch: batch.load, default=None)
        if best is not None and best.takes(job, sizes[job.id]):
            best.add(job, sizes[job.id])
        else:
            rest.append(job)
    return [batch.jobs for batch in batches if batch.jobs], rest
