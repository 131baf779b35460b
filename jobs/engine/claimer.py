"""The claimer: when to look for due jobs, whose to claim, and how many."""

import heapq
import math
import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from jobs.engine import counters
from jobs.engine.bounds import Bounds, Sight
from jobs.engine.due import DueList
from jobs.engine.hints import BACK, QUIET_SECONDS, URGENT, tell_back
from jobs.engine.options import WorkerOptions
from jobs.engine.store import claims, upkeep
from jobs.engine.store.base import Connection, Held
from jobs.engine.store.claims import Claimed, Wanted
from jobs.engine.store.ends import LATER_SECONDS
from jobs.fairness import FairShare, Grant, Terms
from jobs.models import Lane

# Seconds between two readings of tenants' exceptions, and between two walks while a round is not over.
_RULES_SECONDS = 0.5
_REWALK_SECONDS, _REWALK_BESIDE_WORK_SECONDS = 0.02, 0.1
# A walk is over for this many times as long as it took before the next one: beside work, without any, and to
# learn who has nothing left.
_WALK_SHARE, _IDLE_WALK_SHARE, _REST_WALK_SHARE = 20, 4, 50
_STAGE_BATCH = 500


class Riders(Protocol):
    """Ends of attempts that may be written together with a claim."""

    def riders(self) -> Sequence[Held]:
        """Return what may be finished."""

    def ride(self, riders: Sequence[Held], written: Iterable[int]) -> None:
        """Note that these were tried, and which were written."""


class Moments:
    """Moments (monotonic seconds) at which to look around; those within 10 ms count as one, the later."""

    def __init__(self) -> None:
        self._heap: list[float] = []
        self._known: set[float] = set()

    @property
    def next(self) -> float:
        """The next one; infinity without any."""
        return self._heap[0] if self._heap else math.inf

    def add(self, moment: float) -> None:
        """Plan one."""
        rounded = math.ceil(moment * 100) / 100
        if rounded not in self._known:
            self._known.add(rounded)
            heapq.heappush(self._heap, rounded)

    def take(self) -> bool:
        """Forget those that have come; whether there were any."""
        now, came = time.monotonic(), False
        while self._heap and self._heap[0] <= now:
            self._known.discard(heapq.heappop(self._heap))
            came = True
        return came


