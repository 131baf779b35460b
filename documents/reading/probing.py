"""Have a prober try to get out of the sandbox of readers, with witnesses outside, and time real readers."""

from __future__ import annotations

import json
import os
import select
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from statistics import median

from documents.reading.client import read_file, start_reader_template
from documents.reading.messages import ReadOptions
from documents.reading.probe import Targets
from documents.reading.protocol import StreamEnded, receive_frame
from jobs.forkserver import fork

PROBE = "documents.reading.probe"
_SECONDS = 30.0
_READINGS = 20
_WRITE = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  it is tried, and must not work


@dataclass(frozen=True)
class Attempt:
    """One thing that was tried; `refused` is how it should be."""

    name: str
    refused: bool
    detail: str


@dataclass(frozen=True)
class ProbeReport:
    """What is in force, in words, and what came of every attempt."""

    confinement: str
    attempts: tuple[Attempt, ...]

    @property
    def breaches(self) -> tuple[Attempt, ...]:
        """What succeeded, and must not."""
        return tuple(attempt for attempt in self.attempts if not attempt.refused)


def probe_readers(
    *,
    foreign_file: str,
    database: str,
    folders: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
) -> ProbeReport:
    """Try everything against readers started with this environment.

    `foreign_file` and `database` (a socket's path, or empty) must be there, `folders` are tried for writing
    beside the usual. Raises ForkServerError if no reader can be started.
    """
    with _witnesses() as (tcp, udp), start_reader_template(environment, module=PROBE) as started:
        targets = Targets(
            foreign_file,
            database,
            tcp.getsockname()[1],
            udp.getsockname()[1],
            os.getpid(),
            (*_WRITE, *folders),
        )
        attempts = []
        ours, theirs = socket.socketpair()
        with (
            ours,
            theirs,
            fork(started.requests, json.dumps(asdict(targets)).encode(), [theirs.fileno()]) as forked,
        ):
            theirs.close()
            confinement = receive_frame(ours, _SECONDS).fields["words"]
            try:
                while (frame := receive_frame(ours, _SECONDS)).kind == "attempt":
                    attempts.append(Attempt(**frame.fields))
            except StreamEnded:
                attempts.append(Attempt("run another program", refused=False, detail="the prober is gone"))
            forked.read_exit(_SECONDS)
        attempts += [_seen(tcp, "a TCP connection"), _seen(udp, "a UDP packet")]
    return ProbeReport(confinement, tuple(attempts))


def measure_readers(environment: Mapping[str, str] | None = None) -> float:
    """The median seconds from asking for a reader of one line of text to its end: what a document pays."""
    times = []
    with start_reader_template(environment) as started, tempfile.TemporaryFile() as file:
        file.write(b"one line")
        file.flush()
        for _ in range(_READINGS):
            began = time.perf_counter()
            for _part in read_file(
                started.requests, file.fileno(), ReadOptions("text/plain", thumbnail=False)
            ):
                pass
            times.append(time.perf_counter() - began)
    return median(times)


@contextmanager
def _witnesses() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two sockets that listen on this machine, by TCP and by UDP."""
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        yield tcp, udp


def _seen(sock: socket.socket, what: str) -> Attempt:
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    arrived = bool(poll.poll(0))
    return Attempt(f"{what} arrives", not arrived, "it arrived" if arrived else "nothing arrived")
