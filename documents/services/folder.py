"""Taking in files from a folder: each is opened once, and what is read through that descriptor is archived.

Links, pipes, sockets and devices are refused, and no link is followed on the way down, so that nobody who
may write into the folder can have other files archived than those that lie there.
"""

import errno
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from documents.errors import FileUnreadable, NotAPlainFile, StillBeingWritten
from documents.models.document import DocumentSource
from documents.services.store import StoredDocument, Stream, store_document
from jobs.models import Lane

#: What desktops leave in folders; "._name" as well.
_LITTER = frozenset({".DS_Store", ".directory", "Thumbs.db", "desktop.ini"})


@dataclass(frozen=True)
class FolderFile:
    """One name in a folder. `folder` is an open descriptor while the walk stands here, if it is one."""

    path: Path
    folder: int | None = None


def walk_files(path: Path) -> Iterator[FolderFile]:
    """Yield what lies at `path`: itself, or everything below it by name, but for hidden folders and litter.

    Each can be opened until the next is asked for. What is no plain file is refused when it is opened.
    """
    if not path.is_dir() or path.is_symlink():
        yield FolderFile(path)
        return
    for parent, folders, names, descriptor in os.fwalk(path, follow_symlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        # A link to a folder is listed among the folders, but not walked into.
        links = [name for name in folders if stat.S_ISLNK(os.lstat(name, dir_fd=descriptor).st_mode)]
        for name in sorted([*names, *links]):
            if name not in _LITTER and not name.startswith("._"):
                yield FolderFile(Path(parent) / name, descriptor)


def import_file(
    *, tenant_id: uuid.UUID, file: FolderFile, created_by: uuid.UUID | None = None, lane: Lane | None = None
) -> StoredDocument:
    """Store one file that a walk has found; the file itself stays as it is.

    Raises `NotAPlainFile`, `FileUnreadable`, `StillBeingWritten`, and what `store_document` raises.
    """
    with _open_plain(file) as descriptor:
        return store_document(
            tenant_id=tenant_id,
            stream=_Unchanged(descriptor),
            filename=file.path.name,
            source=DocumentSource.IMPORT,
            source_ref=str(file.path),
            created_by=created_by,
            lane=lane,
        )


class _Unchanged(Stream):
    """Reads a file, and at its end makes sure that nobody has written to it meanwhile."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._before = self._look()

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes. Raises `StillBeingWritten` at the end, `FileUnreadable`."""
        try:
            chunk = os.read(self._descriptor, size)
        except OSError as error:
            raise FileUnreadable(f"The file cannot be read: {error.strerror}.") from error
        if not chunk and self._look() != self._before:
            raise StillBeingWritten
        return chunk

    def _look(self) -> tuple[int, int]:
        facts = os.fstat(self._descriptor)
        return facts.st_size, facts.st_mtime_ns


@contextmanager
def _open_plain(file: FolderFile) -> Iterator[int]:
    # Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    name = file.path if file.folder is None else file.path.name
    try:
        descriptor = os.open(name, flags, dir_fd=file.folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise NotAPlainFile from error
        raise FileUnreadable(f"The file cannot be read: {error.strerror}.") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotAPlainFile
        yield descriptor
    finally:
        os.close(descriptor)
