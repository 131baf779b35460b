"""The faults that an adversary injects: each is a function that does it and undoes it, under its name."""

import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

import psycopg
from django.db import Error, connections

from archiv.embedded_place import BOOTSTRAP_ROLE
from archiv.embedded_tools import server_pid
from benchmarks.chaos_world import LEASE, Slot, World, stop_server
from jobs.scope import all_rows, tenant_rows
from jobs.services import cancel_jobs, requeue_jobs, set_queue
from tests.processes.workers import wait_gone

_SERVER_SECONDS, _OUTAGE_SECONDS = 3.0, 5.0


@dataclass(frozen=True)
class Scene:
    """What one fault may break, and by what chance it chooses."""

    world: World
    slot: Slot
    chance: Random


#: Injects one fault; False: there was nothing to break.
Inject = Callable[[Scene], bool]


@dataclass(frozen=True)
class Fault:
    """One kind of fault. `weight`: how often it comes in a round; `everywhere`: it meets all workers."""

    kind: str
    inject: Inject
    weight: int
    everywhere: bool


FAULTS: list[Fault] = []


def fault(*, weight: int, everywhere: bool = False) -> Callable[[Inject], Inject]:
    """Add the decorated function, under its own name."""

    def add(inject: Inject) -> Inject:
        FAULTS.append(Fault(inject.__name__, inject, weight, everywhere))
        return inject

    return add


# --- Processes


def _signal(pids: Iterable[int], number: int) -> bool:
    reached = False
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
            reached = True
    return reached


def _freeze(pids: list[int], seconds: float) -> bool:
    try:
        reached = _signal(pids, signal.SIGSTOP)
        time.sleep(seconds)
    finally:
        _signal(reversed(pids), signal.SIGCONT)
    return reached


def _child(slot: Slot, chance: Random) -> list[int]:
    """Return one child that runs handlers; none while its worker starts."""
    try:
        children = slot.worker.children() if slot.worker else []
    except ValueError:
        return []
    return [chance.choice(sorted(children))] if children else []


def _replace(slot: Slot, end: Callable[[], object], **environment: str) -> bool:
    """End a worker and start another in its place; whatever outlives it is an error of ours.

    Only one that is ready: on a slow machine none would ever come to that, and nothing be at work to break.
    """
    worker = slot.worker
    if worker is None or not worker.lines or worker.process.poll() is not None:
        return False
    slot.is_ending = True
    family = worker.family()
    try:
        end()
        worker.wait_exit(90)
        left = wait_gone(family, 10)
        if left:
            raise RuntimeError(f"processes outlived their worker: {left}")
    finally:
        worker.destroy()
        slot.start(**environment)
    return True


@fault(weight=4)
def worker_killed(scene: Scene) -> bool:
    return _replace(scene.slot, lambda: scene.slot.worker and scene.slot.worker.kill())


@fault(weight=2)
def worker_stopped(scene: Scene) -> bool:
    return _replace(scene.slot, lambda: scene.slot.worker and scene.slot.worker.kill(signal.SIGTERM))


@fault(weight=2)
def worker_stopped_at_once(scene: Scene) -> bool:
    def end() -> None:
        assert scene.slot.worker is not None
        for number in (signal.SIGTERM, signal.SIGINT):
            scene.slot.worker.kill(number)
            time.sleep(0.1)

    return _replace(scene.slot, end)


@fault(weight=2)
def worker_with_a_wrong_clock(scene: Scene) -> bool:
    """From here on, until it is replaced, its worker is ten minutes early or late."""
    offset = scene.chance.choice(["600", "-600"])
    return _replace(
        scene.slot, lambda: scene.slot.worker and scene.slot.worker.kill(), TEST_CLOCK_OFFSET=offset
    )


@fault(weight=2)
def worker_frozen(scene: Scene) -> bool:
    return _freeze(scene.slot.worker.family() if scene.slot.worker else [], 1.5 * LEASE)


@fault(weight=2)
def dispatcher_frozen(scene: Scene) -> bool:
    return _freeze([scene.slot.worker.pid] if scene.slot.worker else [], 1.5 * LEASE)


@fault(weight=8)
def child_killed(scene: Scene) -> bool:
    return _signal(_child(scene.slot, scene.chance), signal.SIGKILL)


@fault(weight=8)
def child_crashed(scene: Scene) -> bool:
    return _signal(_child(scene.slot, scene.chance), signal.SIGSEGV)


@fault(weight=4)
def child_frozen(scene: Scene) -> bool:
    return _freeze(_child(scene.slot, scene.chance), 2.0)


@fault(weight=4)
def template_killed(scene: Scene) -> bool:
    """A worker that cannot even start its template ends with that message: this is one that has."""
    worker = scene.slot.worker
    if worker is None or not worker.lines:
        return False
    try:
        return _signal([worker.template()], signal.SIGKILL)
    except ValueError:
        return False


# --- Sessions


def _end_sessions(world: World, condition: str, parameters: list[object]) -> bool:
    ended = world.server.ask(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE datname = 'archiv' AND pid <> pg_backend_pid() AND pid IN"
        f" (SELECT pid FROM pg_stat_activity WHERE {condition} ORDER BY random() LIMIT 1)",
        parameters,
    )
    return bool(ended[0][0])


