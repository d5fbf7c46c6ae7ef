"""Recordings on the page: the shelf, the video, the progress and the account of each."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, StreamingResponse

from referee.live.replay import followed
from referee.web.answers import Answer
from referee.web.desk import Desk, Recording
from referee.web.errors import FullDiskError, NotHereError, is_full
from referee.web.film import must_be_film, times_around
from referee.web.names import film_ending, shown_name
from referee.web.shelf.chosen import Chosen, ChosenRecording, OfEvenings, OnDesk
from referee.web.shelf.uploaded import film_of
from referee.web.sizes import stated_length

#: How often the page hears of progress, s.
_NEWS_EVERY_S = 0.25
_FULL = "The disk that recordings are kept on is full: make room on it, and send the recording again."
#: The latest moment of a recording that can be asked for, s.
_LATEST_S = 1e6


#: `/api/recordings` and what lies below it; the application's state holds the desk.
routes = APIRouter(prefix="/api/recordings")


@routes.get("")
def shelf(desk: OnDesk, evenings: OfEvenings) -> Answer:
    """All recordings that were sent, and all evenings that were watched, with their hands."""
    recordings = [recording.summary() for recording in desk]
    return Answer({"recordings": recordings, "evenings": evenings.to_json()})


@routes.post("")
async def take(request: Request, desk: OnDesk, name: str, game: str = "nerts") -> Answer:
    """Keep the video in the request's body, and referee it."""
    game = followed(game).preset.name
    shown = shown_name(name, "the recording")
    folder: Path | None = None
    try:
        await run_in_threadpool(_must_have_room, desk.folder, stated_length(request.headers))
        folder = await run_in_threadpool(desk.room_for, name)
        video = await _receive(request, folder / f"video{film_ending(name)}")
        await run_in_threadpool(must_be_film, video, shown)
        return Answer((await run_in_threadpool(desk.keep, shown, video, game)).summary(), status_code=201)
    except BaseException as error:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and is_full(error):
            raise FullDiskError(_FULL) from error
        raise


@routes.get("/{id}")
def told(hand: Chosen) -> Answer:
    """How far it is, and its account."""
    return Answer(hand.to_json())


@routes.post("/{id}/referee")
def referee(recording: ChosenRecording, desk: OnDesk) -> Answer:
    """Referee it (again)."""
    return Answer(desk.referee(recording).to_json())


@routes.get("/{id}/video")
def video(recording: ChosenRecording) -> FileResponse:
    """The video, also in ranges, so that a browser can jump."""
    return FileResponse(film_of(recording))


@routes.get("/{id}/frames")
def frames(
    recording: ChosenRecording, around: Annotated[float, Query(ge=0, le=_LATEST_S, allow_inf_nan=False)]
) -> Answer:
    """When the frames near a moment are shown, in seconds from the first."""
    times = times_around(film_of(recording), recording.name, around)
    return Answer({"times": [round(time, 6) for time in times]})


@routes.get("/{id}/record")
def record(hand: Chosen) -> FileResponse:
    """The record as a file."""
    if not hand.record.is_file():
        raise NotHereError(f"{hand.name} has no record yet: wait until it is refereed.")
    return FileResponse(hand.record, media_type="application/jsonl", filename=f"{hand.id}.jsonl")


@routes.get("/{id}/events")
async def events(recording: ChosenRecording, desk: OnDesk) -> StreamingResponse:
    """Server-sent events while it is refereed."""
    return StreamingResponse(_news(recording, desk), media_type="text/event-stream")


def _must_have_room(folder: Path, size: int) -> None:
    """Refuse what the disk cannot hold before it is sent."""
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(folder).free < size:
        raise FullDiskError(_FULL)


async def _receive(request: Request, target: Path) -> Path:
    """Write the request's body to a file as it comes."""
    with target.open("wb") as file:
        async for chunk in request.stream():
            await run_in_threadpool(file.write, chunk)
    return target


async def _news(recording: Recording, desk: Desk) -> AsyncIterator[str]:
    """Server-sent events: `progress` whenever it has changed, then one `end`."""
    told = None
    while recording.state in ("waiting", "refereeing") and not desk.closing:
        progress = recording.progress
        if progress != told:
            told = progress
            yield f"event: progress\ndata: {json.dumps(progress)}\n\n"
        await asyncio.sleep(_NEWS_EVERY_S)
    yield f"event: end\ndata: {json.dumps(recording.progress)}\n\n"
