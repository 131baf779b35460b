"""How many jobs the queue does for a second of processor time, beside its peers, and how soon one starts.

Same server, same run, the systems in turn, medians. Figures of different runs cannot be compared; ratios can.
"""

import os
import sys

# As a script, this folder would come first, and this file be taken for the standard library's `queue`.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.settings")

import argparse  # noqa: E402
import json  # noqa: E402
import statistics  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from dataclasses import dataclass, field, replace  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import django  # noqa: E402

django.setup()

from benchmarks import flat, redis_server, server  # noqa: E402
from benchmarks.peering import ensure_peers  # noqa: E402
from benchmarks.reporting import percentiles  # noqa: E402
from benchmarks.systems import Archiv, System, all_systems  # noqa: E402

# Children that are killed a round.
_CRASHES = 5
_SETTLE_SECONDS = 3.0


@dataclass
class Figures:
    """One system's figures, one of each a round."""

    per_cpu_s: list[float] = field(default_factory=list)
    per_s: list[float] = field(default_factory=list)
    worker_ms: list[float] = field(default_factory=list)
    server_ms: list[float] = field(default_factory=list)
    transactions: list[float] = field(default_factory=list)
    syncs: list[float] = field(default_factory=list)
    #: One a round: percentiles of that round's jobs. What disturbs one round then leaves the others alone.
    latencies_ms: list[dict[str, float]] = field(default_factory=list)
    #: From the death of a child to the start of the next job.
    crashes_ms: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        """Return medians under the names of the report."""
        found: dict[str, Any] = {
            "jobs_per_cpu_s": round(statistics.median(self.per_cpu_s), 1),
            "jobs_per_s": round(statistics.median(self.per_s), 1),
            "worker_cpu_ms_per_job": round(statistics.median(self.worker_ms), 3),
            "server_cpu_ms_per_job": round(statistics.median(self.server_ms), 3),
            "tx_per_job": round(statistics.median(self.transactions), 4),
            "wal_syncs_per_job": round(statistics.median(self.syncs), 4),
        }
        if self.latencies_ms:
            found["latency_ms"] = {
                name: round(statistics.median(one[name] for one in self.latencies_ms), 2)
                for name in ("p50", "p99")
            }
        if self.crashes_ms:
            found["crash_to_next_ms"] = percentiles(self.crashes_ms)
        return found


def drain(system: System, figures: Figures) -> None:
    """Load the queue of idle workers, wait until it is empty, and note what that cost."""
    system.start()
    time.sleep(1.0)
    with server.connect(system.database) as connection, server.connect(system.database) as loading:
        own, pids = (connection, loading), [*system.pids, *system.server_pids]
        # However it is loaded, nothing is done before the clock runs.
        with server.paused(system.pids):
            with loading.transaction():
                system.load(loading, system.jobs)
            time.sleep(1.3)
            before, began = server.usage(connection, pids, measuring=own), time.monotonic()
        polls = 1
        time.sleep(0.05)
        while not system.is_done(connection):
            polls += 1
            time.sleep(0.05)
        seconds = time.monotonic() - began
        # Counters of other backends are published a second late at most.
        cpu = server.usage(connection, pids, measuring=own)
        time.sleep(1.3)
        after = server.usage(connection, pids, measuring=own)
    used, counted, number = cpu.since(before), after.since(before), system.jobs
    figures.per_cpu_s.append(number / (used.worker_s + used.server_s))
    figures.per_s.append(number / seconds)
    figures.worker_ms.append(1000 * used.worker_s / number)
    figures.server_ms.append(1000 * used.server_s / number)
    figures.transactions.append(max(0, counted.transactions - polls) / number)
    figures.syncs.append(counted.syncs / number)


def measure_latency(system: System, figures: Figures, number: int) -> None:
    """Enqueue jobs one by one into an empty queue, and note how long each took to start.

    What was drained before is left to settle: checkpoints and vacuums of it are not what is measured. The
    first job is not counted: it waits for its sender's connection to the database.
    """
    time.sleep(_SETTLE_SECONDS)
    notes = Path(os.environ["BENCH_NOTES"])
    notes.write_text("")
    system.trickle(number + 1, 0.12)
    until = time.monotonic() + 20
    while len(lines := notes.read_text().splitlines()) <= number and time.monotonic() < until:
        time.sleep(0.05)
    rows = sorted([float(sent), float(began)] for _, sent, began, _ in map(str.split, lines))
    figures.latencies_ms.append(percentiles([1000 * (began - sent) for sent, began in rows[1:]]))


def measure_crashes(system: Archiv, figures: Figures, number: int) -> None:
    """Let jobs kill the only child, and note how long after that the next job ran in another one."""
    notes = Path(os.environ["BENCH_NOTES"])
    system.start()
    try:
        for _ in range(number):
            notes.write_text("")
            system.enqueue_crash()
            until = time.monotonic() + 20
            while len(lines := notes.read_text().splitlines()) < 2 and time.monotonic() < until:
                time.sleep(0.05)
            began = {line.split()[0]: float(line.split()[2]) for line in lines}
            figures.crashes_ms.append(1000 * (began["next"] - began["crash"]))
    finally:
        system.stop()


def run(names: list[str], *, rounds: int, scale: float, latency: int) -> dict[str, Any]:
    """Measure the systems in turn; returns the report."""
    chosen = {name: one for name, one in all_systems(scale).items() if name in names}
    figures = {name: Figures() for name in chosen}
    for system in chosen.values():
        system.prepare()
    for number in range(rounds):
        for name, system in chosen.items():
            try:
                drain(system, figures[name])
                if latency and (name == "archiv" or not isinstance(system, Archiv)):
                    measure_latency(system, figures[name], latency)
                if latency and name == "archiv":
                    system.stop()
                    measure_crashes(replace(system, slots=1), figures[name], _CRASHES)
            finally:
                system.stop()
            done = figures[name]
            print(
                f"{number + 1}/{rounds} {name}: {done.per_cpu_s[-1]:.0f} jobs per CPU second", file=sys.stderr
            )
    for system in chosen.values():
        system.close()
    return {"systems": {name: one.summary() for name, one in figures.items()}}


def main() -> None:
    """Parse the command line and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    everybody = list(all_systems(1.0))
    parser.add_argument(
        "--peers", help="measure only these, with commas between them: " + ", ".join(everybody)
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which medians are taken")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the usual number of jobs")
    parser.add_argument("--latency", type=int, default=100, help="single jobs a round; 0: none")
    parser.add_argument("--flat", action="store_true", help="cost of a claim against backlog and history")
    parser.add_argument("--full", action="store_true", help="with --flat: 5 and 10 million jobs too")
    parser.add_argument("--json", action="store_true", help="print the report as JSON alone")
    options = parser.parse_args()
    names = options.peers.split(",") if options.peers else everybody
    if "celery" in names and not redis_server.is_installed():
        print("SKIPPED: celery, for no redis-server is installed.", file=sys.stderr)
        names = [name for name in names if name != "celery"]
    if unknown := set(names) - set(everybody):
        parser.error(f"nothing is known of {', '.join(sorted(unknown))}; there are {', '.join(everybody)}")
    server.ensure_server()
    if options.flat:
        print(json.dumps(flat.run(full=options.full), indent=None if options.json else 2))
        return
    ensure_peers()
    with tempfile.NamedTemporaryFile(prefix="archiv-bench-") as notes:
        os.environ["BENCH_NOTES"] = notes.name
        report = run(names, rounds=options.rounds, scale=options.scale, latency=options.latency)
    print(json.dumps(report, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
