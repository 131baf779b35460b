"""Where an export goes: a folder or a ZIP file. Both take file after file, and can go on after a stop."""

import hashlib
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from documents.export import zipformat

_CHUNK = 1 << 20
SUMS = "SHA256SUMS"
#: What an export has done so far, in its work folder.
JOURNAL = "journal.sqlite3"


@dataclass(frozen=True)
class Member:
    """One file of an export. In a ZIP file it takes the bytes from `start` to `stop`, its header included."""

    path: str
    digest: str
    size: int
    crc: int = 0
    start: int = 0
    stop: int = 0


class BytesDiffer(Exception):
    """What was copied is not what was expected; nothing of it is in the export."""


class Target(Protocol):
    """Where files go."""

    #: Folder for what is needed only until the export is complete.
    work: Path

    def is_published(self) -> bool:
        """Whether everything of an export lies here under its name, its list of hashes last."""

    def begin(self, members: Iterable[Member]) -> None:
        """Go on behind these files, which are there; whatever else an earlier attempt wrote goes.

        Raises `FileExistsError` where somebody put something else meanwhile.
        """

    def holds(self, member: Member) -> bool:
        """Whether a file is there, by its size."""

    def add(self, path: str, source: BinaryIO, *, size: int, digest: str) -> Member:
        """Copy a file. Raises `BytesDiffer`, and leaves nothing, if it is not the one expected."""

    def seal(self) -> None:
        """Make what was added so far safe against a loss of power."""

    def publish(self, members: Iterable[Member]) -> None:
        """Give the export, which holds these files, its name."""

    def clear(self) -> None:
        """Remove the work folder: an export is complete when there is none. May be repeated after a stop."""


class FolderTarget:
    """An export in a folder. See `Target`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.work = root / ".export"
        self._unsealed: list[Path] = []

    def is_published(self) -> bool:
        """See `Target.is_published`."""
        return (self.root / SUMS).exists()

    def begin(self, members: Iterable[Member]) -> None:
        """See `Target.begin`. A file that was half written lies in the work folder, and is written over."""

    def holds(self, member: Member) -> bool:
        """See `Target.holds`."""
        try:
            return (self.root / member.path).stat().st_size == member.size
        except FileNotFoundError:
            return False

    def add(self, path: str, source: BinaryIO, *, size: int, digest: str) -> Member:
        """See `Target.add`."""
        target, draft = self.root / path, self.work / "draft"
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            crc = _copy(source, file, size=size, digest=digest)
        make_folder(target.parent)
        draft.replace(target)
        self._unsealed.append(target)
        return Member(path, digest, size, crc)

    def seal(self) -> None:
        """See `Target.seal`. Many at once, so that the disk can choose their order."""
        for path in self._unsealed:
            _sync(path)
        for folder in {path.parent for path in self._unsealed}:
            _sync(folder)
        self._unsealed.clear()

    def publish(self, members: Iterable[Member]) -> None:
        """See `Target.publish`. Each file has had its name since it was added."""

    def clear(self) -> None:
        """See `Target.clear`."""
        _clear(self.work)


class ZipTarget:
    """An export in a ZIP file, which gets its name when it is complete. See `Target`.

    Nothing is compressed: papers are, as a rule, and what is stored plainly can be gone on with.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.work = file.with_name(f"{file.name}.partial")
        self._end = 0

    @property
    def _draft(self) -> Path:
        return self.work / "draft.zip"

    def is_published(self) -> bool:
        """See `Target.is_published`. What was written becomes the file by its last step."""
        return self.file.exists() and not self._draft.exists()

    def begin(self, members: Iterable[Member]) -> None:
        """See `Target.begin`."""
        if self.file.exists():
            raise FileExistsError(f"{self.file}: another file was put here: move it, then export again.")
        self._end = max((member.stop for member in members), default=0)
        os.close(os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
        if self._draft.stat().st_size < self._end:
            raise BytesDiffer(f"{self._draft} is shorter than it was: remove {self.work} and begin anew.")
        os.truncate(self._draft, self._end)

    def holds(self, member: Member) -> bool:
        """See `Target.holds`."""
        return member.stop <= self._end

    def add(self, path: str, source: BinaryIO, *, size: int, digest: str) -> Member:
        """See `Target.add`."""
        with self._draft.open("r+b") as file:
            file.seek(self._end)
            try:
                file.write(zipformat.local_header(path, size=size, crc=0))
                crc = _copy(source, file, size=size, digest=digest)
            except BytesDiffer:
                file.truncate(self._end)
                raise
            stop = file.tell()
            file.seek(self._end)
            file.write(zipformat.local_header(path, size=size, crc=crc))
        member = Member(path, digest, size, crc, self._end, stop)
        self._end = stop
        return member

    def seal(self) -> None:
        """See `Target.seal`."""
        _sync(self._draft)

    def publish(self, members: Iterable[Member]) -> None:
        """See `Target.publish`."""
        with self._draft.open("r+b") as file:
            file.seek(self._end)
            count = 0
            for member in members:
                count += 1
                file.write(
                    zipformat.central_header(
                        member.path, size=member.size, crc=member.crc, start=member.start
                    )
                )
            file.write(zipformat.end_records(count=count, start=self._end, stop=file.tell()))
            file.flush()
            os.fsync(file.fileno())
        self._draft.replace(self.file)
        _sync(self.file.parent)

    def clear(self) -> None:
        """See `Target.clear`."""
        _clear(self.work)


def target_at(place: Path) -> Target:
    """Return the target that a path names: a ZIP file by its extension, else a folder."""
    return ZipTarget(place) if place.suffix.lower() == ".zip" else FolderTarget(place)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for nobody else to read."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def _clear(work: Path) -> None:
    """Remove a work folder, its journal last: without that there is nothing to go on with."""
    if not work.exists():
        return
    for path in work.iterdir():
        if path.name != JOURNAL:
            path.unlink(missing_ok=True)
    (work / JOURNAL).unlink(missing_ok=True)
    work.rmdir()


def _copy(source: BinaryIO, file: BinaryIO, *, size: int, digest: str) -> int:
    """Copy everything, and return its checksum for ZIP. Raises `BytesDiffer`."""
    seen, crc, copied = hashlib.sha256(), 0, 0
    while chunk := source.read(_CHUNK):
        copied += len(chunk)
        if copied > size:
            break
        seen.update(chunk)
        crc = zlib.crc32(chunk, crc)
        file.write(chunk)
    if copied != size or seen.hexdigest() != digest:
        raise BytesDiffer("the bytes in the vault are not those that were stored")
    return crc


def _sync(path: Path) -> None:
    """Make the bytes of a file, or the names in a folder, durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
