"""Moments at which there was no doubt about a hand: what is explained again begins there."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import inf

from referee.umpire.beam import Beam
from referee.umpire.story import Story

#: A story that is this likely is beyond doubt; it is kept so often (s), so many of them.
SURE, EVERY_S, KEPT = 0.95, 3.0, 20


@dataclass(slots=True)
class Certain:
    """`note` the beam after each look; ask for the last story `before` a moment."""

    _known: deque[tuple[float, Story]] = field(default_factory=lambda: deque(maxlen=KEPT))

    def note(self, beam: Beam, at: float) -> None:
        """All that was seen up to a moment (s) has been explained."""
        latest = self._known[-1][0] if self._known else -inf
        if at >= latest + EVERY_S and not beam.best.lifted and beam.shares()[0] >= SURE:
            self._known.append((at, beam.best.weighed(0.0)))

    def before(self, moment: float) -> tuple[float, Story] | None:
        """The last certain story before a moment (s), and from when it is; None where none is known."""
        return next(((at, story) for at, story in reversed(self._known) if at < moment), None)

    def forget(self, since: float) -> None:
        """What was certain from a moment (s) on was not."""
        while self._known and self._known[-1][0] >= since:
            self._known.pop()
