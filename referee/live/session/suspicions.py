"""What the views of a hand make one suspect: that the cards are gathered up, that the thread is lost, that somebody
could call.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.live.noticing import LOST_S
from referee.rules.events import Draw, Play
from referee.rules.places import FOUNDATION, STOCK, WASTE, Place
from referee.umpire.sights import View
from referee.umpire.umpire import Umpire

#: Cards are gathered up when so many places, and this share of those where cards lay, are seen to fall empty one
#: after the other, none later than this (s) after the one before.
GATHERED, GATHERED_SHARE, ONE_AFTER_THE_OTHER_S = 5, 0.5, 6.0
#: A card that was played landed no longer than this (s) after its place was seen to be empty, or before that.
PLAYED_S, SEEN_LATE_S = 3.0, 1.0
#: What may have begun the gathering up is forgotten after so long (s).
FORGOTTEN_S = 20.0
#: What happened while so many places fell empty is told when it is known that the cards are not being gathered up.
PERHAPS_GATHERED = 3
#: The thread is lost where so many places have looked other than believed so many times in a row, or one of them so
#: many times; it is found again when none has.
LOST_PLACES, LOST_LOOKS, LOST_ALONE = 2, 5, 10
#: It is lost, too, where the likeliest story pays so much (log) to explain one look: what is usual costs a third of it,
#: what breaks a rule two thirds. It is not found before so long (s) after that.
DEAR, DEAR_S = -20.0, 1.0
#: A card reads as another one than believed below this (log probability).
OTHER = -3.0
#: The top of a foundation is read for certain from this probability on.
SURE_TOP = 0.95
#: Somebody without Nerts cards is asked about when that is this sure.
SURE_EMPTY = 0.9


@dataclass(slots=True)
class Suspicions:
    """Tell it every `view`."""

    umpire: Umpire
    #: Where and when (s) the thread was lost; None while it is not.
    lost_at: tuple[Place, float] | None = None
    #: When each place was first seen to be empty; where cards lie.
    _emptied: dict[Place, float] = field(default_factory=dict)
    _lying: set[Place] = field(default_factory=set)
    #: Places that a play emptied, and when: that stands, whatever is believed once cards are being gathered up.
    _played: set[tuple[Place, float]] = field(default_factory=set)
    #: When (s) anything was seen last.
    _now: float = 0.0
    #: See `_see_strange`.
    _strange_s: float | None = None
    _odd: dict[Place, int] = field(default_factory=dict)
    _odd_since: dict[Place, float] = field(default_factory=dict)
    #: The place where a look was paid for so dearly last, and when (s).
    _dear: tuple[Place, float] | None = None
    #: The top card that each foundation showed last, where it was read for certain.
    tops: dict[Place, str] = field(default_factory=dict)

    def view(self, view: View) -> None:
        """A place was seen."""
        self._now = max(self._now, view.at)
        if view.sights:
            self._emptied.pop(view.place, None)
            self._lying.add(view.place)
        elif view.place in self._lying:
            self._lying.discard(view.place)
            self._emptied[view.place] = view.rested
        if view.place.kind == FOUNDATION and view.top is not None and view.top.face_up:
            read = view.top.likely(SURE_TOP, 1)
            if read:
                self.tops[view.place] = read[0]
        self._odd[view.place] = self._odd.get(view.place, 0) + 1 if self._is_odd(view) else 0
        if view.paid <= DEAR:
            self._dear = view.place, view.at
        if self._odd[view.place] == 1:
            self._odd_since[view.place] = view.rested

    def gathered_since(self) -> float | None:
        """Since when (s) the cards are being gathered up; None if they are not."""
        run = self._falling_empty()
        there = len(run) + len(self._lying)
        if len(run) < GATHERED or len(run) < GATHERED_SHARE * there:
            return None
        return self._begun(run[-1])

    def perhaps_since(self) -> float | None:
        """Since when (s) the cards may be being gathered up."""
        strange = self._see_strange()
        run = self._falling_empty()
        if len(run) >= PERHAPS_GATHERED and self._now - run[0] <= ONE_AFTER_THE_OTHER_S:
            return self._begun(run[-1])
        return strange

    def _begun(self, fallen_s: float) -> float:
        """Since when (s) cards are gathered up, of which a first place fell empty: what was strange belongs to it, and
        what broke a rule when nobody played by the rules any more.
        """
        strange = self._strange_s
        if strange is not None and 0 <= fallen_s - strange <= ONE_AFTER_THE_OTHER_S:
            return strange
        first = fallen_s
        for event in self.umpire.story.past or ():
            lawful = isinstance(event.event, Play | Draw) and not event.misfit and event.at <= fallen_s
            if lawful or event.at < fallen_s - ONE_AFTER_THE_OTHER_S:
                break
            first = min(first, event.at) if event.misfit else first
        return first

    def _see_strange(self) -> float | None:
        """When (s), of late, a play that breaks a rule was made with somebody's Nerts pile empty; None if none was.

        Piles that are gathered up are first laid on one another.
        """
        late, first = self._now - ONE_AFTER_THE_OTHER_S, None
        for event in self.umpire.story.past or ():
            if event.at < late:
                break
            first = event.at if event.misfit else first
        known = self._strange_s
        if first is None or (not self._is_lately(known) and self.could_call() is None):
            return None
        self._strange_s = min(known, first) if known is not None and self._is_lately(known) else first
        return first if self._strange_s < late else self._strange_s

    def _is_lately(self, at: float | None) -> bool:
        return at is not None and at >= self._now - FORGOTTEN_S

    def _falling_empty(self) -> list[float]:
        """When (s) place after place fell empty of late, the last one first; not those from which a card was played."""
        fallen = sorted(((at, place) for place, at in self._emptied.items()), reverse=True)
        run: list[float] = []
        for at, place in fallen:
            if run and run[-1] - at > ONE_AFTER_THE_OTHER_S:
                break
            if not self._was_played_from(place, at):
                run.append(at)
        return run

    def _was_played_from(self, place: Place, at: float) -> bool:
        """Whether a play that breaks no rule emptied this place then (s), by what was the likeliest story at any time."""
        if (place, at) not in self._played and self._is_played_from(place, at):
            self._played.add((place, at))
        return (place, at) in self._played

    def _is_played_from(self, place: Place, at: float) -> bool:
        for event in self.umpire.story.past or ():
            if event.at < at - SEEN_LATE_S:
                return False
            drawn = event.of_stock and place.kind in (STOCK, WASTE) and event.seat == place.seat
            if (event.source == place or drawn) and event.at <= at + PLAYED_S and not event.misfit:
                return True
        return False

    def odd_place(self) -> Place | None:
        """The place that has been seen otherwise than believed most often of those that are too many.

        None while places fall empty: then it is the cards that go.
        """
        if len(self._falling_empty()) > 1:
            return None
        if self._is_dear():
            return self._dear[0] if self._dear else None
        often = self.odd_places()
        worst = max(often, key=self._odd.__getitem__, default=None)
        if worst is None or (len(often) < LOST_PLACES and self._odd[worst] < LOST_ALONE):
            return None
        return worst

    def odd_places(self) -> list[Place]:
        """The places that have been seen otherwise than believed too often in a row."""
        return [place for place, times in self._odd.items() if times >= LOST_LOOKS]

    def odd_since(self) -> float:
        """Since when (s) the first of them has been seen otherwise."""
        return min((self._odd_since[place] for place in self.odd_places()), default=self._now)

    def _is_dear(self) -> bool:
        return self._dear is not None and self._now - self._dear[1] < DEAR_S

    def found_again(self) -> bool:
        """Whether, with the thread lost, no place looks other than believed any more."""
        return not self.odd_places() and not self._is_dear()

    def is_end(self, blind_s: float) -> bool:
        """Whether a camera that seems to have moved so long (s) ago sees the end of a hand: cards that are gathered up,
        and the hands that do it, are most of what stands out on a plain table.
        """
        return self.perhaps_since() is not None or (blind_s > LOST_S and self.could_call() is not None)

    def could_call(self) -> str | None:
        """A seat that surely has no Nerts pile left."""
        return next((s for s in self.umpire.seats if self.umpire.likely_empty(s) >= SURE_EMPTY), None)

    def _is_odd(self, view: View) -> bool:
        pile, top = self.umpire.story.pile(view.place), view.top
        if top is None or not pile:
            return (top is None) != (not pile)
        return top.face_up and pile[-1].known and top.reads(pile[-1].face) < OTHER
