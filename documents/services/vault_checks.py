"""What checks of the vault found: kept, shown, and marked as resolved when it is well again."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Now

from documents.models import Asset, FileProblem, VaultCheck, VaultFinding
from documents.services.changes import lock_active_tenant
from documents.services.verify import Progress, Share, Verified, tell_nobody, verify_files
from jobs.models import Job, JobStatus, Lane
from jobs.services import enqueue_job
from tenants.access import Access, requires
from tenants.audit import record
from tenants.scope import tenant_scope

VERIFY = "verify-archive"
_BATCH = 500


@dataclass(frozen=True)
class KeptCheck:
    """How many problems were seen for the first time, and how many were seen no more."""

    new: int
    resolved: int


def keep_check(*, tenant_id: uuid.UUID, verified: Verified) -> KeptCheck:
    """Keep what a look found. Needs the tenant's scope; a job calls it in `finishing()`."""
    rows = VaultFinding.objects.filter(tenant_id=tenant_id)
    still_open = dict(rows.filter(resolved_at=None).values_list("path", "problem"))
    new = {path: problem for path, problem in verified.problems.items() if still_open.get(path) != problem}
    VaultFinding.objects.bulk_create(
        (
            VaultFinding(tenant_id=tenant_id, path=path[:1024], problem=problem, seen_at=Now())
            for path, problem in verified.problems.items()
        ),
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["tenant", "path"],
        update_fields=["problem", "seen_at"],
    )
    seen = list(verified.problems)
    rows.filter(path__in=seen).update(resolved_at=None)
    gone = [path for path in still_open if path not in verified.problems and verified.share.covers(path)]
    if not verified.more:  # else what is not named may still be there
        rows.filter(path__in=gone).update(resolved_at=Now())
    VaultCheck.objects.create(
        tenant_id=tenant_id,
        share=verified.share.number,
        shares=verified.share.of,
        started_at=verified.started_at,
        files=verified.files,
        size=verified.size,
        problems=len(verified.problems) + verified.more,
    )
    for path, problem in new.items():
        _record(tenant_id, path, problem)
    record(
        "vault.checked",
        tenant_id=tenant_id,
        details={"files": verified.files, "bytes": verified.size, "problems": len(seen) + verified.more},
    )
    return KeptCheck(len(new), len(gone))


def keep_asset_hashes(*, tenant_id: uuid.UUID, assets: Sequence[Asset]) -> None:
    """Keep the hashes that assets have now, where none was kept. Needs the tenant's scope.

    From here on a change is found; one that came before is not.
    """
    for asset in assets:
        rows = Asset.objects.filter(tenant_id=tenant_id, pk=asset.pk, job_id=asset.job_id, content_hash="")
        rows.update(content_hash=asset.content_hash)


def keep_finding(*, tenant_id: uuid.UUID, path: str, problem: FileProblem) -> None:
    """Keep what was met by the way, as when a file was to be handed out. Opens the tenant's scope."""
    with tenant_scope(tenant_id):
        _, created = VaultFinding.objects.update_or_create(
            tenant_id=tenant_id,
            path=path,
            defaults={"problem": problem, "seen_at": Now(), "resolved_at": None},
        )
        if created:
            _record(tenant_id, path, problem)


@requires("documents:read")
def check_tenant(*, access: Access, share: Share, progress: Progress = tell_nobody) -> Verified | None:
    """Look at a share of a tenant's files now, and keep what was found; None if it is gone or being wiped."""
    tenant_id = access.tenant_id

    def keep_hashes(assets: Sequence[Asset]) -> None:
        with tenant_scope(tenant_id):
            keep_asset_hashes(tenant_id=tenant_id, assets=assets)

    verified = verify_files(tenant_id=tenant_id, share=share, keep_hashes=keep_hashes, progress=progress)
    if verified is not None:
        with tenant_scope(tenant_id):
            keep_check(tenant_id=tenant_id, verified=verified)
    return verified


@requires("tenants:write")
def enqueue_check(*, access: Access, shares: int = 1) -> int:
    """Queue a look at the next of so many shares of a tenant's files, behind all other work; returns the job.

    The one after the share that was looked at last. Raises ValueError for a number of shares that cannot be.
    """
    with tenant_scope(access.tenant_id):
        return _enqueue(access.tenant_id, shares)


@requires("tenants:write")
def enqueue_nightly_check(*, access: Access, shares: int, since: datetime) -> int | None:
    """As `enqueue_check`, once a night: None if one is queued or runs, or has looked since then.

    So nothing piles up where workers do not keep up. Raises `TenantNotActive`, `TenantNotFound`.
    """
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        jobs = Job.objects.filter(tenant_id=access.tenant_id, type=VERIFY)
        # Two conditions, since each has an index of its own.
        if jobs.filter(status=JobStatus.QUEUED, lane__in=(Lane.NORMAL, Lane.BULK)).exists():
            return None
        if jobs.filter(status=JobStatus.PROCESSING).exists():
            return None
        checks = VaultCheck.objects.filter(tenant_id=access.tenant_id, shares=shares)
        if checks.filter(ended_at__gte=since).exists():
            return None
        return _enqueue(access.tenant_id, shares)


def _enqueue(tenant_id: uuid.UUID, shares: int) -> int:
    checks = VaultCheck.objects.filter(tenant_id=tenant_id, shares=shares)
    last = checks.order_by("-id").values_list("share", flat=True).first()
    share = Share(0 if last is None else (last + 1) % shares, shares)
    return enqueue_job(
        tenant_id=tenant_id,
        type=VERIFY,
        payload={"share": share.number, "shares": share.of},
        lane=Lane.BULK,
    )


def _record(tenant_id: uuid.UUID, path: str, problem: str) -> None:
    """The path of an original is its hash and its id; of a stray, nothing of its name is told."""
    known = problem != FileProblem.STRAY
    record(
        "vault.damage_found",
        tenant_id=tenant_id,
        object_type="file",
        object_id=path.rpartition("/")[2][-36:] if known else "",
        details={"problem": str(problem)},
    )
