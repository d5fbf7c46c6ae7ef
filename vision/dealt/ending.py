"""What is seen of the cards that were dealt when all is done: a second witness beside the landings."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vision.capture.frames import Image
from vision.dealt.canvas import LEAST_STEP, Canvas
from vision.dealt.landings import Landing
from vision.dealt.watching import Dealing

#: mm² of a card that lie open beside later ones, at least, for it to be looked for in the end; px of the copy that the
#: later ones may be off.
OPEN_MM2, EDGE_PX = 45.0, 2.0
#: A card still looks as it did when no more than this share of what is open of it differs by more than the last (of 255).
DIFFERS, STEP = 0.35, LEAST_STEP + 5
#: Of a card that is covered by something at the picture's edge, an arm, by more than this share nothing is said.
COVERED = 0.3
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
    for strange in dealing.unexplained():
        rows, columns = np.nonzero(strange.mask)
        x, y = (columns.mean() + strange.x) / canvas.scale, (rows.mean() + strange.y) / canvas.scale
        ending.strange.append((float(x), float(y)))
    return ending


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
