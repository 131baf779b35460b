"""Chaos: real workers do jobs that each write one row, while a seeded adversary breaks whatever it can reach.

A PostgreSQL of its own, workers each behind a network of its own, faults of many kinds, several at a time. At
the end every job must have had its effect exactly once. Exits with 1 if not.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for _name in ("DATABASE_URL", "ARCHIV_APP_DATABASE_URL", "ARCHIV_QUEUE_DATABASE_URL", "ARCHIV_ROLE_PREFIX"):
    os.environ.pop(_name, None)
_FOLDER = Path(tempfile.mkdtemp(prefix="archiv-chaos-", dir="/tmp")).resolve()
_FOLDER.chmod(0o755)
os.environ |= {
    "DJANGO_SETTINGS_MODULE": "tests.processes.settings",
    "ARCHIV_VAR_ROOT": str(_FOLDER / "var"),
    # Whatever the adversary does to a job, it must not run out of retries: all are to succeed.
    "ARCHIV_MAX_RETRIES": "100",
    "ARCHIV_POLL_SECONDS": "0.3",
}

import argparse  # noqa: E402
import json  # noqa: E402
import random  # noqa: E402
import shutil  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
from collections import Counter, defaultdict  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from concurrent.futures import ThreadPoolExecutor  # noqa: E402
from contextlib import contextmanager  # noqa: E402
from dataclasses import asdict  # noqa: E402

import django  # noqa: E402
import psycopg  # noqa: E402

django.setup()

from rich.console import Console  # noqa: E402
from rich.progress import Progress  # noqa: E402
from rich.table import Table  # noqa: E402

from archiv import embedded  # noqa: E402
from archiv.embedded_place import find_place  # noqa: E402
from benchmarks.chaos_faults import FAULTS, Fault, Scene  # noqa: E402
from benchmarks.chaos_world import Books, Server, Slot, World, read_books, read_outcomes, read_stuck  # noqa: E402
from jobs import registry  # noqa: E402

_AT_ONCE = 8


class Adversary:
    """Injects faults, several at once but never two into one worker, and sees how long each was felt."""

    def __init__(self, world: World, chance: random.Random, pause: float) -> None:
        self._world = world
        self._chance = chance
        self._pause = pause
        self._free = list(world.slots)
        self._lock = threading.Lock()
        self._open: list[tuple[str, float, set[tuple[int, int]]]] = []
        self._over = threading.Event()
        self.faults: Counter[str] = Counter()
        self.recovery: dict[str, list[float]] = defaultdict(list)
        #: The least and the most that the load average of the last minute ever was.
        self.load: list[float] = [os.getloadavg()[0]] * 2
        #: What went wrong with the faults themselves.
        self.errors: list[str] = []

    def run(self, seconds: float, progress: Progress) -> None:
        """Go on for so long."""
        bar = progress.add_task("", total=seconds)
        watching = threading.Thread(target=self._watch)
        watching.start()
        began, kinds = time.monotonic(), self._kinds()
        room = threading.Semaphore(_AT_ONCE)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            while (passed := time.monotonic() - began) < seconds:
                room.acquire()
                pool.submit(self._inject, next(kinds), self._chance.random()).add_done_callback(
                    lambda _: room.release()
                )
                told = f"{self.faults.total()} faults, {len(self._world.enqueued):,} jobs"
                progress.update(bar, completed=passed, description=told)
                load = os.getloadavg()[0]
                self.load = [min(self.load[0], load), max(self.load[1], load)]
                time.sleep(self._chance.expovariate(1 / self._pause))
        self._over.set()
        watching.join()
        progress.update(bar, completed=seconds)

    def _kinds(self) -> Iterator[Fault]:
        """Return kinds for ever: first each once, then by weight."""
        rounds = list(FAULTS)
        while True:
            self._chance.shuffle(rounds)
            yield from rounds
            rounds = [fault for fault in FAULTS for _ in range(fault.weight)]

    def _inject(self, fault: Fault, seed: float) -> None:
        chance = random.Random(seed)
        # What meets all workers needs none of its own.
        slot = self._world.slots[0] if fault.everywhere else self._take_slot(chance)
        if slot is None:
            return
        try:
            held = self._running(None if fault.everywhere else slot)
            began = time.monotonic()
            if fault.inject(Scene(self._world, slot, chance)):
                with self._lock:
                    self.faults[fault.kind] += 1
                    if held:
                        self._open.append((fault.kind, began, held))
        except Exception as error:  # noqa: BLE001  the others go on, and the report names it
            self.errors.append(f"{fault.kind}: {type(error).__name__}: {error}")
        finally:
            if not fault.everywhere:
                with self._lock:
                    self._free.append(slot)

    def _take_slot(self, chance: random.Random) -> Slot | None:
        with self._lock:
            return self._free.pop(chance.randrange(len(self._free))) if self._free else None

    def _running(self, slot: Slot | None) -> set[tuple[int, int]]:
        like = slot.name_like if slot is not None else "%"
        sql = "SELECT id, lease FROM jobs_job WHERE status = 'processing' AND worker LIKE %s"
        return set(self._world.server.ask(sql, [like]))

    def _watch(self) -> None:
        """A fault is over when none of the attempts that it met is still under way."""
        while not self._over.wait(0.2):
            with self._lock:
                waiting = list(self._open)
            if not waiting:
                continue
            try:
                running = self._running(None)
            except psycopg.OperationalError:
                continue  # away for minutes
            now = time.monotonic()
            for one in waiting:
                kind, began, held = one
                if not held & running:
                    with self._lock:
                        self._open.remove(one)
                        self.recovery[kind].append(now - began)


@contextmanager
def opened_world(workers: int) -> Iterator[World]:
    """Make a server with archiv's tables, and workers; nothing of them is left at the end."""
    place = find_place(_FOLDER / "var")
    embedded.ensure(place)
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "-v0"],
        cwd=sys.path[0],
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "archiv.test_settings"},
        check=True,
    )
    registry.autodiscover()
    world = World(Server(place), workers)
    try:
        world.begin()
        yield world
    finally:
        world.close()


