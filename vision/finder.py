"""Finds whole cards and hands: every cell of the picture votes, the votes of one card agree.

The network (models/finder.md) says for each cell of 4 px whether a face, a back or a hand lies on top there and,
for cards, where the middle and the two half axes of the whole card are. Cells whose rectangles agree are one card;
what a card's cells cover is its visible part. So a strip of 6 mm is enough, and nothing has to be suppressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.hands import Outline, outlines
from vision.shrink import shrunk
from vision.trained import open_model

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

CELL = 4
UNIT = 32.0
#: The network pads to multiples of this many px.
GRAIN = 32


@dataclass(slots=True)
class Cells:
    """What the cells of a picture say; arrays side by side, one row a cell that shows a card."""

    #: (n, 2) px: where the cell is.
    at: Floats
    #: (n, 2) px: its vote for the card's middle.
    middle: Floats
    #: (n, 2), (n, 2) px: half axes as (length x cos, length x sin) of twice their angle.
    long: Floats
    short: Floats
    #: (n,) px: how far off the network expects its vote to be.
    spread: Floats
    #: (n,) probability that a back lies here rather than a face.
    back: Floats
    #: (n,) probability that a card lies here.
    card: Floats

    def __len__(self) -> int:
        return len(self.at)

    def take(self, rows: NDArray[np.intp]) -> Cells:
        """Some of the cells."""
        return Cells(*(getattr(self, name)[rows] for name in self.__slots__))


#: A picture of spread backs shows backs in this share of what cards cover; a table has some, too, but by themselves.
SPREAD = 0.6
#: What `Found` has one row a card of.
_OF_CARDS = (
    "middle",
    "long",
    "short",
    "back",
    "confidence",
    "support",
    "evidence",
    "given",
    "edged",
    "real",
    "off",
)


@dataclass(slots=True)
class Found:
    """The cards of one picture; arrays side by side, one row a card."""

    #: (n, 2) px.
    middle: Floats
    #: (n, 2) px: from the middle to the middle of a short side, and of a long side.
    long: Floats
    short: Floats
    #: (n,) probabilities.
    back: Floats
    confidence: Floats
    #: (n,) cells that show the card, in cells of the look that found it.
    support: Floats
    #: (n, 3) what speaks for a card: mean probability of its cells; how far its votes lie apart and how far off the
    #: network expects them to be, both as shares of the card's width.
    evidence: Floats
    #: Votes: (m, 2) px and (m,) row of the card, for deciding what lies on what.
    cells_at: Floats
    cells_card: NDArray[np.intp]
    #: Hand outlines, px, with their confidence.
    hands: list[Outline]
    #: Share of the picture that cards explain, cells that are unsure of themselves counting little.
    explained: float = 0.0
    #: What it explains, as a share of what it takes for cards: little at a wrong scale.
    pure: float = 1.0
    #: Side of a cell, px of the picture.
    cell_px: float = float(CELL)
    #: (n,) the probability of cards that something surer than the finder has found and put in place, else NaN.
    given: Floats = field(default_factory=lambda: np.zeros(0))
    #: (n,) share of the visible edges that meet an edge in the picture, NaN until it was looked for.
    edged: Floats = field(default_factory=lambda: np.zeros(0))
    #: (n,) probability that a card lies there, as the placer says (`vision/placing.py`), NaN until it was asked.
    real: Floats = field(default_factory=lambda: np.zeros(0))
    #: (n, 4) shares of the card's width by which its corners are expected to be off, by the placer, too.
    off: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    #: (k, 2) px: cells that show a back and agree with no card.
    loose: Floats = field(default_factory=lambda: np.zeros((0, 2)))

    def __post_init__(self) -> None:
        for name, each in (("given", ()), ("edged", ()), ("real", ()), ("off", (4,))):
            if len(getattr(self, name)) != len(self.middle):
                setattr(self, name, np.full((len(self.middle), *each), np.nan))

    def __len__(self) -> int:
        return len(self.middle)

    @property
    def corners(self) -> Floats:
        """(n, 4, 2) px in the order of a rectangle's corners, clockwise in the picture."""
        u, v = self.long, self.short
        m = self.middle
        return np.stack([m - u - v, m - u + v, m + u + v, m + u - v], axis=1)

    def only(self, rows: NDArray[np.intp]) -> Found:
        """Some of the cards, with their cells."""
        number = np.full(len(self), -1)
        number[rows] = np.arange(len(rows))
        mine = number[self.cells_card] >= 0
        of_cards: dict[str, Any] = {name: getattr(self, name)[rows] for name in _OF_CARDS}
        return replace(
            self,
            **of_cards,
            cells_at=self.cells_at[mine],
            cells_card=number[self.cells_card[mine]],
        )

    def turned(self) -> Found:
        """The same cards, what is long taken for short: turned twice they are the same again."""
        return replace(self, long=self.short, short=-self.long)

    def joined(self, others: Sequence[Found]) -> Found:
        """These cards and others of the same picture, with their cells."""
        parts = [self, *others]
        first = np.cumsum([0, *(len(part) for part in parts)])
        of_cards: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in _OF_CARDS
        }
        return replace(
            self,
            **of_cards,
            cells_at=np.concatenate([part.cells_at for part in parts]),
            cells_card=np.concatenate([part.cells_card + n for part, n in zip(parts, first, strict=False)]),
        )

    def of_backs(self) -> bool:
        """Does the picture show spread backs, and little else?"""
        return len(self) > 0 and float(np.average(self.back > 0.5, weights=self.support)) >= SPREAD

    def width(self) -> float:
        """Median length of the short side, px; 0 without cards."""
        return float(2 * np.median(np.linalg.norm(self.short, axis=1))) if len(self) else 0.0


