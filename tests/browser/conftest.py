"""A real browser before a real server, and a small archive to look at."""

import io
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connections
from django.utils import timezone
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from documents.models import Document, NamingSettings
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.search.words import fold
from documents.vault import get_vault
from jobs.models import ErrorGroup, Job, JobMinute, Operation, QueueSample, WorkerProcess
from tenants.models import Tenant, User, WipeOrder
from tenants.scope import operator_scope, tenant_scope
from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.factories import (
    AssetFactory,
    DocumentVersionFactory,
    FileFactsFactory,
    JobAttemptFactory,
    JobFactory,
    MembershipFactory,
    NamingSettingsFactory,
    PageTextFactory,
    StepResultFactory,
    TenantFactory,
    WipeOrderFactory,
)
from tests.filing_factories import FilingFactory

#: The marks of every test here; each file adds how long one of its tests may take.
IN_A_BROWSER = (pytest.mark.slow, pytest.mark.browser, pytest.mark.django_db(transaction=True))

TEXT = "Sehr geehrte Damen und Herren,\nfür Fahrtkosten berechnen wir 148,20 EUR.\n"
#: Says each breach of the content security policy on the console, where the test listens.
WATCH = """
document.addEventListener('securitypolicyviolation', event =>
    console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium of the distribution; no longer than its tests, since its loop changes what others find."""
    if not CHROMIUM.exists():
        pytest.skip("NO BROWSER TESTS WERE RUN: Chromium is missing (apt-get install chromium)")
    # Playwright's loop lives in this thread, where Django would refuse the database because of it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    # A busy machine is no failure: what is expected comes, or is waited for this long.
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        browser.close()
        # Under a running loop a thread has other connections than without: only here can these be closed.
        connections.close_all()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@dataclass
