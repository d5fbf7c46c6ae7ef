"""How a hand is found at the beginning of a recording: its deal, or what lies where if it has begun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import inf

from referee.live.in_view import amiss
from referee.umpire.seats.begun import Begun, find_begun
from referee.umpire.seats.deal import Deal
from referee.umpire.seats.dealt_row import DealNotFoundError, HandBegunError
from referee.umpire.seats.hindsight import Dealt, Taken, as_dealt
from referee.umpire.sights import Window
from referee.umpire.umpire import Umpire
from vision.capture.video import Frame
from vision.layout import Floats, Layout

#: The deal is read from so many looks at the whole table; the moments (s) of these, and of the further ones that
#: are taken where it cannot be read yet: seldom where hardly a card lies there, since such a look takes a second.
DEAL_LOOKS = 3
DEAL_AT_S = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.5, 8.0)
SELDOM_S, FEW = (0.0, 0.25, 0.5, 3.0, 8.0), 8
DEAL_EVERY_S = 5.0
#: Until so long (s) after the beginning a row that lacks a card is waited for, where others are whole.
PATIENT_S = 8.0
#: A hand that had begun is looked at so often from when it is seen to have, and so often where a hand lies over some
#: place, so long (s) after one another; so many looks count, since play goes on.
BEGUN_LOOKS, MORE_LOOKS, MORE_AFTER_S, BEGUN_BY = 2, 5, 0.5, 5
#: So many looks are kept, to tell what lay there before play began.
MOST_LOOKS = 20

Look = Callable[[Frame, Window | None, Floats | None], Layout]


@dataclass(slots=True)
class Beginning:
    """Give it every frame; it looks (`look`) at few of them."""

    umpire: Umpire
    look: Look
    #: Why no deal could be read so far, and how often that was tried.
    why: DealNotFoundError | None = None
    tried: int = 0
    #: A deal that was read late, as it lay before play began. One that is `foretold` is followed from its moment on.
    before: Dealt | None = None
    foretold: Dealt | None = None
    _looks: list[Taken] = field(default_factory=list)
    #: When (s) the first frame was shown, and how long after it a look was taken that another one is to follow soon.
    _first_s: float | None = None
    _soon_after: float | None = None
    #: How often a hand was seen that had begun; how long after the first frame the last look was taken.
    _begun_looks: int = 0
    _looked: float = -inf

    @property
    def is_hopeless(self) -> bool:
        """Whether neither a deal nor a hand that has begun was seen at any of the moments at which one should be."""
        return self.why is not None and self._looked >= DEAL_AT_S[-1] and self._soon_after is None

    def find(self, frame: Frame) -> Deal | None:
        """The deal, or the hand that has begun, once it can be read: the umpire follows it from then on."""
        if self.foretold is not None:
            at, dealt = self.foretold
            return None if frame.time_s < at else self.umpire.begin(dealt)
        if self._first_s is None:
            self._first_s = frame.time_s
        now = frame.time_s - self._first_s
        if now < self._next_look():
            return None
        self.tried += 1
        self._looked = now
        self._looks = [*self._looks, Taken(frame.time_s, self.look(frame, None, None))][-MOST_LOOKS:]
        if len(self._looks) < DEAL_LOOKS:
            return None
        deal = self._deal(frame, now)
        if deal is not None:
            late = self.tried > DEAL_LOOKS
            self.before = as_dealt(deal, self._looks, self.umpire.dealing) if late else None
            self._looks = []
        return deal

    def _deal(self, frame: Frame, now: float) -> Deal | None:
        look, patient = partial(self.look, frame), now < PATIENT_S
        try:
            return self.umpire.deal(self._latest(DEAL_LOOKS), look, fill=True, patient=patient)
        except DealNotFoundError as why:
            # later, cards have been played and say less of why
            self.why = self.why or self._said(why)
            found = self._begun(now)
            return None if found is None else self.umpire.take_up(found, frame.time_s)

    def _latest(self, count: int) -> list[Layout]:
        return [taken.layout for taken in self._looks[-count:]]

    def _said(self, why: DealNotFoundError) -> DealNotFoundError:
        """The same with what may be the reason."""
        return type(why)(f"{why}{amiss(self._latest(BEGUN_BY))}")

    def _begun(self, now: float) -> Begun | None:
        """The hand that is under way, if one is and enough of it is seen; a place under a hand is waited for."""
        found = None
        try:
            found = find_begun(self._latest(BEGUN_BY), self.umpire.dealing)
        except HandBegunError as why:
            self.why = self._said(why)
        except DealNotFoundError:
            self._soon_after = None
            return None
        self._begun_looks += 1
        waits = found is None or bool(found.hidden) or self._begun_looks < BEGUN_LOOKS
        waits = waits and self._begun_looks < MORE_LOOKS
        self._soon_after = now if waits else None
        return None if waits else found

    def _next_look(self) -> float:
        if self._soon_after is not None:
            return self._soon_after + MORE_AFTER_S
        few = bool(self._looks) and len(self._looks[-1].layout.cards) < FEW
        later = self._looked + DEAL_EVERY_S
        return next((at for at in (SELDOM_S if few else DEAL_AT_S) if at > self._looked), later)
