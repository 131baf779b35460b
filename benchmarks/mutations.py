"""A thousand broken files through readers and through a worker: what became of each, and of others meanwhile.

The worker has one slot. While it has the broken files of one tenant before it, another tenant stores one
small document after the other; how long each waits is measured, and how many broken files were begun before.
"""

import argparse
import io
import json
import os
import sys
import tempfile
import time
import uuid
from collections import Counter
from contextlib import suppress
from typing import Any

from benchmarks.pipeline import installation  # sets up Django
from benchmarks.reporting import percentiles
from documents.models import DocumentVersion
from documents.models.document import DocumentSource
from documents.reading.client import read_file, start_reader_template
from documents.reading.errors import ReadError
from documents.reading.messages import ReadOptions
from documents.reading.sniff import sniff
from documents.services import StoredDocument, store_document
from documents.vault import get_vault
from jobs.models import Job, JobAttempt, JobStatus
from tenants.scope import tenant_scope
from tests.documents.reading.mutations import mutations
from tests.factories import TenantFactory

_PAUSE = 1.0
_ENDED = (JobStatus.SUCCEEDED, JobStatus.FAILED)


def main() -> None:
    """Send them through, and print one JSON object; ends with 1 if anything is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="broken files")
    parser.add_argument("--only", choices=["readers", "worker"], help="one of both")
    options = parser.parse_args()
    files = list(mutations(options.count))
    report: dict[str, Any] = {"files": len(files), "load": [round(os.getloadavg()[0], 1)]}
    if options.only != "worker":
        report["readers"] = through_readers(files)
    if options.only != "readers":
        report["worker"] = through_worker(files)
    report["load"].append(round(os.getloadavg()[0], 1))
    print(json.dumps(report, indent=1))
    sys.exit(not report.get("worker", {}).get("as_it_must_be", True))


def through_readers(files: list[tuple[str, bytes]]) -> dict[str, Any]:
    """Read each by a reader of its own; errors that no file may cause are raised."""
    ends: Counter[str] = Counter()
    longest, began = 0.0, time.monotonic()
    with start_reader_template() as template:
        for name, data in files:
            started = time.monotonic()
            ends[_read(template.requests, name, data)] += 1
            longest = max(longest, time.monotonic() - started)
    seconds = round(time.monotonic() - began, 1)
    return {"ends": dict(ends.most_common()), "seconds": seconds, "longest_s": round(longest, 2)}


def _read(requests: Any, name: str, data: bytes) -> str:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            for _ in read_file(requests, file.fileno(), ReadOptions(str(sniff(data, name)))):
                pass
        except ReadError as error:
            if not error.permanent:
                raise
            return type(error).__name__
    return "read"


def through_worker(files: list[tuple[str, bytes]]) -> dict[str, Any]:
    """Store all, let a worker read them, and documents of another tenant meanwhile; look at the traces."""
    with installation() as (broken, worker):
        other: uuid.UUID = TenantFactory.create().id
        stored = [_store(broken, name, data) for name, data in files]
        began = time.monotonic()
        papers: list[StoredDocument] = []
        while left := _left(broken):
            papers.append(_store(other, "paper.txt", f"paper {len(papers)} {uuid.uuid4()}".encode()))
            print(f"{left} left", file=sys.stderr, flush=True)
            time.sleep(_PAUSE)
        seconds = time.monotonic() - began
        while _left(other):
            time.sleep(0.1)
        report = _look(broken, stored) | {"seconds": round(seconds, 1)}
        report["other_tenant"] = _look_at_others(broken, other)
        report["worker_runs"] = worker.poll() is None
    must = report["worker_runs"] and report["whole"] == len(files) and not report["attempts_more_than_one"]
    report["as_it_must_be"] = must and not report["other_tenant"]["failed"]
    return report


def _store(tenant_id: uuid.UUID, name: str, data: bytes) -> StoredDocument:
    return store_document(
        tenant_id=tenant_id, stream=io.BytesIO(data), filename=name, source=DocumentSource.IMPORT
    )


def _left(tenant_id: uuid.UUID) -> int:
    with tenant_scope(tenant_id):
        return Job.objects.filter(tenant_id=tenant_id).exclude(status__in=_ENDED).count()


def _look(tenant_id: uuid.UUID, stored: list[StoredDocument]) -> dict[str, Any]:
    """How the jobs ended, and how many originals are in the vault with the hash they came with."""
    vault, whole = get_vault(), 0
    with tenant_scope(tenant_id):
        jobs = Job.objects.filter(tenant_id=tenant_id)
        ends = Counter(job.failure_kind or str(job.status) for job in jobs)
        retried = JobAttempt.objects.filter(tenant_id=tenant_id).count() - sum(ends.values())
        ids = [one.version_id for one in stored]
        versions = list(DocumentVersion.objects.filter(tenant_id=tenant_id, pk__in=ids))
    for version in versions:
        with suppress(Exception), vault.open_verified(version.vault_path, content_hash=version.content_hash):
            whole += 1
    return {"ends": dict(ends.most_common()), "attempts_more_than_one": retried, "whole": whole}


def _look_at_others(broken: uuid.UUID, other: uuid.UUID) -> dict[str, Any]:
    """How long the other tenant's jobs waited, and how many broken files were begun before each meanwhile."""
    with tenant_scope(broken):
        begun = list(JobAttempt.objects.filter(tenant_id=broken).values_list("started_at", "ended_at"))
    with tenant_scope(other):
        jobs = list(Job.objects.filter(tenant_id=other).values_list("created_at", "started_at", "status"))
    waits = [(started - created).total_seconds() for created, started, _ in jobs]
    passed = [sum(created < start < started for start, _ in begun) for created, started, _ in jobs]
    longest = max((end - start).total_seconds() for start, end in begun)
    return {
        "jobs": len(jobs),
        "failed": sum(status != JobStatus.SUCCEEDED for *_, status in jobs),
        "waited_s": percentiles(waits),
        "waited_longest_s": round(max(waits), 3),
        "longest_broken_file_s": round(longest, 3),
        "broken_files_begun_before_it": dict(sorted(Counter(passed).items())),
    }


if __name__ == "__main__":
    main()
