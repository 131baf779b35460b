"""How long a light tenant waits beside heavy ones, and who gets the workers' time, beside peers.

Jobs sleep for the time they are said to take, so that a machine of any size shows what the choice does. Each
system has two slots. A light tenant enqueues one job after the other while the backlogs of the heavy last.
"""

import os
import sys

# As a script, this folder would come first, and its queue.py be taken for the standard library's.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.settings")

import argparse  # noqa: E402
import json  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import uuid  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import django  # noqa: E402

django.setup()

from benchmarks import server  # noqa: E402
from benchmarks.peering import ensure_peers  # noqa: E402
from benchmarks.reporting import percentiles  # noqa: E402
from benchmarks.systems import PEER_PYTHON, PEERS, ROOT, Archiv, Peer, System  # noqa: E402

_SLOTS = 2
_LOAD = """
    INSERT INTO jobs_job (tenant_id, type, payload, home_lane, lane, next_attempt_at)
    SELECT %(tenant)s::uuid, 'bench-note', %(payload)s::jsonb, 1, 1, statement_timestamp()
    FROM generate_series(1, %(number)s)
"""


@dataclass(frozen=True)
class Scenario:
    """Who has how many jobs of how many seconds; the light tenant's jobs take `light_seconds`, 0: none."""

    name: str
    heavy: dict[str, tuple[float, int]]
    light_seconds: float = 0.0
    #: Seconds between two jobs of the light tenant: with 100 others its share is a hundredth of two slots.
    pause: float = 0.1
    weights: dict[str, float] | None = None
    workers: int = 1
    window: float = 8.0
    #: Whether first-in-first-out peers can be asked at all: they know no tenants and no weights.
    peers: bool = True


SCENARIOS = [
    Scenario("equal", {"heavy": (0.05, 20_000)}, 0.05),
    # Its share is one job in 2.5 s where the slots are never idle: who asks for more waits for it.
    Scenario("heavy_100", {f"heavy{n}": (0.05, 500) for n in range(100)}, 0.05, 5.0, window=50, peers=False),
    Scenario("heavy_20x", {"heavy": (0.2, 20_000)}, 0.01),
    Scenario(
        "heavy_20x_100", {f"heavy{n}": (0.2, 10_000) for n in range(100)}, 0.01, 1.0, window=15, peers=False
    ),
    Scenario("both_1_1", {"a": (0.02, 5_000), "b": (0.2, 5_000)}, window=30, peers=False),
    Scenario("both_3_1", {"a": (0.02, 5_000), "b": (0.2, 5_000)}, weights={"a": 3.0}, window=30, peers=False),
    Scenario("two_workers", {"heavy": (0.2, 20_000)}, 0.01, workers=2, peers=False),
]


def tenant_of(who: str) -> str:
    """Return the id of a tenant."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, who))


def load_archiv(system: System, scenario: Scenario) -> None:
    """Queue the backlogs and set the weights."""
    with server.connect(system.database) as connection, connection.transaction():
        connection.execute("SET LOCAL archiv.operator = 'on'")
        for who, weight in (scenario.weights or {}).items():
            connection.execute(
                "INSERT INTO jobs_tenantqueue (tenant_id, weight) VALUES (%s, %s)", [tenant_of(who), weight]
            )
        for who, (seconds, number) in scenario.heavy.items():
            payload = json.dumps({"who": who, "sent": 0, "seconds": seconds})
            fields = {"tenant": tenant_of(who), "payload": payload, "number": number}
            connection.execute(_LOAD, fields)


def load_peer(system: System, scenario: Scenario) -> None:
    """Queue the backlogs by the peer's own means: as many jobs as it could do in three windows."""
    for who, (seconds, number) in scenario.heavy.items():
        enough = min(number, int(3 * 2 * scenario.window / seconds / len(scenario.heavy)) + 5)
        script = PEERS / system.script if isinstance(system, Peer) else PEERS
        command = [str(PEER_PYTHON), str(script), "backlog", who, str(seconds), str(enough)]
        subprocess.run(command, cwd=ROOT, env=system.environment(), check=True)


def wait_for_first_turns(notes: Path, scenario: Scenario) -> None:
    """Return once all who came first have had a turn: until then they go before whoever comes later."""
    until = time.monotonic() + 60 + 5 * sum(seconds for seconds, _ in scenario.heavy.values())
    begun: set[str] = set()
    while not begun >= set(scenario.heavy):
        if time.monotonic() > until:
            raise RuntimeError(f"{scenario.name}: only {len(begun)} of {len(scenario.heavy)} had a turn")
        time.sleep(0.5)
        begun = {line.split()[0].removeprefix("ended:") for line in notes.read_text().splitlines()}
    time.sleep(2.0)