class Look:
    """What the finder's cells say of a picture at one scale; grouped into cards when these are first asked for."""

    def __init__(
        self,
        cells: Cells,
        hands: Floats,
        explained: float,
        pure: float,
        scale: float,
        by: tuple[float, float],
    ) -> None:
        """`explained`, `pure`: see `Found`; `by`: px of the picture a px that was looked at, x and y."""
        self._cells, self._hands, self._by = cells, hands, by
        self.explained, self.pure, self.scale = explained, pure, scale

    @cached_property
    def found(self) -> Found:
        """The cards, in px of the picture."""
        found = gather(self._cells, self._hands)
        found.explained, found.pure = self.explained, self.pure
        return _scaled(found, *self._by)


class Finder:
    """The network with its decoding."""

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        self._session = open_model("finder.onnx", model, threads)

    def find(self, image: Pixels, scale: float = 1.0) -> Found:
        """Cards of `image` ((H, W, 3) BGR), looked at when resized by `scale`; results in px of `image`."""
        return self.look(image, scale).found

    def look(self, image: Pixels, scale: float = 1.0) -> Look:
        """As `find`, but cells are grouped into cards only when these are asked for."""
        size = (max(GRAIN, round(image.shape[1] * scale)), max(GRAIN, round(image.shape[0] * scale)))
        view = image if size == image.shape[1::-1] else _resized(image, size)
        output = self._run(view)
        cells, hands = read_cells(output)
        told = explained(cells)
        by = (image.shape[1] / size[0], image.shape[0] / size[1])
        return Look(cells, hands, told / output[0].size, told / max(len(cells), 1), scale, by)

    def _run(self, view: Pixels) -> NDArray[np.float32]:
        rows, columns = view.shape[:2]
        edge = cv2.copyMakeBorder(view, 0, -rows % GRAIN, 0, -columns % GRAIN, cv2.BORDER_REPLICATE)
        batch = np.empty((1, 3, *edge.shape[:2]), np.float32)
        np.divide(edge.transpose(2, 0, 1), np.float32(255), out=batch[0])
        (output,) = self._session.run(None, {"image": batch})
        return np.asarray(output[0, :, : -(-rows // CELL), : -(-columns // CELL)], dtype=np.float32)


def _resized(image: Pixels, size: tuple[int, int]) -> Pixels:
    if size[0] < image.shape[1]:
        return shrunk(image, size)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def read_cells(output: NDArray[np.floating]) -> tuple[Cells, Floats]:
    """The cells that show cards, and a map of the chance that they show hands, from the network's (18, h, w)."""
    logits = output[:4].astype(np.float64)
    chances = np.exp(logits - logits.max(axis=0))
    chances /= chances.sum(axis=0)
    card = chances[1] + chances[2]
    rows, columns = np.nonzero(card > 0.5)
    at = np.column_stack([columns, rows]) * CELL + CELL / 2
    picked = output[:, rows, columns].astype(np.float64)
    cells = Cells(
        at=at.astype(np.float64),
        middle=at + picked[4:6].T * UNIT,
        long=doubled_axis(picked[6:8], picked[13:15], picked[10]),
        short=doubled_axis(picked[8:10], picked[15:17], picked[11]),
        spread=np.exp(np.clip(picked[12], -5, 2) + np.clip(picked[11], -4, 4)) * UNIT,
        back=chances[2, rows, columns] / card[rows, columns],
        card=card[rows, columns],
    )
    return cells, np.asarray(chances[3], dtype=np.float64)


def explained(cells: Cells) -> float:
    """Number of cells that show a card and are sure which: tells the right scale to look at from a wrong one."""
    width = 2 * np.hypot(cells.short[:, 0], cells.short[:, 1])
    doubt = cells.spread / np.maximum(0.05 * width, 0.5)
    return float((cells.card / (1 + doubt**2)).sum())


def doubled_axis(twice: Floats, four_times: Floats, log_length: Floats) -> Floats:
    """(n, 2) length x (cos, sin) of twice the angle, px.

    The angle is the sharp one, taken of the two directions that it leaves open towards which `twice` points.
    """
    turn = np.arctan2(four_times[1], four_times[0]) / 2
    turn += np.where(np.cos(turn) * twice[0] + np.sin(turn) * twice[1] < 0, np.pi, 0.0)
    length = np.exp(np.clip(log_length, -4, 4)) * UNIT
    return np.column_stack([length * np.cos(turn), length * np.sin(turn)])


#: How far two cells' rectangles may differ and still be one card, as shares of the card's width: for cells that are
#: sure of themselves, and for those that are not.
AGREE, AGREE_MOST = 0.045, 0.22
#: Least visible part, as a share of a card's area, that makes a card.
LEAST_AREA = 0.018
#: More cards than this are not on a table: it is a chequered cloth. The surest come first.
MOST_CARDS = 300


def gather(cells: Cells, hands: Floats) -> Found:
    """Groups cells into cards: the surest cell first, with all that agree with it."""
    votes = _Votes.of(cells)
    width = votes.width
    free = np.ones(len(cells), dtype=bool)
    centres: list[Floats] = []
    reaches: list[float] = []
    order = np.argsort(cells.spread / np.maximum(width, 8))
    for seed in order:
        if not free[seed]:
            continue
        centre, members = _settle(votes, free, int(seed))
        free[seed] = False
        # cells that do not make a card together do not make several either
        free[members] = False
        if len(members) < 3 or len(members) * CELL**2 < LEAST_AREA * 1.4 * width[seed] ** 2:
            continue
        centres.append(centre)
        reaches.append(_reach(width[seed], _median(cells.spread[members])))
        if len(centres) == MOST_CARDS:
            break
    return _cards(cells, votes, _distinct(centres, reaches), hands)


def _median(values: Floats) -> float:
    """The median; for a few numbers many times faster than numpy's own."""
    ordered = np.sort(values)
    return float(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2


def _reach(width: float, spread: float) -> float:
    """px: how far apart cells of one card may be, given how sure they are."""
    return float(max(min(max(2.5 * spread, AGREE * width), AGREE_MOST * width), 2.2))


@dataclass(frozen=True, slots=True)
class _Votes:
    """The cells' votes, kept so that those near a place are soon found."""

    #: (n, 6): numbers in px whose distance says how far two rectangles differ.
    signature: Floats
    #: (n,) px: of the card, and how far off the vote is expected to be; (n,) what the vote counts.
    width: Floats
    spread: Floats
    weight: Floats
    #: (n,) cells from the left to the right by their votes for the middle, and these votes' x.
    by_x: NDArray[np.intp]
    x: Floats

    @classmethod
    def of(cls, cells: Cells) -> _Votes:
        """Of some cells."""
        signature = np.column_stack([cells.middle, cells.long * 0.5, cells.short * 0.5])
        width = 2 * np.hypot(cells.short[:, 0], cells.short[:, 1])
        by_x = np.argsort(signature[:, 0], kind="stable")
        weight = 1 / (cells.spread + 0.5) ** 2
        return cls(signature, width, cells.spread, weight, by_x, signature[by_x, 0])

    def near(self, x: float, reach: float) -> NDArray[np.intp]:
        """Cells whose votes for the middle lie at most `reach` px to the left or right of `x`."""
        return self.by_x[self.x.searchsorted(x - reach) : self.x.searchsorted(x + reach, side="right")]


def _settle(votes: _Votes, free: NDArray[np.bool_], seed: int) -> tuple[Floats, NDArray[np.intp]]:
    """Mean shift from one cell: (6,) mean of the free cells that agree, and which these are."""
    centre = votes.signature[seed]
    reach = _reach(float(votes.width[seed]), float(votes.spread[seed]))
    near = votes.near(float(centre[0]), 2.5 * reach)
    near = near[free[near]]
    theirs = votes.signature[near]
    away = np.abs(theirs[:, :2] - centre[:2]) <= 2.5 * reach
    inside = np.flatnonzero(away[:, 0] & away[:, 1])
    near, theirs = near[inside], theirs[inside]
    weights = votes.weight[near]
    chosen = np.ones(len(near), dtype=bool)
    for _ in range(4):
        apart = theirs - centre
        chosen = np.einsum("ij,ij->i", apart, apart) < reach**2
        if not chosen.any():
            break
        weight = weights[chosen]
        centre = weight @ theirs[chosen] / weight.sum()
    return centre, near[chosen]


def _distinct(centres: list[Floats], reaches: list[float]) -> Floats:
    """Drops a card that is as good as the same as an earlier one."""
    kept = np.zeros((len(centres), 6))
    count = 0
    for centre, reach in zip(centres, reaches, strict=True):
        if (np.linalg.norm(kept[:count] - centre, axis=1) > reach).all():
            kept[count] = centre
            count += 1
    return kept[:count]


def _cards(cells: Cells, votes: _Votes, centres: Floats, hands: Floats) -> Found:
    owner = _owners(votes, centres)
    middle: list[Floats] = []
    long: list[Floats] = []
    short: list[Floats] = []
    back: list[float] = []
    evidence: list[tuple[float, float, float]] = []
    support: list[float] = []
    renumber = np.full(len(centres), -1)
    for number, rows in enumerate(_of_each(owner, len(centres))):
        card_width = _median(votes.width[rows]) if len(rows) else np.inf
        if len(rows) < 3 or len(rows) * CELL**2 < LEAST_AREA * 1.4 * card_width**2:
            continue
        weight = votes.weight[rows] / votes.weight[rows].sum()
        mean = weight @ votes.signature[rows]
        off = float(np.sqrt(weight @ ((votes.signature[rows, :2] - mean[:2]) ** 2).sum(axis=1)))
        renumber[number] = len(middle)
        middle.append(mean[:2])
        long.append(_halved(mean[2:4] * 2))
        short.append(_halved(mean[4:6] * 2))
        back.append(float(cells.back[rows].mean()))
        doubt = _median(cells.spread[rows]) / card_width
        evidence.append((float(cells.card[rows].mean()), off / card_width, doubt))
        support.append(float(len(rows)))
    shown = np.where(owner >= 0, renumber[owner], -1) if len(centres) else np.full(len(cells), -1)
    return Found(
        middle=np.array(middle).reshape(-1, 2),
        long=np.array(long).reshape(-1, 2),
        short=_facing(np.array(long).reshape(-1, 2), np.array(short).reshape(-1, 2)),
        back=np.array(back),
        confidence=np.array([e[0] for e in evidence]),
        evidence=np.array(evidence).reshape(-1, 3),
        support=np.array(support),
        cells_at=cells.at[shown >= 0],
        cells_card=shown[shown >= 0],
        loose=cells.at[(shown < 0) & (cells.back > 0.5)],
        hands=outlines(hands, CELL),
    )


def _owners(votes: _Votes, centres: Floats) -> NDArray[np.intp]:
    """(n,) number of the card that each cell is nearest to, -1 where none is near."""
    owner = np.full(len(votes.width), -1)
    best = np.maximum(0.7 * AGREE_MOST * votes.width, 4.0) ** 2
    most = float(np.sqrt(best.max(initial=0.0)))
    for number, centre in enumerate(centres):
        near = votes.near(float(centre[0]), most)
        apart = votes.signature[near] - centre
        square = np.einsum("ij,ij->i", apart, apart)
        nearer = square < best[near]
        owner[near[nearer]], best[near[nearer]] = number, square[nearer]
    return owner


def _of_each(owner: NDArray[np.intp], count: int) -> list[NDArray[np.intp]]:
    """The cells of each of `count` cards, in order."""
    ordered = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[ordered], np.arange(count + 1))
    return [ordered[a:b] for a, b in pairwise(first)]


def _halved(doubled: Floats) -> Floats:
    """(2,) vector with half the angle."""
    length, angle = float(np.hypot(*doubled)), float(np.arctan2(doubled[1], doubled[0])) / 2
    return np.array([length * np.cos(angle), length * np.sin(angle)])


def _facing(long: Floats, short: Floats) -> Floats:
    """Short axes turned so that the corners run clockwise in the picture."""
    cross = long[:, 0] * short[:, 1] - long[:, 1] * short[:, 0]
    return np.asarray(short * np.where(cross > 0, -1.0, 1.0)[:, None])


def _scaled(found: Found, x: float, y: float) -> Found:
    by = np.array([x, y])
    for name in ("middle", "long", "short", "cells_at", "loose"):
        setattr(found, name, getattr(found, name) * by)
    found.hands = [(outline * by, confidence) for outline, confidence in found.hands]
    found.cell_px *= float(np.sqrt(x * y))
    return found
