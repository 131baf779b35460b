"""Whose jobs are claimed next. Pure: it knows tenants and numbers, no tables and no clock.

By seconds of workers used over weight, not by count of jobs. Each tenant has an account: the seconds that its
attempts took, over its weight. An attempt is charged with an estimate when it starts, and with what it took
when it ends, however it ends; one that takes twice its estimate is charged while it runs. Next is whoever's
account will be lowest after one more job. The virtual clock runs as an ideal scheduler would (seconds over
the weight of all who are active): a tenant that was idle begins there, so idleness saves nothing; debts stay.
It comes before others by one long job at most, so that it need not wait for all who just had their turn.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count

from jobs.accounts import Account, Attempt, Mean, Terms, room_for

__all__ = ["FairShare", "Grant", "Terms"]

#: Jobs that take longer than this (seconds) leave one slot to others while others are due.
LONG_SECONDS = 0.1
#: What an attempt is charged with while nothing is known of its type, and at least.
UNKNOWN_SECONDS, LEAST_SECONDS = 0.1, 0.0005
_NO_TERMS, _NEARLY = Terms(), 1e-9
# So many tenants are passed over in one choice.
_PASSED = 64


@dataclass(frozen=True)
class Grant:
    """So many jobs of this tenant's lane may be claimed."""

    tenant_id: str
    lane: int
    jobs: int


