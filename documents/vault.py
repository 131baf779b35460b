"""The vault: where originals and what is made from them lie. Written once, never replaced.

`Vault` is what the rest of archiv knows; `LocalVault` keeps it in a folder. Which one serves is said by
`STORAGES["vault"]`. Paths are those of `DocumentVersion.vault_path` and `Asset.vault_path`, relative to it.
"""

import errno
import hashlib
import os
import stat
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self, cast

from django.core.files.storage import storages

from documents.errors import FileDamaged, FileMissing, PathTaken, UnsafePath, VaultError, VaultFull
from jobs.failure_words import known

STAGING = ".staging"
_CHUNK = 1 << 20
_TICK_SECONDS = 0.1
#: Of everything that was placed.
_MODE = 0o440
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NOT_PLAIN = known("This is no plain file in the vault: %(path)s")
_NOT_AS_STORED = known("The bytes in the vault are not those that were stored: %(path)s")
_MISSING = known("The file is not in the vault: %(path)s")


@dataclass(frozen=True)
class VaultFile:
    """One file that lies in the vault: path, bytes, and when its place last changed.

    `intact` is False where it is no plain file, or its permissions are not those with which it was placed.
    """

    path: str
    size: int
    changed: datetime
    intact: bool = True


class Staged(Protocol):
    """A file on its way in. As a context it is thrown away on leaving, unless it was placed."""

    @property
    def size(self) -> int:
        """Bytes written so far."""

    @property
    def digest(self) -> str:
        """SHA-256 of what was written so far, in lower-case hexadecimal digits."""

    def write(self, chunk: bytes) -> None:
        """Append bytes. Raises `VaultFull`, `VaultError`."""

    def seal(self) -> None:
        """Make what was written safe against a loss of power; nothing can be written afterwards."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Vault(Protocol):
    """What any store of files must be able to do for archiv."""

    def stage(self) -> Staged:
        """Return a new, empty file in the staging area."""

    def place(self, staged: Staged, path: str) -> None:
        """Move a sealed file to `path`, read-only and durable. Raises `PathTaken`, never replaces a file."""

    def open(self, path: str) -> BinaryIO:
        """Return the file for reading, with a descriptor of its own. Raises `FileMissing`."""

    def open_verified(self, path: str, *, content_hash: str, trust_seconds: float = 0.0) -> BinaryIO:
        """Return the file for reading after hashing it. Raises `FileMissing`, `FileDamaged`.

        One that this process hashed less than `trust_seconds` ago, and nobody wrote to since, is not hashed
        again: for the many parts of one download.
        """

    def describe(self, path: str) -> VaultFile | None:
        """Return what lies at `path`, without reading it; None if nothing does."""

    def list(self, prefix: str) -> Iterator[VaultFile]:
        """Return the files whose path begins with `prefix`, in any order; "" for all but the staged."""

    def remove(self, path: str) -> bool:
        """Remove one file for good; False when it is not there. For purge, sweep, rollback of one's own."""

    def remove_all(self, paths: Iterable[str]) -> int:
        """Remove files, and return how many were there. They are gone for good once `settle` returns."""

    def settle(self, prefix: str) -> None:
        """Make it durable that files were removed below the folder `prefix`, which ends with a slash."""


def get_vault() -> Vault:
    """Return the vault that the settings name."""
    return cast("Vault", storages["vault"])


