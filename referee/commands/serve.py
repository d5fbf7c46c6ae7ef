"""`nerts-referee serve`: the web page."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from referee.commands.console import out, whole_number_for
from referee.service import BadInputError

if TYPE_CHECKING:
    import uvicorn

    from referee.web.certificate import Certificate
    from referee.web.invite import Invitation
    from referee.web.live import LiveTable

DEFAULT_PORT = 8377
#: Stand for every address of the machine.
_ALL_ADDRESSES = ("0.0.0.0", "::", "")
#: How long a page that is served beside something else is waited for when that ends, s.
_STOPS_S = 5.0
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

TlsOption = Annotated[
    bool,
    typer.Option(
        "--tls", help="Serve https with a certificate of this machine's own: phones then lend their camera."
    ),
]
AllowHostOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A further name that the page may be called by, as a router's for this machine; can be repeated.",
    ),
]
NewLinksOption = Annotated[
    bool, typer.Option("--new-links", help="Make new links: those of the last start hold no longer.")
]


def serve(
    host: HostOption = "127.0.0.1",
    port: PortOption = DEFAULT_PORT,
    recordings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where recordings and their records are kept.")
    ] = None,
    allow_host: AllowHostOption = None,
    tls: TlsOption = False,
    new_links: NewLinksOption = False,
) -> int:
    """Serve the page: score a photo, or watch a recording being refereed."""
    hosts = allowed_hosts(host, allow_host or ())
    shelf = recordings or default_recordings()
    run_server(host, port, shelf, hosts=hosts, tls=tls, new_links=new_links)
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
    host: str,
    port: int,
    recordings: Path,
    *,
    open_at: str = "",
    hosts: Collection[str] | None = None,
    tls: bool = False,
    new_links: bool = False,
) -> None:
    """Serve until stopped, to whoever calls it by one of `hosts`; BadInputError when port or folder cannot be had.

    Where it listens beyond this machine, or is called by a name beyond it, every request needs a key.
    """
    with closing(listen(host, port)) as listener:
        server, leave, _ = _prepared(listener, host, recordings, None, open_at, hosts, tls, new_links)
        _leave_first(server, leave)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


@contextmanager
def served_beside(
    host: str,
    port: int,
    recordings: Path,
    table: LiveTable,
    *,
    hosts: Collection[str] | None = None,
    tls: bool = False,
    new_links: bool = False,
) -> Iterator[Callable[[str], str]]:
    """Serve the page with a table that is watched, in a thread of its own, as long as this is open; see `run_server`.

    Gives what tells the master's address of a place on the page ("#live").
    """
    with closing(listen(host, port)) as listener:
        server, leave, address = _prepared(listener, host, recordings, table, "", hosts, tls, new_links)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name="page", daemon=True)
        thread.start()
        try:
            yield address
        finally:
            leave()
            server.should_exit = True
            thread.join(_STOPS_S)


def _prepared(
    listener: socket.socket,
    host: str,
    recordings: Path,
    table: LiveTable | None,
    open_at: str,
    hosts: Collection[str] | None,
    tls: bool,
    new_links: bool,
) -> tuple[uvicorn.Server, Callable[[], None], Callable[[str], str]]:
    """A server of the page, what ends all that browsers listen to, and where its places are; the page's is told."""
    import uvicorn

    from referee.service import tools
    from referee.web import create_app

    make_shelf(recordings)
    names = allowed_hosts(host) if hosts is None else hosts
    certificate = _certificate(names) if tls else None
    base = _base(host, listener.getsockname()[1], tls)
    invitation = _invitation(base, new_links, table is not None) if is_beyond(host, names) else None
    address = partial(_address, base, invitation)
    _tell(address(open_at), recordings, invitation, certificate)
    app = create_app(tools, recordings, names, invitation, table)
    config = uvicorn.Config(
        app,
        log_level="warning",
        timeout_graceful_shutdown=2,
        ssl_certfile=None if certificate is None else certificate.cert,
        ssl_keyfile=None if certificate is None else certificate.key,
    )
    return uvicorn.Server(config), app.state.leave, address


def _address(base: str, invitation: Invitation | None, at: str) -> str:
    """Where the master finds a place on the page."""
    from referee.web.auth import Role

    return f"{base}/{at}" if invitation is None else invitation.link(Role.MASTER, at)


def _leave_first(server: uvicorn.Server, leave: Callable[[], None]) -> None:
    """Let pages that listen go when the server is told to stop: it waits for them."""
    stop = server.handle_exit

    def handle_exit(sig: int, frame: FrameType | None) -> None:
        leave()
        stop(sig, frame)

    server.handle_exit = handle_exit  # type: ignore[method-assign]


def is_beyond(host: str, names: Iterable[str]) -> bool:
    """Whether others than this machine may get to the page."""
    return not all(map(_is_loopback, (host, *names)))


def _is_loopback(name: str) -> bool:
    try:
        return name.lower() == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _base(host: str, port: int, tls: bool) -> str:
    """Scheme, address and port by which the page is reached, also by phones where it is served to them."""
    from referee.web.invite import own_addresses

    if host in _ALL_ADDRESSES:
        host = next(iter(own_addresses()), "127.0.0.1")
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if tls else 'http'}://{shown}:{port}"


def _certificate(names: Collection[str]) -> Certificate:
    from referee.web.certificate import certificate_for
    from referee.web.guard import LOOPBACK
    from referee.web.invite import own_addresses
    from referee.web.private import private_folder

    reached = {*names, *LOOPBACK, *own_addresses()} - set(_ALL_ADDRESSES)
    return certificate_for(reached, private_folder())


def _invitation(base: str, new_links: bool, watched: bool) -> Invitation:
    from referee.web.invite import Invitation
    from referee.web.private import kept_keys, private_folder

    return Invitation(base, kept_keys(private_folder(), anew=new_links), watched)


def _tell(
    address: str,
    recordings: Path,
    invitation: Invitation | None,
    certificate: Certificate | None,
) -> None:
    """Where the page is, who may open it, and how it is known to be the one."""
    from referee.web.auth import Role

    shown = f"serving on {address}  (stop with Ctrl-C; recordings in {recordings})"
    out.print(shown, markup=False, soft_wrap=True)
    if certificate is not None:
        told = "browsers warn of a certificate that they do not know: this one's SHA-256 is"
        out.print(f"{told} {certificate.fingerprint}", markup=False, soft_wrap=True)
    if invitation is not None:
        out.print("The link above is the master's: it corrects, and sets names and rules.", soft_wrap=True)
        for role in (Role.PLAYER, Role.WATCHER):
            out.print(f"{role.word}s: {invitation.link(role)}", markup=False, soft_wrap=True)
        _show_codes(invitation)
    out.file.flush()


def _show_codes(invitation: Invitation) -> None:
    """The codes of the master's and the players' links, where the terminal can show them."""
    from referee.web.auth import Role
    from referee.web.invite import terminal_code

    try:
        "█▀▄".encode(out.encoding)
    except UnicodeEncodeError:
        return
    for role, whose in ((Role.MASTER, "the master"), (Role.PLAYER, "the players")):
        out.print(f"\nto scan, for {whose}:")
        out.print(terminal_code(invitation.link(role)), markup=False, soft_wrap=True)


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
