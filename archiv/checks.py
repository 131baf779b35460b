"""System checks of the installation as a whole."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections


@register(Tags.security, deploy=True)
def secret_key_is_given(**kwargs: Any) -> list[CheckMessage]:
    """archiv.E001: in production the key comes from outside, so that it is backed up and can be changed."""
    if not settings.ARCHIV_SECRET_KEY_IS_LOCAL:
        return []
    return [
        Error(
            "SECRET_KEY is not set: the key in var/secret_key is for trying archiv out.",
            hint="Set SECRET_KEY to at least 50 random characters and keep it with your other secrets.",
            id="archiv.E001",
        )
    ]


@register(Tags.compatibility)
def settings_are_known(**kwargs: Any) -> list[CheckMessage]:
    """archiv.W001: a variable that begins with ARCHIV_ and that nothing reads is most often a slip."""
    return [
        Warning(
            f"{name} is set, and no setting has that name.",
            hint="docs/settings.md lists them all.",
            id="archiv.W001",
        )
        for name in settings.UNKNOWN_SETTINGS
    ]


@register(Tags.database)
def owner_is_bound_by_row_security(
    databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """archiv.W002: policies do not hold for a superuser, so what it runs by mistake sees every tenant."""
    if "owner" not in (databases or ()):
        return []
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        if not cursor.fetchone()[0]:
            return []
    return [
        Warning(
            "DATABASE_URL signs in as a role that row-level security does not bind.",
            hint="Let an ordinary role with CREATEROLE own the database.",
            id="archiv.W002",
        )
    ]


@register(Tags.database)
def roles_are_bound_by_row_security(
    databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """archiv.E002: site, handlers and dispatcher must not sign in as a role that sees every tenant."""
    return [
        Error(
            f"The connection {alias} signs in as {found}: row-level security would not hold.",
            hint="Let `manage.py migrate` make the roles, and give their addresses or none.",
            id="archiv.E002",
        )
        for alias in ("default", "queue")
        if alias in (databases or ()) and (found := unbound_role(alias))
    ]


def unbound_role(alias: str) -> str:
    """Say why policies would not bind the role of a connection; nothing where they do."""
    with connections[alias].cursor() as cursor:
        cursor.execute(
            """SELECT rolname, rolsuper, rolbypassrls,
                      EXISTS (SELECT FROM pg_class
                              WHERE relowner = role.oid AND relkind IN ('r', 'p', 'v', 'm'))
               FROM pg_roles AS role WHERE rolname = current_user"""
        )
        name, superuser, bypasses, owns = cursor.fetchone()
    if superuser:
        return f"{name}, a superuser"
    if bypasses:
        return f"{name}, who has BYPASSRLS"
    return f"{name}, who owns tables" if owns else ""
