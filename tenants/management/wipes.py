"""How the commands about wipes word what they found and did."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime

from django.core.management.base import CommandError

from jobs.models import Job, JobStatus
from tenants.erasure import Amount
from tenants.management.base import Answer
from tenants.models import Tenant, WipeOrder, WipePhase, WipeState
from tenants.proof import DELETE
from tenants.scope import tenant_scope
from tenants.services import Inspection, PlacedOrder, find_order

_POLL_SECONDS = 0.5


def describe_inspection(found: Inspection, *, action: str) -> Answer:
    """Return the table of what a wipe would take away."""
    tenant, order = found.tenant, found.order
    data = {
        "tenant": tenant.name,
        "id": str(tenant.id),
        "status": tenant.status,
        "action": action,
        "found": {
            amount.kind: {"count": amount.count} | ({} if amount.size is None else {"bytes": amount.size})
            for amount in found.amounts
        },
        "obstacles": [
            {"kind": each.kind, "count": each.count, "message": str(each.wording)} for each in found.obstacles
        ],
        "running_jobs": found.running_jobs,
        "retention_released_at": _time(tenant.retention_released_at),
        "order": _order_data(order) if order is not None else None,
    }
    return Answer(data, list(_table(found, action)))


def _table(found: Inspection, action: str) -> Iterator[str]:
    tenant = found.tenant
    what = "A delete" if action == DELETE else "A reset"
    yield f"{what} of {tenant.name} ({tenant.id}, {tenant.status}) would take away:"
    yield ""
    width = max(len(amount.label) for amount in found.amounts)
    for amount in found.amounts:
        yield f"  {amount.label:<{width}}  {amount.count:>12,}{_bytes(amount)}"
    yield ""
    yield f"Running jobs, which would be ended: {found.running_jobs}."
    if tenant.retention_released_at is not None:
        yield (
            f"Retention was released at {tenant.retention_released_at:%Y-%m-%d %H:%M} UTC by"
            f" {tenant.retention_released_by}: {tenant.retention_released_reason}"
        )
    for each in found.obstacles:
        yield f"FORBIDDEN: {each.wording}"
    if found.order is not None and found.order.state in WipeOrder.LIVE:
        yield f"There is an order: {_progress(found.order)}"
    else:
        yield "Nothing was changed. Add --sign to order it."


def describe_placed(tenant: Tenant, placed: PlacedOrder) -> Answer:
    """Say what became of an order."""
    data = {
        "tenant": tenant.name,
        "id": str(tenant.id),
        "nonce": placed.nonce,
        "state": str(placed.state),
        "action": placed.action,
        "final_status": placed.final_status,
        "job": placed.job_id,
        "set_aside": placed.set_aside,
    }
    if placed.state == WipeState.REQUESTED:
        return Answer(
            data,
            [
                f"Requested the {placed.action} of {tenant.name}: nothing happens until another operator"
                " says, within an hour:",
                f"  manage.py approve_wipe {tenant.id}",
            ],
        )
    return Answer(
        data,
        [
            f"Ordered the {placed.action} of {tenant.name}: job {placed.job_id}. The tenant is closed, and"
            f" {placed.set_aside} jobs were set aside.",
            "Until a worker begins, --cancel takes it back; --wait shows the progress.",
        ],
    )


def follow_wipe(tenant: Tenant, *, say: Callable[[str], object]) -> Answer:
    """Show the progress of the tenant's newest order until it ends; CommandError if it does not end well."""
    shown = ""
    while True:
        order = find_order(tenant.id)
        if order is None or order.state == WipeState.REQUESTED:
            raise CommandError(f"No wipe of {tenant.name} is at work.")
        if order.state == WipeState.DONE:
            found = order.report["found"]
            rows = sum(amount["count"] for amount in found.values())
            size = sum(amount.get("bytes", 0) for amount in found.values())
            return Answer(
                _order_data(order),
                [f"Done: {rows:,} files, entries and rows of {tenant.name} are gone, {size:,} bytes."],
            )
        if order.state not in WipeOrder.LIVE:
            raise CommandError(_reason(order))
        if _progress(order) != shown:
            shown = _progress(order)
            say(shown)
        _check_job(order)
        time.sleep(_POLL_SECONDS)


def _check_job(order: WipeOrder) -> None:
    """Raise CommandError when the job of a live order has failed: nobody works on it any more."""
    with tenant_scope(order.tenant_id):
        job = Job.objects.filter(tenant_id=order.tenant_id, id=order.job_id or 0).first()
    if job is not None and job.status == JobStatus.FAILED:
        raise CommandError(f"Job {job.id} of the order has failed: {job.error_message}")


def _reason(order: WipeOrder) -> str:
    with tenant_scope(order.tenant_id):
        job = Job.objects.filter(tenant_id=order.tenant_id, id=order.job_id or 0).first()
    return f"The order was {order.state}. {job.error_message if job is not None else ''}".strip()


def _progress(order: WipeOrder) -> str:
    if order.state == WipeState.AUTHORISED:
        phase = WipePhase(order.phase).label
        return f"{phase}, {order.done:,} of {order.total:,}" if order.total else str(phase)
    if order.state == WipeState.REQUESTED:
        return f"requested by {order.ordered_by}, waits for the approval of another operator"
    return f"accepted, job {order.job_id} waits for a worker"


def _order_data(order: WipeOrder) -> dict[str, object]:
    return {
        "nonce": order.nonce,
        "action": order.action,
        "final_status": order.final_status,
        "state": order.state,
        "phase": order.phase,
        "done": order.done,
        "total": order.total,
        "job": order.job_id,
        "ordered_by": order.ordered_by,
        "approved_by": order.approved_by,
        "ordered_at": _time(order.ordered_at),
        "authorised_at": _time(order.authorised_at),
        "ended_at": _time(order.ended_at),
        "report": order.report,
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _bytes(amount: Amount) -> str:
    return "" if amount.size is None else f"  {amount.size:>16,} bytes"
