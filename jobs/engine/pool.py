"""The pool: one child for each slot, forked from a warm template, replaced when it dies, killed when it must
be.
"""

import errno
import math
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from selectors import EVENT_READ, BaseSelector

from jobs.engine import events
from jobs.engine.cell import Cell
from jobs.engine.messages import MESSAGE_BYTES, ChildSetup, Report, decode_report, encode_batch
from jobs.engine.offspring import Child, Doom
from jobs.engine.store.claims import Claimed
from jobs.engine.templates import CHILD, Templates
from jobs.forkserver import Exit, ForkServerError, TemplateGone, fork

#: A child that dies without a job is replaced after this pause, so that a broken start is no busy loop.
_IDLE_DEATH_PAUSE = 1.0
# A template that has not told so long after a child was killed that it is dead hangs itself.
_UNHEARD_SECONDS = 10.0


class HandOutFailed(Exception):
    """A child did not take a job; `too_large` if no child could."""

    def __init__(self, message: str, *, too_large: bool) -> None:
        super().__init__(message)
        self.too_large = too_large


class Pool:
    """The children of one worker. The callbacks are called from the selector's.

    `on_failure` gets a job, how it ended and after how many seconds; `on_idle` a child that did its batch,
    `on_death` one that has died, and how; None: together with its template. Both still have their jobs.
    """

    def __init__(
        self,
        *,
        worker: str,
        slots: int,
        templates: Templates,
        selector: BaseSelector,
        on_failure: Callable[[Claimed, Report, float], None],
        on_idle: Callable[[Child], None],
        on_death: Callable[[Child, Exit | None], None],
    ) -> None:
        self._worker = worker
        self._slots = slots
        self._templates = templates
        self._selector = selector
        self._on_failure = on_failure
        self._on_idle = on_idle
        self._on_death = on_death
        self._children: list[Child] = []
        self._fork_at = 0.0
        self._buffer = memoryview(bytearray(MESSAGE_BYTES))

    def __iter__(self) -> Iterator[Child]:
        return iter(list(self._children))

    @property
    def idle(self) -> list[Child]:
        """Children that can take a job, as many as there are free slots."""
        room = self._slots - len(self.busy)
        free = [one for one in self._children if not one.is_busy and one.doom is None]
        return free[: max(0, room)]

    @property
    def busy(self) -> list[Child]:
        """Children that are at a job."""
        return [one for one in self._children if one.is_busy]

    def may_take(self, child: Child) -> bool:
        """Whether a child that has just become idle may be given jobs at once, before `fill` looks at it."""
        current = child.generation == self._templates.generation
        fit = current and not child.has_ended and child.doom is None
        return fit and len(self._children) <= self._slots

    def nearly_idle(self, within: float) -> int:
        """How many children are at work and should be idle within so many seconds, or should have been."""
        now = time.monotonic()
        return sum(child.is_busy and abs(child.expected_at - now) <= within for child in self._children)

    @property
    def has_urgent_room(self) -> bool:
        """Whether one urgent job more may run: in a free slot, or in the one child above the slots."""
        return len(self.busy) <= self._slots and self._templates.is_ready(CHILD)

    @property
    def is_full(self) -> bool:
        """Whether every slot has its child."""
        return len(self._children) >= self._slots

    @property
    def fork_at(self) -> float | None:
        """When a missing child may be forked (monotonic seconds); None: none is missing."""
        return None if self.is_full else self._fork_at

    def fill(self) -> None:
        """Fork the children that are missing, if the template is warm; retire those with old templates or no
        slot.
        """
        for child in self._children:
            surplus = len(self._children) > self._slots
            if not child.is_busy and (surplus or child.generation != self._templates.generation):
                self._bury(child)
        while not self.is_full and time.monotonic() >= self._fork_at and self._templates.is_ready(CHILD):
            if self._fork() is None:
                break

    def child_for_urgent(self) -> Child | None:
        """Return a child for an urgent job: an idle one, or one more than there are slots."""
        free = [one for one in self._children if not one.is_busy and one.doom is None]
        if free:
            return free[0]
        return self._fork() if self.has_urgent_room else None

    def _fork(self) -> Child | None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        cell, shared = Cell.create()
        sockets = self._templates.sockets()
        setup = ChildSetup(self._worker, tuple(sockets))
        try:
            with theirs:
                descriptors = [theirs.fileno(), shared, *(one.fileno() for one in sockets.values())]
                requests = self._templates.requests(CHILD)
                forked = fork(requests, setup.encode(), descriptors)
        except ForkServerError as error:
            ours.close()
            cell.close()
            self._fork_at = time.monotonic() + _IDLE_DEATH_PAUSE
            events.fork_failed(self._worker, error)
            return None
        finally:
            os.close(shared)
        child = Child(forked, ours, cell, self._templates.generation)
        self._children.append(child)
        self._selector.register(ours, EVENT_READ, lambda: self._read_report(child))
        self._selector.register(forked.leash, EVENT_READ, lambda: self._read_exit(child))
        return child

    def hand_out(
        self, child: Child, jobs: Sequence[Claimed], *, timeouts: Sequence[float], seconds: float
    ) -> None:
        """Give jobs to an idle child, that take it `seconds` as far as is known.

        It is killed if one of them runs longer than its timeout in seconds.
        """
        child.cell.clear(len(jobs))
        try:
            child.channel.send(encode_batch(jobs), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except OSError as error:
            too_large = error.errno == errno.EMSGSIZE
            raise HandOutFailed(os.strerror(error.errno or 0), too_large=too_large) from error
        child.left = dict(enumerate(jobs))
        child.timeouts = tuple(timeouts)
        child.handed_at = time.monotonic()
        child.expected_at = child.handed_at + seconds
        child.is_busy, child.is_taken_back = True, False

    def is_nearly_idle(self, within: float) -> bool:
        """Whether a child is idle, and another one should be within so many seconds, or should have been."""
        some_idle = any(not child.is_busy for child in self._children)
        return some_idle and self.nearly_idle(within) > 0

    def next_deadline(self) -> float | None:
        """When the next job runs out of its time, or of patience (monotonic seconds).

        Of a child that is being killed: when its end should have been heard of.
        """
        moments = (one.unheard_at if one.doom else min(one.deadline, one.patience) for one in self.busy)
        return min(moments, default=None)

    @property
    def impatient(self) -> list[Child]:
        """Children in which jobs have waited too long behind another one."""
        now = time.monotonic()
        return [one for one in self.busy if one.patience <= now and not one.doom]

    def kill_overdue(self) -> None:
        """Kill children whose jobs run longer than their type may, and a template that tells of no death."""
        now = time.monotonic()
        for child in self.busy:
            if child.doom is None and child.deadline <= now:
                self.kill(child, Doom.TIMEOUT)
            elif child.unheard_at <= now:
                # The end of the template is that of all its children: what they were at is given back.
                child.unheard_at = math.inf
                self._templates.kill(CHILD)

    def kill(self, child: Child, doom: Doom) -> None:
        """Kill a child; its end is reported as any other, with this reason."""
        if child.doom is None:
            child.doom = doom
            child.unheard_at = time.monotonic() + _UNHEARD_SECONDS
            _kill(child)

    def _read_report(self, child: Child) -> bool:
        """Take one message; False: there is none."""
        try:
            size = child.channel.recv_into(self._buffer, 0, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            size = 0
        if not size:
            # Its end of the channel is closed: it has ended, or nobody can tell it anything any more. How it
            # ended comes over the leash.
            self._unwatch(child.channel)
            _kill(child)
            return False
        try:
            report, idle = decode_report(self._buffer[:size])
        except (ValueError, TypeError, KeyError):
            self.kill(child, Doom.LEASE_LOST)
            return False
        if report is not None:
            seconds = child.seconds
            for index, job in list(child.left.items()):
                if job.id == report.id:
                    del child.left[index]
                    self._on_failure(job, report, seconds)
        if idle:
            child.is_busy = False
            self._on_idle(child)
        return True

    def _read_exit(self, child: Child) -> None:
        child.has_ended = True
        while child.is_busy and self._read_report(child):
            pass  # a child that reported and died is at no job any more
        try:
            end: Exit | None = child.forked.read_exit(0)
        except TemplateGone:
            end = None
        except TimeoutError:
            return
        self._bury(child)
        if not child.is_busy and child.doom is None:
            self._fork_at = time.monotonic() + _IDLE_DEATH_PAUSE
        self._on_death(child, end)

    def _bury(self, child: Child) -> None:
        self._children = [one for one in self._children if one is not child]
        self._unwatch(child.channel)
        self._unwatch(child.forked.leash)
        child.channel.close()
        child.forked.close()
        # Whoever hears of its death still reads the cell: its memory goes with the last reference.

    def _unwatch(self, watched: socket.socket) -> None:
        with suppress(KeyError, ValueError):
            self._selector.unregister(watched)

    def close(self) -> None:
        """Let go of every child: whatever still runs is killed."""
        for child in self:
            self._bury(child)


def _kill(child: Child) -> None:
    with suppress(ProcessLookupError):  # it ended a moment ago: that is on its way to us
        os.killpg(child.forked.pid, signal.SIGKILL)
