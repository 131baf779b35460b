"""The one file a reader was given: as mapped bytes, as a file object, as its first bytes."""

from __future__ import annotations

import io
import mmap
import os
from typing import Any, BinaryIO, cast


class Source:
    """An open file by its descriptor; position and path of the descriptor do not matter."""

    def __init__(self, descriptor: int) -> None:
        self.size = os.fstat(descriptor).st_size
        # A private mapping: libraries get writable memory, the file stays as it is.
        self.data = mmap.mmap(descriptor, self.size, access=mmap.ACCESS_COPY) if self.size else None

    def head(self, size: int) -> bytes:
        """The first bytes, at most so many."""
        return self.data[:size] if self.data is not None else b""

    def stream(self) -> BinaryIO:
        """The file as a stream of its own, for libraries that ask more of it than a mapping can."""
        return io.BufferedReader(_Mapped(self.data or b""))

    def file(self) -> io.BufferedIOBase:
        """The file from its beginning, for libraries that read and seek. One at a time."""
        if self.data is None:
            return io.BytesIO()
        self.data.seek(0)
        return cast("io.BufferedIOBase", self.data)


class _Mapped(io.RawIOBase):
    """Bytes that lie elsewhere, to be read and sought in."""

    def __init__(self, data: mmap.mmap | bytes) -> None:
        self._data = data
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = max(
            0, offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: len(self._data)}[whence]
        )
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        part = self._data[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)
