"""How errors reach whoever asked: always {"error": a sentence}, with the status that fits.

SizeError      413  (a HTTPException, which passes through the reading of a form or of JSON as it is)
FullDiskError  507  what `OSError` says of a full disk
NotHereError   404
OddError       422  the question cannot be understood
KindError      415  what was sent is not sent as it should be
BusyError      503  too many ask at once
"""

from __future__ import annotations

import errno
from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.photos.decks import UnknownBackError
from referee.photos.mending import MendError
from referee.rules.settings import SettingsError
from referee.service import BadInputError, BrokenInstallError
from referee.web.answers import Answer
from vision.capture.frames import UnreadableError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FAILED = "The referee failed through a fault of its own: what happened stands in its terminal."
_SENTENCES = {
    400: "What was asked cannot be read: reload the page, or see docs/page.md.",
    404: "There is nothing at this address: go to the beginning of the page.",
    405: "This address is not asked in this way: see docs/page.md.",
    416: "The video has no such part: reload the page.",
}
_ODD = "The page asked for something odd: reload it."
#: Headers of an answer that stay when its text becomes a sentence.
_KEPT = ("allow", "content-range")


class NotHereError(LookupError):
    """The page asks for a recording, a record or a video that is not there."""


class OddError(ValueError):
    """A question that cannot be understood; the message says why."""


class KindError(ValueError):
    """Sent as something else than it should be."""


class BusyError(RuntimeError):
    """More ask at once than can be answered."""


class SizeError(HTTPException):
    """More was sent than is taken."""

    def __init__(self, sentence: str) -> None:
        super().__init__(413, sentence)


class FullDiskError(OSError):
    """No room for what was sent."""

    def __init__(self, sentence: str) -> None:
        super().__init__(errno.ENOSPC, sentence)


def is_full(error: OSError) -> bool:
    """Is it the disk (or somebody's share of it) that is full?"""
    return error.errno in _FULL


def tell_errors(app: FastAPI) -> None:
    """Let every error of the application be told."""
    for kind in (UnreadableError, SettingsError, UnknownBackError, MendError, BadInputError, OddError):
        app.add_exception_handler(kind, _as_sentence(422))
    app.add_exception_handler(NotHereError, _as_sentence(404))
    app.add_exception_handler(BusyError, _as_sentence(503))
    app.add_exception_handler(KindError, _as_sentence(415))
    app.add_exception_handler(BrokenInstallError, _as_sentence(500))
    app.add_exception_handler(RequestValidationError, _as_sentence(422, _ODD))
    app.add_exception_handler(ClientDisconnect, _as_sentence(400, _SENTENCES[400]))  # nobody hears it
    app.add_exception_handler(HTTPException, _told)
    app.add_exception_handler(OSError, _of_the_disk)
    app.add_exception_handler(Exception, _as_sentence(500, _FAILED))
    app.add_middleware(ErrorsTold)


def _as_sentence(status: int, sentence: str = "") -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        return Answer({"error": sentence or str(error)}, status_code=status)

    return answer


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = error.detail if isinstance(error, SizeError) else _sentence(error.status_code)
    return Answer({"error": sentence}, error.status_code, headers=error.headers)


async def _of_the_disk(request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    if isinstance(error, FullDiskError):
        return Answer({"error": error.strerror}, 507)
    if is_full(error):
        return Answer({"error": "The referee's disk is full: make room on it, and try again."}, 507)
    raise error


def _sentence(status: int) -> str:
    return _SENTENCES.get(status) or _SENTENCES[400] if status < 500 else _FAILED


class ErrorsTold:
    """Puts a sentence in the place of the bare text that answers of libraries have."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        told = False

        async def send_told(message: Message) -> None:
            nonlocal told
            if message["type"] == "http.response.start" and message["status"] >= 400:
                headers = Headers(raw=message["headers"])
                if headers.get("content-type") != "application/json":
                    told = True
                    kept = {name: headers[name] for name in _KEPT if name in headers}
                    status = int(message["status"])
                    await Answer({"error": _sentence(status)}, status, headers=kept)(scope, receive, send)
            if not told:
                await send(message)

        await self._app(scope, receive, send_told if scope["type"] == "http" else send)
