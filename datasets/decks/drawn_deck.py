"""Whole decks out of nothing: any alphabet, size, layout, suit signs, inks and courts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.backs import procedural_back
from datasets.decks.build import DONE
from datasets.decks.courts import (
    donor_art,
    emblem,
    figure,
    frame_line,
    place,
    usable_donor,
)
from datasets.decks.glyphs import Alphabet, Rank, font_alphabets
from datasets.decks.manifest import Split
from datasets.decks.ornament import rosette
from datasets.decks.pen import SUPER, Mask, Pen
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
from datasets.decks.style import HEIGHT, RANKS, SUITS, WIDTH, Style, random_style
from datasets.files import put

Generator = np.random.Generator
Faces = Mapping[str, Pixels]

#: Bump when decks come out differently, so that caches are drawn anew.
VERSION = 4

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


def _half_turn(mask: Mask) -> Mask:
    return np.maximum(mask, mask[::-1, ::-1])


def _index(style: Style, face: str) -> Mask:
    """The indices of a face in all their corners."""
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
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
        corner = mask[: HEIGHT // 2, : WIDTH // 2].copy()
        shift = round(2 * (WIDTH / 2 - style.column))
        mask[: HEIGHT // 2] = np.maximum(mask[: HEIGHT // 2], np.roll(_widened(corner), shift, axis=1))
    return _half_turn(mask)


def _widened(corner: Mask) -> Mask:
    whole = np.zeros((corner.shape[0], WIDTH), np.uint8)
    whole[:, : corner.shape[1]] = corner
    return whole


def _enlarged(rank: Rank, factor: float) -> Rank:
    lines = [line * factor for line in rank.lines]
    return Rank(lines, rank.width * factor, rank.height * factor, rank.stroke * factor)


def _pips(style: Style, face: str, mask: Mask) -> None:
    """The pips of a number card."""
    pen, sign = Pen(mask), style.signs[face[1]]
    middle = WIDTH / 2, HEIGHT / 2
    if style.numbers == "sign":
        sign.draw(pen, *middle, 0.45 * WIDTH)
        return
    if style.numbers == "letter":
        rank = style.ranks[face[0]]
        large = _enlarged(rank, min(0.33 * HEIGHT / rank.height, 0.5 * WIDTH / rank.width))
        large.draw(pen, middle[0] - large.width / 2, middle[1] - large.height - 0.03 * HEIGHT)
        np.maximum(mask, mask[::-1, ::-1].copy(), out=mask)  # twice, or a turned 6 would show a 9
        return
    places = _FOUR_ROWS if face[0] == "8" and style.eight_in_rows else _PIPS[face[0]]
    for column, row in places:
        x, y = middle[0] + column * style.pip_column, middle[1] + row * style.pip_row
        sign.draw(pen, x, y, style.pip, turned=row > 0)


def _ace(style: Style, face: str, mask: Mask) -> None:
    pen, sign = Pen(mask), style.signs[face[1]]
    x, y = WIDTH / 2, HEIGHT / 2
    large = style.ace if face != "AS" or style.ace > 1 else 1.6
    size = min(style.pip * large, 0.62 * WIDTH)
    sign.draw(pen, x, y, size)
    if style.ornate and size > 0.25 * WIDTH:
        rng = np.random.default_rng(style.seed)
        sign.draw(pen, x, y, 0.82 * size, ink=0, width=3)
        rosette(rng, pen, x, y + 0.05 * size, 0.16 * size, 1.0, 0)
    elif style.ornate:
        ring = np.zeros_like(mask)
        rosette(np.random.default_rng(style.seed), Pen(ring), x, y, 0.26 * WIDTH)
        cv2.circle(ring, (round(x), round(y)), round(0.62 * size), 0, -1)
        np.maximum(mask, ring, out=mask)


def _court(style: Style, face: str, canvas: Pixels, donor: Faces | None) -> Mask:
    """Paint the court into the canvas; returns what its suit's ink adds."""
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    pen, sign = Pen(mask), style.signs[face[1]]
    left = round(max(0.15 * WIDTH, min(style.column * 2 + 6, 0.27 * WIDTH)))
    top = round(0.085 * HEIGHT)
    box = left, top, WIDTH - left, HEIGHT - top
    width, height = box[2] - box[0], box[3] - box[1]
    ink = style.inks[face[1]]
    rng = np.random.default_rng([style.seed, RANKS.index(face[0]), SUITS.index(face[1])])
    if style.courts == "donor" and donor is not None:
        place(canvas, donor_art(donor[face], style.court_inks), box)
    elif style.courts == "letter":
        rank = style.ranks[face[0]]
        large = _enlarged(rank, min(0.55 * HEIGHT / rank.height, 0.5 * WIDTH / rank.width))
        large.draw(pen, WIDTH / 2 - large.width / 2, HEIGHT / 2 - large.height / 2)
        return mask
    elif style.courts == "sign":
        sign.draw(pen, WIDTH / 2, HEIGHT / 2, 0.5 * WIDTH)
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
        inset = 0.09 * WIDTH
        sign.draw(pen, left + inset, top + inset, 0.7 * style.pip)
        mask = _half_turn(mask)
    if style.framed:
        frame_line(canvas, box, style.inks["S"] if style.seed % 2 else ink, 1.5)
    return mask


def draw_face(style: Style, face: str, donor: Faces | None = None) -> Pixels:
    """One face ("QS") in a style: (352, 252, 3) BGR."""
    canvas = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    canvas[:] = style.paper
    if face[0] in "JQK":
        mask = _court(style, face, canvas, donor)
    else:
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        _ace(style, face, mask) if face[0] == "A" else _pips(style, face, mask)
    mask = np.maximum(mask, _index(style, face))
    ink = style.inks[face[1]]
    if style.edge_line:
        inset = round(style.edge_line)
        frame_line(canvas, (inset, inset, WIDTH - 1 - inset, HEIGHT - 1 - inset), ink, 1.2)
    size = (WIDTH // SUPER, HEIGHT // SUPER)
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
def _donors(root: Path) -> Mapping[str, Faces]:
    names = [info.name for info in list_decks("train") if info.family in _DONOR_FAMILIES]
    built = {name: load_deck(name).faces for name in names if name not in _NO_DONORS}
    return {name: faces for name, faces in built.items() if usable_donor(faces)}


def _generator(split: Split, index: int) -> Generator:
    return np.random.default_rng([4, FIRST_SEED[split] + index])


def court_lender(root: Path, split: Split, index: int) -> str | None:
    """Whose courts deck `index` of a split borrows (the deck's name), if any; wants art and alphabets there."""
    rng, names = _generator(split, index), list(_donors(root))
    # in the order of `draw_faces`
    name = names[int(rng.integers(0, len(names)))] if names else None
    return name if random_style(rng, font_alphabets(root), name is not None).courts == "donor" else None


def store_deck(root: Path, split: Split, index: int) -> None:
    """Draw deck `index` of a split into the cache unless it is there; wants art and alphabets there."""
    folder = drawn_deck_folder(root, split, index)
    done, stamp = folder / DONE, json.dumps({"version": VERSION})
    if done.exists() and done.read_text(encoding="utf-8") == stamp:
        return
    folder.mkdir(parents=True, exist_ok=True)
    rng = _generator(split, index)
    for name, art in draw_faces(rng, font_alphabets(root), tuple(_donors(root).values())).items():
        write_png(folder / f"{name}.png", art)
    write_png(folder / "back.png", np.ascontiguousarray(procedural_back(rng)[..., :3]))
    put(done, stamp)
