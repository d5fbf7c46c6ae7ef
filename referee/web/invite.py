"""Links to the page for each role, as text and as codes to scan; by which addresses this machine is reached."""

from __future__ import annotations

import io
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import segno
from fastapi import APIRouter

from referee.web.answers import Answer
from referee.web.auth import KEY, Keys, Role
from referee.web.guard import plain_host

#: Where a role's link leads while a table is watched.
_STARTS = {Role.WATCHER: "live", Role.PLAYER: "buzz", Role.MASTER: ""}
_MAY = {
    Role.WATCHER: "Watchers see the table, the plays and the score.",
    Role.PLAYER: "Players may also call, challenge a moment and have photos counted.",
    Role.MASTER: "The master may also correct, set names and rules, and add recordings.",
}
#: Addresses in networks that homes have: asking the way there sends nothing, and tells our own address.
_FAR = ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254", "2001:db8::1")


@dataclass(frozen=True, slots=True)
class Invitation:
    """The links of a page with these keys; `base` as `http://192.168.1.5:8377`."""

    base: str
    keys: Keys
    #: Whether a table is watched.
    watched: bool = False

    def link(self, role: Role, path: str | None = None) -> str:
        """The link that gives a role and leads to a path (without the first /), or to where the role begins."""
        path, mark, view = (self._start(role) if path is None else path).partition("#")
        return f"{self.base}/{path}?{KEY}={self.keys.by_role[role]}{mark}{view}"

    def _start(self, role: Role) -> str:
        return _STARTS[role] if self.watched else ""

    def to_json(self) -> list[dict[str, Any]]:
        """For the page: each link with its code as a picture."""
        told = []
        for role in Role:
            link = self.link(role)
            code = segno.make(link, micro=False).svg_data_uri(scale=4, border=4, light="#ffffff")
            told.append({"role": role.word, "may": _MAY[role], "link": link, "code": code})
        return told


def link_routes(invitation: Invitation | None) -> APIRouter:
    """`/api/links`: the links; none where the page listens on this machine alone."""
    router = APIRouter()

    @router.get("/api/links")
    def links() -> Answer:
        return Answer({"links": [] if invitation is None else invitation.to_json()})

    return router


def terminal_code(link: str) -> str:
    """A code to scan from a terminal, dark on light with either colours of it: two rows of dots a line."""
    drawn = io.StringIO()
    segno.make(link, micro=False).terminal(drawn, compact=True, border=2)
    return drawn.getvalue().rstrip("\n")


def own_addresses() -> list[str]:
    """The addresses of this machine in its networks, the one that leads furthest first; nothing is sent."""
    found = [address for far in _FAR if (address := _towards(far))]
    with suppress(OSError):
        found += [str(each[4][0]) for each in socket.getaddrinfo(socket.gethostname(), None)]
    plain = dict.fromkeys(plain_host(address) for address in found if "%" not in address)
    return [address for address in plain if not address.startswith(("127.", "::1", "fe80:"))]


def _towards(far: str) -> str | None:
    """Our own address on the way to another; None where there is no way."""
    family = socket.AF_INET6 if ":" in far else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.connect((far, 9))
            return str(asking.getsockname()[0])
    except OSError:
        return None
