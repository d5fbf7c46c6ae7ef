"""What is asked for where a count is not sure: an area to spread anew, or another photo, from where and how.

An area holds a quarter of the cards at most, those about which most doubts lie. Where the photo itself is at fault,
or the doubts lie all over it, it is another photo that helps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.photos.evidence import Spot
from referee.photos.score import Request
from vision.geometry.plane import apply, tilt_of
from vision.layout import Layout
from vision.photos.views import shown_at

Floats = NDArray[np.float64]

#: Share of the cards that an area holds at most, and cards that it may always hold.
QUARTER, FEW = 0.25, 3
#: What a card more in an area costs, in cards of doubt; doubts that are no more than this in all areas together are
#: spread over the whole photo if an area holds less than such a share of them.
A_CARD, LITTLE = 0.02, 0.3
#: mm by which an area reaches over what is seen of its cards.
MARGIN_MM = 4.0
#: A camera that leans by more (radians) makes strips too thin, and so does a scale of less (px a mm).
FLAT, SMALL = np.radians(50.0), 1.3
#: Cards whose corners are further off than this (median) from where those of cards must be were seen wrongly, as very
#: flat ones are: 2.6 mm in the one real photo of such, 2.1 at most in 70 drawn ones, 28 to 45 degrees aslant.
ASKEW_MM = 2.4
#: From such a share of the cards that hands hide on nothing is sure: it was 0.06 at most in 58 drawn photos of spreads,
#: in which no hand lies over a strip. It is painted on so many px.
HANDS, FINE = 0.1, 400
#: Share of the doubts that lie within so many mm of where light burns out the cards, for that to be asked about.
BURNT, BESIDE_MM = 0.4, 30.0


def too_flat(photo: int, layout: Layout) -> Request | None:
    """What to do where a photo was taken so flat over the table that cards look like others; None where it was not."""
    askew = layout.plane is not None and layout.plane.residual_mm > ASKEW_MM
    if not askew and tilt_of(layout) <= FLAT:
        return None
    asks = "This photo is too flat: hold the phone above the table, not aslant, and take it again"
    return Request("above", asks, photo)


def request_for(photo: int, layout: Layout, spots: Sequence[Spot]) -> Request:
    """What to do about the doubts of a spread: `photo` and `layout` are the photo that shows it best."""
    flat = too_flat(photo, layout)
    if flat is not None:
        return flat
    if covered(layout) >= HANDS:
        asks = "A hand lies over the cards: take it away, and take the photo again"
        return Request("again", asks, photo)
    if 0 < layout.px_per_mm < SMALL:
        return Request("closer", _closer(layout, spots), photo)
    if _burnt(layout, spots):
        asks = "Light burns out some of the cards: turn off the flash, or move the lamp aside, and take the photo again"
        return Request("glare", asks, photo)
    area = doubtful_area(layout, [spot for spot in spots if spot.photo == photo])
    if area is None:
        asks = "Take a second photo of the same cards from the other side: the doubts lie all over"
        return Request("again", asks, photo)
    rows, outline = area
    some = "the card" if len(rows) == 1 else f"the {len(rows)} cards"
    asks = (
        f"Take {some} in the marked area out, spread them beside the others so that each shows a broad strip, and take "
        "another photo of all"
    )
    return Request("spread", asks, photo, outline.round(1).tolist(), len(rows))


def _burnt(layout: Layout, spots: Sequence[Spot]) -> bool:
    """Do a good part of the doubts lie where light burns out the cards, or next to that?"""
    if not layout.glare or not spots:
        return False
    reach = BESIDE_MM * layout.px_per_mm
    at = [(float(spot.at[0]), float(spot.at[1]), spot.doubt) for spot in spots]
    near = sum(
        doubt
        for x, y, doubt in at
        if any(cv2.pointPolygonTest(one.astype(np.float32), (x, y), True) > -reach for one in layout.glare)
    )
    return near >= BURNT * sum(doubt for *_, doubt in at)


def doubtful_area(layout: Layout, spots: Sequence[Spot]) -> tuple[list[int], Floats] | None:
    """Numbers of the cards about which most of the doubts of a photo lie, and (n, 2) px around what is seen of them; None
    where no such area holds much of them."""
    cards = layout.cards
    if not cards or not spots:
        return None
    doubt = np.array([spot.doubt for spot in spots])
    at = _on_table(layout, np.array([spot.at for spot in spots]))
    where = _on_table(layout, np.array([shown_at(card) for card in cards]))
    most = max(FEW, int(QUARTER * len(cards)))
    best: tuple[float, list[int]] | None = None
    for centre in at[np.argsort(-doubt, kind="stable")[: 2 * most]]:
        order = np.argsort(np.linalg.norm(where - centre, axis=1), kind="stable")[:most]
        reach = np.linalg.norm(where[order] - centre, axis=1)
        away = np.linalg.norm(at - centre, axis=1)
        held = np.array([doubt[away <= far + 1e-6].sum() for far in reach])
        worth = held - A_CARD * np.arange(1, len(order) + 1)
        k = max(int(np.argmax(worth)), min(FEW, len(order)) - 1)
        if best is None or worth[k] > best[0]:
            best = float(worth[k]), [int(row) for row in order[: k + 1]]
    assert best is not None
    rows = best[1]
    if best[0] + A_CARD * len(rows) < LITTLE * doubt.sum():
        return None
    middles = np.array([shown_at(card) for card in cards])
    for k in range(len(rows), 0, -1):
        # what lies between those cards is taken out, too
        outline = outline_of(layout, rows[:k])
        held_rows = np.flatnonzero(inside(outline, middles))
        if len(held_rows) <= most:
            return held_rows.tolist(), outline
    return None


def outline_of(layout: Layout, rows: Sequence[int]) -> Floats:
    """(n, 2) px: the least convex outline around what is seen of these cards, and a little more."""
    parts = [
        card.visible if len(card.visible) else card.corners for card in (layout.cards[row] for row in rows)
    ]
    hull = np.asarray(cv2.convexHull(np.concatenate(parts).astype(np.float32)), dtype=np.float64).reshape(
        -1, 2
    )
    middle = hull.mean(axis=0)
    away = hull - middle
    scale = MARGIN_MM * (layout.px_per_mm or 1.0)
    length = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-6)
    grown = middle + away * (1 + scale / length)
    return np.asarray(np.clip(grown, 0, (layout.width, layout.height)), dtype=np.float64)


def covered(layout: Layout) -> float:
    """The share of a photo's cards, and of what lies between them, that hands hide."""
    if not layout.cards or not layout.hands:
        return 0.0
    pile = _painted(layout, [outline_of(layout, range(len(layout.cards)))])
    return float(
        (pile & _painted(layout, [hand.corners for hand in layout.hands])).sum() / max(pile.sum(), 1)
    )


