"""Looks at the work: workers, what waits, what failed, and what has to happen every day."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db.models import Count, F, Q
from django.db.models.functions import Now

from archiv.backup.history import age_of_newest_backup
from archiv.doctor.finding import Finding, error, warning, well
from documents.models import VaultCheck, VaultFinding
from jobs.models import Job, JobStatus, QueueSample, TenantQueue, WorkerProcess
from tenants.models import Tenant, TenantStatus
from tenants.scope import operator_scope

_LATE_SECONDS = 600.0
_SAMPLE_SECONDS = 120.0
_FAILED_COUNTED = 10_000
_DAILY = timedelta(hours=36)
#: The nightly shares of `verify-archive` go round once in a month.
_VERIFIED = timedelta(days=35)


def look_at_workers() -> Iterator[Finding]:
    """Somebody works, and all of them run the same version."""
    alive = WorkerProcess.objects.filter(beat_at__gt=Now() - timedelta(seconds=settings.ARCHIV_LEASE_SECONDS))
    workers = list(alive.values_list("slots", "version", "state"))
    if not workers:
        yield error(
            "workers", "none beats", "Start one with `manage.py runworker`: documents wait meanwhile."
        )
        return
    yield well("workers", f"{len(workers)} beat, with {sum(slots for slots, _, _ in workers)} slots")
    versions = {version for _, version, _ in workers}
    if len(versions) > 1:
        yield warning(
            "workers",
            f"of several versions: {', '.join(sorted(versions))}",
            "They work side by side; finish the upgrade by restarting the older ones.",
        )


def look_at_queue() -> Iterator[Finding]:
    """Nothing waits too long, nobody is paused and forgotten, no lease ended without being reaped."""
    sample = QueueSample.objects.annotate(age=Now() - F("sampled_at")).order_by("-sampled_at").first()
    if sample is None or sample.age.total_seconds() > _SAMPLE_SECONDS:
        yield warning("queue", "no worker has counted lately", "The figures are old until a worker runs.")
    elif sample.oldest_due_seconds > _LATE_SECONDS:
        yield warning(
            "queue",
            f"the oldest due job has waited {sample.oldest_due_seconds / 60:.0f} minutes",
            "Start more workers or slots, and see `manage.py queue` for what takes so long.",
        )
    else:
        yield well("queue", f"the oldest due job has waited {sample.oldest_due_seconds:.0f} s")
    late = timedelta(seconds=settings.ARCHIV_REAPER_SECONDS + 60)
    with operator_scope():
        stuck = Job.objects.filter(status=JobStatus.PROCESSING, lease_expires_at__lt=Now() - late).count()
        paused = list(TenantQueue.objects.filter(paused=True).values_list("tenant__name", flat=True)[:5])
    if stuck:
        yield error("queue", f"{stuck} leases ended and nobody reaped them", "Start a worker: it does.")
    if paused:
        names = ", ".join(str(name) for name in paused)
        yield warning("queue", f"paused: {names}", "Their documents wait until somebody resumes the queue.")


def look_at_failures() -> Iterator[Finding]:
    """What failed within a day, by kind."""
    with operator_scope():
        rows = Job.objects.filter(status=JobStatus.FAILED, finished_at__gt=Now() - timedelta(days=1))
        newest = rows.order_by("-finished_at", "-id")[:_FAILED_COUNTED]
        kinds = Job.objects.filter(id__in=newest.values("id")).values_list("type", "failure_kind")
        counts = list(kinds.annotate(jobs=Count("id")).order_by("-jobs"))
    total = sum(count for _, _, count in counts)
    if not total:
        yield well("failures", "none within a day")
        return
    most = ", ".join(f"{count} {type_name} ({kind})" for type_name, kind, count in counts[:4])
    yield warning(
        "failures",
        f"{total if total < _FAILED_COUNTED else f'more than {total}'} jobs failed within a day: {most}",
        "See their errors in the admin or by `manage.py queue`; `manage.py requeue` once the cause is gone.",
    )


def look_at_backup() -> Iterator[Finding]:
    """There is a backup, and it is young."""
    with operator_scope():
        age = age_of_newest_backup()
    advice = "Run `manage.py backup FOLDER` every night, and copy the folder to another machine."
    if age is None:
        yield warning("backup", "none was ever made", advice)
    elif age > _DAILY:
        yield warning("backup", f"the newest is {_days(age)} old", advice)
    else:
        yield well("backup", f"the newest is {_days(age)} old")


def look_at_audit_heads() -> Iterator[Finding]:
    """The ends of the trails were signed lately."""
    folder = settings.ARCHIV_AUDIT_HEADS
    times = [path.stat().st_mtime for path in folder.glob("*") if path.is_file()] if folder.is_dir() else []
    age = datetime.now(UTC) - datetime.fromtimestamp(max(times), UTC) if times else None
    if age is None or age > _DAILY:
        said = "never signed" if age is None else f"last signed {_days(age)} ago"
        yield warning("audit", f"the ends of the trails were {said}", "Run `manage.py verify_audit --sign`.")
    else:
        yield well("audit", f"the ends of the trails were signed {_days(age)} ago")


def look_at_files() -> Iterator[Finding]:
    """No damaged file is known, and every tenant's files were looked at lately."""
    with operator_scope():
        damaged = VaultFinding.objects.filter(resolved_at=None).count()
        checked = VaultCheck.objects.filter(ended_at__gt=Now() - _VERIFIED).values("tenant_id")
        active = Tenant.objects.filter(status=TenantStatus.ACTIVE, created_at__lt=Now() - timedelta(days=2))
        unchecked = active.filter(~Q(id__in=checked)).count()
    if damaged:
        yield error(
            "files",
            f"{damaged} files of the vault are damaged or missing",
            "`manage.py verify_archive` names them; bring them back from a backup.",
        )
    if unchecked:
        yield warning(
            "files",
            f"the files of {unchecked} tenants were not verified for a month",
            "Run `manage.py verify_archive --enqueue --shares 30` every night.",
        )
    if not damaged and not unchecked:
        yield well("files", "no damaged file is known")


def _days(age: timedelta) -> str:
    hours = age.total_seconds() / 3600
    return f"{hours / 24:.0f} days" if hours >= 48 else f"{hours:.0f} hours"
