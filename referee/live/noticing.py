"""What the frames of a recording tell without a look: what moves, what was missed, where the camera stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vision.capture.blind import Blind
from vision.capture.change import ChangeMap, Grey
from vision.capture.gaps import EVERY_PX, Gap, GapFinder, beside_blindness
from vision.capture.live.lazy_frame import blue_levels, brightness, grey_levels
from vision.capture.moments.ring import FrameRing
from vision.capture.steady import full_size, stands
from vision.capture.video import Frame, Span
from vision.layout import Floats

#: A camera that was knocked finds the table within a second; one that has not for so long (s) will hardly do so.
LOST_S = 4.0
#: One that stands where it stood so long (s) ago stands.
STANDS_S = 0.5


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
    #: Whether the camera stands where the table is not found; when (s) that was asked last, and what it showed then.
    stands_elsewhere: bool = False
    _asked: tuple[float, Grey] | None = None

    def push(self, frame: Frame) -> tuple[Grey | None, list[Gap]]:
        """The small copy, as the camera would have taken it from where it stood first, and the gaps that end with it.

        None for a copy that shows nothing of the table, or nobody knows where.
        """
        self._now_s = at = frame.time_s
        grey = grey_levels(frame)
        half = self.ring.shrunk(grey)
        was = self.blindness
        small = self.change.shrunk_grey(grey, half)
        why = self._blind.push(at, small)
        self._ask(at, small, elsewhere=why in ("moved", "covered"))
        gaps = beside_blindness(self._gaps.push(frame, brightness(frame, EVERY_PX)), was)
        if was is not None and was.why != why:
            gaps.append(was)
        if self._blind.shown is not None:
            self.ring.push(at, half, self.to_first(at), blue_levels(frame))
        return self._blind.shown, gaps

    def _ask(self, at: float, small: Grey, *, elsewhere: bool) -> None:
        before = self._asked
        if not elsewhere:
            self._asked, self.stands_elsewhere = None, False
        elif before is None or at - before[0] >= STANDS_S:
            self._asked = at, small
            self.stands_elsewhere = before is not None and stands(before[1], small)

    def to_first(self, at: float) -> Floats | None:
        """(3, 3): px of the frame shown at `at` (s) -> px of the first one; None where the camera stands as it did."""
        return full_size(self._blind.to_first(at), self.change.scale)

    def unmoved(self) -> Gap | None:
        """The camera is taken to stand where it stood; how long the picture had told nothing until now."""
        gap = self.blindness
        self._blind.unmoved()
        return gap

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
        blind = self.blindness
        gaps = beside_blindness(self._gaps.end(unreadable), blind)
        return gaps if blind is None else [*gaps, blind]

    @property
    def blindness(self) -> Gap | None:
        """The stretch up to now in which the picture has told nothing, if it tells nothing."""
        why, since = self._blind.why, self._blind.since_s
        return None if why is None else Gap(since, self._now_s, why, self._now_s - since)