def _painted(layout: Layout, outlines: Sequence[Floats]) -> NDArray[np.uint8]:
    """(h, w) 1 within one of the outlines, on a picture of `FINE` px a side at most."""
    scale = min(1.0, FINE / max(layout.width, layout.height))
    canvas = np.zeros((int(layout.height * scale) + 1, int(layout.width * scale) + 1), np.uint8)
    for outline in outlines:
        cv2.fillPoly(canvas, [np.round(outline * scale).astype(np.int32)], 1)
    return canvas


def inside(area: Floats, points: Floats) -> NDArray[np.bool_]:
    """(n,) which of (n, 2) px lie in a convex area."""
    outline = area.astype(np.float32)
    return np.array(
        [cv2.pointPolygonTest(outline, (float(x), float(y)), False) >= 0 for x, y in points], dtype=bool
    )


def _on_table(layout: Layout, points: Floats) -> Floats:
    return points if layout.to_table is None else apply(layout.to_table, points)


def _closer(layout: Layout, spots: Sequence[Spot]) -> str:
    """Which half of the picture to photograph closer: the one with more of the doubts."""
    halves: Mapping[str, float] = {
        "left": sum(spot.doubt for spot in spots if spot.at[0] < layout.width / 2),
        "right": sum(spot.doubt for spot in spots if spot.at[0] >= layout.width / 2),
    }
    worse = max(halves, key=lambda half: halves[half])
    return f"The cards are small in this photo: photograph the {worse} half closer"
