"""`nerts-referee serve`: the web page."""

from __future__ import annotations

import os
import socket
from collections.abc import Collection, Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated

import typer

from referee.commands.console import out, whole_number_for
from referee.service import BadInputError

DEFAULT_PORT = 8377
#: Stand for every address of the machine.
_ALL_ADDRESSES = ("0.0.0.0", "::", "")
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
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A further name that the page may be called by, as a router's for this machine; can be repeated.",
        ),
    ] = None,
) -> int:
    """Serve the page: score a photo, or watch a recording being refereed."""
    hosts = allowed_hosts(host, allow_host or ())
    run_server(host, port, recordings or default_recordings(), hosts=hosts)
    return 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(serve)


def default_recordings() -> Path:
    """The user's data folder: $XDG_DATA_HOME/nerts-referee, else ~/.local/share/nerts-referee."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "nerts-referee" / "recordings"


def allowed_hosts(host: str, further: Iterable[str] = ()) -> set[str]:
    """The names that a page served at `host` may be called by; BadInputError for a further one that is no name.

    Where it is served at all addresses, the machine's name is among them; the address called is always answered.
    """
    from referee.web.guard import LOOPBACK, host_of, plain_host

    names = {plain_host(name) for name in (*LOOPBACK, host)}
    if host in _ALL_ADDRESSES:
        machine = plain_host(socket.gethostname())
        names |= {machine, f"{machine.removesuffix('.local')}.local"}
    for name in further:
        plain = plain_host(name)
        if host_of(f"[{plain}]" if ":" in plain else plain) != plain:
            raise BadInputError(
                f"--allow-host {name!r} is no name: give a name or an address alone, without http:// and port"
            )
        names.add(plain)
    return names


def run_server(
    host: str, port: int, recordings: Path, *, open_at: str = "", hosts: Collection[str] | None = None
) -> None:
    """Serve until stopped, to whoever calls it by one of `hosts`; BadInputError when port or folder cannot be had."""
    import uvicorn

    from referee.service import tools
    from referee.web import create_app

    with closing(listen(host, port)) as listener:
        make_shelf(recordings)
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listener.getsockname()[1]}/{open_at}"
        out.print(f"serving on {address}  (stop with Ctrl-C; recordings in {recordings})", markup=False)
        app = create_app(tools, recordings, allowed_hosts(host) if hosts is None else hosts)
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])


def make_shelf(recordings: Path) -> None:
    """The folder for recordings; BadInputError where it cannot be had."""
    try:
        recordings.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise BadInputError(f"{recordings} is a file: name a folder for the recordings") from error
    except OSError as error:
        raise BadInputError(
            f"{recordings} cannot be made ({error.strerror}): choose another folder"
        ) from error


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, or one line that says why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, TypeError, UnicodeError) as error:  # the last two: what cannot be a name of the internet
        listener.close()
        if isinstance(error, socket.gaierror | TypeError | UnicodeError):
            raise BadInputError(f"there is no address {host!r} here: try --host 127.0.0.1") from error
        raise BadInputError(
            f"port {port} on {host} cannot be used ({error.strerror}): choose another with --port, "
            "or stop what is using it"
        ) from error
    return listener
