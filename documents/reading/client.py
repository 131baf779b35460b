"""The child's side: ask for a reader, hear it page by page, know why it ended.

A reader that dies of one page does not lose the others: another one is asked for the rest.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from documents.reading.errors import LimitExceeded, ReaderCrashed, ReadError, ReaderUnavailable
from documents.reading.messages import Facts, Note, PageRead, Part, Picture, ReadOptions
from documents.reading.parts import Conversation
from documents.reading.protocol import ProtocolError, StreamEnded, encode_options, receive_frame
from jobs.forkserver import Exit, Forked, ForkServerError, Template, fork, start_template

TEMPLATE = "documents.reading.template"
"""The module a reader's template runs."""

_READERS = 3
"""Readers for one file at most: the first, and two more for what a bad page left unread."""


def read_file(
    requests: socket.socket, descriptor: int, options: ReadOptions, *, boxes: int | None = None
) -> Iterator[Part]:
    """Read the file open as `descriptor`; yields Facts first, then pages in order, picture, notes between.

    Text is clean and bounded. Raises one of documents.reading.errors; closing the iterator kills the
    reader. The descriptor stays open, its position is not used. `boxes`: a second one, for a searchable PDF.
    """
    progress = _Progress(set(options.skip_pages))
    given = [descriptor] if boxes is None else [descriptor, boxes]
    for attempt in range(1, _READERS + 1):
        try:
            yield from progress.follow(
                _read_once(requests, given, replace(options, skip_pages=frozenset(progress.done)))
            )
        except (ReaderCrashed, LimitExceeded) as error:
            bad = progress.page_to_leave_out(error)
            if bad is None or attempt == _READERS:
                raise
            progress.done.add(bad)
            yield PageRead(bad, "", "none")
            yield Note("read", f"Page {bad} was left out. {error}")
        else:
            return


class _Progress:
    """How far the readers of one file have come together."""

    def __init__(self, done: set[int]) -> None:
        self.done = done
        self.read = 0
        self.facts: Facts | None = None
        self.pictured = False

    def follow(self, parts: Iterator[Part]) -> Iterator[Part]:
        """The parts of one reader, without the facts that an earlier one gave."""
        for part in parts:
            if isinstance(part, Facts):
                if self.facts is not None:
                    continue
                self.facts = part
            elif isinstance(part, PageRead):
                self.done.add(part.number)
                self.read += 1
            elif isinstance(part, Picture):
                self.pictured = True
            yield part

    def page_to_leave_out(self, error: LimitExceeded | ReaderCrashed) -> int | None:
        """The page a reader died of, where others are worth another reader."""
        if isinstance(error, LimitExceeded):
            if error.which not in ("cpu_seconds", "wall_seconds", "memory_bytes"):
                return None
        elif error.exit is None:
            return None  # what answers nonsense is not asked again
        if self.facts is None or self.pictured:
            return None
        left = [number for number in range(1, self.facts.pages + 1) if number not in self.done]
        return left[0] if len(left) > 1 or (left and self.read) else None


def _read_once(requests: socket.socket, given: Sequence[int], options: ReadOptions) -> Iterator[Part]:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            try:
                forked = fork(requests, encode_options(options), [given[0], theirs.fileno(), *given[1:]])
            except ForkServerError as error:
                raise ReaderUnavailable(f"no reader could be started: {error}") from error
        with forked:
            conversation = Conversation(options)
            while True:
                try:
                    frame = receive_frame(ours, options.limits.wall_seconds)
                    if frame.kind == "end" and conversation.facts is not None:
                        return
                    part = conversation.understand(frame)
                except TimeoutError as error:
                    raise LimitExceeded("wall_seconds", options.limits.wall_seconds) from error
                except ProtocolError as error:
                    raise ReaderCrashed(None, f"it answered nonsense: {error}") from error
                except StreamEnded:
                    raise _death(forked, options) from None
                yield part


def _death(forked: Forked, options: ReadOptions) -> ReadError:
    """Why a reader is gone that did not say goodbye."""
    limits = options.limits
    try:
        ended = forked.read_exit(5)
    except TimeoutError:
        return ReaderCrashed(None, "it fell silent")
    except ForkServerError as error:
        return ReaderUnavailable(f"the reader's template is gone: {error}")
    if ended.signal == signal.SIGXCPU or _spent(ended, limits.cpu_seconds_total):
        if ended.cpu_seconds >= limits.cpu_seconds_total - 1:
            return LimitExceeded("cpu_seconds_total", limits.cpu_seconds_total)
        return LimitExceeded("cpu_seconds", limits.cpu_seconds)
    # Libraries end by one of these signals when they are refused memory.
    gave_up = ended.signal in (signal.SIGABRT, signal.SIGILL, signal.SIGTRAP, signal.SIGSEGV, signal.SIGKILL)
    if gave_up and ended.max_rss > limits.memory_bytes * 0.6:
        return LimitExceeded("memory_bytes", limits.memory_bytes)
    return ReaderCrashed(ended)


def _spent(ended: Exit, seconds: float) -> bool:
    return ended.signal == signal.SIGKILL and ended.cpu_seconds >= seconds - 1


@contextmanager
def start_reader_template(
    environment: Mapping[str, str] | None = None, *, timeout: float = 60.0, module: str = TEMPLATE
) -> Iterator[Template]:
    """A warm template of readers for tests and commands; `.requests` goes into `read_file`."""
    read, write = os.pipe()
    template = start_template(module, env=environment or {}, life=read)
    os.close(read)
    try:
        template.wait_ready(timeout)
        yield template
    finally:
        template.close()
        os.close(write)
