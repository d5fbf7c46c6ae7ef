"""All cards of one deck laid on one another, print on print: where exactly each lies, and how large it is.

The eye puts a card's corners up to 3 mm off. But cards of one deck look alike: the middle of many pictures of them is the
deck's print, and where a picture stops being this print and begins to be what lay there before is the card's edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dealt.canvas import Mask, Pixels
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats

#: px a mm of the grid on which cards are laid, and mm of it around a card.
FINE, ROOM_MM = 2.0, 18.0
#: (rows, columns) of that grid.
GRID = (round((CARD_HEIGHT_MM + 2 * ROOM_MM) * FINE), round((CARD_WIDTH_MM + 2 * ROOM_MM) * FINE))
#: Cards of which the first print is taken are as many at most; mm that a card is off at first, and degrees.
FIRST, OFF_MM, TURNS = 7, 7.0, np.arange(-4.0, 4.1, 1.0)
#: mm from the edge of a card from which on its print is looked at, at first; mm beside an edge that are neither side's.
INNER_MM, EDGE_MM = 2.5, 0.5
#: mm around a card in which it is looked whether all is as before.
BESIDE_MM = 8.0
#: Differences (of 255) count no more than this.
MOST = 40
#: A deck's card has this share of a card's usual width and height.
LEAST, LARGEST = 0.80, 1.12
#: Steps of a card's place (mm), its turn (degrees) and its size (share) that are tried at first, and the last of them.
STEPS, LAST = (0.8, 0.8, 0.8, 0.008, 0.008), 0.1
#: Further than this (mm, radians) correlation leads to something else.
FARTHEST_MM, MOST_TURNED = 2.5, 0.05
#: The light changes by this factor at most.
BRIGHTER = 1.8
#: A card whose misfit is so many times the usual one may have been seen turned by a quarter; it was, if its misfit is so
#: many times smaller then; its middle is off by so many mm at most: one edge is where it seemed to be.
ODD, BETTER, QUARTER_OFF_MM = 1.25, 1.15, 14.0
#: What a size costs that is off by 1 % from that of the others (of 255, squared per cent).
SIZE_COSTS = 0.12


@dataclass(slots=True)
class Scene:
    """(height, width, 3) BGR each: a place before and after a card came, and (2, 3) where the card's grid is there."""

    before: Pixels
    after: Pixels
    onto: Floats
    #: By how much they were made lighter.
    lit: float = 1.0


@dataclass(slots=True)
class Laid:
    """One card on the grid: (rows, columns, 3) before and after it came."""

    before: Pixels = field(repr=False)
    after: Pixels = field(repr=False)
    #: (2, 3) px of the scene to px of the grid.
    onto: Floats = field(repr=False)
    #: Mean difference (of 255) to the deck's print on what lay there.
    misfit: float = 0.0
    #: By how much it was made lighter.
    lit: float = 1.0


@dataclass(slots=True)
class Deck:
    """The cards of one design."""

    #: (rows, columns, 3): the middle of all.
    print: Pixels = field(repr=False)
    #: First and last column, first and last row of the grid that are the card's; these are px between px.
    box: tuple[int, int, int, int]
    laid: list[Laid]


def onto_grid(corners: Floats, px_per_mm: float) -> Floats:
    """(2, 3) px of a scene to px of the grid, for a card with these (4, 2) corners."""
    across = corners[1] - corners[0] + corners[2] - corners[3]
    angle = np.arctan2(across[1], across[0])
    cos, sin = np.cos(angle) * FINE / px_per_mm, np.sin(angle) * FINE / px_per_mm
    turn = np.array([[cos, sin], [-sin, cos]])
    return np.column_stack([turn, np.array(GRID[::-1]) / 2 - 0.5 - turn @ corners.mean(axis=0)])


