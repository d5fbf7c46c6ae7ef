"""Between two hands: the table is looked at when it is still and something changed, until a new deal lies there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from referee.live.in_view import amiss
from referee.live.looking import Eyes
from referee.live.session.picture import Picture
from referee.rules.places import NERTS, WORK, Place
from referee.umpire.seats.begun import find_begun
from referee.umpire.seats.deal import Deal
from referee.umpire.seats.dealt_row import DealNotFoundError
from referee.umpire.story import Pile
from referee.umpire.umpire import Umpire
from vision.capture.video import Frame
from vision.layout import Floats, Layout

#: A whole table is looked at so often (s) at most, and so often where nothing changed but no deal could be read.
LOOK_EVERY_S, LOOK_AGAIN_S = 1.0, 5.0
#: Where nothing has been still for so long (s) a hand may be under way: it is read from so many looks, none of them older
#: than this (s).
RESTLESS_S, RESTLESS_LOOKS, RECENT_S = 3.0, 3, 8.0
#: The same once the table has been seen at rest: then it is dealt, which takes so long (s) at most.
DEALING_S = 25.0
#: Cards that the eye is surer of lie on the table; it is empty with no more than so many, and shows no hand that is under
#: way with fewer than so many: then it is looked at as seldom as a table that does not change.
SURE_CARD, EMPTY, FEW = 0.5, 2, 8
#: A deal of which this share of the open cards lay there in the old hand is none; two hands share some by chance.
SAME_CARDS = 0.5

Tops = Mapping[Place, str]


@dataclass(frozen=True, slots=True)
class Lies:
    """What lies on the table: nothing, the last hand's cards, a deal that is not whole (`why`), or a whole one."""

    what: Literal["nothing", "old", "unready", "deal"]
    why: str = ""
    deal: Deal | None = None
    #: The frame in which the deal was read last, and the umpire that read it.
    frame: Frame | None = None
    umpire: Umpire | None = None


def tops_of(piles: Mapping[Place, Pile]) -> Tops:
    """The open cards of the players' rows."""
    own = {place: pile[-1] for place, pile in piles.items() if pile and place.kind in (NERTS, WORK)}
    return {place: card.face for place, card in own.items() if card.up and card.known}


@dataclass(slots=True)
class DealWatch:
    """`look` as often as there is a frame; it takes seconds where it does look."""

    eyes: Eyes
    picture: Picture
    #: The open cards of the hand before; empty when the table has been seen empty since.
    old: Tops = field(default_factory=dict)
    #: When (s) the hand before ended.
    ended_s: float = float("-inf")
    looks: int = 0
    _looked_s: float = float("-inf")
    _seen: bool = False
    #: Looks at a table on which something moves all the time, with their moments (s); since when (s) it has.
    _moving: list[tuple[float, Layout]] = field(default_factory=list)
    _restless_s: float | None = None
    _restless_look_s: float = float("-inf")

    def look(self, frame: Frame, umpire: Umpire) -> Lies | None:
        """What lies there; None where nothing can be said that was not said before. `umpire`: a fresh one."""
        now_s, stills = frame.time_s, self._stills()
        if not stills:
            return self._restless(frame, umpire)
        self._restless_s, self._moving = None, []
        wait = LOOK_EVERY_S if self.picture.changed or not self._seen else LOOK_AGAIN_S
        if now_s - self._looked_s < wait:
            return None
        self.picture.accept()
        self._seen, self._looked_s = True, now_s
        return self._lies(stills, umpire)

    def _stills(self) -> list[Frame]:
        """Frames in which nothing moves: of now, or of a while that went by during the last look at the table."""
        stood, since = self.picture.stood, max(self._looked_s, self.ended_s)
        return self.picture.stills or (stood if stood and stood[0].time_s > since else [])

    def _lies(self, stills: Sequence[Frame], umpire: Umpire) -> Lies:
        first = self._look(stills[-1])
        if _sure(first) <= EMPTY:
            self.old = {}
            return Lies("nothing")
        try:
            deal = self._deal([first], stills[-1], umpire)
        except DealNotFoundError as why:
            if self.old:
                return Lies("old")
            layouts = [first, *(self._look(frame, first.to_table) for frame in stills[:-1])]
            return self._begun(layouts, stills[-1], umpire) or Lies("unready", f"{why}{amiss(layouts)}")
        if self._is_old(deal):
            return Lies("old")
        # the plane is known now, which makes further looks far quicker
        layouts = [first, *(self._look(frame, first.to_table) for frame in stills[:-1])]
        if len(layouts) > 1:
            try:
                deal = self._deal(layouts, stills[-1], umpire)
            except DealNotFoundError as why:
                return Lies("unready", f"{why}{amiss(layouts)}")
        return Lies("deal", "", deal, stills[-1], umpire)

    def _restless(self, frame: Frame, umpire: Umpire) -> Lies | None:
        """The hand that is played on a table that is never still, if one is: nobody waits for a camera."""
        if self._restless_s is None:
            self._restless_s = frame.time_s
        since = self._restless_s + (DEALING_S if self._seen else RESTLESS_S)
        wait = LOOK_AGAIN_S if self._moving and _sure(self._moving[-1][1]) < FEW else LOOK_EVERY_S
        if self.old or frame.time_s < since or frame.time_s < self._restless_look_s + wait:
            return None
        self._restless_look_s = frame.time_s
        recent = [(at, layout) for at, layout in self._moving if at >= frame.time_s - RECENT_S]
        self._moving = [*recent, (frame.time_s, self._look(frame))][-RESTLESS_LOOKS:]
        if len(self._moving) < RESTLESS_LOOKS:
            return None
        return self._begun([layout for _, layout in self._moving], frame, umpire)

    def _begun(self, layouts: Sequence[Layout], frame: Frame, umpire: Umpire) -> Lies | None:
        """The hand that is under way, if that is what these looks show, as it lies in this frame."""
        try:
            found = find_begun(layouts, umpire.dealing)
        except DealNotFoundError:
            return None
        return Lies("deal", "", umpire.take_up(found, frame.time_s), frame, umpire)

    def _deal(self, layouts: Sequence[Layout], frame: Frame, umpire: Umpire) -> Deal:
        return umpire.deal(layouts, partial(self.eyes.look, frame))

    def _look(self, frame: Frame, to_table: Floats | None = None) -> Layout:
        self.looks += 1
        return self.eyes.look(frame, None, to_table)

    def _is_old(self, deal: Deal) -> bool:
        shown = [item for tops in deal.tops.values() for item in tops.items()]
        same = [self.old.get(place, "") in card.sight().likely(0.5, 1) for place, card in shown]
        return sum(same) > SAME_CARDS * len(same)


def _sure(layout: Layout) -> int:
    return sum(card.confidence > SURE_CARD for card in layout.cards)
