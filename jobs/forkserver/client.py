"""The asking side: start a template, have it fork, learn how the process ended.

Waiting is always by `poll` and never by a socket's own timeout: a timeout makes the descriptor
non-blocking, and descriptors of templates are shared between processes.
"""

from __future__ import annotations

import array
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from jobs.forkserver.messages import (
    MAX_ANSWER,
    MAX_DESCRIPTORS,
    MAX_PAYLOAD,
    READY,
    REQUEST_MARK,
    Answer,
    Exit,
    ForkRefused,
    ForkServerError,
    Refused,
    Started,
    TemplateGone,
    TemplateNotReady,
    decode_answer,
)

PROJECT_FOLDER = Path(__file__).resolve().parents[2]


class Template:
    """A running template process, held by the process that started it."""

    def __init__(self, module: str, process: subprocess.Popen[bytes], requests: socket.socket) -> None:
        self.module = module
        self.process = process
        self.requests = requests

    def wait_ready(self, timeout: float) -> None:
        """Return when the template is warm; TemplateGone if it died, TemplateNotReady after `timeout` s."""
        if not _wait(self.requests, select.POLLIN, time.monotonic() + timeout):
            raise TemplateNotReady(f"{self.module} was not ready within {timeout:g} s")
        if _receive(self.requests, len(READY)) != READY:
            raise TemplateGone(f"{self.module} ended while starting: {self._ending()}")

    def _ending(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            return f"exit code {self.process.wait(timeout=5)}, its own words are above"
        return "it closed its socket and runs on"

    def close(self) -> None:
        """End the template and everything forked from it; may be called twice."""
        self.requests.close()
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Forked:
    """A process forked from a template, held by its leash; closing the leash kills it and its group."""

    def __init__(self, pid: int, leash: socket.socket) -> None:
        self.pid = pid
        self.leash = leash

    def fileno(self) -> int:
        """The leash's descriptor: readable when the process has ended."""
        return self.leash.fileno()

    def read_exit(self, timeout: float | None = None) -> Exit:
        """Wait at most `timeout` s for the end of the process; TimeoutError while it runs.

        TemplateGone if the template died before it could tell: the process is dead then, too.
        """
        answer = _read_answer(self.leash, timeout)
        if isinstance(answer, Exit):
            return answer
        raise ForkServerError(f"not an exit: {answer}")

    def close(self) -> None:
        """Let go: kills the process and its group if they still run; may be called twice."""
        self.leash.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def start_template(module: str, *, env: Mapping[str, str], life: int) -> Template:
    """Start `python -m module` as a template, with exactly this environment, and do not wait for it.

    `life` is the read end of a pipe: the template and all it forked end when its last writer does.
    The module warms up and then calls `serve`. It finds the project first on its path, sits in a
    session of its own (signals of the terminal do not reach it), and shares standard error.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        path = os.pathsep.join(filter(None, [str(PROJECT_FOLDER), env.get("PYTHONPATH")]))
        try:
            process = subprocess.Popen(
                # -P: the folder it is called in must not lend modules to it.
                [sys.executable, "-P", "-m", module, str(theirs.fileno()), str(life)],
                env={**env, "PYTHONPATH": path},
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), life),
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
    return Template(module, process, ours)


def fork(
    requests: socket.socket, payload: bytes, descriptors: Sequence[int] = (), *, timeout: float = 10.0
) -> Forked:
    """Have the template behind `requests` fork a process that gets payload and descriptors.

    The descriptors are copied into the new process; the caller's stay open. May be called by
    several processes on one socket: a request is one message. Raises ForkRefused, TemplateGone,
    or TemplateNotReady when the template does not answer within `timeout` s.
    """
    if len(payload) > MAX_PAYLOAD or len(descriptors) > MAX_DESCRIPTORS:
        raise ForkRefused(f"a request takes at most {MAX_PAYLOAD} bytes and {MAX_DESCRIPTORS} descriptors")
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        with theirs:
            _send_request(requests, payload, [theirs.fileno(), *descriptors], time.monotonic() + timeout)
        return Forked(_read_start(ours, timeout), ours)
    except BaseException:
        ours.close()
        raise


def _read_start(leash: socket.socket, timeout: float) -> int:
    """The id of the process that was asked for on this leash."""
    try:
        answer = _read_answer(leash, timeout)
    except TimeoutError as error:
        raise TemplateNotReady(f"the template did not answer within {timeout:g} s") from error
    if isinstance(answer, Refused):
        raise ForkRefused(answer.reason)
    if not isinstance(answer, Started):
        raise ForkServerError(f"not a start: {answer}")
    return answer.pid


def _send_request(requests: socket.socket, payload: bytes, descriptors: list[int], deadline: float) -> None:
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
    while True:
        try:
            requests.sendmsg([REQUEST_MARK, payload], [rights], socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except BlockingIOError:
            if not _wait(requests, select.POLLOUT, deadline):
                raise TemplateNotReady("the template takes no more requests") from None
        except (BrokenPipeError, ConnectionError) as error:
            raise TemplateGone("the template has ended") from error
        else:
            return


def _read_answer(leash: socket.socket, timeout: float | None) -> Answer:
    deadline = None if timeout is None else time.monotonic() + timeout
    if not _wait(leash, select.POLLIN, deadline):
        raise TimeoutError(f"no answer within {timeout} s")
    data = _receive(leash, MAX_ANSWER)
    if not data:
        raise TemplateGone("the template ended before it answered")
    return decode_answer(data)


def _receive(sock: socket.socket, size: int) -> bytes:
    """One message; empty at the end. A peer that died with unread messages counts as the end."""
    try:
        return sock.recv(size)
    except ConnectionError:
        return b""


def _wait(sock: socket.socket, event: int, deadline: float | None) -> bool:
    """Whether `event` (or the end of the peer) came before the deadline."""
    poll = select.poll()
    poll.register(sock, event)
    left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
    return bool(poll.poll(left))
