"""Two arms of one player over the table at one moment: each hides a stretch of a line behind the row.

One arm hides one stretch of it, as wide as a sleeve. Stretches that lie well apart are two arms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise

import numpy as np

from referee.live.reaching.reaches import across_of
from referee.umpire.seats.area import SeatArea, project
from vision.capture.change import PASSES_EVERY, ChangeMap, Mask
from vision.layout import Floats

#: Lines so far behind the middle of the row (mm) are asked, as far as this (mm) aside, every so many mm.
BEHIND_MM, ASIDE_MM, STEP_MM = (80.0, 110.0, 140.0, 170.0), 500.0, 10.0
#: An arm hides at least so much of a line (mm); two leave at least so much between them.
ARM_MM, APART_MM = 40.0, 60.0
#: Two arms are seen on so many lines at once, at so many moments.
LINES, MOMENTS = 2, 2


def are_two(change: ChangeMap, area: SeatArea, to_px: Floats, moments: Iterable[float]) -> bool:
    """Whether two arms of a seat were over the table at once at some of these moments (s). `to_px`: (3, 3) mm -> px."""
    seen = 0
    for moment in moments:
        passing = change.passing(moment)
        if passing.size:
            lines = (_line(change, area, to_px, passing, far) for far in BEHIND_MM)
            seen += sum(map(_is_crossed_twice, lines)) >= LINES
    return seen >= MOMENTS


def _line(change: ChangeMap, area: SeatArea, to_px: Floats, passing: Mask, behind: float) -> Mask:
    """Which points of a line so far (mm) behind the row something hides; none that lie outside the picture."""
    aside = across_of(area) + np.arange(-ASIDE_MM, ASIDE_MM + 1.0, STEP_MM)
    points = np.array([area.table(float(across), area.row + behind) for across in aside])
    px = np.floor(project(to_px, points) * change.scale / PASSES_EVERY).astype(np.intp)
    inside = ((px >= 0) & (px < passing.shape[::-1])).all(axis=1)
    hides = np.zeros(len(px), dtype=bool)
    hides[inside] = passing[px[inside, 1], px[inside, 0]]
    return hides


def _is_crossed_twice(hides: Mask) -> bool:
    arms = [(first, last) for first, last in _stretches(hides) if (last - first + 1) * STEP_MM >= ARM_MM]
    return any((after - before - 1) * STEP_MM >= APART_MM for (_, before), (after, _) in pairwise(arms))


def _stretches(hides: Mask) -> Iterator[tuple[int, int]]:
    """The first and the last point of each stretch that is hidden."""
    for is_hidden, points in groupby(range(len(hides)), key=lambda number: bool(hides[number])):
        if is_hidden:
            first, *more = points
            yield first, more[-1] if more else first
