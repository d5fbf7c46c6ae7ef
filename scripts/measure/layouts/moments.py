"""What frames tell of movement, from the truth: what moves and rests by tiles, lifts and landings as films tell them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from datasets.film.movement import Lying, Motion
from referee.live.stillness import Pictures
from referee.umpire.sights import Interval
from scripts.measure.layouts.eye import FaultyEye
from scripts.measure.layouts.faults import Faults
from scripts.measure.layouts.scene import Scene
from scripts.measure.layouts.tiles import TrueTiles
from vision.capture.video import Frame
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats

FPS = 30
#: A landing is told between two frames, a lift by so many more on either side; one that is told wrongly is off by so
#: many frames. A card is asked for within so many mm of where it lies.
LIFT_FRAMES, OFF_FRAMES, NEAR_MM = 1, 2, 6.0


@dataclass(frozen=True, slots=True)
class TruePictures(Pictures):
    """A `Stillness` over true tiles that is told when cards were lifted and landed, with an eye's faults."""

    scene: Scene | None = None
    faults: Faults | None = None
    seed: int = 0

    def landed(self, corners: Floats, since: float) -> Interval | None:
        """When the last card came to rest there."""
        return self._told(corners, since, "landing", lambda motion: (motion.end, motion.put))

    def lifted(self, corners: Floats, since: float) -> Interval | None:
        """When the first card left from there."""
        return self._told(corners, since, "lift", lambda motion: (motion.start, motion.taken))

    def _told(
        self,
        corners: Floats,
        since: float,
        what: str,
        of: Callable[[Motion], tuple[float, tuple[Lying, ...]]],
    ) -> Interval | None:
        assert self.scene is not None and self.faults is not None
        moments = [
            at
            for motion in self.scene.film.motions
            if since < (at := of(motion)[0]) <= self.scene.now and self._near(corners, of(motion)[1])
        ]
        if not moments:
            return None
        at, rng = (max if what == "landing" else min)(moments), Random(f"{self.seed} {what} {moments[0]:.3f}")
        missed, off = (
            (self.faults.landing_missed, self.faults.landing_off)
            if what == "landing"
            else (self.faults.lift_missed, self.faults.lift_off)
        )
        if rng.random() < missed:
            return None
        frame = int(at * FPS) + (rng.choice((-OFF_FRAMES, OFF_FRAMES)) if rng.random() < off else 0)
        more = LIFT_FRAMES * (what == "lift")
        return (frame - more) / FPS, (frame + 1 + more) / FPS

    def _near(self, corners: Floats, cards: Iterable[Lying]) -> bool:
        """Whether the uppermost of these cards lies at these (4, 2) px, either way round."""
        assert self.scene is not None
        *_, top = cards
        there = self.scene.px(top.pose.corners(CARD_WIDTH_MM, CARD_HEIGHT_MM)[:, :2]).mean(axis=0)
        away = np.hypot(*(corners.mean(axis=0) - there))
        return bool(away <= NEAR_MM * self.scene.px_per_mm)


class TrueNotes:
    """What moves, told by the truth: `push` every frame."""

    def __init__(self, eye: FaultyEye) -> None:
        self._eye, self._tiles = eye, TrueTiles(eye.scene.width, eye.scene.height)

    @property
    def pictures(self) -> Pictures:
        """Of all frames so far."""
        return pictures_of(self._eye, self._tiles)

    def push(self, frame: Frame) -> None:
        """Take the next frame, which is what the scene shows now."""
        small: Any = self._eye.scene.tiles()
        self._tiles.push_small(frame.time_s, small)


def pictures_of(eye: FaultyEye, tiles: TrueTiles) -> Pictures:
    """What is known of movement in what an eye looks at."""
    return TruePictures(tiles, None, eye.scene, eye.faults, eye.seed)