def lay(scenes: Sequence[Scene]) -> Deck:
    """Lays cards of one deck on one another; at least one."""
    greys = _greys([warped(scene.after, scene.onto) for scene in scenes])
    middle = inside(_usual_box(), INNER_MM)
    model = _first(greys, middle)
    ontos = []
    for scene, grey in zip(scenes, greys, strict=True):
        nearly = _coarsely(grey, model, middle)
        ontos.append((_square(nearly) @ _square(scene.onto))[:2])
    greys = _greys([warped(scene.after, onto) for scene, onto in zip(scenes, ontos, strict=True)])
    model = np.median(greys, axis=0).astype(np.float32)
    for number, grey in enumerate(greys):
        ontos[number] = (_square(_closely(grey, model, middle)) @ _square(ontos[number]))[:2]
    scenes = _alike_lit(scenes, ontos, middle)
    deck = _deck(scenes, ontos)
    sizes = np.zeros((len(scenes), 2))
    for last in (False, True):
        usual = np.median(sizes, axis=0)
        found = [
            _adjusted(scene, laid.onto, deck, usual - size, 0.5 if last else 1.0)
            for scene, laid, size in zip(scenes, deck.laid, sizes, strict=True)
        ]
        sizes = sizes + np.array([size for _, size in found])
        deck = _deck(scenes, [onto for onto, _ in found])
    for laid in deck.laid:
        laid.misfit = _misfit(laid.after, laid.before, deck.print, *_sides(deck.box))
    _turn_by_quarters(scenes, deck, middle)
    return deck


def _turn_by_quarters(scenes: Sequence[Scene], deck: Deck, middle: Mask) -> None:
    """Lays those cards anew that the eye saw turned by a quarter, as on a pile of backs without a rim."""
    usual = float(np.median([one.misfit for one in deck.laid]))
    centre = (GRID[1] - 1) / 2, (GRID[0] - 1) / 2
    quarter = _square(np.asarray(cv2.getRotationMatrix2D(centre, 90.0, 1.0), dtype=np.float64))
    for number, (scene, laid) in enumerate(zip(scenes, deck.laid, strict=True)):
        if laid.misfit < ODD * usual:
            continue
        onto = quarter @ _square(scene.onto)
        grey, model = _greys([warped(scene.after, onto[:2]), deck.print])
        onto = _square(_coarsely(grey, model, middle, QUARTER_OFF_MM)) @ onto
        # the light was told from what is not the card
        shown = warped(scene.after, onto[:2])[middle].mean(axis=0) + 1.0
        gain = np.clip((deck.print[middle].mean(axis=0) + 1.0) / shown, 1 / BRIGHTER, BRIGHTER)
        lit = float(scene.lit * gain.max())
        scene = Scene(_lit(scene.before, gain), _lit(scene.after, gain), scene.onto, lit)
        there, _ = _adjusted(scene, onto[:2], deck, np.zeros(2), 1.0)
        before, after = warped(scene.before, there), warped(scene.after, there)
        misfit = _misfit(after, before, deck.print, *_sides(deck.box))
        if misfit * BETTER < laid.misfit:
            deck.laid[number] = Laid(before, after, there, misfit, lit)


def inside(box: tuple[int, int, int, int], shrunk_mm: float) -> Mask:
    """(rows, columns): the px of a card but for so many mm at its edge; negative: and so many mm around it."""
    mask = np.zeros(GRID, dtype=bool)
    left, right, top, bottom = box
    by = round(shrunk_mm * FINE)
    mask[max(top + by, 0) : max(bottom - by, 0), max(left + by, 0) : max(right - by, 0)] = True
    return mask


def _usual_box() -> tuple[int, int, int, int]:
    rows, columns = GRID
    w, h = round(CARD_WIDTH_MM * FINE), round(CARD_HEIGHT_MM * FINE)
    return (columns - w) // 2, (columns + w) // 2, (rows - h) // 2, (rows + h) // 2


def _alike_lit(scenes: Sequence[Scene], ontos: Sequence[Floats], middle: Mask) -> list[Scene]:
    """Scenes as if the light had been the same in all."""
    shown = [warped(scene.after, onto)[middle] for scene, onto in zip(scenes, ontos, strict=True)]
    means = np.array([one.mean(axis=0) for one in shown]) + 1.0
    gains = np.clip(np.median(means, axis=0) / means, 1 / BRIGHTER, BRIGHTER)
    return [
        Scene(_lit(scene.before, gain), _lit(scene.after, gain), scene.onto, float(gain.max()))
        for scene, gain in zip(scenes, gains, strict=True)
    ]


def _lit(picture: Pixels, gain: Floats) -> Pixels:
    return np.asarray((picture * gain.astype(np.float32)).clip(0, 255), dtype=np.uint8)


