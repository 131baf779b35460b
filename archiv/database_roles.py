"""The roles of archiv on a PostgreSQL server: who may sign in, and who owns what.

Grants on tables are made by migrations.

`archiv_owner` owns and migrates (on another server: whoever DATABASE_URL names), `archiv_app` is web,
commands and job children, `archiv_queue` the dispatcher, NOLOGIN `archiv_search` owns the search's functions.
None of them is superuser or passes row-level security by.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg
from django.conf import settings
from psycopg import sql

from archiv.databases import Address
from archiv.embedded_place import BOOTSTRAP_ROLE

_SAFE = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
_LOCK = 0x61726368  # "arch": two migrations at once make the roles one after the other


class RoleError(Exception):
    """The roles of archiv are not as they must be, and this owner may not change that."""


@dataclass(frozen=True)
class LoginRole:
    """A role that signs in, by its address, with the server's settings for its sessions."""

    address: Address
    session: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The role's name."""
        return self.address.user


def ensure_roles(owner: Address, app: LoginRole, queue: LoginRole, *, prefix: str) -> None:
    """Make the roles that are missing, and set what differs; nothing to do costs a few queries.

    Session settings, where given, are stored with the roles: a pooler does not let connections bring them.
    Raises RoleError, with all the SQL to have run, where the owner may not do it.
    """
    with psycopg.connect(owner.url(), autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        _check_server(connection)
        search = f"{prefix}archiv_search"
        statements = _missing(connection, owner, app, queue, search, signing_in=True)
        try:
            for statement in statements:
                _execute(connection, statement)
        except psycopg.errors.InsufficientPrivilege as error:
            raise RoleError(_request(connection, owner, statements, str(error))) from None
        # A grant by somebody who may not is a mere warning to PostgreSQL.
        if statements and (left := _missing(connection, owner, app, queue, search, signing_in=False)):
            raise RoleError(_request(connection, owner, left, "a grant had no effect"))
        _try_to_grant_statistics(connection, queue.name)


def ensure_configured_roles(database: str) -> None:
    """Make the roles of the settings for `database`; in a test run it is the test's.

    Raises what `ensure_roles` raises.
    """
    pooled = settings.ARCHIV_POOLED
    app, queue = (
        LoginRole(replace(address, database=database), session if pooled else {})
        for address, session in (
            (settings.ARCHIV_APP_ADDRESS, settings.ARCHIV_APP_SESSION),
            (settings.ARCHIV_QUEUE_ADDRESS, settings.ARCHIV_QUEUE_SESSION),
        )
    )
    owner = replace(settings.ARCHIV_OWNER_ADDRESS, database=database)
    ensure_roles(owner, app, queue, prefix=settings.ARCHIV_ROLE_PREFIX)


def role_urls(**changes: Any) -> dict[str, str]:
    """Return the variables that lead another process to the addresses of the settings, changed in parts.

    Such as `database`, for one beside it on the same server; `host` and `port`, for what stands in between.
    """
    addresses = {
        "DATABASE_URL": settings.ARCHIV_OWNER_ADDRESS,
        "ARCHIV_APP_DATABASE_URL": settings.ARCHIV_APP_ADDRESS,
        "ARCHIV_QUEUE_DATABASE_URL": settings.ARCHIV_QUEUE_ADDRESS,
    }
    return {name: replace(address, **changes).url() for name, address in addresses.items()}


def make_embedded_roles(*, host: str, prefix: str) -> None:
    """Make owner, roles and database on the server at hand, as its bootstrap role."""
    owner = f"{prefix}archiv_owner"
    with psycopg.connect(
        host=host, port=5432, user=BOOTSTRAP_ROLE, dbname="postgres", options="", autocommit=True
    ) as connection:
        for name, rights in (
            (owner, "LOGIN NOSUPERUSER CREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"),
            (f"{prefix}archiv_app", f"LOGIN {_SAFE}"),
            (f"{prefix}archiv_queue", f"LOGIN {_SAFE}"),
            (f"{prefix}archiv_search", f"NOLOGIN {_SAFE}"),
        ):
            if not _exists(connection, "pg_roles", "rolname", name):
                connection.execute(sql.SQL("CREATE ROLE {} " + rights).format(sql.Identifier(name)))
        connection.execute(_membership(connection, f"{prefix}archiv_search", owner))
        _try_to_grant_statistics(connection, f"{prefix}archiv_queue")
        if not _exists(connection, "pg_database", "datname", f"{prefix}archiv"):  # last: it says all is there
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(f"{prefix}archiv"), sql.Identifier(owner)
                )
            )


