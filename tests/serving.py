"""The page on a free port, for tests with a browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import uvicorn

from referee.commands.serve import listen
from referee.commands.tools import Tools
from referee.web import create_app


def serve(tools: Tools, recordings: Path) -> Iterator[str]:
    """Serve the application on a free port; its address."""
    listener = listen("127.0.0.1", 0)
    config = uvicorn.Config(create_app(tools, recordings), log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(20)
    listener.close()
