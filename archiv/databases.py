"""The three database connections of archiv, made from one address.

`owner` migrates and makes test databases, `default` is what web, commands and job children use, `queue` is
the dispatcher's. The owner's address is enough: names and passwords of the other two roles follow from it.
"""

import hashlib
import os
import socket
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlencode

from django.core.exceptions import ImproperlyConfigured

_SCHEMES = ("postgres://", "postgresql://")
# The dispatcher's few statements have exactly one good plan each. Young tables and old statistics must not
# tempt the planner away from the ready index (measured: 0.4 ms with it, 93 ms without).
QUEUE_PLANNER = {"enable_seqscan": "off", "enable_sort": "off", "enable_bitmapscan": "off"}


@dataclass(frozen=True)
class Address:
    """One PostgreSQL address: who, where, which database, and further libpq options."""

    user: str
    password: str = field(repr=False)
    host: str
    port: str
    database: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def on_socket(self) -> bool:
        """Whether the address is a folder with a Unix socket."""
        return self.host.startswith(("/", "@")) or not self.host

    def url(self) -> str:
        """Return the address as a URL that `DATABASE_URL` takes; it holds the password."""
        login = quote(self.user, safe="")
        if self.password:
            login += ":" + quote(self.password, safe="")
        # A socket's folder and a list of hosts cannot stand where a host's name stands: they are parameters.
        by_name = not self.on_socket and "," not in self.host
        place = [("host", self.host), ("port", self.port)]
        query = [part for part in ([] if by_name else place) if part[1]] + list(self.options)
        host = f"[{self.host}]" if ":" in self.host else quote(self.host)
        where = host + (f":{self.port}" if self.port else "") if by_name else ""
        tail = "?" + urlencode(query, quote_via=quote) if query else ""
        return f"postgres://{login}@{where}/{quote(self.database, safe='')}{tail}"


def parse_address(url: str, *, name: str) -> Address:
    """Return the parts of a PostgreSQL URL; `name` is the variable it came from, for messages.

    Raises ImproperlyConfigured, never with the password in its message.
    """
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    if not url.startswith(_SCHEMES):
        raise ImproperlyConfigured(
            f"{name} is not a PostgreSQL address: write postgres://user:password@host:5432/database, "
            "or postgres://user@/database?host=/folder/of/the/socket."
        )
    try:
        parts = {key: str(value) for key, value in conninfo_to_dict(url).items()}
    except ProgrammingError as error:
        reason = str(error).replace(url, "…").strip()
        raise ImproperlyConfigured(f"{name} cannot be read as a PostgreSQL address: {reason}") from None
    user, database = parts.pop("user", ""), parts.pop("dbname", "")
    if not user or not database:
        raise ImproperlyConfigured(f"{name} must name a user and a database: postgres://user@host/database.")
    return Address(
        user=user,
        password=parts.pop("password", ""),
        host=parts.pop("host", ""),
        port=parts.pop("port", ""),
        database=database,
        options=tuple(sorted(parts.items())),
    )


def derive_address(owner: Address, role: str) -> Address:
    """Return the address of `role` in the owner's database.

    Its password is HKDF-SHA256 of the owner's (salt "archiv", info = the role's name), as 64 hex digits, so
    that one secret serves; without a password of the owner's, as on a socket, there is none.
    """
    if not owner.password:
        return replace(owner, user=role)
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    key = HKDF(SHA256(), length=32, salt=b"archiv", info=role.encode()).derive(owner.password.encode())
    return replace(owner, user=role, password=key.hex())


def given_address(url: str, role: str, *, name: str) -> Address:
    """Return the address of `role` from a variable of its own; refuses any other role."""
    address = parse_address(url, name=name)
    if address.user != role:
        raise ImproperlyConfigured(
            f"{name} signs in as {address.user!r}, but the tables are granted to {role!r}: "
            "use that role, or set ARCHIV_ROLE_PREFIX."
        )
    return address


@dataclass(frozen=True)
class Limits:
    """Times that keep a lost connection or a forgotten transaction from outliving a lease, in seconds."""

    lease: float
    pooled: bool

    @property
    def session(self) -> dict[str, str]:
        """The server's settings for each session that may hold a job."""
        milliseconds = str(int(self.lease * 800))
        return {
            "statement_timeout": milliseconds,
            "idle_in_transaction_session_timeout": milliseconds,
        }


def database_settings(
    address: Address, limits: Limits, *, application: str, session: dict[str, str], binding: bool = False
) -> dict[str, Any]:
    """Return Django's settings of one connection.

    `session` are settings of the server for each session. A pooler in transaction mode cannot keep them nor
    prepared statements: there `ensure_roles` has set them on the role. `binding` sends parameters apart from
    the text, which statements prepared by the server need.
    """
    options: dict[str, Any] = {
        "application_name": application,
        "connect_timeout": 10,
        # A network that swallows packets is noticed within the lease, not after the kernel's two hours.
        "keepalives_idle": max(1, int(limits.lease / 3)),
        "keepalives_interval": max(1, int(limits.lease / 10)),
        "keepalives_count": 3,
        "tcp_user_timeout": int(limits.lease * 800),
        **dict(address.options),
    }
    if not limits.pooled:
        given = [options["options"]] if options.get("options") else []
        options["options"] = " ".join(given + [f"-c {key}={value}" for key, value in session.items()])
    if not options.get("options"):
        options.pop("options", None)
    if not limits.pooled:
        # For `execute_prepared` of the queue; Django's own cursors prepare nothing unless `binding`.
        options |= {"prepare_threshold": 1} | ({"server_side_binding": True} if binding else {})
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": address.database,
        "USER": address.user,
        "PASSWORD": address.password,
        "HOST": address.host,
        "PORT": address.port,
        "OPTIONS": options,
        "CONN_MAX_AGE": 0 if limits.pooled else 60,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": limits.pooled,
    }


def run_database_name(database: str) -> str:
    """Return the name of this run's test database: two at once, in one clone or on one server, never meet.

    `test_<database>_<machine>_<pid>`; `is_stale_run` reads it back.
    """
    return f"test_{database[:30]}_{_machine()}_{os.getpid()}"


def is_stale_run(name: str, database: str) -> bool:
    """Whether `name` is the test database of a run on this machine whose process has ended."""
    prefix = f"test_{database[:30]}_{_machine()}_"
    pid = name.removeprefix(prefix).split("_")[0]
    if not name.startswith(prefix) or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _machine() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]
