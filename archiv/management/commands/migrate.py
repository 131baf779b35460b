"""`manage.py migrate`: the roles first, then the tables, as their owner."""

from dataclasses import replace
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connections

from archiv.database_roles import LoginRole, RoleError, ensure_roles
from jobs.rls import role


class Command(migrate.Command):
    """Django's command, on the connection `owner`, after the roles were made sure of."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Take Django's arguments; the database is the owner's unless another is named."""
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make roles, then tables."""
        alias = options["database"]
        changes = not (options["plan"] or options["check_unapplied"])
        if alias == "owner" and changes:
            _ensure_roles_in(connections[alias].settings_dict["NAME"])
        super().handle(*args, **options)
        if alias == "owner" and changes:
            # Django's own commands look there as the web's role, and no migration makes that table.
            with connections[alias].cursor() as cursor:
                cursor.execute(f"GRANT SELECT ON django_migrations TO {role('app')}")


def _ensure_roles_in(database: str) -> None:
    """Make the roles; `database` is the test's in a test run."""
    pooled = settings.ARCHIV_POOLED
    app, queue = (
        LoginRole(replace(address, database=database), session if pooled else {})
        for address, session in (
            (settings.ARCHIV_APP_ADDRESS, settings.ARCHIV_APP_SESSION),
            (settings.ARCHIV_QUEUE_ADDRESS, settings.ARCHIV_QUEUE_SESSION),
        )
    )
    owner = replace(settings.ARCHIV_OWNER_ADDRESS, database=database)
    try:
        ensure_roles(owner, app, queue, prefix=settings.ARCHIV_ROLE_PREFIX)
    except RoleError as error:
        raise CommandError(str(error)) from None
    except psycopg.OperationalError as error:
        raise CommandError(f"The database of DATABASE_URL cannot be reached: {error}") from None
