"""`manage.py migrate`: the roles first, then the tables, as their owner."""

from typing import Any

import psycopg
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connections

from archiv.database_roles import RoleError, ensure_configured_roles
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
            try:
                ensure_configured_roles(connections[alias].settings_dict["NAME"])
            except RoleError as error:
                raise CommandError(str(error)) from None
            except psycopg.OperationalError as error:
                raise CommandError(f"The database of DATABASE_URL cannot be reached: {error}") from None
        super().handle(*args, **options)
        if alias == "owner" and changes:
            # Django's own commands look there as the web's role, and no migration makes that table.
            with connections[alias].cursor() as cursor:
                cursor.execute(f"GRANT SELECT ON django_migrations TO {role('app')}")
