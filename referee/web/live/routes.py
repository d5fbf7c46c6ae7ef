"""`/api/live`: the table that is played at, as it is told and as it looks, and what people say to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from referee.service import alternatives, said_of
from referee.web.answers import Answer
from referee.web.dispute.frames import still_of
from referee.web.dispute.routes import Correction, OfFilms
from referee.web.errors import BusyError, NotHereError
from referee.web.live.feed import Feed, Message
from referee.web.live.picture import Pictures
from referee.web.live.table import LiveTable
from referee.web.shelf.chosen import OfEvenings

#: How often a viewer is looked after, and when one that hears nothing is told that the line still holds, s.
_EVERY_S, _STILL_THERE_S = 0.1, 10.0
#: How long a question for a newer picture is left open, s, and how many may listen at once.
_PATIENCE_S, _MOST_VIEWERS = 5.0, 100
#: How soon a browser comes back, ms.
_RETRY = b"retry: 1000\n\n"


class Watched:
    """The table on the page, with who listens."""

    def __init__(self, table: LiveTable) -> None:
        self.table = table
        self.pictures = Pictures(table.picture)
        self.feed = Feed(table, lambda hand, index: self.pictures.keep_still((hand, index)))
        self.viewers = 0
        self.closing = False

    def close(self) -> None:
        """Nobody is told anything any more."""
        if self.closing:
            return
        self.closing = True
        self.feed.close()
        self.pictures.close()

    async def news(self, last: str) -> AsyncIterator[bytes]:
        """Everything from behind the message of the id `last` on, as server-sent events, while somebody listens."""
        self.viewers += 1
        try:
            place, known = self.feed.begin(last), dict[str, int]()
            about = {"session": self.table.name, "kept": self.table.kept, "hand": place[0]}
            yield _RETRY + Message("table", about).encode()
            quiet_since = time.monotonic()
            closing = False
            while not closing:
                # once more behind the end: the score of the last hand is told as the table closes
                closing = self.closing
                lines, place = self.feed.after(place)
                told = b"".join(each.encode() for each in [*lines, *self.feed.beside(known)])
                if not told and time.monotonic() - quiet_since > _STILL_THERE_S:
                    told = b": still there\n\n"
                if told:
                    quiet_since = time.monotonic()
                    yield told
                await asyncio.sleep(_EVERY_S)
        finally:
            self.viewers -= 1


class CallOf(BaseModel):
    """Who calls."""

    seat: str = Field(min_length=1, max_length=60)


class AnswerTo(BaseModel):
    """An answer to a question of the umpire."""

    number: int = Field(ge=0, le=1_000_000)
    yes: bool


def _watched(request: Request) -> Watched:
    watched: Watched | None = request.app.state.watched
    if watched is None:
        raise NotHereError("No table is being watched: start `nerts-referee watch` with a camera above it.")
    return watched


OnTable = Annotated[Watched, Depends(_watched)]
#: `/api/live` and what lies below it; the application's state holds the watched table.
live_routes = APIRouter(prefix="/api/live")


@live_routes.get("")
def told(watched: OnTable) -> Answer:
    """Who plays, and how it stands."""
    return Answer(watched.feed.to_json())


@live_routes.get("/events")
async def events(
    watched: OnTable,
    after: Annotated[str, Query(max_length=100)] = "",
    last_event_id: Annotated[str, Header(max_length=100)] = "",
) -> StreamingResponse:
    """Server-sent events: see `Feed`. `after` is for who cannot send the header."""
    if watched.viewers >= _MOST_VIEWERS:
        raise BusyError(f"More than {_MOST_VIEWERS} look at this table already: close a page, and try again.")
    return StreamingResponse(watched.news(last_event_id or after), media_type="text/event-stream")


@live_routes.get("/picture")
async def picture(watched: OnTable, after: Annotated[int, Query(ge=-1, le=10**12)] = -1) -> Response:
    """The newest picture, as soon as it is another than the one with this number; 204 if none comes."""
    until = time.monotonic() + _PATIENCE_S
    while not watched.closing:
        newest = await run_in_threadpool(watched.pictures.after, after)
        if newest is not None:
            headers = {"X-Frame": str(newest[0]), "Cache-Control": "no-store"}
            return Response(newest[1], media_type="image/jpeg", headers=headers)
        if time.monotonic() > until:
            break
        await asyncio.sleep(_EVERY_S / 2)
    return Response(status_code=204)


@live_routes.get("/still/{hand}/{index}")
def still(watched: OnTable, films: OfFilms, evenings: OfEvenings, hand: int, index: int) -> Response:
    """How the table looked when what this line tells of came to rest; where that is not recorded, when it was told."""
    kept = evenings.played(hand)
    landing = None if kept is None else still_of(kept, films, index)
    if landing is not None:
        headers = {"X-Frame": str(landing[0]), "Cache-Control": "private, max-age=86400"}
        return Response(landing[1], media_type="image/jpeg", headers=headers)
    jpeg = watched.pictures.still((hand, index))
    if jpeg is None:
        raise NotHereError("No picture of this moment was kept here: look at the recording.")
    return Response(jpeg, media_type="image/jpeg", headers={"Cache-Control": "no-store"})


@live_routes.post("/call")
def call(watched: OnTable, given: CallOf) -> Answer:
    """Somebody has called just now."""
    return _answered(watched.table.session.call(given.seat))


@live_routes.post("/answer")
def answer(watched: OnTable, given: AnswerTo) -> Answer:
    """What the umpire asked."""
    return _answered(watched.table.session.answer(given.number, given.yes))


@live_routes.get("/alternatives/{index}")
def others(watched: OnTable, index: int, part: Annotated[int, Query(ge=0, le=10_000)] = 0) -> Answer:
    """What an event of this hand may have been instead, the likeliest first."""
    lines = watched.table.session.lines
    if not 0 < index < len(lines):
        raise NotHereError(f"This hand tells of no event {index}: it may be over.")
    return Answer({"alternatives": [each.to_json() for each in alternatives(lines, index, part)]})


@live_routes.post("/correct")
def correct(watched: OnTable, given: Correction) -> Answer:
    """Correct the hand that is played: everybody is told by its lines."""
    watched.table.session.correct(said_of(given.said), given.by, insist=given.insist)
    return Answer({"say": "Corrected: plays, rulings and score are derived anew."})


def _answered(given: Any) -> Answer:
    return Answer({"taken": given.taken, "say": given.say})
