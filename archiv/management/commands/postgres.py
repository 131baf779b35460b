"""`manage.py postgres`: the PostgreSQL at hand."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from archiv import embedded
from archiv.embedded_place import BOOTSTRAP_ROLE, EmbeddedError, Place


class Command(BaseCommand):
    """Start, stop or look at the PostgreSQL that archiv runs itself where DATABASE_URL is not set."""

    help = (
        "start: make and start the PostgreSQL that archiv runs where DATABASE_URL is not set (other commands "
        "do so themselves). stop: end it with its connections. status: say whether it runs, and where; exit "
        "code 3 when it does not. shell: open psql in archiv's database as the owner, or as the server's "
        "superuser with --superuser (for backups: row-level security does not bind it)."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the verb."""
        parser.add_argument("verb", choices=["start", "stop", "status", "shell"])
        parser.add_argument("--superuser", action="store_true", help="shell: as the server's superuser")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says."""
        place: Place | None = settings.ARCHIV_EMBEDDED
        if place is None:
            raise CommandError("DATABASE_URL is set: that server is not archiv's to manage.")
        try:
            self._act(place, options["verb"], superuser=options["superuser"])
        except EmbeddedError as error:
            raise CommandError(str(error)) from None

    def _act(self, place: Place, verb: str, *, superuser: bool) -> None:
        if verb == "stop":
            self.stdout.write("Stopped." if embedded.stop(place) else "It was not running.")
            return
        if verb == "status":
            self._report(place)
            return
        embedded.ensure(place, prefix=settings.ARCHIV_ROLE_PREFIX)
        if verb == "start":
            self._report(place)
        else:
            address = settings.ARCHIV_OWNER_ADDRESS
            embedded.open_shell(
                place, user=BOOTSTRAP_ROLE if superuser else address.user, database=address.database
            )

    def _report(self, place: Place) -> None:
        found = embedded.status(place)
        if found.pid is None:
            self.stdout.write(f"Not running. Data: {place.data}")
            raise SystemExit(3)
        state = "answers" if found.answers else "does not answer"
        self.stdout.write(
            f"Running (process {found.pid}), {state}.\nData:    {place.data}\nLog:     {place.log}"
        )
        self.stdout.write(f"Address: {settings.ARCHIV_OWNER_ADDRESS.url()}")
