"""The one file a reader was given: as mapped bytes, as a file object, as its first bytes."""

from __future__ import annotations

import io
import mmap
import os
from typing import cast


class Source:
    """An open file by its descriptor; position and path of the descriptor do not matter."""

    def __init__(self, descriptor: int) -> None:
        self.size = os.fstat(descriptor).st_size
        # A private mapping: libraries get writable memory, the file stays as it is.
        self.data = mmap.mmap(descriptor, self.size, access=mmap.ACCESS_COPY) if self.size else None

    def head(self, size: int) -> bytes:
        """The first bytes, at most so many."""
        return self.data[:size] if self.data is not None else b""

    def file(self) -> io.BufferedIOBase:
        """The file from its beginning, for libraries that read and seek. One at a time."""
        if self.data is None:
            return io.BytesIO()
        self.data.seek(0)
        return cast("io.BufferedIOBase", self.data)
