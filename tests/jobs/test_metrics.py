"""The figures of the queue that Prometheus reads."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from jobs.metrics import queue_figures
from jobs.models import QueueSample
from tenants.scope import operator_scope
from tests.factories import JobFactory, TenantFactory
from tests.operators import counting, recorded

pytestmark = pytest.mark.django_db


def test_figures_come_from_the_newest_sample_only() -> None:
    QueueSample.objects.create(
        sampled_at=timezone.now() - timedelta(seconds=15), counts={"probe": {"queued": 99}}, running=9
    )
    QueueSample.objects.create(
        counts={"probe": {"queued": 3, "failed": 1}, "analyze-document": {"succeeded": 1_000_000}},
        running=2,
        oldest_due_seconds=12.5,
        approximate=True,
    )
    lines = queue_figures().decode().splitlines()
    assert 'archiv_jobs{status="queued",type="probe"} 3.0' in lines
    assert 'archiv_jobs{status="succeeded",type="analyze-document"} 1e+06' in lines
    assert "archiv_jobs_running 2.0" in lines
    assert "archiv_jobs_oldest_due_seconds 12.5" in lines
    assert "archiv_jobs_approximate 1.0" in lines


def test_the_age_of_the_sample_stands_beside_its_figures() -> None:
    QueueSample.objects.create(sampled_at=timezone.now() - timedelta(seconds=600))
    (line,) = [
        line for line in queue_figures().decode().splitlines() if line.startswith("archiv_queue_sample_age")
    ]
    assert 599 < float(line.split()[1]) < 700


def test_without_a_sample_there_are_no_figures() -> None:
    assert queue_figures() == b""


def test_a_scrape_reads_one_row_counts_nothing_and_names_no_tenant(client: Client) -> None:
    tenant = TenantFactory.create(name="Kanzlei Weiß")
    with operator_scope():
        JobFactory.create(tenant=tenant)
    QueueSample.objects.create(counts={"probe": {"queued": 1}}, running=0)
    with recorded() as statements:
        response = client.get("/metrics")
    text = response.content.decode()
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain")
    assert 'archiv_jobs{status="queued",type="probe"} 1.0' in text
    assert "django_http_requests" in text
    assert str(tenant.pk) not in text
    assert "Weiß" not in text
    assert len(statements) == 1
    assert counting(statements) == []
