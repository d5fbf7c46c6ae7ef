"""A filmed hand entered in its middle: what lies where, and the record so far, as the truth tells them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.film.camera import Camera
from datasets.film.choreography import Choreography
from datasets.film.movement import Lying as TrueCard
from referee.live.hand import Referee
from referee.live.looking import CropEyes
from referee.live.terms import Terms
from referee.record.reopened import reopened
from referee.rules.cards import UNKNOWN
from referee.rules.places import FOUNDATION, STOCK, WASTE, Place
from referee.umpire.odds import Odds
from referee.umpire.seats.area import Area
from referee.umpire.seats.deal import Deal, find_deal
from referee.umpire.story import Lift, Lying, Pile
from referee.umpire.umpire import Umpire
from scripts.measure.layouts.eye import FaultyEye
from scripts.measure.layouts.faults import NONE
from scripts.measure.layouts.scene import Scene
from vision.capture.video import Frame, Video
from vision.layout import Floats, Layout

Line = Mapping[str, Any]

#: What lies on top of a waste is looked at every so many s.
SHOWN_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class Clip:
    """A film that begins in the middle of a hand, at `since` (s), with the truth about that hand."""

    video: Path
    film: Choreography
    camera: Camera
    truth: Sequence[Line]
    fps: float
    since: float

    def frames(self) -> Iterator[Frame]:
        """Its frames, with the moments of the hand."""
        with Video(self.video) as video:
            for frame in video:
                yield Frame(frame.index, frame.time_s + self.since, frame.image, frame.unreadable)


def entered(clip: Clip, eye: Any, call: tuple[str, float] | None = None) -> Referee:
    """A referee that knows what lay on the table when the clip begins, and how it came there.

    `call`: who calls in the clip, and when (s of the hand). `eye`: sees pictures, or looks at frames.
    """
    camera = clip.camera
    scene = Scene(clip.film, camera.width, camera.height, camera.px_per_mm)
    deal = _dealt(scene)
    gone = dict(carried_off(clip, scene))
    scene.go_to(clip.since)
    _settle(deal.area, scene)
    deal.area.lay(_plane(camera))
    umpire = Umpire(Odds())
    piles, shown = _piles(scene, deal), _shown(clip)
    for place, pile in gone.items():
        if not piles.get(place):
            piles[place] = tuple(card._replace(up=False, at=None, there=False) for card in pile)
            deal.area.foundations[place] = _spot(pile)
    lifted = list(_in_the_air(clip, piles))
    known = {place: _known(place, pile, shown) for place, pile in piles.items()}
    # it is the truth, seen on the table a moment ago, and no hearsay
    umpire.resume(deal, known, clip.since, lifted, seen=True)
    book = reopened([_as_seen(line) for line in clip.truth if line.get("at", 0.0) <= clip.since])
    eyes = eye if hasattr(eye, "look") else CropEyes(eye)
    referee = Referee(eyes, umpire, camera.width, camera.height, clip.fps, Terms(call=call))
    referee.resume(book, (), clip.since)
    return referee


def _as_seen(line: Line) -> dict[str, Any]:
    """A line of the truth without what nobody can see: the cards that lie face down, and beneath a packet's top."""
    if line.get("event") == "deal":
        piles = {
            name: [*[UNKNOWN] * (len(pile) - 1), pile[-1]] for name, pile in line["piles"].items() if pile
        }
        return {**line, "piles": piles | {STOCK: len(line["piles"][STOCK])}}
    if line.get("event") == "draw":
        return {**line, "cards": [*[UNKNOWN] * (len(line["cards"]) - 1), line["cards"][-1]]}
    return dict(line)


def _dealt(scene: Scene) -> Deal:
    """Who sits where, from what lies there at first."""
    backs = {str(seat): str(n) for n, seat in enumerate(scene.film.table.styles)}
    eye = FaultyEye(scene, NONE, 0, backs)
    scene.go_to(0.0)
    blank = Frame(0, 0.0, np.zeros((1, 1, 3), np.uint8))

    def look(window: Any = None, to_table: Floats | None = None) -> Layout:
        return eye.look(blank, window, to_table)

    return find_deal([look() for _ in range(3)], look)


def _settle(area: Area, scene: Scene) -> None:
    """Foundations and wastes where they lie now."""
    for name, pile in scene.piles.items():
        place = place_of(name)
        if not pile or place is None:
            continue
        at = pile[0].pose.x, pile[0].pose.y
        if place.kind == FOUNDATION:
            area.foundations[place] = at
        elif place.kind == WASTE:
            seat = next(one for one in area.seats if one.seat == place.seat)
            seat.spots[place] = seat.local(at)
            area.unsettled.discard(place.seat)


