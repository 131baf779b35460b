"""The thread that renews leases, on a row that is hardly ever free."""

import threading
import uuid

from jobs.engine.heartbeat import Heartbeat, HeldJobs
from jobs.engine.store.base import Held
from jobs.engine.store.upkeep import Worker
from tests.jobs.bench import Bench

LEASE = 2.0


def test_a_job_that_keeps_its_own_row_locked_again_and_again_keeps_its_lease(bench: Bench) -> None:
    """As a long wipe does, batch after batch; a beat meets its row free about once in ten tries."""
    tenant = uuid.uuid4()
    bench.enqueue(tenant)
    job = bench.worker(lease=LEASE).claim_one(tenant)
    held = HeldJobs()
    held.add([Held(job.id, job.lease)])
    heartbeat = Heartbeat(Worker("worker-a", "host", 1, 1, "0"), held, lease=LEASE, wake=lambda: None)
    handler = bench.worker("handler").connection
    handler.execute("SELECT set_config('archiv.operator', 'on', false)")
    released = threading.Event()
    heartbeat.start()
    try:
        for _ in range(60):
            with handler.transaction():
                handler.execute("SELECT FROM jobs_job WHERE id = %s FOR NO KEY UPDATE", [job.id])
                handler.execute("SELECT pg_sleep(0.06)")
            released.wait(0.006)
    finally:
        heartbeat.stop()
    ((left,),) = bench.run_sql(
        "SELECT extract(epoch FROM lease_expires_at - statement_timestamp()) FROM jobs_job WHERE id = %s",
        [job.id],
    )
    assert left > 0
    assert heartbeat.take_lost() == []
