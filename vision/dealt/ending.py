"""What is seen of the cards that were dealt when all is done: a second witness beside the landings."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.capture.frames import Image
from vision.dealt.canvas import LEAST_STEP, Canvas
from vision.dealt.landings import Landing
from vision.dealt.visits import changed_between
from vision.dealt.watching import Dealing
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM

#: mm² of a card that lie open beside later ones, at least, for it to be looked for in the end; px of the copy that the
#: later ones may be off.
OPEN_MM2, EDGE_PX = 45.0, 2.0
#: A card still looks as it did when no more than this share of what is open of it differs by more than the last (of 255).
DIFFERS, STEP = 0.35, LEAST_STEP + 5
#: Of a card that is covered by something at the picture's edge, an arm, by more than this share nothing is said.
COVERED = 0.3
#: What changed between the first and the last picture, joined over so many mm, is as large as this share of a card at
#: least, and so many mm from cards that were told and from what else is strange.
JOINED_MM, NEVER_TOLD, NEAR_MM, AWAY_MM = 4.0, 0.3, 3.0, 60.0
#: An arm that covers so much of any card is in the way.
REACHES = 0.05


@dataclass(slots=True)
class Ending:
    """The cards that lie on the table in the end, by what their open parts show."""

    #: Of which enough is open, and that show.
    seen: list[Landing] = field(default_factory=list)
    #: The same, and that do not show.
    missing: list[Landing] = field(default_factory=list)
    #: Of which others hide too much.
    hidden: list[Landing] = field(default_factory=list)
    #: What was only held there: whole places of which nothing shows.
    held: list[Landing] = field(default_factory=list)
    #: (x, y) px of the picture: the middles of what lies there and was not told.
    strange: list[tuple[float, float]] = field(default_factory=list)
    #: Does an arm still reach over the table?
    reaching: bool = False


def look_back(dealing: Dealing, image: Image | None = None) -> Ending:
    """Compares the last frame with what landed; `image`: that frame, to look closer where an arm may still be."""
    canvas, scale = dealing.canvas, dealing.judge.px_per_mm
    ending = Ending()
    if scale is None or canvas.seen is None:
        return ending
    px = scale * canvas.scale
    arms = np.zeros(canvas.labels.shape, dtype=bool)
    for number, part in enumerate(canvas.parts, 1):
        if part.reaches:
            arms |= canvas.labels == number
    areas = {id(one): canvas.area_of(one.corners) for one in dealing.lying}
    under = [one for one in dealing.lying if (arms & areas[id(one)]).sum() > REACHES * areas[id(one)].sum()]
    # where a stack was held lies the table again, which is no arm
    bare = {id(one) for one in under if image is not None and not dealing.judge.shows(image, one)}
    ending.held = [one for one in under if id(one) in bare]
    ending.reaching = len(under) > len(bare)
    later = np.zeros(canvas.labels.shape, dtype=bool)
    for landing in reversed([one for one in dealing.lying if id(one) not in bare]):
        own = canvas.area_of(landing.corners)
        open_still = own & ~later
        later |= canvas.area_of(landing.corners, EDGE_PX)
        if open_still.sum() < OPEN_MM2 * px**2 or (arms & open_still).sum() > COVERED * open_still.sum():
            ending.hidden.append(landing)
        elif _shows(canvas, landing, open_still & ~arms):
            ending.seen.append(landing)
        else:
            ending.missing.append(landing)
    _give_up_held(ending, canvas)
    _give_up_gone(ending, dealing)
    for strange in dealing.unexplained():
        rows, columns = np.nonzero(strange.mask)
        x, y = (columns.mean() + strange.x) / canvas.scale, (rows.mean() + strange.y) / canvas.scale
        ending.strange.append((float(x), float(y)))
    ending.strange += _never_told(ending, dealing, px)
    return ending


def _never_told(ending: Ending, dealing: Dealing, px: float) -> list[tuple[float, float]]:
    """Middles of what lies there in the end and not in the beginning, far from all cards that were told.

    What was taken for nothing again and again differs from what lies there no longer: so it is held against the first
    picture. `px`: of the copy a mm.
    """
    canvas = dealing.canvas
    assert canvas.first is not None and canvas.seen is not None
    told = canvas.arms()
    for one in dealing.landings:
        told |= canvas.area_of(one.corners, NEAR_MM * px)
    changed = changed_between(canvas.first, canvas.seen).astype(np.uint8)
    side = 2 * round(JOINED_MM * px / 2) + 1
    whole = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    count, labels, stats, middles = cv2.connectedComponentsWithStats(whole, connectivity=8)
    height, width = labels.shape
    found = []
    for number in range(1, count):
        x, y, wide, high, _ = (int(v) for v in stats[number])
        # an arm, or where one held the stack when the film began
        if x <= EDGE_PX or y <= EDGE_PX or x + wide >= width - EDGE_PX or y + high >= height - EDGE_PX:
            continue
        here = labels == number
        middle = (float(middles[number][0] / canvas.scale), float(middles[number][1] / canvas.scale))
        known = any(
            np.hypot(*np.subtract(middle, other)) < AWAY_MM * px / canvas.scale for other in ending.strange
        )
        if (
            here.sum() >= NEVER_TOLD * CARD_WIDTH_MM * CARD_HEIGHT_MM * px**2
            and not known
            and not (here & told).any()
        ):
            found.append(middle)
    return found


def _shows(canvas: Canvas, landing: Landing, where: np.ndarray) -> bool:
    assert canvas.seen is not None
    height, width = landing.after.shape[:2]
    box = slice(landing.y, landing.y + height), slice(landing.x, landing.x + width)
    here = where[box]
    if not here.any():
        return True
    step = np.abs(canvas.seen[box][here].astype(np.int16) - landing.after[here])
    step = np.abs(step - np.median(step, axis=0))
    return bool((step.max(axis=1) > STEP).mean() < DIFFERS)


def _give_up_held(ending: Ending, canvas: Canvas) -> None:
    """A place at which the last card does not show, nor any other, is where the stack was held."""
    areas = {id(one): canvas.area_of(one.corners) for one in (*ending.missing, *ending.held)}
    shown = np.zeros(canvas.labels.shape, dtype=bool)
    for one in ending.seen:
        shown |= canvas.area_of(one.corners)
    for one in [*ending.missing]:
        area = areas[id(one)]
        if (area & shown).sum() < 0.1 * area.sum():
            ending.missing.remove(one)
            ending.held.append(one)
    gone = np.zeros(canvas.labels.shape, dtype=bool)
    for one in ending.held:
        gone |= areas[id(one)]
    for one in [*ending.hidden]:
        area = canvas.area_of(one.corners)
        if (area & gone).sum() > 0.5 * area.sum() and (area & shown).sum() < 0.1 * area.sum():
            ending.hidden.remove(one)
            ending.held.append(one)


def _give_up_gone(ending: Ending, dealing: Dealing) -> None:
    """What was taken back at once where the stack was held was the stack's next card."""
    canvas = dealing.canvas
    gone, shown = (np.zeros(canvas.labels.shape, dtype=bool) for _ in range(2))
    for one in ending.held:
        gone |= canvas.area_of(one.corners)
    for one in (*ending.seen, *ending.missing, *ending.hidden):
        shown |= canvas.area_of(one.corners)
    for one in dealing.landings:
        if one.gone is None:
            continue
        area = canvas.area_of(one.corners)
        if (area & gone).sum() > 0.5 * area.sum() and (area & shown).sum() < 0.1 * area.sum():
            ending.held.append(one)
