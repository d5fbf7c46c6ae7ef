"""Whether a table is seen well enough to be followed: said early, in one line each, with what would help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from referee.rules.places import WASTE, WORK, Place
from referee.umpire.seats.area import HALF_H, Area, project
from referee.umpire.seats.deal import Deal
from referee.umpire.seats.strangers import Strangers
from vision.capture.gaps import Why
from vision.geometry.plane import scale_at
from vision.layout import Layout
from vision.suitability import GUESSES, LEAST_FPS

#: A card that comes nearer than this (mm) to the picture's edge may be cut by it, or the next one be beyond it.
AT_EDGE_MM = 25.0
#: Cards that the eye is surer of lie on the table.
SURE_CARD = 0.5
#: Columns have room when so much (mm) of them is seen beyond their first card.
ROOM_MM = 60.0

#: Why nothing is made out in a picture that tells nothing, with its remedy.
UNSEEN: dict[Why, str] = {
    "dark": "it is too dark to see anything: leave a light on, and take off what covers the lens",
    "covered": "something covers the camera: take it away",
    "moved": "the picture never stands still: clamp the camera above the table, and record what is played there",
}
LOWER = "hang the camera lower or choose more pixels"
WHOLE = "move the camera until the whole table is in view"


def amiss(layouts: Sequence[Layout]) -> str:
    """What may be why nothing is made out in these looks, with its remedy, to be put behind another reason; or ""."""
    for layout in layouts:
        cards = [card for card in layout.cards if card.confidence > SURE_CARD]
        if cards and 0.0 < layout.px_per_mm < GUESSES:
            return f"; {_small(layout.px_per_mm)}"
        least = AT_EDGE_MM * layout.px_per_mm
        most = np.array([layout.width, layout.height]) - least
        cut = sum(bool((card.corners < least).any() or (card.corners > most).any()) for card in cards)
        if cut:
            cards_lie = "a card lies" if cut == 1 else f"{cut} cards lie"
            return f"; {cards_lie} at the picture's edge: {WHOLE}"
    return ""


def warnings(deal: Deal, width: int, height: int, fps: float = LEAST_FPS) -> Iterator[str]:
    """What will make it hard to follow a table that was found. `fps`: of a recording."""
    scale = min(_scale(deal.area, place) for place in deal.area.own_places())
    if scale < GUESSES:
        yield f"{_small(scale)}; what is read unsurely is told as a doubt"
    for one, other in combinations(deal.area.seats, 2):
        if deal.backs.get(one.seat, one.seat) == deal.backs.get(other.seat, other.seat):
            yield (
                f"{one.seat} and {other.seat} seem to play with one design of backs: whose a card is goes by whose "
                "places it came from, and a photo of the end cannot be counted; take two designs"
            )
    yield from _cut(deal.area, width, height)
    if fps < LEAST_FPS:
        yield (
            f"it has {fps:.0f} frames a second: quick plays may be missed and who was first stays open; "
            "record 30 or more"
        )


def troubles(strangers: Strangers, lost_since: float | None) -> list[str]:
    """What happens in the middle of a hand. `lost_since`: when (s) a camera was moved that has not found the table."""
    said = []
    if lost_since is not None:
        said.append(
            f"the camera was moved at {lost_since:.0f} s and the table is not found again: nothing is told until it "
            "shows what it did"
        )
    if strangers.places:
        said.append(
            f"somebody lays out more cards at {strangers.since:.0f} s: this hand goes on without them, and nobody is "
            "accused of what may be their doing; deal anew when all have sat down"
        )
    return said


def _small(scale: float) -> str:
    return f"cards are seen at {scale:.2f} px/mm, and faces are read from {GUESSES:g} on: {LOWER}"


def _scale(area: Area, place: Place) -> float:
    middle = area.seen(area.box(place).mean(axis=0)[None])[0]
    return float(scale_at(area.to_table, *middle))


def _cut(area: Area, width: int, height: int) -> Iterator[str]:
    """Places that the picture's edge cuts off."""
    for seat in area.seats:
        for place, (across, near) in seat.spots.items():
            deep = HALF_H + (ROOM_MM if place.kind == WORK else 0.0)
            # a waste is only supposed to lie there
            ends = [seat.table(across, near), seat.table(across, near + deep)]
            seen = project(area.from_table, np.array(ends))
            if place.kind != WASTE and not _inside(seen, width, height):
                what = "columns leave" if place.kind == WORK else f"{place.own_name} is cut by"
                yield f"{seat.seat}'s {what} the picture's edge: {WHOLE}, with room for columns to grow"
                break


def _inside(points: np.ndarray, width: int, height: int) -> bool:
    return bool((points >= 0).all() and (points <= [width, height]).all())
