"""What a process does to its parent, its children and their groups: die with, kill, reap."""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import suppress

from jobs.forkserver.messages import Exit

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` dies; if that has happened, end now.

    The kernel forgets the wish when the process changes its user: call it after that.
    """
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def kill_group(pid: int) -> None:
    """SIGKILL a process of ours that is not reaped yet, and the group it leads.

    Both, because right after the fork the group may not exist yet.
    """
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def next_ended() -> int | None:
    """The id of a child that has ended and is not reaped yet; None if there is none."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if ended is None else ended.si_pid


def reap(pid: int) -> Exit:
    """Reap a child that has ended, after killing what it left behind in its group.

    In this order: until it is reaped, no other process or group can have its id.
    """
    kill_group(pid)
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return Exit(
        code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        cpu_seconds=round(usage.ru_utime + usage.ru_stime, 3),
        max_rss=usage.ru_maxrss * 1024,
    )
