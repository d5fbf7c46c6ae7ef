"""What every frame of a camera tells without looking at it: what moves, whether it can be read, when it was still."""

from __future__ import annotations

from collections import deque
from threading import Lock

import cv2
import numpy as np

from vision.capture.blind import Blind, Blindness
from vision.capture.change import ChangeMap, Grey
from vision.capture.gaps import EVERY_PX, Gap, GapFinder, beside_blindness
from vision.capture.live.lazy_frame import blue_levels, brightness, grey_levels, size_of
from vision.capture.moments.ring import FrameRing
from vision.capture.steady import full_size, laid, scaled
from vision.capture.video import Frame
from vision.layout import Floats

#: Small copies are kept for so long (s): a look at a whole table takes seconds, and there are several.
KEPT_S = 20.0
#: The table is still when nothing has moved for so long (s). Of a time in which it is, so many frames are kept, this
#: far apart (s).
STILL_S, STILLS, APART_S = 0.3, 3, 0.25


class Picture:
    """`notice` every frame that there is time for, from one thread; any other may ask."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._lock = Lock()
        self._change = ChangeMap(width, height, memory_s=1.0)
        #: The last seconds, to look back into.
        self.ring = FrameRing(width, height)
        self._blind = Blind()
        self._gap_finder = GapFinder(numbered=True)
        self._smalls: deque[tuple[float, Grey]] = deque()
        self._stills: list[Frame] = []
        self._stood: list[Frame] = []
        self._gaps: list[Gap] = []
        self._index = -1

    def fitted(self, frame: Frame) -> Frame:
        """The frame in the size of the first one: a camera may come back with another."""
        if size_of(frame) == (self.width, self.height):
            return frame
        image = cv2.resize(frame.image, (self.width, self.height), interpolation=cv2.INTER_AREA)
        return Frame(frame.index, frame.time_s, np.asarray(image, dtype=np.uint8), frame.unreadable)

    def small(self, frame: Frame) -> Grey:
        """The small copy of a frame, of its grey levels as they came, as seen from where the camera stood first."""
        grey = grey_levels(frame)
        small = self._change.shrunk_grey(grey, self.ring.shrunk(grey))
        by = self.to_first(frame.time_s)
        return small if by is None else laid(small, scaled(by, self._change.scale))

    def notice(self, frame: Frame) -> Blindness | None:
        """Take a frame; one that was noticed before changes nothing. What is amiss with the picture."""
        if frame.index <= self._index:
            return self._blind.why
        frame = self.fitted(frame)
        at, grey = frame.time_s, grey_levels(frame)
        half = self.ring.shrunk(grey)
        small = self._change.shrunk_grey(grey, half)
        with self._lock:
            self._index = frame.index
            was, since = self._blind.why, self._blind.since_s
            why = self._blind.push(at, small)
            blind = None if was is None else Gap(since, at, was, at - since)
            self._gaps += beside_blindness(self._gap_finder.push(frame, brightness(frame, EVERY_PX)), blind)
            if blind is not None and why != was:
                self._gaps.append(blind)
            shown = self._blind.shown
            if shown is not None:
                self.ring.push(at, half, self._to_first(at), blue_levels(frame))
                self._change.push_small(at, shown)
                self._smalls.append((at, shown))
                while self._smalls[0][0] < at - KEPT_S:
                    self._smalls.popleft()
                self._keep_still(frame)
        return why

    def _keep_still(self, frame: Frame) -> None:
        if not self._change.still_for(STILL_S) or len(self._smalls) < 2:
            if len(self._stills) == STILLS:
                self._stood = self._stills
            self._stills = []
        elif not self._stills or (
            len(self._stills) < STILLS and frame.time_s - self._stills[-1].time_s >= APART_S
        ):
            self._stills = [*self._stills, frame]

    @property
    def blind(self) -> Blindness | None:
        """What is amiss with the picture now."""
        return self._blind.why

    @property
    def blind_since(self) -> float:
        """Since when (s) that is so."""
        return self._blind.since_s

    @property
    def stills(self) -> list[Frame]:
        """Some frames of the time since which nothing moves; none while something does."""
        with self._lock:
            return list(self._stills)

    @property
    def stood(self) -> list[Frame]:
        """The same of the last time in which nothing moved for a while, which is over; none before there was one."""
        with self._lock:
            return list(self._stood)

    def still_for(self, seconds: float) -> bool:
        """Whether nothing has moved for so long."""
        with self._lock:
            return bool(self._smalls) and self._change.still_for(seconds)

    @property
    def changed(self) -> bool:
        """Whether anything looks other than when it was `accept`ed."""
        with self._lock:
            return int(self._change.changed.sum()) > 1

    def accept(self) -> None:
        """Remember how everything looks now."""
        with self._lock:
            self._change.accept_tiles(np.ones_like(self._change.changed))

    def smalls(self, after_s: float, upto_s: float) -> list[tuple[float, Grey]]:
        """The small copies of the frames after one moment (s) up to another, with their moments."""
        with self._lock:
            return [(at, small) for at, small in self._smalls if after_s < at <= upto_s]

    def gaps(self) -> tuple[list[Gap], Gap | None]:
        """The gaps that have ended since this was asked last, and one that has not."""
        with self._lock:
            ended, self._gaps = self._gaps, []
            return ended, self._gap_finder.under_way

    def last_gaps(self) -> list[Gap]:
        """The gaps that last to the end."""
        with self._lock:
            return self._gap_finder.end()

    def to_first(self, at: float) -> Floats | None:
        """(3, 3): px of a frame shown at `at` (s) -> px of the first one; None where the camera has stood still since."""
        with self._lock:
            return self._to_first(at)

    def _to_first(self, at: float) -> Floats | None:
        return full_size(self._blind.to_first(at), self._change.scale)

    def go_on_unmoved(self, now_s: float) -> None:
        """The camera has not moved, whatever the picture has shown up to now (s)."""
        with self._lock:
            why, since = self._blind.why, self._blind.since_s
            if why is not None and now_s > since:
                self._gaps.append(Gap(since, now_s, why, now_s - since))
            self._blind.unmoved()

    def settle_anyhow(self) -> None:
        """Where the camera stands now is where it is to be: nothing is being followed."""
        with self._lock:
            self._blind.settled()
