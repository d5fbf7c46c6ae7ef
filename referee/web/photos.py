"""Photos on the page: what the eye sees in them, and the score."""

from __future__ import annotations

from collections import Counter, OrderedDict
from hashlib import sha256
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, File, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from referee.commands.tools import Sees, Tools
from vision.frames import MAX_PICTURE_MB, PictureError, decode_image
from vision.layout import Layout
from vision.report import layout_to_json

Json = dict[str, Any]
#: Layouts remembered, so that typing a name does not mean looking again.
_REMEMBERED = 64


class Question(BaseModel):
    """What the page asks to be scored: photos by their keys, seats and cards left by back."""

    photos: list[str] = Field(min_length=1, max_length=_REMEMBERED)
    seats: dict[str, str] = {}
    left: dict[str, Annotated[int, Field(ge=0, le=52)]] = {}


class PhotoTable:
    """Looks at photos, one at a time, and remembers what it saw."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._eye: Sees | None = None
        self._seen: OrderedDict[str, Layout] = OrderedDict()
        self._lock = Lock()

    def look(self, data: bytes, name: str) -> tuple[str, Layout]:
        """The key and the layout of a photo. Raises PictureError."""
        key = sha256(data).hexdigest()
        with self._lock:
            if key not in self._seen:
                image = decode_image(data, name)
                self._eye = self._eye or self._tools.open_eye()
                self._seen[key] = self._eye.see(image)
            self._seen.move_to_end(key)
            while len(self._seen) > _REMEMBERED:
                self._seen.popitem(last=False)
            return key, self._seen[key]

    def score(self, question: Question) -> Json:
        """The score of photos looked at before; PictureError when one is not remembered."""
        with self._lock:
            if not all(key in self._seen for key in question.photos):
                raise PictureError("These photos are no longer remembered: start over and give them again.")
            layouts = [self._seen[key] for key in question.photos]
        left: Counter[str] = Counter()
        for back, count in question.left.items():  # a player's deck may be told by two labels
            left[question.seats.get(back, back)] += count
        return self._tools.count(layouts, left=left, seats=question.seats)


def photo_routes(table: PhotoTable) -> APIRouter:
    """`/api/photos` looks, `/api/score` counts."""
    routes = APIRouter(prefix="/api")

    @routes.post("/photos")
    async def look(photos: Annotated[list[UploadFile], File()]) -> JSONResponse:
        seen = []
        for photo in photos:
            name = photo.filename or "the photo"
            if (photo.size or 0) > MAX_PICTURE_MB * 1e6:
                raise PictureError(f"{name} has more than {MAX_PICTURE_MB} MB: save it smaller")
            key, layout = await run_in_threadpool(table.look, await photo.read(), name)
            seen.append({"key": key, "layout": layout_to_json(layout, name)})
        return JSONResponse({"photos": seen})

    @routes.post("/score")
    def score(question: Question) -> JSONResponse:
        return JSONResponse(table.score(question))

    return routes
