"""What probes and scrapers ask: does the process run, can it serve, how is it doing."""

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cache

from django.conf import settings
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import F
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_prometheus.exports import ExportToDjangoView

from documents.errors import VaultError
from documents.vault import get_vault
from jobs.metrics import queue_figures
from jobs.models import WorkerProcess

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Finding:
    """What one look at one thing found, in words that hold no secret."""

    ok: bool
    message: str


_NOT_ASKED = Finding(False, "not asked, because the database does not answer as it should")


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> JsonResponse:
    """Say that the process is up and answers: 200, whatever else is wrong."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """Say whether this process can do its work: 200 if it can, else 503, with the reason of each check.

    Workers are reported and do not count: without them documents wait, but pages and uploads work.
    """
    database = _look("database", _database)
    # One wait for a server that is away is enough.
    migrations = _look("migrations", _migrations) if database.ok else _NOT_ASKED
    workers = _look("workers", _workers) if database.ok else _NOT_ASKED
    findings = {"database": database, "migrations": migrations, "vault": _look("vault", _vault)}
    ready = all(finding.ok for finding in findings.values())
    answer = {
        "status": "ready" if ready else "not ready",
        "checks": {name: asdict(finding) for name, finding in findings.items()},
        "workers": asdict(workers),
    }
    return JsonResponse(answer, status=200 if ready else 503)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics of this web process, and the figures of the queue."""
    response: HttpResponse = ExportToDjangoView(request)
    response.write(queue_figures())
    return response


def _look(name: str, check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except (Error, VaultError, OSError) as error:
        # The error may name hosts, roles and paths: they go to the log, not to whoever asks.
        log.warning("readiness: %s: %s", name, error)
        return Finding(False, f"failed ({type(error).__name__}); the log of the server says why")


def _database() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        row = cursor.fetchone()
    if row is None or row[0]:
        return Finding(False, "signed in with a role that row-level security does not bind")
    return Finding(True, "reachable, and bound by row-level security")


def _migrations() -> Finding:
    missing = missing_migrations()
    if missing:
        names = ", ".join(f"{app}.{name}" for app, name in missing[:5])
        return Finding(False, f"{len(missing)} not applied, first: {names}")
    return Finding(True, "all applied")


def missing_migrations() -> list[tuple[str, str]]:
    """Return app and name of the migrations that this code brings and the database has not seen."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        applied = set(cursor.fetchall())
    return sorted(_known_migrations() - applied)


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    """Return the migrations that this code brings; they change with the code only."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    replaced = {key for migration in loader.disk_migrations.values() for key in migration.replaces}
    return frozenset(set(loader.disk_migrations) - replaced)


def _vault() -> Finding:
    with get_vault().stage() as staged:  # thrown away on leaving
        staged.write(b"ready?")
    return Finding(True, "writable")


def _workers() -> Finding:
    """Tell whether a worker has beaten within one lease: later than that, its jobs would be taken from it."""
    limit = timedelta(seconds=settings.ARCHIV_LEASE_SECONDS)
    ages = list(WorkerProcess.objects.annotate(age=Now() - F("beat_at")).values_list("age", flat=True))
    beating = [age for age in ages if age <= limit]
    if not beating:
        return Finding(False, f"no heartbeat within {limit.total_seconds():g} s: start one with runworker")
    newest = max(0.0, min(beating).total_seconds())
    return Finding(True, f"{len(beating)} beating, the last one {newest:.1f} s ago")
