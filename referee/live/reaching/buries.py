"""A stock's top card put to the bottom (N14): nothing of it stays, so it is looked at while it happens.

A stock that is touched while its waste lies empty is glanced at every few frames. Who draws brings cards to the waste
then. Where none come and two backs lay side by side, the top card was drawn aside: whether it went
underneath or back on top looks the same from above, so that it is asked about and nobody is accused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import hypot

import numpy as np

from referee.rules.events import INFERRED, Bury, Recycle
from referee.rules.places import STOCK, WASTE, WORK, Place
from referee.umpire.seats.deal import card_pose
from referee.umpire.sights import Point
from referee.umpire.story import Believed
from referee.umpire.umpire import Umpire
from vision.capture.change import ChangeMap
from vision.layout import Floats, Layout

#: A stock of which more than this share moved within so many s is touched; glances are so long (s) apart.
TOUCHED, WITHIN_S, EVERY_S = 0.1, 0.1, 0.15
#: Two backs are side by side if they lie so far (mm) from one another; so far (mm) around a stock they are looked for.
APART_MM, AROUND_MM = (18.0, 75.0), 45.0
#: Of a card that is held aside so much shows; fingers over a stock make two of it of which less does. A back that lies no
#: further (mm) than this from the card of another pile is that card, half hidden.
SHOWN, OTHERS_MM = 0.7, 15.0
#: A back that the eye is less sure of is none.
LEAST_CONFIDENCE = 0.5
#: So many glances must show two; those of one occasion are no further apart than this (s).
GLANCES, ONCE_S = 1, 0.5
#: Cards that came to the waste so long (s) before the first of them or after the last are what was seen; it is told no
#: sooner than so long (s) after the last. A waste that is turned over is laid down and squared up for longer (s).
DRAWN_S, TURNED_S, WAITED_S = (0.3, 0.8), 0.8, 1.5

Told = tuple[Believed, float]


@dataclass(slots=True)
class Buries:
    """Glance at what is `wanted`, `see` it, and ask what was `told` of it by now."""

    umpire: Umpire
    change: ChangeMap
    #: When (s) each stock was glanced at last.
    _glanced: dict[str, float] = field(default_factory=dict)
    #: By seat: when (s) and in which frame two backs lay side by side.
    _apart: dict[str, list[tuple[float, int]]] = field(default_factory=dict)

    def wanted(self) -> Iterator[tuple[str, Floats]]:
        """The seats whose stocks are to be glanced at now, each with what is to be seen: (4, 2) px."""
        if not self.umpire.dealing.is_plain:
            # strips of face-down cards lie beside the stock there
            return
        now, story = self.change.now, self.umpire.story
        stocks = [place for place in story.piles if place.kind == STOCK]
        bare = [s for s in stocks if len(story.pile(s)) > 1 and not story.pile(Place(WASTE, 0, s.seat))]
        for stock in bare:
            if now - self._glanced.get(stock.seat, -np.inf) < EVERY_S or self._shown(stock.seat, now):
                continue
            if self.change.moving(self.umpire.regions(0.0)[stock], WITHIN_S) > TOUCHED:
                self._glanced[stock.seat] = now
                yield stock.seat, self.umpire.regions(AROUND_MM)[stock]

    def _shown(self, seat: str, now: float) -> bool:
        """Whether two backs were seen just now: once is enough, and looking costs."""
        return any(now - at < ONCE_S for at, _ in self._apart.get(seat, ())[-1:])

    def see(self, seat: str, at: float, frame: int, layout: Layout) -> None:
        """What a glance at a seat's stock showed."""
        stock, area = Place(STOCK, 0, seat), self.umpire.dealt_area
        backs = [
            (card_pose(card, area.to_table)[0], card.visible_fraction)
            for card in layout.cards
            if card.side == "back" and card.confidence >= LEAST_CONFIDENCE
        ]
        near = [back for back in backs if self._is_of(stock, area.place(back[0], face_up=False))]
        if any(self._is_drawn_aside(stock, *pair) for pair in combinations(near, 2)):
            self._apart.setdefault(seat, []).append((at, frame))

    def _is_drawn_aside(self, stock: Place, one: tuple[Point, float], other: tuple[Point, float]) -> bool:
        """Whether one of two backs, each with how much of it shows, is a card that was drawn off the stock."""
        if not APART_MM[0] <= _away(one[0], other[0]) <= APART_MM[1]:
            return False
        area = next(area for area in self.umpire.dealt_area.seats if area.seat == stock.seat)
        spots = {place: area.table(*spot) for place, spot in area.spots.items()}
        aside, shown = max(one, other, key=lambda back: _away(back[0], spots[stock]))
        # on an empty work pile a card may just have been laid
        others = [spots[place] for place in spots if place.kind == WORK]
        others += [card.at for p in spots if p != stock for card in self.umpire.story.pile(p) if card.at]
        return shown >= SHOWN and all(_away(aside, spot) > OTHERS_MM for spot in others)

    def _is_of(self, stock: Place, place: Place | None) -> bool:
        """Whether a back that lies at a place may be of a stock: a card that is drawn aside may be held over other piles
        of its player that show no backs.
        """
        if place is None or place == stock:
            return True
        pile = self.umpire.story.pile(place)
        return place.seat == stock.seat and place.kind in (WASTE, WORK) and all(card.up for card in pile)

    def told(self, events: Sequence[Told], now: float) -> list[Told]:
        """The events, with those that were seen of stocks by now (s) in their order."""
        found = list(events)
        for seat, looks in self._apart.items():
            for shown in _together(looks):
                (first, since), (last, until) = shown[0], shown[-1]
                if len(shown) < GLANCES or now < last + WAITED_S:
                    continue
                drawn = (one for one, _ in events if one.of_stock and one.seat == seat)
                if any(first - _lasts_s(one) <= one.at <= last + DRAWN_S[1] for one in drawn):
                    continue
                bury = Believed(Bury(at=last, seat=seat, frames=(since, until)), target=Place(STOCK, 0, seat))
                later = (number for number, (one, _) in enumerate(found) if one.at > last)
                found.insert(next(later, len(found)), (bury, INFERRED))
        return found


def _lasts_s(handled: Believed) -> float:
    """For how long (s) backs may lie side by side once a packet was drawn or a waste turned over."""
    return TURNED_S if isinstance(handled.event, Recycle) else DRAWN_S[0]


def _together(looks: Sequence[tuple[float, int]]) -> list[list[tuple[float, int]]]:
    """Looks that follow one another shortly, as groups."""
    groups: list[list[tuple[float, int]]] = []
    for look in looks:
        if groups and look[0] - groups[-1][-1][0] <= ONCE_S:
            groups[-1].append(look)
        else:
            groups.append([look])
    return groups


def _away(one: Point, other: Point) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])
