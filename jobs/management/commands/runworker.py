"""`manage.py runworker`: claim due jobs and run them."""

import os
import socket
import sys
from argparse import ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connections

from jobs import __version__
from jobs.accounts import ROOM_JOBS
from jobs.engine.counters import serve_counters
from jobs.engine.database import DatabaseRefuses, check_refusal
from jobs.engine.dispatcher import Dispatcher
from jobs.engine.options import WorkerOptions
from jobs.engine.store.upkeep import Worker
from jobs.forkserver import ForkServerError
from jobs.models import new_worker_name
from jobs.registry import job_types

_LEAST_LEASE = 2.0


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to 1000")
    return int(text)


def _batch(text: str) -> int:
    number = _positive(text)
    if number > ROOM_JOBS:
        raise ArgumentTypeError(f"a child takes {ROOM_JOBS} jobs at most")
    return number


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 86400")
    return seconds


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535:
        raise ArgumentTypeError(f"{text!r} is no port, nor ADDRESS:PORT")
    return host or "127.0.0.1", int(port)


def _refused(error: DatabaseRefuses) -> CommandError:
    return CommandError(
        f"The database does not let this worker in: {error}\n"
        "Correct DATABASE_URL, ARCHIV_APP_DATABASE_URL and ARCHIV_QUEUE_DATABASE_URL, or have the roles made "
        "by manage.py migrate. (What is merely away is waited for.)"
    )


class Command(BaseCommand):
    """One worker: a dispatcher that claims, and one child for each slot that runs handlers."""

    help = (
        "Claim due jobs and run them, each in a process of its own. Prints 'ready pid=…' when it begins. "
        "SIGTERM or Ctrl-C: claim no more, wait --grace seconds, give the rest back; a second one: at once. "
        "Any number of workers may run, on any number of machines."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--slots", type=_positive, default=os.cpu_count() or 1, help="jobs at once (default: processors)"
        )
        parser.add_argument(
            "--batch",
            type=_batch,
            default=ROOM_JOBS,
            help=f"most jobs a child is given at once, if they are small (default: {ROOM_JOBS})",
        )
        parser.add_argument("--drain", action="store_true", help="end when nothing is due and nothing runs")
        parser.add_argument(
            "--lease",
            type=_seconds,
            default=settings.ARCHIV_LEASE_SECONDS,
            help="seconds a job is held without a heartbeat (default: ARCHIV_LEASE_SECONDS; at least 2)",
        )
        parser.add_argument(
            "--grace", type=_seconds, default=30.0, help="seconds to wait for running jobs when stopped"
        )
        parser.add_argument("--types", help="claim only jobs of these types, with commas between them")
        parser.add_argument(
            "--metrics-port",
            type=_address,
            metavar="[ADDRESS:]PORT",
            help="serve this worker's counters to Prometheus there (default address: 127.0.0.1; port 0: any)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the worker; the exit status is 0 if every job it held was finished or given back."""
        if options["lease"] < _LEAST_LEASE:
            raise CommandError(f"--lease must be at least {_LEAST_LEASE:g} seconds.")
        self._refuse_unbound_roles()
        worker = self._worker_options(options)
        if options["metrics_port"] is not None:
            self._serve_counters(*options["metrics_port"])
        try:
            clean = Dispatcher(worker).run(on_ready=self._say_ready)
        except ForkServerError as error:
            raise CommandError(f"The worker cannot start: {error}.") from error
        except DatabaseRefuses as error:
            raise _refused(error) from error
        if not clean:
            self.stderr.write("Not all could be given back: some jobs run again when their leases end.")
            sys.exit(1)

    def _refuse_unbound_roles(self) -> None:
        """Refuse a role that sees all tenants by itself, or is not let in; what is away is waited for."""
        try:
            self.check(tags=[Tags.database], databases=["default", "queue"])
        except DatabaseError as error:
            try:
                check_refusal(error)
            except DatabaseRefuses as refusal:
                raise _refused(refusal) from refusal
        finally:
            connections.close_all()

    def _worker_options(self, options: dict[str, Any]) -> WorkerOptions:
        host = socket.gethostname()
        name = new_worker_name(host, os.getpid())
        return WorkerOptions(
            worker=Worker(name, host[:255], os.getpid(), options["slots"], __version__),
            slots=options["slots"],
            lease=options["lease"],
            grace=options["grace"],
            poll=settings.ARCHIV_POLL_SECONDS,
            reaper=settings.ARCHIV_REAPER_SECONDS,
            backoff_base=settings.ARCHIV_BACKOFF_BASE_SECONDS,
            chores=settings.ARCHIV_CHORES_SECONDS,
            batch=options["batch"],
            drain=options["drain"],
            types=self._types(options["types"]),
            pooled=settings.ARCHIV_POOLED,
        )

    def _types(self, text: str | None) -> tuple[str, ...] | None:
        if text is None:
            return None
        names = tuple(sorted({name.strip() for name in text.split(",") if name.strip()}))
        unknown = [name for name in names if name not in job_types()]
        if unknown or not names:
            known = ", ".join(sorted(job_types()))
            raise CommandError(
                f"--types: no handler for {', '.join(unknown) or 'nothing'}. Known are: {known}."
            )
        return names

    def _serve_counters(self, address: str, port: int) -> None:
        try:
            server, _ = serve_counters(address, port)
        except OSError as error:
            raise CommandError(f"--metrics-port {address}:{port}: {error.strerror}.") from error
        self.stdout.write(f"metrics http://{address}:{server.server_port}/metrics")
        self.stdout.flush()

    def _say_ready(self) -> None:
        self.stdout.write(f"ready pid={os.getpid()}")
        self.stdout.flush()
