"""Wipes in the admin: watched while they are at work, approved by a second pair of eyes."""

import pytest
from playwright.sync_api import expect

from tenants.models import User, WipeOrder
from tenants.scope import operator_scope
from tests.browser.conftest import IN_A_BROWSER, Archive, Visit

pytestmark = [*IN_A_BROWSER, pytest.mark.timeout(300)]


def change(order: WipeOrder, **values: object) -> None:
    with operator_scope():
        WipeOrder.objects.filter(pk=order.pk).update(**values)


def test_a_running_wipe_is_watched_without_losing_the_place(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.open("/admin/tenants/tenant/")
    page.get_by_role("link", name="Müller & Söhne GmbH").click()
    expect(page.get_by_text("250 of 1,000 files, entries and rows (25 %)")).to_be_visible()
    page.get_by_text("How to delete or empty this tenant").click()
    page.get_by_role("link", name="What lies there").focus()
    change(archive.running, done=500)
    expect(page.get_by_text("500 of 1,000 files, entries and rows (50 %)")).to_be_visible(timeout=15_000)
    expect(page.get_by_role("progressbar")).to_have_js_property("value", 500)
    expect(page.get_by_role("link", name="What lies there")).to_be_focused()
    expect(page.get_by_text("Look at what would go")).to_be_visible()
    change(archive.running, done=1000, state="done", phase="")
    expect(page.locator(".state-wipe-done")).to_be_visible(timeout=15_000)


def test_another_operator_approves_a_request_by_their_password(visit: Visit, archive: Archive) -> None:
    visitor = visit()
    visitor.sign_in()
    page = visitor.page
    menu = page.get_by_role("navigation", name="Main menu")
    menu.get_by_text("More", exact=True).click()
    menu.get_by_role("link", name="Wipe orders").click()
    row = page.get_by_role("row", name="waits for approval")
    expect(row.get_by_text("Kanzlei Weiß & Partner mbB")).to_be_visible()
    row.get_by_role("link").first.click()
    page.get_by_label("Your password").fill("wrong")
    page.get_by_role("button", name="Approve and begin").click()
    page.get_by_text("That is not your password: nothing was changed.").wait_for()
    page.get_by_label("Your password").fill("secret")
    page.get_by_role("button", name="Approve and begin").click()
    page.get_by_text("begins as soon as a worker is free").wait_for()
    expect(page.get_by_role("button", name="Take back")).to_be_visible()
    with operator_scope():
        order = WipeOrder.objects.get(pk=archive.requested.pk)
        assert order.approved_by == f"user:{User.objects.get(username='operator').pk}"
    page.get_by_role("button", name="Take back").click()
    page.get_by_text("Taken back;").wait_for()
