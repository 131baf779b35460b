"""Take away from a process what a reader does not need: rights, network, files, memory, time.

In three steps. The template goes into bubblewrap where that works, and gives up its user and its network once
all is loaded. Each reader then closes what it was not given, leaves the file system for good (Landlock), and
sets the limits of its one file.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import resource
import signal
import struct
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from documents.reading import bubblewrap, landlock, seccomp
from documents.reading.messages import Limits

READER_UID = 65_533
"""The user and group of readers where the template may choose: nobody else's, so that no other
process of that user can be met. Above Debian's own, inside the 65,536 that containers map."""

_THREADS = 4096
_CAPABILITY_VERSION = 0x20080522
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWNET = 0x40000000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWUSER = 0x10000000
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Confinement:
    """What is in force for every reader of a template."""

    user: int
    own_user: bool
    own_network: bool
    no_new_privileges: bool
    call_filter: bool
    landlock: int
    """The version of Landlock, 0 where there is none."""

    bubblewrap: bool

    @property
    def is_closed(self) -> bool:
        """Whether readers are shut off from files and sockets, and not only limited."""
        return self.bubblewrap or bool(self.landlock and self.call_filter)

    def __str__(self) -> str:
        parts = [
            "bubblewrap" if self.bubblewrap else "no bubblewrap",
            f"Landlock (version {self.landlock})" if self.landlock else "no Landlock",
            "a filter on system calls" if self.call_filter else "no filter on system calls",
            f"user {self.user}" + ("" if self.own_user else " (the worker's own)"),
            "own network" if self.own_network else "the host's network",
            "no new privileges" if self.no_new_privileges else "privileges may grow",
            "limits of processor time, memory, files and processes",
        ]
        return ", ".join(parts)


def confine_template() -> Confinement:
    """Give up user, groups and network for this process and all it forks.

    Call it when everything is imported and loaded: the project may lie where the new user cannot go.
    """
    was_root = os.geteuid() == 0
    inside = bubblewrap.is_inside()
    # Without root a new network needs a new user namespace; in the kernel's eyes we stay who we are.
    own_network = inside or _unshare(_CLONE_NEWNET | _CLONE_NEWIPC | (0 if was_root else _CLONE_NEWUSER))
    _stand_nowhere()
    if was_root:
        _become_nobody()
    _drop_capabilities()
    no_new = _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # no process of the same user may look into it
    return Confinement(
        user=os.getuid(),
        own_user=was_root,
        own_network=own_network,
        no_new_privileges=no_new,
        call_filter=no_new and seccomp.is_supported(),
        landlock=landlock.version() if no_new else 0,
        bubblewrap=inside,
    )


def _stand_nowhere() -> None:
    """Work in a folder that is removed: empty, private, cannot get a file, and nothing stays behind."""
    folder = tempfile.mkdtemp(prefix="archiv-reader-")
    os.chdir(folder)
    Path(folder).rmdir()


def _become_nobody() -> None:
    candidates = [(READER_UID, READER_UID)]
    with suppress(KeyError):
        nobody = pwd.getpwnam("nobody")
        candidates.append((nobody.pw_uid, nobody.pw_gid))
    for number, (user, group) in enumerate(candidates, 1):
        try:
            os.setgroups([])
            os.setresgid(group, group, group)
            os.setresuid(user, user, user)
        except OSError:
            if number == len(candidates):
                raise
        else:
            return


def _drop_capabilities() -> None:
    """Give up what a new user namespace grants within itself; where there is nothing, nothing happens."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _LIBC.capset(header, bytes(24))


def _unshare(flags: int) -> bool:
    return bool(_LIBC.unshare(flags) == 0)


def confine_reader(keep: Iterable[int], file_bytes: int, limits: Limits, *, threads: bool = False) -> None:
    """Close all descriptors but `keep`, give up the file system, limit what the process may use.

    `file_bytes` are granted beside the memory limit, for the mapping of the file. `threads` may be
    started only where a decoder cannot do without; processes never.
    """
    _leave_files(set(keep))
    os.environ.clear()
    os.umask(0o077)
    held = _address_space()
    ceilings = {
        resource.RLIMIT_AS: held + file_bytes + limits.memory_bytes,
        resource.RLIMIT_FSIZE: 0,
        # Counted over all readers, so there is no small number that serves.
        resource.RLIMIT_NPROC: _THREADS if threads and seccomp.is_supported() else 0,
        resource.RLIMIT_NOFILE: max(keep, default=2) + 8,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    for which, ceiling in ceilings.items():
        hard = resource.getrlimit(which)[1]
        value = ceiling if hard == resource.RLIM_INFINITY else min(ceiling, hard)
        resource.setrlimit(which, (value, value))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    landlock.restrict()  # before the filter, which would refuse the calls it takes
    seccomp.restrict()
    allow_seconds(limits)


def allow_seconds(limits: Limits) -> None:
    """Grant the next page its processor time, counted from now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    now = used.ru_utime + used.ru_stime
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    # One second above: the kernel would otherwise send SIGKILL together with SIGXCPU.
    total = limits.cpu_seconds_total + 1
    total = total if hard == resource.RLIM_INFINITY else min(total, hard)
    soft = min(int(now) + limits.cpu_seconds, limits.cpu_seconds_total, total)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, total))


def _leave_files(keep: set[int]) -> None:
    """Standard streams lead nowhere, other descriptors are closed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    keep = {*keep, 0, 1, 2}
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  plain names are wanted
        if int(name) not in keep:
            with suppress(OSError):
                os.close(int(name))
    sys.stdin = sys.stdout = sys.stderr = None


def _address_space() -> int:
    """Bytes of address space this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
