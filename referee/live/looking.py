"""How frames are looked at: an eye that sees no more of a frame than it is asked to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from referee.umpire.sights import Window
from vision.capture.video import Frame
from vision.geometry.camera import Rectangles
from vision.geometry.plane import lay_plane
from vision.layout import Floats, Layout


class Eyes(Protocol):
    """What looks at frames: `box` is (x0, y0, x1, y1) px, the layout comes back in px of the whole frame.

    `to_table`: (3, 3) px of the whole frame -> mm, once it is known.
    """

    def look(self, frame: Frame, box: Window | None, to_table: Floats | None) -> Layout:
        """The layout of the box; of the whole frame for None."""


@dataclass(slots=True)
class CropEyes:
    """Looks with an eye at no more of a frame than it is asked to."""

    eye: Any
    #: A rectangle of known size on the table, where somebody told of one.
    table: Rectangles | None = None

    def look(self, frame: Frame, box: Window | None, to_table: Floats | None) -> Layout:
        """See `Eyes.look`."""
        height, width = frame.image.shape[:2]
        x0, y0, x1, y1 = box or (0, 0, width, height)
        known = None if to_table is None else _shifted(to_table, x0, y0)
        layout: Layout = self.eye.see(np.ascontiguousarray(frame.image[y0:y1, x0:x1]), to_table=known)
        if self.table is not None and box is None and to_table is None:
            lay_plane(layout, self.table, "corners")
        return moved(layout, x0, y0, width, height)


def moved(layout: Layout, x: int, y: int, width: int, height: int) -> Layout:
    """A crop's layout in px of the whole picture."""
    by = np.array([x, y], dtype=np.float64)
    for card in layout.cards:
        card.corners = card.corners + by
        card.visible = card.visible + by
    for hand in layout.hands:
        hand.corners = hand.corners + by
    if layout.to_table is not None:
        layout.to_table = _shifted(layout.to_table, -x, -y)
    if (layout.width, layout.height) != (width, height):
        # a plane with its lens belongs to its own picture
        layout.plane = None
    layout.width, layout.height = width, height
    return layout


def _shifted(to_table: Floats, x: int, y: int) -> Floats:
    """A plane (px -> mm) for px counted from (x, y)."""
    return np.asarray(to_table @ np.array([[1.0, 0.0, x], [0.0, 1.0, y], [0.0, 0.0, 1.0]]))