@fault(weight=6)
def dispatcher_session_ended(scene: Scene) -> bool:
    return _end_sessions(scene.world, "application_name = %s", ["archiv dispatcher"])


@fault(weight=6)
def heartbeat_session_ended(scene: Scene) -> bool:
    return _end_sessions(scene.world, "application_name = %s", ["archiv heartbeat"])


@fault(weight=4)
def listener_session_ended(scene: Scene) -> bool:
    return _end_sessions(scene.world, "application_name = %s", ["archiv listener"])


@fault(weight=6)
def child_session_ended(scene: Scene) -> bool:
    return _end_sessions(
        scene.world, "application_name = %s AND backend_start < now() - interval '1 s'", ["archiv app"]
    )


@fault(weight=6)
def open_transaction_ended(scene: Scene) -> bool:
    """Wait for a child in the middle of its finishing, and end its session there."""
    end = time.monotonic() + 3
    while time.monotonic() < end:
        if _end_sessions(scene.world, "application_name = %s AND xact_start IS NOT NULL", ["archiv app"]):
            return True
        time.sleep(0.01)
    return False


# --- Networks


@fault(weight=8)
def network_reset(scene: Scene) -> bool:
    return scene.slot.proxy.reset() > 0


@fault(weight=4)
def network_slow(scene: Scene) -> bool:
    scene.slot.proxy.delay = 0.2
    time.sleep(2)
    scene.slot.proxy.delay = 0.0
    return True


@fault(weight=2)
def network_black_hole(scene: Scene) -> bool:
    scene.slot.proxy.swallow()
    time.sleep(_OUTAGE_SECONDS)
    scene.slot.proxy.let_through()
    return True


@fault(weight=4)
def network_refuses(scene: Scene) -> bool:
    scene.slot.proxy.refuses = True
    scene.slot.proxy.reset()
    time.sleep(1)
    scene.slot.proxy.refuses = False
    return True


@fault(weight=6)
def answers_lost(scene: Scene) -> bool:
    """The server does what it is asked, but its answers do not come, and then the connections break."""
    scene.slot.proxy.is_mute = True
    time.sleep(0.4)
    scene.slot.proxy.reset()
    scene.slot.proxy.is_mute = False
    return True


# --- The server: seldom, for while it is away nothing is at work that could be broken


@fault(weight=1, everywhere=True)
def server_stopped(scene: Scene) -> bool:
    stop_server(scene.world.server, scene.world.server.stop, _SERVER_SECONDS)
    return True


@fault(weight=1, everywhere=True)
def server_killed(scene: Scene) -> bool:
    pid = server_pid(scene.world.server.place)
    if pid is not None:
        stop_server(scene.world.server, lambda: _signal([pid], signal.SIGQUIT), _SERVER_SECONDS)
    return pid is not None


@fault(weight=1, everywhere=True)
def backend_crashed(scene: Scene) -> bool:
    """One process of the server dies, and the server ends all sessions and recovers."""
    with scene.world.server.lock:
        rows = scene.world.server.ask(
            "SELECT pid FROM pg_stat_activity WHERE application_name ~ '^archiv ' ORDER BY random() LIMIT 1"
        )
        return _signal((row[0] for row in rows), signal.SIGKILL)


# --- Rows


@fault(weight=2, everywhere=True)
def running_rows_locked(scene: Scene) -> bool:
    """A slow transaction of somebody else keeps the rows of all running jobs."""
    with (
        suppress(psycopg.OperationalError),
        psycopg.connect(
            host=str(scene.world.server.place.run), port=5432, user=BOOTSTRAP_ROLE, dbname="archiv"
        ) as connection,
    ):
        locked = connection.execute(
            "SELECT id FROM jobs_job WHERE status = 'processing' FOR UPDATE SKIP LOCKED"
        ).fetchall()
        time.sleep(1.5)
        return bool(locked)
    return False


def _as_operator(act: Callable[[], object]) -> bool:
    """Call a service as a page does; with the server away that is an error for whoever sits there.

    A deadlock never is: that goes up, into the report.
    """
    try:
        act()
    except Error as error:
        if isinstance(error.__cause__, psycopg.errors.DeadlockDetected):
            raise
        return False
    finally:
        connections.close_all()
    return True


@fault(weight=2, everywhere=True)
def running_job_cancelled(scene: Scene) -> bool:
    """An operator cancels running jobs, and thinks better of it."""
    rows = scene.world.server.ask(
        "SELECT id FROM jobs_job WHERE status = 'processing' ORDER BY random() LIMIT 2"
    )
    ids = [row[0] for row in rows]

    def act() -> None:
        with all_rows():
            cancel_jobs(job_ids=ids)
        with all_rows():
            requeue_jobs(job_ids=ids)

    return bool(ids) and _as_operator(act)


@fault(weight=2, everywhere=True)
def tenant_paused(scene: Scene) -> bool:
    tenant = scene.chance.choice(scene.world.tenants)

    def pause(paused: bool) -> None:
        with tenant_rows(tenant):
            set_queue(tenant_id=tenant, paused=paused)

    done = _as_operator(lambda: pause(True))
    time.sleep(1)
    while not _as_operator(lambda: pause(False)):
        time.sleep(0.5)
    return done
