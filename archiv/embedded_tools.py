"""Running PostgreSQL's own programs as the account of a place, and telling whether its server lives."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from archiv.embedded_place import EmbeddedError, Place

_LOCK_SECONDS = 240.0
_START_SECONDS = 90.0
#: For which a server may end in good order.
STOP_SECONDS = 60.0
#: The server itself kills, after 5 s, whatever of its processes does not answer to SIGQUIT.
_ABORT_SECONDS = 30.0


def run_tool(place: Place, name: str, *arguments: str, output: Path) -> int:
    """Run a program of PostgreSQL to its end and return its exit code.

    It writes to `output`, never to a pipe: the server it starts would hold the pipe open for ever. Variables
    of the caller that steer libpq or the locale do not reach it, and Ctrl-C in the caller's terminal neither.
    """
    with output.open("wb") as file:
        _give_file(place, file.fileno())
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


def _give_file(place: Place, descriptor: int) -> None:
    """Let the account own what root makes in its folder: it may start archiv itself another time."""
    if place.account is not None:
        os.fchown(descriptor, place.account.uid, place.account.gid)


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
        _give_file(place, file.fileno())
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
    And a server whose pid file was damaged lives on.
    """
    try:
        pid = int((place.data / "postmaster.pid").read_text(errors="replace").partition("\n")[0])
    except (OSError, ValueError):
        pid = 0
    if _is_program_of(place, pid, "postgres"):
        return pid
    return next(_programs_of(place, "postgres"), None)


def wait_for_abandoned_start(place: Place) -> None:
    """Wait while a pg_ctl works whose caller was killed: its server may have no pid file yet."""
    end = monotonic() + _START_SECONDS
    while next(_programs_of(place, "pg_ctl"), None) is not None and monotonic() < end:
        sleep(0.05)


def _programs_of(place: Place, name: str) -> Iterator[int]:
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    return (pid for pid in pids if _is_program_of(place, pid, name))


def _is_program_of(place: Place, pid: int, name: str) -> bool:
    """Whether `pid` runs the program `name` on the data of `place`; its backends rename themselves."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return Path(os.fsdecode(command[0])).name == name and os.fsencode(place.data) in command


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


def stop_server(place: Place, *, seconds: float = STOP_SECONDS) -> bool:
    """Stop the living server of `place` under the caller's lock; False when there is none.

    By signal, not by pg_ctl, which believes the pid file. One that has not ended after so many seconds, as
    with a process that hangs, is told to end at once: it recovers from its log when it starts again.
    """
    wait_for_abandoned_start(place)
    pid = server_pid(place)
    if pid is None:
        return False
    # "Fast" ends connections and loses nothing; "immediate" loses nothing that was committed.
    for number, patience in ((signal.SIGINT, seconds), (signal.SIGQUIT, _ABORT_SECONDS)):
        if _ends(place, pid, number, patience):
            return True
    raise EmbeddedError(f"The database in {place.home} does not stop:\n{end_of_log(place)}")


def _ends(place: Place, pid: int, number: int, patience: float) -> bool:
    """Send a signal, and return whether the server is gone within so many seconds."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    end = monotonic() + patience
    while _is_program_of(place, pid, "postgres"):
        if monotonic() > end:
            return False
        sleep(0.02)
    return True
