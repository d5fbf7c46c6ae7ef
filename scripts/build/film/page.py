"""Takes a picture of the page: the sample refereed by the real eye, in Chromium without a window.

By itself its recording, stopped at an illegal play; with --live the table as it is played, when a play is called out.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import uvicorn
from playwright.sync_api import Page, sync_playwright

from referee.commands.serve import listen
from referee.service import Told, tools
from referee.web import create_app
from vision.capture.frames import decode_image, encode_jpeg
from vision.wholefile import write_whole

#: How long the sample may take to be refereed, ms.
PATIENCE_MS = 600_000
#: How long play goes on behind a flag before the picture is taken, s of the film.
STANDS_S = 5.0
#: A README is to be there soon.
QUALITY = 82


@contextmanager
def recorded(folder: Path) -> Iterator[str]:
    """The address of a page with the sample among its recordings."""
    with closing(listen("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(create_app(tools, folder), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def played(folder: Path, speed: float) -> Iterator[str]:
    """The address of a page on which the sample is played now."""
    with closing(listen("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    decks = [f"--deck={deck}={seat}" for seat, deck in (Told.beside(tools.sample).seats or {}).items()]
    watch = ["watch", "--as-live", str(tools.sample), "--speed", str(speed), *decks]
    given = [*watch, "--recordings", str(folder), "--port", port]
    with subprocess.Popen([sys.executable, "-m", "referee.commands", *given], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        run.stdout.readline()  # it tells its address when it can be asked
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            run.terminate()
            run.communicate()


def shoot_recorded(page: Page, address: str) -> bytes:
    """The sample's page at its first illegal play (or its tenth play), as PNG."""
    page.goto(f"{address}/#recording/sample")
    page.locator("#plays li").first.wait_for(timeout=PATIENCE_MS)
    illegal = page.locator("#plays li.illegal button")
    (illegal.first if illegal.count() else page.locator("#plays li button").nth(9)).click()
    page.wait_for_timeout(2000)
    return page.screenshot()


def shoot_live(page: Page, address: str, speed: float) -> bytes:
    """The live page some seconds after the first flag, as PNG; nothing where no play was called out."""
    page.goto(f"{address}/live")
    page.locator("#live-flags li, #live-state[data-state=over]").first.wait_for(timeout=PATIENCE_MS)
    if not page.locator("#live-flags li").count():
        return b""
    page.wait_for_timeout(STANDS_S * 1000 / speed)
    return page.screenshot()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--live", action="store_true", help="the table as it is played")
    parser.add_argument("--speed", type=float, default=1.0, help="of the film, where this machine is busy")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    out = options.out or Path("docs/live.jpg" if options.live else "docs/page.jpg")
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("there is no Chromium here: install the package chromium")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as play:
        folder = Path(name)
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1366, "height": 940 if options.live else 850})
        if options.live:
            with played(folder, options.speed) as address:
                picture = shoot_live(page, address, options.speed)
        else:
            with recorded(folder) as address:
                picture = shoot_recorded(page, address)
        browser.close()
    if not picture:
        raise SystemExit("no play was called out this time: take the picture again")
    write_whole(out, encode_jpeg(decode_image(picture, "the screenshot"), QUALITY))
    print(out)


if __name__ == "__main__":
    main()
