"""What of a tenant itself, and of its queue, goes with a wipe. Its own row is the last step of the wipe."""

import uuid
from collections.abc import Iterator
from typing import ClassVar

from django.contrib.sessions.models import Session
from django.db import connections
from django.utils.translation import gettext_noop as _

from jobs.erasing import Rows, count_jobs, erase_jobs, job_windows
from tenants.erasure import BATCH, Amount, Wipe, eraser, register_eraser
from tenants.erasure_rows import TableRows
from tenants.models import Membership, WipePhase
from tenants.scope import tenant_scope


@eraser(WipePhase.ROWS)
class MemberSessions:
    """Where members of this tenant, and of no other, are signed in. Operators stay signed in."""

    labels: ClassVar = {"sessions": _("sessions of members")}

    def count(self, tenant_id: uuid.UUID, *, spare_job: int) -> Iterator[Amount]:
        """See `Eraser.count`."""
        found = sum(len(keys) for keys in _sessions_of(_members_of_this_only(tenant_id)))
        yield Amount("sessions", self.labels["sessions"], found)

    def erase(self, wipe: Wipe) -> int:
        """See `Eraser.erase`."""
        erased = 0
        for keys in _sessions_of(_members_of_this_only(wipe.tenant_id)):
            with wipe.batch() as tally:
                batch, _ = Session.objects.filter(session_key__in=keys).delete()
                tally.add(batch)
            erased += batch
        return erased


def _members_of_this_only(tenant_id: uuid.UUID) -> frozenset[str]:
    """Return the ids of users who have no other tenant and are no operators."""
    with tenant_scope(tenant_id), connections["default"].cursor() as cursor:
        users = Membership.objects.filter(tenant_id=tenant_id, user__is_staff=False)
        found = set(users.values_list("user_id", flat=True))
        for user_id in sorted(found):
            # The policy shows all memberships of the user that is set.
            cursor.execute("SELECT set_config('archiv.user_id', %s, true)", [str(user_id)])
            if Membership.objects.filter(user_id=user_id).exclude(tenant_id=tenant_id).exists():
                found.discard(user_id)
        cursor.execute("SELECT set_config('archiv.user_id', '', true)")
    return frozenset(map(str, found))


def _sessions_of(users: frozenset[str]) -> Iterator[list[str]]:
    """Yield the keys of sessions in which one of `users` is signed in, some at a time."""
    last = ""
    while users:
        sessions = list(Session.objects.filter(session_key__gt=last).order_by("session_key")[:BATCH])
        if not sessions:
            return
        last = sessions[-1].session_key
        keys = [each.session_key for each in sessions if each.get_decoded().get("_auth_user_id") in users]
        if keys:
            yield keys


register_eraser(WipePhase.ROWS, TableRows("tenants_apitoken", _("tokens"), key="created_at"))
register_eraser(
    WipePhase.ROWS, TableRows("tenants_membership", _("memberships"), key="user_id"), by_reset=False
)
register_eraser(
    WipePhase.ROWS, TableRows("tenants_capabilityset", _("capability sets"), key="id"), by_reset=False
)


@eraser(WipePhase.JOBS)
class QueuedJobs:
    """All jobs of the tenant with their attempts, whatever their status; but not the job of the wipe."""

    labels: ClassVar = {
        "jobs_job": _("jobs"),
        "jobs_jobattempt": _("attempts at jobs"),
        "jobs_probeeffect": _("effects of probes"),
    }

    def count(self, tenant_id: uuid.UUID, *, spare_job: int) -> Iterator[Amount]:
        """See `Eraser.count`."""
        found = Rows(0, 0, 0)
        with tenant_scope(tenant_id):
            windows = list(job_windows())
        for window in windows:
            with tenant_scope(tenant_id):
                found += count_jobs(tenant_id=tenant_id, window=window, spare=spare_job)
        counts = (found.jobs, found.attempts, found.effects)
        for (kind, label), count in zip(self.labels.items(), counts, strict=True):
            yield Amount(kind, label, count)

    def erase(self, wipe: Wipe) -> int:
        """See `Eraser.erase`."""
        erased = 0
        with wipe.batch():
            windows = list(job_windows())
        for window in windows:
            with wipe.batch() as tally:
                gone = erase_jobs(tenant_id=wipe.tenant_id, window=window, spare=wipe.job.id)
                tally.add(gone.jobs + gone.attempts + gone.effects)
            erased += gone.jobs + gone.attempts + gone.effects
        return erased
