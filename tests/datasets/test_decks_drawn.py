"""Drawn decks never lie: what is counted and seen on a card is what its name says."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.decks import (
    back_pair_twins,
    drawn_deck,
    list_backs,
    load_back,
    procedural_back,
    procedural_deck,
)
from datasets.decks.backs import store_back
from datasets.decks.courts import donor_art, random_inks, usable_donor
from datasets.decks.drawn_deck import court_lender, draw_face, draw_faces
from datasets.decks.glyphs import own_alphabet, set_rank
from datasets.decks.pen import Pen
from datasets.decks.raster import Pixels
from datasets.decks.store import FIRST_SEED
from datasets.decks.style import SUITS, Style, random_style
from datasets.decks.suits import signs
from vision.layout import FACES

SEEDS = range(6)


def style_with(seed: int, **changes: object) -> Style:
    """A random style with plain paper and pips, so that marks can be counted."""
    style = random_style(np.random.default_rng(seed), (), with_donor=False)
    plain = {"paper": np.full(3, 255, np.float32), "numbers": "pips", "edge_line": 0.0, "border": 0.0}
    return dataclasses.replace(style, **{**plain, "corners": 2, "beside": False, **changes})  # type: ignore[arg-type]


def marks(card: Pixels, x0: float = 0.0, x1: float = 1.0, y0: float = 0.0, y1: float = 1.0) -> int:
    """How many separate marks lie in a part of a card."""
    height, width = card.shape[:2]
    part = card[round(y0 * height) : round(y1 * height), round(x0 * width) : round(x1 * width)]
    ink = (part.min(axis=2) < 170).astype(np.uint8)
    return int(sum(stat[4] > 25 for stat in cv2.connectedComponentsWithStats(ink)[2][1:]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("suit", SUITS)
def test_number_cards_carry_as_many_pips_as_they_say(seed: int, suit: str) -> None:
    """Two indices of one or two characters and a sign stand beside the pips; small pips touch nothing."""
    style = style_with(seed, pip=100 * 0.5, pip_column=115.0, small_sign=50.0)
    narrow = {rank: set_rank(own_alphabet(np.random.default_rng(3)), rank, 60, 0.7) for rank in "23456789T"}
    style = dataclasses.replace(style, ranks={**style.ranks, **narrow}, margin=(12.0, 16.0), column=40.0)
    for number, rank in enumerate("23456789T", start=2):
        card = draw_face(style, rank + suit)
        index = (2 if rank == "T" else 1) + 1
        assert marks(card) == number + 2 * index, (rank, suit)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_a_deck_is_whole_and_made_again_by_its_seed(seed: int) -> None:
    first, again = (procedural_deck(np.random.default_rng(seed)) for _ in range(2))
    assert set(first.faces) == set(FACES)
    assert first.info.committable
    for face in ("AS", "7H", "TD", "QC"):
        assert first.faces[face].shape == (352, 252, 4)
        assert np.array_equal(first.faces[face], again.faces[face])
    assert first.back is not None
    assert again.back is not None
    assert np.array_equal(first.back, again.back)


def test_all_faces_of_a_deck_differ() -> None:
    for seed in SEEDS[:3]:
        style = style_with(seed)
        cards = {face: draw_face(style, face).astype(np.int16) for face in FACES if face[0] in "A25689TJQK"}
        for rank in "A5TK":
            for one, other in (("S", "C"), ("H", "D"), ("S", "H")):
                assert np.abs(cards[rank + one] - cards[rank + other]).max(axis=2).mean() > 0.3
        for one, other in (("6S", "9S"), ("JH", "QH"), ("QD", "KD"), ("AC", "2C"), ("8H", "9H")):
            assert np.abs(cards[one] - cards[other]).max(axis=2).mean() > 0.3


def test_cards_read_the_same_upside_down() -> None:
    for seed in SEEDS:
        style = style_with(seed)
        for face in ("2S", "TH", "4C", "KD"):
            card = draw_face(style, face).astype(np.int16)
            corner = np.s_[:110, :60]
            assert np.abs(card[corner] - card[::-1, ::-1][corner]).mean() < 6


def share_of_ink(mask: Pixels) -> tuple[float, float]:
    """Share of the ink in the upper half, and in the left half."""
    total = float(mask.sum())
    return mask[: mask.shape[0] // 2].sum() / total, mask[:, : mask.shape[1] // 2].sum() / total


def hole(mask: Pixels) -> float:
    """How far down the largest hole of a character lies, 0 to 1."""
    outside = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0) < 128
    _, labels, stats, middles = cv2.connectedComponentsWithStats(outside.astype(np.uint8))
    inner = [k for k in range(1, len(stats)) if k != labels[0, 0]]
    return float(middles[max(inner, key=lambda k: stats[k, 4])][1] / mask.shape[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_characters_and_signs_are_upright_and_not_mirrored(seed: int) -> None:
    rng = np.random.default_rng(seed)
    alphabet = own_alphabet(rng)

    def drawn(rank: str) -> Pixels:
        glyph = set_rank(alphabet, rank, 100)
        mask = np.zeros((round(glyph.height) + 2, round(glyph.width) + 2), np.uint8)
        glyph.draw(Pen(mask), 1, 1)
        return mask

    upper, left = share_of_ink(drawn("7"))
    assert upper > 0.5
    assert left < 0.55
    assert share_of_ink(drawn("J"))[1] < 0.5
    assert share_of_ink(drawn("K"))[1] > 0.5
    assert share_of_ink(drawn("A"))[0] < 0.5
    assert hole(drawn("9")) < 0.45
    assert hole(drawn("6")) > 0.55
    shapes = signs(rng)
    for suit, top_heavy in (("H", True), ("S", False)):
        mask = np.zeros((120, 120), np.uint8)
        shapes[suit].draw(Pen(mask), 60, 60, 100)
        assert (share_of_ink(mask)[0] > 0.5) == top_heavy
        turned = np.zeros((120, 120), np.uint8)
        shapes[suit].draw(Pen(turned), 60, 60, 100, turned=True)
        assert (share_of_ink(turned)[0] > 0.5) != top_heavy


def test_borrowed_courts_keep_their_face_and_lose_their_index() -> None:
    card = np.full((352, 252, 4), 255, np.uint8)
    card[10:40, 6:40, :3] = 0
    card[160:190, 110:140, :3] = (0, 0, 255)
    art = donor_art(card, random_inks(np.random.default_rng(0)))
    assert art[:40, :20].min() > 240
    assert art.min() < 230
    assert usable_donor(dict.fromkeys(FACES, card))
    assert not usable_donor({face: card for face in FACES if face != "JD"})


def test_backs_are_made_again_by_their_seed_and_differ() -> None:
    backs = [procedural_back(np.random.default_rng([1, k])) for k in range(12)]
    again = procedural_back(np.random.default_rng([1, 5]))
    assert np.array_equal(backs[5], again)
    assert all(back.shape == (352, 252, 4) for back in backs)
    small = np.stack([cv2.resize(b[..., :3], (42, 59)).astype(float).ravel() for b in backs])
    distance = np.abs(small[:, None] - small[None]).mean(axis=2)
    assert distance[~np.eye(12, dtype=bool)].min() > 8


def test_most_backs_are_the_same_upside_down() -> None:
    same = 0
    for k in range(20):
        back = procedural_back(np.random.default_rng([2, k]))[..., :3].astype(np.int16)
        same += bool(np.abs(back - back[::-1, ::-1]).mean() < 12)
    assert same >= 14


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_share_their_lines_and_not_their_ink(seed: int) -> None:
    first, second = back_pair_twins(np.random.default_rng(seed))
    edges = [cv2.Canny(np.ascontiguousarray(b[..., :3]), 40, 80) > 0 for b in (first, second)]
    grown = [cv2.dilate(e.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0 for e in edges]
    for one, other in ((0, 1), (1, 0)):
        assert (edges[one] & grown[other]).sum() >= 0.8 * edges[one].sum()
    darkest = [b[..., :3].reshape(-1, 3).astype(int) for b in (first, second)]
    assert np.abs(darkest[0] - darkest[1]).max() > 60


def test_stored_backs_are_found_by_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NERTS_CACHE", str(tmp_path))
    for index in range(3):
        store_back(tmp_path, "train", index)
    store_back(tmp_path, "figures", 0)
    assert list_backs("train", "drawn") == [f"drawn/train-000{k}" for k in range(3)]
    assert list_backs("figures", "drawn") == ["drawn/figures-0000"]
    train, figures = load_back("drawn/train-0000"), load_back("drawn/figures-0000")
    assert not np.array_equal(train, figures)


def test_it_is_known_whose_courts_a_drawn_deck_borrows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its courts change with those of that deck, and with no other's."""
    courts = [rank + suit for rank in "JQK" for suit in "SHDC"]
    plain = {name: np.full((352, 252, 3), 200, np.uint8) for name in courts}
    marked = {name: np.full((352, 252, 3), 40, np.uint8) for name in courts}
    monkeypatch.setattr(drawn_deck, "_donors", lambda _: {"one": plain, "two": plain})
    monkeypatch.setattr(drawn_deck, "font_alphabets", lambda _: ())
    lenders = [court_lender(tmp_path, "train", index) for index in range(24)]
    assert {None, "one", "two"} == set(lenders)
    for index in [lenders.index(None), lenders.index("one"), lenders.index("two")]:
        drawn = {
            changed: draw_faces(
                np.random.default_rng([4, FIRST_SEED["train"] + index]),
                (),
                [marked if name == changed else plain for name in ("one", "two")],
            )["KS"]
            for changed in ("one", "two", None)
        }
        for name in ("one", "two"):
            assert np.array_equal(drawn[name], drawn[None]) == (lenders[index] != name)
