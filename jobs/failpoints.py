"""Named places at which a test breaks the process: `ARCHIV_FAILPOINT=name:action[:count]`.

Actions: `kill` (SIGKILL to itself), `stop` (SIGSTOP to itself), `raise` (FailpointReached), `sleep` (for two
leases). With a count only the first so many passes act, counted over all processes forked from one template;
without one, each does. Only under test settings or DEBUG; `jobs.E001` refuses it elsewhere.
"""

import fcntl
import os
import signal
import time
from dataclasses import dataclass
from functools import cache

from django.conf import settings

#: Every name there is. `failpoint` refuses others, so a test cannot wait at a place that does not exist.
FAILPOINTS = frozenset(
    {
        *(f"store.{step}" for step in ("received", "hashed", "fsynced", "inserted", "moved", "committed")),
        *(f"job.{step}" for step in ("claimed", "started", "body", "effects", "finished")),
        *(f"purge.{step}" for step in ("begun", "listed", "files")),
        *(f"export.{step}" for step in ("copied", "kept", "listed", "published", "recorded")),
        *(f"wipe.{step}" for step in ("authorised", "files", "index", "rows", "jobs", "tenant")),
    }
)
# Shared by every process forked after this module was imported: a child that was killed cannot count for
# itself, and two that pass at the same moment must not both be the first.
_PASSES = os.memfd_create("failpoints")


class FailpointReached(RuntimeError):
    """A failpoint with the action "raise" was passed."""


class FailpointMisnamed(ValueError):
    """ARCHIV_FAILPOINT names a place or an action that does not exist."""


@dataclass(frozen=True)
class Armed:
    """One armed failpoint; `count` None means every pass."""

    name: str
    action: str
    count: int | None


def parse_failpoint(text: str) -> Armed | None:
    """Return what `name:action[:count]` arms, None for nothing; raises FailpointMisnamed."""
    if not text:
        return None
    name, _, rest = text.partition(":")
    action, _, count = rest.partition(":")
    if name not in FAILPOINTS:
        raise FailpointMisnamed(f"{name!r} is no failpoint: choose from {', '.join(sorted(FAILPOINTS))}.")
    if action not in ("kill", "stop", "raise", "sleep") or (count and not count.isdecimal()):
        raise FailpointMisnamed(f"{text!r} must read name:action[:count] with kill, stop, raise or sleep.")
    return Armed(name, action, int(count) if count else None)


def allowed() -> bool:
    """Whether this installation may be broken on purpose."""
    return bool(settings.DEBUG or settings.ARCHIV_PROBE)


@cache
def _armed() -> Armed | None:
    return parse_failpoint(settings.ARCHIV_FAILPOINT) if allowed() else None


def failpoint(name: str) -> None:
    """Break the process here if `name` is armed; nothing otherwise."""
    armed = _armed()
    if armed is None or armed.name != name:
        return
    if armed.count is not None and _count_pass() > armed.count:
        return
    if armed.action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif armed.action == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif armed.action == "sleep":
        time.sleep(2 * settings.ARCHIV_LEASE_SECONDS)
    else:
        raise FailpointReached(f"Failpoint {name} was passed.")


def _count_pass() -> int:
    """Return how many passes there are now, with this one."""
    fcntl.lockf(_PASSES, fcntl.LOCK_EX)
    try:
        passes = int.from_bytes(os.pread(_PASSES, 8, 0), "little") + 1
        os.pwrite(_PASSES, passes.to_bytes(8, "little"), 0)
    finally:
        fcntl.lockf(_PASSES, fcntl.LOCK_UN)
    return passes
