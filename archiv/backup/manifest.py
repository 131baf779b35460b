"""The manifest of a backup: what was saved, so that a restore can prove that it is whole."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from archiv.backup.errors import BackupError

FORMAT = 1
MANIFEST, DUMP, FILES = "manifest.json", "database.dump", "files.jsonl"
HEADS, KEY, VAULT = "audit-heads", "secret_key", "vault"
_CHUNK = 1 << 20


@dataclass(frozen=True)
class TableState:
    """One table at the moment of the backup: rows, and a sum over all of them that no order changes."""

    rows: int
    digest: str


@dataclass(frozen=True)
class SavedFile:
    """One file of the vault: its path there, bytes, SHA-256 in lower-case hexadecimal digits."""

    path: str
    size: int
    digest: str


@dataclass(frozen=True)
class Manifest:
    """What one backup holds. `made_at` is by the database's clock; digests are SHA-256."""

    made_at: str
    server_version: int
    role_prefix: str
    migrations: list[str]
    tables: Mapping[str, TableState]
    dump_digest: str
    files: int
    bytes: int
    files_digest: str


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest into the folder of a backup: last, since it says that the rest is there."""
    text = json.dumps({"format": FORMAT} | asdict(manifest), indent=1)
    draft = folder / f".{MANIFEST}"
    draft.write_text(text)
    draft.rename(folder / MANIFEST)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest in a folder. Raises BackupError where there is none, or one of another kind."""
    try:
        data = json.loads((folder / MANIFEST).read_text())
        if data.pop("format") != FORMAT:
            raise BackupError(f"{folder} was written by another version of archiv: restore it with that one.")
        tables = {name: TableState(**state) for name, state in data.pop("tables").items()}
        return Manifest(tables=tables, **data)
    except FileNotFoundError:
        raise BackupError(
            f"{folder} is no whole backup: there is no {MANIFEST}. Name the folder of one backup, "
            "such as backups/20260131T020000Z."
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BackupError(f"{folder / MANIFEST} cannot be read: {error}") from None


def write_files(path: Path, files: Iterator[SavedFile]) -> tuple[int, int, str]:
    """Write one line a file; returns how many, their bytes, and the SHA-256 of the list."""
    count = size = 0
    digest = hashlib.sha256()
    with path.open("wb") as out:
        for file in files:
            line = json.dumps(asdict(file)).encode() + b"\n"
            out.write(line)
            digest.update(line)
            count += 1
            size += file.size
    return count, size, digest.hexdigest()


def read_files(path: Path) -> Iterator[SavedFile]:
    """Yield the files of a list. Raises BackupError for a line that is none."""
    try:
        with path.open() as lines:
            for line in lines:
                yield SavedFile(**json.loads(line))
    except (OSError, ValueError, TypeError) as error:
        raise BackupError(f"{path} cannot be read: {error}") from None


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, in lower-case hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
