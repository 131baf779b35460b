"""The pool: one child for each slot, forked from a warm template, replaced when it dies, killed when it must
be.
"""

import errno
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from selectors import EVENT_READ, BaseSelector

from jobs.engine import events
from jobs.engine.messages import MESSAGE_BYTES, ChildSetup, Report, decode_report, encode_job
from jobs.engine.store.claims import Claimed
from jobs.engine.templates import CHILD, Templates
from jobs.forkserver import Exit, Forked, ForkServerError, TemplateGone, fork

#: A child that dies without a job is replaced after this pause, so that a broken start is no busy loop.
_IDLE_DEATH_PAUSE = 1.0


class Doom(StrEnum):
    """Why a child is being killed; what that means for its job."""

    TIMEOUT = "timeout"
    #: The worker stops, or lost the job: the attempt is given back.
    STOPPING = "stopping"
    LEASE_LOST = "lease_lost"


@dataclass
class Child:
    """One child and the job it is at."""

    forked: Forked
    channel: socket.socket
    #: Generation of the templates that it knows; an older one is replaced when it is idle.
    generation: int
    job: Claimed | None = None
    handed_at: float = 0.0
    deadline: float = 0.0
    doom: Doom | None = None


class HandOutFailed(Exception):
    """A child did not take a job; `too_large` if no child could."""

    def __init__(self, message: str, *, too_large: bool) -> None:
        super().__init__(message)
        self.too_large = too_large


class Pool:
    """The children of one worker. `on_report` and `on_death` are called from the selector's callbacks.

    `on_death` gets the child and how it ended; None: together with its template.
    """

    def __init__(
        self,
        *,
        worker: str,
        slots: int,
        templates: Templates,
        selector: BaseSelector,
        on_report: Callable[[Child, Report], None],
        on_death: Callable[[Child, Exit | None], None],
    ) -> None:
        self._worker = worker
        self._slots = slots
        self._templates = templates
        self._selector = selector
        self._on_report = on_report
        self._on_death = on_death
        self._children: list[Child] = []
        self._fork_at = 0.0

    def __iter__(self) -> Iterator[Child]:
        return iter(list(self._children))

    @property
    def idle(self) -> list[Child]:
        """Children that can take a job, as many as there are free slots."""
        room = self._slots - len(self.busy)
        free = [one for one in self._children if one.job is None and one.doom is None]
        return free[: max(0, room)]

    @property
    def busy(self) -> list[Child]:
        """Children that are at a job."""
        return [one for one in self._children if one.job is not None]

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
            if child.job is None and (surplus or child.generation != self._templates.generation):
                self._bury(child)
        while not self.is_full and time.monotonic() >= self._fork_at and self._templates.is_ready(CHILD):
            if self._fork() is None:
                break

    def child_for_urgent(self) -> Child | None:
        """Return a child for an urgent job: an idle one, or one more than there are slots."""
        free = [one for one in self._children if one.job is None and one.doom is None]
        if free:
            return free[0]
        return self._fork() if self.has_urgent_room else None

    def _fork(self) -> Child | None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sockets = self._templates.sockets()
        setup = ChildSetup(self._worker, tuple(sockets))
        try:
            with theirs:
                descriptors = [theirs.fileno(), *(one.fileno() for one in sockets.values())]
                requests = self._templates.requests(CHILD)
                forked = fork(requests, setup.encode(), descriptors)
        except ForkServerError as error:
            ours.close()
            self._fork_at = time.monotonic() + _IDLE_DEATH_PAUSE
            events.fork_failed(self._worker, error)
            return None
        child = Child(forked, ours, self._templates.generation)
        self._children.append(child)
        self._selector.register(ours, EVENT_READ, lambda: self._read_report(child))
        self._selector.register(forked.leash, EVENT_READ, lambda: self._read_exit(child))
        return child

    def hand_out(self, child: Child, job: Claimed, *, timeout: float) -> None:
        """Give a job to an idle child; it is killed `timeout` seconds later if it still runs."""
        try:
            child.channel.send(encode_job(job), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except OSError as error:
            too_large = error.errno == errno.EMSGSIZE
            raise HandOutFailed(os.strerror(error.errno or 0), too_large=too_large) from error
        child.job = job
        child.handed_at = time.monotonic()
        child.deadline = child.handed_at + timeout

    def next_deadline(self) -> float | None:
        """When the next job runs out of its time (monotonic seconds)."""
        return min((one.deadline for one in self._children if one.job and not one.doom), default=None)

    def kill_overdue(self) -> None:
        """Kill children whose jobs run longer than their type may."""
        now = time.monotonic()
        for child in self.busy:
            if child.doom is None and child.deadline <= now:
                self.kill(child, Doom.TIMEOUT)

    def kill(self, child: Child, doom: Doom) -> None:
        """Kill a child; its end is reported as any other, with this reason."""
        if child.doom is None:
            child.doom = doom
            with suppress(ProcessLookupError):  # it ended a moment ago: that is on its way to us
                os.killpg(child.forked.pid, signal.SIGKILL)

    def _read_report(self, child: Child) -> None:
        try:
            data = child.channel.recv(MESSAGE_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            # Its end of the channel is closed: it has ended, and how comes over the leash.
            self._unwatch(child.channel)
            return
        try:
            report = decode_report(data)
        except (ValueError, TypeError, KeyError):
            self.kill(child, Doom.LEASE_LOST)
            return
        self._on_report(child, report)
        child.job = None
        child.deadline = 0.0

    def _read_exit(self, child: Child) -> None:
        if child.job is not None:
            self._read_report(child)  # a child that reported and died is at no job any more
        try:
            end: Exit | None = child.forked.read_exit(0)
        except TemplateGone:
            end = None
        except TimeoutError:
            return
        self._bury(child)
        if child.job is None and child.doom is None:
            self._fork_at = time.monotonic() + _IDLE_DEATH_PAUSE
        self._on_death(child, end)

    def _bury(self, child: Child) -> None:
        self._children = [one for one in self._children if one is not child]
        self._unwatch(child.channel)
        self._unwatch(child.forked.leash)
        child.channel.close()
        child.forked.close()

    def _unwatch(self, watched: socket.socket) -> None:
        with suppress(KeyError, ValueError):
            self._selector.unregister(watched)

    def close(self) -> None:
        """Let go of every child: whatever still runs is killed."""
        for child in self:
            self._bury(child)
