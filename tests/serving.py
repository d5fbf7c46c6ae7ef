"""The page on a free port, for tests with a browser and for those of the connection."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from pathlib import Path

import uvicorn

from referee.commands.serve import listen
from referee.service import Tools
from referee.web import LOOPBACK, create_app


def serve(
    tools: Tools, recordings: Path, *, host: str = "127.0.0.1", hosts: Collection[str] = LOOPBACK
) -> Iterator[str]:
    """Serve the application on a free port; its address."""
    listener = listen(host, 0)
    app = create_app(tools, recordings, hosts=hosts)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(20)
    listener.close()
