"""What is known of movement in the picture while it is not looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from referee.umpire.sights import Interval
from vision.capture.change import Grey
from vision.capture.moments.carried import Arrival
from vision.layout import Floats


class Stillness(Protocol):
    """What is known about movement in the picture; regions are (n, 2) px."""

    def last_moved(self, region: Floats) -> float:
        """When anything last moved there (s), -inf if never."""

    def moving(self, region: Floats, within_s: float) -> float:
        """What share of it moved within the last seconds."""

    def moved_share(self, region: Floats, since: float) -> float | None:
        """What share of it has moved since then (s); None where that is not known."""

    def rested(self, region: Floats, since: float) -> float | None:
        """Since when (s), after `since`, it has looked as it does now; None if it looked so before, too."""

    def as_before(self, region: Floats, since: float) -> float:
        """Up to when (s) it looked as at `since`; `since` itself where it never did again."""

    def steady(self, region: Floats, since: float) -> float:
        """Up to when (s) it looked all the time as at `since`; `since` itself where that is not known."""

    def landed(self, corners: Floats, since: float) -> Interval | None:
        """When (s), after `since`, the card at these corners (4, 2) px came to rest; None where that was not seen."""

    def lifted(self, corners: Floats, since: float) -> Interval | None:
        """When (s), after `since`, the card left that lay at these corners (4, 2) px then; None where not seen."""

    def arrivals(
        self, corners: Floats, since: float, until: float, sides: Sequence[Floats] = ()
    ) -> list[Arrival]:
        """Cards that came to rest between two moments (s) where one lies at these (4, 2) px, in order. `sides`: (2,) px
        each, towards whom arms may come from.
        """

    def uncovered(self, corners: Floats, since: float, then: float) -> Interval | None:
        """When (s), after `since`, a card came to rest that did not show `then`: another lay on it; else None."""

    def patch_of(self, region: Floats, at: float) -> Grey | None:
        """How it looked at a moment (s), to be asked for later; None where that is not known."""

    def shows(self, region: Floats, patch: Grey) -> bool:
        """Whether it looks now as it did then, whatever light falls on it."""


@dataclass(frozen=True, slots=True)
class AllStill:
    """Nothing is known about movement: everything came to rest at `at`."""

    at: float

    def last_moved(self, region: Floats) -> float:
        """Not known: now."""
        return self.at

    def moving(self, region: Floats, within_s: float) -> float:
        """Not known: nothing."""
        return 0.0

    def moved_share(self, region: Floats, since: float) -> float | None:
        """Not known."""
        return None

    def rested(self, region: Floats, since: float) -> float | None:
        """Not known: now."""
        return self.at

    def as_before(self, region: Floats, since: float) -> float:
        """Not known: no longer."""
        return since

    def steady(self, region: Floats, since: float) -> float:
        """Not known."""
        return since

    def landed(self, corners: Floats, since: float) -> Interval | None:
        """Not known."""
        return None

    def lifted(self, corners: Floats, since: float) -> Interval | None:
        """Not known."""
        return None

    def arrivals(
        self, corners: Floats, since: float, until: float, sides: Sequence[Floats] = ()
    ) -> list[Arrival]:
        """Not known: none."""
        return []

    def uncovered(self, corners: Floats, since: float, then: float) -> Interval | None:
        """Not known."""
        return None

    def patch_of(self, region: Floats, at: float) -> Grey | None:
        """Not known."""
        return None

    def shows(self, region: Floats, patch: Grey) -> bool:
        """Not known: no."""
        return False
