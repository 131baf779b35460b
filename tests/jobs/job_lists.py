"""The lists of jobs, as tests ask for them, and jobs to be listed."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from jobs.models import Job
from tenants.models import Tenant
from tenants.scope import operator_scope
from tests.factories import JobFactory

JOBS = "/admin/jobs/job/"
FAILED = "/admin/jobs/failedjob/"


def make_job(tenant: Tenant, **values: Any) -> Job:
    with operator_scope():
        job: Job = JobFactory.create(tenant=tenant, **values)
    return job


def make_failed(tenant: Tenant, *, minutes_ago: float = 1, **values: Any) -> Job:
    given = {
        "status": "failed",
        "failure_kind": "error",
        "error_message": "the page is torn",
        "finished_at": timezone.now() - timedelta(minutes=minutes_ago),
        "retry_count": 5,
    }
    return make_job(tenant, **given | values)


def shown(client: Client, address: str, **parameters: str) -> list[int]:
    """Return the numbers of the jobs that a list shows, in its order."""
    response = client.get(address, parameters)
    assert response.status_code == 200, response.headers.get("Location")
    return [row.pk for row in response.context["cl"].result_list]


def follow(client: Client, address: str, query: str) -> Any:
    return client.get(address + query).context["cl"]
