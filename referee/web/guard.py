"""Whom the page answers: those who came by its own address, and no other site's pages."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv6Address, ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from referee.web.answers import Answer

#: Under these names nothing but the machine itself is reached.
LOOPBACK = ("localhost", "127.0.0.1", "::1")
#: Nothing from outside is loaded, run or framed.
_POLICY = (
    "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'"
)
#: A name or an address, in brackets where it is of IPv6, and perhaps a port.
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d*)?", re.IGNORECASE)
_READING = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Refuses what came by a name that is not the page's, and what other sites ask for.

    A name of another site may be bound to this machine behind a browser's back; the address that a connection came to
    may not, so it is answered beside `hosts`. Tells browsers to load nothing from outside and to keep nothing.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOOPBACK) -> None:
        self._app = app
        self._hosts = frozenset(plain_host(host) for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _guarded(send))
        elif scope["type"] == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        else:
            await refusal(scope, receive, _guarded(send))

    def _refusal(self, scope: Scope) -> Answer | None:
        headers = Headers(scope=scope)
        stated = headers.get("host", "")
        host = host_of(stated)
        if host is None or (host not in self._hosts and host != _called(scope)):
            return Answer({"error": _not_here(host)}, status_code=421)
        if _from_another_site(scope, headers, stated):
            return Answer(
                {"error": "Only the referee's own page may ask for this: open it in a tab of its own."},
                status_code=403,
            )
        return None


def host_of(header: str) -> str | None:
    """The plain name or address in a Host header, without its port; None where there is none."""
    found = _HOST.fullmatch(header)
    return plain_host(found[1] or found[2]) if found else None


def plain_host(host: str) -> str:
    """A name or an address as it is compared: in small letters, an address in its shortest form."""
    host = host.lower().removesuffix(".")
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return str(address)


def _called(scope: Scope) -> str | None:
    """The address of this machine that the connection came to."""
    server = scope.get("server")
    try:
        return plain_host(str(ip_address(str(server[0]).partition("%")[0]))) if server else None
    except ValueError:
        return None


def _not_here(host: str | None) -> str:
    if host is None:
        return "The name that this page was called by is none: open the address that `nerts-referee serve` printed."
    return (
        f"This page is not served as {host[:80]}: open the address that `nerts-referee serve` printed, "
        f"or start it with --allow-host {host[:80]}."
    )


def _from_another_site(scope: Scope, headers: Headers, host: str) -> bool:
    """Did another site's page ask? To lead a browser here is allowed."""
    if scope["type"] != "http":
        return True
    origin = headers.get("origin", "")
    reads = scope["method"] in _READING
    if origin and not reads and origin.partition("://")[2].lower() != host.lower():
        return True
    if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return False
    return not (reads and headers.get("sec-fetch-mode") == "navigate")


def _guarded(send: Send) -> Send:
    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer = MutableHeaders(scope=message)
            answer["Content-Security-Policy"] = _POLICY
            answer["X-Content-Type-Options"] = "nosniff"
            answer["Cross-Origin-Resource-Policy"] = "same-origin"
            answer["Referrer-Policy"] = "no-referrer"
            answer.setdefault("Cache-Control", "no-cache")
        await send(message)

    return send_guarded
