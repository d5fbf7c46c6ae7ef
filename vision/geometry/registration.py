"""Lays the cards of one photo on those of another one of the same table: nothing moved but the camera.

Cards of known size make a plane of every photo (`Layout.to_table`), so that one card which both photos show gives a
turn and a shift. Such guesses are tried and judged by how many other cards fall into place (RANSAC; Fischler and Bolles,
1981), those further off less strictly. The best are drawn closer in growing circles about the card that they start from,
each time with a better transform (ICP; Besl and McKay, 1992): a similarity, and what little of a homography the
errors of both planes ask for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from vision.geometry.plane import apply
from vision.layout import Layout

Floats = NDArray[np.float64]

#: mm that a turn by one radian counts as: cards are compared by where they lie and how they are turned.
TURN_MM = 30.0
#: Cards that guesses start from, cards that guesses are judged by, guesses that are drawn closer.
ANCHORS, JUDGES, CLOSER = 12, 48, 6
#: How much the second photo may be too narrow across its cards: of cards in a row only strips are seen, and at a slant
#: the plane that they make may be off by so much. Tried one after the other until one is good.
STRETCHES = ((1.0,), (1.12, 0.89), (1.25, 0.8), (1.4, 0.71))
#: Good: this share of the cards of the photo that has fewer is laid on others, so many mm apart (root mean square).
GOOD, GOOD_MM = 0.85, 2.2
#: mm that cards of a guess are off by where it starts from, and how much more a mm further off: the planes of two
#: photos stretch a table by some percent.
COARSE_MM, COARSER = 4.0, 0.04
#: mm from there within which cards are laid on one another, from step to step.
GROWTH_MM = (110.0, 160.0, 230.0, 320.0, 450.0, 640.0, np.inf, np.inf, np.inf)
#: A card is one with what lies within this share of the way to its nearest neighbour, but these mm at least and at most.
NEIGHBOUR, REACH_MM = 0.5, (6.0, 30.0)
#: Standard deviations of a card's place (mm), and of how far a step stretches and slants half the table.
NOISE_MM, STRETCH, SLANT = 2.0, 0.03, 0.03
#: A face that is read with at least this confidence in both photos must be the same for a guess.
READ = 0.9


@dataclass(frozen=True, slots=True)
class Registration:
    """How a second photo lies on a first one."""

    #: (3, 3) from mm on the second photo's table to mm on the first one's.
    to_first: Floats
    #: (k, 2) rows of the cards of both photos that are one card.
    pairs: NDArray[np.intp]
    #: (k,) mm that these lie apart, turns counted (`TURN_MM`).
    apart: Floats


def register(first: Layout, second: Layout) -> Registration | None:
    """The second photo's cards laid on the first one's as well as they go; None where a photo shows no cards.

    Whether they fit well enough to be the same cards, the caller judges by the pairs.
    """
    if first.to_table is None or second.to_table is None or not first.cards or not second.cards:
        return None
    one, two = poses(first, first.to_table), poses(second, second.to_table)
    anchors = _anchors(first, second, one, two)
    best: Registration | None = None
    most = 0.0
    for stretches in STRETCHES:
        for guess in _guesses(anchors, stretches, one, two):
            drawn = _drawn_closer(guess, first, second, one)
            if drawn is not None:
                worth = _worth(drawn) * agreement(first, second, drawn.pairs) ** 2
                if worth > most:
                    best, most = drawn, worth
        if best is not None and _is_good(best, first, second):
            break
    return best


def poses(layout: Layout, to_table: Floats) -> Floats:
    """(n, 4) place of each card's middle on the table, mm, and its turn, told alike for both ends of a card, mm."""
    if not layout.cards:
        return np.zeros((0, 4))
    corners = np.stack([card.corners for card in layout.cards])
    flat = apply(to_table, corners.reshape(-1, 2)).reshape(-1, 4, 2)
    along = flat[:, 3] + flat[:, 2] - flat[:, 0] - flat[:, 1]
    turn = 2 * np.arctan2(along[:, 1], along[:, 0])
    # cards turned by a small angle come to lie TURN_MM times that apart
    return np.column_stack([flat.mean(axis=1), TURN_MM / 2 * np.cos(turn), TURN_MM / 2 * np.sin(turn)])


def _worth(registration: Registration) -> float:
    return float(np.exp(-((registration.apart / 4.0) ** 2) / 2).sum())


