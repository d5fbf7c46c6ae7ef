"""What the views of a hand make one suspect: that the cards are gathered up, that the thread is lost, that somebody
could call.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.rules.places import FOUNDATION, Place
from referee.umpire.sights import View
from referee.umpire.umpire import Umpire

#: Cards are gathered up when so many places, and this share of those where cards lay, are seen to fall empty one
#: after the other, none later than this (s) after the one before.
GATHERED, GATHERED_SHARE, ONE_AFTER_THE_OTHER_S = 5, 0.5, 6.0
#: The thread is lost where so many places have looked other than believed so many times in a row; it is found again
#: when fewer than two have.
LOST_PLACES, LOST_LOOKS = 2, 5
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
    lost: bool = False
    #: When each place was first seen to be empty; where cards lie.
    _emptied: dict[Place, float] = field(default_factory=dict)
    _lying: set[Place] = field(default_factory=set)
    _odd: dict[Place, int] = field(default_factory=dict)
    #: The top card that each foundation showed last, where it was read for certain.
    tops: dict[Place, str] = field(default_factory=dict)

    def view(self, view: View) -> None:
        """A place was seen."""
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

    def gathered_since(self) -> float | None:
        """Since when (s) the cards are being gathered up; None if they are not."""
        run = self._falling_empty()
        there = len(run) + len(self._lying)
        return run[-1] if len(run) >= GATHERED and len(run) >= GATHERED_SHARE * there else None

    def _falling_empty(self) -> list[float]:
        """When (s) place after place fell empty, the last one first."""
        moments = sorted(self._emptied.values(), reverse=True)
        run = moments[:1]
        for moment in moments[1:]:
            if run[-1] - moment > ONE_AFTER_THE_OTHER_S:
                break
            run.append(moment)
        return run

    def odd_place(self) -> Place | None:
        """The place that has been seen otherwise than believed most often of those that are too many.

        None while places fall empty: then it is the cards that go.
        """
        if len(self._falling_empty()) > 1:
            return None
        often = [place for place, times in self._odd.items() if times >= LOST_LOOKS]
        return max(often, key=self._odd.__getitem__) if len(often) >= LOST_PLACES else None

    def found_again(self) -> bool:
        """Whether, with the thread lost, hardly a place looks other than believed."""
        return sum(times >= LOST_LOOKS for times in self._odd.values()) < LOST_PLACES

    def could_call(self) -> str | None:
        """A seat that surely has no Nerts pile left."""
        return next((s for s in self.umpire.seats if self.umpire.likely_empty(s) >= SURE_EMPTY), None)

    def _is_odd(self, view: View) -> bool:
        pile, top = self.umpire.story.pile(view.place), view.top
        if top is None or not pile:
            return (top is None) != (not pile)
        return top.face_up and pile[-1].known and top.reads(pile[-1].face) < OTHER
