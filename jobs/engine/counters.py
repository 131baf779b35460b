"""Counters of one worker for Prometheus, served at `--metrics-port`. Nothing names a tenant."""

from dataclasses import dataclass
from functools import cache
from threading import Thread
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

REGISTRY = CollectorRegistry()
_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900)

CLAIMED = Counter("archiv_worker_claimed", "Jobs claimed.", ["type"], registry=REGISTRY)
FINISHED = Counter("archiv_worker_finished", "Attempts that succeeded.", ["type"], registry=REGISTRY)
FAILED = Counter(
    "archiv_worker_failed",
    "Attempts that failed; status queued: the job runs again.",
    ["type", "kind", "status"],
    registry=REGISTRY,
)
RELEASED = Counter("archiv_worker_released", "Jobs given back unfinished.", ["type"], registry=REGISTRY)
LOST = Counter("archiv_worker_leases_lost", "Attempts that lost their lease.", ["type"], registry=REGISTRY)
REAPED = Counter(
    "archiv_worker_reaped", "Jobs taken away from workers that renewed no more.", ["type"], registry=REGISTRY
)
CHILDREN_ENDED = Counter(
    "archiv_worker_children_ended", "Children that died at a job, by reason.", ["reason"], registry=REGISTRY
)
RECONNECTED = Counter(
    "archiv_worker_database_lost", "Connections to the database that were lost.", registry=REGISTRY
)
WAITED = Histogram(
    "archiv_worker_wait_seconds", "From due to claimed.", ["type"], buckets=_SECONDS, registry=REGISTRY
)
RAN = Histogram(
    "archiv_worker_run_seconds", "From handed out to finished.", ["type"], buckets=_SECONDS, registry=REGISTRY
)
CLAIM = Histogram(
    "archiv_worker_claim_seconds",
    "Time of one claim statement.",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1),
    registry=REGISTRY,
)
SLOTS = Gauge("archiv_worker_slots", "Slots of this worker.", registry=REGISTRY)
BUSY = Gauge("archiv_worker_busy", "Children that are at a job.", registry=REGISTRY)


@dataclass(frozen=True)
class TypeCounters:
    """The counters of one type that every job passes."""

    claimed: Counter
    finished: Counter
    waited: Histogram
    ran: Histogram


@cache
def of_type(name: str) -> TypeCounters:
    """Return them, looked up once: the look-up costs more than the counting."""
    return TypeCounters(CLAIMED.labels(name), FINISHED.labels(name), WAITED.labels(name), RAN.labels(name))


def serve_counters(address: str, port: int) -> tuple[WSGIServer, Thread]:
    """Serve the counters over HTTP from a thread; port 0 takes a free one."""
    return start_http_server(port, addr=address, registry=REGISTRY)
