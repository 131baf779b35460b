"""Looks at the database: roles, version, migrations, what holds VACUUM up, indexes, room for connections."""

from collections.abc import Iterator
from time import time

from django.conf import settings
from django.db import connections

from archiv.checks import unbound_role
from archiv.doctor.finding import Finding, error, warning, well
from archiv.health import missing_migrations

_HELD_SECONDS = 3600
_WRAPAROUND = 1_000_000_000
_SKEW_SECONDS = 5.0


def look_at_roles() -> Iterator[Finding]:
    """All three connections work, and policies bind the two that serve."""
    for alias in ("owner", "default", "queue"):
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT current_user, current_setting('server_version')")
            name, version = cursor.fetchone()
        if alias != "owner" and (found := unbound_role(alias)):
            yield error(
                "roles",
                f"{alias} signs in as {found}",
                "Let `manage.py migrate` make the roles; give no other.",
            )
        else:
            yield well("roles", f"{alias}: {name} on PostgreSQL {version}")


def look_at_migrations() -> Iterator[Finding]:
    """The tables are those of this code."""
    missing = missing_migrations()
    if missing:
        names = ", ".join(f"{app}.{name}" for app, name in missing[:3])
        yield error("migrations", f"{len(missing)} not applied, first: {names}", "Run `manage.py migrate`.")
    else:
        yield well("migrations", "all applied")


def look_at_clock() -> Iterator[Finding]:
    """Leases go by the database's clock; people read this machine's."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::double precision")
        skew = abs(cursor.fetchone()[0] - time())
    if skew > _SKEW_SECONDS:
        yield warning(
            "clock",
            f"this machine and the database differ by {skew:.0f} s",
            "Keep both by NTP. Leases go by the database's clock and are not in danger; times in logs are.",
        )
    else:
        yield well("clock", "this machine and the database agree")


def look_at_horizon() -> Iterator[Finding]:
    """What keeps VACUUM from cleaning up: old transactions, slots, prepared transactions."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            """SELECT coalesce(max(extract(epoch FROM now() - xact_start)), 0)::double precision,
                      (SELECT count(*) FROM pg_prepared_xacts),
                      (SELECT count(*) FROM pg_replication_slots WHERE NOT active),
                      (SELECT max(age(datfrozenxid)) FROM pg_database)
               FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"""
        )
        oldest, prepared, slots, age = cursor.fetchone()
    held = [
        f"a transaction that has been open for {oldest / 60:.0f} minutes" if oldest > _HELD_SECONDS else "",
        f"{prepared} prepared transactions" if prepared else "",
        f"{slots} replication slots that nobody reads" if slots else "",
    ]
    if any(held):
        yield warning(
            "vacuum",
            "held up by " + ", ".join(part for part in held if part),
            "End it (pg_stat_activity, pg_prepared_xacts, pg_replication_slots): tables only grow meanwhile.",
        )
    else:
        yield well("vacuum", "nothing holds it up")
    if age > _WRAPAROUND:
        yield error(
            "vacuum",
            f"the oldest database has used {age:,} transaction numbers of 2,000,000,000",
            "Run VACUUM FREEZE in it, and find out why autovacuum did not.",
        )


def look_at_indexes() -> Iterator[Finding]:
    """An index whose concurrent build was broken off costs every write, and nobody uses it."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            """SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON oid = indexrelid
               WHERE NOT indisvalid AND relnamespace = 'public'::regnamespace"""
        )
        broken = [name for (name,) in cursor.fetchall()]
    if broken:
        yield error("indexes", f"not valid: {', '.join(broken)}", "REINDEX INDEX CONCURRENTLY each of them.")
    else:
        yield well("indexes", "all valid")


def look_at_server() -> Iterator[Finding]:
    """What the server promises of what was committed, and whether there is room for more sessions."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            """SELECT current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on',
                      current_setting('autovacuum') = 'on',
                      current_setting('max_connections')::integer
                          - current_setting('superuser_reserved_connections')::integer,
                      (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
                      pg_database_size(current_database())"""
        )
        durable, cleaning, allowed, used, size = cursor.fetchone()
    if not durable:
        yield error(
            "server", "fsync or full_page_writes is off", "Turn both on: a crash loses what was stored."
        )
    if not cleaning:
        yield error("server", "autovacuum is off", "Turn it on: tables only grow without it.")
    if used > 0.8 * allowed:
        yield warning(
            "server",
            f"{used} of {allowed} connections are in use",
            "Raise max_connections, or put a pooler between (ARCHIV_POOLED=1).",
        )
    yield well("server", f"{used} of {allowed} connections, {size / 1e9:.1f} GB of data")
    if settings.ARCHIV_EMBEDDED is not None:
        yield well("server", "the PostgreSQL at hand; a server of your own is named by DATABASE_URL")
