"""Did every card land alone? What changed beside a card, and whether a second one of some deck under it explains that.

Asked when all is done, for then every deck's print and the size of its cards are known (`vision.dealt.prints`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp

import cv2
import numpy as np

from vision.dealt.alone import Around
from vision.dealt.canvas import Mask, Pixels
from vision.dealt.fit import shaded
from vision.dealt.landings import Second
from vision.dealt.prints import FINE, GRID, Deck, Laid, Scene, apart, inside, lay, moved, onto_grid, warped
from vision.dealt.sizes import grown
from vision.layout import Floats

#: mm at a card's edge that are neither its own nor beside it; what is farther off is no second card under it.
EDGE_MM, NEAR_MM, REACH_MM = 0.75, 4.0, 14.0
#: px differ by more than this (of 255) where something changed; a shadow leaves so much of the light, or as it goes gives
#: so much more.
STEP, SLIGHT, SHADE = 20.0, 12.0, (0.5, 1.4)
#: The eye has a card no further off than this share of its width.
FAR = 0.25
#: mm² beside a card from which on a second one is looked for; mm and degrees by which it may lie off, in such steps.
LOOKED_FOR, OFF_MM, STEP_MM, TURNS, TURN = 8.0, 10.0, 2.5, (-4.0, 0.0, 4.0), 1.0
#: The best so many of these are followed, to so many mm.
FOLLOWED, LAST_MM = 7, 0.3
#: A share explained that is larger by so much speaks e to 1 for a deck.
SAME = 0.09
#: The usual misfit (of 255) of one deck's cards is less than this: two decks that are taken for one have no print.
MIXED = 8.0
#: Differences (of 255) that are noise, and the largest that counts.
NOISE, MOST = 7, 40


def look_beside(
    around: Sequence[Around], labels: Sequence[str | None], scale: float, px_per_mm: float
) -> None:
    """Sets how much changed `beside` every card that landed, what second card would explain it, its scene and its place.

    `labels`: whose back each shows; `scale`: px of the copy per px of the picture, of which `px_per_mm` are.
    """
    if not around:
        return
    larger = grown([one.landing.corners for one in around], labels, px_per_mm)
    scenes = [
        Scene(one.before, one.after, onto_grid(one.corners(scale), px_per_mm * scale * one.finer * factor))
        for one, factor in zip(around, larger, strict=True)
    ]
    numbers: dict[str | None, list[int]] = {}
    for number, label in enumerate(labels):
        numbers.setdefault(label, []).append(number)
    decks = {label: lay([scenes[number] for number in mine]) for label, mine in numbers.items()}
    for label, mine in numbers.items():
        usual = float(np.median([laid.misfit for laid in decks[label].laid]))
        for number, laid in zip(mine, decks[label].laid, strict=True):
            landing = around[number].landing
            landing.corners = _exact(around[number], laid, decks[label].box, scale)
            landing.beside = float(changed_beside(laid, decks[label].box).sum() / FINE**2)
            landing.misfit = laid.misfit / min(max(usual, 1.0), MIXED)
            landing.scene = around[number].before, around[number].after
            any_light = changed_beside(laid, decks[label].box, lit=True)
            if any_light.sum() / FINE**2 > LOOKED_FOR:
                landing.second = second_under(laid, decks[label], decks, any_light)


def _exact(one: Around, laid: Laid, box: tuple[int, int, int, int], scale: float) -> Floats:
    """(4, 2) px of the picture: the corners of a card as its print lies; as the eye had them where that is far away."""
    left, right, top, bottom = box
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) - 0.5
    back = np.linalg.inv(np.vstack([laid.onto, [0.0, 0.0, 1.0]]))
    fine = corners @ back[:2, :2].T + back[:2, 2]
    found: Floats = ((fine + 0.5) / one.finer + np.array([one.x, one.y])) / scale - 0.5
    eyes = one.landing.corners
    off = np.linalg.norm(found.mean(axis=0) - eyes.mean(axis=0))
    return eyes if off > FAR * np.linalg.norm(eyes[0] - eyes[1]) else found


def changed_beside(laid: Laid, box: tuple[int, int, int, int], *, lit: bool = False) -> Mask:
    """(rows, columns) of the grid: what changed beside a card and touches it nearly; light and shadow too, if `lit`."""
    step = SLIGHT if lit else STEP
    changed = np.asarray(apart(laid.after, laid.before) > step * max(1.0, laid.lit))
    if not lit:
        changed &= ~shaded(laid.before, laid.after, changed, SHADE)
    rest = (changed & ~inside(box, -EDGE_MM)).astype(np.uint8)
    clear = cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    _, parts = cv2.connectedComponents(clear)
    touching = np.unique(parts[inside(box, -NEAR_MM)])
    return np.asarray(np.isin(parts, touching[touching > 0]))


def second_under(laid: Laid, top: Deck, decks: Mapping[str | None, Deck], rest: Mask) -> Second:
    """How well a card of each deck under the upper one explains what changed beside that."""
    beside = inside(top.box, -REACH_MM) & ~inside(top.box, -EDGE_MM)
    near = cv2.dilate(rest.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
    shares: dict[str | None, float] = {}
    gain = 0.0
    for label, deck in decks.items():
        composed = _with_card(laid.before, deck, _placed(laid, deck, beside.astype(np.uint8))[1])
        would = (apart(composed, laid.before) > SLIGHT) & beside
        where = (near | would).astype(np.uint8)
        left, everything = (_excess(laid.after, one, where) for one in (composed, laid.before))
        gain = max(gain, (everything - left) / (MOST - NOISE) / FINE**2)
        shares[label] = max(0.0, 1.0 - left / max(everything, 1.0))
    best = max(shares.values())
    speaks = {label: exp((share - best) / SAME) for label, share in shares.items()}
    return Second(best, gain, {label: one / sum(speaks.values()) for label, one in speaks.items()})


def _placed(laid: Laid, deck: Deck, beside: Pixels) -> tuple[float, Floats]:
    """What a card of this deck under the upper one leaves unexplained, where it explains most, and that place."""

    def left(at: Floats) -> float:
        return _excess(laid.after, _with_card(laid.before, deck, at), beside)

    coarse = _Coarse(laid, deck, beside)
    steps = np.arange(-OFF_MM, OFF_MM + 0.1, STEP_MM)
    tried = [np.array([x, y, turn]) for turn in TURNS for x in steps for y in steps]
    tried.sort(key=coarse.left)
    found = [_followed(left, left(start), start) for start in tried[:FOLLOWED]]
    return min(found, key=lambda one: one[0])


class _Coarse:
    """The same on a grid of half as many px, to try many places."""

    def __init__(self, laid: Laid, deck: Deck, beside: Pixels) -> None:
        self._after, self._before, self._print = (_half(one) for one in (laid.after, laid.before, deck.print))
        self._beside = _half(beside * 255) // 255
        self._card = _half(inside(deck.box, 0.0).astype(np.uint8) * 255) // 255

    def left(self, at: Floats) -> float:
        """As `_placed` tells it, of a card moved (mm) and turned (degrees)."""
        onto = moved(np.eye(2, 3), np.array([*at, 0.0, 0.0]))
        # the middle of a px of the half is half a px off those of the whole
        onto[:, 2] = (onto[:, :2] @ (0.5, 0.5) + onto[:, 2] - 0.5) / 2
        size = self._card.shape[::-1]
        where = cv2.warpAffine(self._card, onto, size, flags=cv2.INTER_NEAREST)
        there = cv2.warpAffine(self._print, onto, size)
        composed = np.asarray(cv2.copyTo(there, where, self._before.copy()), dtype=np.uint8)
        return _excess(self._after, composed, self._beside)


def _half(picture: Pixels) -> Pixels:
    return np.asarray(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _followed(left: Callable[[Floats], float], value: float, at: Floats) -> tuple[float, Floats]:
    step = np.array([STEP_MM / 2, STEP_MM / 2, TURN])
    while step[0] >= LAST_MM:
        for number in (0, 0, 1, 1, 2, 2):
            tried = at.copy()
            tried[number] += step[number]
            step[number] *= -1
            if (now := left(tried)) < value:
                value, at = now, tried
                break
        else:
            step = np.abs(step) / 2
    return value, at


def _with_card(before: Pixels, deck: Deck, at: Floats) -> Pixels:
    """(rows, columns, 3): a place with a card of this deck moved (mm) and turned (degrees) from the middle."""
    onto = moved(np.eye(2, 3), np.array([*at, 0.0, 0.0]))
    card = inside(deck.box, 0.0).astype(np.uint8)
    where = cv2.warpAffine(card, onto, GRID[::-1], flags=cv2.INTER_NEAREST)
    return np.asarray(cv2.copyTo(warped(deck.print, onto), where, before.copy()), dtype=np.uint8)


def _excess(one: Pixels, other: Pixels, where: Pixels) -> float:
    """By how much two pictures differ there, beyond noise."""
    off = apart(one, other).clip(NOISE, MOST) - NOISE
    return float(cv2.mean(off, where)[0]) * float(np.count_nonzero(where))
