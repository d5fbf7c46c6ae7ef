"""Stills of the end of a hand: every card once and countable, phones held as people hold them, shadows that darken."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.photos import phone as phones
from datasets.photos import photograph as photographing
from datasets.photos.endings import brought, draw_ending, picture_ending, spread
from datasets.photos.fans import CARDS, HANDS, draw_fans
from datasets.photos.leftovers import Piles, draw_leftovers
from datasets.photos.phone import LONG, SHORT, hold_phone
from datasets.photos.photograph import Photograph
from datasets.photos.photographer import cast_by_photographer, glare_of_lamp, hands_at_rim
from datasets.photos.showing import STRIP_MM, footprints
from datasets.photos.spreading import Spreader
from datasets.photos.tops import begun, draw_tops
from datasets.render import HAND, NOTHING
from datasets.scene import POKER_MM, PlacedCard
from datasets.stills import Still
from datasets.truth import CardTruth
from tests.datasets.plain import cloth, plain_decks, tilt_of

#: Cells a mm in which strips are measured.
FINE = 3


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phones of fewer px."""
    monkeypatch.setattr(phones, "LONG", 1008)
    monkeypatch.setattr(phones, "SHORT", 756)


def strip_fits(seen: NDArray[np.bool_], corners: NDArray[np.float64], long: float, wide: float) -> bool:
    """Does a rectangle of `long` by `wide` mm lie within what is seen of a card, along either side of it?"""
    w, h = (round(side * FINE) for side in POKER_MM)
    goal = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), goal)
    cells = cv2.warpPerspective(seen.astype(np.uint8), matrix, (w, h), flags=cv2.INTER_NEAREST)
    boxes = ((round(long * FINE), round(wide * FINE)), (round(wide * FINE), round(long * FINE)))
    return any(cv2.erode(cells, np.ones(box, np.uint8), borderValue=0).any() for box in boxes)


@pytest.mark.parametrize("seed", range(12))
def test_a_spread_has_each_card_once_and_as_many_as_wanted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    decks = plain_decks(2 + seed % 5)
    wanted = int(rng.integers(10, 111))
    hands = brought(rng, decks, wanted)
    spreader = Spreader(rng, POKER_MM)
    spread(spreader, hands)
    cards = spreader.ground.cards
    assert len(cards) == min(wanted, 52 * len(decks))
    assert len({(card.deck, card.face) for card in cards}) == len(cards)
    assert {card.deck for card in cards} == set(range(len(decks)))
    assert not any(card.face_up for card in cards)
    assert max(Counter(card.deck for card in cards).values()) <= 52
    # a pile is laid in one go
    piles = [card.pile for card in cards]
    assert piles == sorted(piles)


