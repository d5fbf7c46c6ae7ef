"""What a dispute is settled with: who was first, the moment as a clip and as a page, the hand under other rules."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import FileResponse, Response

from referee.record.account import Account
from referee.record.strictjson import JsonError, load_json
from referee.web.answers import Answer
from referee.web.dispute.challenges import Challenges
from referee.web.dispute.clips import LARGEST_PX, Clips
from referee.web.dispute.first import First, who_was_first
from referee.web.dispute.frames import Frames, Numbered
from referee.web.dispute.moment_page import Moment, landings, moment_page, stills
from referee.web.dispute.other_rules import under_other_rules
from referee.web.dispute.routes import OfFilms, lines_about
from referee.web.errors import NotHereError, OddError
from referee.web.shelf import KeptHand
from referee.web.shelf.chosen import Chosen

#: Below `/api/recordings/ID`; the application's state holds frames and clips.
view_routes = APIRouter(prefix="/api/recordings/{id}")

Index = Annotated[int, Query(ge=0, le=10**7)]
Part = Annotated[int, Query(ge=0, le=10_000)]
Seconds = Annotated[float, Query(ge=-10, le=1e6, allow_inf_nan=False)]


def _clips(request: Request) -> Clips:
    clips: Clips = request.app.state.clips
    return clips


OfClips = Annotated[Clips, Depends(_clips)]


@view_routes.get("/first/{index}")
def first(
    hand: Chosen,
    films: OfFilms,
    index: int,
    part: Part = 0,
    rival: Index | None = None,
    rival_part: Part = 0,
) -> Answer:
    """Who was first of a play and its rival, else of the likeliest one: both landings, and the rule's words."""
    frames = _numbered(hand, films)
    found = _first(hand, frames, index, part, rival, rival_part)
    told = found.to_json()
    for each, landed in zip(told["plays"], found.plays, strict=True):
        each["frame"] = frames.at(landed.play.at) if len(frames.times) else None
    return Answer(told)


@view_routes.get("/clip")
def clip(
    hand: Chosen,
    films: OfFilms,
    clips: OfClips,
    from_s: Annotated[Seconds, Query(alias="from")],
    to_s: Annotated[Seconds, Query(alias="to")],
    width: Annotated[int, Query(ge=160, le=LARGEST_PX)] = LARGEST_PX,
) -> FileResponse:
    """A moment as an MP4, also in ranges."""
    cut = clips.clip(hand.film, films.numbered(hand.film), max(0.0, from_s), to_s, width)
    name = f"{hand.id}-{max(0.0, from_s):.1f}s.mp4"
    return FileResponse(cut, media_type="video/mp4", filename=name, content_disposition_type="inline")


@view_routes.get("/moment/{index}")
def moment(
    hand: Chosen,
    films: OfFilms,
    index: int,
    part: Part = 0,
    rival: Index | None = None,
    rival_part: Part = 0,
) -> Response:
    """A moment as a page to keep: one HTML file that refers to nothing outside."""
    account = _account(hand)
    entry = next((each for each in account.entries if (each.index, each.part) == (index, part)), None)
    if entry is None:
        raise NotHereError(f"The record tells of no event {index}: reload the page.")
    found = None
    if rival is not None or entry.kind == "play":
        found = _first(hand, _numbered(hand, films), index, part, rival, rival_part)
        # of a tie both landings are shown unasked
        found = found if rival is not None or found.tie else None
    line, about = lines_about(hand, index)
    told = Moment(
        hand.name,
        account,
        entry,
        stills(films, hand, entry),
        landings(films, hand, found) if found else [],
        found,
        [(index, line), *((each["index"], each["line"]) for each in about)],
        [each for each in Challenges(hand.challenges).read() if each.of == index],
    )
    name = f'attachment; filename="{hand.id}-moment-{index}.html"'
    return Response(moment_page(told), media_type="text/html", headers={"Content-Disposition": name})


@view_routes.get("/under")
def under(
    hand: Chosen,
    game: Annotated[str | None, Query(max_length=60)] = None,
    settings: Annotated[str, Query(max_length=4000)] = "{}",
) -> Answer:
    """What another game or house rules (JSON) would change; nothing is written."""
    try:
        changed: Any = load_json(settings)
    except JsonError:
        changed = None
    if not isinstance(changed, dict):
        raise OddError('House rules are told as JSON: settings={"target": 200}.')
    return Answer(under_other_rules(hand.lines(), _account(hand), game, changed))


def _account(hand: KeptHand) -> Account:
    account = hand.account
    if account is None:
        raise NotHereError(f"{hand.name} has no record yet: wait until it is refereed.")
    return account


def _numbered(hand: KeptHand, films: Frames) -> Numbered:
    """Its frames; none where no film was kept: who was first can be said all the same."""
    try:
        return films.numbered(hand.film)
    except NotHereError:
        return Numbered.none()


def _first(
    hand: KeptHand, frames: Numbered, index: int, part: int, rival: int | None, rival_part: int
) -> First:
    other = None if rival is None else (rival, rival_part)
    return who_was_first(hand.lines(), (index, part), other, frames.time_of)
