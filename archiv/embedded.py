"""The PostgreSQL at hand: `ensure` makes and starts it where `DATABASE_URL` names no other.

One server a folder, shared by all processes of it, reached by a socket only, and stopped only by command.
`embedded_place` says where it is; importing these modules starts nothing.
"""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from time import monotonic, sleep

from archiv.embedded_elsewhere import is_of_this_clone, settle
from archiv.embedded_place import BOOTSTRAP_ROLE, EmbeddedError, Place, make_shared_folder
from archiv.embedded_tools import (
    STOP_SECONDS,
    clean_environment,
    end_of_log,
    give,
    locked,
    remove_stale_files,
    run_tool,
    server_pid,
    stop_server,
    wait_for_abandoned_start,
)

_START_SECONDS = 90
_START_TRIES = 20  # after SIGKILL old backends hold the shared memory for about a second
_SETTINGS = """
# Set by archiv when this folder was made.
listen_addresses = ''
max_connections = 200
log_checkpoints = off
"""
_ACCESS = """# The folder of the socket is open to one user only: that is the guard.
local all all trust
local replication all trust
"""


def ensure_for_entry_point() -> None:
    """Ensure the server where the settings name one; end the process with one clear message if that fails."""
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    try:
        if settings.ARCHIV_EMBEDDED is not None:
            ensure(settings.ARCHIV_EMBEDDED, prefix=settings.ARCHIV_ROLE_PREFIX)
    except (EmbeddedError, ImproperlyConfigured) as error:
        sys.exit(f"archiv cannot start: {error}")


def ensure(place: Place, *, prefix: str = "") -> None:
    """Return when the server of `place` runs and has archiv's roles and database; 15 ms when it does already.

    Safe to call from any number of processes at once. Raises EmbeddedError, with the reason and the way out.
    """
    if _is_ready(place, prefix):
        return
    try:
        make_shared_folder(place.home.parent)
        give(place, place.home, 0o700)
        give(place, place.run, 0o700)
    except OSError as error:
        raise EmbeddedError(
            f"{error.filename} cannot be used: {error.strerror}. Or set DATABASE_URL."
        ) from error
    with locked(place):
        if _is_ready(place, prefix):
            return
        if place.moved_from:
            settle(place, place.moved_from)
        if not place.data.exists():
            _make_data(place)
        wait_for_abandoned_start(place)
        _wait_until_it_answers_or_ends(place)
        if server_pid(place) is None:
            _check_version(place)
            remove_stale_files(place)
            _start(place)
        _wait_until_answering(place)
        _make_roles(place, prefix)


def stop(place: Place, *, seconds: float = STOP_SECONDS) -> bool:
    """Stop the server of `place`, ending its connections; False when there is none.

    One that has not ended after so many seconds is told to end at once, and recovers when it starts again.
    """
    if not place.home.exists():
        return False
    with locked(place):
        return stop_server(place, seconds=seconds)


@dataclass(frozen=True)
class Status:
    """What `manage.py postgres status` tells."""

    pid: int | None
    answers: bool


def status(place: Place) -> Status:
    """Return whether the server of `place` lives, and whether it answers."""
    return Status(pid=server_pid(place), answers=_data_folder_of_server(place) is not None)


def open_shell(place: Place, *, user: str, database: str) -> None:
    """Replace this process by psql on the server of `place`."""
    psql = place.package / "pginstall" / "bin" / "psql"
    os.execve(  # noqa: S606 - no shell is wanted
        psql, ["psql", "-h", str(place.run), "-p", "5432", "-U", user, "-d", database], clean_environment()
    )


def _is_ready(place: Place, prefix: str) -> bool:
    if place.moved_from and not is_of_this_clone(place, place.moved_from):
        return False
    return _data_folder_of_server(place, having=f"{prefix}archiv") is not None