def carried_off(clip: Clip, scene: Scene) -> Iterator[tuple[Place, Pile]]:
    """The foundations that were set aside before the clip begins, as they lay when their last card had come."""
    laid, gone = dict[str, float](), list[tuple[float, str]]()
    for line in clip.truth:
        if line.get("at", 0.0) > clip.since:
            continue
        if line.get("event") == "play":
            laid[str(line["to"])] = float(line["at"])
        elif line.get("event") == "set-aside" and line["place"] in laid:
            gone.append((laid[line["place"]], str(line["place"])))
    for at, name in sorted(gone):
        scene.go_to(at)
        place = place_of(name)
        if place is not None:
            yield place, tuple(_lying(card) for card in scene.piles[name])


def _spot(pile: Pile) -> tuple[float, float]:
    """Where (mm) a pile's lowest card lies."""
    assert pile[0].at is not None
    return pile[0].at


def _plane(camera: Camera) -> Floats:
    """(3, 3) px of the picture -> mm of the table, but for the lens."""
    corners = np.array([[x, y, 0.0] for x in (-300, 0, 300) for y in (-200, 0, 200)], dtype=np.float64)
    found, _ = cv2.findHomography(camera.to_picture(corners), corners[:, :2])
    return np.asarray(found, dtype=np.float64)


def _piles(scene: Scene, deal: Deal) -> dict[Place, Pile]:
    piles: dict[Place, Pile] = {Place(STOCK, 0, seat.seat): () for seat in deal.area.seats}
    for name, pile in scene.piles.items():
        place = place_of(name)
        if place is not None:
            piles[place] = tuple(_lying(card) for card in pile)
    return piles


def _in_the_air(clip: Clip, piles: dict[Place, Pile]) -> Iterator[Lift]:
    """The cards of plays that are under way; those of anything else are laid back."""
    for motion in clip.film.moving(clip.since):
        place = place_of(motion.taken[-1].place)
        if place is None:
            continue
        taken = tuple(_lying(card) for card in motion.taken)
        if motion.deed.kind == "play":
            yield Lift(place, tuple(card._replace(at=None) for card in taken), motion.deed.lifted)
        else:
            piles[place] = (*piles.get(place, ()), *(taken[::-1] if place.kind == STOCK else taken))


def _shown(clip: Clip) -> set[tuple[str, str]]:
    """The face and the seat of every card that has lain open on top of a waste."""
    camera, shown = clip.camera, set[tuple[str, str]]()
    scene = Scene(clip.film, camera.width, camera.height, camera.px_per_mm)
    for moment in np.arange(0.0, clip.since, SHOWN_EVERY_S).tolist():
        scene.go_to(moment)
        tops = (pile[-1].card for name, pile in scene.piles.items() if pile and name.endswith(WASTE))
        shown.update((card.face, card.seat) for card in tops)
    return shown


def _known(place: Place, pile: Pile, shown: set[tuple[str, str]]) -> Pile:
    """A pile as one knows it who has seen these cards of stock and waste, and the waste's top."""
    if place.kind not in (STOCK, WASTE):
        return pile
    top = len(pile) - 1 if place.kind == WASTE else len(pile)
    return tuple(
        card if n == top or (card.face, card.deck) in shown else card._replace(face=UNKNOWN)
        for n, card in enumerate(pile)
    )


def _lying(card: TrueCard) -> Lying:
    up = card.pose.face_up
    known = up or card.place.endswith(STOCK)
    return Lying(card.card.face if known else UNKNOWN, card.card.seat, up, (card.pose.x, card.pose.y))


def place_of(name: str) -> Place | None:
    """The place that a pile of a film is called by; None for what is no place of the rules."""
    words = name.split()
    if words[0] == FOUNDATION:
        return Place(FOUNDATION, int(words[1]))
    if len(words) < 2 or words[1] not in ("work", "nerts", "stock", "waste"):
        return None
    return Place(words[1], int(words[2]) if len(words) > 2 else 0, words[0])


def followed(clip: Clip, eye: Any) -> tuple[list[Line], list[Line]]:
    """The record when the clip begins, and its lines after the clip was refereed to its end."""
    referee = entered(clip, eye)
    assert referee.book is not None
    known = len(referee.book.lines)
    for _ in watched(clip, referee):
        pass
    lines = [dict(line) for line in referee.book.lines]
    return list(lines[:known]), list(lines[known:])


def watched(clip: Clip, referee: Referee) -> Iterator[float]:
    """Have it watch the clip to its end: the moment (s of the hand) of each frame when it has been looked at."""
    now = clip.since
    for frame in clip.frames():
        referee.push(frame)
        if frame.index == 0:
            referee.change.accept_tiles(np.ones_like(referee.change.changed))
        now = frame.time_s
        yield now
    referee.end(why="" if referee.calls else "finished")
    yield now


def truth_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a true record."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
