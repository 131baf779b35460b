"""Recovery: how soon a dead worker's job runs again, and how soon an idle worker has stopped.

A PostgreSQL of its own and real workers with the usual pauses between reapers. In each round one worker is
killed with a job in hand while another stands by, and one that has nothing to do is told to stop (SIGTERM).
"""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.processes.settings")

import argparse  # noqa: E402
import signal  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402

import django  # noqa: E402

django.setup()

from tests.processes.own_server import OwnServer, own_server  # noqa: E402
from tests.processes.workers import WorkerProcess  # noqa: E402

_PATIENCE = 300.0
#: As installations have them; the settings of tests are quicker.
_USUAL = {"ARCHIV_REAPER_SECONDS": "3", "ARCHIV_BACKOFF_BASE_SECONDS": "1", "ARCHIV_POLL_SECONDS": "1"}


def _start(server: OwnServer, lease: float, types: str) -> WorkerProcess:
    worker = WorkerProcess(("--slots", "2", "--lease", str(lease), "--types", types), server.environment)
    worker.wait_ready(_PATIENCE)
    return worker


def measure_death(server: OwnServer, lease: float, standing: WorkerProcess) -> float:
    """Kill a worker at its job; returns seconds from the end of the lease to the next start."""
    doomed = _start(server, lease, "probe")
    try:
        server.enqueue_probes(1, '{"sleep": 600}')
        job = doomed.wait_for("job.claimed", timeout=_PATIENCE)["job"]
        doomed.kill()
    finally:
        doomed.destroy()
    # From now on the one that stands by knows its type.
    change = f"UPDATE jobs_job SET type = 'probe-hasty', payload = '{{}}' WHERE id = {job}"
    ((end,),) = server.query(f"{change} RETURNING lease_expires_at")
    standing.wait_for("job.finished", job=job, timeout=_PATIENCE)
    again = f"SELECT started_at FROM jobs_jobattempt WHERE job_id = {job} ORDER BY lease DESC LIMIT 1"
    ((seconds,),) = server.query(f"SELECT extract(epoch FROM ({again}) - '{end}')::float8")
    assert isinstance(seconds, float)
    return seconds


def measure_stop(server: OwnServer, lease: float) -> float:
    """Return the seconds in which a worker with two idle children has ended."""
    worker = _start(server, lease, "probe")
    try:
        began = time.monotonic()
        worker.kill(signal.SIGTERM)
        assert worker.wait_exit(int(_PATIENCE)) == 0
        return time.monotonic() - began
    finally:
        worker.destroy()


def main() -> None:
    """Print both, the median and the most."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10, help="how often (default: 10)")
    parser.add_argument("--lease", type=float, default=3.0, help="seconds (default: 3)")
    options = parser.parse_args()
    deaths: list[float] = []
    stops: list[float] = []
    with own_server(**_USUAL) as server:
        standing = _start(server, options.lease, "probe-hasty")
        try:
            for _ in range(options.rounds):
                deaths.append(measure_death(server, options.lease, standing))
                stops.append(measure_stop(server, options.lease))
        finally:
            standing.destroy()
    told = (("from the end of a dead worker's lease to the next start", deaths), ("SIGTERM to exit", stops))
    for words, found in told:
        print(f"{words}: {statistics.median(found):.2f} s, at most {max(found):.2f} s ({len(found)} rounds)")
    print(f"load average {os.getloadavg()[0]:.0f}")


if __name__ == "__main__":
    main()
