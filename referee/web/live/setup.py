"""`POST /api/live/setup`: what the camera over the table shows, judged before anybody plays."""

from __future__ import annotations

import time
from base64 import b64encode
from dataclasses import asdict
from threading import Lock
from typing import Any

from fastapi import APIRouter, Request

from referee.service import Tools
from referee.web.answers import Answer
from referee.web.errors import BusyError, NotHereError
from referee.web.live.table import Newest
from vision.capture.frames import Image, as_jpeg
from vision.suitability import draw_view, judge_view

Json = dict[str, Any]
#: How long pictures are taken (s), how often it is asked for a new one, and how many are kept to judge by.
_TAKEN_S, _EVERY_S, _MOST = 1.0, 0.02, 24
#: px of the longer side of the picture that is shown.
_SHOWN_PX = 1280


def setup_routes(tools: Tools) -> APIRouter:
    """The route; the application's state holds the watched table."""
    routes = APIRouter(prefix="/api/live")
    turn = Lock()

    @routes.post("/setup")
    def judged(request: Request) -> Answer:
        watched = request.app.state.watched
        if watched is None:
            raise NotHereError(
                "No camera is being watched: start `nerts-referee watch` with one above the table."
            )
        if not turn.acquire(blocking=False):
            raise BusyError("The camera is being judged already: wait a moment.")
        try:
            return Answer(_judge(tools, watched.table.picture))
        finally:
            turn.release()

    return routes


def _judge(tools: Tools, picture: Newest) -> Json:
    images, fps = _taken(picture)
    if not images:
        raise NotHereError("There is no picture yet: wait for the camera, or see that it is plugged in.")
    layout = tools.eyes.look().see(images[-1])
    findings = [asdict(finding) for finding in judge_view(images, fps, layout)]
    shown = as_jpeg(draw_view(images[-1], layout), _SHOWN_PX)
    return {
        "findings": findings,
        "cards": len(layout.cards),
        "picture": f"data:image/jpeg;base64,{b64encode(shown).decode()}",
    }


def _taken(picture: Newest) -> tuple[list[Image], float]:
    """Some pictures of a second, of one size, and how many a second were taken."""
    images: list[Image] = []
    numbers: list[int] = []
    moments: list[float] = []
    until = time.monotonic() + _TAKEN_S
    while time.monotonic() < until:
        newest = picture()
        if newest is not None and (not numbers or newest[0] > numbers[-1]):
            if images and images[-1].shape != newest[1].shape:
                images.clear()
            images = [*images, newest[1]][-_MOST:]
            numbers.append(newest[0])
            moments.append(time.monotonic())
        time.sleep(_EVERY_S)
    took = moments[-1] - moments[0] if moments else 0.0
    return images, (numbers[-1] - numbers[0]) / took if took > 0 else 0.0
