"""Whole decks out of nothing: any alphabet, size, layout, suit signs, inks and courts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks.backs import procedural_back
from datasets.decks.build import DONE
from datasets.decks.courts import (
    Inks,
    donor_art,
    emblem,
    figure,
    frame_line,
    place,
    random_inks,
    usable_donor,
)
from datasets.decks.glyphs import Alphabet, Rank, font_alphabets, own_alphabet, set_rank
from datasets.decks.manifest import Split
from datasets.decks.ornament import MM, SUPER, Mask, Pen, rosette
from datasets.decks.raster import Pixels
from datasets.decks.store import (
    FIRST_SEED,
    Deck,
    DeckInfo,
    as_card,
    drawn_deck_folder,
    list_decks,
    load_deck,
    write_png,
)
from datasets.decks.suits import Sign, signs

Generator = np.random.Generator
Colour = NDArray[np.float32]
Faces = Mapping[str, Pixels]

#: Bump when decks come out differently, so that caches are drawn anew.
VERSION = 2
RANKS = "A23456789TJQK"
SUITS = "SHDC"
_WIDTH, _HEIGHT = 252 * SUPER, 352 * SUPER

#: Eight pips in four rows: part of nine and ten, and of some eights.
_FOUR_ROWS = [(x, y) for y in (-1.0, -1 / 3, 1 / 3, 1.0) for x in (-1.0, 1.0)]
#: Where the pips of each rank lie: column -1, 0, 1 and row -1 (top) to 1.
_PIPS: dict[str, list[tuple[float, float]]] = {
    "2": [(0, -1), (0, 1)],
    "3": [(0, -1), (0, 0), (0, 1)],
    "4": [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    "5": [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    "6": [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
    "7": [(-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (-1, 1), (1, 1)],
    "8": [(-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (0, 0.5), (-1, 1), (1, 1)],
    "9": [*_FOUR_ROWS, (0, 0)],
    "T": [*_FOUR_ROWS, (0, -2 / 3), (0, 2 / 3)],
}

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
    height = share * _WIDTH
    narrow = rng.uniform(0.62, 1.0)
    slant = rng.uniform(0.0, 0.2) if rng.random() < 0.08 else 0.0
    ranks = {rank: set_rank(alphabet, rank, height, narrow, slant, rng.uniform(0, 1.5)) for rank in RANKS}
    broadest = max(ranks[rank].width for rank in "23456789TJQK")
    if broadest > 0.24 * _WIDTH:
        narrow *= 0.24 * _WIDTH / broadest
        ranks = {rank: set_rank(alphabet, rank, height, narrow, slant) for rank in RANKS}
        broadest = max(rank.width for rank in ranks.values())
    suit_signs = signs(rng)
    small = float(np.clip(height * rng.uniform(0.55, 1.0), 0.09 * _WIDTH, 0.24 * _WIDTH))
    margin = rng.uniform(1.4, 4.0) * MM, rng.uniform(2.0, 5.0) * MM
    beside = rng.random() < 0.07 and share < 0.2
    index_width = broadest + 1.15 * small if beside else max(broadest, small)
    pip = rng.uniform(0.13, 0.23) * _WIDTH
    index_right = margin[0] + index_width
    room = _WIDTH / 2 - index_right - 0.5 * pip
    pip_column = min(rng.uniform(0.2, 0.26) * _WIDTH, max(room, 0.13 * _WIDTH))
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
        corners=4 if rng.random() < 0.2 else 2,
        pip=pip,
        pip_column=pip_column,
        pip_row=rng.uniform(0.31, 0.37) * _HEIGHT,
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


def _half_turn(mask: Mask) -> Mask:
    return np.maximum(mask, mask[::-1, ::-1])


def _index(style: Style, face: str) -> Mask:
    """The indices of a face in all their corners."""
    mask = np.zeros((_HEIGHT, _WIDTH), np.uint8)
    pen = Pen(mask)
    rank, sign = style.ranks[face[0]], style.signs[face[1]]
    top = style.margin[1]
    if style.beside:
        rank.draw(pen, style.margin[0], top)
        sign.draw(
            pen,
            style.margin[0] + rank.width + 0.55 * style.small_sign,
            top + rank.height / 2,
            style.small_sign,
        )
    else:
        rank.draw(pen, style.column - rank.width / 2, top)
        middle = top + max(rank.height, style.ranks["K"].height) + 0.62 * style.small_sign
        sign.draw(pen, style.column, middle, style.small_sign)
    if style.corners == 4:
        corner = mask[: _HEIGHT // 2, : _WIDTH // 2].copy()
        shift = round(2 * (_WIDTH / 2 - style.column))
        mask[: _HEIGHT // 2] = np.maximum(mask[: _HEIGHT // 2], np.roll(_widened(corner), shift, axis=1))
    return _half_turn(mask)


def _widened(corner: Mask) -> Mask:
    whole = np.zeros((corner.shape[0], _WIDTH), np.uint8)
    whole[:, : corner.shape[1]] = corner
    return whole


def _enlarged(rank: Rank, factor: float) -> Rank:
    lines = [line * factor for line in rank.lines]
    return Rank(lines, rank.width * factor, rank.height * factor, rank.stroke * factor)


def _pips(style: Style, face: str, mask: Mask) -> None:
    """The pips of a number card."""
    pen, sign = Pen(mask), style.signs[face[1]]
    middle = _WIDTH / 2, _HEIGHT / 2
    if style.numbers == "sign":
        sign.draw(pen, *middle, 0.45 * _WIDTH)
        return
    if style.numbers == "letter":
        rank = style.ranks[face[0]]
        large = _enlarged(rank, min(0.33 * _HEIGHT / rank.height, 0.5 * _WIDTH / rank.width))
        large.draw(pen, middle[0] - large.width / 2, middle[1] - large.height - 0.03 * _HEIGHT)
        np.maximum(mask, mask[::-1, ::-1].copy(), out=mask)  # twice, or a turned 6 would show a 9
        return
    places = _FOUR_ROWS if face[0] == "8" and style.eight_in_rows else _PIPS[face[0]]
    for column, row in places:
        x, y = middle[0] + column * style.pip_column, middle[1] + row * style.pip_row
        sign.draw(pen, x, y, style.pip, turned=row > 0)


def _ace(style: Style, face: str, mask: Mask) -> None:
    pen, sign = Pen(mask), style.signs[face[1]]
    x, y = _WIDTH / 2, _HEIGHT / 2
    large = style.ace if face != "AS" or style.ace > 1 else 1.6
    size = min(style.pip * large, 0.62 * _WIDTH)
    sign.draw(pen, x, y, size)
    if style.ornate and size > 0.25 * _WIDTH:
        rng = np.random.default_rng(style.seed)
        sign.draw(pen, x, y, 0.82 * size, ink=0, width=3)
        rosette(rng, pen, x, y + 0.05 * size, 0.16 * size, 1.0, 0)
    elif style.ornate:
        ring = np.zeros_like(mask)
        rosette(np.random.default_rng(style.seed), Pen(ring), x, y, 0.26 * _WIDTH)
        cv2.circle(ring, (round(x), round(y)), round(0.62 * size), 0, -1)
        np.maximum(mask, ring, out=mask)


def _court(style: Style, face: str, canvas: Pixels, donor: Faces | None) -> Mask:
    """Paint the court into the canvas; returns what its suit's ink adds."""
    mask = np.zeros((_HEIGHT, _WIDTH), np.uint8)
    pen, sign = Pen(mask), style.signs[face[1]]
    left = round(max(0.15 * _WIDTH, min(style.column * 2 + 6, 0.27 * _WIDTH)))
    top = round(0.085 * _HEIGHT)
    box = left, top, _WIDTH - left, _HEIGHT - top
    width, height = box[2] - box[0], box[3] - box[1]
    ink = style.inks[face[1]]
    rng = np.random.default_rng([style.seed, RANKS.index(face[0]), SUITS.index(face[1])])
    if style.courts == "donor" and donor is not None:
        place(canvas, donor_art(donor[face], style.court_inks), box)
    elif style.courts == "letter":
        rank = style.ranks[face[0]]
        large = _enlarged(rank, min(0.55 * _HEIGHT / rank.height, 0.5 * _WIDTH / rank.width))
        large.draw(pen, _WIDTH / 2 - large.width / 2, _HEIGHT / 2 - large.height / 2)
        return mask
    elif style.courts == "sign":
        sign.draw(pen, _WIDTH / 2, _HEIGHT / 2, 0.5 * _WIDTH)
        return mask
    elif style.courts == "emblem":
        place(
            canvas,
            emblem(np.random.default_rng([style.seed, RANKS.index(face[0])]), face[0], width, height, ink),
            box,
        )
        return mask
    else:
        place(canvas, figure(rng, face[0], width, height), box)
        inset = 0.09 * _WIDTH
        sign.draw(pen, left + inset, top + inset, 0.7 * style.pip)
        mask = _half_turn(mask)
    if style.framed:
        frame_line(canvas, box, style.inks["S"] if style.seed % 2 else ink, 1.5)
    return mask


