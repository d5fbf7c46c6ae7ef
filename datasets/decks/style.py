"""What the cards of one drawn deck share, drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks.courts import Inks, random_inks
from datasets.decks.glyphs import Alphabet, Rank, own_alphabet, set_rank
from datasets.decks.pen import MM, SUPER
from datasets.decks.suits import Sign, signs

Generator = np.random.Generator
Colour = NDArray[np.float32]

RANKS = "A23456789TJQK"
SUITS = "SHDC"
#: The size of the mask that a card is drawn in, px.
WIDTH, HEIGHT = 252 * SUPER, 352 * SUPER

Courts = Literal["donor", "figure", "letter", "emblem", "sign"]
Numbers = Literal["pips", "sign", "letter"]


@dataclass(frozen=True, slots=True)
class Style:
    """Everything that the cards of one deck share; lengths in px of a mask (8 a mm)."""

    ranks: Mapping[str, Rank]
    signs: Mapping[str, Sign]
    inks: Mapping[str, Colour]
    paper: Colour
    #: From the card's edge to the index, and its column's middle.
    margin: tuple[float, float]
    column: float
    small_sign: float
    beside: bool
    corners: int
    pip: float
    pip_column: float
    pip_row: float
    eight_in_rows: bool
    numbers: Numbers
    ace: float
    ornate: bool
    courts: Courts
    court_inks: Inks
    framed: bool
    border: float
    #: A line or ornament of its own around every card, or none.
    edge_line: float
    seed: int


def _ink(hue: float, saturation: float, value: float) -> Colour:
    pixel = np.array([[[hue % 360, np.clip(saturation, 0, 1), np.clip(value, 0, 1)]]], np.float32)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0] * 255, np.float32)


def _suit_inks(rng: Generator) -> dict[str, Colour]:
    red = _ink(rng.normal(356, 7), rng.uniform(0.72, 1), rng.uniform(0.6, 0.95))
    black = _ink(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.0, 0.24))
    if rng.random() < 0.68:
        return {"S": black, "H": red, "D": red, "C": black}
    blue = _ink(rng.normal(215, 12), rng.uniform(0.6, 1), rng.uniform(0.5, 0.95))
    green = _ink(rng.normal(135, 15), rng.uniform(0.6, 1), rng.uniform(0.3, 0.65))
    orange = _ink(rng.normal(35, 8), rng.uniform(0.75, 1), rng.uniform(0.75, 0.98))
    diamond = blue if rng.random() < 0.6 else orange
    spade = black if diamond is blue or rng.random() < 0.6 else blue
    return {"S": spade, "H": red, "D": diamond, "C": green}


def _paper(rng: Generator) -> Colour:
    if rng.random() < 0.85:
        return np.full(3, 255, np.float32)
    return _ink(
        rng.uniform(20, 70) if rng.random() < 0.7 else rng.uniform(0, 360), rng.uniform(0.02, 0.2), 0.97
    )


def random_style(rng: Generator, alphabets: Sequence[Alphabet], with_donor: bool) -> Style:
    """Draw a style; `alphabets` from fonts are mixed with strokes of our own."""
    own = not alphabets or rng.random() < 0.15
    alphabet = own_alphabet(rng) if own else alphabets[int(rng.integers(0, len(alphabets)))]
    share = rng.uniform(0.12, 0.2) if rng.random() < 0.72 else rng.uniform(0.2, 0.3)
    height = share * WIDTH
    narrow = rng.uniform(0.62, 1.0)
    slant = rng.uniform(0.0, 0.2) if rng.random() < 0.08 else 0.0
    ranks = {rank: set_rank(alphabet, rank, height, narrow, slant, rng.uniform(0, 1.5)) for rank in RANKS}
    broadest = max(ranks[rank].width for rank in "23456789TJQK")
    if broadest > 0.24 * WIDTH:
        narrow *= 0.24 * WIDTH / broadest
        ranks = {rank: set_rank(alphabet, rank, height, narrow, slant) for rank in RANKS}
        broadest = max(rank.width for rank in ranks.values())
    suit_signs = signs(rng)
    small = float(np.clip(height * rng.uniform(0.55, 1.0), 0.09 * WIDTH, 0.24 * WIDTH))
    margin = rng.uniform(1.4, 4.0) * MM, rng.uniform(2.0, 5.0) * MM
    beside = rng.random() < 0.07 and share < 0.2
    index_width = broadest + 1.15 * small if beside else max(broadest, small)
    pip = rng.uniform(0.13, 0.23) * WIDTH
    index_right = margin[0] + index_width
    room = WIDTH / 2 - index_right - 0.5 * pip
    pip_column = min(rng.uniform(0.2, 0.26) * WIDTH, max(room, 0.13 * WIDTH))
    pip = min(pip, 1.05 * pip_column)
    courts: list[Courts] = ["donor", "figure", "letter", "emblem", "sign"]
    shares = np.array([0.62 if with_donor else 0.0, 0.18, 0.08, 0.06, 0.06])
    numbers: list[Numbers] = ["pips", "sign", "letter"]
    return Style(
        ranks=ranks,
        signs=suit_signs,
        inks=_suit_inks(rng),
        paper=_paper(rng),
        margin=margin,
        column=margin[0] + max(broadest, small) / 2,
        small_sign=small,
        beside=beside,
        corners=4 if rng.random() < 0.2 and not beside else 2,
        pip=pip,
        pip_column=pip_column,
        pip_row=rng.uniform(0.31, 0.37) * HEIGHT,
        eight_in_rows=rng.random() < 0.25,
        numbers=str(rng.choice(numbers, p=[0.86, 0.08, 0.06])),  # type: ignore[arg-type]
        ace=rng.choice([1.0, rng.uniform(1.3, 2.5), rng.uniform(2.5, 3.6)], p=[0.4, 0.4, 0.2]),
        ornate=rng.random() < 0.3,
        courts=str(rng.choice(courts, p=shares / shares.sum())),  # type: ignore[arg-type]
        court_inks=random_inks(rng),
        framed=rng.random() < 0.6,
        border=rng.uniform(1, 3) * MM if rng.random() < 0.05 else 0.0,
        edge_line=rng.uniform(2, 4.5) * MM if rng.random() < 0.08 else 0.0,
        seed=int(rng.integers(2**31)),
    )
