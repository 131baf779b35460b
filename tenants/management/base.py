"""What commands that call a service have in common: who acts, how errors and answers are shown."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jobs.acting import acting_as, command_actor
from tenants.errors import TenantsError
from tenants.names import InvalidTenantName


@dataclass(frozen=True)
class Answer:
    """What a command has to say: one object for scripts, lines for people."""

    data: Mapping[str, object]
    lines: Sequence[str]


class ServiceCommand(BaseCommand):
    """A command that parses its arguments, calls one service and reports.

    `answer` does the work; what it raises of tenants' errors becomes the command's message, with exit code 1.
    """

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare `--json`, which every such command has."""
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Call the service and return what it said."""
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer, in the form that was asked for."""
        try:
            with acting_as(command_actor()):
                answer = self.answer(options)
        except (TenantsError, InvalidTenantName) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(answer.data, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(answer.lines))
