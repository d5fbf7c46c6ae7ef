"""Whoever draws a scene, its truth is true; and a scene read back from its file gives the same picture.

The path tracer's tests are skipped where it is not installed, but fail with NERTS_PATH_TRACER=required.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.arrange import RANKS, SUITS
from datasets.lighting import Lamp, Lighting
from datasets.path import PathRenderer
from datasets.render import Art, Painting
from datasets.renderers import FAST, Renderer, RendererError
from datasets.scene import THICKNESS, PaintStyle, PlacedCard, Scene, overhead_camera
from datasets.scene_file import SceneError, read_scene, scene_as_json, scene_from_json
from datasets.stills import draw_spread, draw_table, redraw_still
from datasets.truth import truth_of
from datasets.windows import draw_square, redraw_square

Pixels = NDArray[np.uint8]
#: Corners as they are printed: top left, top right, bottom right, bottom left; BGR.
QUARTERS = ((0, 0, 255), (0, 255, 0), (255, 0, 0), (0, 255, 255))
PLAIN = PaintStyle((1.0, 1.0, 1.0), 0.0, 1.0, (0.0, 0.0), 0.0)
WHITE = (1.0, 1.0, 1.0)
#: Cut edges are dark, so that what is white is the upper side of a card.
DARK = (0.2, 0.02, 0.02)
EVEN = Lighting((), WHITE, WHITE, (), 0.4, 0.5, 0.0, DARK)
FACES = [rank + suit for suit in SUITS for rank in RANKS]


@dataclass(frozen=True)
class Deck:
    faces: dict[str, Pixels]
    back: Pixels | None


def tracer() -> PathRenderer:
    try:
        return PathRenderer(samples=4)
    except RendererError as error:
        if os.environ.get("NERTS_PATH_TRACER") == "required":
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(params=["fast", "path"])
def renderer(request: pytest.FixtureRequest) -> Renderer:
    return FAST if request.param == "fast" else tracer()


def flat(*colour: int) -> Pixels:
    return np.dstack([np.full((352, 252, 3), colour, np.uint8), np.full((352, 252), 255, np.uint8)])


def quartered() -> Pixels:
    card = flat(0, 0, 0).copy()
    card[:176, :126, :3], card[:176, 126:, :3], card[176:, 126:, :3], card[176:, :126, :3] = QUARTERS
    return card


def lettered(letter: str) -> Pixels:
    """White with a letter at the top left, and the same upside down."""
    card = flat(255, 255, 255).copy()
    cv2.putText(card, letter, (14, 110), cv2.FONT_HERSHEY_SIMPLEX, 4.0, (0, 0, 0, 255), 16)
    return np.minimum(card, card[::-1, ::-1])


@cache
def deck() -> Deck:
    faces = {"2S": lettered("2"), "7D": lettered("7"), "AS": quartered(), "KH": flat(255, 255, 255)}
    return Deck(faces | {"QD": flat(0, 255, 0), "JC": flat(0, 0, 255)}, flat(255, 0, 255))


def card(face: str, x: float, y: float, angle: float, pile: int = 0, curl: float = 0.0) -> PlacedCard:
    return PlacedCard(0, face, True, x, y, angle, pile, curl=curl)


def painted(renderer: Renderer, cards: list[PlacedCard], tilt: float = 0.35) -> tuple[Scene, Painting]:
    """The cards on a black table in even light."""
    camera = overhead_camera(560, 420, 1.6, roll=0.3, tilt=tilt, tilt_towards=1.1, distance=1.4)
    scene = renderer.settled(Scene(560, 420, camera, ["one"], cards, PLAIN, EVEN))
    asked = renderer.ground(scene, 1.6)
    decks: list[Art] = [deck()]
    return scene, renderer.paint(scene, decks, np.zeros((asked.rows, asked.columns, 3), np.uint8))


@pytest.mark.parametrize("tilt", [0.0, 0.6])
def test_corners_are_named_as_they_are_printed(renderer: Renderer, tilt: float) -> None:
    places = [
        (-100.0, -60.0, 0.0),
        (0.0, -70.0, 0.7),
        (100.0, -60.0, 2.2),
        (-90.0, 60.0, np.pi),
        (60.0, 60.0, -1.9),
    ]
    scene, painting = painted(renderer, [card("AS", *place, pile) for pile, place in enumerate(places)], tilt)
    for truth in truth_of(scene, painting):
        corners = np.array(truth.corners)
        for corner, colour in zip(corners, QUARTERS, strict=True):
            x, y = np.round(0.75 * corner + 0.25 * corners.mean(axis=0) - 0.5).astype(int)
            seen = painting.image[y, x].astype(float)
            nearness = [seen @ other / np.linalg.norm(other) for other in np.array(QUARTERS, float)]
            assert np.argmax(nearness) == QUARTERS.index(colour)


@pytest.mark.parametrize("curl", [0.0, 1.0, -1.0])
def test_polygons_lie_on_the_drawn_edges(renderer: Renderer, curl: float) -> None:
    scene, painting = painted(renderer, [card("KH", 60.0, -50.0, 0.6, curl=curl)])
    corners = np.array(truth_of(scene, painting)[0].corners, np.float32)
    assert off(corners, painting) < 1.5
    assert (painting.ids == 0).sum() == pytest.approx(cv2.contourArea(corners), rel=0.02)


def off(corners: NDArray[np.float32], painting: Painting) -> float:
    """px that the outline of what is white lies off a polygon at most, but where its corners are round."""
    mask = (painting.image.min(axis=2) > 110).astype(np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=cv2.contourArea)[:, 0].astype(np.float32) + 0.5
    rounded = 4.0 * np.linalg.norm(corners[1] - corners[0]) / 63
    edge = [p for p in outline if np.linalg.norm(corners - p, axis=1).min() > rounded]
    assert len(edge) > 200
    return max(abs(cv2.pointPolygonTest(corners, (float(x), float(y)), True)) for x, y in edge)


def test_a_card_on_a_pile_is_where_its_truth_says() -> None:
    renderer = tracer()
    pile = [card("JC", 90.0, -50.0, 0.4) for _ in range(12)] + [card("KH", 90.0, -50.0, 0.4)]
    scene, painting = painted(renderer, pile, 0.6)
    truth = truth_of(scene, painting)[-1]
    assert off(np.array(truth.corners, np.float32), painting) < 1.5
    # what is flat on the table is elsewhere: heights matter
    assert off(scene.project(scene.cards[-1].corners_mm()).astype(np.float32), painting) > 3
    assert scene.cards[-1].lift[0] > 13 * THICKNESS


def test_the_visible_share_is_what_can_be_counted_in_the_picture(renderer: Renderer) -> None:
    scene, painting = painted(renderer, [card("QD", 0.0, 0.0, 0.2), card("JC", 22.0, 14.0, 0.8)])
    below, above = truth_of(scene, painting)
    blue, green, red = (painting.image[..., n].astype(int) for n in range(3))
    area = cv2.contourArea(np.array(below.corners, np.float32))
    assert below.visible_fraction == pytest.approx((green > red + blue + 40).sum() / area, abs=0.02)
    assert 0.2 < below.visible_fraction < 0.9
    assert above.visible_fraction == pytest.approx(1.0, abs=0.02)
    assert (below.order, above.order) == (0, 1)


@pytest.mark.parametrize("face", ["2S", "7D"])
def test_no_face_is_mirrored(renderer: Renderer, face: str) -> None:
    scene, painting = painted(renderer, [card(face, 10.0, -12.0, 2.4)])
    corners = np.array(truth_of(scene, painting)[0].corners, np.float32)
    goal = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners - 0.5, goal - 0.5)
    seen = cv2.warpPerspective(painting.image, matrix, (126, 176))[4:-4, 4:-4].mean(axis=2)
    printed = cv2.resize(deck().faces[face][..., :3], (126, 176), interpolation=cv2.INTER_AREA)[4:-4, 4:-4]
    art = printed.mean(axis=2)
    alike = [np.corrcoef(seen.ravel(), other.ravel())[0, 1] for other in (art, art[:, ::-1])]
    assert alike[0] > 0.85
    assert alike[0] > alike[1] + 0.2


def test_the_surface_is_not_mirrored_and_lies_under_the_right_cards() -> None:
    renderer = tracer()
    camera = overhead_camera(320, 240, 1.0, distance=1.4)
    scene = Scene(320, 240, camera, ["one"], [], PLAIN, EVEN)
    rows, columns, _ = renderer.ground(scene, 1.0)
    surface = np.full((rows, columns, 3), 200, np.uint8)
    surface[: rows // 2, : columns // 2] = (0, 0, 200)
    surface[rows // 2 :, : columns // 2] = (200, 0, 0)
    image = renderer.paint(scene, [deck()], surface).image.astype(int)
    assert image[60, 80].argmax() == 2
    assert image[180, 80].argmax() == 0
    assert np.ptp(image[60, 240]) < 40


def test_a_lamp_throws_the_shadow_of_a_pile_away_from_it() -> None:
    renderer = tracer()
    camera = overhead_camera(320, 240, 1.2, distance=1.4)
    pile = [card("KH", 0.0, 0.0, 0.0) for _ in range(30)]
    dim = (0.05, 0.05, 0.05)
    lamp = Lamp((-700.0, 0.0, 350.0), (0.0, 0.0), 40.0, WHITE)
    scene = Scene(
        320, 240, camera, ["one"], pile, PLAIN, Lighting((lamp,), dim, dim, (), 0.4, 0.5, 0.0, WHITE)
    )
    image = renderer.paint(scene, [deck()], np.full((240, 320, 3), 160, np.uint8)).image.mean(axis=2)
    near, far = (image[100:140, column].mean() for column in (116, 204))
    assert far < 0.6 * near


def test_no_lamp_hangs_before_the_camera() -> None:
    """Of what it sees of an empty white table under each of many lights, nothing is black."""
    renderer = replace(tracer(), samples=1)
    camera = overhead_camera(64, 64, 0.06, tilt=0.3, distance=1.2)
    scene = Scene(64, 64, camera, ["one"], [])
    lamps = 0
    for seed in range(30):
        lit = renderer.prepared(np.random.default_rng(seed), scene)
        assert lit.lighting is not None
        lamps += len(lit.lighting.lamps)
        # one lamp more or less has to be compiled for: trace those of one kind
        if len(lit.lighting.lamps) == 1:
            even = replace(lit.lighting, ceiling=WHITE, walls=WHITE, openings=())
            shot = renderer.paint(replace(lit, lighting=even), [deck()], np.full((64, 64, 3), 200, np.uint8))
            assert shot.image.max(axis=2).min() > 20, seed
    assert lamps > 15


def decks() -> list[Art]:
    rng = np.random.default_rng(3)
    faces = {face: flat(225, 230, 235) for face in FACES}
    return [Deck(faces, flat(*(int(v) for v in rng.integers(30, 226, 3)))) for _ in range(3)]


def cloth(rng: np.random.Generator, height: int, width: int, scale: float) -> Pixels:
    return rng.integers(0, 256, (height, width, 3), dtype=np.uint8)


def label(rng: np.random.Generator) -> Pixels:
    return np.dstack([rng.integers(0, 256, (80, 120, 3), dtype=np.uint8), np.full((80, 120), 255, np.uint8)])


def through_a_file(scene: Scene | None) -> Scene:
    assert scene is not None
    with TemporaryDirectory() as folder:
        path = Path(folder) / "00001.scene.json"
        path.write_text(json.dumps(scene_as_json(scene)), "utf-8")
        return read_scene(path)


def test_a_scene_from_its_file_gives_the_same_picture() -> None:
    for draw in (draw_table, draw_spread):
        still = draw(np.random.default_rng(5), decks(), cloth)
        again = redraw_still(through_a_file(still.scene), decks(), cloth)
        assert (again.image == still.image).all()
        assert again.cards == still.cards
    for seed in range(8):
        square = draw_square(np.random.default_rng(seed), 256, decks(), cloth, label)
        other = redraw_square(through_a_file(square.scene), decks(), cloth, label)
        assert (other.image == square.image).all()
        assert (other.painting.ids == square.painting.ids).all()


def test_a_traced_scene_from_its_file_gives_the_same_picture() -> None:
    renderer = replace(tracer(), longest=160)
    square = draw_square(np.random.default_rng(2), 256, decks(), cloth, label, renderer=renderer)
    other = redraw_square(through_a_file(square.scene), decks(), cloth, label, renderer)
    assert square.image.shape == (160, 160, 3)
    assert len(square.scene.cards) > 2
    assert (other.image == square.image).all()
    assert truth_of(other.scene, other.painting) == truth_of(square.scene, square.painting)


def test_a_card_taken_out_of_the_file_is_not_in_the_picture() -> None:
    still = draw_table(np.random.default_rng(5), decks(), cloth)
    assert still.scene is not None
    data = scene_as_json(still.scene)
    data["cards"] = data["cards"][:1]
    again = redraw_still(scene_from_json(data), decks(), cloth)
    assert [truth.face for truth in again.cards] == [still.cards[0].face]
    assert (again.image != still.image).any()


def test_a_card_sinks_where_what_it_lay_on_is_taken_from_the_file() -> None:
    high = tracer().settled(painted(FAST, [card("JC", 0.0, 0.0, 0.1) for _ in range(5)])[0])
    data = scene_as_json(high)
    data["cards"] = data["cards"][-1:]
    low = tracer().settled(scene_from_json(data))
    assert high.cards[-1].lift[0] > 4 * THICKNESS > 2 * low.cards[0].lift[0]
    assert not any(FAST.settled(high).cards[-1].lift)


@pytest.mark.parametrize("wrong", [{"width": "wide"}, {"cards": [{"deck": 0}]}, {"camera": None}])
def test_what_is_no_scene_is_refused_by_name(wrong: dict[str, object]) -> None:
    still = draw_table(np.random.default_rng(5), decks(), cloth)
    assert still.scene is not None
    with pytest.raises(SceneError, match=next(iter(wrong))):
        scene_from_json(scene_as_json(still.scene) | wrong)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", None])
def test_a_file_that_holds_no_scene_is_named(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "00001.scene.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SceneError, match=r"00001\.scene\.json: not a scene that can be read"):
        read_scene(path)
