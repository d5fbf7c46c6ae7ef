"""Addresses of cameras in the network, and what is told of them: never a password."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from vision.capture.live.errors import SourceError

SCHEMES = ("http", "https", "rtsp", "rtsps")


@dataclass(frozen=True, slots=True)
class Address:
    """An address taken apart. `bare` is what is asked for, without who asks; `told` what may be shown to anybody."""

    scheme: str
    bare: str
    told: str
    user: str | None
    password: str | None

    def whole(self) -> str:
        """As FFmpeg takes it, who asks included: not to be shown."""
        if self.user is None:
            return self.bare
        who = quote(self.user, safe="") + (
            "" if self.password is None else ":" + quote(self.password, safe="")
        )
        return self.bare.replace("://", f"://{who}@", 1)

    def __repr__(self) -> str:
        return f"Address({self.told})"


def is_address(spec: str) -> bool:
    """Whether this is meant as an address."""
    return "://" in spec


def parse_address(spec: str) -> Address:
    """Take an address apart. Raises SourceError, which does not repeat it."""
    scheme = spec.split("://", 1)[0].lower()
    if scheme not in SCHEMES:
        raise SourceError("this kind of address gives no pictures: write http://…, https://… or rtsp://…")
    try:
        parts = urlsplit(spec)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or any(character.isspace() or not character.isprintable() for character in spec):
        raise SourceError("this address is none: write it as http://192.168.1.20:8080/video, say")
    place = (f"[{host}]" if ":" in host else host) + ("" if port is None else f":{port}")
    bare = urlunsplit((scheme, place, parts.path, parts.query, ""))
    # cheap cameras take the password behind the question mark
    told = urlunsplit((scheme, place, parts.path, "…" if parts.query else "", ""))
    user, password = (None if part is None else unquote(part) for part in (parts.username, parts.password))
    return Address(scheme, bare, told, user, password)
