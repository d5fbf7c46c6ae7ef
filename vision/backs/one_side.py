"""A design is a back or a face as a whole, not card by card.

Backs printed with suit signs look like faces that cannot be read. One such card alone may be a face in bad light; many
that resemble each other as backs of one deck do, none of them well read, are backs: no face lies many times in one
picture.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.layout import SeenCard

Numbers = NDArray[np.intp]

#: Faces read with less may be backs. If one of a design is read as well as `READ`, all of it are faces.
OPEN, READ = 0.97, 0.85
#: Fewer alike are no design. One that shows so much and cannot be read is no face; strips are none that are read with
#: less than this on average.
LEAST, WHOLE, ON_AVERAGE = 4, 0.6, 0.6


def open_faces(cards: Sequence[SeenCard]) -> Numbers:
    """(m,) rows of the cards that may show the other side than they are taken for: faces not well read, and backs."""
    return np.array(
        [row for row, card in enumerate(cards) if card.side == "back" or card.face_confidence < OPEN],
        dtype=np.intp,
    )


def turned_over(cards: Sequence[SeenCard], designs: Numbers) -> Numbers:
    """(k,) which of these cards are taken for faces and are backs; `designs` (m,): which of them are of one design."""
    rows: list[int] = []
    for design in np.unique(designs):
        members = [int(row) for row in np.flatnonzero(designs == design)]
        faces = [row for row in members if cards[row].side == "face"]
        if len(members) >= LEAST and faces and _unread([cards[row] for row in faces]):
            rows += faces
    return np.array(sorted(rows), dtype=np.intp)


def _unread(faces: Sequence[SeenCard]) -> bool:
    """Whether faces alike are read so badly that they are none: a whole one that cannot be read tells most."""
    if any(card.face_confidence >= READ for card in faces):
        return False
    if any(card.visible_fraction >= WHOLE for card in faces):
        return True
    return float(np.mean([card.face_confidence for card in faces])) < ON_AVERAGE
