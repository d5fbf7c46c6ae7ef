"""`/api/viewfinder`: frames of the page's camera, one by one, and what stands on them; one camera at a time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool

from referee.service import Tools
from referee.web.answers import Answer
from referee.web.errors import BusyError, KindError, OddError
from referee.web.photos import PhotoTable
from referee.web.viewfinder.count import Frame, LiveCount
from vision.capture.apart.opening import open_photo

Json = dict[str, Any]
#: A camera of which nothing was heard for so long (s) has ended.
QUIET_S = 10.0
#: The largest frame, px.
MOST_PX = 1920 * 1200
#: How a page names its camera.
_CAMERA = Query(min_length=8, max_length=40, pattern="^[A-Za-z0-9-]+$")


class Viewfinder:
    """The one camera that is looked through, if any; what was seen in its frames is remembered like that of photos."""

    def __init__(self, tools: Tools, photos: PhotoTable) -> None:
        self._photos, self._count = photos, tools.count
        self._eye = tools.eyes.look()
        self._worker = ThreadPoolExecutor(1, "viewfinder")
        self._live: LiveCount | None = None
        self._camera, self._heard_at = "", 0.0
        self._kept: set[str] = set()
        self._closed = False
        #: A frame is being taken in.
        self._turn = asyncio.Lock()

    async def take(self, camera: str, number: int, players: int, data: bytes) -> Json:
        """What stands on frame `number` of a camera, a JPEG. Raises BusyError while another one, of whichever camera, is
        taken in or another camera is open, and PictureError.
        """
        if self._live is not None and camera != self._camera and monotonic() < self._heard_at + QUIET_S:
            raise BusyError(
                "Another camera is being looked through: wait until it is closed, or shoot photos."
            )
        if self._turn.locked():
            raise BusyError("The frame before is still looked at: send the next one when it was answered.")
        async with self._turn:
            self._open(camera)
            told = await run_in_threadpool(self._taken, number, players, data)
            self._heard_at = monotonic()
            asyncio.get_running_loop().call_later(QUIET_S + 0.1, self._leave_if_quiet)
            return told

    def leave(self, camera: str) -> None:
        """A camera was closed."""
        if camera == self._camera:
            self._end()

    def close(self) -> None:
        """Nobody waits any more for what is being looked at."""
        self._closed = True
        self._end()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _open(self, camera: str) -> None:
        if camera != self._camera:
            self._end()
        if self._live is None:
            self._camera, self._heard_at = camera, monotonic()
            self._live = LiveCount(self._eye, self._count, self._worker)

    def _taken(self, number: int, players: int, data: bytes) -> Json:
        image = open_photo(self._photos.apart, data, "the camera's frame")
        if image.shape[0] * image.shape[1] > MOST_PX:
            raise OddError("A frame may have 1920 × 1200 px: send it smaller.")
        live = self._live
        if live is None or self._closed:  # meanwhile
            raise BusyError("The camera was closed: open it again.")
        told = live.take(Frame(number, sha256(data).hexdigest(), image), players)
        if live is not self._live:
            return told
        seen = {look.key: look.layout for look in live.looks if not look.quick}
        for key in seen.keys() - self._kept:
            self._photos.remember(key, seen[key])
        for key in self._kept - seen.keys():
            self._photos.forget(key)
        self._kept = set(seen)
        return told

    def _leave_if_quiet(self) -> None:
        if monotonic() >= self._heard_at + QUIET_S and not self._turn.locked():
            self._end()

    def _end(self) -> None:
        if self._live is not None:
            self._live.close()
        # what was seen last may be taken for photos now
        self._live, self._camera, self._kept = None, "", set()


def viewfinder_routes(viewfinder: Viewfinder) -> APIRouter:
    """A frame is sent with POST, as `image/jpeg`; DELETE closes the camera."""
    routes = APIRouter(prefix="/api")

    @routes.post("/viewfinder")
    async def take(
        request: Request,
        camera: Annotated[str, _CAMERA],
        frame: Annotated[int, Query(ge=0, le=10**9)],
        players: Annotated[int, Query(ge=0, le=12)] = 0,
    ) -> Answer:
        if request.headers.get("content-type", "").strip().lower() != "image/jpeg":
            raise KindError("Frames of a camera are sent as image/jpeg.")
        return Answer(await viewfinder.take(camera, frame, players, await request.body()))

    @routes.delete("/viewfinder")
    async def leave(camera: Annotated[str, _CAMERA]) -> Answer:
        viewfinder.leave(camera)
        return Answer({})

    return routes
