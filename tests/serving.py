"""The page on a free port, for tests with a browser and for those of the connection; and waiting for a recording."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import uvicorn
from fastapi.testclient import TestClient

from referee.commands.serve import listen
from referee.service import Tools
from referee.web import LOOPBACK, create_app
from referee.web.auth import Keys
from referee.web.invite import Invitation


def serve(
    tools: Tools,
    recordings: Path,
    *,
    host: str = "127.0.0.1",
    hosts: Collection[str] = LOOPBACK,
    keys: Keys | None = None,
) -> Iterator[str]:
    """Serve the application on a free port, to whoever has a key where there are keys; its address."""
    listener = listen(host, 0)
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = create_app(tools, recordings, hosts, None if keys is None else Invitation(base, keys))
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield base
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


def finished(page: TestClient, id: str) -> dict[str, Any]:
    """The recording when it has been refereed."""
    for _ in range(400):
        told: dict[str, Any] = page.get(f"/api/recordings/{id}").json()
        if told["state"] in ("done", "failed"):
            return told
        time.sleep(0.05)
    raise AssertionError("the recording was not refereed within 20 s")
