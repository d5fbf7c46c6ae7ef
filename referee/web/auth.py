"""Who may do what on the page: whoever asks from beyond this machine shows a key, and every key has a role."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from hmac import compare_digest
from html import escape
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from referee.web.answers import Answer

#: Where a link carries its key, and where a browser keeps it for how long (s).
KEY = "key"
COOKIE = "nerts-referee"
KEPT_S = 24 * 3600
#: Random bytes of a key.
_KEY_BYTES = 16
_READING = ("GET", "HEAD", "OPTIONS")


class Role(IntEnum):
    """What somebody may do; each may do what those beneath may."""

    WATCHER = 1
    PLAYER = 2
    MASTER = 3

    @property
    def word(self) -> str:
        """As it is written in links, cookies and answers."""
        return self.name.lower()


#: What players may ask for that changes something, or takes time: buzz, challenge, have photos looked at and
#: counted in a match, look through a camera.
_PLAYERS = re.compile(
    r"/api/(?:photos|score|viewfinder|counted|live/(?:call|answer)|recordings/[^/]+/challenges(?:/[0-9]+)?)"
)
#: What only the master is told.
_MASTERS = re.compile(r"/api/links")


def role_for(method: str, path: str) -> Role:
    """The least role that may ask for this: whatever is not named here and changes something is the master's."""
    path = path.rstrip("/")
    if _MASTERS.fullmatch(path):
        return Role.MASTER
    if method in _READING:
        return Role.WATCHER
    return Role.PLAYER if _PLAYERS.fullmatch(path) else Role.MASTER


@dataclass(frozen=True, slots=True)
class Keys:
    """A key for each role."""

    by_role: Mapping[Role, str]

    @classmethod
    def new(cls) -> Keys:
        """Keys that nobody has seen."""
        return cls({role: token_urlsafe(_KEY_BYTES) for role in Role})

    def role(self, given: str) -> Role | None:
        """Whose key this is; takes equally long whatever is given."""
        whose = None
        for role, key in self.by_role.items():
            if compare_digest(given.encode(errors="replace"), key.encode()):
                whose = role
        return whose


class Auth:
    """Lets in who shows a key: in the address once, then by a cookie, or as `Authorization: Bearer KEY`.

    Without `keys` everybody who gets here is the master: then the page listens on this machine alone. The routes find
    the role in `request.state.role`.
    """

    def __init__(self, app: ASGIApp, keys: Keys | None = None) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] == "http":
            answer = self._admit(scope) or self._app
            await answer(scope, receive, send)
        elif scope["type"] == "websocket" and self._keys is not None:
            await WebSocketClose(1008)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _admit(self, scope: Scope) -> Response | None:
        """What is answered instead of what was asked for; None for who may ask, whose role is then told."""
        role: Role | None = Role.MASTER
        if self._keys is not None:
            linked = _linked(scope)
            if linked is not None:
                return self._enter(scope, linked)
            role = next((known for key in _shown(scope) if (known := self._keys.role(key))), None)
        if role is None:
            return _refused(
                scope, 401, "This page is for whoever has its link: scan its code, or ask whoever started it."
            )
        needed = role_for(scope["method"], scope["path"])
        if role < needed:
            return _refused(
                scope, 403, f"A {role.word}'s link does not reach here: ask for the {needed.word}'s link."
            )
        scope.setdefault("state", {})["role"] = role
        return None

    def _enter(self, scope: Scope, key: str) -> Response:
        """The key out of the address and into a cookie.

        Not by a redirect: a browser that another site has sent here would not show a strict cookie on it.
        """
        assert self._keys is not None
        if self._keys.role(key) is None:
            return _refused(
                scope, 401, "This link holds no longer: scan the code anew, or ask for the new link."
            )
        target = escape(_without_key(scope))
        answer = HTMLResponse(_ENTER.format(target=target), headers={"Cache-Control": "no-store"})
        answer.set_cookie(
            COOKIE, key, max_age=KEPT_S, httponly=True, samesite="strict", secure=scope["scheme"] == "https"
        )
        return answer


_ENTER = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>nerts-referee</title><script src="/static/enter.js"></script>
<noscript><meta http-equiv="refresh" content="0;url={target}"></noscript></head>
<body><main><h1>nerts-referee</h1><p><a id="on" href="{target}">Go on to the page</a></p></main></body></html>
"""
_REFUSED = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>nerts-referee</title></head>
<body><main><h1>nerts-referee</h1><p>{sentence}</p></main></body></html>
"""


def _refused(scope: Scope, status: int, sentence: str) -> Response:
    """A page for people, {"error"} for programs."""
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    asked = Headers(scope=scope)
    if scope["method"] in ("GET", "HEAD") and "text/html" in asked.get("accept", ""):
        return HTMLResponse(_REFUSED.format(sentence=escape(sentence)), status, headers=headers)
    if scope["method"] not in _READING:
        headers["Connection"] = "close"  # what comes with it is not taken in
    return Answer({"error": sentence}, status, headers=headers)


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _linked(scope: Scope) -> str | None:
    """The key in the address of a page that is opened; None where there is none."""
    if scope["method"] not in ("GET", "HEAD"):
        return None
    return next((value for name, value in _query(scope) if name == KEY), None)


def _without_key(scope: Scope) -> str:
    """The address on this machine, without its key: always a path, never another machine."""
    rest = urlencode([(name, value) for name, value in _query(scope) if name != KEY])
    path = "/" + scope.get("raw_path", scope["path"].encode()).decode("latin-1").lstrip("/\\")
    return f"{path}?{rest}" if rest else path


def _shown(scope: Scope) -> list[str]:
    """The keys that a request shows: a program's, a browser's."""
    headers = Headers(scope=scope)
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    keys = [bearer.strip()] if kind.lower() == "bearer" else []
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        cookie = None
    return keys + ([cookie.value] if cookie is not None else [])
