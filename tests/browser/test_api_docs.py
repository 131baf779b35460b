"""The page that explains the API, in a browser and under the policy of the site."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.api.routes import ROUTES
from tests.browser.conftest import IN_A_BROWSER, Visit

pytestmark = [*IN_A_BROWSER, pytest.mark.timeout(600)]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_the_page_about_the_api_is_styled_readable_and_breaks_no_policy(
    visit: Visit, scheme: str, width: int
) -> None:
    visitor = visit(scheme=scheme, width=width)
    page = visitor.open("/api/docs")
    assert page.locator("section[id]").count() > len(ROUTES)
    assert page.evaluate("getComputedStyle(document.querySelector('section')).borderTopStyle") == "solid"
    page.locator("nav a[href='#store']").click()
    assert page.url.endswith("#store")
    page.locator("#store a", has_text="Stored").click()
    assert page.url.endswith("#shape-Stored")
    assert visitor.side_scroll() <= 0
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    assert visitor.complaints == []
