"""Stopping: signals are counted, and wake whoever waits."""

import os
import signal
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

_STOPPING = (signal.SIGTERM, signal.SIGINT)


class StopSignals:
    """Counts SIGTERM and SIGINT while open: the first asks to stop, the second to stop at once.

    `fileno` becomes readable with each signal, so a selector wakes.
    """

    def __init__(self) -> None:
        self.count = 0
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._before: dict[int, Any] = {}

    def fileno(self) -> int:
        """The descriptor that becomes readable."""
        return self._read

    def take(self) -> None:
        """Empty the descriptor."""
        with suppress(BlockingIOError):
            os.read(self._read, 4096)

    def wake(self) -> None:
        """Make the descriptor readable, from whatever thread."""
        with suppress(BlockingIOError):
            os.write(self._write, b"\0")

    def _count(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        self.wake()

    def __enter__(self) -> Self:
        for number in _STOPPING:
            self._before[number] = signal.signal(number, self._count)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        os.close(self._read)
        os.close(self._write)