class Visitor:
    """Somebody before the screen. `complaints` are the browser's: of scripts, policy and requests."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Go to a page of the site."""
        self.page.goto(self.address + path)
        return self.page

    def sign_in(self) -> None:
        """Sign in by the form."""
        self.open("/admin/")
        self.page.get_by_role("textbox").first.fill("operator")
        self.page.locator("input[type=password]").fill("secret")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#user-tools")

    def side_scroll(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        width: int = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return width


Visit = Callable[..., Visitor]


@pytest.fixture
def visit(browser: Browser, live_server: LiveServer) -> Iterator[Visit]:
    """Open a window: `visit(scheme="dark", language="de", width=320)`."""
    contexts: list[BrowserContext] = []
    visitors: list[Visitor] = []

    def open_window(
        *, scheme: str = "light", language: str = "en", width: int = 1280, scripts: bool = True
    ) -> Visitor:
        context = browser.new_context(
            java_script_enabled=scripts,
            color_scheme=scheme,  # type: ignore[arg-type]
            locale=language,
            viewport={"width": width, "height": 900},
        )
        contexts.append(context)
        context.add_init_script(WATCH)
        visitor = Visitor(context.new_page(), live_server.url)

        def listen(message: ConsoleMessage) -> None:
            if message.type == "error":
                visitor.complaints.append(f"{visitor.page.url}: {message.text}")

        visitor.page.on("console", listen)
        visitor.page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
        visitors.append(visitor)
        return visitor

    yield open_window
    for context in contexts:
        context.close()
    assert [visitor.complaints for visitor in visitors if visitor.complaints] == []


#: As the step `issued` writes them.
CANDIDATES = [
    {
        "date": "2026-03-05",
        "score": 1000,
        "source": "invoice",
        "page": 0,
        "label": "",
        "written": "",
        "reasons": [["stated", "", 1000]],
    },
    {
        "date": "2026-03-06",
        "score": 109,
        "source": "ocr",
        "page": 1,
        "label": "Rechnungsdatum",
        "written": "06.03.2026",
        "reasons": [
            ["kind.issued", "rechnungsdatum", 100],
            ["head_of_document", "", 9],
            ["mentioned_again", "2", 4],
        ],
    },
    {
        "date": "2026-04-04",
        "score": 0,
        "source": "ocr",
        "page": 2,
        "label": "Fällig am",
        "written": "04.04.2026",
        "reasons": [["kind.due", "fällig am", 0], ["later_page", "2", -4]],
    },
]


@dataclass(frozen=True)
class Archive:
    """What lies in the archive of these tests."""

    operator: User
    tenant: Tenant
    document: Document
    failed: Job
    naming: NamingSettings
    #: A wipe at work, one that waits for approval, and one that is done.
    running: WipeOrder
    requested: WipeOrder
    done: WipeOrder
    operation: Operation


@pytest.fixture
def archive(live_server: LiveServer) -> Archive:
    """Two tenants, a document with picture and text, one without, and jobs in each status."""
    operator = User.objects.create_superuser("operator", password="secret", first_name="Anna")
    tenant = TenantFactory.create(name="Kanzlei Weiß & Partner mbB")
    suspended = TenantFactory.create(name="Müller & Söhne GmbH", status="suspended")
    now = timezone.now()
    with operator_scope():
        MembershipFactory.create(tenant_id=tenant.pk, user=operator)
        version = DocumentVersionFactory.create(
            tenant_id=tenant.pk, document__title="Rechnung 2025-05379", pages=2, filename="rechnung.pdf"
        )
        Document.objects.filter(pk=version.document_id).update(
            issued_at="2026-03-05",
            issued_source="invoice",
            issued_doubt="differs",
            issued_candidates=CANDIDATES,
        )
        FileFactsFactory.create(
            tenant_id=tenant.pk,
            version=version,
            number="RE-2026/0815",
            issued="2026-03-05",
            due="2026-04-04",
            buyer="Kundin e.K.",
            net="100.00",
            tax="19.00",
            gross="119.00",
            currency="EUR",
        )
        FilingFactory.create(
            tenant_id=tenant.pk,
            document=version.document,
            set_by="suggestion",
            confidence=0.91,
            because=["fahrtkosten", "reise"],
        )
        naming = NamingSettingsFactory.create(tenant_id=tenant.pk)
        DocumentVersionFactory.create(tenant_id=suspended.pk, document__title="Mietvertrag")
        read = JobFactory.create(
            tenant=tenant, type="analyze-document", document_id=version.document_id, status="succeeded"
        )
        asset = AssetFactory.create(tenant_id=tenant.pk, version=version, job_id=read.pk)
        for number in (1, 2):
            PageTextFactory.create(
                tenant_id=tenant.pk, version=version, page=number, text=TEXT, source="ocr", confidence=0.93
            )
        for outcome in ("done", "nothing", "skipped", "failed"):
            StepResultFactory.create(tenant_id=tenant.pk, version=version, step=outcome, outcome=outcome)
        for status in ("queued", "processing"):
            JobFactory.create(tenant=suspended, status=status, started_at=now)
        failed = JobFactory.create(
            # As in an archive that has worked for a while: pages write 1,234 where they write for people.
            id=1234,
            tenant=tenant,
            status="failed",
            failure_kind="timeout",
            error_message="Page 3 took longer than 60 s",
            fingerprint="a" * 64,
            started_at=now - timedelta(seconds=60),
            finished_at=now,
            retry_count=5,
            lease=2,
        )
        for lease in (1, 2):
            JobAttemptFactory.create(
                job=failed,
                tenant_id=tenant.pk,
                lease=lease,
                outcome="timeout",
                started_at=now - timedelta(seconds=60),
                error="Page 3 took longer than 60 s",
                traceback='Traceback (most recent call last):\n  File "a.py", line 1\nTimeout: page 3\n',
            )
    with get_vault().stage() as staged:
        staged.write(_draw_page())
        staged.seal()
        get_vault().place(staged, asset.vault_path)
    with tenant_scope(tenant.pk):
        entry = Entry(
            tenant_id=tenant.pk,
            document_id=version.document_id,
            title="Rechnung 2025-05379",
            filename="rechnung.pdf",
            words=fold(TEXT),
            issued_at=None,
        )
        get_search().upsert(entry)
    running, requested, done = _make_orders(tenant, suspended)
    return Archive(
        operator=operator,
        tenant=tenant,
        document=version.document,
        failed=failed,
        naming=naming,
        running=running,
        requested=requested,
        done=done,
        operation=_fill_first_page(tenant, failed),
    )


def _fill_first_page(tenant: Tenant, failed: Job) -> Operation:
    """Leave behind what workers would have: a sample, minutes, a kind of error, a worker, an operation."""
    now = timezone.now()
    waiting = [{"tenant": str(tenant.pk), "waiting": 7, "oldest": 95.0}]
    QueueSample.objects.create(
        counts={"analyze-document": {"queued": 7, "failed": 1}}, oldest_due_seconds=95.0, waiting=waiting,
        lanes={"1": 5, "2": 2}, database_bytes=1_500_000_000, horizon_seconds=0.2,
        oldest_by_type={"types": {"analyze-document": {"seconds": 95.0, "is_least": True}}, "within": None},
    )  # fmt: skip
    used = shutil.disk_usage(settings.ARCHIV_VAULT_ROOT).used
    QueueSample.objects.create(sampled_at=now - timedelta(days=6), vault_used_bytes=used - 6_000_000_000)
    ErrorGroup.objects.create(
        fingerprint=failed.fingerprint, type=failed.type, kind="timeout", jobs=1, tenants=1, first_at=now,
        last_at=now, newest_job=failed.pk,
    )  # fmt: skip
    for minute in range(60):
        for outcome, attempts in (("succeeded", 20 + minute % 7), ("failed", minute % 3)):
            JobMinute.objects.create(
                minute=now - timedelta(minutes=minute), type="analyze-document", outcome=outcome,
                attempts=attempts, seconds=attempts * 2.0,
            )  # fmt: skip
    WorkerProcess.objects.create(name="host-1:4711:ab12", host="host-1", pid=4711, slots=4, version="0.1.0")
    return Operation.objects.create(
        verb="requeue", wanted={"kind": "limit"}, as_of=now, actor="user:1", total=1
    )


def _make_orders(tenant: Tenant, other: Tenant) -> list[WipeOrder]:
    found = {"documents_document": {"count": 1204}, "originals": {"count": 1204, "bytes": 3_412_000_000}}
    given: list[tuple[Tenant, dict[str, Any]]] = [
        (other, {"state": "authorised", "phase": "rows", "done": 250, "total": 1000}),
        (tenant, {"state": "requested", "action": "reset", "final_status": "active"}),
        (Tenant(id=uuid.uuid4()), {"state": "done", "done": 2408, "total": 2408}),
    ]
    with operator_scope():
        return [
            WipeOrderFactory.create(
                tenant_id=each.pk, ordered_by="command:anna", report={"found": found}, **values
            )
            for each, values in given
        ]


def _draw_page() -> bytes:
    picture = Image.new("RGB", (362, 512), "white")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((30, 30, 150, 50), fill="#345")
    for top in range(90, 470, 14):
        pen.rectangle((30, top, 330 - top % 90, top + 4), fill="#888")
    data = io.BytesIO()
    picture.save(data, "WEBP")
    return data.getvalue()
