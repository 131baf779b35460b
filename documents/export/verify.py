"""Comparing an export with its own list of hashes (pure)."""

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from documents.export.targets import SUMS

_CHUNK = 1 << 20
_LINE = re.compile(r"([0-9a-f]{64})  (?!/)(?!(?:.*/)?\.\.(?:/|\Z))(.+)")


class NoExport(ValueError):
    """There is no complete export at this place."""


def verify_export(place: Path, *, progress: Callable[[int], None]) -> Iterator[str]:
    """Yield what is wrong with an export, in words; nothing if it is whole. Raises `NoExport`, OSError.

    `progress` is told how many files were compared.
    """
    if place.is_dir():
        if not (place / SUMS).exists():
            raise NoExport(f"{place}: there is no complete export: {SUMS} is missing.")
        with (place / SUMS).open("rb") as sums:
            yield from _compare(sums, lambda path: (place / path).open("rb"), progress)
        return
    try:
        archive = zipfile.ZipFile(place)
    except (zipfile.BadZipFile, FileNotFoundError) as error:
        raise NoExport(f"{place}: there is no complete export: {error}.") from error
    with archive:
        if SUMS not in archive.namelist():
            raise NoExport(f"{place}: there is no complete export: {SUMS} is missing.")
        with archive.open(SUMS) as sums:
            yield from _compare(sums, archive.open, progress)


def _compare(
    sums: IO[bytes], open_file: Callable[[str], IO[bytes]], progress: Callable[[int], None]
) -> Iterator[str]:
    for number, raw in enumerate(sums, start=1):
        found = _LINE.fullmatch(raw.decode(errors="replace").rstrip("\n"))
        if found is None:
            yield f"{SUMS}: line {number} is not a hash and a path"
            continue
        digest, path = found.groups()
        try:
            if _hash(open_file, path) != digest:
                yield f"{path}: the bytes are not those that were exported"
        except (FileNotFoundError, KeyError):
            yield f"{path}: missing"
        except zipfile.BadZipFile:
            yield f"{path}: damaged"
        progress(number)


def _hash(open_file: Callable[[str], IO[bytes]], path: str) -> str:
    digest = hashlib.sha256()
    with open_file(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