def run(system: System, scenario: Scenario) -> dict[str, Any]:
    """Run one scenario with one system; returns waits of the light tenant and shares of the others' time."""
    notes = Path(os.environ["BENCH_NOTES"])
    notes.write_text("")
    system.prepare()
    try:
        (load_archiv if isinstance(system, Archiv) else load_peer)(system, scenario)
        server.settle(system.database)
        system.start()
        wait_for_first_turns(notes, scenario)
        began = time.time()
        lights = 0
        if scenario.light_seconds:
            lights = int(scenario.window / scenario.pause)
            system.trickle(lights, scenario.pause, seconds=scenario.light_seconds)
            time.sleep(2.0)
        else:
            time.sleep(scenario.window)
        ended = time.time()
    finally:
        system.stop()
        server.drop_database(system.database)
    waits, used = [], dict.fromkeys(scenario.heavy, 0.0)
    for line in notes.read_text().splitlines():
        who, sent, started, last = line.split()
        if who == "light":
            waits.append(1000 * (float(started) - float(sent)))
        elif (worked := who.removeprefix("ended:")) in used and worked != who:
            # By what jobs really took: the time that was asked for is not what their tenant is charged with.
            used[worked] += max(0.0, min(ended, float(last)) - max(began, float(started)))
    found: dict[str, Any] = {}
    if lights:
        found["light_started"] = f"{len(waits)}/{lights}"
        found["light_ms"] = percentiles(waits) if waits else None
    if len(used) <= 2 and sum(used.values()):
        found["shares"] = {who: round(one / sum(used.values()), 4) for who, one in used.items()}
    return found


def measure(scenarios: list[Scenario], peers: list[Peer], *, rounds: int) -> dict[str, Any]:
    """Run the scenarios in turn, in each the systems in turn, so often; returns medians by scenario."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    with tempfile.NamedTemporaryFile(prefix="archiv-bench-") as notes:
        os.environ["BENCH_NOTES"] = notes.name
        for number in range(rounds):
            for scenario in scenarios:
                archiv = Archiv("archiv", 0, "", "fair", slots=_SLOTS, workers=scenario.workers)
                for system in (archiv, *(peers if scenario.peers else ())):
                    one = run(system, scenario)
                    found.setdefault((scenario.name, system.name), []).append(one)
                    line = f"{number + 1}/{rounds} {scenario.name}, {system.name}: {json.dumps(one)}"
                    print(line, file=sys.stderr)
    report = {scenario.name: medians(found[scenario.name, "archiv"]) for scenario in scenarios}
    for scenario in scenarios:
        if peers and scenario.peers:
            beside = {peer.name: medians(found[scenario.name, peer.name]) for peer in peers}
            report[scenario.name]["peers"] = beside
    return report


def medians(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the medians of a scenario's rounds; of jobs that started, the sums."""
    report: dict[str, Any] = {}
    if counts := [one["light_started"].split("/") for one in found if "light_started" in one]:
        report["light_started"] = "/".join(str(sum(map(int, each))) for each in zip(*counts, strict=True))
        report["light_ms"] = median_of([one["light_ms"] for one in found if one["light_ms"]], digits=1)
    if shares := [one["shares"] for one in found if "shares" in one]:
        report["shares"] = median_of(shares, digits=4)
    return report


def median_of(found: list[dict[str, float]], *, digits: int) -> dict[str, float] | None:
    """Return the median of each figure; None without any."""
    if not found:
        return None
    return {name: round(statistics.median(one[name] for one in found), digits) for name in found[0]}


def main() -> None:
    """Parse the command line and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which medians are taken")
    parser.add_argument(
        "--peers", default="procrastinate,pgqueuer", help="peers to measure beside; '' for none"
    )
    parser.add_argument("--scenarios", help="only these: " + ", ".join(one.name for one in SCENARIOS))
    parser.add_argument("--json", action="store_true", help="print the report as JSON alone")
    options = parser.parse_args()
    names = options.scenarios.split(",") if options.scenarios else [one.name for one in SCENARIOS]
    peers = [
        Peer("pgqueuer", 0, "", "fair", script="pgqueuer_peer.py"),
        Peer("procrastinate", 0, "", "fair", script="procrastinate_peer.py"),
    ]
    chosen = [one for one in peers if one.name in options.peers.split(",")]
    if chosen:
        ensure_peers()
    server.ensure_server()
    os.environ |= {"BENCH_SLOTS": str(_SLOTS), "BENCH_BATCH": "1", "BENCH_AT_ONCE": str(_SLOTS)}
    wanted = [one for one in SCENARIOS if one.name in names]
    report = measure(wanted, chosen, rounds=options.rounds)
    print(json.dumps({"scenarios": report}, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
