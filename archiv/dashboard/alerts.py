"""What needs an operator, in words, worst first: rules over the figures of the first page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from archiv.dashboard.figures import Machine, Sample, WorkerLine
from jobs.display import NOTHING, show_seconds, show_size
from jobs.kinds import Group
from jobs.models import DailyChore
from tenants.models import WipeOrder

SHOWN = 5
_LATE_SECONDS, _OLD_SAMPLE_SECONDS, _HORIZON_SECONDS = 600.0, 60.0, 600.0
_MANY_FAILURES, _LEAST_FREE = 5, 0.1
_BACKUP_AGE = timedelta(hours=36)
# Days until the vault is full.
_SOON_FULL = 14


class Gravity(IntEnum):
    """How bad it is: a warning can wait until the morning."""

    BAD = 0
    WARNING = 1


@dataclass(frozen=True)
class Alert:
    """One thing that needs somebody: what it is, what to do, and where."""

    gravity: Gravity
    text: str
    advice: str
    address: str = ""

    @property
    def style(self) -> str:
        """A class of the stylesheet."""
        return "failed" if self.gravity is Gravity.BAD else "suspended"


@dataclass(frozen=True)
class State:
    """What the rules look at."""

    sample: Sample | None
    workers: Sequence[WorkerLine]
    groups: Sequence[Group]
    machine: Machine
    wipes: Sequence[WipeOrder]
    paused: Sequence[str]
    now: datetime
    #: The tenant whose due job has waited longest.
    longest: str = ""


def find_alerts(state: State) -> list[Alert]:
    """Return what needs somebody, worst first."""
    found = [*_workers(state), *_queue(state), *_failures(state), *_machine(state), *_care(state)]
    return sorted(found, key=lambda alert: alert.gravity)


def _workers(state: State) -> Iterator[Alert]:
    if not [worker for worker in state.workers if not worker.is_late]:
        yield Alert(
            Gravity.BAD,
            _("No worker is at work."),
            _("Start one: manage.py runworker. Documents wait meanwhile; none is lost."),
        )
        return
    late = [worker for worker in state.workers if worker.is_late]
    if late:
        text = ngettext("%(count)d worker is silent.", "%(count)d workers are silent.", len(late))
        yield Alert(
            Gravity.WARNING,
            text % {"count": len(late)},
            _("Its jobs run elsewhere by now. Look whether its machine lives: %(host)s.")
            % {"host": late[0].host},
        )


def _queue(state: State) -> Iterator[Alert]:
    sample = state.sample
    if sample is None:
        return
    if sample.age > _OLD_SAMPLE_SECONDS and any(not worker.is_late for worker in state.workers):
        yield Alert(
            Gravity.WARNING,
            _("The figures are %(age)s old.") % {"age": show_seconds(sample.age)},
            _("A worker counts every 15 seconds; the database may be too slow for it."),
        )
    if sample.oldest_due > _LATE_SECONDS:
        name = f"&tenant={sample.longest_waiting}" if sample.longest_waiting else ""
        yield Alert(
            Gravity.BAD,
            _("The oldest due job has waited %(age)s (%(tenant)s).")
            % {"age": show_seconds(sample.oldest_due), "tenant": state.longest or NOTHING},
            _("See below who waits, and what the slots are busy with."),
            reverse("admin:jobs_job_changelist") + f"?status=queued{name}",
        )
    if state.paused:
        yield Alert(
            Gravity.WARNING,
            _("Paused: %(names)s.") % {"names": ", ".join(state.paused)},
            _("Their documents wait until somebody resumes the queue."),
            reverse("admin:jobs_tenantqueue_changelist"),
        )


def _failures(state: State) -> Iterator[Alert]:
    """One alert however many causes there are: they must not hide what else needs somebody."""
    recent = [
        one
        for one in state.groups
        if one.group.jobs >= _MANY_FAILURES and state.now - one.group.last_at <= timedelta(hours=1)
    ]
    if len(recent) > 1:
        jobs = sum(one.group.jobs for one in recent)
        yield Alert(
            Gravity.BAD,
            _("%(jobs)d jobs have failed of %(causes)d causes.") % {"jobs": jobs, "causes": len(recent)},
            _("Put a cause right, then requeue all of its kind."),
            reverse("admin:jobs_failedjob_kinds"),
        )
    elif recent:
        group = recent[0].group
        text = ngettext(
            "%(count)d job %(type)s has failed of one cause.",
            "%(count)d jobs %(type)s have failed of one cause.",
            group.jobs,
        )
        yield Alert(
            Gravity.BAD,
            text % {"count": group.jobs, "type": group.type},
            _("Put the cause right, then requeue all of this kind."),
            reverse("admin:jobs_failedjob_kind", args=[group.fingerprint]),
        )


def _machine(state: State) -> Iterator[Alert]:
    machine = state.machine
    free, total = machine.vault_free, machine.vault_total
    if free is not None and total and free < _LEAST_FREE * total:
        yield Alert(
            Gravity.BAD,
            _("The vault has %(free)s left.") % {"free": show_size(free)},
            _("Make room: uploads are refused when it is full, and nothing is lost."),
        )
    elif machine.filling and machine.filling.days is not None and machine.filling.days < _SOON_FULL:
        yield Alert(
            Gravity.WARNING,
            _("The vault is full in %(time)s, %(basis)s.")
            % {"time": machine.filling.text, "basis": machine.filling.basis},
            _("Make room: uploads are refused when it is full, and nothing is lost."),
        )
    if machine.damaged:
        text = ngettext("%(count)d file is damaged.", "%(count)d files are damaged.", machine.damaged)
        yield Alert(
            Gravity.BAD,
            text % {"count": machine.damaged},
            _("What is damaged is not handed out: bring it back from a backup."),
            reverse("admin:documents_vaultfinding_changelist"),
        )
    if state.sample is not None and state.sample.horizon > _HORIZON_SECONDS:
        yield Alert(
            Gravity.WARNING,
            _("A transaction has been open for %(age)s.") % {"age": show_seconds(state.sample.horizon)},
            _("End it: the database cannot clean up meanwhile. manage.py doctor says more."),
        )


def _care(state: State) -> Iterator[Alert]:
    for order in state.wipes:
        yield Alert(
            Gravity.BAD,
            _("A wipe stands still."),
            _("Its job has failed. Requeue the job, and the wipe goes on where it stood."),
            reverse("admin:tenants_wipeorder_change", args=[order.pk]),
        )
    for chore in state.machine.chores:
        if chore.outcome in (DailyChore.Outcome.FAILED, DailyChore.Outcome.ALARM):
            gravity = Gravity.BAD if chore.outcome == DailyChore.Outcome.ALARM else Gravity.WARNING
            words = {"name": chore.name, "message": chore.message}
            yield Alert(gravity, _("The daily chore %(name)s: %(message)s") % words, _("The log says more."))
    if state.machine.backup_age is None or state.machine.backup_age > _BACKUP_AGE:
        yield Alert(
            Gravity.WARNING,
            _("There is no backup of the last day."),
            _("Run manage.py backup every night; docs/operations.md says how."),
        )
