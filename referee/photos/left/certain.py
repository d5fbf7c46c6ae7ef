"""How likely the number of cards that was counted of a left-over pile is exact.

As with decks (`referee/photos/certain.py`) the figures are numbers of cards by which the count may be off; the number it
is off by is taken for a Poisson variable with their weighted sum as its mean. The weights stand in `certain.toml` with
what they were fitted to; `scripts/calibrate/piles.py` fits them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from referee.photos.evidence import LEAST, MOST, Floats
from referee.photos.requests import covered
from vision.layout import Layout
from vision.photos.merging import MergedCard

#: A card of a fan that is none with no more than this is as good as one.
SURELY = 0.1
#: Cards of a fan lie so evenly that a step of more, or of less, times the usual one may hide a card, or be one too many;
#: one of fewer steps has no usual one, and of two the smaller is.
WIDE, NARROW, LEAST_STEPS = 1.6, 0.45, 2
#: Names of the figures, in the order of a row.
FIGURES = (
    "hardly cards",
    "hardly none",
    "wide steps",
    "narrow steps",
    "unread faces",
    "tenths hidden by hands",
    "other sides",
    "backs",
    "cards",
    "a pile",
)


def exact(figures: Floats) -> float:
    """That a count of these (n,) figures is exact."""
    return float(np.exp(-(figures @ _weights()[0])))


def bound() -> float:
    """From which chance on the number of a pile is sure."""
    return _weights()[1]


@cache
def _weights() -> tuple[Floats, float]:
    told = tomllib.loads(files("referee.photos.left").joinpath("certain.toml").read_text("utf-8"))
    return np.array([float(told[name]) for name in FIGURES]), float(told["bound"])


def figures_of(cards: Sequence[MergedCard], layouts: Mapping[int, Layout]) -> Floats:
    """(n,) what is known of a pile, whose `cards` the photos show; none below 0."""
    views = [card.of or (card.card,) for card in cards if not card.card.told]
    none = [float(np.prod([1 - np.clip(view.confidence, LEAST, MOST) for view in seen])) for seen in views]
    faces = [card.card for card in cards if card.card.side == "face" and not card.card.told]
    backs = sum(card.card.side == "back" for card in cards)
    wide, narrow = _uneven([card.card.centre for card in cards])
    row = {
        "hardly cards": sum(max(0.0, chance - SURELY) for chance in none),
        "hardly none": sum(one.chance for layout in layouts.values() for one in layout.doubted)
        / len(layouts),
        "wide steps": float(wide),
        "narrow steps": float(narrow),
        "unread faces": sum(1 - card.face_confidence for card in faces),
        "tenths hidden by hands": 10 * min(map(covered, layouts.values())),
        "other sides": float(min(backs, len(cards) - backs)),
        "backs": float(backs),
        "cards": float(len(cards)),
        "a pile": 1.0,
    }
    return np.array([row[name] for name in FIGURES])


def _uneven(centres: Sequence[Floats]) -> tuple[int, int]:
    """How many steps from card to card are much wider than the usual one, and how many much narrower."""
    if len(centres) <= LEAST_STEPS:
        return 0, 0
    points = np.array(centres)
    along = np.linalg.svd(points - points.mean(axis=0))[2][0]
    steps = np.linalg.norm(np.diff(points[np.argsort(points @ along)], axis=0), axis=1)
    usual = float(np.sort(steps)[(len(steps) - 1) // 2])
    return int((steps > WIDE * usual).sum()), int((steps < NARROW * usual).sum())
