"""How much is taken in: refused by the length that is stated before anything is taken, else while it comes."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web.answers import Answer
from referee.web.errors import SizeError
from vision.capture.frames import MAX_PICTURE_MB

#: The largest recording that is taken, in millions of bytes.
MAX_VIDEO_MB = 8_000
#: The most that is taken elsewhere, in millions of bytes.
_MAX_QUESTION_MB = 1
#: The most that a form is longer than the photos in it, in millions of bytes.
_FORM_MB = 1
TOO_MUCH = {
    "/api/photos": (
        MAX_PICTURE_MB + _FORM_MB,
        f"A photo may have {MAX_PICTURE_MB} MB, and so may all that are sent at once: save it smaller "
        "(12 megapixels are plenty), or send fewer at a time.",
    ),
    "/api/viewfinder": (2, "A frame of a camera may have 2 MB: send it smaller."),
    "/api/counted": (40, "The tagged pictures of a hand may have 40 MB: keep it from fewer photos."),
    "/api/recordings": (
        MAX_VIDEO_MB,
        f"A recording may have {MAX_VIDEO_MB} MB, and this one has more: record it smaller.",
    ),
}
_OTHERWISE = (_MAX_QUESTION_MB, f"A question may have {_MAX_QUESTION_MB} MB: ask for less at a time.")


class SizeLimit:
    """Takes no more of a request than its address allows."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most_mb, sentence = TOO_MUCH.get(scope["path"], _OTHERWISE)
        if stated_length(Headers(scope=scope)) > most_mb * 1_000_000:
            await Answer({"error": sentence}, 413, headers={"Connection": "close"})(scope, receive, send)
            return
        taken = 0

        async def take() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most_mb * 1_000_000:
                raise SizeError(sentence)
            return message

        await self._app(scope, take, send)


def stated_length(headers: Headers) -> int:
    """How many bytes a request says that it has; 0 where it says nothing."""
    stated = headers.get("content-length", "")
    return int(stated[:18]) if stated.isdecimal() else 0