@dataclass(frozen=True, slots=True)
class _Guess:
    """A turn (radians), a (3, 3) transform with that turn, and where on the first table it starts from, (2,) mm."""

    turn: float
    onto: Floats
    start: Floats


def _is_good(registration: Registration, first: Layout, second: Layout) -> bool:
    apart = float(np.sqrt((registration.apart**2).mean()))
    cards = min(len(first.cards), len(second.cards))
    alike = agreement(first, second, registration.pairs)
    return len(registration.pairs) >= GOOD * cards and apart <= GOOD_MM and alike >= GOOD


def agreement(first: Layout, second: Layout, pairs: NDArray[np.intp]) -> float:
    """Share of the paired cards whose faces are alike, or whose designs are under the likeliest matching of labels."""
    faces, labels = [], []
    for i, j in pairs:
        one, two = first.cards[i], second.cards[j]
        if one.side == "face":
            if one.face is not None and two.face is not None:
                faces.append(one.face == two.face)
        else:
            labels.append((one.back, two.back))
    met = sum(faces) + _purity(labels)
    told = len(faces) + len(labels)
    return met / told if told else 1.0


def _purity(labels: list[tuple[str | None, str | None]]) -> int:
    """How many pairs of labels follow the commonest partner of the label that has more of them."""
    best = 0
    for k in (0, 1):
        partners: dict[str | None, Counter[str | None]] = {}
        for pair in labels:
            partners.setdefault(pair[k], Counter())[pair[1 - k]] += 1
        kept = sum(counter.most_common(1)[0][1] for counter in partners.values())
        best = kept if not k else min(best, kept)
    return best


def _anchors(first: Layout, second: Layout, one: Floats, two: Floats) -> list[tuple[int, int, float]]:
    """Cards (row of the first photo, of the second) that may be one, and by how much the second one turns then."""
    surest = sorted(
        range(len(one)), key=lambda i: -first.cards[i].confidence * first.cards[i].visible_fraction
    )
    return [
        (i, j, float(np.arctan2(one[i, 3], one[i, 2]) - np.arctan2(two[j, 3], two[j, 2])) / 2 + half)
        for i in surest[:ANCHORS]
        for j in range(len(two))
        if _may_be_one(first, second, i, j)
        for half in (0.0, np.pi)
    ]


def _guesses(
    anchors: list[tuple[int, int, float]], stretches: tuple[float, ...], one: Floats, two: Floats
) -> list[_Guess]:
    """The likeliest transforms that one card of each photo gives, with one of these stretches."""
    guesses = []
    for i, j, turn in anchors:
        across = np.arctan2(two[j, 3], two[j, 2]) / 2 + np.pi / 2
        n = np.array([np.cos(across), np.sin(across)])
        for stretch in stretches:
            onto = _rigid(turn)
            onto[:2, :2] = onto[:2, :2] @ (np.eye(2) + (stretch - 1) * np.outer(n, n))
            onto[:2, 2] = one[i, :2] - onto[:2, :2] @ two[j, :2]
            guesses.append(_Guess(turn, onto, one[i, :2]))
    if not guesses:
        return []
    judged = two[np.linspace(0, len(two) - 1, min(JUDGES, len(two))).astype(int)]
    chosen: list[_Guess] = []
    for k in np.argsort(-_judged(guesses, judged, one), kind="stable"):
        if all(_differ(guesses[k], other, two) for other in chosen):
            chosen.append(guesses[k])
        if len(chosen) == CLOSER:
            break
    return chosen


