"""The evidence: every card that landed, as it was seen then, with its number, its moment and its owner."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.dealt.chance import chance_of_two
from referee.dealt.count import ASKED, Count
from vision.capture.frames import Image

#: px of a picture, its frame, and the line of text under it; pictures side by side.
SIZE, FRAME, TEXT, ACROSS = (84, 120), 4, 26, 12
#: Frames of designs, BGR, one after the other.
COLOURS = (
    *((60, 60, 220), (200, 120, 40), (60, 160, 60), (40, 160, 230)),
    *((180, 70, 160), (120, 120, 120), (160, 160, 30), (80, 40, 20)),
)
WHITE, DARK, AMBER = (250, 250, 250), (40, 40, 40), (0, 150, 240)


def sheet(count: Count, names: Sequence[str] = ()) -> Image:
    """(h, w, 3) BGR: a picture of each card that counts, in the order in which they landed; in doubt is what is amber.

    `names`: by design, in the order of the count's decks; its label without.
    """
    labels = list(count.decks)
    tiles = []
    tally = dict.fromkeys(labels, 0)
    for number, (landing, label) in enumerate(count.cards, 1):
        tally[label] += 1
        which = labels.index(label)
        name = names[which] if names else count.decks[label].seat or label
        lines = f"{number}  {landing.at:.1f} s", f"{_plain(name)} {tally[label]}"
        doubted = chance_of_two(landing) > ASKED
        tiles.append(_tile(landing.crop, lines, COLOURS[which % len(COLOURS)], doubted=doubted))
    blank = np.full_like(tiles[0], WHITE[0])
    tiles += [blank] * (-len(tiles) % ACROSS)
    rows = [np.hstack(tiles[first : first + ACROSS]) for first in range(0, len(tiles), ACROSS)]
    return np.ascontiguousarray(np.vstack(rows), dtype=np.uint8)


def _tile(
    crop: Image, lines: tuple[str, str], colour: tuple[int, int, int], *, doubted: bool
) -> NDArray[np.uint8]:
    width, height = SIZE
    tile = np.full((height + 2 * FRAME + TEXT + 4, width + 2 * FRAME + 4, 3), WHITE[0], np.uint8)
    outer = AMBER if doubted else colour
    cv2.rectangle(tile, (2, 2), (width + 2 * FRAME + 1, height + 2 * FRAME + 1), outer, -1)
    tile[2 + FRAME : 2 + FRAME + height, 2 + FRAME : 2 + FRAME + width] = cv2.resize(
        crop, SIZE, interpolation=cv2.INTER_AREA
    )
    for row, line in enumerate(lines):
        at = 3, height + 2 * FRAME + 13 + 12 * row
        cv2.putText(tile, line[:14], at, cv2.FONT_HERSHEY_SIMPLEX, 0.36, DARK, 1, cv2.LINE_AA)
    return tile


def _plain(name: str) -> str:
    """What the drawn letters can show of a name."""
    return name.encode("ascii", "replace").decode()
