"""Figures of the queue for Prometheus, from the newest sample: nothing is counted, no tenant is named."""

import logging
from collections.abc import Iterable

from django.db import Error
from django.db.models import F
from django.db.models.functions import Now
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from jobs.models import QueueSample

log = logging.getLogger(__name__)


class QueueCollector(Collector):
    """Turns the newest QueueSample into gauges.

    Without a sample, or while the database is away, there are none: better no figure than an old one shown as
    new. How old the sample is stands beside the figures, so that an alert can tell that sampling has stopped.
    """

    def describe(self) -> Iterable[Metric]:
        """Return the gauges without values: registering them asks no database."""
        return _families().values()

    def collect(self) -> Iterable[Metric]:
        """Return the gauges as the newest sample has them."""
        families = _families()
        try:
            sample = QueueSample.objects.annotate(age=Now() - F("sampled_at")).order_by("-sampled_at").first()
        except Error as error:
            log.warning("no figures of the queue: %s", error)
            return []
        if sample is None:
            return []
        for job_type, statuses in sorted(sample.counts.items()):
            for status, number in sorted(statuses.items()):
                families["jobs"].add_metric([job_type, status], number)
        families["running"].add_metric([], sample.running)
        families["oldest"].add_metric([], sample.oldest_due_seconds)
        families["approximate"].add_metric([], float(sample.approximate))
        families["age"].add_metric([], max(0.0, sample.age.total_seconds()))
        return families.values()


def _families() -> dict[str, GaugeMetricFamily]:
    return {
        "jobs": GaugeMetricFamily("archiv_jobs", "Jobs by type and status.", labels=["type", "status"]),
        "running": GaugeMetricFamily("archiv_jobs_running", "Jobs that run at this moment."),
        "oldest": GaugeMetricFamily(
            "archiv_jobs_oldest_due_seconds", "How long the oldest due job has waited; 0 with none due."
        ),
        "approximate": GaugeMetricFamily(
            "archiv_jobs_approximate", "1 where a number in archiv_jobs is an estimate."
        ),
        "age": GaugeMetricFamily(
            "archiv_queue_sample_age_seconds", "Age of the sample that these figures come from."
        ),
    }


_registry = CollectorRegistry()
_registry.register(QueueCollector())


def queue_figures() -> bytes:
    """Return the figures of the queue in the text format of Prometheus."""
    return generate_latest(_registry)
