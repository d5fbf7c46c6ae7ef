"""Finds whole cards and hands: every cell of the picture votes, the votes of one card agree.

The network (models/finder.md) says for each cell of 4 px whether a face, a back or a hand lies on top there and,
for cards, where the middle and the two half axes of the whole card are. Cells whose rectangles agree are one card;
what a card's cells cover is its visible part. So a strip of 6 mm is enough, and nothing has to be suppressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

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


#: What `Found` has one row a card of.
_OF_CARDS = ("middle", "long", "short", "back", "confidence", "support", "evidence", "given", "edged", "real")


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
    hands: list[tuple[Floats, float]]
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
    #: (k, 2) px: cells that show a back and agree with no card.
    loose: Floats = field(default_factory=lambda: np.zeros((0, 2)))

    def __post_init__(self) -> None:
        for name in ("given", "edged", "real"):
            if len(getattr(self, name)) != len(self.middle):
                setattr(self, name, np.full(len(self.middle), np.nan))

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

    def width(self) -> float:
        """Median length of the short side, px; 0 without cards."""
        return float(2 * np.median(np.linalg.norm(self.short, axis=1))) if len(self) else 0.0


class Finder:
    """The network with its decoding."""

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        self._session = open_model("finder.onnx", model, threads)

    def find(self, image: Pixels, scale: float = 1.0) -> Found:
        """Cards of `image` ((H, W, 3) BGR), looked at when resized by `scale`; results in px of `image`."""
        size = (max(GRAIN, round(image.shape[1] * scale)), max(GRAIN, round(image.shape[0] * scale)))
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        view = image if size == image.shape[1::-1] else _resized(image, size, how)
        output = self._run(view)
        cells, hands = read_cells(output)
        found = gather(cells, hands)
        found.explained = explained(cells) / output[0].size
        found.pure = explained(cells) / max(len(cells), 1)
        return _scaled(found, image.shape[1] / size[0], image.shape[0] / size[1])

    def _run(self, view: Pixels) -> Floats:
        rows, columns = view.shape[:2]
        padding = ((0, -rows % GRAIN), (0, -columns % GRAIN), (0, 0))
        batch = np.pad(view, padding, mode="edge").transpose(2, 0, 1)[None].astype(np.float32) / 255
        (output,) = self._session.run(None, {"image": batch})
        return np.asarray(output[0, :, : -(-rows // CELL), : -(-columns // CELL)], dtype=np.float64)


def _resized(image: Pixels, size: tuple[int, int], how: int) -> Pixels:
    return np.asarray(cv2.resize(image, size, interpolation=how), dtype=np.uint8)


def read_cells(output: Floats) -> tuple[Cells, NDArray[np.bool_]]:
    """The cells that show cards, and a map of those that show hands, from the network's (18, h, w)."""
    logits = output[:4] - output[:4].max(axis=0)
    chances = np.exp(logits)
    chances /= chances.sum(axis=0)
    card = chances[1] + chances[2]
    rows, columns = np.nonzero(card > 0.5)
    at = np.column_stack([columns, rows]) * CELL + CELL / 2
    picked = output[:, rows, columns]
    cells = Cells(
        at=at.astype(np.float64),
        middle=at + picked[4:6].T * UNIT,
        long=doubled_axis(picked[6:8], picked[13:15], picked[10]),
        short=doubled_axis(picked[8:10], picked[15:17], picked[11]),
        spread=np.exp(np.clip(picked[12], -5, 2) + np.clip(picked[11], -4, 4)) * UNIT,
        back=chances[2, rows, columns] / card[rows, columns],
        card=card[rows, columns],
    )
    return cells, chances[3] > 0.5


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


def gather(cells: Cells, hands: NDArray[np.bool_]) -> Found:
    """Groups cells into cards: the surest cell first, with all that agree with it."""
    signature = _signature(cells)
    width = 2 * np.hypot(cells.short[:, 0], cells.short[:, 1])
    free = np.ones(len(cells), dtype=bool)
    centres: list[Floats] = []
    reaches: list[float] = []
    order = np.argsort(cells.spread / np.maximum(width, 8))
    for seed in order:
        if not free[seed]:
            continue
        centre, members = _settle(signature, cells, width, free, int(seed))
        free[seed] = False
        # cells that do not make a card together do not make several either
        free[members] = False
        if len(members) < 3 or len(members) * CELL**2 < LEAST_AREA * 1.4 * width[seed] ** 2:
            continue
        centres.append(centre)
        reaches.append(_reach(width[seed], _median(cells.spread[members])))
        if len(centres) == MOST_CARDS:
            break
    return _cards(cells, signature, width, _distinct(centres, reaches), hands)


