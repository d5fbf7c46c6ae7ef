"""`nerts-referee serve`: the web page."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Annotated

import typer

from referee.commands.console import BadInputError, out, whole_number_for

DEFAULT_PORT = 8377
HostOption = Annotated[
    str, typer.Option(help="Address to serve on; 0.0.0.0 lets a phone in the same network in.")
]
PortOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=whole_number_for("--port", 0, 65535, DEFAULT_PORT),
        help="Port to serve on; 0 takes a free one.",
    ),
]


def serve(
    host: HostOption = "127.0.0.1",
    port: PortOption = DEFAULT_PORT,
    recordings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where recordings and their records are kept.")
    ] = None,
) -> int:
    """Serve the page: score a photo, or watch a recording being refereed."""
    run_server(host, port, recordings or default_recordings())
    return 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(serve)


def default_recordings() -> Path:
    """The user's data folder: $XDG_DATA_HOME/nerts-referee, else ~/.local/share/nerts-referee."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "nerts-referee" / "recordings"


def run_server(host: str, port: int, recordings: Path, *, open_at: str = "") -> None:
    """Serve until stopped; BadInputError when the port or the folder cannot be had."""
    import uvicorn

    from referee.commands.tools import tools
    from referee.web import create_app

    try:
        recordings.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise BadInputError(f"{recordings} is a file: name a folder for the recordings") from error
    except OSError as error:
        raise BadInputError(
            f"{recordings} cannot be made ({error.strerror}): choose another folder"
        ) from error
    listener = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/{open_at}"
    out.print(f"serving on {address}  (stop with Ctrl-C; recordings in {recordings})", markup=False)
    config = uvicorn.Config(create_app(tools, recordings), log_level="warning", timeout_graceful_shutdown=2)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, or one line that says why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if isinstance(error, socket.gaierror):
            raise BadInputError(f"there is no address {host!r} here: try --host 127.0.0.1") from error
        raise BadInputError(
            f"port {port} on {host} cannot be used ({error.strerror}): choose another with --port, "
            "or stop what is using it"
        ) from error
    return listener
