"""A wipe at work in a real worker, killed at each of its places: the next attempt ends it."""

import re
from collections.abc import Callable

import pytest

from jobs.failpoints import FAILPOINTS
from tenants.access import operator_access
from tenants.erasure import REMOVING
from tenants.models import Tenant
from tenants.services import order_wipe
from tests.processes.workers import PROJECT, WorkerProcess
from tests.tenants.wiping import job_of, make_tenant, newest_order, refresh, run_sql, state_of

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[..., WorkerProcess]
#: All apps, for their handlers and erasers.
SETTINGS = {"DJANGO_SETTINGS_MODULE": "archiv.test_settings"}


def order(tenant: Tenant, action: str) -> int:
    placed = order_wipe(access=operator_access(tenant.id), action=action)
    assert placed.job_id is not None
    return placed.job_id


def make_signature_useless() -> None:
    """Whatever goes on from here does so without a signature that would still be accepted."""
    run_sql(
        "UPDATE jobs_job SET payload = payload || '{\"signature\": \"gone\"}' WHERE type = 'delete-tenant'"
    )


def wait_until_phase(tenant: Tenant, phase: str) -> None:
    for _ in range(600):
        if newest_order(tenant).phase == phase:
            return
        run_sql("SELECT pg_sleep(0.05)")
    raise AssertionError(f"the wipe did not come to the phase {phase}")


#: Every place at which a wipe can be broken, as the code has them.
PLACES = sorted(name.removeprefix("wipe.") for name in FAILPOINTS if name.startswith("wipe."))


def test_every_place_of_a_wipe_is_passed_by_its_code() -> None:
    """So that a kill there does kill: each name stands in the code, or is made from a phase that removes."""
    named = {
        found
        for app in ("tenants", "documents", "jobs")
        for path in (PROJECT / app).rglob("*.py")
        for found in re.findall(r'failpoint\(f?"wipe\.([^"]+)"\)', path.read_text())
    }
    made = {"{phase}", "{self._order.phase}"}
    assert made <= named
    assert sorted(named - made | {phase.value for phase in REMOVING}) == PLACES


@pytest.mark.parametrize(
    ("action", "place"),
    [
        pytest.param(action, place, marks=() if (action, place) == ("delete", "rows") else pytest.mark.slow)
        for action in ("delete", "reset")
        for place in PLACES
        if action == "delete" or place in ("rows", "tenant")
    ],
)
def test_a_wipe_killed_at_any_place_is_ended_by_the_next_attempt_without_another_signature(
    start: Start, action: str, place: str
) -> None:
    acme, zeta = make_tenant(), make_tenant()
    other = state_of(zeta.id)
    job_id = order(acme, action)
    worker = start("--slots", "1", "--types", "delete-tenant", ready=False,
                   ARCHIV_FAILPOINT=f"wipe.{place}:kill:1", ARCHIV_BACKOFF_BASE_SECONDS=3,
                   **SETTINGS)  # fmt: skip
    worker.wait_for("child.ended", timeout=90)
    make_signature_useless()  # long before the second attempt, which waits for its backoff
    worker.wait_for("job.finished", job=job_id, lease=2)
    assert job_of(job_id).payload["signature"] == "gone"
    assert (job_of(job_id).status, job_of(job_id).lease) == ("succeeded", 2)
    done = newest_order(acme)
    assert (done.state, done.report["found"]["documents_document"]) == ("done", {"count": 3})
    after = state_of(acme.id)
    assert after.files == {}
    kept = {"jobs_job", "jobs_jobattempt"}
    if action == "reset":
        kept |= {"tenants_tenant", "jobs_tenantqueue", "tenants_membership", "tenants_capabilityset"}
    assert set(after.left()) == kept
    assert (len(after.rows["jobs_job"]), len(after.rows["jobs_jobattempt"])) == (1, 2)
    assert state_of(zeta.id) == other


@pytest.mark.slow
def test_a_wipe_whose_whole_worker_was_killed_is_ended_by_another_without_a_signature(start: Start) -> None:
    acme = make_tenant()
    job_id = order(acme, "delete")
    first = start("--slots", "1", "--lease", "2", ARCHIV_FAILPOINT="wipe.index:stop:1", **SETTINGS)
    wait_until_phase(acme, "index")
    first.kill()
    first.wait_exit()
    make_signature_useless()
    second = start("--slots", "1", "--lease", "2", **SETTINGS)
    second.wait_for("job.finished", job=job_id, lease=2, timeout=60)
    assert refresh(acme) is None
    assert state_of(acme.id).left() == {"jobs_job": 1, "jobs_jobattempt": 2}
