"""The cell: memory that a child shares with its dispatcher, which says what it is at without a message.

The child publishes which job of its batch it is at and how those before ended; the dispatcher says how many
it may start. Each field has one writer. Starting a job and taking it back can still cross each other: then it
is started in vain, since its lease was given up, and nothing of it counts.
"""

import mmap
import os
import struct
import time

from jobs.accounts import ROOM_JOBS

_BYTES = 512
_CURRENT, _LIMIT, _BEGAN, _OUTCOMES, _SECONDS = 0, 1, 8, 16, 64
_DOUBLE = struct.Struct("=d")
_ALL_SECONDS = struct.Struct(f"={ROOM_JOBS}d")


class Cell:
    """Room for one batch of at most `ROOM_JOBS` jobs. Times are monotonic seconds, one clock for all."""

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _BYTES)
        self._began = 0.0

    @classmethod
    def create(cls) -> tuple["Cell", int]:
        """Return a new cell, and the descriptor by which another process opens it; close that afterwards."""
        descriptor = os.memfd_create("archiv-cell", os.MFD_CLOEXEC)
        os.ftruncate(descriptor, _BYTES)
        return cls(descriptor), descriptor

    # --- The dispatcher's side

    def clear(self, jobs: int) -> None:
        """Make room for a batch of so many jobs, of an idle child."""
        self._memory[:_BYTES] = bytes(_BYTES)
        self._memory[_LIMIT] = jobs

    def take_back(self) -> int:
        """Let the child start nothing more; returns how many it has started, the current one included."""
        self._memory[_LIMIT] = 0
        return self._memory[_CURRENT]

    @property
    def current(self) -> int | None:
        """Which job it is at, from 0; None: it has started none, or ended the last one it started."""
        number = self._memory[_CURRENT]
        return number - 1 if number and not self._memory[_OUTCOMES + number - 1] else None

    @property
    def began(self) -> float:
        """When the job that it is at, or was at last, began."""
        moment: float = _DOUBLE.unpack_from(self._memory, _BEGAN)[0]
        return moment

    def outcome(self, index: int) -> tuple[str, float]:
        """Return how a job ended, one letter, and after how many seconds; no letter: it has not."""
        letter = self._memory[_OUTCOMES + index]
        seconds: float = _DOUBLE.unpack_from(self._memory, _SECONDS + 8 * index)[0]
        return (chr(letter) if letter else "", seconds)

    def outcomes(self) -> tuple[bytes, tuple[float, ...]]:
        """Return what `outcome` tells of each place in a batch, 0 for no letter: one look for all."""
        letters = self._memory[_OUTCOMES : _OUTCOMES + ROOM_JOBS]
        return letters, _ALL_SECONDS.unpack_from(self._memory, _SECONDS)

    # --- The child's side

    def begin(self, index: int) -> bool:
        """Say that a job begins; False: it was taken back."""
        self._began = time.monotonic()
        _DOUBLE.pack_into(self._memory, _BEGAN, self._began)
        self._memory[_CURRENT] = index + 1
        if self._memory[_LIMIT] > index:
            return True
        self._memory[_CURRENT] = index
        return False

    def end(self, index: int, letter: str) -> None:
        """Say how the job that it is at has ended."""
        _DOUBLE.pack_into(self._memory, _SECONDS + 8 * index, time.monotonic() - self._began)
        self._memory[_OUTCOMES + index] = ord(letter)

    def close(self) -> None:
        """Let go of the memory."""
        self._memory.close()


assert _SECONDS + 8 * ROOM_JOBS <= _BYTES
assert _OUTCOMES + ROOM_JOBS <= _SECONDS
