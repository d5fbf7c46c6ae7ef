"""A dispute over a recording: its frames by number, corrections by people, challenges and what became of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from referee.service import alternatives, said_of
from referee.web.answers import Answer
from referee.web.desk import Recording
from referee.web.dispute.challenges import Challenges, answer_to
from referee.web.dispute.frames import MAX_PX, Frames
from referee.web.errors import NotHereError
from referee.web.recordings import Chosen, OnDesk, film_of

Name = Annotated[str, Field(min_length=1, max_length=60)]
#: Below `/api/recordings/ID`; the application's state holds the frames.
dispute_routes = APIRouter(prefix="/api/recordings/{id}")


class Correction(BaseModel):
    """What a person says is right (`said`, see `referee.record.said`), and who says it."""

    said: dict[str, Any]
    by: Name
    #: Though it goes against what was seen elsewhere.
    insist: bool = False


class Doubted(BaseModel):
    """Somebody doubts an event."""

    of: int = Field(ge=0, le=10**7)
    by: Name
    says: str = Field(default="", max_length=300)


class Settled(BaseModel):
    """What became of a challenge."""

    state: Literal["accepted", "open"]
    by: Name


def _frames(request: Request) -> Frames:
    frames: Frames = request.app.state.frames
    return frames


OfFilms = Annotated[Frames, Depends(_frames)]


@dispute_routes.get("/times")
def times(recording: Chosen, films: OfFilms) -> Answer:
    """When each frame is shown, s from the first: frame 0, 1, …"""
    return Answer({"times": films.times(film_of(recording))})


@dispute_routes.get("/frame/{number}")
def frame(
    recording: Chosen, films: OfFilms, number: int, width: Annotated[int, Query(ge=16, le=MAX_PX)] = MAX_PX
) -> Response:
    """The very frame of this number."""
    jpeg = films.jpeg(film_of(recording), number, width)
    return Response(jpeg, media_type="image/jpeg", headers={"X-Frame": str(number)})


@dispute_routes.get("/lines/{index}")
def line(recording: Chosen, desk: OnDesk, index: int) -> Answer:
    """Why the record says what it says: the line of an event, and every line that is about it."""
    lines = desk.lines(recording)
    if not 0 < index < len(lines):
        raise NotHereError(f"The record tells of no event {index}: reload the page.")
    about = [
        {"index": number, "line": each}
        for number, each in enumerate(lines)
        if number != index and index in _named(each)
    ]
    return Answer({"line": lines[index], "about": about})


@dispute_routes.get("/alternatives/{index}")
def others(
    recording: Chosen, desk: OnDesk, index: int, part: Annotated[int, Query(ge=0, le=10_000)] = 0
) -> Answer:
    """What an event may have been instead, the likeliest first; `say` is what is sent to correct it so."""
    lines = desk.lines(recording)
    if not 0 < index < len(lines):
        raise NotHereError(f"The record tells of no event {index}: reload the page.")
    return Answer({"alternatives": [each.to_json() for each in alternatives(lines, index, part)]})


def _named(line: dict[str, Any]) -> list[Any]:
    of = line.get("of")
    return of if isinstance(of, list) else [of]


@dispute_routes.post("/correct")
def correct(recording: Chosen, desk: OnDesk, given: Correction) -> Answer:
    """Correct the record; what holds now is told."""
    desk.correct(recording, said_of(given.said), given.by, insist=given.insist)
    return Answer(recording.to_json())


@dispute_routes.get("/challenges")
def challenges(recording: Chosen) -> Answer:
    """All challenges."""
    return Answer({"challenges": [each.to_json() for each in Challenges(recording.folder).read()]})


@dispute_routes.post("/challenges")
def challenge(recording: Chosen, given: Doubted) -> Answer:
    """Doubt an event: the referee answers."""
    asked = Challenges(recording.folder).ask(given.of, given.by, given.says, _answer(recording, given.of))
    return Answer(asked.to_json(), status_code=201)


@dispute_routes.post("/challenges/{number}")
def settle(recording: Chosen, number: int, given: Settled) -> Answer:
    """Accept what the referee says now, or leave it open."""
    known = Challenges(recording.folder)
    of = next((each.of for each in known.read() if each.number == number), None)
    try:
        answer = "" if of is None else _answer(recording, of)
    except NotHereError:  # the event was taken out meanwhile
        answer = "It was taken out of the record."
    return Answer(known.settle(number, given.state, given.by, answer).to_json())


def _answer(recording: Recording, of: int) -> str:
    if recording.account is None:
        raise NotHereError(f"{recording.name} has no record yet: wait until it is refereed.")
    return answer_to(recording.account, of)
