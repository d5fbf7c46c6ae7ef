"""The truth of stills is true: polygons lie on the drawn edges, no card is mirrored, visible shares are counted."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.arrange import RANKS, SUITS, Arranger, Shoe
from datasets.render import Art, ArtShelf, Painting, PaintStyle, paint
from datasets.scene import PlacedCard, Scene, overhead_camera
from datasets.stills import draw_spread, draw_table
from datasets.truth import truth_of
from datasets.windows import draw_square, lonely

Pixels = NDArray[np.uint8]
FACES = [rank + suit for suit in SUITS for rank in RANKS]
#: Corners as they are printed: top left, top right, bottom right, bottom left; BGR.
QUARTERS = ((0, 0, 255), (0, 255, 0), (255, 0, 0), (0, 255, 255))
PLAIN = PaintStyle((1.0, 1.0, 1.0), 0.0, 1.0, (0.0, 0.0), 0.0)


@dataclass(frozen=True)
class Deck:
    faces: dict[str, Pixels]
    back: Pixels | None


def quartered() -> Pixels:
    card = np.zeros((352, 252, 4), np.uint8)
    card[:176, :126, :3], card[:176, 126:, :3], card[176:, 126:, :3], card[176:, :126, :3] = QUARTERS
    card[..., 3] = 255
    return card


def flat(colour: tuple[int, int, int]) -> Pixels:
    return np.dstack([np.full((352, 252, 3), colour, np.uint8), np.full((352, 252), 255, np.uint8)])


def laid(angle: float, tilt: float, *more: PlacedCard, face: Pixels | None = None) -> tuple[Scene, Painting]:
    camera = overhead_camera(640, 480, 2.1, roll=0.3, tilt=tilt, tilt_towards=1.1, distance=1.4)
    scene = Scene(640, 480, camera, ["one"], [PlacedCard(0, "2S", True, 4.0, -7.0, angle, 0), *more])
    deck: Art = Deck(
        {"2S": quartered() if face is None else face, "7D": flat((0, 128, 255))}, flat((255, 0, 255))
    )
    return scene, paint(scene, ArtShelf([deck]), np.zeros((480, 640, 3), np.uint8), PLAIN)


@pytest.mark.parametrize("tilt", [0.0, 0.35, 0.7])
@pytest.mark.parametrize("angle", [0.0, 0.6, np.pi / 2, 2.2, np.pi, -1.9])
def test_corners_are_named_as_they_are_printed(angle: float, tilt: float) -> None:
    scene, painting = laid(angle, tilt)
    corners = np.array(truth_of(scene, painting)[0].corners)
    for corner, colour in zip(corners, QUARTERS, strict=True):
        x, y = np.round(0.8 * corner + 0.2 * corners.mean(axis=0) - 0.5).astype(int)
        assert painting.image[y, x] == pytest.approx(colour, abs=3)


@pytest.mark.parametrize("tilt", [0.0, 0.35, 0.7])
@pytest.mark.parametrize("angle", [0.0, 0.6, 2.2, -1.9])
def test_polygons_lie_on_the_drawn_edges(angle: float, tilt: float) -> None:
    scene, painting = laid(angle, tilt, face=flat((255, 255, 255)))
    corners = np.array(truth_of(scene, painting)[0].corners, np.float32)
    mask = (painting.image.max(axis=2) > 127).astype(np.uint8)
    (outline,), _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    # truth counts from the corner of a px, a contour runs through the middles of the outermost ones
    away = [
        abs(cv2.pointPolygonTest(corners, (float(x) + 0.5, float(y) + 0.5), True)) for x, y in outline[:, 0]
    ]
    assert max(away) < 1.5
    assert mask.sum() == pytest.approx(cv2.contourArea(corners), rel=0.02)


@pytest.mark.parametrize("scale", [0.9, 1.3, 1.7, 2.1])
@pytest.mark.parametrize("edge", [0.0, 0.6])
def test_a_card_looks_as_large_as_the_truth_says(scale: float, edge: float) -> None:
    """Measured by all the light that it sends: a dark fringe would make it smaller, a smoothed edge does not."""
    camera = overhead_camera(640, 480, scale, roll=0.3, tilt=0.2, tilt_towards=1.1, distance=1.4)
    scene = Scene(640, 480, camera, ["one"], [PlacedCard(0, "2S", True, 4.0, -7.0, 0.6, 0)])
    art = flat((255, 255, 255))
    art[:12, :12] = art[-12:, -12:] = (0, 0, 0, 0)
    style = PaintStyle((1.0, 1.0, 1.0), 0.0, 1.0, (0.0, 0.0), edge)
    painting = paint(scene, ArtShelf([Deck({"2S": art}, None)]), np.zeros((480, 640, 3), np.uint8), style)
    corners = np.array(truth_of(scene, painting)[0].corners, np.float32)
    # two corners are cut away, and a rim of 0.25 mm may be shaded
    width, height = 63.0, 88.0
    true = cv2.contourArea(corners) * (
        1 - 2 * (12 / 252) * (12 / 352) - edge * 0.25 * 2 * (width + height) / width / height
    )
    assert float(painting.image[..., 1].sum()) / 255 == pytest.approx(true, rel=0.004)


def test_the_visible_share_is_what_can_be_counted_in_the_picture() -> None:
    above = PlacedCard(0, "7D", True, 24.0, 10.0, 0.8, 0)
    scene, painting = laid(0.2, 0.3, above, face=flat((0, 255, 0)))
    below, top = truth_of(scene, painting)
    green = int((painting.image[..., 1] > 200).sum())
    assert below.visible_fraction == pytest.approx(
        green / cv2.contourArea(np.array(below.corners, np.float32)), abs=0.02
    )
    assert 0.2 < below.visible_fraction < 0.9
    assert top.visible_fraction == pytest.approx(1.0, abs=0.02)
    assert (below.order, top.order) == (0, 1)


def test_an_index_counts_as_seen_where_a_corner_of_the_face_is_free() -> None:
    def told(*above: PlacedCard, up: bool = True) -> bool:
        camera = overhead_camera(640, 480, 2.1, roll=0.4, tilt=0.3, distance=1.4)
        scene = Scene(640, 480, camera, ["one"], [PlacedCard(0, "2S", up, 0.0, 0.0, 0.0, 0), *above])
        deck: Art = Deck({"2S": quartered(), "7D": flat((0, 128, 255))}, flat((255, 0, 255)))
        painting = paint(scene, ArtShelf([deck]), np.zeros((480, 640, 3), np.uint8), PLAIN)
        return truth_of(scene, painting)[0].index_visible

    def other(x: float, y: float) -> PlacedCard:
        return PlacedCard(0, "7D", True, x, y, 0.0, 1)

    assert told()
    assert not told(up=False)
    # a column's strip at the top, a fan's strip at the left: the upper left corner is free
    assert told(other(0.0, 16.0))
    assert told(other(14.0, 0.0))
    # half of the card is free, but both printed corners are covered
    assert not told(other(-31.0, -40.0), other(31.0, 40.0))
    assert told(other(31.0, -40.0), other(-31.0, 40.0))


def decks() -> list[Art]:
    rng = np.random.default_rng(3)
    colours = [tuple(int(v) for v in rng.integers(30, 226, 3)) for _ in range(3)]
    faces = {face: flat((225, 230, 235)) for face in FACES}
    return [Deck(faces, flat((int(b), int(g), int(r)))) for b, g, r in colours]


def cloth(rng: np.random.Generator, height: int, width: int, scale: float) -> Pixels:
    return np.full((height, width, 3), rng.integers(0, 256, 3), np.uint8)


def test_the_same_seed_gives_the_same_picture_and_truth() -> None:
    for draw in (draw_table, draw_spread):
        one, two = (draw(np.random.default_rng(5), decks(), cloth) for _ in range(2))
        assert (one.image == two.image).all()
        assert one.cards == two.cards
        other = draw(np.random.default_rng(6), decks(), cloth)
        assert other.cards != one.cards


def test_every_card_of_a_spread_shows_a_strip_and_none_is_counted_twice() -> None:
    still = draw_spread(np.random.default_rng(8), decks(), cloth)
    assert 12 <= len(still.cards) <= 60
    assert len({(card.deck, card.face) for card in still.cards}) == len(still.cards)
    assert min(card.visible_fraction for card in still.cards) > 0.06
    assert not any(card.face_up for card in still.cards)


def test_a_lonely_row_leaves_most_of_the_table_bare() -> None:
    view = 400
    bare = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        cards = lonely(Arranger(rng, Shoe(rng, [FACES])), float(view))
        assert 2 <= len(cards) <= 20
        assert len({card.pile for card in cards}) == 1
        table = np.zeros((view, view), np.uint8)
        for card in cards:
            cv2.fillConvexPoly(table, np.round(card.corners_mm() + view / 2).astype(np.int32), 1)
        bare.append(1 - float(table.mean()))
    # 20 cards in a row 17 mm apart cover a fifth; spread about they would cover more than half
    assert 0.7 < min(bare) < 0.95
    # a row may lie beyond the rim, but mostly one sees something of it
    assert np.median(bare) < 0.99


def test_a_window_shows_its_cards_where_its_truth_says() -> None:
    shown = 0
    for seed in range(6):
        picture = draw_square(np.random.default_rng(seed), 256, decks(), cloth)
        for card in truth_of(picture.scene, picture.painting):
            if card.visible_box is None:
                continue
            x, y, width, height = card.visible_box
            assert -0.01 < x <= x + width < 256.01
            assert -0.01 < y <= y + height < 256.01
            shown += 1
    assert shown > 20
