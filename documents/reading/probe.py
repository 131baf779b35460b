"""A reader that tries to get out: to files, sockets, other processes. Run as a module it is their template.

It confines itself exactly as a reader does, and then tries what a program in the hands of a file would try.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from documents.reading import sandbox, template
from documents.reading.messages import Limits
from documents.reading.protocol import Frame, send_frame

if TYPE_CHECKING:
    from documents.reading.sandbox import Confinement
    from documents.reading.warm import Warm
    from jobs.forkserver.server import Main

_FORKS = 50
_DAEMON_SECONDS = 2
_TOO_MUCH = 8 << 30
_PTRACE_SEIZE = 0x4206
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Targets:
    """What the prober looks for: all of it is there, and open to whoever runs the command.

    `database` is the path of a socket, or an empty text; the ports listen on this machine.
    """

    foreign_file: str
    database: str
    tcp: int
    udp: int
    worker: int
    write: tuple[str, ...]


def prepare(warm: Warm, confinement: Confinement) -> Main:
    """What the template serves: probers instead of readers."""
    del warm  # loaded, as with readers, and not used
    return partial(run, str(confinement))


def run(confinement: str, payload: bytes, descriptors: list[int]) -> None:
    """Confine this process as a reader, try everything, say what came of it on the socket given."""
    fields = json.loads(payload)
    targets = Targets(**{**fields, "write": tuple(fields["write"])})
    parent = os.getppid()
    sandbox.confine_reader(descriptors, 0, Limits())
    with socket.socket(fileno=descriptors[0]) as stream:
        send_frame(stream, Frame("confinement", {"words": confinement}))
        for name, act in _attempts(targets, parent):
            send_frame(stream, Frame("attempt", {"name": name, **_try(act)}))
        send_frame(stream, Frame("end", {}))


def _try(act: Callable[[], object]) -> dict[str, Any]:
    """Whether it was refused, and with what words."""
    try:
        done = act()
    except (OSError, MemoryError, ValueError) as error:
        return {"refused": True, "detail": f"{type(error).__name__}: {error}"[:200]}
    return {"refused": False, "detail": str(done)[:200]}


def _attempts(targets: Targets, parent: int) -> Iterator[tuple[str, Callable[[], object]]]:
    for name, path in (
        ("read /etc/passwd", "/etc/passwd"),
        ("read another tenant's file", targets.foreign_file),
        ("read the template's environment", f"/proc/{parent}/environ"),
        ("read the worker's environment", f"/proc/{targets.worker}/environ"),
        ("read the program's own code", __file__),
    ):
        yield name, partial(_read, path)
    yield "list the root folder", lambda: os.listdir("/")  # noqa: PTH208
    if targets.database:
        yield "connect to the database's socket", partial(_connect, socket.AF_UNIX, targets.database)
    yield "connect by TCP", partial(_connect, socket.AF_INET, (b"127.0.0.1", targets.tcp))
    yield "send by UDP", partial(_send, targets.udp)
    yield "listen", _listen
    for folder in targets.write:
        yield f"write into {folder}", partial(_write, f"{folder}/archiv-probe")
    yield "write into its own folder", partial(_write, "archiv-probe")
    yield "make a pipe with a name", partial(_make_pipe, f"{targets.write[0]}/archiv-probe-pipe")
    yield "fork without end", _fork_without_end
    yield "leave a daemon behind", _leave_daemon
    yield "signal its template", lambda: os.kill(parent, 0)
    yield "look into its template's memory", partial(_trace, parent)
    yield "become root", lambda: os.setresuid(0, 0, 0) if os.getuid() else "it is root"
    yield "get a new namespace", _unshare
    yield "raise its limits", _raise_limits
    yield f"take {_TOO_MUCH >> 30} GiB of memory", _take_memory
    # Last: what succeeds ends this process.
    yield "run another program", lambda: os.execve("/bin/sh", ["sh", "-c", "exit 9"], {})  # noqa: S606


def _read(path: str) -> str:
    with Path(path).open("rb") as file:
        return f"{len(file.read(64))} bytes read"


def _connect(family: int, address: Any) -> str:
    with socket.socket(family) as sock:
        sock.connect(address)
    return "connected"


def _send(port: int) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"out", (b"127.0.0.1", port))
    return "sent"


def _listen() -> str:
    with socket.socket() as sock:
        sock.bind((b"127.0.0.1", 0))
        sock.listen()
    return "listens"


def _write(path: str) -> str:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        return f"{os.write(descriptor, b'x')} byte written"
    finally:
        os.close(descriptor)
        os.unlink(path)  # noqa: PTH108


def _fork_without_end() -> str:
    """Fork at most so often: a machine that lets it happen shall live."""
    forked = 0
    try:
        for _ in range(_FORKS):
            if os.fork() == 0:
                os._exit(0)
            forked += 1
    except OSError:
        if not forked:
            raise
    return f"{forked} processes"


def _leave_daemon() -> str:
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.closerange(0, 1024)
        signal.alarm(_DAEMON_SECONDS)  # it shall be seen, not stay
        signal.pause()
        os._exit(0)
    return f"process {pid}"


def _trace(pid: int) -> str:
    return _call("ptrace", _LIBC.ptrace(_PTRACE_SEIZE, pid, None, None))


def _unshare() -> str:
    return _call("unshare", _LIBC.unshare(0x10000000))


def _call(name: str, answer: int) -> str:
    if answer != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return "done"


def _take_memory() -> str:
    """Ask for it and give it back, without using any."""
    mmap.mmap(-1, _TOO_MUCH).close()
    return "taken"


def _make_pipe(path: str) -> str:
    os.mkfifo(path)
    os.unlink(path)  # noqa: PTH108
    return "made"


def _raise_limits() -> str:
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limits[0], limits[1] + (1 << 30)))
    return "raised"


if __name__ == "__main__":
    template.main(prepare)
