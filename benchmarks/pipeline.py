"""What reading a page costs and how right it is, beside OCRmyPDF and tesseract, on pages whose text is known.

Every page is read by each system in turn, so that what else the machine does meets all alike. archiv is
measured whole: the processor time of its worker with dispatcher, child and reader, to the last row.
"""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.test_settings")
os.environ.setdefault("ARCHIV_LEASE_SECONDS", "30")
# Once a day the worker starts a process for its chores: seconds that belong to no page.
os.environ.setdefault("ARCHIV_CHORES_SECONDS", "86400")

import argparse  # noqa: E402
import io  # noqa: E402
import json  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import uuid  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from contextlib import contextmanager  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connections  # noqa: E402
from django.test.utils import setup_databases, teardown_databases  # noqa: E402
from reportlab.pdfgen.canvas import Canvas  # noqa: E402

from archiv import embedded  # noqa: E402
from benchmarks.errors import character_errors, word_errors  # noqa: E402
from benchmarks.ocr_systems import Run, System, find_peers, largest  # noqa: E402
from benchmarks.papers import Paper, make_papers  # noqa: E402
from benchmarks.server import cpu_seconds  # noqa: E402
from benchmarks.worker_process import start_worker  # noqa: E402
from documents.models import PageText  # noqa: E402
from documents.models.document import DocumentSource  # noqa: E402
from documents.search.engine import get_search  # noqa: E402
from documents.search.parsing import parse_query  # noqa: E402
from documents.services import store_document  # noqa: E402
from jobs.models import Job, JobStatus  # noqa: E402
from tenants.scope import tenant_scope  # noqa: E402
from tests.factories import TenantFactory  # noqa: E402

ALIASES = ("owner", "default", "queue")
_DIGITAL_ROUNDS = 9


