"""Recordings on the page: the shelf, the video, the progress and the account of each."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse

from referee.settings import load_preset
from referee.web.desk import Desk, Recording
from vision.frames import VideoError
from vision.video import Video

#: How often the page hears of progress, s.
_NEWS_EVERY_S = 0.25
#: The largest recording that is taken, in millions of bytes.
MAX_VIDEO_MB = 8_000


class NotHereError(LookupError):
    """The page asks for a recording or record that is not there."""


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


OnDesk = Annotated[Desk, Depends(_desk)]


def _chosen(id: str, desk: OnDesk) -> Recording:
    try:
        return desk[id]
    except KeyError:
        raise NotHereError(f"There is no recording {id!r} here: choose one from the list.") from None


Chosen = Annotated[Recording, Depends(_chosen)]
#: `/api/recordings` and what lies below it; the application's state holds the desk.
routes = APIRouter(prefix="/api/recordings")


@routes.get("")
def shelf(desk: OnDesk) -> JSONResponse:
    """All recordings."""
    return JSONResponse({"recordings": [recording.summary() for recording in desk]})


@routes.post("")
async def take(
    request: Request, desk: OnDesk, name: Annotated[str, Query(max_length=200)], game: str = "nerts"
) -> JSONResponse:
    """Keep the video in the request's body, and referee it."""
    load_preset(game)
    folder = await run_in_threadpool(desk.room_for, name)
    try:
        video = await _receive(request, folder / f"video{Path(name).suffix.lower()[:8]}", name)
        await run_in_threadpool(_must_be_video, video, name)
        return JSONResponse(desk.keep(name, video, game).summary(), status_code=201)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


@routes.get("/{id}")
def told(recording: Chosen) -> JSONResponse:
    """How far it is, and its account."""
    return JSONResponse(recording.to_json())


@routes.post("/{id}/referee")
def referee(recording: Chosen, desk: OnDesk) -> JSONResponse:
    """Referee it (again)."""
    return JSONResponse(desk.referee(recording).to_json())


@routes.get("/{id}/video")
def video(recording: Chosen) -> FileResponse:
    """The video, also in ranges, so that a browser can jump."""
    return FileResponse(recording.video)


@routes.get("/{id}/record")
def record(recording: Chosen) -> FileResponse:
    """The record as a file."""
    if not recording.record.is_file():
        raise NotHereError(f"{recording.name} has no record yet: wait until it is refereed.")
    return FileResponse(recording.record, media_type="application/jsonl", filename=f"{recording.id}.jsonl")


@routes.get("/{id}/events")
async def events(recording: Chosen) -> StreamingResponse:
    """Server-sent events while it is refereed."""
    return StreamingResponse(_news(recording), media_type="text/event-stream")


async def _receive(request: Request, target: Path, name: str) -> Path:
    """Write the request's body to a file as it comes."""
    size = 0
    with target.open("wb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MAX_VIDEO_MB * 1_000_000:
                raise VideoError(f"{name} has more than {MAX_VIDEO_MB} MB: record it smaller")
            await run_in_threadpool(file.write, chunk)
    return target


def _must_be_video(path: Path, name: str) -> None:
    """Refuse what is no video before anything is kept; the error names the user's file, not ours."""
    try:
        Video(path).close()
    except VideoError as error:
        raise VideoError(str(error).replace(str(path), name)) from error


async def _news(recording: Recording) -> AsyncIterator[str]:
    """Server-sent events: `progress` whenever it has changed, then one `end`."""
    told = None
    while recording.state in ("waiting", "refereeing"):
        progress = recording.progress
        if progress != told:
            told = progress
            yield f"event: progress\ndata: {json.dumps(progress)}\n\n"
        await asyncio.sleep(_NEWS_EVERY_S)
    yield f"event: end\ndata: {json.dumps(recording.progress)}\n\n"