@pytest.mark.parametrize("seed", range(6))
def test_columns_are_straight_and_do_not_touch(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spreader = Spreader(rng, POKER_MM)
    cards = [(0, f"{rank}{suit}") for suit in "SH" for rank in "A23456789"]
    end = spreader.columns(cards, 0.0, 100.0, careless=1.0)
    laid = spreader.ground.cards
    assert [(card.deck, card.face) for card in laid] == cards
    piles: dict[int, list[PlacedCard]] = {}
    for card in laid:
        piles.setdefault(card.pile, []).append(card)
    middles = [float(np.mean([card.x for card in pile])) for pile in piles.values()]
    assert all(b - a > POKER_MM[0] for a, b in pairwise(middles))
    for pile in piles.values():
        assert all(b.y - a.y > STRIP_MM for a, b in pairwise(pile))
        assert max(card.x for card in pile) - min(card.x for card in pile) < 12
        # askew by a few degrees at most, either way up
        assert all(abs(np.sin(card.angle)) < 0.1 for card in pile)
    assert end >= max(card.y for card in laid)
    assert all(spreader.ground.shows(index) for index in range(len(laid)))


@pytest.mark.parametrize("seed", range(4))
def test_every_back_shows_a_strip_beside_hands_too(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photographing, "HANDS", 1.0)
    rng = np.random.default_rng(seed)
    picture = picture_ending(rng, plain_decks(3), cloth, (25, 60))
    scene, ids = picture.scene, picture.painting.ids
    assert 25 <= len(scene.cards) <= 60
    for index, card in enumerate(scene.cards):
        corners = scene.project(card.corners_mm())
        assert (corners >= 0).all()
        assert (corners <= (scene.width, scene.height)).all()
        # cards have 57 or 63 mm; the strip is measured as on one of 63
        assert strip_fits(ids == index, corners, 20.0, 5.0), index


def test_visible_shares_are_what_the_id_buffer_holds() -> None:
    picture = picture_ending(np.random.default_rng(2), plain_decks(2), cloth, (14, 18))
    still = photographing.still_of(picture)
    for index, card in enumerate(still.cards):
        area = cv2.contourArea(np.array(card.corners, np.float32))
        seen = int((picture.painting.ids == index).sum())
        assert card.visible_fraction == pytest.approx(min(1.0, seen / area), abs=0.01)
    assert still.about == {"tilt": round(picture.tilt, 1)}


def row(number: int = 8) -> list[PlacedCard]:
    return [
        PlacedCard(0, f"{rank}S", False, 30.0 * i, 0.0, 0.0, 0) for i, rank in enumerate("A23456789"[:number])
    ]


def test_phones_are_held_both_ways_and_tilted_by_45_degrees_at_most() -> None:
    tilts, sizes = [], set()
    for seed in range(60):
        phone = hold_phone(np.random.default_rng(seed), row())
        scene = phone.aim(row(), ["one"])
        corners = np.concatenate([scene.project(card.corners_mm()) for card in scene.cards])
        assert (corners >= 0).all()
        assert (corners <= (scene.width, scene.height)).all()
        sizes.add((scene.width, scene.height))
        tilt = tilt_of(scene, phone)
        assert tilt == pytest.approx(np.degrees(phone.tilt), abs=0.01)
        tilts.append(tilt)
    assert sizes == {(LONG, SHORT), (SHORT, LONG)}
    assert max(tilts) <= 45
    assert max(tilts) > 33
    assert min(tilts) < 10


def test_the_near_edge_of_a_leaning_phone_is_the_lower_one() -> None:
    nearer = 0
    for seed in range(40):
        phone = hold_phone(np.random.default_rng(seed), row())
        scene = phone.aim(row(), ["one"])
        spots = scene.project(np.array([[105.0, -30], [106, -30], [105, 30], [106, 30]]))
        nearer += np.hypot(*(spots[3] - spots[2])) > np.hypot(*(spots[1] - spots[0]))
    assert nearer >= 30


def shot(monkeypatch: pytest.MonkeyPatch, seed: int, shadows: float = 0.0, glares: float = 0.0) -> Photograph:
    """A photograph before lens and sensor."""
    monkeypatch.setattr(photographing, "expose", lambda image, rng, hardness: image)
    monkeypatch.setattr(photographing, "HANDS", 0.0)
    monkeypatch.setattr(photographing, "SHADOWS", shadows)
    monkeypatch.setattr(photographing, "GLARES", glares)
    return photographing.photograph(np.random.default_rng(seed), row(), plain_decks(1), cloth)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(3))
def test_the_photographers_shadow_darkens_part_of_the_picture(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, shaded = (shot(monkeypatch, seed, shadows=share).image.astype(int) for share in (0.0, 1.0))
    assert (shaded <= bare).all()
    lost = 1 - shaded.sum(axis=2) / np.maximum(bare.sum(axis=2), 1)
    assert 0.02 < (lost > 0.15).mean() < 0.8
    assert (lost < 0.01).mean() > 0.1


@pytest.mark.usefixtures("small")
def test_a_shadow_falls_in_from_one_side() -> None:
    scene = hold_phone(np.random.default_rng(0), row()).aim(row(), ["one"])
    for seed in range(25):
        mask = cast_by_photographer(np.random.default_rng(seed), scene).mask > 0.5
        rims = [bool(rim.any()) for rim in (mask[0], mask[-1], mask[:, 0], mask[:, -1])]
        assert any(rims)
        assert not all(rims)
        assert 0.01 < mask.mean() < 0.85


@pytest.mark.usefixtures("small")
def test_a_lamp_shines_on_cards_more_than_on_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    bare, lit = (shot(monkeypatch, 1, glares=share) for share in (0.0, 1.0))
    assert (lit.image.astype(int) >= bare.image).all()
    assert (lit.image.astype(int) - bare.image).max() > 20
    scene, ids = bare.scene, np.full((bare.scene.height, bare.scene.width), NOTHING, np.int16)
    on_table = glare_of_lamp(np.random.default_rng(3), scene, ids)
    on_card = glare_of_lamp(np.random.default_rng(3), scene, np.zeros_like(ids))
    assert on_table.max() < 0.95 * on_card.max()


@pytest.mark.usefixtures("small")
def test_hands_come_in_and_hide_nothing_that_counts() -> None:
    scene = hold_phone(np.random.default_rng(6), row()).aim(row(), ["one"])
    ids, shown = footprints(scene), 0
    for seed in range(8):
        for kind, hand in hands_at_rim(np.random.default_rng(seed), scene, 2):
            assert kind == HAND
            covered = hand[..., 3] > 127
            shown += covered.mean() > 0.005
            assert any(rim.any() for rim in (covered[0], covered[-1], covered[:, 0], covered[:, -1]))
            for index, card in enumerate(scene.cards):
                left = (ids == index) & ~covered
                assert strip_fits(left, scene.project(card.corners_mm()), 20.0, 5.0)
    assert shown >= 4


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(4))
def test_left_over_piles_are_one_a_deck_and_apart(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photographing, "HANDS", 0.0)
    players = (1, 3, 6, 2)[seed]
    still = draw_leftovers(np.random.default_rng(seed), plain_decks(players), cloth)
    assert {card.deck for card in still.cards} == set(range(players))
    piles = by_pile(still)
    assert len(piles) == players
    for cards in piles.values():
        assert len({card.deck for card in cards}) == 1
        assert 1 <= len(cards) <= 13
        assert len({card.face for card in cards}) == len(cards)
        # nothing lies on the topmost card
        assert cards[-1].visible_fraction > 0.95
        assert [card.order for card in cards] == list(range(len(cards)))


