"""How frames are looked at: an eye that sees no more of a frame than it is asked to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from referee.umpire.sights import Window
from vision.capture.live.lazy_frame import size_of
from vision.capture.steady import inverse
from vision.capture.video import Frame
from vision.geometry.camera import Rectangles
from vision.geometry.plane import apply, lay_plane
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
    #: Whether it is told of a known table, too, which backs are of one design.
    names_backs: bool = True

    def look(self, frame: Frame, box: Window | None, to_table: Floats | None) -> Layout:
        """See `Eyes.look`."""
        height, width = frame.image.shape[:2]
        x0, y0, x1, y1 = box or (0, 0, width, height)
        known = None if to_table is None else _shifted(to_table, x0, y0)
        how: dict[str, Any] = {"to_follow": True} if known is None else {"to_table": known}
        if known is not None and not self.names_backs:
            how["names_backs"] = False
        layout: Layout = self.eye.see(np.ascontiguousarray(frame.image[y0:y1, x0:x1]), **how)
        if self.table is not None and box is None and to_table is None:
            lay_plane(layout, self.table, "corners")
        return moved(layout, x0, y0, width, height)


@dataclass(slots=True)
class SteadyEyes:
    """Looks as from where the camera stood first: `to_first` says for a moment (s) how px of a frame shown then become
    those of the first frame, (3, 3), or None where they are the same. Windows and layouts are in px of the first frame.
    """

    eyes: Eyes
    to_first: Callable[[float], Floats | None]

    def look(self, frame: Frame, box: Window | None, to_table: Floats | None) -> Layout:
        """See `Eyes.look`."""
        by = self.to_first(frame.time_s)
        if by is None:
            return self.eyes.look(frame, box, to_table)
        width, height = size_of(frame)
        window = None if box is None else _around(box, inverse(by), width, height)
        layout = self.eyes.look(frame, window, None if to_table is None else to_table @ by)
        return _through(layout, by)


def for_play(eyes: Eyes) -> Eyes:
    """The same for a hand whose deal was read: whose a card is its place tells from then on, and no back has to be told
    from others, which takes a twentieth of a look and a sixth of one at a stock.
    """
    if isinstance(eyes, SteadyEyes):
        return replace(eyes, eyes=for_play(eyes.eyes))
    return replace(eyes, names_backs=False) if isinstance(eyes, CropEyes) else eyes


def _around(box: Window, by: Floats, width: int, height: int) -> Window:
    """The window around what another window becomes, within the picture; not empty."""
    x0, y0, x1, y1 = box
    corners = apply(by, np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float64))
    left, top = np.floor(corners.min(axis=0)).astype(int).clip(0, [width - 1, height - 1])
    right, bottom = np.ceil(corners.max(axis=0)).astype(int).clip(1, [width, height])
    return int(left), int(top), max(int(right), int(left) + 1), max(int(bottom), int(top) + 1)


def _through(layout: Layout, by: Floats) -> Layout:
    """A layout carried over to other px of a picture of the same size, in place."""
    for card in layout.cards:
        card.corners, card.visible = apply(by, card.corners), apply(by, card.visible)
    for hand in layout.hands:
        hand.corners = apply(by, hand.corners)
    if layout.to_table is not None:
        layout.to_table = layout.to_table @ inverse(by)
    layout.plane = None
    return layout


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
