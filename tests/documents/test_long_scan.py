"""A scan of many pages: kept on the way, seen how far it is, gone on with after its worker was killed."""

import io
import json
from collections.abc import Callable, Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from PIL import Image

from documents.models import PageCheckpoint, PageText
from documents.services import StoredDocument
from jobs.models import Job, JobStatus
from jobs.selectors import find_progress
from jobs.testing import wait_for, wait_for_job
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.documents.reading import samples
from tests.operators import sign_in
from tests.processes.workers import WorkerProcess

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

PAGES = 500
PATIENCE = 240.0
Start = Callable[[], WorkerProcess]


@pytest.fixture
def start(process_environment: dict[str, str]) -> Iterator[Start]:
    """Start a worker whose jobs are free again two seconds after its death."""
    started: list[WorkerProcess] = []

    def run() -> WorkerProcess:
        short = {
            "ARCHIV_LEASE_SECONDS": "2",
            "ARCHIV_REAPER_SECONDS": "1",
            "ARCHIV_BACKOFF_BASE_SECONDS": "0.1",
        }
        started.append(WorkerProcess(["--slots", "1"], process_environment | short))
        started[-1].wait_ready()
        return started[-1]

    yield run
    for worker in started:
        worker.destroy()


@pytest.fixture
def scan(store: Store) -> StoredDocument:
    """A fax of many small pages, every other one with words: those take some 40 ms of processor time each."""
    word = samples.drawn(["ARCHIV"] * 4).crop((60, 60, 500, 330)).convert("1")
    blank = Image.new("1", word.size, 1)
    pages = [word if number % 2 == 0 else blank for number in range(PAGES)]
    data = io.BytesIO()
    pages[0].save(data, "TIFF", save_all=True, append_images=pages[1:], compression="group4", dpi=(120, 120))
    return store(data.getvalue(), "scan.tiff")


def test_a_scan_of_five_hundred_pages_goes_on_where_a_killed_worker_was(
    tenant: Tenant, scan: StoredDocument, start: Start
) -> None:
    job_id = scan.job_id
    assert job_id is not None
    first = start()

    def kept() -> int:
        with tenant_scope(tenant.id):
            return PageCheckpoint.objects.filter(job_id=job_id).count()

    def told() -> int:
        with tenant_scope(tenant.id):
            return find_progress(tenant.id, scan.document_id).done

    wait_for(lambda: kept() and told(), seconds=PATIENCE, what="a checkpoint")
    first.kill()
    first.wait_exit()
    # Nobody is there to change it now.
    with tenant_scope(tenant.id):
        assert find_progress(tenant.id, scan.document_id).of == PAGES
    page = sign_in("jobs.view_job").get(reverse("admin:jobs_job_change", args=[job_id]))
    assert f"of {PAGES}" in page.content.decode()
    out = StringIO()
    call_command("queue", "--json", stdout=out)
    assert str(PAGES) in json.dumps(json.loads(out.getvalue())), "the queue says how far a job is"
    assert 0 < kept() < PAGES
    with tenant_scope(tenant.id):
        # A mark that no reader could find on the paper.
        PageCheckpoint.objects.filter(job_id=job_id, page=1).update(text="kept from the first worker")
    start()
    assert wait_for_job(job_id, seconds=PATIENCE).status == JobStatus.SUCCEEDED
    with tenant_scope(tenant.id):
        texts = dict(PageText.objects.filter(version_id=scan.version_id).values_list("page", "text"))
        assert PageCheckpoint.objects.count() == 0
        assert Job.objects.get(pk=job_id).lease > 1
    assert sorted(texts) == list(range(1, PAGES + 1))
    assert texts[1] == "kept from the first worker"
    assert "ARCHIV" in texts[PAGES - 3]