def measure(world: World, seed: int, minutes: float, pause: float, console: Console) -> dict[str, object]:
    """Break things for so long and return the report."""
    adversary, server = Adversary(world, random.Random(seed), pause), world.server
    with Progress(console=console) as progress:
        adversary.run(minutes * 60, progress)
    world.stop_enqueueing()
    world.wait_until_done(300)
    seen = {
        "outcomes": read_outcomes(server),
        "stuck_jobs": read_stuck(server),
        "server_hung": server.hung,
        "seed": seed,
        "minutes": minutes,
    }
    return report(adversary, world, read_books(server, world.enqueued)) | seen


def report(adversary: Adversary, world: World, books: Books) -> dict[str, object]:
    """Return everything as the report has it."""
    recovery = {
        kind: {
            "p50": round(statistics.median(seconds), 2),
            "max": round(max(seconds), 2),
            "faults": len(seconds),
        }
        for kind, seconds in sorted(adversary.recovery.items())
    }
    return {
        "faults": dict(sorted(adversary.faults.items())),
        **asdict(books),
        "recovery_s": recovery,
        "load_average": [round(load, 1) for load in adversary.load],
        "workers_died": world.died,
        "errors": adversary.errors,
    }


def show(found: dict[str, object], console: Console) -> None:
    """Print the report as tables."""
    faults, recovery = found["faults"], found["recovery_s"]
    assert isinstance(faults, dict)
    assert isinstance(recovery, dict)
    table = Table(
        "kind of fault", "times", "felt s, p50", "felt s, most", title=f"{sum(faults.values())} faults"
    )
    for kind, times in faults.items():
        felt = recovery.get(kind, {})
        table.add_row(kind.replace("_", " "), str(times), str(felt.get("p50", "")), str(felt.get("max", "")))
    console.print(table)
    books = Table("jobs", "attempts", "lost", "effects twice", "effects unfinished", "stuck", "workers died")
    names = ("jobs", "attempts", "lost", "effects_twice", "effects_unfinished", "stuck")
    died = found["workers_died"]
    assert isinstance(died, list)
    books.add_row(*(f"{found[name]:,}" for name in names), str(len(died)))
    console.print(books)


def main() -> int:
    """Run once; 1 if a job was lost, done twice, half done or left lying, or a worker died by itself."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1, help="of the adversary's choices (default: 1)")
    parser.add_argument("--minutes", type=float, default=1.0, help="for which it goes on (default: 1)")
    parser.add_argument("--workers", type=int, default=4, help="real workers of two slots each (default: 4)")
    parser.add_argument(
        "--pause", type=float, default=0.5, help="seconds between two faults, in the mean (default: 0.5)"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON, and no tables")
    options = parser.parse_args()
    console = Console(stderr=True)
    try:
        with opened_world(options.workers) as world:
            found = measure(world, options.seed, options.minutes, options.pause, console)
            # At once: whatever goes wrong while all this is ended, the report is there.
            if options.json:
                print(json.dumps(found, indent=1), flush=True)
            else:
                show(found, Console())
    finally:
        embedded.stop(find_place(_FOLDER / "var"))
        shutil.rmtree(_FOLDER, ignore_errors=True)
    wrong = ("lost", "effects_twice", "effects_unfinished", "stuck", "workers_died", "errors")
    return 1 if any(found[name] for name in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