def test_left_over_piles_are_fanned_either_side_up_and_squared() -> None:
    rng, ways = np.random.default_rng(0), Counter[str]()
    for way in ("faces", "backs", "squared") * 8:
        cards = Piles(rng, POKER_MM).pile([(0, f"{rank}S") for rank in "A23456789"], way)
        spots = np.array([(card.x, card.y) for card in cards])
        reach = float(np.hypot(*(spots[-1] - spots[0])))
        if way == "squared":
            assert reach < 20
            ways["top up" if cards[-1].face_up else "down"] += 1
            assert not cards[0].face_up or all(card.face_up for card in cards)
        else:
            assert reach > 8 * 5.5 * 0.6
            assert {card.face_up for card in cards} == {way == "faces"}
    assert min(ways.values()) >= 2


def by_pile(still: Still) -> dict[int, list[CardTruth]]:
    piles: dict[int, list[CardTruth]] = {}
    for card in still.cards:
        piles.setdefault(card.pile, []).append(card)
    return piles


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(4))
def test_hands_laid_open_are_faces_of_one_deck_in_tight_fans_and_rows(seed: int) -> None:
    still = draw_fans(np.random.default_rng(seed), plain_decks(2), cloth)
    hands = by_pile(still)
    assert HANDS[0] <= len(hands) <= HANDS[1]
    assert all(card.face_up and card.deck == 0 for card in still.cards)
    assert len({card.face for card in still.cards}) == len(still.cards)
    for cards in hands.values():
        assert CARDS[0] <= len(cards) <= CARDS[1]
        # by their middles or by how they are turned, no two next to each other lie in one place
        for one, two in pairwise(cards):
            apart = np.linalg.norm(np.array(one.corners) - two.corners, axis=1).max() / still.px_per_mm
            assert 4 < apart < 40


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(3))
def test_tops_are_foundations_from_the_ace_up(seed: int) -> None:
    decks = 2 + seed
    still = draw_tops(np.random.default_rng(seed), plain_decks(decks), cloth)
    assert len({(card.deck, card.face) for card in still.cards}) == len(still.cards)
    for cards in by_pile(still).values():
        up = cards[-1].face_up
        assert {card.face_up for card in cards} == {up}
        faces = [card.face for card in (cards if up else cards[::-1])]
        assert faces == [rank + faces[0][1] for rank in "A23456789TJQK"[: len(faces)]]
        assert up or len(faces) == 13
        # an index of the top can be read, whatever hands there are
        assert cards[-1].index_visible == up


def test_foundations_are_as_many_of_a_suit_as_decks_at_most() -> None:
    heights: list[int] = []
    for seed in range(60):
        piles = begun(np.random.default_rng(seed), 3)
        assert max(Counter(pile[0][1][1] for pile in piles).values()) <= 3
        cards = [card for pile in piles for card in pile]
        assert len(set(cards)) == len(cards)
        heights += [len(pile) for pile in piles]
    assert min(heights) == 1
    assert max(heights) == 13


@pytest.mark.usefixtures("small")
def test_the_same_seed_gives_the_same_picture() -> None:
    one, two, other = (
        draw_ending(np.random.default_rng(seed), plain_decks(2), cloth, (10, 14)) for seed in (5, 5, 6)
    )
    assert (one.image == two.image).all()
    assert one.cards == two.cards
    assert one.cards != other.cards
