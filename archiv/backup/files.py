"""Copying the vault's files: each once, hashed on the way, never half of one under its name."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from archiv.backup.errors import BackupError
from archiv.backup.manifest import SavedFile, hash_file
from archiv.backup.tables import Tell
from documents.errors import FileMissing, VaultError
from documents.vault import Vault

_CHUNK = 1 << 20
_MODE = 0o440


def save_files(
    vault: Vault, folder: Path, known: Mapping[str, SavedFile], *, verify: bool, tell: Tell
) -> Iterator[SavedFile]:
    """Copy what is new in the vault to `folder`, and yield all that is there, in order of paths.

    What an earlier backup copied (`known`) is not read again, since nothing in the vault ever changes;
    `verify` hashes the copies all the same. A file that goes meanwhile, by a purge or wipe, is left out.
    """
    names = sorted((file.path, file.size) for file in vault.list(""))
    for done, (path, size) in enumerate(names):
        tell(done, len(names))
        copy, before = folder / path, known.get(path)
        if before is not None and before.size == size and _size(copy) == size:
            if verify and hash_file(copy) != before.digest:
                raise BackupError(f"{copy} is not what was saved: remove it, and it is copied anew.")
            yield before
            continue
        try:
            with vault.open(path) as source:
                yield SavedFile(path, *_copy(source, copy))
        except FileMissing:
            continue
        except VaultError as error:
            raise BackupError(str(error)) from error
    tell(len(names), len(names))


def restore_files(folder: Path, files: Iterable[SavedFile], root: Path, *, of: int, tell: Tell) -> None:
    """Copy the files of a backup into an empty vault. Raises BackupError for one that differs."""
    for done, file in enumerate(files):
        tell(done, of)
        target = root / file.path
        if not target.resolve().is_relative_to(root.resolve()):
            raise BackupError(f"{file.path!r} does not stay within the vault: this is no list of archiv's.")
        try:
            with (folder / file.path).open("rb") as source:
                size, digest = _copy(source, target)
        except FileNotFoundError:
            raise BackupError(f"{folder / file.path} is missing in the backup.") from None
        if (size, digest) != (file.size, file.digest):
            raise BackupError(f"{folder / file.path} is not what was saved.")
    tell(of, of)


def forget_files(folder: Path, kept: set[str]) -> int:
    """Remove copies that no backup lists any more, such as what was purged; returns how many."""
    removed = 0
    for parent, _, names in os.walk(folder, topdown=False):
        for name in names:
            path = Path(parent) / name
            if str(path.relative_to(folder)) not in kept:
                path.unlink()
                removed += 1
        if Path(parent) != folder and not any(Path(parent).iterdir()):
            Path(parent).rmdir()
    return removed


def _copy(source: BinaryIO, target: Path) -> tuple[int, str]:
    """Write a copy, durable and read-only, and return its size and SHA-256."""
    target.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.draft")
    digest, size = hashlib.sha256(), 0
    try:
        with draft.open("wb") as out:
            while chunk := source.read(_CHUNK):
                out.write(chunk)
                digest.update(chunk)
                size += len(chunk)
            out.flush()
            os.fchmod(out.fileno(), _MODE)
            os.fsync(out.fileno())
        draft.rename(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise BackupError(f"{target} cannot be written: {error.strerror}.") from error
    return size, digest.hexdigest()


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return -1
