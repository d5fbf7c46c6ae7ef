"""What frames tell of movement without being looked at: what moves, what rests, when a card landed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.umpire.sights import Interval
from vision.capture.change import ChangeMap, Grey
from vision.capture.live.lazy_frame import blue_levels, grey_levels
from vision.capture.moments.carried import Arrival, arrivals
from vision.capture.moments.landing import landed, lifted, uncovered
from vision.capture.moments.ring import FrameRing
from vision.capture.video import Frame
from vision.layout import Floats


@dataclass(frozen=True, slots=True)
class Pictures:
    """A `Stillness` of small pictures, and of the last seconds where they are kept."""

    change: ChangeMap
    ring: FrameRing | None = None

    def last_moved(self, region: Floats) -> float:
        """See `ChangeMap`."""
        return self.change.last_moved(region)

    def moving(self, region: Floats, within_s: float) -> float:
        """See `ChangeMap`."""
        return self.change.moving(region, within_s)

    def moved_share(self, region: Floats, since: float) -> float | None:
        """See `ChangeMap`."""
        return self.change.moved_share(region, since)

    def rested(self, region: Floats, since: float) -> float | None:
        """See `ChangeMap`."""
        return self.change.rested(region, since)

    def as_before(self, region: Floats, since: float) -> float:
        """See `ChangeMap`."""
        return self.change.as_before(region, since)

    def steady(self, region: Floats, since: float) -> float:
        """See `ChangeMap`."""
        return self.change.steady(region, since)

    def landed(self, corners: Floats, since: float) -> Interval | None:
        """See `vision.capture.moments.landing`; None where no frames are kept."""
        return None if self.ring is None else landed(self.ring, corners, since, self.change.now)

    def lifted(self, corners: Floats, since: float) -> Interval | None:
        """See `vision.capture.moments.landing`; None where no frames are kept."""
        return None if self.ring is None else lifted(self.ring, corners, since, self.change.now)

    def arrivals(
        self, corners: Floats, since: float, until: float, sides: Sequence[Floats] = ()
    ) -> list[Arrival]:
        """See `vision.capture.moments.carried`; none where no frames are kept."""
        until = min(until, self.change.now)
        return [] if self.ring is None else arrivals(self.ring, corners, since, until, sides)

    def uncovered(self, corners: Floats, since: float, then: float) -> Interval | None:
        """See `vision.capture.moments.landing`; None where no frames are kept."""
        return None if self.ring is None else uncovered(self.ring, corners, since, then, self.change.now)

    def patch_of(self, region: Floats, at: float) -> Grey | None:
        """See `ChangeMap`."""
        return self.change.patch_of(region, at)

    def shows(self, region: Floats, patch: Grey) -> bool:
        """See `ChangeMap`."""
        return self.change.shows(region, patch)


class Noted:
    """What frames of a camera that stands still tell of movement: `push` each of them."""

    def __init__(self, width: int, height: int) -> None:
        self._change, self._ring = ChangeMap(width, height), FrameRing(width, height)

    @property
    def pictures(self) -> Pictures:
        """Of all frames so far."""
        return Pictures(self._change, self._ring)

    def push(self, frame: Frame) -> None:
        """Take the next frame."""
        grey = grey_levels(frame)
        half = self._ring.shrunk(grey)
        self._change.push_small(frame.time_s, self._change.shrunk_grey(grey, half))
        self._ring.push(frame.time_s, half, None, blue_levels(frame))