def _check_server(connection: psycopg.Connection) -> None:
    if connection.info.server_version < 150000:
        raise RoleError(
            f"The PostgreSQL of DATABASE_URL is of version {connection.info.server_version // 10000}: "
            "archiv needs 15 or later."
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise RoleError(
            f"The database {connection.info.dbname} is in {encoding}: make it with ENCODING 'UTF8'."
        )


def _missing(
    connection: psycopg.Connection,
    owner: Address,
    app: LoginRole,
    queue: LoginRole,
    search: str,
    *,
    signing_in: bool,
) -> list[sql.Composed]:
    """Return the statements that bring roles and rights to what they must be, in order."""
    statements = [part for role in (app, queue) for part in _login_role(connection, owner, role, signing_in)]
    if not _exists(connection, "pg_roles", "rolname", search):
        statements.append(sql.SQL("CREATE ROLE {} NOLOGIN " + _SAFE).format(sql.Identifier(search)))
        statements.append(_membership(connection, search, owner.user))
    elif not _may_become(connection, owner.user, search):
        statements.append(_membership(connection, search, owner.user))
    if not _value(connection, "SELECT has_schema_privilege('public', 'CREATE')"):
        statements.append(sql.SQL("GRANT CREATE ON SCHEMA public TO {}").format(sql.Identifier(owner.user)))
    return statements


def _login_role(
    connection: psycopg.Connection, owner: Address, role: LoginRole, signing_in: bool
) -> list[sql.Composed]:
    name = sql.Identifier(role.name)
    statements = []
    row = connection.execute(
        "SELECT rolcanlogin AND NOT rolsuper AND NOT rolbypassrls, rolconfig FROM pg_roles"
        " WHERE rolname = %s",
        [role.name],
    ).fetchone()
    if row is None:
        statements.append(sql.SQL("CREATE ROLE {} LOGIN " + _SAFE).format(name) + _password(connection, role))
    else:
        if not row[0]:
            statements.append(sql.SQL("ALTER ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS").format(name))
        if signing_in and _is_beside(role.address, owner) and not _may_sign_in(role.address):
            statements.append(sql.SQL("ALTER ROLE {}").format(name) + _password(connection, role))
    had = dict(entry.split("=", 1) for entry in (row[1] or [])) if row else {}
    statements += [
        sql.SQL("ALTER ROLE {} SET {} = {}").format(name, sql.Identifier(key), sql.Literal(value))
        for key, value in role.session.items()
        if had.get(key) != value
    ]
    # Everybody has these two on a server as it comes, not on a hardened one.
    for right, kind, on in (("CONNECT", "database", owner.database), ("USAGE", "schema", "public")):
        if row is None or not _value(
            connection, f"SELECT has_{kind}_privilege(%s, %s, %s)", role.name, on, right
        ):
            statements.append(
                sql.SQL("GRANT " + right + " ON " + kind.upper() + " {} TO {}").format(
                    sql.Identifier(on), name
                )
            )
    return statements


def _password(connection: psycopg.Connection, role: LoginRole) -> sql.Composed:
    """Return the clause that sets the password, already hashed: it stands in the server's log otherwise."""
    if not role.address.password:
        return sql.Composed([sql.SQL("")])
    hashed = connection.pgconn.encrypt_password(
        role.address.password.encode(), role.name.encode(), b"scram-sha-256"
    )
    return sql.SQL(" PASSWORD {}").format(sql.Literal(hashed.decode()))


def _membership(connection: psycopg.Connection, search: str, owner: str) -> sql.Composed:
    """Return the grant by which the owner may give functions to `search`.

    Without inheriting, which version 15 cannot leave out: the policies of `search` are not to be the owner's.
    """
    how = " WITH SET TRUE, INHERIT FALSE" if connection.info.server_version >= 160000 else ""
    return sql.SQL("GRANT {} TO {}" + how).format(sql.Identifier(search), sql.Identifier(owner))


def _may_become(connection: psycopg.Connection, owner: str, search: str) -> bool:
    how = "SET" if connection.info.server_version >= 160000 else "MEMBER"
    return bool(_value(connection, "SELECT pg_has_role(%s, %s, %s)", owner, search, how))


def _is_beside(address: Address, owner: Address) -> bool:
    """Whether the address is the owner's but for its role, so that its password is ours to set."""
    return (address.host, address.port, address.database) == (owner.host, owner.port, owner.database)


def _may_sign_in(address: Address) -> bool:
    try:
        psycopg.connect(address.url()).close()
    except psycopg.OperationalError:
        return False
    return True


def _execute(connection: psycopg.Connection, statement: sql.Composed) -> None:
    try:
        connection.execute(statement)
    except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
        pass  # roles belong to the server: a migration of another database has just made it
    except psycopg.errors.InternalError_:  # "tuple concurrently updated", for the same reason
        connection.execute(statement)


def _try_to_grant_statistics(connection: psycopg.Connection, queue: str) -> None:
    """Let the dispatcher see who pins the xmin, where that can be had: the queue runs without."""
    if _value(connection, "SELECT pg_has_role(%s, 'pg_read_all_stats', 'MEMBER')", queue):
        return
    with suppress(psycopg.errors.InsufficientPrivilege):
        connection.execute(sql.SQL("GRANT pg_read_all_stats TO {}").format(sql.Identifier(queue)))


def _request(
    connection: psycopg.Connection, owner: Address, statements: list[sql.Composed], error: str
) -> str:
    lines = "".join(f"    {statement.as_string(connection)};\n" for statement in statements)
    reason = error.partition("\n")[0]
    return (
        f"The role {owner.user} may not make the roles of archiv ({reason}). Have an administrator run this "
        f"once in the database {owner.database}, then start again:\n\n{lines}"
    )


def _exists(connection: psycopg.Connection, table: str, column: str, name: str) -> bool:
    query = sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE {} = %s)").format(
        sql.Identifier(table), sql.Identifier(column)
    )
    return bool(connection.execute(query, [name]).fetchone()[0])  # type: ignore[index]


def _value(connection: psycopg.Connection, query: str, *parameters: object) -> object:
    row = connection.execute(query.encode(), parameters or None).fetchone()
    return row[0] if row else None
