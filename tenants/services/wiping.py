"""Carrying out an authorised wipe order: everything goes, phase by phase, to the end.

Each phase can be repeated, and the order says in which one it stands: the next attempt of its job goes on
there, without a new signature.
"""

import structlog
from django.db.models.functions import Now

from jobs.erasing import end_other_jobs, erase_queue
from jobs.failpoints import failpoint
from jobs.registry import JobContext
from jobs.services import set_queue
from tenants.erasure import REMOVING, Amount, Wipe, count_all, erasers
from tenants.models import Tenant, TenantStatus, WipeOrder, WipePhase, WipeState
from tenants.proof import RESET
from tenants.scope import tenant_scope
from tenants.services.wipe_orders import record_order

log = structlog.get_logger(__name__)

_PHASES = tuple(WipePhase)


class LeftOver(RuntimeError):
    """Something of the tenant came back while it was wiped: the next attempt takes that away as well."""


def carry_out_wipe(*, order: WipeOrder, context: JobContext) -> None:
    """Take away what the order says, from the phase in which it stands, and finish the job.

    Raises LeaseLost when another attempt has taken over, and `LeftOver`.
    """
    attempt = _Attempt(order, context)
    while order.phase != WipePhase.TENANT:
        attempt.work()
    attempt.check_empty()
    attempt.end()


class _Attempt:
    """One attempt at a wipe."""

    def __init__(self, order: WipeOrder, context: JobContext) -> None:
        self._order = order
        self._context = context
        self._wipe = Wipe(order=order, context=context)
        self._reset = order.action == RESET

    def work(self) -> None:
        """Do what belongs to the phase in which the order stands, and enter the next."""
        phase = WipePhase(self._order.phase)
        log.info("wipe.phase", tenant=str(self._order.tenant_id), order=self._order.nonce, phase=phase.value)
        if phase == WipePhase.CLOSING:
            self._close()
        elif phase == WipePhase.FILES_AGAIN:
            self._look_again()
        else:
            for found in erasers(reset=self._reset, phase=phase):
                found.erase(self._wipe)
        self._enter(_PHASES[_PHASES.index(phase) + 1])
        if phase in REMOVING:
            failpoint(f"wipe.{phase}")

    def check_empty(self) -> None:
        """Raise `LeftOver` if anything is left, for the next attempt to take away."""
        left = {amount.kind: amount.count for amount in self._count() if amount.count}
        if left:
            self._enter(WipePhase.FILES)
            raise LeftOver(f"Left over after all phases: {left}.")

    def end(self) -> None:
        """Finish the job, and with it remove the tenant's row or open the tenant again, empty.

        The tenant is locked after the job here: whoever holds the tenant leaves the job of an authorised
        order alone.
        """
        order = self._order
        with self._context.finishing():
            if self._reset:
                self._open_again()
            else:
                erase_queue(tenant_id=order.tenant_id)
                Tenant.objects.filter(id=order.tenant_id).delete()
            failpoint("wipe.tenant")
            WipeOrder.objects.filter(nonce=order.nonce).update(
                state=WipeState.DONE, ended_at=Now(), phase="", done=order.total
            )
            found = order.report["found"]
            counts = {kind: amount["count"] for kind, amount in found.items()}
            size = sum(amount.get("bytes", 0) for amount in found.values())
            record_order("wipe.finished", order, job=self._context.job.id, bytes=size, **counts)

    def _close(self) -> None:
        """Close the queue, then, in a second transaction, take away what runs; then see what there is."""
        with self._context.checkpointing():
            set_queue(tenant_id=self._order.tenant_id, closed=True)
        with tenant_scope(self._order.tenant_id):
            end_other_jobs(job=self._context.job, message="The tenant is being wiped.")
        amounts = self._count()
        self._order.total = sum(amount.count for amount in amounts)
        self._order.report = {"found": {amount.kind: _as_json(amount) for amount in amounts}}
        with self._context.checkpointing():
            tenant = Tenant.objects.get(id=self._order.tenant_id)
            if tenant.retention_released_at is not None:
                self._order.report["retention_released"] = {
                    "at": tenant.retention_released_at.isoformat(),
                    "by": tenant.retention_released_by,
                    "reason": tenant.retention_released_reason,
                }
            self._update(total=self._order.total, report=self._order.report)

    def _look_again(self) -> None:
        """List the files until two listings in a row are empty."""
        late = empty = 0
        while empty < 2:
            files = erasers(reset=self._reset, phase=WipePhase.FILES)
            removed = sum(found.erase(self._wipe) for found in files)
            late, empty = late + removed, 0 if removed else empty + 1
        if late:
            self._order.report["late_files"] = late
            with self._context.checkpointing():
                self._update(report=self._order.report)

    def _open_again(self) -> None:
        Tenant.objects.filter(id=self._order.tenant_id).update(
            status=self._order.final_status,
            status_before="",
            retention_released_at=None,
            retention_released_by="",
            retention_released_reason="",
        )
        set_queue(tenant_id=self._order.tenant_id, closed=self._order.final_status != TenantStatus.ACTIVE)

    def _enter(self, phase: WipePhase) -> None:
        with self._context.checkpointing():
            self._update(phase=phase)
        self._order.phase = phase

    def _update(self, **values: object) -> None:
        WipeOrder.objects.filter(nonce=self._order.nonce).update(**values)

    def _count(self) -> list[Amount]:
        return count_all(self._order.tenant_id, reset=self._reset, spare_job=self._context.job.id)


def _as_json(amount: Amount) -> dict[str, int]:
    return {"count": amount.count} | ({} if amount.size is None else {"bytes": amount.size})
