"""Counters of one worker for Prometheus, served at `--metrics-port`. Nothing names a tenant."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate
from threading import Thread
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

REGISTRY = CollectorRegistry()
_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900)


class _Spread:
    """How many of one type took how long."""

    def __init__(self) -> None:
        self.counts = [0] * (len(_SECONDS) + 1)
        self.sum = 0.0


class Durations(Collector):
    """What every job passes: seconds by type, and how many there were.

    Written by the dispatcher's thread alone, and so without the lock that the library's own take for each
    job: a scrape may miss the job that is being counted.
    """

    def __init__(self, name: str, words: str, *, counter: str, counter_words: str) -> None:
        self._names = (name, words, counter, counter_words)
        self._spreads: dict[str, _Spread] = {}
        REGISTRY.register(self)

    def add(self, type: str, seconds: Iterable[float]) -> None:
        """Count one job of this type for each."""
        spread = self._spreads.get(type)
        if spread is None:
            spread = self._spreads[type] = _Spread()
        counts = spread.counts
        for one in seconds:
            counts[bisect_left(_SECONDS, one)] += 1
            spread.sum += one

    def collect(self) -> Iterator[Metric]:
        """Tell what was counted."""
        name, words, counter, counter_words = self._names
        durations = HistogramMetricFamily(name, words, labels=["type"])
        number = CounterMetricFamily(counter, counter_words, labels=["type"])
        bounds = [*map(str, map(float, _SECONDS)), "+Inf"]
        for type_name, spread in list(self._spreads.items()):
            sums = list(accumulate(spread.counts))
            durations.add_metric([type_name], list(zip(bounds, sums, strict=True)), spread.sum)
            number.add_metric([type_name], sums[-1])
        yield durations
        yield number


WAITED = Durations(
    "archiv_worker_wait_seconds",
    "From due to claimed.",
    counter="archiv_worker_claimed",
    counter_words="Jobs claimed.",
)
RAN = Durations(
    "archiv_worker_run_seconds",
    "From handed out to finished.",
    counter="archiv_worker_finished",
    counter_words="Attempts that succeeded.",
)
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
CLAIM = Histogram(
    "archiv_worker_claim_seconds",
    "Time of one claim statement.",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1),
    registry=REGISTRY,
)
SLOTS = Gauge("archiv_worker_slots", "Slots of this worker.", registry=REGISTRY)
BUSY = Gauge("archiv_worker_busy", "Children that are at a job.", registry=REGISTRY)


def serve_counters(address: str, port: int) -> tuple[WSGIServer, Thread]:
    """Serve the counters over HTTP from a thread; port 0 takes a free one."""
    return start_http_server(port, addr=address, registry=REGISTRY)
