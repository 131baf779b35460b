"""The wipe of a large tenant: bounded memory, bounded statements, nothing left."""

import io
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connections

from documents.models.document import DocumentSource
from documents.services import store_document
from tenants import erasure_rows
from tenants.access import operator_access
from tenants.errors import TenantNotActive, TenantNotFound
from tenants.models import Tenant
from tenants.services import order_wipe
from tests.factories import TenantFactory
from tests.tenants.crowd import fill_tenant
from tests.tenants.wiping import claim_wipe, make_tenant, newest_order, run_sql, run_wipe, state_of

pytestmark = pytest.mark.django_db(transaction=True)


def order(tenant: Tenant) -> None:
    order_wipe(access=operator_access(tenant.id))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_wipe_of_twenty_thousand_documents_is_whole_and_takes_no_more_memory_than_a_small_one() -> None:
    small, large, other = make_tenant(), TenantFactory.create(), make_tenant()
    fill_tenant(large.id, 20_000)
    before = state_of(other.id)
    order(small)
    assert run_wipe(claim_wipe()) == ""
    order(large)
    attempt = claim_wipe()
    # The kernel begins to measure the peak anew.
    Path("/proc/self/clear_refs").write_text("5")
    rest = memory("VmRSS")
    assert run_wipe(attempt) == ""
    assert memory("VmHWM") - rest < 16_000, "kilobytes"
    after = state_of(large.id)
    assert after.left() == {"jobs_job": 1, "jobs_jobattempt": 1}
    assert after.files == {}
    done = newest_order(large)
    assert done.total == sum(amount["count"] for amount in done.report["found"].values()) == 220_000
    assert state_of(other.id) == before


def memory(name: str) -> int:
    """A figure of this process in kilobytes, as the kernel has it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (found,) = [line for line in lines if line.startswith(f"{name}:")]
    return int(found.split()[1])


def test_a_wipe_does_not_read_the_rows_it_removed_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A transaction elsewhere keeps dead rows from vacuum, and there are many batches."""
    monkeypatch.setattr(erasure_rows, "BATCH", 50)
    tenant = TenantFactory.create()
    fill_tenant(tenant.id, 1_500, files=False)
    order(tenant)
    attempt = claim_wipe()
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT 1 FROM documents_pagetext LIMIT 1")
        before = entries_read()
        assert run_wipe(attempt) == ""
        read = entries_read() - before
        cursor.execute("ROLLBACK")
    assert 3_000 <= read < 10 * 3_000, "from the start each time, sixty batches would read 90,000"
    assert state_of(tenant.id).left() == {"jobs_job": 1, "jobs_jobattempt": 1}


def entries_read() -> int:
    """Entries read so far from the index along which texts of pages are removed."""
    run_sql("SELECT pg_stat_force_next_flush()")
    sql = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'documents_pagetext_page'"
    ((entries,),) = run_sql(sql)
    return int(entries)


def test_uploads_that_go_on_until_the_tenant_is_closed_leave_nothing() -> None:
    tenant = make_tenant()
    begun = threading.Barrier(3)

    def upload(number: int) -> int:
        """Store one file after the other, and return how many went in before they were refused."""
        stored = 0
        try:
            while True:
                stream = io.BytesIO(b"upload %d of %d" % (stored, number))
                store_document(
                    tenant_id=tenant.id, stream=stream, filename="a.txt", source=DocumentSource.API
                )
                stored += 1
                if stored == 2:
                    begun.wait(30)
        except (TenantNotActive, TenantNotFound):
            return stored
        finally:
            connections["default"].close()

    with ThreadPoolExecutor(2) as pool:
        uploads = [pool.submit(upload, number) for number in range(2)]
        begun.wait(30)
        order(tenant)
        attempt = claim_wipe()
        assert run_wipe(attempt) == ""
        stored = sum(future.result(30) for future in uploads)
    found = newest_order(tenant).report["found"]
    assert found["documents_document"] == {"count": 3 + stored}
    after = state_of(tenant.id)
    assert after.left() == {"jobs_job": 1, "jobs_jobattempt": 1}
    assert after.files == {}
