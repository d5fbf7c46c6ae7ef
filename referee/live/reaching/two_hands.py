"""Two cards of one seat that were in the air at once (N4): by arms that came from far apart, each all the way, or were
seen both at once.

Whose arm it was is not asked of everything that is hidden on the way to somebody: a player's own arm hides much of the
way to the neighbour, too. Another seat may have done it only if no part of its ways shows where the card was taken
and where it was laid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import fmean

import numpy as np

from referee.live.reaching.at_once import are_two
from referee.live.reaching.reaches import (
    CAME_NOT,
    HIDDEN,
    OTHER_MM,
    PASSED_S,
    REMEMBERED_S,
    Reaches,
    Side,
    are_side_by_side,
)
from referee.rules.events import Motion, Play
from referee.umpire.sights import Interval
from referee.umpire.story import Believed
from referee.umpire.umpire import Umpire

#: Of the last so many events two may have happened at once.
LATELY = 40
#: Moments at which both cards are in the air are asked every so many s.
EVERY_S = 0.1
#: A landing that is told no more widely than this (s) was seen; its card was in the air for so long (s) at least, and for
#: so long at most.
TIMED_S, IN_AIR_S = 0.2, (0.3, 4.0)
#: A hand lies over a card so long (s) before it is seen to lift it: two arms that cross later on lay apart then.
#: That is asked where both cards were in the air for so long (s) at least: lifts are told up to 0.3 s too early.
TAKES_S, LONG_S = 0.15, 0.3

Pair = tuple[tuple[object, ...], tuple[object, ...]]


@dataclass(slots=True)
class TwoHands:
    """Ask `told` of all events: what has been said of two plays stays."""

    umpire: Umpire
    reaches: Reaches
    #: By what both tell: which hand did each; None for one hand, or where that could not be told.
    _said: dict[Pair, tuple[Side, Side] | None] = field(default_factory=dict)

    def told(self, events: Sequence[Believed], now: float) -> dict[int, Believed]:
        """By number: the plays that one seat made at once, each with the hand that did it. `now`: s.

        None of partners, who play with the same cards: their arms are two players', and may be taken for each other.
        """
        found = dict[int, Believed]()
        if self.umpire.dealing.partners:
            return found
        lately = [(number, _with_lift(event)) for number, event in enumerate(events)][-LATELY:]
        for (one, a), (two, b) in combinations(lately, 2):
            if a.seat != b.seat or not overlap(a, b):
                continue
            sides = self._sides(a, b, now)
            if sides is not None:
                found[one], found[two] = _by_hand(a, sides[0]), _by_hand(b, sides[1])
        return found

    def _sides(self, one: Believed, two: Believed, now: float) -> tuple[Side, Side] | None:
        pair = one.identity, two.identity
        first, last = sorted((one.at, two.at))
        if pair not in self._said and now - REMEMBERED_S < first and last < now - PASSED_S:
            self._said[pair] = self._seen(one, two)
        return self._said.get(pair)

    def _seen(self, one: Believed, two: Believed) -> tuple[Side, Side] | None:
        """Which hand of their seat did each, if both ends of either way show an arm from elsewhere than the other's, or
        two arms were over the table at once.
        """
        first, second = self._asides(one), self._asides(two)
        if not first or not second:
            return None
        apart = fmean(second) - fmean(first)
        mingled = min(max(first), max(second)) >= max(min(first), min(second))
        # of a card that nobody saw lifted one end is known alone
        few = not (_was_seen_lifted(one) and _was_seen_lifted(two))
        if (abs(apart) < OTHER_MM or mingled or few) and not self._were_at_once(one, two):
            return None
        return ("left", "right") if apart > 0 else ("right", "left")

    def _were_at_once(self, one: Believed, two: Believed) -> bool:
        """Whether two arms of their seat lay over the table while both cards were in the air, or, where nobody saw one of
        them lifted, while they were laid.
        """
        (lifted, landed), umpire = _both_in_air(one, two), self.umpire
        seat = umpire.owner(one.seat)
        # an arm of whoever sits beside may be the other one
        beside = any(
            are_side_by_side(umpire.dealt_area, seat, other) for other in umpire.seats if other != seat
        )
        if not (_was_seen_lifted(one) and _was_seen_lifted(two)):
            if beside:
                return False
            landed = max(_in_air_until(one), _in_air_until(two)) + EVERY_S / 2
        elif landed - lifted >= LONG_S and not beside:
            lifted -= TAKES_S
        area = next(area for area in umpire.dealt_area.seats if area.seat == seat)
        moments = np.arange(lifted, landed, EVERY_S).tolist()
        return are_two(self.reaches.change, area, umpire.dealt_area.from_table, moments)

    def _asides(self, event: Believed) -> list[float]:
        """From how far (mm) to its player's right the arm came that took and laid a play's card; nothing where it was not
        seen at both, as far as they can be told, or where another seat's may have done both.
        """
        motion = event.event
        assert isinstance(motion, Motion)
        area, owner = self.umpire.dealt_area, self.umpire.owner(event.seat)
        own = next(one for one in area.seats if one.seat == owner)
        asides, others = list[float](), set(self.umpire.seats)
        for place, point, at in self.umpire.hands(event):
            if place == event.source and not _was_seen_lifted(event):
                continue
            moment = _middle(motion.lifted) if place == event.source else at
            came = self.reaches.at(point, moment, area.seats, area.from_table)
            if self.reaches.is_in_view(point, moment, own, area.from_table):
                arms = [reach.aside for reach in came if reach.seat == owner and reach.hidden >= HIDDEN]
                if not arms:
                    return []
                asides += arms
            least = self.reaches.least_hidden(point, moment, area.seats, area.from_table)
            others &= {seat for seat, share in least.items() if seat != owner and share > CAME_NOT}
        return asides if not others else []


def _both_in_air(one: Believed, two: Believed) -> Interval:
    """From when to when (s) the cards of both plays were in the air, of plays that `overlap`."""
    a, b = one.event, two.event
    assert isinstance(a, Motion) and isinstance(b, Motion) and a.lifted and b.lifted
    return max(a.lifted[1], b.lifted[1]), min(_in_air_until(one), _in_air_until(two))


def overlap(one: Believed, two: Believed) -> bool:
    """Whether the cards of two plays from and to four places were seen in the air at once.

    The one that was lifted later need not have been seen to land: it did so later still.
    """
    a, b = one.event, two.event
    if (
        not isinstance(a, Play)
        or not isinstance(b, Play)
        or len({a.source, a.target, b.source, b.target}) < 4
    ):
        return False
    if a.lifted is None or b.lifted is None:
        return False
    if b.lifted < a.lifted:
        return overlap(two, one)
    return a.landed is not None and b.lifted[1] < a.landed[0] and a.lifted[1] < _in_air_until(two)


def _with_lift(event: Believed) -> Believed:
    """A play with when its card was lifted: where nobody saw that, as long before its landing as a card is carried."""
    play = event.event
    if not isinstance(play, Play) or play.lifted is not None or play.landed is None:
        return event
    first, last = play.landed
    if last - first > TIMED_S:
        return event
    return replace(event, event=replace(play, lifted=(first - IN_AIR_S[1], first - IN_AIR_S[0])))


def _was_seen_lifted(event: Believed) -> bool:
    motion = event.event
    assert isinstance(motion, Motion) and motion.lifted
    return motion.lifted[1] - motion.lifted[0] <= TIMED_S


def _in_air_until(play: Believed) -> float:
    """Up to when (s) its card was surely in the air, of a play that was seen lifted."""
    motion = play.event
    assert isinstance(motion, Motion) and motion.lifted
    return motion.landed[0] if motion.landed else max(motion.lifted[1], play.bare)


def _middle(interval: Interval | None) -> float:
    assert interval is not None
    return sum(interval) / 2


def _by_hand(event: Believed, side: Side) -> Believed:
    motion = event.event
    assert isinstance(motion, Motion)
    # that it broke a rule stands though frames did not show its landing
    misfit = event.misfit or motion.landed is None
    return replace(event, event=replace(motion, hand=side), misfit=misfit)
