"""What changed and what moves, told by the truth instead of by pixels: a tile's number stands for how it looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from referee.live.gate import Gate
from referee.rules.places import Place
from vision.capture.change import PASSES_EVERY, PASSES_OF, PASSES_S, TILE, ChangeMap, Grey, Mask
from vision.layout import Floats

#: A region shows no news where less than this share of its tiles is another one; it looks as now where no more than
#: this share of what is new is missing (as `vision.capture.change` has it of grey levels).
LEAST_NEWS, SAME_SHARE = 0.06, 0.35
#: A place is familiar where no more than this share of its tiles is another one: the edge of a hand or its shadow.
FAMILIAR_SHARE = 0.1


class TrueTiles(ChangeMap):
    """A `ChangeMap` whose small pictures are (rows, columns) of numbers, as `Scene.tiles` gives them."""

    def _steps(self, a: Any, b: Any) -> Mask:
        return np.asarray(a != b)

    def accept_tiles(self, tiles: Mask) -> None:
        """Remember some tiles as they look now."""
        if self._past and self._accepted is not None:
            self._accepted[tiles] = self._past[-1].small[tiles]
            self.changed &= ~tiles

    def rested(self, region: Floats, since: float = -np.inf) -> float | None:
        """Since when (s) the region has looked as now; None where it looked so at `since`, too."""
        tiles = self.tiles(region)
        if not self._past or not tiles.any():
            return None
        here = self._past[-1].small[tiles]
        news = float((here != self._before(since)[tiles]).mean())
        if news < LEAST_NEWS:
            return None
        shown = (past for past in self._past if past.at > since)
        same = (past.at for past in shown if (past.small[tiles] != here).mean() <= SAME_SHARE * news)
        return next(same, self.now)

    def _likeness(
        self, region: Floats, since: float, *, newest_first: bool = False, light: int = 255
    ) -> Iterator[tuple[float, bool]]:
        """By frame after `since`: its moment (s), and whether the region looked as it did then: here is no light."""
        tiles = self.tiles(region)
        if not self._past or not tiles.any():
            return
        before = self._before(since)[tiles]
        for past in reversed(self._past) if newest_first else self._past:
            if past.at > since:
                yield past.at, bool((past.small[tiles] != before).mean() < LEAST_NEWS)

    def passing(self, at: float) -> Mask:
        """The px of tiles whose number is another one at `at` (s) than mostly before and after."""
        shown = [past for past in self._past if abs(past.at - at) <= PASSES_S]
        if len(shown) < 3:
            return np.zeros((0, 0), dtype=bool)
        often = np.stack([past.small for past in shown[:: -(-len(shown) // PASSES_OF)]])
        here: Any = min(shown, key=lambda past: abs(past.at - at)).small
        passes = here != np.partition(often, len(often) // 2, axis=0)[len(often) // 2]
        return np.asarray(np.kron(passes, np.ones((TILE, TILE), bool))[::PASSES_EVERY, ::PASSES_EVERY])

    def shows_same_print(self, tiles: Mask) -> bool:
        """Never: there is no shadow here."""
        return False

    def patch(self, region: Floats) -> Grey:
        """The numbers of a region's tiles."""
        here: Any = self._past[-1].small[self.tiles(region)]
        return here

    def patch_of(self, region: Floats, at: float) -> Grey | None:
        """The same of a moment (s)."""
        shown: Any = next((past.small for past in reversed(self._past) if past.at <= at), None)
        return None if shown is None else shown[self.tiles(region)]

    def shows(self, region: Floats, patch: Grey) -> bool:
        """Whether a region's tiles have the numbers that they had."""
        now = self.patch(region)
        return now.shape == patch.shape and bool((now != patch).mean() < LEAST_NEWS)


class TrueGate(Gate):
    """A `Gate` over true tiles."""

    def is_familiar(self, place: Place, core: Floats) -> bool:
        """Whether a place looks as it did in a look since which nothing new was seen there."""
        now = self.change.patch(core)
        known = (before.small for before in self._familiar.get(place, ()) if before.small.shape == now.shape)
        return any((now != before).mean() <= FAMILIAR_SHARE for before in known)