class Claimer:
    """Claims for one worker. Hints make it quick; polling makes it right."""

    def __init__(self, options: WorkerOptions) -> None:
        self._poll = options.poll
        self._terms = options.terms
        self._share = FairShare(slots=options.slots)
        self._bounds = Bounds()
        self._due = DueList(self._share, self._bounds, bound=4 * options.slots)
        self._rules: dict[str, upkeep.QueueRule] = {}
        self._rules_at = -math.inf
        self._poll_at = 0.0
        self._looks = Moments()
        self._walk = self._ask_urgent = True
        #: Whether whoever is known to have due jobs runs as many as they may.
        self._all_held = False

    def look_at(self, *, room: bool, urgent_room: bool) -> float:
        """When `claim` and `claim_urgent` are worth trying again with that room (monotonic seconds)."""
        due = self._walk or (bool(self._share) and not self._all_held)
        if (urgent_room and self._ask_urgent) or (room and due):
            return 0.0
        return min(self._poll_at, self._looks.next)

    @property
    def quiet_since(self) -> float | None:
        """When the look around began that found nothing due at all; None: there was something."""
        quiet = self._due.is_quiet and not (self._walk or self._ask_urgent)
        return self._due.round_at if quiet else None

    def hear(self, hint: str) -> None:
        """Note a hint: this tenant may have due jobs, or there are urgent ones.

        Others may follow that are not announced.
        """
        if hint == URGENT:
            self._ask_urgent = True
        elif hint.startswith(BACK):
            self.look_back([hint.removeprefix(BACK)])
        else:
            self._wake(hint)
        self._looks.add(time.monotonic() + QUIET_SECONDS)

    def hear_ends(self, jobs: Iterable[Claimed]) -> None:
        """Note that these jobs ended: under a cap, that makes room for their tenants' next ones."""
        if not self._rules:
            return
        for tenant_id in {job.tenant_id for job in jobs}:
            rule = self._rules.get(tenant_id)
            if rule is not None and rule.max_running is not None:
                self._wake(tenant_id)

    def start(self, jobs: Iterable[Claimed]) -> None:
        """Charge their tenants for jobs that were handed out."""
        now = time.monotonic()
        for job in jobs:
            self._share.start(job.id, job.tenant_id, job.type, now=now)

    def estimate(self, tenant_id: str, type: str) -> float | None:
        """Return the seconds that a job of a tenant and a type takes; None: unknown."""
        return self._share.estimate(tenant_id, type)

    def withdraw(self, job: Claimed) -> None:
        """Take back the charge for a job that never began."""
        self._share.withdraw(job.id)
        self._wake(job.tenant_id)

    def end(self, job: Claimed, *, seconds: float) -> None:
        """Charge its tenant with what an attempt took, however it ended."""
        self._share.end(job.id, seconds=seconds)
        self._all_held = False

    def look_back(self, tenants: Iterable[str]) -> None:
        """Note that jobs of these tenants may be due before where claims begin."""
        for tenant_id in set(tenants):
            self._bounds.forget(tenant_id)
            self._wake(tenant_id)

    def _wake(self, tenant_id: str) -> None:
        self._all_held = False
        for lane in (Lane.NORMAL, Lane.BULK):
            self._share.wake(tenant_id, int(lane))

    def expect(self, seconds: float) -> None:
        """Note that a job will be due in so many seconds; what is further away is staged by a poll."""
        if seconds <= LATER_SECONDS:
            self._looks.add(time.monotonic() + seconds)

    def poll_now(self) -> None:
        """Poll at the next occasion, not when it is due."""
        self._poll_at = 0.0

    def tick(self, connection: Connection) -> None:
        """Once a turn: if a poll is due, stage what has come due; note whether it is time to look around."""
        now = time.monotonic()
        if now >= self._poll_at:
            staged = _STAGE_BATCH
            while staged == _STAGE_BATCH:
                tenants = upkeep.stage(connection, limit=_STAGE_BATCH)
                self.look_back(tenants)
                tell_back(connection, tenants)
                staged = len(tenants)
            self._poll_at = now + self._poll * random.uniform(0.75, 1.25)  # noqa: S311  spreads load
            self._looks.add(now)
        if self._looks.take():
            self._walk = self._ask_urgent = True
            self._all_held = False

    def claim_urgent(self, connection: Connection) -> list[Claimed]:
        """Claim one urgent job if a hint or a poll says that there may be one."""
        if not self._ask_urgent:
            return []
        claimed = claims.claim_urgent(connection, 1, self._terms)
        self._ask_urgent = bool(claimed)
        return claimed

    def claim(self, connection: Connection, room: int, ends: Riders | None = None) -> list[Claimed]:
        """Claim at most `room` jobs; none if nothing is due as far as is known.

        What waits in `ends` is written in the transaction of a claim, if there is one.
        """
        claimed: list[Claimed] = []
        while len(claimed) < room and self._know_somebody(connection):
            grants = self._share.choose(room - len(claimed), now=time.monotonic())
            if not grants:
                self._all_held = True
                break
            taken = self._take(connection, grants, ends)
            self._note(grants, taken)
            claimed += taken
        return claimed

    def _know_somebody(self, connection: Connection) -> bool:
        """Whether some tenant may have due jobs; walks through the index if it is time to."""
        if self._walk:
            self._walk = False
            self.refresh_rules(connection)
            self._due.walk(connection, self._rules)
            self._plan_walk()
        return bool(self._share)

    def _plan_walk(self) -> None:
        """Walk again soon while there is work, else when a job comes due."""
        if self._due.may_find_more:
            if self._share:
                self._look_after_walk(_REWALK_BESIDE_WORK_SECONDS, _WALK_SHARE)
            else:
                self._look_after_walk(_REWALK_SECONDS, _IDLE_WALK_SHARE)
        elif self._due.next_due_in is not None:
            self._looks.add(self._due.walked_at + self._due.next_due_in)

    def _look_after_walk(self, pause: float, share: int) -> None:
        """Walk again after a pause: however slow the machine is, the rest of the time is for others."""
        self._looks.add(self._due.walked_at + max(pause, share * self._due.walk_seconds))

    def refresh_rules(self, connection: Connection) -> None:
        """Read tenants' exceptions if that is due: after claims, whose guard knows them by itself."""
        now = time.monotonic()
        if now - self._rules_at >= _RULES_SECONDS:
            rules = upkeep.read_rules(connection)
            self._rules_at = now
            if rules != self._rules:
                self._rules = rules
                self._share.set_terms(
                    {tenant: Terms(rule.weight, rule.max_running) for tenant, rule in rules.items()}
                )

    def _take(self, connection: Connection, grants: list[Grant], ends: Riders | None) -> list[Claimed]:
        open_ones: list[Wanted] = []
        now = time.monotonic()
        capped: dict[str, list[Wanted]] = {}
        for grant in grants:
            want = Wanted(grant.tenant_id, grant.lane, grant.jobs)
            rule = self._rules.get(grant.tenant_id)
            if rule is not None and rule.max_running is not None:
                capped.setdefault(grant.tenant_id, []).append(want)
            else:
                behind = self._bounds.begin(grant.tenant_id, grant.lane, now=now)
                open_ones.append(replace(want, behind=behind))
        riders = ends.riders() if ends is not None and open_ones else ()
        with counters.CLAIM.time():
            if ends is not None and riders:
                claimed, written = claims.claim_and_finish(connection, open_ones, self._terms, riders)
                ends.ride(riders, written)
            else:
                claimed = claims.claim(connection, open_ones, self._terms)
        for tenant_id, wanted in capped.items():
            claimed += claims.claim_capped(connection, tenant_id, wanted, self._terms)
        return claimed

    def _note(self, grants: list[Grant], taken: list[Claimed]) -> None:
        """Forget lanes that gave less than they were asked for."""
        if taken:
            self._due.take()
        found: dict[tuple[str, int], list[Claimed]] = {}
        for job in taken:
            found.setdefault((job.tenant_id, job.lane), []).append(job)
        now = time.monotonic()
        for grant in grants:
            key = (grant.tenant_id, grant.lane)
            jobs = found.get(key, [])
            all_seen = len(jobs) < grant.jobs
            if all_seen:
                self._share.rest(*key)
            elif self._share.is_contended:
                # Only a walk tells whether that was all: whoever has nothing left is idle from then on.
                self._look_after_walk(_REWALK_BESIDE_WORK_SECONDS, _REST_WALK_SHARE)
            rule = self._rules.get(grant.tenant_id)
            # Under a cap fewer come than are due, so that nothing is known of the rest.
            if jobs and (rule is None or rule.max_running is None):
                last = jobs[0]
                row = (last.claimed, last.id) if all_seen else max((job.due, job.id) for job in jobs)
                self._bounds.see(*key, Sight(row, last.xmin, last.xmax, now), claimed_at=last.claimed)
        if not self._share:
            self._plan_walk()
