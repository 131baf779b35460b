"""The admin in a browser: the ways that operators take, and what eyes, keys and narrow windows need."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Group
from playwright.sync_api import expect

from jobs.models import QueueSample
from jobs.operations import run_operations
from tests.browser.conftest import IN_A_BROWSER, Archive, Visit

pytestmark = [*IN_A_BROWSER, pytest.mark.timeout(600)]

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
#: Without preload: it would fetch what stylesheets import from the wrong folder.
RULES = {"runOnly": {"type": "tag", "values": TAGS}, "preload": False}


def addresses(archive: Archive) -> list[str]:
    """Every page that an operator meets."""
    return [
        "/admin/",
        "/admin/documents/document/",
        f"/admin/documents/document/?q=fahrtkosten&tenant={archive.tenant.pk}",
        "/admin/documents/document/?q=fahrtkosten&tenant=kanzlei",
        f"/admin/documents/document/?look=grid&tenant={archive.tenant.pk}",
        f"/admin/documents/document/bulk/?filter=tenant%3D{archive.tenant.pk}&verb=trash",
        f"/admin/documents/document/upload/?tenant={archive.tenant.pk}",
        f"/admin/documents/document/{archive.document.pk}/change/",
        "/admin/tenants/tenant/",
        f"/admin/tenants/tenant/{archive.tenant.pk}/change/",
        "/admin/tenants/tenant/add/",
        f"/admin/tenants/tenant/{archive.tenant.pk}/amounts/",
        "/admin/tenants/wipeorder/",
        f"/admin/tenants/wipeorder/{archive.running.pk}/change/",
        f"/admin/tenants/wipeorder/{archive.requested.pk}/change/",
        f"/admin/tenants/wipeorder/{archive.done.pk}/change/",
        "/admin/documents/document/?trash=yes",
        "/admin/documents/namingsettings/",
        f"/admin/documents/namingsettings/{archive.naming.pk}/change/",
        "/admin/jobs/job/",
        "/admin/jobs/job/?status=succeeded&lane=3",
        "/admin/jobs/failedjob/?error=page&age=hour",
        f"/admin/jobs/failedjob/{archive.failed.pk}/change/",
        f"/admin/jobs/failedjob/kind/{archive.failed.fingerprint}/",
        "/admin/jobs/failedjob/kinds/",
        "/admin/jobs/failedjob/requeue/",
        f"/admin/jobs/failedjob/requeue/?fingerprint={archive.failed.fingerprint}",
        f"/admin/jobs/failedjob/operations/{archive.operation.pk}/",
        "/admin/tenants/user/",
        f"/admin/tenants/user/{archive.operator.pk}/change/",
        f"/admin/tenants/user/{archive.operator.pk}/password/",
        "/admin/tenants/user/add/",
        "/admin/auth/group/",
        "/admin/auth/group/add/",
        "/admin/password_change/",
    ]


def test_an_operator_signs_in_and_reads_a_document(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.page
    page.get_by_role("navigation", name="Main menu").get_by_role("link", name="Documents").click()
    row = page.get_by_role("row", name="Rechnung 2025-05379")
    expect(row.get_by_text("Kanzlei Weiß & Partner mbB")).to_be_visible()
    expect(row.get_by_text("done")).to_be_visible()
    picture = row.locator("img.thumbnail")
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
    page.get_by_role("link", name="Rechnung 2025-05379").click()
    expect(page.get_by_role("heading", name="Rechnung 2025-05379")).to_be_visible()
    large = page.get_by_role("img", name="First page")
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=large.element_handle())
    expect(page.get_by_text("für Fahrtkosten berechnen wir").first).to_be_visible()
    expect(page.get_by_role("heading", name="Page 2")).to_be_visible()


def test_a_search_asks_for_the_tenant_and_marks_what_it_found(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.open("/admin/documents/document/")
    page.get_by_role("searchbox", name="Search").fill("fahrtkosten")
    page.keyboard.press("Enter")
    page.get_by_text("Texts are searched in one tenant at a time").wait_for()
    page.get_by_label("Tenant", exact=True).fill("kanzlei")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Kanzlei Weiß & Partner mbB").click()
    page.locator("mark", has_text="Fahrtkosten").wait_for()


def test_a_failed_job_is_found_understood_and_requeued(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.page
    page.get_by_role("link", name="Failed jobs").first.click()
    page.get_by_role("link", name=f"#{archive.failed.pk}").click()
    expect(page.get_by_text("Timeout: page 3").first).to_be_visible()
    page.get_by_role("button", name="Requeue").click()
    page.get_by_text("1 job requeued.").wait_for()
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()


def test_all_of_a_kind_are_requeued_in_three_clicks_and_the_page_says_when_it_is_done(
    visit: Visit, archive: Archive
) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.page
    page.get_by_role("link", name="Page # took longer than # s").click()
    page.get_by_role("link", name="Requeue").click()
    expect(page.get_by_text("Kanzlei Weiß & Partner mbB")).to_be_visible()
    page.get_by_role("button", name="Requeue 1 job").click()
    expect(page.get_by_text("0 of 1 requeued")).to_be_visible()
    assert run_operations() == 2  # and the one of the archive
    expect(page.get_by_text("1 of 1 requeued")).to_be_visible(timeout=20_000)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)


def test_the_first_page_brings_itself_up_to_date_but_not_under_ones_hands(
    visit: Visit, archive: Archive
) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.page
    page.get_by_role("link", name="Page # took longer than # s").focus()
    waiting = page.locator("#dashboard .figures dd").first
    expect(waiting).to_have_text("7")
    QueueSample.objects.create(counts={"probe": {"queued": 11}})
    page.wait_for_timeout(11_000)
    expect(waiting).to_have_text("7")
    page.locator("h1").first.click()
    page.evaluate("document.activeElement.blur()")
    expect(waiting).to_have_text("11", timeout=30_000)


def test_keys_lead_from_row_to_row_of_the_list_and_requeue(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.open("/admin/documents/document/")
    first, second = (row.inner_text() for row in page.locator("#result_list th a").all())
    page.get_by_role("link", name=first).click()
    expect(page.get_by_text("1 of 2 in this list")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name=second)).to_be_visible()
    expect(page.get_by_text("2 of 2 in this list")).to_be_visible()
    page.get_by_role("button", name="Keys j, k").click()
    page.keyboard.press("k")
    page.get_by_role("button", name="Keys j, k").click()
    expect(page.get_by_role("heading", name=second)).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_role("heading", name=first)).to_be_visible()
    page = visitor.open("/admin/jobs/failedjob/")
    page.get_by_role("link", name=f"#{archive.failed.pk}").click()
    expect(page.get_by_text("1 of 1 in this list")).to_be_visible()
    page.keyboard.press("r")
    page.get_by_text("1 job requeued.").wait_for()


def test_ticked_jobs_are_requeued_from_the_list(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.open("/admin/jobs/failedjob/")
    page.locator("#action-toggle").check()
    page.get_by_text("1 of 1 selected").wait_for()
    page.get_by_role("button", name="Requeue selected jobs").click()
    page.get_by_text("1 job requeued.").wait_for()


def test_the_way_to_a_requeue_can_be_gone_by_keyboard_alone(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.open(f"/admin/jobs/failedjob/{archive.failed.pk}/change/")
    button = page.get_by_role("button", name="Requeue").element_handle()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("button => document.activeElement === button", button):
            break
    page.keyboard.press("Enter")
    page.get_by_text("1 job requeued.").wait_for()


def test_clicking_about_breaks_no_policy_and_no_script(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.page
    for address in addresses(archive):
        visitor.open(address)
        for summary in page.locator("summary").all():
            summary.click()
        for box in page.locator("#content input[type=checkbox]").all():
            box.click()
        page.locator(".theme-toggle").first.click()
    assert visitor.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_breaks_a_rule_of_accessibility(visit: Visit, archive: Archive, scheme: str) -> None:
    visitor = visit(scheme=scheme, language="de" if scheme == "dark" else "en")
    found = {}

    def inspect(address: str) -> None:
        results = Axe().run(visitor.page, options=RULES)
        if results.violations_count:
            found[address] = [
                (violation["id"], [node["html"][:160] for node in violation["nodes"]])
                for violation in results.response["violations"]
            ]

    visitor.open("/admin/")
    inspect("sign in")
    visitor.sign_in()
    for address in addresses(archive):
        visitor.open(address)
        inspect(address)
    assert found == {}


@pytest.mark.parametrize("width", [320, 640])
def test_narrow_windows_need_no_scrolling_sideways(visit: Visit, archive: Archive, width: int) -> None:
    visitor = visit(width=width, language="de")
    visitor.sign_in()
    wide = {}
    for address in addresses(archive):
        visitor.open(address)
        if visitor.side_scroll() > 0:
            wide[address] = visitor.side_scroll()
    assert wide == {}


LISTS = [
    "/admin/documents/document/",
    "/admin/jobs/job/",
    "/admin/jobs/failedjob/",
    "/admin/tenants/tenant/",
    "/admin/tenants/user/",
    "/admin/auth/group/",
    "/admin/tenants/wipeorder/",
    "/admin/documents/namingsettings/",
]
#: What reaches beyond its place within a page, and is scrolled there.
WIDE = """() => [...document.querySelectorAll('.results, table.cards-below')]
    .filter(each => each.scrollWidth > each.clientWidth).map(each => each.outerHTML.slice(0, 200))"""
#: The sides of the boxes by which rows are chosen, in pixels.
BOXES = """() => [...document.querySelectorAll('#result_list input[type=checkbox]')]
    .map(box => box.getBoundingClientRect()).map(box => Math.min(box.width, box.height) + 4)"""


@pytest.mark.parametrize("scripts", [True, False])
def test_narrow_windows_show_the_rows_of_lists_as_cards(
    visit: Visit, archive: Archive, scripts: bool
) -> None:
    Group.objects.create(name="Aufsicht")
    visitor = visit(width=320, scripts=scripts)
    visitor.sign_in()
    wide = {}
    for address in {*LISTS, *(addresses(archive) if scripts else ())}:
        page = visitor.open(address)
        if found := page.evaluate(WIDE):
            wide[address] = found
    assert wide == {}
    page = visitor.open("/admin/jobs/failedjob/")
    row = page.locator("#result_list tbody tr").first
    expect(row.locator("td.field-tenant_name")).to_have_attribute("data-label", "Tenant")
    named = "cell => getComputedStyle(cell, '::before').content"
    assert '"Tenant' in row.locator("td.field-tenant_name").evaluate(named)
    expect(page.get_by_role("columnheader", name="Tenant")).to_have_count(0)


def test_rows_shown_as_cards_are_ticked_and_taken(visit: Visit, archive: Archive) -> None:
    visitor = visit(width=320, language="de")
    visitor.sign_in()
    page = visitor.open("/admin/jobs/failedjob/")
    boxes = page.evaluate(BOXES)
    assert len(boxes) == 2
    assert min(boxes) >= 24
    page.locator("#action-toggle").check()
    expect(page.locator("#result_list tbody input[type=checkbox]")).to_be_checked()
    page.get_by_role("button", name="Ausgewählte Aufträge erneut einreihen").click()
    page.get_by_text("1 Auftrag erneut eingereiht.").wait_for()


def test_the_site_speaks_german_to_german_browsers(visit: Visit, archive: Archive) -> None:
    visitor = visit(language="de")
    visitor.sign_in()
    page = visitor.open("/admin/jobs/failedjob/")
    expect(page.get_by_role("heading", name="Fehlgeschlagene Aufträge")).to_be_visible()
    expect(page.get_by_role("button", name="Ausgewählte Aufträge erneut einreihen")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "de"
