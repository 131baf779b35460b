"""Landlock: a process gives up the file system, TCP and signals to others, by three calls to the kernel.

What is open stays usable; nothing else can be opened, made, removed or run. Needs Linux 5.13, and no rights.
"""

from __future__ import annotations

import ctypes
import os
import struct

_CREATE, _RESTRICT = 444, 446
"""The numbers of these calls, the same on every processor."""

_ASK_VERSION = 1
_FILE_ACCESS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}
"""All kinds of access to files that a version knows."""

_TCP_FROM, _TCP = 4, 0b11
_SCOPE_FROM, _SCOPE = 6, 0b11
_LIBC = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """The kernel's version of Landlock; 0 where there is none."""
    return int(max(0, _LIBC.syscall(_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION)))


def restrict() -> bool:
    """Give up everything Landlock can take, for good; false where the kernel does not do it.

    Privileges must have been given up before (no_new_privs).
    """
    known = version()
    if not known:
        return False
    fields = [_FILE_ACCESS[min(known, max(_FILE_ACCESS))]]
    if known >= _TCP_FROM:
        fields.append(_TCP)  # binding and connecting
    if known >= _SCOPE_FROM:
        fields.append(_SCOPE)  # abstract sockets of others, and signals to them
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules = _LIBC.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    try:
        return bool(_LIBC.syscall(_RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)
