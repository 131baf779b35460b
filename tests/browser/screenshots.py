"""Makes the pictures of the docs: `python -m tests.browser.screenshots ADDRESS PASSWORD FOLDER`.

What is shown is the demo's own data; `bin/screenshots` makes it, starts the site and calls this.
"""

import io
import sys
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import ARGUMENTS, CHROMIUM

#: Colours of a picture: pages have few, and the files stay small.
_COLOURS = 200


@dataclass(frozen=True)
class Picture:
    """One picture: `path` is opened, then each link in `clicks` is followed by a part of its address."""

    name: str
    path: str = "/admin/"
    clicks: tuple[str, ...] = ()
    scheme: str = "light"
    language: str = "en"
    width: int = 1280
    height: int = 860


DOCUMENTS = "/admin/documents/document/"
FAILED = "/admin/jobs/failedjob/"
SEARCH = f"{DOCUMENTS}?tenant=Kanzlei+Muster&q=Vergleich"
PICTURES = (
    Picture("dashboard", height=1250),
    Picture("dashboard-dark", scheme="dark", language="de", height=1250),
    Picture("dashboard-phone", width=320, height=900),
    Picture("documents-grid", f"{DOCUMENTS}?tenant=Kanzlei+Muster&look=grid", height=1000),
    Picture("documents-search", SEARCH),
    Picture("documents-phone", f"{DOCUMENTS}?tenant=Kanzlei+Muster&look=grid", width=320, height=900),
    Picture("document", SEARCH, ("/change/",), height=1500),
    Picture("document-dark", SEARCH, ("/change/",), scheme="dark", language="de", height=1100),
    Picture("upload", f"{DOCUMENTS}upload/?tenant=Kanzlei+Muster", height=480),
    Picture("failed-jobs", FAILED, height=480),
    Picture("failed-kind", "/admin/", ("/kind/",), height=480),
    Picture("requeue", "/admin/", ("/kind/", "requeue/?"), height=440),
    Picture("job", FAILED, ("/change/",), height=1100),
    Picture("tenant", "/admin/tenants/tenant/", ("/change/",), height=1100),
)


def main() -> None:
    """Take all pictures, or those named after the folder."""
    address, password, folder, *names = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        for picture in PICTURES:
            if not names or picture.name in names:
                size = _take(browser, picture, address, password, Path(folder) / f"{picture.name}.png")
                sys.stdout.write(f"{picture.name}.png {size / 1000:.0f} kB\n")
        browser.close()


def _take(browser: Browser, picture: Picture, address: str, password: str, target: Path) -> int:
    """Take one picture and return its size in bytes."""
    context = browser.new_context(
        color_scheme=picture.scheme,  # type: ignore[arg-type]
        locale=picture.language,
        viewport={"width": picture.width, "height": picture.height},
        reduced_motion="reduce",
    )
    page = context.new_page()
    _sign_in(page, address, password)
    page.goto(address + picture.path)
    for part in picture.clicks:
        page.locator(f'#content a[href*="{part}"]').first.click()
        page.wait_for_load_state()
    page.wait_for_load_state("networkidle")
    data = page.screenshot()
    context.close()
    image = Image.open(io.BytesIO(data)).convert("RGB")
    image.quantize(colors=_COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    return target.stat().st_size


def _sign_in(page: Page, address: str, password: str) -> None:
    page.goto(address + "/admin/")
    page.locator("input[name=username]").fill("admin")
    page.locator("input[name=password]").fill(password)
    page.keyboard.press("Enter")
    page.wait_for_selector("#user-tools")


if __name__ == "__main__":
    main()
