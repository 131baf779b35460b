"""How the admin's pages show a wipe order: its state, how far it is, what stopped it, what it took."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import formats
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.display import page_address, show_size
from jobs.models import Job, JobStatus
from tenants.erasure import Amount, label_amounts
from tenants.models import WipeOrder, WipePhase, WipeState
from tenants.proof import MOST_AGE
from tenants.services.wipe_orders import REQUEST_LIFE

#: In words; the keys are classes of the stylesheet.
WHERE_A_PHASE_STANDS = {
    "done": _("done"),
    "processing": _("at work"),
    "queued": _("still to come"),
}


@dataclass(frozen=True)
class PhaseLine:
    """One phase of a wipe: `state` is a key of `WHERE_A_PHASE_STANDS`."""

    label: str
    state: str
    words: str


@dataclass(frozen=True)
class AmountLine:
    """So much of one kind has gone; `size` in words, where files are meant."""

    label: str
    count: str
    size: str


@dataclass(frozen=True)
class WipeView:
    """A wipe order as a page shows it. `expires_at` is there while nobody has begun."""

    order: WipeOrder
    state: str
    is_live: bool
    done: int
    total: int
    percent: int
    phases: tuple[PhaseLine, ...]
    amounts: tuple[AmountLine, ...]
    expires_at: datetime | None
    #: Why nobody works on it any more though it has not ended, and the page of the job.
    problem: str
    job_address: str | None


def view_order(order: WipeOrder) -> WipeView:
    """Return what pages show of an order. Needs an operator's scope, or that of its tenant."""
    job = Job.objects.filter(tenant_id=order.tenant_id, pk=order.job_id or 0).first()
    has_failed = job is not None and job.status == JobStatus.FAILED
    return WipeView(
        order=order,
        state=str(WipeState(order.state).label),
        is_live=order.state in WipeOrder.LIVE and not has_failed,
        done=order.done,
        total=order.total,
        percent=100 * order.done // order.total if order.total else 0,
        phases=tuple(_phases(order)),
        amounts=list_amounts(_amounts_of(order.report)),
        expires_at=expiry_of(order),
        problem=job.error_message if job is not None and has_failed and order.state != WipeState.DONE else "",
        job_address=page_address("jobs_job_change", job.pk) if job is not None else None,
    )


def list_amounts(amounts: Iterable[Amount]) -> tuple[AmountLine, ...]:
    """Return what there is or was, in words; what there is nothing of is left out."""
    return tuple(
        AmountLine(
            gettext(amount.label),
            formats.number_format(amount.count, force_grouping=True),
            "" if amount.size is None else show_size(amount.size),
        )
        for amount in amounts
        if amount.count
    )


def expiry_of(order: WipeOrder) -> datetime | None:
    """Return when a request or an accepted order ends by itself; None for any other."""
    if order.state == WipeState.REQUESTED:
        return order.ordered_at + REQUEST_LIFE
    if order.state == WipeState.ACCEPTED and order.issued_at is not None:
        return order.issued_at + MOST_AGE
    return None


def show_progress(order: WipeOrder) -> str:
    """Return how far a wipe is, in one line for lists; nothing for one that removes nothing now."""
    if order.state != WipeState.AUTHORISED:
        return ""
    phase = str(WipePhase(order.phase).label)
    if not order.total:
        return phase
    return gettext("%(phase)s, %(percent)d %%") % {
        "phase": phase,
        "percent": 100 * order.done // order.total,
    }


def _phases(order: WipeOrder) -> Iterable[PhaseLine]:
    if order.state not in (WipeState.AUTHORISED, WipeState.DONE):
        return
    phases = list(WipePhase)
    now = len(phases) if order.state == WipeState.DONE else phases.index(WipePhase(order.phase))
    for number, phase in enumerate(phases):
        state = "done" if number < now else "processing" if number == now else "queued"
        yield PhaseLine(str(phase.label), state, str(WHERE_A_PHASE_STANDS[state]))


def _amounts_of(report: Mapping[str, Any]) -> Iterator[Amount]:
    labels = label_amounts()
    for kind, amount in report.get("found", {}).items():
        yield Amount(kind, labels.get(kind, kind), amount["count"], amount.get("bytes"))