def _data_folder_of_server(place: Place, *, having: str | None = None) -> str | None:
    """Return the data folder of the server that answers at the socket, or None if none does.

    With `having` None also while that database, the last thing made, is missing. Raises EmbeddedError when
    the server that answers is another.
    """
    import psycopg

    try:
        with psycopg.connect(
            host=str(place.run),
            port=5432,
            user=BOOTSTRAP_ROLE,
            dbname="postgres",
            connect_timeout=2,
            options="",
        ) as connection:
            row = connection.execute(
                "SELECT current_setting('data_directory'),"
                " EXISTS (SELECT FROM pg_database WHERE datname = %s)",
                [having or "postgres"],
            ).fetchone()
    except psycopg.OperationalError:
        return None
    assert row is not None
    if os.path.realpath(row[0]) != os.path.realpath(place.data):
        raise EmbeddedError(
            f"At {place.socket} another PostgreSQL answers, with its data in {row[0]}: stop it."
        )
    return str(row[0]) if row[1] else None


def _make_data(place: Place) -> None:
    """Make the data folder beside and rename it: killed in between, nothing half-made is in its place."""
    for draft in place.home.glob("data.draft-*"):
        shutil.rmtree(draft, ignore_errors=True)  # an initdb whose caller was killed may still write there
    draft = place.home / f"data.draft-{os.getpid()}"
    output = place.home / "initdb.log"
    code = run_tool(
        place,
        "initdb",
        *("-D", str(draft), "-U", BOOTSTRAP_ROLE, "-A", "trust", "--no-sync", "-E", "UTF8"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-locale"),
        output=output,
    )
    if code != 0:
        shutil.rmtree(draft, ignore_errors=True)
        raise EmbeddedError(
            f"The database cannot be made in {place.home}:\n{output.read_text(errors='replace')}"
        )
    with (draft / "postgresql.conf").open("a") as file:
        file.write(_SETTINGS)
    (draft / "pg_hba.conf").write_text(_ACCESS)
    draft.rename(place.data)


def _check_version(place: Place) -> None:
    """Refuse data of another major version, which the server would refuse with less help."""
    had = (place.data / "PG_VERSION").read_text().strip()
    output = place.home / "version.log"
    run_tool(place, "postgres", "--version", output=output)
    have = output.read_text().split()[-1].partition(".")[0]
    if had != have:
        raise EmbeddedError(
            f"The database in {place.data} is of PostgreSQL {had}, and this is {have}. Start it with "
            f"PostgreSQL {had}, save it by pg_dump, move the folder away, and load it by pg_restore."
        )


def _start(place: Place) -> None:
    options = f"-c unix_socket_directories={_listed(str(place.run))} -c unix_socket_permissions=0777"
    output = place.home / "pg_ctl.log"
    for _ in range(_START_TRIES):
        code = run_tool(
            place,
            "pg_ctl",
            *(
                "-D",
                str(place.data),
                "-l",
                str(place.log),
                "-w",
                "-t",
                str(_START_SECONDS),
                "-o",
                options,
                "start",
            ),
            output=output,
        )
        if code == 0 or server_pid(place) is not None:
            return
        sleep(0.5)
    raise EmbeddedError(
        f"The database in {place.home} does not start:\n"
        f"{output.read_text(errors='replace')}{end_of_log(place)}"
    )


def _listed(path: str) -> str:
    """Return `path` as one element of a list in a setting, for the shell that pg_ctl uses."""
    return shlex.quote('"' + path.replace('"', '""') + '"')


def _wait_until_it_answers_or_ends(place: Place) -> None:
    """Wait for a server that is there: one that is being shut down is gone in a moment, and started anew."""
    end = monotonic() + _START_SECONDS
    while server_pid(place) is not None and _data_folder_of_server(place) is None and monotonic() < end:
        sleep(0.1)


def _wait_until_answering(place: Place) -> None:
    """Wait for a server that is starting or recovering; one that ended meanwhile is an error."""
    _wait_until_it_answers_or_ends(place)
    if _data_folder_of_server(place) is None:
        raise EmbeddedError(
            f"The database in {place.home} does not answer; `manage.py postgres stop` ends it:\n"
            f"{end_of_log(place)}"
        )


def _make_roles(place: Place, prefix: str) -> None:
    from archiv.database_roles import make_embedded_roles

    make_embedded_roles(host=str(place.run), prefix=prefix)