def _deck(scenes: Sequence[Scene], ontos: Sequence[Floats]) -> Deck:
    laid = [
        Laid(warped(scene.before, onto), warped(scene.after, onto), onto, lit=scene.lit)
        for scene, onto in zip(scenes, ontos, strict=True)
    ]
    model = np.median([one.after for one in laid], axis=0).astype(np.uint8)
    return Deck(model, _box(laid, model), laid)


def _box(laid: Sequence[Laid], model: Pixels) -> tuple[int, int, int, int]:
    """Where pictures are the print, and not what lay there: the rectangle that most of them speak for."""
    speaks = np.zeros(GRID, np.float64)
    for one in laid:
        speaks += np.minimum(apart(one.after, one.before), MOST)
        speaks -= np.minimum(apart(one.after, model), MOST)
    sums = cv2.integral(speaks / len(laid))
    (rows, columns), (wide, high) = GRID, (CARD_WIDTH_MM * FINE, CARD_HEIGHT_MM * FINE)

    def ends(middle: float, length: float, side: int) -> NDArray[np.int_]:
        return np.unique(
            np.round(middle + side * np.arange(LEAST, LARGEST, 0.5 / length) * length / 2)
        ).astype(int)

    left, right = ends(columns / 2, wide, -1), ends(columns / 2, wide, 1)
    top, bottom = ends(rows / 2, high, -1), ends(rows / 2, high, 1)
    whole = (
        sums[np.ix_(bottom, right)][:, None, :, None]
        - sums[np.ix_(top, right)][None, :, :, None]
        - sums[np.ix_(bottom, left)][:, None, None, :]
        + sums[np.ix_(top, left)][None, :, None, :]
    )
    b, t, r, q = np.unravel_index(int(whole.argmax()), whole.shape)
    return int(left[q]), int(right[r]), int(top[t]), int(bottom[b])


def _greys(pictures: Sequence[Pixels]) -> list[NDArray[np.float32]]:
    """(rows, columns) each: the mix of colours in which these cards show most."""
    middle = inside(_usual_box(), 4.0)
    points = np.concatenate([one[middle][::9] for one in pictures]).astype(np.float32)
    _, axes = np.linalg.eigh(np.cov((points - points.mean(axis=0)).T) + np.eye(3) * 1e-3)
    return [np.asarray(one.astype(np.float32) @ axes[:, -1].astype(np.float32)) for one in pictures]


def _first(greys: Sequence[NDArray[np.float32]], middle: Mask) -> NDArray[np.float32]:
    """The card that looks most like some others."""
    some = [greys[number] for number in np.unique(np.linspace(0, len(greys) - 1, FIRST).astype(int))]
    alike = [sum(_best(one, other, middle, 0.0)[0] for other in some) for one in some]
    return np.asarray(some[int(np.argmax(alike))])


