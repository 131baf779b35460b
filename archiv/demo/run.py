"""The demo from the first tenant to the last search; all of it is done by the services of the product."""

import fcntl
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from archiv.demo import archive, worker
from archiv.demo.account import Account, admin_account
from archiv.demo.display import Display
from archiv.demo.filing import teach_filing
from archiv.demo.outcome import Outcome, differences
from archiv.demo.searches import SEARCHES, Asked, run_search
from archiv.samples import SAMPLES, Sample, make_samples
from documents.search.results import SearchHit
from documents.services import StoredDocument
from tenants.models import Tenant

_LONGEST_WAIT = 300.0
"""Seconds until the demo stops waiting for what another worker holds, or what is tried again later."""


class DemoFailed(Exception):
    """The demo could not go on."""


@dataclass(frozen=True, slots=True)
class Row:
    """One sample with what became of it, and what is not as it should be."""

    sample: Sample
    outcome: Outcome
    already_there: bool
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What the demo did. `problems` names everything that is not as it should be."""

    rows: tuple[Row, ...]
    searches: tuple[tuple[Asked, tuple[SearchHit, ...]], ...]
    account: Account
    seconds: float
    problems: tuple[str, ...]


def run_demo(display: Display, folder: Path) -> Report:
    """Make samples, tenants and an account, import, work, compare and search; `folder` is the var folder.

    Whatever is there already is left as it is. Raises `DemoFailed` and what the services raise.
    """
    started = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder / "demo.lock"):
        samples = _make(display, folder / "samples")
        account = admin_account(folder)
        log = folder / "demo-worker.log"
        tenants = _provide_tenants(display, account, log)
        labels = sum(teach_filing(tenant, name) for name, tenant in tenants.items())
        display.say(f"{labels} tags, correspondents and document types with rules are new")
        stored = _import(display, tenants, folder / "samples")
        _work(display, tenants, stored, log)
        rows = tuple(_row(tenants[s.tenant], s, stored[s]) for s in samples)
        searches = tuple((asked, run_search(tenants[asked.tenant], asked)) for asked in SEARCHES)
    problems = [f"{r.sample.tenant}: {r.sample.filename} {words}" for r in rows for words in r.problems]
    problems += [words for asked, hits in searches for words in _missing(asked, hits)]
    return Report(rows, searches, account, time.monotonic() - started, tuple(problems))


def _make(display: Display, folder: Path) -> tuple[Sample, ...]:
    with display.progress("Sample files", len(SAMPLES)) as advance:
        return make_samples(folder, on_progress=lambda done, _, sample: advance(done, sample.filename))


def _provide_tenants(display: Display, account: Account, log: Path) -> Mapping[str, Tenant]:
    names = dict.fromkeys(sample.tenant for sample in SAMPLES)
    tenants = {name: archive.find_or_create_tenant(name, owner=account.user.id) for name in names}

    def active() -> int:
        return archive.count_active(tenants.values())

    with display.progress("Tenants", len(tenants)) as advance:
        advance(active(), "")
        if active() < len(tenants):
            worker.drain(log=log, on_progress=lambda: advance(active(), ""))
        if active() < len(tenants):
            raise DemoFailed(f"A tenant did not become active: see its jobs in the admin, and {log}.")
    return tenants


def _import(display: Display, tenants: Mapping[str, Tenant], folder: Path) -> Mapping[Sample, StoredDocument]:
    stored = {}
    with display.progress("Import", len(SAMPLES)) as advance:
        for done, sample in enumerate(SAMPLES, start=1):
            stored[sample] = archive.import_sample(tenants[sample.tenant], sample.path_in(folder))
            advance(done, sample.filename)
    there = sum(document.duplicate for document in stored.values())
    display.say(f"{len(stored) - there} new documents, {there} already there")
    return stored


def _work(
    display: Display, tenants: Mapping[str, Tenant], stored: Mapping[Sample, StoredDocument], log: Path
) -> None:
    documents: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    for sample, document in stored.items():
        documents[tenants[sample.tenant].id].add(document.document_id)
    work = archive.look_at_work(documents)
    deadline = time.monotonic() + _LONGEST_WAIT
    with display.progress("Analysis", work.of) as advance:

        def look() -> archive.Work:
            work = archive.look_at_work(documents)
            advance(work.finished, work.at)
            return work

        # More than once only if something waits for its next try, or for the worker of bin/serve.
        while look().is_open and time.monotonic() < deadline:
            worker.drain(log=log, on_progress=look)
            if look().is_open:
                time.sleep(1)


def _row(tenant: Tenant, sample: Sample, stored: StoredDocument) -> Row:
    outcome = archive.outcome_of(tenant, sample, stored)
    return Row(sample, outcome, stored.duplicate, tuple(differences(sample, outcome)))


def _missing(asked: Asked, hits: tuple[SearchHit, ...]) -> Iterator[str]:
    for filename in sorted(asked.must_find - {hit.version.filename for hit in hits}):
        yield f"{asked.tenant}: the search for {asked.query} did not find {filename}"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock of this folder's demo. Raises `DemoFailed` when another one runs."""
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoFailed("Another demo is running here: wait for its end, then call again.") from None
        yield
