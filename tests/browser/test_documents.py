"""Documents in a browser: looked at, narrowed down, brought in, changed in numbers; in both languages."""

import re

import pytest
from playwright.sync_api import expect

from documents.models import Document
from tenants.scope import operator_scope
from tests.browser.conftest import IN_A_BROWSER, Archive, Visit

pytestmark = [*IN_A_BROWSER, pytest.mark.timeout(600)]

LIST = "/admin/documents/document/"


def test_the_list_is_narrowed_down_and_looked_at_as_a_grid(visit: Visit, archive: Archive) -> None:
    visitor = visit(language="de")
    visitor.sign_in()
    page = visitor.open(LIST)
    page.get_by_label("Mandant", exact=True).fill(archive.tenant.name)
    page.get_by_role("button", name="Anzeigen").click()
    page.get_by_label("Status", exact=True).select_option("done")
    page.get_by_text("Weitere Filter").click()
    page.get_by_label("Belegdatum ab").fill("2026-03-05")
    page.get_by_role("button", name="Anzeigen").click()
    chips = page.get_by_role("list", name="Was gerade gilt")
    expect(chips.get_by_role("link")).to_have_count(4)  # three, and all at once
    page.get_by_role("link", name="Kacheln").click()
    tile = page.get_by_role("listitem").filter(has_text="Rechnung 2025-05379")
    expect(tile.locator("img")).to_have_count(1)
    picture = tile.locator("img").element_handle()
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture)
    chips.get_by_role("link", name="Status").click()
    expect(chips.get_by_role("link")).to_have_count(3)
    assert "look=grid" in page.url
    tile.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Rechnung 2025-05379")).to_be_visible()


def test_files_are_brought_in_with_progress_and_each_says_what_became_of_it(
    visit: Visit, archive: Archive
) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.open(LIST)
    page.get_by_role("link", name="Bring documents in").click()
    page.get_by_label("Tenant", exact=True).fill(archive.tenant.name)
    files = [
        {"name": name, "mimeType": "text/plain", "buffer": data}
        for name, data in (("brief.txt", b"Guten Tag"), ("kopie.txt", b"Guten Tag"), ("leer.txt", b""))
    ]
    page.get_by_label("Files", exact=True).set_input_files(files)  # type: ignore[arg-type]
    page.get_by_role("button", name="Bring in").click()
    lines = page.get_by_role("list", name="What became of the files")
    expect(lines.get_by_text("Stored; it is read now.")).to_have_count(1, timeout=60_000)
    expect(lines.get_by_text("These bytes are in the archive already.")).to_have_count(1, timeout=60_000)
    expect(lines.get_by_text("The file is empty")).to_have_count(1, timeout=60_000)
    expect(page.locator("#brought-in").get_by_role("link", name="brief")).to_be_visible(timeout=60_000)
    lines.get_by_role("link", name="brief.txt").first.click()
    expect(page.get_by_role("heading", name="brief")).to_be_visible()


def test_files_are_dropped_anywhere_on_the_page(visit: Visit, archive: Archive) -> None:
    visitor = visit(language="de")
    visitor.sign_in()
    page = visitor.open(f"{LIST}upload/?tenant={archive.tenant.pk}")
    expect(page.get_by_text("Oder Dateien irgendwo auf diese Seite ziehen.")).to_be_visible()
    page.evaluate("""() => {
        const carried = new DataTransfer();
        carried.items.add(new File(["Sehr geehrte Frau Weiß"], "abgelegt.txt", {type: "text/plain"}));
        const event = new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true});
        document.body.dispatchEvent(event);
    }""")
    expect(page.get_by_text("Aufgenommen; es wird jetzt gelesen.")).to_be_visible(timeout=60_000)
    with operator_scope():
        assert Document.objects.get(title__contains="abgelegt").tenant_id == archive.tenant.pk


def test_without_script_a_form_with_several_files_does_the_same(visit: Visit, archive: Archive) -> None:
    visitor = visit(scripts=False)
    visitor.sign_in()
    page = visitor.open(f"{LIST}upload/?tenant={archive.tenant.pk}")
    files = [
        {"name": name, "mimeType": "text/plain", "buffer": data}
        for name, data in (("eins.txt", b"eins"), ("zwei.txt", b"zwei"))
    ]
    page.get_by_label("Files", exact=True).set_input_files(files)  # type: ignore[arg-type]
    page.get_by_role("button", name="Bring in").click()
    expect(page.get_by_text("Stored; it is read now.")).to_have_count(2, timeout=60_000)


def test_ticked_documents_are_changed_after_a_look_at_what_would_happen(
    visit: Visit, archive: Archive
) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.open(f"{LIST}?look=grid&tenant={archive.tenant.pk}")
    page.get_by_role("checkbox", name="Select Rechnung 2025-05379").check()
    page.get_by_label("Action:").select_option(label="Change selected documents …")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("1 document is meant.")).to_be_visible()
    page.get_by_label("What is to be done").last.select_option("trash")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("1 document would be changed.")).to_be_visible()
    page.get_by_role("button", name="Change 1 document").click()
    expect(page.get_by_text("1 document changed.")).to_be_visible()
    assert re.search(r"look=grid", page.url)
    expect(page.get_by_text("in the trash", exact=True)).to_be_visible()


def test_the_first_candidate_is_taken_as_date_and_the_page_tells_who_did_it(
    visit: Visit, archive: Archive
) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.open(f"{LIST}{archive.document.pk}/change/")
    expect(page.get_by_role("heading", name="Versions")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Confirm ")).click()
    expect(page.get_by_text("The date is set and stays.")).to_be_visible()
    trail = page.get_by_role("region", name="Audit trail")
    expect(trail.get_by_text("corrected")).to_be_visible()
    expect(trail.get_by_text("operator")).to_be_visible()


def test_the_attempts_of_a_job_stand_on_a_line_of_time(visit: Visit, archive: Archive) -> None:
    visitor = visit(language="de")
    visitor.sign_in()
    page = visitor.open(f"/admin/jobs/job/{archive.failed.pk}/change/")
    expect(page.get_by_role("img", name=re.compile(r"2 Versuche in "))).to_be_visible()
    expect(page.locator("rect.bar")).to_have_count(2)


def test_a_job_is_found_by_the_number_that_the_api_gave_its_tenant(visit: Visit, archive: Archive) -> None:
    visitor = visit(language="de")
    visitor.sign_in()
    page = visitor.open(f"/admin/jobs/job/{archive.failed.pk}/change/")
    number = page.locator(".field-api_number .readonly").inner_text()
    tenant = page.locator(".field-tenant_link .readonly").inner_text()
    page = visitor.open("/admin/jobs/job/")
    page.get_by_label("Mandant", exact=True).fill(tenant)
    page.get_by_label("Nummer", exact=True).fill(number)
    page.get_by_role("button", name="Anzeigen").click()
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    page.get_by_role("link", name=f"#{archive.failed.pk}", exact=True).click()
    expect(page.get_by_text(number)).to_be_visible()


def test_failed_jobs_are_narrowed_down_by_words_and_age(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.open("/admin/jobs/failedjob/")
    page.get_by_text("More filters").click()
    page.get_by_label("Text of the error").fill("no such words")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("Nothing matches.")).to_be_visible()
    page.get_by_label("Text of the error").fill("longer than")
    page.get_by_label("Failed", exact=True).select_option("hour")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("link", name=f"#{archive.failed.pk}")).to_be_visible()