class FairShare:
    """Shares out one worker's slots among tenants with due jobs."""

    def __init__(self, *, slots: int) -> None:
        self._slots = slots
        self._accounts: dict[str, Account] = {}
        self._terms: Mapping[str, Terms] = {}
        self._attempts: dict[int, Attempt] = {}
        self._types: dict[str, Mean] = {}
        self._all = Mean()
        self._heap: list[tuple[float, int, str]] = []
        self._entries = count()
        #: Whoever's account has changed since the last choice.
        self._moved: dict[str, Account] = {}
        self._due = 0
        self._weight = 0.0
        self._overrun_at = math.inf
        #: The virtual clock: seconds over weight that an ideal scheduler would have given everybody.
        self.clock = 0.0

    def __bool__(self) -> bool:
        """Whether somebody may have due jobs."""
        return self._due > 0

    @property
    def is_contended(self) -> bool:
        """Whether more than one tenant may have due jobs."""
        return self._due > 1

    def account_of(self, tenant_id: str) -> float:
        """Return the seconds over weight that a tenant is charged with, running attempts included."""
        return self._account(tenant_id).key

    def set_terms(self, terms: Mapping[str, Terms]) -> None:
        """Replace the exceptions of all tenants; accounts stay as they are."""
        self._terms = terms
        for tenant_id, account in self._accounts.items():
            new = terms.get(tenant_id, _NO_TERMS)
            if new is not account.terms:
                if account.is_active:
                    self._weight += new.weight - account.terms.weight
                account.terms = new

    def wake(self, tenant_id: str, lane: int) -> None:
        """Note that a tenant may have due jobs in a lane."""
        account = self._account(tenant_id)
        if lane in account.lanes:
            return
        if not account.is_active:
            self._weight += account.terms.weight
        if not account.lanes:
            self._due += 1
            # What it was charged with for attempts that still run is part of its debt.
            account.settled = max(account.settled, self.clock - account.charged)
            account.is_fresh = True
        account.lanes.add(lane)
        self._enter(account)

    def rest(self, tenant_id: str, lane: int) -> None:
        """Note that a tenant has no more due jobs in a lane. Its debts stay."""
        account = self._accounts.get(tenant_id)
        if account is None or lane not in account.lanes:
            return
        account.lanes.discard(lane)
        if not account.lanes:
            self._due, account.entry = self._due - 1, -1
        if not account.is_active:
            self._weight -= account.terms.weight

    def choose(self, room: float, *, now: float) -> list[Grant]:
        """Return whose jobs may be claimed for `room` free children; `now` in the seconds of `start`."""
        self._charge_overruns(now)
        for moved in self._moved.values():
            self._enter(moved)
        self._moved = {}
        granted: dict[tuple[str, int], int] = {}
        passed: list[Account] = []
        touched: list[Account] = []
        while room > _NEARLY and len(passed) < _PASSED and (account := self._pop()) is not None:
            size = self._size(account)
            if size > room + _NEARLY or not self._may_run(account):
                passed.append(account)
                continue
            if not account.granted:
                touched.append(account)
                self.clock = max(self.clock, account.settled)
            ahead = self._heap[0][0] if self._heap else math.inf
            charge = self._expect(account) / account.terms.weight
            while True:
                key = (account.tenant_id, account.next_lane())
                granted[key] = granted.get(key, 0) + 1
                room -= size
                account.granted += 1
                account.promised += charge
                # It goes on while nobody else would come first.
                if account.key + charge > ahead or size > room + _NEARLY or not self._may_run(account):
                    break
            self._enter(account)
        for account in (*passed, *touched):
            account.granted, account.promised = 0, 0.0
            self._enter(account)
        return [Grant(*key, jobs) for key, jobs in granted.items()]

    def start(self, job_id: int, tenant_id: str, type: str, *, now: float) -> None:
        """Charge a tenant for an attempt that starts, with what such attempts took so far."""
        account, known = self._account(tenant_id), self.estimate(tenant_id, type)
        if not account.is_active:
            self._weight += account.terms.weight
        seconds = max(LEAST_SECONDS, UNKNOWN_SECONDS if known is None else known)
        attempt = Attempt(account, type, seconds, seconds / account.terms.weight, now)
        self._attempts[job_id] = attempt
        self._overrun_at = min(self._overrun_at, attempt.overrun_at)
        account.running, account.is_fresh = account.running + 1, False
        account.charged += attempt.charged
        self._moved[tenant_id] = account

    def end(self, job_id: int, *, seconds: float) -> None:
        """Charge what an attempt really took, however it ended; one that is not known changes nothing."""
        if (attempt := self._attempts.get(job_id)) is None:
            return
        account, seconds = attempt.account, max(seconds, LEAST_SECONDS)
        account.settled += seconds / account.terms.weight
        account.mean.add(seconds)
        self._all.add(seconds)
        account.means.setdefault(attempt.type, Mean()).add(seconds)
        self._types.setdefault(attempt.type, Mean()).add(seconds)
        self.clock += seconds / self._weight
        self.withdraw(job_id)

    def withdraw(self, job_id: int) -> None:
        """Take back the charge for an attempt that never began."""
        if (attempt := self._attempts.pop(job_id, None)) is None:
            return
        account = attempt.account
        account.running -= 1
        # Sums of many small numbers drift: with nothing running, nothing is charged.
        account.charged = account.charged - attempt.charged if account.running else 0.0
        self._moved[account.tenant_id] = account
        if not account.is_active:
            self._weight -= account.terms.weight

    def estimate(self, tenant_id: str, type: str) -> float | None:
        """Return the seconds that a job takes, by the tenant's own of its type or by all; None: unknown."""
        account = self._accounts.get(tenant_id)
        mean = (account and account.means.get(type)) or self._types.get(type)
        return mean.seconds if mean else None

    def _account(self, tenant_id: str) -> Account:
        account = self._accounts.get(tenant_id)
        if account is None:
            self._forget_idle()
            terms = self._terms.get(tenant_id, _NO_TERMS)
            account = self._accounts[tenant_id] = Account(tenant_id, terms, self.clock)
        return account

    def _expect(self, account: Account) -> float:
        """Return the seconds that this tenant's next job, of whatever type, will take."""
        mean = account.mean if account.mean.seen else self._all
        return max(LEAST_SECONDS, mean.seconds) if mean.seen else UNKNOWN_SECONDS

    def _size(self, account: Account) -> float:
        """Return how much of a child this tenant's next job takes."""
        return room_for(account.mean.seconds if account.mean.seen else None)

    def _may_run(self, account: Account) -> bool:
        """Whether cap and slots let one more of its jobs start."""
        running, terms = account.running + account.granted, account.terms
        if terms.most is not None and running >= terms.most:
            return False
        if self._due < 2 or self._expect(account) <= LONG_SECONDS:
            return True
        # One slot is left to the others, unless its weight gives it more than all but one.
        share = math.ceil(self._slots * terms.weight / max(self._weight, terms.weight) - _NEARLY)
        return running < max(1, self._slots - 1, share)

    def _enter(self, account: Account) -> None:
        """Put a tenant where its account will stand after its next job; its former place is void."""
        if not account.lanes:
            return
        account.entry = next(self._entries)
        after = account.key + self._expect(account) / account.terms.weight
        if account.is_fresh:
            after -= max((mean.seconds for mean in self._types.values()), default=0.0)
        heappush(self._heap, (after, account.entry, account.tenant_id))
        if len(self._heap) > 4 * self._due + 64:
            self._heap = [one for one in self._heap if self._is_valid(one)]
            heapify(self._heap)

    def _is_valid(self, entry: tuple[float, int, str]) -> bool:
        account = self._accounts.get(entry[2])
        return account is not None and account.entry == entry[1]

    def _pop(self) -> Account | None:
        while self._heap:
            if self._is_valid(entry := heappop(self._heap)):
                return self._accounts[entry[2]]
        return None

    def _charge_overruns(self, now: float) -> None:
        """Charge attempts that run twice as long as was estimated, or more, with the time they have taken."""
        if now < self._overrun_at:
            return
        for attempt in self._attempts.values():
            over = now - attempt.began - attempt.seconds
            if over >= attempt.seconds:
                more = over / attempt.account.terms.weight
                attempt.seconds += over
                attempt.charged += more
                attempt.account.charged += more
                self._moved[attempt.account.tenant_id] = attempt.account
        self._overrun_at = min((one.overrun_at for one in self._attempts.values()), default=math.inf)

    def _forget_idle(self) -> None:
        """Forget idle tenants without debts once they are many: they begin at the clock all the same."""
        active = self._due + len(self._attempts)
        if len(self._accounts) > 2 * active + 1024:
            self._accounts = {
                tenant_id: account
                for tenant_id, account in self._accounts.items()
                if account.is_active or account.settled > self.clock
            }