def _median(values: Floats) -> float:
    """The median; for a few numbers many times faster than numpy's own."""
    ordered = np.sort(values)
    return float(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2


def _reach(width: float, spread: float) -> float:
    """px: how far apart cells of one card may be, given how sure they are."""
    return float(max(np.clip(2.5 * spread, AGREE * width, AGREE_MOST * width), 2.2))


def _signature(cells: Cells) -> Floats:
    """(n, 6): numbers in px whose distance says how far two rectangles differ."""
    return np.column_stack([cells.middle, cells.long * 0.5, cells.short * 0.5])


def _settle(
    signature: Floats, cells: Cells, width: Floats, free: NDArray[np.bool_], seed: int
) -> tuple[Floats, NDArray[np.intp]]:
    """Mean shift from one cell: (6,) mean of the free cells that agree, and which these are."""
    reach = _reach(width[seed], cells.spread[seed])
    away = np.abs(cells.middle - cells.middle[seed]) <= 2.5 * reach
    near = np.flatnonzero(away[:, 0] & away[:, 1] & free)
    theirs, weights = signature[near], 1 / (cells.spread[near] + 0.5) ** 2
    centre = signature[seed]
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
    kept: list[Floats] = []
    for centre, reach in zip(centres, reaches, strict=True):
        if all(np.linalg.norm(centre - other) > reach for other in kept):
            kept.append(centre)
    return np.array(kept).reshape(-1, 6)


def _cards(
    cells: Cells, signature: Floats, width: Floats, centres: Floats, hands: NDArray[np.bool_]
) -> Found:
    owner = _owners(signature, width, centres)
    middle: list[Floats] = []
    long: list[Floats] = []
    short: list[Floats] = []
    back: list[float] = []
    evidence: list[tuple[float, float, float]] = []
    support: list[float] = []
    renumber = np.full(len(centres), -1)
    for number in range(len(centres)):
        rows = np.flatnonzero(owner == number)
        area = 1.4 * _median(width[rows]) ** 2 if len(rows) else np.inf
        if len(rows) < 3 or len(rows) * CELL**2 < LEAST_AREA * area:
            continue
        weight = 1 / (cells.spread[rows] + 0.5) ** 2
        weight /= weight.sum()
        mean = weight @ signature[rows]
        off = float(np.sqrt(weight @ ((signature[rows, :2] - mean[:2]) ** 2).sum(axis=1)))
        renumber[number] = len(middle)
        middle.append(mean[:2])
        long.append(_halved(mean[2:4] * 2))
        short.append(_halved(mean[4:6] * 2))
        back.append(float(cells.back[rows].mean()))
        card_width = _median(width[rows])
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
        hands=_hands(hands),
    )


def _owners(signature: Floats, width: Floats, centres: Floats) -> NDArray[np.intp]:
    """(n,) number of the card that each cell is nearest to, -1 where none is near."""
    owner = np.full(len(signature), -1)
    best = np.full(len(signature), np.inf)
    limit = np.maximum(0.7 * AGREE_MOST * width, 4.0)
    for number, centre in enumerate(centres):
        apart = signature - centre
        distance = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        nearer = (distance < best) & (distance < limit)
        owner[nearer], best[nearer] = number, distance[nearer]
    return owner


def _halved(doubled: Floats) -> Floats:
    """(2,) vector with half the angle."""
    length, angle = float(np.hypot(*doubled)), float(np.arctan2(doubled[1], doubled[0])) / 2
    return np.array([length * np.cos(angle), length * np.sin(angle)])


def _facing(long: Floats, short: Floats) -> Floats:
    """Short axes turned so that the corners run clockwise in the picture."""
    cross = long[:, 0] * short[:, 1] - long[:, 1] * short[:, 0]
    return np.asarray(short * np.where(cross > 0, -1.0, 1.0)[:, None])


def _hands(shown: NDArray[np.bool_]) -> list[tuple[Floats, float]]:
    contours, _ = cv2.findContours(shown.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [
        (contour[:, 0].astype(np.float64) * CELL + CELL / 2, 0.9)
        for contour in contours
        if cv2.contourArea(contour) >= 12
    ]


def _scaled(found: Found, x: float, y: float) -> Found:
    by = np.array([x, y])
    for name in ("middle", "long", "short", "cells_at", "loose"):
        setattr(found, name, getattr(found, name) * by)
    found.hands = [(outline * by, confidence) for outline, confidence in found.hands]
    found.cell_px *= float(np.sqrt(x * y))
    return found


def merge_hands(hands: Sequence[tuple[Floats, float]], least_px: float) -> list[tuple[Floats, float]]:
    """Hands without the crumbs: outlines whose larger extent is at least `least_px`."""
    return [(o, c) for o, c in hands if float((o.max(axis=0) - o.min(axis=0)).max()) >= least_px]
