"""What frames tell of a play beside that it happened: when its card was lifted, and which arm did it.

A story says what happened; this says of what it tells when and by whom that was done, once and for all: what has been
said of an event stays, whatever the story says of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from referee.live.reaching.bringers import Bringers
from referee.live.reaching.buries import Buries
from referee.live.reaching.reaches import PASSED_S, REMEMBERED_S, Reach, Reaches, Side
from referee.live.reaching.trespass import Trespass
from referee.live.reaching.two_hands import TwoHands
from referee.rules.events import Motion
from referee.rules.places import Place
from referee.umpire.sights import Interval, View
from referee.umpire.story import Believed
from referee.umpire.umpire import Umpire
from vision.capture.change import ChangeMap

#: A card is lifted no longer than this (s) before it lands; a lift told more widely than this (s) was not seen.
CARRIED_S, SEEN_S = 4.0, 0.2
#: Two tellings of one event differ by no more than this (s).
SAME_S = 1.0


class Arm(NamedTuple):
    """Which arm did something at `at` (s); None: not known."""

    at: float
    side: Side | None


@dataclass(slots=True)
class Moments:
    """`see` every view, then `dress` what is believed to have happened."""

    umpire: Umpire
    change: ChangeMap
    reaches: Reaches = field(init=False)
    trespass: Trespass = field(init=False)
    bringers: Bringers = field(init=False)
    two_hands: TwoHands = field(init=False)
    buries: Buries = field(init=False)
    #: By place: which card left it, and when.
    _left: dict[Place, list[tuple[str, Interval]]] = field(default_factory=dict)
    #: By what an event tells: its moment, and which arm did it.
    _arms: dict[tuple[object, ...], list[Arm]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reaches = Reaches(self.change)
        self.trespass = Trespass(self.umpire, self.reaches)
        self.bringers = Bringers(self.trespass)
        self.two_hands = TwoHands(self.umpire, self.reaches)
        self.buries = Buries(self.umpire, self.change)

    def see(self, views: Sequence[View]) -> None:
        """Cards that left the places of these views."""
        self.bringers.see(views)
        for view in views:
            if view.left is not None:
                self._left.setdefault(view.place, []).append(view.left)

    def dress(self, events: Sequence[tuple[Believed, float]], now: float) -> list[tuple[Believed, float]]:
        """The same events with what is known of their moments and arms by now (s)."""
        told = (self.trespass.told(event, sure, now, events) for event, sure in events)
        dressed = [(self._dressed(event, now), sure) for event, sure in told]
        sides = self.two_hands.told([event for event, _ in dressed], now)
        told_by = [(sides.get(number, event), sure) for number, (event, sure) in enumerate(dressed)]
        return self.buries.told(told_by, now)

    def _dressed(self, event: Believed, now: float) -> Believed:
        motion = event.event
        if not isinstance(motion, Motion):
            return event
        lifted = self._lifted(event)
        side = self._side(event, lifted, now)
        if lifted is None and side is None:
            return event
        return replace(event, event=replace(motion, lifted=lifted, hand=side))

    def _lifted(self, event: Believed) -> Interval | None:
        """When its card left, as far as that was seen before it landed."""
        if event.source is None or not event.cards:
            return None
        landed = event.event.landed if isinstance(event.event, Motion) else None
        latest = event.at if landed is None else landed[1]
        for face, (first, last) in reversed(self._left.get(event.source, ())):
            if face == event.cards[-1] and latest - CARRIED_S <= first <= latest:
                return (first, min(last, latest)) if last - first <= SEEN_S else None
        return None

    def _side(self, event: Believed, lifted: Interval | None, now: float) -> Side | None:
        """Which arm of its seat did it: one that stood out where a card was taken or laid, and no other seat's did."""
        if self.umpire.dealing.partners:
            return None
        what = event.identity[: 2 if event.of_stock else None]
        known = self._arms.setdefault(what, [])
        for arm in known:
            if abs(arm.at - event.at) <= SAME_S:
                return arm.side
        if not now - REMEMBERED_S < event.at < now - PASSED_S:
            return None
        known.append(self._seen_arm(event, lifted))
        return known[-1].side

    def _seen_arm(self, event: Believed, lifted: Interval | None) -> Arm:
        found = [reach for reach in self.arms(event, lifted) if reach is not None]
        if not found or any(reach.seat != self.umpire.owner(event.seat) for reach in found):
            return Arm(event.at, None)
        for reach in found:
            self.reaches.note(reach)
        sides = {self.reaches.side(reach) for reach in found}
        return Arm(event.at, sides.pop() if len(sides) == 1 else None)

    def arms(self, event: Believed, lifted: Interval | None = None) -> list[Reach | None]:
        """Whose arms stood out where an event's cards were taken (`lifted`: when, s) and where they were laid."""
        area = self.umpire.dealt_area
        found = []
        for place, point, at in self.umpire.hands(event):
            moment = sum(lifted) / 2 if lifted is not None and place == event.source else at
            found.append(self.reaches.whose(point, moment, area.seats, area.from_table))
        return found
