"""A dispute over a hand: its frames by number, corrections by people, challenges and what became of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from referee.service import alternatives, said_of
from referee.web.answers import Answer
from referee.web.dispute.challenges import Challenges, answer_to
from referee.web.dispute.frames import MAX_PX, Frames
from referee.web.errors import NotHereError
from referee.web.shelf import KeptHand
from referee.web.shelf.chosen import Chosen

Json = dict[str, Any]
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
def times(hand: Chosen, films: OfFilms, after: Annotated[int, Query(ge=-1, le=10**12)] = -1) -> Answer:
    """When each frame is shown, s, and its number; of those behind `after`, for a film that grows."""
    return Answer(films.numbered(hand.film, after).to_json())


@dispute_routes.get("/frame/{number}")
def frame(
    hand: Chosen, films: OfFilms, number: int, width: Annotated[int, Query(ge=16, le=MAX_PX)] = MAX_PX
) -> Response:
    """The very frame of this number."""
    jpeg = films.jpeg(hand.film, number, width)
    return Response(jpeg, media_type="image/jpeg", headers={"X-Frame": str(number)})


@dispute_routes.get("/lines/{index}")
def line(hand: Chosen, index: int) -> Answer:
    """Why the record says what it says: the line of an event, and every line that is about it."""
    own, about = lines_about(hand, index)
    return Answer({"line": own, "about": about})


def lines_about(hand: KeptHand, index: int) -> tuple[Json, list[Json]]:
    """The line of an event, and {"index", "line"} of every line that is about it. Raises NotHereError."""
    lines = hand.lines()
    if not 0 < index < len(lines):
        raise NotHereError(f"The record tells of no event {index}: reload the page.")
    about = [
        {"index": number, "line": each}
        for number, each in enumerate(lines)
        if number != index and index in _named(each)
    ]
    return lines[index], about


@dispute_routes.get("/alternatives/{index}")
def others(hand: Chosen, index: int, part: Annotated[int, Query(ge=0, le=10_000)] = 0) -> Answer:
    """What an event may have been instead, the likeliest first; `say` is what is sent to correct it so."""
    lines = hand.lines()
    if not 0 < index < len(lines):
        raise NotHereError(f"The record tells of no event {index}: reload the page.")
    return Answer({"alternatives": [each.to_json() for each in alternatives(lines, index, part)]})


def _named(line: dict[str, Any]) -> list[Any]:
    of = line.get("of")
    return of if isinstance(of, list) else [of]


@dispute_routes.post("/correct")
def correct(hand: Chosen, given: Correction) -> Answer:
    """Correct the record; what holds now is told."""
    beside = hand.correct(said_of(given.said), given.by, insist=given.insist)
    return Answer({**hand.to_json(), "beside": beside})


@dispute_routes.get("/challenges")
def challenges(hand: Chosen) -> Answer:
    """All challenges."""
    return Answer({"challenges": [each.to_json() for each in Challenges(hand.challenges).read()]})


@dispute_routes.post("/challenges")
def challenge(hand: Chosen, given: Doubted) -> Answer:
    """Doubt an event: the referee answers."""
    asked = Challenges(hand.challenges).ask(given.of, given.by, given.says, _answer(hand, given.of))
    return Answer(asked.to_json(), status_code=201)


@dispute_routes.post("/challenges/{number}")
def settle(hand: Chosen, number: int, given: Settled) -> Answer:
    """Accept what the referee says now, or leave it open."""
    known = Challenges(hand.challenges)
    of = next((each.of for each in known.read() if each.number == number), None)
    try:
        answer = "" if of is None else _answer(hand, of)
    except NotHereError:  # the event was taken out meanwhile
        answer = "It was taken out of the record."
    return Answer(known.settle(number, given.state, given.by, answer).to_json())


def _answer(hand: KeptHand, of: int) -> str:
    account = hand.account
    if account is None:
        raise NotHereError(f"{hand.name} has no record yet: wait until it is refereed.")
    return answer_to(account, of)
