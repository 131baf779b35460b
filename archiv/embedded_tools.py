"""Running PostgreSQL's own programs as the account of a place, and telling whether its server lives."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from archiv.embedded_place import EmbeddedError, Place

_LOCK_SECONDS = 240.0


def run_tool(place: Place, name: str, *arguments: str, output: Path) -> int:
    """Run a program of PostgreSQL to its end and return its exit code.

    It writes to `output`, never to a pipe: the server it starts would hold the pipe open for ever. Variables
    of the caller that steer libpq or the locale do not reach it, and Ctrl-C in the caller's terminal neither.
    """
    with output.open("wb") as file:
        return subprocess.run(
            [str(place.binaries / name), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=clean_environment(),
            cwd="/",
            umask=0o077,
            start_new_session=True,
            check=False,
            **_as_account(place),
        ).returncode


def _as_account(place: Place) -> dict[str, Any]:
    if place.account is None:
        return {}
    return {"user": place.account.uid, "group": place.account.gid, "extra_groups": []}


def clean_environment() -> dict[str, str]:
    """Return the environment without what steers libpq, the server or the locale."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PG", "LC_")) and name not in {"LANG", "LANGUAGE"}
    }


def give(place: Place, folder: Path, mode: int) -> None:
    """Make `folder`, if it is missing, and let it belong to the account of `place` alone."""
    folder.mkdir(exist_ok=True)
    found = folder.lstat()
    owner = place.account.uid if place.account else os.geteuid()
    if found.st_uid == os.geteuid() and place.account:
        os.chown(folder, place.account.uid, place.account.gid, follow_symlinks=False)
    elif found.st_uid != owner:
        raise EmbeddedError(
            f"{folder} belongs to another user (id {found.st_uid}): have that user start archiv."
        )
    if folder.is_symlink():
        raise EmbeddedError(f"{folder} is a link, which is not followed here: remove it.")
    folder.chmod(mode)


@contextmanager
def locked(place: Place) -> Iterator[None]:
    """Hold the place's lock: of all processes that start at once one acts, the others look again."""
    with (place.home / "lock").open("a") as file:
        end = monotonic() + _LOCK_SECONDS
        while True:
            try:
                flock(file, LOCK_EX | LOCK_NB)
                break
            except BlockingIOError:
                if monotonic() > end:
                    raise EmbeddedError(
                        f"Another process has held {file.name} for minutes: end it."
                    ) from None
                sleep(0.05)
        yield


def server_pid(place: Place) -> int | None:
    """Return the process id of the living server of `place`, or None.

    The pid file alone proves nothing: after a crash it may be cut, or its number may be another process's.
    """
    try:
        first = (place.data / "postmaster.pid").read_text(errors="replace").partition("\n")[0].strip()
        command = Path(f"/proc/{int(first)}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None
    is_ours = Path(os.fsdecode(command[0])).name == "postgres" and os.fsencode(place.data) in command
    return int(first) if is_ours else None


def remove_stale_files(place: Place) -> None:
    """Remove what a server that is gone left behind, and what would keep a new one from starting."""
    for path in (
        place.data / "postmaster.pid",
        place.socket,
        place.socket.with_name(place.socket.name + ".lock"),
    ):
        path.unlink(missing_ok=True)


def end_of_log(place: Place, *, lines: int = 12) -> str:
    """Return the last lines of the server's log."""
    try:
        text = place.log.read_text(errors="replace")
    except OSError as error:
        return f"({place.log}: {error.strerror})"
    return "\n".join(text.splitlines()[-lines:])


def stop_server(place: Place) -> bool:
    """Stop the living server of `place` under the caller's lock; False when there is none."""
    if server_pid(place) is None:
        return False
    output = place.home / "pg_ctl.log"
    if run_tool(
        place, "pg_ctl", "-D", str(place.data), "-m", "fast", "-w", "-t", "60", "stop", output=output
    ):
        raise EmbeddedError(
            f"The database in {place.home} does not stop:\n{output.read_text(errors='replace')}"
        )
    return True
