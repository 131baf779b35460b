"""A simulated queue: tenants, workers and a clock, with the scheduler under test in each worker."""

import heapq
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from jobs.fairness import FairShare, Terms

LANE = 1
#: Seconds between two walks beside work, as in `jobs.engine.claimer`.
WALK_SECONDS = 0.1


@dataclass
class Tenant:
    """One tenant's jobs: how long the next takes, how many wait, and what came of them."""

    name: str
    length: Callable[[], float]
    backlog: int = 0
    weight: float = 1.0
    most: int | None = None
    type: str = "probe"
    retries: bool = False
    #: Moments at which the jobs that wait came due, of those that were added while it ran.
    due_at: deque[float] = field(default_factory=deque)
    waits: list[float] = field(default_factory=list)
    used: float = 0.0
    done: int = 0
    running: int = 0


@dataclass
class Worker:
    slots: int
    share: FairShare
    busy: int = 0
    #: Who got all that was asked for since the last walk: whether that was all there is, a walk tells.
    unsure: set[str] = field(default_factory=set)
    walked_at: float = 0.0


class Simulation:
    """Runs jobs until a moment; each job takes one slot of one worker for its length."""

    def __init__(self, tenants: Iterable[Tenant], *, slots: int, workers: int = 1) -> None:
        self.tenants = {tenant.name: tenant for tenant in tenants}
        self.workers = [Worker(slots, FairShare(slots=slots)) for _ in range(workers)]
        terms = {one.name: Terms(one.weight, one.most) for one in self.tenants.values()}
        self.now = 0.0
        self._serial = 0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        for worker in self.workers:
            worker.share.set_terms(terms)
            for tenant in self.tenants.values():
                if tenant.backlog:
                    worker.share.wake(tenant.name, LANE)

    def at(self, moment: float, happen: Callable[[], None]) -> None:
        self._serial += 1
        heapq.heappush(self._events, (moment, self._serial, happen))

    def arrive(self, tenant: Tenant, moment: float, jobs: int = 1) -> None:
        """Let so many jobs of a tenant come due at a moment."""

        def happen() -> None:
            self.tenants.setdefault(tenant.name, tenant)
            tenant.backlog += jobs
            tenant.due_at.extend([self.now] * jobs)
            for worker in self.workers:
                worker.share.wake(tenant.name, LANE)

        self.at(moment, happen)

    def run(self, until: float) -> None:
        self._hand_out()
        while self._events and self._events[0][0] <= until:
            self.now, _, happen = heapq.heappop(self._events)
            happen()
            while self._events and self._events[0][0] == self.now:
                heapq.heappop(self._events)[2]()
            self._hand_out()
        self.now = until

    def _hand_out(self) -> None:
        for worker in self.workers:
            self._walk(worker)
            while worker.busy < worker.slots and worker.share:
                grants = worker.share.choose(worker.slots - worker.busy, now=self.now)
                if not grants:
                    break
                for grant in grants:
                    tenant = self.tenants[grant.tenant_id]
                    taken = min(grant.jobs, tenant.backlog, worker.slots - worker.busy)
                    for _ in range(taken):
                        self._start(worker, tenant)
                    if taken < grant.jobs:
                        worker.share.rest(tenant.name, LANE)
                    else:
                        worker.unsure.add(tenant.name)

    def _walk(self, worker: Worker) -> None:
        if self.now - worker.walked_at >= WALK_SECONDS:
            worker.walked_at = self.now
            for name in worker.unsure:
                if not self.tenants[name].backlog:
                    worker.share.rest(name, LANE)
            worker.unsure.clear()

    def _start(self, worker: Worker, tenant: Tenant) -> None:
        tenant.backlog -= 1
        tenant.running += 1
        worker.busy += 1
        if tenant.due_at:
            tenant.waits.append(self.now - tenant.due_at.popleft())
        self._serial += 1
        job, seconds = self._serial, tenant.length()
        worker.share.start(job, tenant.name, tenant.type, now=self.now)

        def end() -> None:
            worker.share.end(job, seconds=seconds)
            worker.busy -= 1
            tenant.running -= 1
            tenant.used += seconds
            tenant.done += 1
            if tenant.retries:
                tenant.backlog += 1
                for one in self.workers:
                    one.share.wake(tenant.name, LANE)

        self.at(self.now + seconds, end)


def jain(values: Iterable[float]) -> float:
    """Return Jain's index: 1 if all are equal, 1/n if one has everything."""
    given = list(values)
    return sum(given) ** 2 / (len(given) * sum(one * one for one in given))
