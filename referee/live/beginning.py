"""How a hand is found at the beginning of a recording: its deal, or what lies where if it has begun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from referee.live.in_view import amiss
from referee.umpire.seats.begun import Begun, find_begun
from referee.umpire.seats.deal import Deal
from referee.umpire.seats.dealt_row import DealNotFoundError, HandBegunError
from referee.umpire.sights import Window
from referee.umpire.umpire import Umpire
from vision.capture.video import Frame
from vision.layout import Floats, Layout

#: The deal is read from so many looks at the whole table; the moments (s) of these, and of the further ones that
#: are taken where it cannot be read yet, then every so many seconds. They are few, since such a look takes a second.
DEAL_LOOKS = 3
DEAL_AT_S = (0.0, 0.25, 0.5, 3.0, 8.0)
DEAL_EVERY_S = 5.0
#: So many looks are taken at a hand that had begun, and so many more where a hand lies over some place, so long (s) after
#: one another; so many of them count, since play goes on.
BEGUN_LOOKS, MORE_LOOKS, MORE_AFTER_S, LOOKS_KEPT = 4, 3, 0.5, 5

Look = Callable[[Frame, Window | None, Floats | None], Layout]


@dataclass(slots=True)
class Beginning:
    """Give it every frame; it looks (`look`) at few of them."""

    umpire: Umpire
    look: Look
    #: Why no deal could be read so far, and how often that was tried.
    why: DealNotFoundError | None = None
    tried: int = 0
    _looks: list[Layout] = field(default_factory=list)
    #: When (s) the first frame was shown, and how long after it a look was taken that another one is to follow soon.
    _first_s: float | None = None
    _soon_after: float | None = None

    @property
    def is_hopeless(self) -> bool:
        """Whether neither a deal nor a hand that has begun was seen at any of the moments at which one should be."""
        return self.why is not None and self.tried >= len(DEAL_AT_S) and self._soon_after is None

    def find(self, frame: Frame) -> Deal | None:
        """The deal, or the hand that has begun, once it can be read: the umpire follows it from then on."""
        if self._first_s is None:
            self._first_s = frame.time_s
        now = frame.time_s - self._first_s
        if now < self._next_look():
            return None
        self.tried += 1
        self._looks = [*self._looks, self.look(frame, None, None)][-LOOKS_KEPT:]
        if len(self._looks) < DEAL_LOOKS:
            return None
        deal = self._deal(frame, now)
        if deal is not None:
            self._looks = []
        return deal

    def _deal(self, frame: Frame, now: float) -> Deal | None:
        try:
            return self.umpire.deal(self._looks[-DEAL_LOOKS:], partial(self.look, frame), fill=True)
        except DealNotFoundError as why:
            # later, cards have been played and say less of why
            self.why = self.why or self._said(why)
            found = self._begun(now)
            return None if found is None else self.umpire.take_up(found, frame.time_s)

    def _said(self, why: DealNotFoundError) -> DealNotFoundError:
        """The same with what may be the reason."""
        return type(why)(f"{why}{amiss(self._looks)}")

    def _begun(self, now: float) -> Begun | None:
        """The hand that is under way, if one is and enough of it is seen; a place under a hand is waited for."""
        found = None
        try:
            found = find_begun(self._looks, self.umpire.dealing)
        except HandBegunError as why:
            self.why = self._said(why)
        except DealNotFoundError:
            return None
        waits = found is None or bool(found.hidden) or self.tried < BEGUN_LOOKS
        waits = waits and self.tried < BEGUN_LOOKS + MORE_LOOKS
        self._soon_after = now if waits else None
        return None if waits else found

    def _next_look(self) -> float:
        if self._soon_after is not None:
            return self._soon_after + MORE_AFTER_S
        late = self.tried - len(DEAL_AT_S)
        return DEAL_AT_S[self.tried] if late < 0 else DEAL_AT_S[-1] + (late + 1) * DEAL_EVERY_S
