"""The template's side: one thread that forks on request, reports ends, and outlives nobody.

Everything happens in one loop over a selector: requests, leashes, the life pipe, and signals by
way of a wakeup descriptor. No thread is ever started: a fork copies only the one that calls it.
"""

from __future__ import annotations

import array
import gc
import os
import select
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from jobs.forkserver.messages import (
    MAX_DESCRIPTORS,
    MAX_PAYLOAD,
    READY,
    REQUEST_MARK,
    Answer,
    Exit,
    Refused,
    Started,
    encode_answer,
)
from jobs.forkserver.processes import die_with_parent, kill_group, next_ended, reap

Main = Callable[[bytes, list[int]], None]

_HANDLED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT)


def serve(main: Main) -> NoReturn:
    """Fork on request and never return; call it at the end of a template's module, once it is warm.

    Each forked process runs `main(payload, descriptors)` in a session of its own and exits 0 when
    that returns, 1 when it raises (the traceback goes to standard error), or as SystemExit says.
    The template ends when the life pipe does, at SIGTERM, or when nobody can ask any more and all
    it forked is gone; then it kills the groups of all that still run.
    """
    requests, life = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    for descriptor in (requests.fileno(), life):
        os.set_inheritable(descriptor, False)
    gc.collect()
    gc.freeze()  # what is warm stays on pages shared with every fork
    _Server(main, requests, life).run()


class _Server:
    """The loop's state: the leash of each running process, by process id."""

    def __init__(self, main: Main, requests: socket.socket, life: int) -> None:
        self.main = main
        self.requests = requests
        self.life = life
        self.running: dict[int, socket.socket] = {}
        self.leashes: dict[socket.socket, int] = {}
        self.asked = True  # somebody can still ask
        self.wake_read, self.wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.selector = selectors.DefaultSelector()

    def run(self) -> NoReturn:
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner decides when a template ends
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        for watched in (self.requests, self.life, self.wake_read):
            self.selector.register(watched, selectors.EVENT_READ)
        try:
            self.requests.send(READY, socket.MSG_NOSIGNAL)
            while self.asked or self.running:
                ready = [key.fileobj for key, _ in self.selector.select()]
                if self.life in ready or (self.wake_read in ready and self.handle_signals()):
                    break
                for source in ready:
                    if source is self.requests:
                        self.handle_request()
                    elif isinstance(source, socket.socket) and source in self.leashes:
                        self.handle_leash(source)
        except BaseException:  # noqa: BLE001  whatever it was: say it, and leave nothing running
            traceback.print_exc()
        finally:
            for pid in self.running:
                kill_group(pid)
            os._exit(0)

    def handle_signals(self) -> bool:
        """Reap whoever has ended; true if the template shall end."""
        with suppress(BlockingIOError):
            if signal.SIGTERM in os.read(self.wake_read, 4096):
                return True
        while (ended := next_ended()) is not None:
            self.report(ended, reap(ended))
        return False

    def report(self, pid: int, end: Exit) -> None:
        leash = self.running.pop(pid, None)
        if leash is None:
            return
        self.answer(leash, end)
        if self.leashes.pop(leash, None) is not None:
            self.selector.unregister(leash)
        leash.close()

    def answer(self, leash: socket.socket, answer: Answer) -> None:
        with suppress(OSError):  # whoever held the other end has let go
            leash.send(encode_answer(answer), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)

    def handle_leash(self, leash: socket.socket) -> None:
        """Kill the process whose leash was closed; it is reported, to nobody, when it is reaped."""
        try:
            if leash.recv(1024, socket.MSG_DONTWAIT):
                return  # nothing is said that way; what is said all the same is not heard
        except BlockingIOError:
            return
        except OSError:
            pass  # whatever it is, nobody can hold a process by it
        self.selector.unregister(leash)
        kill_group(self.leashes.pop(leash))

    def handle_request(self) -> None:
        """Take one request and fork for it, or refuse it on its leash."""
        data, descriptors, whole = self.receive()
        if not data and not descriptors:
            if _peer_is_gone(self.requests):
                self.selector.unregister(self.requests)
                self.asked = False
            return
        if not descriptors:
            return  # garbage without a leash: nobody can be told
        try:
            leash = socket.socket(fileno=descriptors[0])
        except OSError:  # no socket: nobody can be told
            for descriptor in descriptors:
                os.close(descriptor)
            return
        passed = descriptors[1:]
        try:
            if not whole or not data.startswith(REQUEST_MARK):
                self.answer(leash, Refused("this is not a request"))
                leash.close()
            else:
                self.fork(leash, data[len(REQUEST_MARK) :], passed)
        finally:
            for descriptor in passed:
                os.close(descriptor)

    def receive(self) -> tuple[bytes, list[int], bool]:
        room = array.array("i", [0] * (MAX_DESCRIPTORS + 1))
        try:
            data, ancillary, flags, _ = self.requests.recvmsg(
                len(REQUEST_MARK) + MAX_PAYLOAD,
                socket.CMSG_SPACE(len(room) * room.itemsize),
                socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC,
            )
        except OSError:
            return b"", [], False
        descriptors = array.array("i")
        for level, kind, content in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
        return data, list(descriptors), not flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC)

    def fork(self, leash: socket.socket, payload: bytes, descriptors: list[int]) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        template = os.getpid()
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
        try:
            pid = os.fork()
            if pid == 0:
                self.become(template, leash, payload, descriptors, blocked)
        except OSError as error:
            self.answer(leash, Refused(f"cannot fork: {error.strerror}"))
            leash.close()
            return
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        self.running[pid] = leash
        self.leashes[leash] = pid
        self.selector.register(leash, selectors.EVENT_READ)
        self.answer(leash, Started(pid))

    def become(
        self,
        template: int,
        leash: socket.socket,
        payload: bytes,
        descriptors: list[int],
        mask: set[signal.Signals] | set[int],
    ) -> NoReturn:
        """The forked process: forget the template's affairs, run `main`, exit."""
        code = 1
        try:
            os.setsid()
            die_with_parent(template)
            signal.set_wakeup_fd(-1)
            for number in _HANDLED:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self.selector.close()
            for sock in (self.requests, leash, *self.leashes, *self.running.values()):
                sock.close()
            for descriptor in (self.life, self.wake_read, self.wake_write):
                os.close(descriptor)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            self.main(payload, descriptors)
            code = 0
        except SystemExit as wish:
            code = wish.code if isinstance(wish.code, int) else int(wish.code is not None)
        except BaseException:  # noqa: BLE001  the end of a process, nobody is above it
            traceback.print_exc()
        finally:
            with suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code & 0xFF)


def _peer_is_gone(sock: socket.socket) -> bool:
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))