class LocalStaged:
    """A file in the staging folder, an inode of its own. See `Staged`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._hash = hashlib.sha256()
        with _wording_errors():
            path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)

    @property
    def digest(self) -> str:
        """See `Staged.digest`."""
        return self._hash.hexdigest()

    def write(self, chunk: bytes) -> None:
        """See `Staged.write`."""
        view = memoryview(chunk)
        with _wording_errors():
            while view:
                view = view[os.write(self._descriptor, view) :]
        self._hash.update(chunk)
        self.size += len(chunk)

    def seal(self) -> None:
        """See `Staged.seal`."""
        with _wording_errors():
            os.fchmod(self._descriptor, _MODE)
            os.fsync(self._descriptor)
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        self.path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class LocalVault:
    """The vault in a folder of one file system. See `Vault` for what each verb promises."""

    def __init__(self, location: str | os.PathLike[str]) -> None:
        self.root = Path(location)
        self._verified = _Verified()

    def stage(self) -> LocalStaged:
        """See `Vault.stage`."""
        with _wording_errors():
            self.root.mkdir(
                mode=0o750, parents=True, exist_ok=True
            )  # of parents the mode is not ours to choose
        return LocalStaged(self.root / STAGING / uuid.uuid4().hex)

    def place(self, staged: Staged, path: str) -> None:
        """See `Vault.place`. A link and an unlink: a rename would replace what is there."""
        if not isinstance(staged, LocalStaged):
            raise TypeError("only what this vault staged can be placed in it")
        target = self._locate(path)
        with _wording_errors(path):
            _link_into(staged.path, target)
            staged.path.unlink()
            _sync_folders(target.parent, self.root)

    def open(self, path: str) -> BinaryIO:
        """See `Vault.open`."""
        target = self._locate(path)
        with _wording_errors(path):
            descriptor = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise FileDamaged(_NOT_PLAIN, path=path)
        return os.fdopen(descriptor, "rb", buffering=0)

    def open_verified(self, path: str, *, content_hash: str, trust_seconds: float = 0.0) -> BinaryIO:
        """See `Vault.open_verified`. Whoever writes to a file changes its ctime, which nobody can set."""
        file = self.open(path)
        facts = os.fstat(file.fileno())
        known = (path, content_hash, facts.st_dev, facts.st_ino, facts.st_size, facts.st_ctime_ns)
        if self._verified.knows(known, trust_seconds):
            return file
        digest = hashlib.sha256()
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
        if digest.hexdigest() != content_hash:
            file.close()
            raise FileDamaged(_NOT_AS_STORED, path=path)
        file.seek(0)
        # One that was written to just now may be written to again within the same tick of the clock of files.
        if time.time() - facts.st_ctime > _TICK_SECONDS:
            self._verified.note(known)
        return file

    def describe(self, path: str) -> VaultFile | None:
        """See `Vault.describe`."""
        try:
            facts = self._locate(path).lstat()
        except FileNotFoundError:
            return None
        # The later of the two: a restored backup has old times of its content, but came just now.
        changed = datetime.fromtimestamp(max(facts.st_mtime, facts.st_ctime), UTC)
        intact = stat.S_ISREG(facts.st_mode) and stat.S_IMODE(facts.st_mode) == _MODE
        return VaultFile(path, facts.st_size, changed, intact)

    def list(self, prefix: str) -> Iterator[VaultFile]:
        """See `Vault.list`. Walks the folder in which all of them lie; no more than its names in memory."""
        folder = self._locate(prefix.rpartition("/")[0]) if "/" in prefix else self.root
        top = f"{self.root}{os.sep}"
        for parent, folders, names in os.walk(folder):
            inner = f"{parent}{os.sep}".removeprefix(top)
            if not inner and STAGING in folders:
                folders.remove(STAGING)
            for name in names:
                path = f"{inner}{name}"
                if path.startswith(prefix) and (file := self.describe(path)) is not None:
                    yield file

    def remove(self, path: str) -> bool:
        """See `Vault.remove`. Folders that become empty go as well."""
        target = self._locate(path)
        try:
            target.unlink()
        except FileNotFoundError:
            return False
        folder = self._remove_empty(target.parent)
        with suppress(FileNotFoundError):  # the folder went with another file
            _sync_folders(folder, folder)
        return True

    def remove_all(self, paths: Iterable[str]) -> int:
        """See `Vault.remove_all`."""
        removed = 0
        for path in paths:
            target = self._locate(path)
            with suppress(FileNotFoundError):
                target.unlink()
                removed += 1
                self._remove_empty(target.parent)
        return removed

    def settle(self, prefix: str) -> None:
        """See `Vault.settle`. Each folder below that is left, and the first one above that is there."""
        top = self._locate(prefix.rstrip("/"))
        for parent, _, _ in os.walk(top):
            with suppress(FileNotFoundError):  # it went meanwhile
                _sync_folders(Path(parent), Path(parent))
        while top != self.root and not top.is_dir():
            top = top.parent
        with suppress(FileNotFoundError):  # nothing was ever stored
            _sync_folders(top, top)

    def _remove_empty(self, folder: Path) -> Path:
        """Remove a folder and those above it as far as they are empty; return the first that stays."""
        while folder != self.root:
            try:
                folder.rmdir()
            except OSError:  # not empty, or gone with another file
                break
            folder = folder.parent
        return folder

    def _locate(self, path: str) -> Path:
        parts = path.split("/")
        if "\0" in path or any(part in ("", ".", "..") for part in parts):
            raise UnsafePath(f"{path!r} does not stay within the vault")
        return self.root.joinpath(*parts)


class _Verified:
    """Which files this process has compared with their hashes lately."""

    _MOST = 1000

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._when: OrderedDict[tuple[object, ...], float] = OrderedDict()

    def note(self, known: tuple[object, ...]) -> None:
        with self._lock:
            self._when[known] = time.monotonic()
            self._when.move_to_end(known)
            while len(self._when) > self._MOST:
                self._when.popitem(last=False)

    def knows(self, known: tuple[object, ...], seconds: float) -> bool:
        with self._lock:
            return known in self._when and time.monotonic() - self._when[known] < seconds


def _link_into(source: Path, target: Path) -> None:
    """Give `source` a second name; the folder is made, again if it goes with its last file just now."""
    for _ in range(50):
        try:
            target.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
        except (FileExistsError, FileNotFoundError):  # it, or one above it, went while it was looked at
            continue
        try:
            os.link(source, target, follow_symlinks=False)
        except FileNotFoundError:
            if not source.exists():
                raise
        else:
            return
    raise VaultError(f"{target}: its folder is removed again and again")


def _sync_folders(folder: Path, top: Path) -> None:
    """Make the names in `folder` durable, and the folders themselves, up to `top`."""
    while True:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if folder == top:
            return
        folder = folder.parent


@contextmanager
def _wording_errors(path: str = "") -> Iterator[None]:
    """Turn errors of the operating system into those of the vault."""
    try:
        yield
    except FileExistsError as error:
        raise PathTaken(f"{path}: there is a file already, and nothing in the vault is replaced") from error
    except FileNotFoundError as error:
        raise FileMissing(_MISSING, path=path) from error
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise VaultFull from error
        raise VaultError(f"The vault could not be read or written: {error.strerror}") from error