def _differ(one: _Guess, two: _Guess, cards: Floats) -> bool:
    """Do two guesses carry these cards to different places?"""
    some = cards[[0, len(cards) // 2, -1], :2]
    return float(np.abs(apply(one.onto, some) - apply(two.onto, some)).max()) > COARSE_MM


def _may_be_one(first: Layout, second: Layout, i: int, j: int) -> bool:
    one, two = first.cards[i], second.cards[j]
    sure = min(one.face_confidence, two.face_confidence) >= READ
    return one.side == two.side and not (sure and one.face != two.face)


def _judged(guesses: list[_Guess], judged: Floats, one: Floats) -> Floats:
    """(m,) how many cards fall into place under each guess."""
    onto = np.stack([guess.onto for guess in guesses])
    turn = 2 * np.array([guess.turn for guess in guesses])[:, None]
    c, s = np.cos(turn), np.sin(turn)
    u, v = judged[:, 2], judged[:, 3]
    place = np.einsum("mij,nj->mni", onto[:, :2, :2], judged[:, :2]) + onto[:, None, :2, 2]
    moved = np.concatenate([place, np.stack([c * u - s * v, s * u + c * v], axis=2)], axis=2)
    far = cKDTree(one).query(moved.reshape(-1, 4), distance_upper_bound=60.0)[0].reshape(len(guesses), -1)
    starts = np.stack([guess.start for guess in guesses])
    off = COARSE_MM + COARSER * np.linalg.norm(place - starts[:, None], axis=2)
    # the wider the search, the likelier a chance hit: what is near counts most
    return np.asarray((np.exp(-((far / off) ** 2) / 2) * COARSE_MM / off).sum(axis=1))


def _drawn_closer(guess: _Guess, first: Layout, second: Layout, one: Floats) -> Registration | None:
    assert second.to_table is not None
    from_second = apply(second.to_table, np.array([card.centre for card in second.cards]))
    away = np.linalg.norm(one[:, :2] - guess.start, axis=1)
    onto, barred = guess.onto, _sides_differ(first, second)
    found: Registration | None = None
    for radius in GROWTH_MM:
        near = barred | (away > radius)[:, None]
        pairs, apart = pair_up(one, poses(second, onto @ second.to_table), near)
        if not len(pairs):
            return None
        found = Registration(onto, pairs, apart)
        onto = _fitted(from_second[pairs[:, 1]], one[pairs[:, 0], :2], onto)
    return found


def _sides_differ(first: Layout, second: Layout) -> NDArray[np.bool_]:
    one = np.array([card.side == "back" for card in first.cards])
    two = np.array([card.side == "back" for card in second.cards])
    return np.asarray(one[:, None] != two[None])


def pair_up(
    one: Floats, two: Floats, barred: NDArray[np.bool_], least: float = REACH_MM[0]
) -> tuple[NDArray[np.intp], Floats]:
    """(k, 2) rows of two sets of poses that are one card, each used once, and how far they are apart, mm.

    `least`: mm within which cards may always be one.
    """
    if not len(one) or not len(two):
        return np.zeros((0, 2), dtype=np.intp), np.zeros(0)
    far = cdist(one, two)
    reach = np.maximum(_reach(one), least)[:, None]
    bad = barred | (far > reach)
    # where nothing is near, any partner costs the same and more than all that are
    cost = np.where(bad, REACH_MM[1] ** 2 * 4, far**2)
    rows, columns = linear_sum_assignment(cost)
    met = ~bad[rows, columns]
    pairs = np.column_stack([rows[met], columns[met]]).astype(np.intp)
    return pairs, np.asarray(far[pairs[:, 0], pairs[:, 1]])


def _reach(cards: Floats) -> Floats:
    """(n,) mm within which another photo's card is this one."""
    if len(cards) < 2:
        return np.full(len(cards), REACH_MM[1])
    nearest = cKDTree(cards).query(cards, k=2)[0][:, 1]
    return np.asarray(np.clip(NEIGHBOUR * nearest, *REACH_MM))


def _fitted(two: Floats, one: Floats, before: Floats) -> Floats:
    """A transform like `before` that carries points `two` (n, 2) better to `one`, (3, 3): a cautious step."""
    here = apply(before, two)
    middle = here.mean(axis=0)
    half = max(float(np.abs(here - middle).max()), 60.0)
    u, off = (here - middle) / half, (one - here) / half
    zero, unit = np.zeros(len(u)), np.ones(len(u))
    x, y = u.T
    across = np.column_stack([unit, zero, x, -y, x, y, -x * x, -x * y])
    down = np.column_stack([zero, unit, y, x, -y, x, -x * y, -y * y])
    # a shift and a turn are free; scale and shape cost
    caution = (NOISE_MM / half) / np.array([1, 1, STRETCH, 1, STRETCH, STRETCH, SLANT, SLANT])
    rows = np.vstack([across, down, np.diag(caution)])
    p = np.linalg.lstsq(rows, np.concatenate([off[:, 0], off[:, 1], np.zeros(8)]), rcond=None)[0]
    bend = np.array(
        [[1 + p[2] + p[4], p[5] - p[3], p[0]], [p[5] + p[3], 1 + p[2] - p[4], p[1]], [p[6], p[7], 1]]
    )
    into = np.array([[1 / half, 0, -middle[0] / half], [0, 1 / half, -middle[1] / half], [0, 0, 1]])
    return np.asarray(np.linalg.inv(into) @ bend @ into @ before, dtype=np.float64)


def _rigid(turn: float) -> Floats:
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
