"""What the frames of a recording tell without a look: what moves, what was missed, where the camera stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vision.capture.blind import Blind
from vision.capture.change import ChangeMap, Grey
from vision.capture.gaps import EVERY_PX, Gap, GapFinder
from vision.capture.live.lazy_frame import blue_levels, brightness, grey_levels
from vision.capture.moments.ring import FrameRing
from vision.capture.steady import full_size
from vision.capture.video import Frame, Span
from vision.layout import Floats

#: A camera that was knocked finds the table within a second; one that has not for so long (s) will hardly do so.
LOST_S = 4.0


@dataclass(slots=True)
class Noticing:
    """`push` every frame, then `end`."""

    #: Whose small copies are made.
    change: ChangeMap
    #: The last seconds, to look back into.
    ring: FrameRing
    _gaps: GapFinder = field(default_factory=GapFinder)
    _blind: Blind = field(default_factory=Blind)
    _now_s: float = 0.0

    def push(self, frame: Frame) -> tuple[Grey | None, list[Gap]]:
        """The small copy, as the camera would have taken it from where it stood first, and the gaps that end with it.

        None for a copy that shows nothing of the table, or nobody knows where.
        """
        self._now_s = at = frame.time_s
        grey = grey_levels(frame)
        half = self.ring.shrunk(grey)
        was = self._under_blindness()
        why = self._blind.push(at, self.change.shrunk_grey(grey, half))
        gaps = [*self._gaps.push(frame, brightness(frame, EVERY_PX)), *(gap for gap in was if gap.why != why)]
        if self._blind.shown is not None:
            self.ring.push(at, half, self.to_first(at), blue_levels(frame))
        return self._blind.shown, gaps

    def to_first(self, at: float) -> Floats | None:
        """(3, 3): px of the frame shown at `at` (s) -> px of the first one; None where the camera stands as it did."""
        return full_size(self._blind.to_first(at), self.change.scale)

    @property
    def lost_since(self) -> float | None:
        """Since when (s) the camera has stood where the table is not found, if it has for long."""
        lost = self._blind.why == "moved" and self._now_s - self._blind.since_s > LOST_S
        return self._blind.since_s if lost else None

    @property
    def under_way(self) -> Gap | None:
        """The gap that has not ended."""
        return self._gaps.under_way

    def end(self, unreadable: Span | None) -> Iterable[Gap]:
        """The gaps that last to the end; `unreadable`: see `GapFinder.end`."""
        return [*self._gaps.end(unreadable), *self._under_blindness()]

    def _under_blindness(self) -> list[Gap]:
        why, since = self._blind.why, self._blind.since_s
        return [] if why is None else [Gap(since, self._now_s, why, self._now_s - since)]
