"""`manage.py sandbox_probe`"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connections

from documents.management.base import DocumentsCommand
from documents.readers import reader_environment
from documents.reading.probing import ProbeReport, measure_readers, probe_readers
from documents.vault import LocalVault, get_vault
from jobs.forkserver import ForkServerError
from tenants.management.base import Answer


class Command(DocumentsCommand):
    """Tries to get out of the sandbox of readers."""

    help = (
        "Start a reader as the worker does, and have it try to get out: read /etc/passwd, the environment of"
        " its parents, a file in the vault; reach the database's socket; connect by TCP and UDP; write, fork"
        " without end, leave a daemon behind, and more. Says what is in force and what a reader costs. The"
        " exit code is 1 if anything succeeded. Run it as the user who runs the worker."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer, then fail if anything got out."""
        self._breaches = 0
        super().handle(*args, **options)
        if self._breaches:
            raise CommandError(f"{self._breaches} attempts succeeded: readers are not shut off.")

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Probe and measure."""
        environment = reader_environment()
        try:
            with _foreign_file() as path:
                report = probe_readers(
                    foreign_file=path,
                    database=_database_socket(),
                    folders=(str(Path(path).parent),),
                    environment=environment,
                )
            seconds = measure_readers(environment)
        except ForkServerError as error:
            raise CommandError(f"No reader can be started: {error}") from error
        self._breaches = len(report.breaches)
        return Answer(
            {**asdict(report), "breaches": self._breaches, "seconds_a_document": seconds},
            _lines(report, seconds),
        )


def _lines(report: ProbeReport, seconds: float) -> list[str]:
    width = max(len(attempt.name) for attempt in report.attempts)
    return [
        f"In force: {report.confinement}.",
        f"A reader costs {seconds * 1000:.0f} ms a document.",
        *(
            f"{'refused ' if attempt.refused else 'SUCCEEDED'} {attempt.name:{width}} {attempt.detail}"
            for attempt in report.attempts
        ),
    ]


@contextmanager
def _foreign_file() -> Iterator[str]:
    """A file in the vault, as another tenant's; one of the project where the vault is elsewhere."""
    vault = get_vault()
    if not isinstance(vault, LocalVault):
        yield str(settings.BASE_DIR / "manage.py")
        return
    with vault.stage() as staged:
        staged.write(b"a file of another tenant")
        yield str(staged.path)


def _database_socket() -> str:
    """The path of the database's socket; empty if it is reached by network."""
    config = connections["default"].settings_dict
    host, port = str(config["HOST"]), config["PORT"] or 5432
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else ""
