"""What the API shows of jobs says nothing of how many all tenants have."""

import base64
import json
import uuid
import zlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from jobs import selectors
from jobs.models import Job
from jobs.numbers import read_number, show_number
from tenants.scope import tenant_scope
from tests.api.conftest import Api
from tests.factories import JobFactory

IDS = some.integers(1, 2**52)


@given(some.uuids(), IDS)
def test_a_number_leads_back_to_its_job(tenant_id: uuid.UUID, job_id: int) -> None:
    number = show_number(tenant_id, job_id)
    assert 1 <= number <= 2**52
    assert read_number(tenant_id, number) == job_id
    assert show_number(tenant_id, read_number(tenant_id, job_id)) == job_id


def test_the_numbers_of_jobs_in_a_row_are_far_apart_and_other_ones_for_each_tenant() -> None:
    tenants = [uuid.uuid4() for _ in range(20)]
    numbers = [show_number(tenant, job_id) for tenant in tenants for job_id in range(1, 101)]
    assert len(set(numbers)) == len(numbers)
    assert min(abs(one - other) for one, other in pairwise(numbers)) > 1000


def test_no_answer_and_no_cursor_names_a_job_by_the_number_of_the_database(
    acme: Api, zeta: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "WINDOW", 2)
    monkeypatch.setattr(selectors, "WINDOWS", 1)
    with tenant_scope(zeta.tenant.id):
        for _ in range(20):
            JobFactory.create(tenant_id=zeta.tenant.id, status="succeeded")
    stored = acme.upload().json()
    with tenant_scope(acme.tenant.id):
        job = Job.objects.get()
    assert stored["job_id"] == show_number(acme.tenant.id, job.pk)
    page = acme.get("/jobs?status=all").json()
    assert [one["id"] for one in page["jobs"]] == [stored["job_id"]]
    place = read_cursor(page["next"])["id"]
    assert place not in range(job.pk - 1000, job.pk + 1000)
    assert acme.get(f"/jobs/{job.pk}").status_code == 404
    assert acme("POST", f"/jobs/{job.pk}/cancel").status_code == 404
    acme("POST", f"/documents/{stored['document_id']}/trash")
    ordered = acme("DELETE", f"/documents/{stored['document_id']}").json()["job_id"]
    assert acme.get(f"/jobs/{ordered}").json()["type"] == "purge-document"


def read_cursor(cursor: str) -> dict[str, int]:
    """Return what anybody can read in a cursor."""
    value = cursor.partition(":")[0]
    packed = value.startswith(".")
    raw = base64.urlsafe_b64decode(value.lstrip(".") + "===")
    return dict(json.loads(zlib.decompress(raw) if packed else raw))
