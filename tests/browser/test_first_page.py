"""The first page in a browser: what it shows in small plots, and what can be done from it."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from jobs.models import QueueSample, TenantQueue
from tenants.scope import operator_scope
from tests.browser.conftest import IN_A_BROWSER, Archive, Visit, Visitor
from tests.browser.test_pages import RULES

pytestmark = [*IN_A_BROWSER, pytest.mark.timeout(600)]

WINDOWS = [(1280, "light"), (1280, "dark"), (320, "light"), (320, "dark")]


@pytest.fixture
def at_home(visit: Visit, archive: Archive) -> Visitor:
    """Somebody who may do everything, before the first page."""
    visitor = visit()
    visitor.sign_in()
    return visitor


def button(visitor: Visitor, name: str) -> Locator:
    """The button of the tenant that waits."""
    return visitor.page.get_by_role("button", name=re.compile(rf"^{name}\W+Kanzlei Weiß"))


def is_paused() -> bool:
    with operator_scope():
        return TenantQueue.objects.get().paused


def test_a_tenant_is_paused_and_unpaused_from_the_first_page_also_by_keyboard(at_home: Visitor) -> None:
    button(at_home, "Pause").click()
    expect(
        at_home.page.get_by_text("Paused: Kanzlei Weiß & Partner mbB. Nothing of it is begun")
    ).to_be_visible()
    expect(at_home.page).to_have_url(at_home.address + "/admin/")
    row = at_home.page.get_by_role("row", name="Kanzlei Weiß & Partner mbB")
    expect(row.get_by_text("paused", exact=True)).to_be_visible()
    assert is_paused()
    button(at_home, "Unpause").focus()
    at_home.page.keyboard.press("Enter")
    expect(at_home.page.get_by_text("Jobs of Kanzlei Weiß & Partner mbB are begun again.")).to_be_visible()
    expect(button(at_home, "Pause")).to_be_visible()
    assert not is_paused()


def test_a_button_keeps_the_focus_while_figures_come_and_works_after_they_came(at_home: Visitor) -> None:
    page = at_home.page
    waiting = page.locator("#dashboard .figures dd").first
    button(at_home, "Pause").focus()
    latest = QueueSample.objects.latest("sampled_at")
    QueueSample.objects.create(counts={"probe": {"queued": 11}}, waiting=latest.waiting)
    page.wait_for_timeout(11_000)
    expect(button(at_home, "Pause")).to_be_focused()
    expect(waiting).to_have_text("7")
    page.evaluate("document.activeElement.blur()")
    expect(waiting).to_have_text("11", timeout=30_000)
    button(at_home, "Pause").click()
    expect(button(at_home, "Unpause")).to_be_visible()
    assert is_paused()


def test_each_kind_of_error_has_its_last_day_as_a_plot_with_words(at_home: Visitor) -> None:
    failed = at_home.page.get_by_role("region", name="Failed, by kind")
    plot = failed.get_by_role("img", name="Failed by hour, in the last 24 hours")
    expect(plot).to_be_visible()
    expect(failed.get_by_text("1 in the last 24 hours")).to_be_visible()
    box = plot.locator(".spark-bars").bounding_box()
    assert box
    assert box["height"] > 10
    described = plot.evaluate("plot => plot.querySelector('desc').textContent")
    assert described.startswith("1 failed; most, 1, at ")


def test_the_first_page_says_how_long_the_vault_has_room_and_since_when_types_wait(at_home: Visitor) -> None:
    room = at_home.page.get_by_role("region", name="Machine and care")
    expect(room.get_by_text("vault full in")).to_be_visible()
    expect(room.get_by_text("at the rate of the last 6 days")).to_be_visible()
    types = at_home.page.get_by_role("region", name="By type and lane")
    expect(types.get_by_role("columnheader", name="oldest due")).to_be_visible()
    expect(types.get_by_role("cell", name="at least 1 min 35 s")).to_be_visible()


def test_in_a_narrow_window_each_figure_of_a_type_says_what_it_is(visit: Visit, archive: Archive) -> None:
    visitor = visit(width=320, language="de")
    visitor.sign_in()
    cell = visitor.page.locator("td[data-label='ältester fälliger']")
    expect(cell).to_have_text("mindestens 1 min 35 s")
    assert cell.evaluate("cell => getComputedStyle(cell).display") == "block"
    assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == '"ältester fälliger: "'


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_the_first_page_breaks_no_rule_in_any_window(
    visit: Visit, archive: Archive, width: int, scheme: str
) -> None:
    visitor = visit(width=width, scheme=scheme, language="de" if scheme == "dark" else "en")
    visitor.sign_in()
    results = Axe().run(visitor.page, options=RULES)
    assert results.response["violations"] == []
    assert visitor.side_scroll() == 0
    wide = "cards => cards.filter(card => card.scrollWidth > card.clientWidth).map(card => card.innerText)"
    assert visitor.page.locator(".dashboard-cards .card").evaluate_all(wide) == []