def draw_face(style: Style, face: str, donor: Faces | None = None) -> Pixels:
    """One face ("QS") in a style: (352, 252, 3) BGR."""
    canvas = np.empty((_HEIGHT, _WIDTH, 3), np.uint8)
    canvas[:] = style.paper
    if face[0] in "JQK":
        mask = _court(style, face, canvas, donor)
    else:
        mask = np.zeros((_HEIGHT, _WIDTH), np.uint8)
        _ace(style, face, mask) if face[0] == "A" else _pips(style, face, mask)
    mask = np.maximum(mask, _index(style, face))
    ink = style.inks[face[1]]
    if style.edge_line:
        inset = round(style.edge_line)
        frame_line(canvas, (inset, inset, _WIDTH - 1 - inset, _HEIGHT - 1 - inset), ink, 1.2)
    size = (_WIDTH // SUPER, _HEIGHT // SUPER)
    share = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)[..., None].astype(np.float32) / 255
    under = cv2.resize(canvas, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    card = under * (1 - share) + ink * share
    if style.border:
        edge = round(style.border / SUPER)
        rim = np.ones(card.shape[:2], bool)
        rim[edge:-edge, edge:-edge] = False
        card[rim] = style.inks["S"]
    return np.asarray(np.clip(card + 0.5, 0, 255), dtype=np.uint8)


def draw_faces(
    rng: Generator, alphabets: Sequence[Alphabet] = (), donors: Sequence[Faces] = ()
) -> dict[str, Pixels]:
    """The 52 faces of a new deck as BGR art; `donors` are decks whose courts may be borrowed."""
    donor = donors[int(rng.integers(0, len(donors)))] if donors else None
    style = random_style(rng, alphabets, donor is not None)
    return {rank + suit: draw_face(style, rank + suit, donor) for suit in SUITS for rank in RANKS}


def procedural_deck(rng: Generator, alphabets: Sequence[Alphabet] = (), donors: Sequence[Faces] = ()) -> Deck:
    """A deck that no printer ever made, with a back of its own; the same for the same generator.

    `alphabets` come from `font_alphabets`; without them indices are strokes of our own. `donors` lend courts.
    """
    faces = {name: as_card(art) for name, art in draw_faces(rng, alphabets, donors).items()}
    info = DeckInfo("drawn", "P", "train", "AGPL-3.0-or-later", not donors)
    return Deck(info, faces, procedural_back(rng))


#: Decks that lend their courts: families whose courts carry Latin letters or none inside their frames.
_DONOR_FAMILIES = "ABCG"
_NO_DONORS = {"simplistic"}


@cache
def _donors(root: Path) -> tuple[Faces, ...]:
    names = [info.name for info in list_decks("train") if info.family in _DONOR_FAMILIES]
    built = (load_deck(name).faces for name in names if name not in _NO_DONORS)
    return tuple(faces for faces in built if usable_donor(faces))


def store_deck(root: Path, split: Split, index: int) -> None:
    """Draw deck `index` of a split into the cache unless it is there; wants art and alphabets there."""
    folder = drawn_deck_folder(root, split, index)
    done, stamp = folder / DONE, json.dumps({"version": VERSION})
    if done.exists() and done.read_text(encoding="utf-8") == stamp:
        return
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([4, FIRST_SEED[split] + index])
    for name, art in draw_faces(rng, font_alphabets(root), _donors(root)).items():
        write_png(folder / f"{name}.png", art)
    write_png(folder / "back.png", np.ascontiguousarray(procedural_back(rng)[..., :3]))
    done.write_text(stamp, encoding="utf-8")
