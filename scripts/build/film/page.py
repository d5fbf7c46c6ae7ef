"""Takes the picture of the page for the README: the sample refereed by the real eye, in Chromium without a window."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
from pathlib import Path

import uvicorn
from playwright.sync_api import Page, sync_playwright

from referee.commands.serve import listen
from referee.service import tools
from referee.web import create_app
from vision.capture.frames import decode_image, save_image

#: How long the sample may take to be refereed, ms.
PATIENCE_MS = 600_000


def shoot(page: Page, address: str) -> bytes:
    """The sample's page at its first illegal play (or its tenth play), as PNG."""
    page.goto(f"{address}/#recording/sample")
    page.locator("#plays li").first.wait_for(timeout=PATIENCE_MS)
    illegal = page.locator("#plays li.illegal button")
    (illegal.first if illegal.count() else page.locator("#plays li button").nth(9)).click()
    page.wait_for_timeout(2000)
    return page.screenshot()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/page.jpg"))
    options = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("there is no Chromium here: install the package chromium")
    listener = listen("127.0.0.1", 0)
    with tempfile.TemporaryDirectory() as folder:
        server = uvicorn.Server(uvicorn.Config(create_app(tools, Path(folder)), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1366, "height": 850})
            picture = shoot(page, f"http://127.0.0.1:{listener.getsockname()[1]}")
            browser.close()
        server.should_exit = True
        thread.join()
    save_image(options.out, decode_image(picture, "the screenshot"))
    print(options.out)


if __name__ == "__main__":
    main()
