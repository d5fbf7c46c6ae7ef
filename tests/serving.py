"""The page on a free port, for tests with a browser and for those of the connection; and waiting for a recording."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi.testclient import TestClient

from referee.commands.serve import listen
from referee.service import Tools
from referee.web import LOOPBACK, create_app
from referee.web.auth import Keys
from referee.web.invite import Invitation
from referee.web.live import LiveTable

#: A browser without a window, that asks nobody but the page.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True)
class Served:
    """Where the page is served."""

    address: str
    port: int


@contextmanager
def serving(
    tools: Tools,
    recordings: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    hosts: Collection[str] = LOOPBACK,
    keys: Keys | None = None,
    table: LiveTable | None = None,
) -> Iterator[Served]:
    """Serve the application, on a free port where none is named, to whoever has a key where there are keys."""
    listener = listen(host, port)
    port = listener.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    app = create_app(tools, recordings, hosts, None if keys is None else Invitation(address, keys), table)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Served(address, port)
    finally:
        app.state.leave()
        server.should_exit = True
        thread.join(20)
        listener.close()


def serve(tools: Tools, recordings: Path, **how: Any) -> Iterator[str]:
    """The address at which the application is served, as a fixture gives it."""
    with serving(tools, recordings, **how) as served:
        yield served.address


def finished(page: TestClient, id: str) -> dict[str, Any]:
    """The recording when it has been refereed."""
    for _ in range(400):
        told: dict[str, Any] = page.get(f"/api/recordings/{id}").json()
        if told["state"] in ("done", "failed"):
            return told
        time.sleep(0.05)
    raise AssertionError("the recording was not refereed within 20 s")