def main() -> None:
    """Measure, and print a table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=20, help="pages to read")
    parser.add_argument("--without-peers", action="store_true", help="archiv and the bare loop only")
    parser.add_argument("--json", action="store_true", help="one JSON object and nothing else")
    options = parser.parse_args()
    peers = {} if options.without_peers else find_peers()
    load = [round(os.getloadavg()[0], 1)]
    with installation() as (tenant_id, worker):
        digital = [time_digital(tenant_id, number) for number in range(_DIGITAL_ROUNDS)]
        report = compare(make_papers(options.papers), peers, tenant_id, worker)
    load.append(round(os.getloadavg()[0], 1))
    report |= {"born_digital_s": round(statistics.median(digital), 3), "load": load}
    print(json.dumps(report, indent=1) if options.json else as_table(report))


def as_table(report: dict[str, Any]) -> str:
    """The report as Markdown."""
    lines = [
        "| system | CPU s a page | character errors | word errors | largest process |",
        "| --- | --: | --: | --: | --: |",
    ]
    for name, of in report["systems"].items():
        errors = f"{of['cer']:.2%} | {of['wer']:.2%}"
        lines.append(f"| {name} | {of['cpu_s_per_page']:.2f} | {errors} | {of['peak_mb']} MB |")
    words = f"{report['pages']} pages; worker over a bare loop {report['worker_overhead']:+.1%}"
    words += f"; ten born-digital pages found after {report['born_digital_s']} s"
    return "\n".join([*lines, "", f"{words}; load average {report['load'][0]} to {report['load'][1]}"])


@contextmanager
def installation() -> Iterator[tuple[uuid.UUID, subprocess.Popen[bytes]]]:
    """A database with a tenant, and an idle worker with one slot."""
    if settings.ARCHIV_EMBEDDED is not None:
        embedded.ensure(settings.ARCHIV_EMBEDDED, prefix=settings.ARCHIV_ROLE_PREFIX)
    made = setup_databases(verbosity=0, interactive=False, aliases=dict.fromkeys(ALIASES))
    worker = None
    try:
        tenant_id: uuid.UUID = TenantFactory.create().id
        worker = start_worker()
        yield tenant_id, worker
    finally:
        if worker is not None:
            worker.terminate()
            worker.wait()
        for alias in ALIASES:
            connections[alias].close()
        teardown_databases(made, verbosity=0)


def compare(
    papers: list[Paper], peers: dict[str, System], tenant_id: uuid.UUID, worker: subprocess.Popen[bytes]
) -> dict[str, Any]:
    """Read every paper by every system in turn; the bare loop is a process of its own that stays warm."""
    runs: dict[str, list[Run]] = {name: [] for name in ("archiv", "bare_loop", *peers)}
    loop = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.bare_loop"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            for paper in papers:
                pdf = folder / f"{paper.name}.pdf"
                pdf.write_bytes(paper.as_pdf())
                paper.image.save(pdf.with_suffix(".jpg"), quality=85, dpi=(paper.dpi, paper.dpi))
                runs["archiv"].append(read_by_archiv(pdf, tenant_id, worker))
                runs["bare_loop"].append(ask_loop(loop, pdf))
                for name, read in peers.items():
                    runs[name].append(read(pdf, folder))
                told = ", ".join(f"{name} {each[-1].cpu_s:.1f} s" for name, each in runs.items())
                print(f"{paper.name} ({paper.dpi} dpi, {paper.skew:+}°): {told}", file=sys.stderr, flush=True)
    finally:
        loop.terminate()
        loop.wait()
    systems = {name: summary(papers, each) for name, each in runs.items()}
    overhead = float(systems["archiv"]["cpu_s_per_page"]) / float(systems["bare_loop"]["cpu_s_per_page"]) - 1
    return {"systems": systems, "worker_overhead": round(overhead, 3), "pages": len(papers)}


def summary(papers: list[Paper], runs: list[Run]) -> dict[str, Any]:
    """The figures of one system; errors over all characters, and of each layout alone."""

    def share(pairs: list[tuple[int, int]]) -> float:
        return round(sum(wrong for wrong, _ in pairs) / max(1, sum(of for _, of in pairs)), 5)

    wrong = [character_errors(run.text, paper.text) for run, paper in zip(runs, papers, strict=True)]
    words = [word_errors(run.text, paper.text) for run, paper in zip(runs, papers, strict=True)]
    layouts = sorted({paper.layout for paper in papers})
    return {
        "cpu_s_per_page": round(statistics.mean(run.cpu_s for run in runs), 3),
        "cer": share(wrong),
        "wer": share(words),
        "peak_mb": round(max(run.peak_mb for run in runs)),
        "cer_by_layout": {
            layout: share([pair for pair, paper in zip(wrong, papers, strict=True) if paper.layout == layout])
            for layout in layouts
        },
    }


def read_by_archiv(pdf: Path, tenant_id: uuid.UUID, worker: subprocess.Popen[bytes]) -> Run:
    """Store a page, wait until the worker has read it, and look at what is in the database."""
    before = cpu_seconds(worker.pid)
    with pdf.open("rb") as stream:
        stored = store_document(
            tenant_id=tenant_id, stream=stream, filename=pdf.name, source=DocumentSource.API
        )
    assert stored.job_id is not None
    peak = wait_for(tenant_id, stored.job_id, worker)
    with tenant_scope(tenant_id):
        texts = PageText.objects.filter(tenant_id=tenant_id, version_id=stored.version_id).order_by("page")
        text = "\n".join(texts.values_list("text", flat=True))
    return Run(text, cpu_seconds(worker.pid) - before, peak)


def wait_for(tenant_id: uuid.UUID, job_id: int, worker: subprocess.Popen[bytes]) -> float:
    """Wait until a job has succeeded; returns the most memory any process of the worker had, in MB."""
    peak = 0.0
    while True:
        with tenant_scope(tenant_id):
            status = Job.objects.values_list("status", flat=True).get(tenant_id=tenant_id, pk=job_id)
        if status in (JobStatus.SUCCEEDED, JobStatus.FAILED):
            assert status == JobStatus.SUCCEEDED, "the page could not be read"
            return peak
        peak = max(peak, largest(worker.pid))
        time.sleep(0.05)


def time_digital(tenant_id: uuid.UUID, number: int) -> float:
    """Seconds from an upload of ten born-digital pages until a search finds a word of the last one."""
    data, word = io.BytesIO(), f"findling{uuid.uuid4().hex[:8]}"
    canvas = Canvas(data)
    for page in range(10):
        for line in range(45):
            words = f"Seite {page + 1}, Zeile {line}: Niederschrift der Sitzung {number}"
            canvas.drawString(60, 800 - 16 * line, words)
        if page == 9:
            canvas.drawString(60, 40, word)
        canvas.showPage()
    canvas.save()
    data.seek(0)
    began = time.perf_counter()
    store_document(tenant_id=tenant_id, stream=data, filename=f"{number}.pdf", source=DocumentSource.API)
    while True:
        with tenant_scope(tenant_id):
            if get_search().search(tenant_id=tenant_id, query=parse_query(word), limit=1).hits:
                return time.perf_counter() - began
        time.sleep(0.005)


def ask_loop(loop: subprocess.Popen[str], pdf: Path) -> Run:
    """Have the bare loop read one page."""
    assert loop.stdin is not None
    assert loop.stdout is not None
    loop.stdin.write(f"{pdf}\n")
    loop.stdin.flush()
    return Run(**json.loads(loop.stdout.readline()))


if __name__ == "__main__":
    main()