def _best(
    grey: NDArray[np.float32],
    model: NDArray[np.float32],
    middle: Mask,
    degrees: float,
    off_mm: float = OFF_MM,
) -> tuple[float, Floats]:
    """How alike a card turned by so much is where it is most, and (2, 3) how it moves there."""
    rows, columns = np.nonzero(middle)
    box = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
    off = round(off_mm * FINE)
    turn = cv2.getRotationMatrix2D(((GRID[1] - 1) / 2, (GRID[0] - 1) / 2), degrees, 1.0)
    turned = cv2.warpAffine(grey, turn, GRID[::-1], borderMode=cv2.BORDER_REPLICATE)
    wide = turned[box[0].start - off : box[0].stop + off, box[1].start - off : box[1].stop + off]
    where, what = (
        cv2.resize(one, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for one in (wide, model[box])
    )
    scores = np.asarray(cv2.matchTemplate(where, what, cv2.TM_CCOEFF_NORMED))
    row, column = np.unravel_index(int(scores.argmax()), scores.shape)
    turn[:, 2] -= (2 * column - off, 2 * row - off)
    return float(scores[row, column]), np.asarray(turn, dtype=np.float64)


def _coarsely(
    grey: NDArray[np.float32], model: NDArray[np.float32], middle: Mask, off_mm: float = OFF_MM
) -> Floats:
    """(2, 3) how a card moves onto the print, to a mm and a degree; upside down if that is much more alike."""
    upright, flipped = (
        max((_best(grey, model, middle, half + turn, off_mm) for turn in TURNS), key=lambda found: found[0])
        for half in (0.0, 180.0)
    )
    return (flipped if flipped[0] > upright[0] + 0.02 else upright)[1]


def _closely(grey: NDArray[np.float32], model: NDArray[np.float32], middle: Mask) -> Floats:
    """(2, 3) how a card moves onto the print, by correlation; not at all where that leads far away."""
    start = np.eye(2, 3, dtype=np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4)
    try:
        _, found = cv2.findTransformECC(
            model, grey, start, cv2.MOTION_EUCLIDEAN, criteria, middle.astype(np.uint8), 3
        )
    except cv2.error:
        return np.eye(2, 3)
    onto = np.linalg.inv(_square(np.asarray(found, dtype=np.float64)))
    centre = np.array([GRID[1] / 2, GRID[0] / 2, 1.0])
    off = np.linalg.norm((onto @ centre)[:2] - centre[:2]) / FINE
    far = off > FARTHEST_MM or abs(onto[0, 1]) > MOST_TURNED
    return np.asarray(np.eye(2, 3) if far else onto[:2], dtype=np.float64)


def _adjusted(scene: Scene, onto: Floats, deck: Deck, usual: Floats, first: float) -> tuple[Floats, Floats]:
    """The place of a card at which the print, on what lay there before, looks most as what is seen; and by which
    logarithm it is larger (across, along). `usual`: that of others; `first`: share of the steps that are tried first."""
    sides = _sides(deck.box)

    def misfit(at: Floats) -> float:
        there = moved(onto, at)
        off = (at[3:] - usual) * 100
        return _misfit(
            warped(scene.after, there), warped(scene.before, there), deck.print, *sides
        ) + SIZE_COSTS * float(off @ off)

    at, steps = np.zeros(5), np.array(STEPS) * first
    best = misfit(at)
    while steps[0] >= LAST:
        better = False
        for number in range(5):
            for way in (1, -1):
                tried = at.copy()
                tried[number] += way * steps[number]
                value = misfit(tried)
                if value < best - 1e-4:
                    best, at, better = value, tried, True
                    break
        if not better:
            steps /= 2
    return moved(onto, at), at[3:]


def _sides(box: tuple[int, int, int, int]) -> tuple[Mask, Pixels]:
    """(rows, columns) each: the px that are the card's, and those that are looked at."""
    looked = inside(box, -BESIDE_MM) & ~(inside(box, -EDGE_MM) & ~inside(box, EDGE_MM))
    return inside(box, 0.0), looked.astype(np.uint8)


def _misfit(after: Pixels, before: Pixels, model: Pixels, card: Mask, looked: Pixels) -> float:
    """Mean difference between what is seen and the print on what lay there."""
    composed = np.asarray(cv2.copyTo(model, card.astype(np.uint8), before.copy()), dtype=np.uint8)
    return float(cv2.mean(np.minimum(apart(after, composed), MOST), looked)[0])


def moved(onto: Floats, at: Floats) -> Floats:
    """A place moved (mm), turned (degrees) and grown (logarithms across and along) about the middle of the grid."""
    angle = np.radians(at[2])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    change = np.diag(np.exp(-at[3:])) @ turn
    middle = (np.array(GRID[::-1]) - 1) / 2
    whole = np.column_stack([change, middle - change @ middle + at[:2] * FINE])
    return np.asarray((_square(whole) @ _square(onto))[:2])


def warped(picture: Pixels, onto: Floats) -> Pixels:
    """(rows, columns, 3): a picture on the grid; black where it shows nothing."""
    return np.asarray(cv2.warpAffine(picture, onto, GRID[::-1], flags=cv2.INTER_LINEAR), dtype=np.uint8)


def apart(one: Pixels, other: Pixels) -> Pixels:
    """(rows, columns): by how much two pictures differ, in the colour in which they do most."""
    blue, green, red = cv2.split(cv2.absdiff(one, other))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.uint8)


def _square(affine: Floats) -> Floats:
    return np.vstack([affine, [0.0, 0.0, 1.0]])
