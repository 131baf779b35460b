"""The wipe of a large tenant while workers process it and uploads go on: time, memory, and what is left.

Works in a database and a vault of its own, which go again at the end. The vault lies in the temporary folder:
how long files take is said by the disk that it is on.
"""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.test_settings")
os.environ.setdefault("ARCHIV_LEASE_SECONDS", "30")

import argparse  # noqa: E402
import io  # noqa: E402
import subprocess  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
import uuid  # noqa: E402
from pathlib import Path  # noqa: E402

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connections  # noqa: E402
from django.test.utils import setup_databases, teardown_databases  # noqa: E402

from archiv import embedded  # noqa: E402
from benchmarks.worker_process import start_worker  # noqa: E402
from documents.models.document import DocumentSource  # noqa: E402
from documents.services import store_document  # noqa: E402
from jobs.services import enqueue_job  # noqa: E402
from tenants.access import operator_access  # noqa: E402
from tenants.errors import TenantsError  # noqa: E402
from tenants.models import WipeOrder  # noqa: E402
from tenants.scope import tenant_scope  # noqa: E402
from tenants.services import find_order, order_wipe  # noqa: E402
from tests.factories import TenantFactory  # noqa: E402
from tests.tenants.crowd import fill_tenant  # noqa: E402
from tests.tenants.wiping import state_of  # noqa: E402

ALIASES = ("owner", "default", "queue")


def main() -> None:
    """Measure once and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=4)
    options = parser.parse_args()
    if settings.ARCHIV_EMBEDDED is not None:
        embedded.ensure(settings.ARCHIV_EMBEDDED, prefix=settings.ARCHIV_ROLE_PREFIX)
    made = setup_databases(verbosity=0, interactive=False, aliases=dict.fromkeys(ALIASES))
    workers: list[subprocess.Popen[bytes]] = []
    try:
        tenant_id = make_busy_tenant(options.documents)
        workers = [start_worker() for _ in range(options.workers)]
        measure(tenant_id)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
        for alias in ALIASES:
            connections[alias].close()
        teardown_databases(made, verbosity=0)


def make_busy_tenant(documents: int) -> uuid.UUID:
    """Return a tenant with so many documents and a queue that workers do not empty."""
    tenant_id: uuid.UUID = TenantFactory.create().id
    began = time.perf_counter()
    fill_tenant(tenant_id, documents)
    with tenant_scope(tenant_id):
        for _ in range(2_000):
            enqueue_job(tenant_id=tenant_id, type="probe", payload={"sleep": 0.1, "effect": 1})
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"filled with {documents:,} documents in {time.perf_counter() - began:.0f} s", flush=True)
    return tenant_id


def measure(tenant_id: uuid.UUID) -> None:
    """Order the wipe while uploads go on, and print each phase as it comes."""
    uploads = threading.Thread(target=upload_until_refused, args=(tenant_id,))
    uploads.start()
    time.sleep(3)  # some go in
    began = last = time.perf_counter()
    order_wipe(access=operator_access(tenant_id))
    print(f"{'ordered':>12} {time.perf_counter() - began:8.1f} s", flush=True)
    shown, most_memory = "", 0
    while True:
        order = find_order(tenant_id)
        assert order is not None
        most_memory = max(most_memory, largest_process())
        if order.phase != shown:
            now = time.perf_counter()
            print(f"{shown or 'accepted':>12} {now - last:8.1f} s", flush=True)
            shown, last = order.phase, now
        if order.state not in WipeOrder.LIVE:
            break
        time.sleep(0.2)
    print(f"{order.state:>12} {time.perf_counter() - began:8.1f} s in all, {order.total:,} things")
    print(f"largest child or dispatcher: {most_memory / 1e6:.0f} MB")
    uploads.join()
    state = state_of(tenant_id)
    print(f"left: {state.left()}, files: {len(state.files)}, late: {order.report.get('late_files', 0)}")


def upload_until_refused(tenant_id: uuid.UUID) -> None:
    """Store one small file after the other until the tenant is closed."""
    number = 0
    try:
        while True:
            stream = io.BytesIO(b"upload %d" % number)
            store_document(
                tenant_id=tenant_id, stream=stream, filename=f"{number}.txt", source=DocumentSource.API
            )
            number += 1
    except TenantsError as error:
        print(f"{number} uploads went in before: {error}", flush=True)
    finally:
        connections["default"].close()


def largest_process() -> int:
    """Return the bytes of the largest process that runs jobs for this installation."""
    sizes = [0]
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"child_template" in (folder / "cmdline").read_bytes():
                sizes.append(int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
        except OSError:
            continue  # it has ended
    return max(sizes)


if __name__ == "__main__":
    main()
