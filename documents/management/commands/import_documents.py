"""`manage.py import_documents TENANT PATH…`"""

import json
import uuid
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from documents.errors import DocumentsError, UploadRefused
from documents.filenames import clean_text
from documents.services.folder import FolderFile, import_file, walk_files
from jobs.acting import acting_as, command_actor
from jobs.models import Lane
from tenants.errors import TenantsError
from tenants.models import Tenant
from tenants.selectors import get_tenant_by_name, get_user

_STORED, _DUPLICATE, _REFUSED = "stored", "duplicate", "refused"


@dataclass(frozen=True)
class _Answer:
    """What became of one file."""

    path: str
    outcome: str
    document_id: uuid.UUID | None = None
    job_id: int | None = None
    reason: str = ""

    def line(self) -> str:
        """Say it in one line."""
        return f"{self.outcome:9}  {self.path}" + (f"  ({self.reason})" if self.reason else "")

    def data(self) -> dict[str, object]:
        """Say it as JSON."""
        return {
            "path": self.path,
            "outcome": self.outcome,
            "document_id": str(self.document_id) if self.document_id else None,
            "job_id": self.job_id,
            "reason": self.reason,
        }


class Command(BaseCommand):
    """Imports files and folders into a tenant."""

    help = (
        "Import files, and folders with all that is below them, into a tenant. The files stay where they"
        " are. Each is answered: stored, duplicate (the tenant has these bytes already), or refused with the"
        " reason. Hidden folders and what desktops leave behind are left out; links are refused. The exit"
        " code is 0 if nothing was refused and there was a file, else 1; importing again is harmless. With"
        " --json there is one object a line for each file, and one with the sums."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument("paths", nargs="+", type=Path, metavar="path", help="a file or a folder")
        parser.add_argument("--created-by", metavar="USER", help="user name that is noted as the creator")
        parser.add_argument(
            "--lane",
            choices=["normal", "bulk"],
            default="bulk",
            help="bulk (the default) lets uploads by people go first",
        )
        parser.add_argument("--json", action="store_true", help="answer in JSON, one object a line")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, answering for each file."""
        with acting_as(command_actor()):
            self._import_all(options)

    def _import_all(self, options: Mapping[str, Any]) -> None:
        try:
            tenant = get_tenant_by_name(options["tenant"])
            user = get_user(options["created_by"]).id if options["created_by"] else None
        except TenantsError as error:
            raise CommandError(str(error)) from error
        self.stdout.ending = ""  # the bar draws over its own line
        lane = Lane.BULK if options["lane"] == "bulk" else Lane.NORMAL
        counts: Counter[str] = Counter()
        with self._progress(options["paths"], shown=not options["json"]) as progress:
            task = progress.task_ids[0]
            for file in (file for path in options["paths"] for file in walk_files(path)):
                progress.update(task, description=file.path.name[-40:])
                answer = self._import(tenant, file, user, lane)
                counts[answer.outcome] += 1
                said = json.dumps(answer.data(), ensure_ascii=False) if options["json"] else answer.line()
                progress.console.print(said, markup=False, highlight=False, soft_wrap=True)
                progress.advance(task)
        self._report(counts, as_json=options["json"])

    def _import(self, tenant: Tenant, file: FolderFile, user: uuid.UUID | None, lane: Lane) -> _Answer:
        path = clean_text(str(file.path), most=4096)
        try:
            stored = import_file(tenant_id=tenant.id, file=file, created_by=user, lane=lane)
        except UploadRefused as error:
            return _Answer(path, _REFUSED, reason=str(error))
        except (DocumentsError, TenantsError) as error:
            # It would be the same with the next file.
            raise CommandError(f"Stopped at {path}: {error}") from error
        if not stored.duplicate:
            return _Answer(path, _STORED, stored.document_id, stored.job_id)
        reason = f"document {stored.document_id}" + (", which lies in the trash" if stored.trashed else "")
        return _Answer(path, _DUPLICATE, stored.document_id, reason=reason)

    def _report(self, counts: Counter[str], *, as_json: bool) -> None:
        sums = {outcome: counts[outcome] for outcome in (_STORED, _DUPLICATE, _REFUSED)}
        if as_json:
            self.stdout.write(json.dumps(sums) + "\n")
        else:
            self.stdout.write(", ".join(f"{count} {outcome}" for outcome, count in sums.items()) + ".\n")
        if not counts:
            raise CommandError("There is no file to import there: the folders named are empty.")
        if counts[_REFUSED]:
            raise CommandError(f"{counts[_REFUSED]} of {counts.total()} files were refused.")

    @contextmanager
    def _progress(self, paths: Sequence[Path], *, shown: bool) -> Iterator[Progress]:
        """Show a bar on a terminal; what is printed through its console is written either way."""
        console = Console(file=cast("IO[str]", self.stdout), soft_wrap=True)
        columns = (
            TextColumn("{task.description:40}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=console, disable=not (shown and console.is_terminal)) as progress:
            total = sum(1 for path in paths for _ in walk_files(path)) if not progress.disable else None
            progress.add_task("", total=total)
            yield progress
