"""A filter on system calls: a reader starts no process, opens no socket, signals nobody else.

Limits alone do not say that: the limit on processes counts threads as well, which the decoder of
HEIC needs, and does nothing for root. What is refused fails with EPERM, as if rights were missing.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from dataclasses import dataclass

_PR_SET_SECCOMP = 22
_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_EPERM, _ENOSYS = 1, 38
_CLONE_THREAD = 0x00010000
_X32 = 0x40000000

# Where the kernel puts what is looked at: number, architecture, low half of the first argument.
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class _Machine:
    """What the system calls are called on one kind of processor."""

    architecture: int
    clone: int
    clone3: int
    signals: tuple[int, ...]
    """kill, tkill, tgkill: only to itself."""
    refused: tuple[int, ...]


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        clone=56,
        clone3=435,
        signals=(62, 200, 234),
        # socket, socketpair, fork, vfork, execve, ptrace, sysctl, pivot_root, chroot, mount, umount2,
        # reboot, init_module, add_key, request_key, keyctl, unshare, perf_event_open, fanotify_init,
        # open_by_handle_at, setns, process_vm_readv, process_vm_writev, finit_module, kexec_load, bpf,
        # execveat, userfaultfd, io_uring_setup, open_tree, move_mount, fsopen, pidfd_open, pidfd_getfd,
        # pidfd_send_signal, rt_sigqueueinfo, rt_tgsigqueueinfo, prlimit64 stays: it is how limits are set
        refused=(
            41, 53, 57, 58, 59, 101, 156, 155, 161, 165, 166, 169, 175, 248, 249, 250, 272, 298, 300, 304,
            308, 310, 311, 313, 246, 321, 322, 323, 425, 428, 429, 430, 434, 438, 424, 129, 297,
        ),
    ),
    "aarch64": _Machine(
        0xC00000B7,
        clone=220,
        clone3=435,
        signals=(129, 130, 131),
        # The same, but fork, vfork and sysctl, which this one does not have.
        refused=(
            198, 199, 221, 117, 41, 51, 40, 39, 142, 105, 217, 218, 219, 97, 241, 262, 265, 268, 270, 271,
            273, 104, 280, 281, 282, 425, 428, 429, 430, 434, 438, 424, 138, 240,
        ),
    ),
}  # fmt: skip


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def is_supported() -> bool:
    """Whether the filter is known for this machine."""
    return sys.maxsize > 1 << 32 and platform.machine() in _MACHINES


def restrict() -> bool:
    """Put the filter on this process for good; false where the kernel or the machine does not do it.

    Privileges must have been given up for good before (no_new_privs).
    """
    if not is_supported():
        return False
    code = _compile(_MACHINES[platform.machine()], os.getpid())
    program = _Program(len(code) // 8, code)
    return bool(_LIBC.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def _compile(machine: _Machine, pid: int) -> bytes:
    """The filter's instructions: each jump skips forward by whole instructions."""
    refuse, allow = _ERRNO | _EPERM, _ALLOW
    code = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, machine.architecture, 1, 0),
        _step(_RETURN, refuse),  # another set of numbers would slip through
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _X32, 0, 1),
        _step(_RETURN, refuse),
        # Its flags lie in memory, where no filter can look; libraries fall back to clone.
        _step(_EQUAL, machine.clone3, 0, 1),
        _step(_RETURN, _ERRNO | _ENOSYS),
        _step(_EQUAL, machine.clone, 0, 4),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_ANY_BIT, _CLONE_THREAD, 0, 1),
        _step(_RETURN, allow),
        _step(_RETURN, refuse),
    ]
    for number in machine.signals:
        code += [
            _step(_EQUAL, number, 0, 4),
            _step(_LOAD, _FIRST_ARGUMENT),
            _step(_EQUAL, pid, 0, 1),
            _step(_RETURN, allow),
            _step(_RETURN, refuse),
        ]
    for number in machine.refused:
        code += [_step(_EQUAL, number, 0, 1), _step(_RETURN, refuse)]
    return b"".join([*code, _step(_RETURN, allow)])


def _step(code: int, value: int, on_true: int = 0, on_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, on_true, on_false, value)
