"""The pages of filing in a browser: rules of accessibility, narrow windows, and the ways that people take."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import IN_A_BROWSER, Archive, Visit
from tests.browser.filing_pages import TAGS, fill_filing
from tests.browser.test_pages import RULES

pytestmark = [*IN_A_BROWSER, pytest.mark.timeout(600)]


def test_pages_of_filing_break_no_rule_of_accessibility_and_fit_a_narrow_window(
    visit: Visit, archive: Archive
) -> None:
    addresses = fill_filing(archive)
    visitor = visit(width=320, language="de")
    visitor.sign_in()
    wide, found = {}, {}
    for address in addresses:
        visitor.open(address)
        if visitor.side_scroll() > 0:
            wide[address] = visitor.side_scroll()
        results = Axe().run(visitor.page, options=RULES)
        if results.violations_count:
            found[address] = [
                (violation["id"], [node["html"][:160] for node in violation["nodes"]])
                for violation in results.response["violations"]
            ]
    assert (wide, found) == ({}, {})


def test_a_suggestion_is_taken_another_date_too_and_tags_are_merged(visit: Visit, archive: Archive) -> None:
    fill_filing(archive)
    visitor = visit()
    visitor.sign_in()
    page = visitor.open(f"/admin/documents/document/{archive.document.pk}/change/")
    page.get_by_role("row", name="Stadtwerke Beispielstadt GmbH").get_by_role("button").first.click()
    expect(
        page.get_by_role("row", name="Stadtwerke Beispielstadt GmbH").get_by_text("a person")
    ).to_be_visible()
    page.get_by_role("button", name="Take").first.click()
    expect(page.get_by_text("The date is set and stays.")).to_be_visible()
    page = visitor.open("/admin/documents/tag/")
    page.locator("#action-toggle").check()
    page.locator("select[name=action]").select_option(label="Merge the selected rows")
    page.locator("button[name=index]").click()
    page.get_by_role("radio", name=TAGS[0]).check()
    page.get_by_role("button", name="Merge").click()
    expect(page.get_by_text("Merged; 2 documents were moved.")).to_be_visible()
