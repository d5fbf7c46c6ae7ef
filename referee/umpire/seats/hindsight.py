"""A deal that could only be read when play had begun, as it lay before: by the looks that were taken until then.

Who sits where is known by then. Which cards lay open before the first one moved is read from the earliest looks; a card
that these did not show, since a hand lay over it or held it, is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import dist
from typing import NamedTuple

import numpy as np

from referee.rules.places import NERTS, WASTE, WORK, Place
from referee.umpire.dealing import Dealing
from referee.umpire.seats.area import Area, SeatArea
from referee.umpire.seats.deal import Deal, card_pose, has_begun
from referee.umpire.seats.dealt_row import Found, unseen
from referee.umpire.seats.gaps import lies_over
from referee.umpire.sights import Point, log_faces, outline, surely_read
from vision.layout import Layout, SeenCard

#: Looks so shortly (s) after one another show the same cards, where these lie no further apart (mm).
EARLY_S, SAME_MM = 0.6, 6.0
#: A card of a row lies so near (mm) to where its pile is.
AT_PLACE_MM = 25.0
#: What the eye is less sure of, or of which less shows, is no card of the deal.
SURE_CARD, SHOWN = 0.3, 0.5
#: So many open cards of each row must be seen; of those that no hand hides one may be missing at first: lifted already.
LEAST_SEEN, LIFTED = 3, 1


class Taken(NamedTuple):
    """A look at the whole table, and when (s) it was taken."""

    at: float
    layout: Layout


class Dealt(NamedTuple):
    """A deal, and the moment (s) from which on it lay there."""

    at: float
    deal: Deal


def as_dealt(deal: Deal, looks: Sequence[Taken], dealing: Dealing) -> Dealt | None:
    """The deal as it lay at the first of the looks that shows it; None where none does, or play had begun by then.

    `deal`: as it was read last, or the hand that had begun by then.
    """
    for number, first in enumerate(looks[:-1]):
        early = [look.layout for look in looks[number:] if look.at <= first.at + EARLY_S]
        if has_begun(early) or _is_played_on(deal.area, first.layout):
            return None
        tops = {area.seat: _row(deal, area, early) for area in deal.area.seats}
        known = {seat: row for seat, row in tops.items() if row is not None}
        if len(known) == len(tops):
            return Dealt(first.at, Deal(deal.area, known, deal.backs, dealing, deal.extra))
    return None


def _is_played_on(area: Area, layout: Layout) -> bool:
    """Whether a card lies in the centre or on a waste, with no hand at it that may carry it."""
    for card in layout.cards:
        open_ = card.side == "face" and card.confidence >= SURE_CARD and card.visible_fraction >= SHOWN
        if not open_ or not surely_read(log_faces(card)):
            continue
        at, _ = card_pose(card, area.to_table)
        place = next((place for seat in area.seats if (place := seat.place(at)) is not None), None)
        free = place is None and all(seat.fronts(at) for seat in area.seats)
        if (free or (place is not None and place.kind == WASTE)) and not lies_over(card.corners, layout):
            return True
    return False


def _row(deal: Deal, area: SeatArea, early: Sequence[Layout]) -> dict[Place, Found] | None:
    """The open cards of a seat as the early looks show them; None where that was no row of a deal yet."""
    later = deal.tops.get(area.seat, {})
    spots = {place: later[place].at for place in later} or {
        place: area.table(*spot) for place, spot in area.spots.items() if place.kind in (NERTS, WORK)
    }
    shown = {place: _shown(spot, deal.area, early) for place, spot in spots.items()}
    seen = {place: card for place, card in shown.items() if card is not None}
    first, hands = early[:1], any(layout.hands for layout in early)
    lifted = [
        place
        for place, spot in spots.items()
        if _shown(spot, deal.area, first) is None and not _is_hidden(spot, deal.area, area, early)
    ]
    if len(seen) < LEAST_SEEN or len(lifted) > LIFTED or (not hands and len(seen) < len(spots)):
        return None
    angle = float(np.median([card.angle for card in seen.values()]))
    row = {place: seen.get(place) or unseen(spot, angle, face_up=True) for place, spot in spots.items()}
    return {
        place: replace(card, base=later[place].base if place in later else None)
        for place, card in row.items()
    }


def _shown(spot: Point, area: Area, early: Sequence[Layout]) -> Found | None:
    """The open card at a spot (mm) in the first of the looks that shows one, read as all do that show it there."""
    found: list[Found] = []
    for layout in early:
        near = [(dist(card_pose(card, area.to_table)[0], spot), n) for n, card in _open_cards(layout)]
        away, number = min(near, default=(np.inf, -1))
        if away > AT_PLACE_MM:
            continue
        card = layout.cards[number]
        at, angle = card_pose(card, area.to_table)
        if not found or dist(at, found[0].at) < SAME_MM:
            found.append(Found(at, angle, True, log_faces(card), 1, card.back, card.confidence))
    if not found:
        return None
    read = np.logaddexp.reduce([card.log_face for card in found], axis=0) - np.log(len(found))
    return replace(found[0], log_face=read, looks=len(found))


def _open_cards(layout: Layout) -> list[tuple[int, SeenCard]]:
    return [
        (number, card)
        for number, card in enumerate(layout.cards)
        if card.side == "face" and card.confidence >= SURE_CARD and card.visible_fraction >= SHOWN
    ]


def _is_hidden(spot: Point, table: Area, area: SeatArea, early: Sequence[Layout]) -> bool:
    """Whether a hand lay over a part of where a card of a seat's row should lie, in any of the looks."""
    corners = table.seen(outline(spot, 0.0 if abs(area.across[0]) > 0.5 else 90.0))
    return any(lies_over(corners, layout) for layout in early)
