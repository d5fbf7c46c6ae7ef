"""What is reckoned in planes, boxes and in place gives to the bit what the plain formulas give."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from plain_pictures import Deck, exposed, painted

from datasets import drawn_hand
from datasets.render import HAND, NOTHING, ArtShelf, PaintStyle, around, expose, paint
from datasets.scene import PlacedCard, Scene, overhead_camera
from datasets.surfaces import noise, paper
from datasets.windows import strewn

Pixels = NDArray[np.uint8]


def some(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    return rng.random(shape, dtype=np.float32) * 2 - np.float32(0.5)


def picture(rng: np.random.Generator, rows: int, columns: int, colours: int = 3) -> Pixels:
    return rng.integers(0, 256, (rows, columns, colours), dtype=np.uint8)


@pytest.mark.parametrize("seed", range(30))
def test_an_exposed_picture_is_what_the_formulas_say(seed: int) -> None:
    shot = picture(np.random.default_rng([9, seed]), 61, 83)
    one, two = np.random.default_rng(seed), np.random.default_rng(seed)
    hardness = (0.55, 1.0)[seed % 2]
    assert (expose(shot, one, hardness) == exposed(shot, two, hardness)).all()
    # not a draw more or less: what comes next must stay as it is
    assert one.random() == two.random()


@pytest.mark.parametrize("seed", range(6))
def test_a_painted_scene_is_what_the_formulas_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    deck = Deck({"2S": picture(rng, 352, 252, 4), "7D": picture(rng, 352, 252, 4)}, picture(rng, 352, 252, 4))
    cards = [
        PlacedCard(0, face, rng.random() < 0.7, *rng.uniform(-70, 70, 2), rng.uniform(0, 6.3), 0)
        for face in ("2S", "7D") * 4
    ]
    camera = overhead_camera(190, 150, 1.1, roll=0.4, tilt=0.3, tilt_towards=1.0, distance=1.5)
    scene = Scene(190, 150, camera, ["one"], cards)
    style = PaintStyle((0.93, 0.97, 1.0), 0.4, 1.3, (1.2, -0.7), (0.4, -0.2)[seed % 2])
    ground = picture(rng, 150, 190)
    hand = drawn_hand.draw_hand(rng, 150, 190, (60.0, 50.0 + 12 * seed), 0.4 * seed, 40.0)
    nothing = np.zeros_like(hand)
    extras = [(HAND, hand), (NOTHING, hand[::-1].copy()), (HAND, nothing)]
    drawn = paint(scene, ArtShelf([deck]), ground, style, extras)
    plain, ids = painted(scene, deck, ground, style, extras)
    assert (drawn.image == plain).all()
    assert (drawn.ids == ids).all()
    assert (ids == HAND).any()


def test_a_box_holds_all_of_a_blur() -> None:
    mask = np.zeros((120, 140), np.uint8)
    mask[50:60, 3:9] = 255
    for softness in (0.7, 2.0, 6.0):
        box = around(mask, softness)
        assert box is not None
        whole = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), softness)
        assert (cv2.GaussianBlur(mask[box].astype(np.float32), (0, 0), softness) == whole[box]).all()
        whole[box] = 0
        assert not whole.any()
    assert around(np.zeros_like(mask), 2.0) is None


def test_a_thing_is_strewn_as_the_formula_says() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        ground, item = picture(rng, 160, 200), picture(rng, 90, 40, 4)
        one, two = np.random.default_rng(seed), np.random.default_rng(seed)
        laid = strewn(one, ground, item, 1.5)
        zoom = 1.5 / 4 * float(np.exp(two.normal(0, 0.4)))
        matrix = cv2.getRotationMatrix2D((20, 45), float(two.uniform(0, 360)), zoom)
        matrix[:, 2] += two.uniform((0, 0), (200, 160)) - (20, 45)
        warped = cv2.warpAffine(item, matrix, (200, 160), flags=cv2.INTER_AREA)
        alpha = warped[..., 3:].astype(np.float32) / 255
        shade = cv2.GaussianBlur(alpha, (0, 0), 2)[..., None] * float(two.uniform(0.1, 0.5))
        plain = ground * (1 - shade) * (1 - alpha) + warped[..., :3] * alpha
        assert (laid == np.clip(plain, 0, 255).astype(np.uint8)).all()
        assert (laid != ground).any()


def test_colours_are_mixed_as_the_formulas_say() -> None:
    rng = np.random.default_rng(4)
    low, high = some(rng, 3), some(rng, 3)
    share, light = some(rng, 20, 31), some(rng, 20, 31).astype(np.float64)
    page = some(rng, 20, 31, 3)
    spread = light[..., None]
    assert (noise.tinted(low, share) == low * (1 + share)[..., None]).all()
    assert (noise.mixed(low, high, share) == low + (high - low) * np.clip(share, 0, 1)[..., None]).all()
    assert (noise.lit(page, light) == (page * spread).astype(np.float32)).all()
    over = (page * (1 - spread) + high * spread).astype(np.float32)
    assert (noise.laid_over(page, high, light) == over).all()
    assert (noise.to_pixels(page) == np.clip(page * 255 + 0.5, 0, 255).astype(np.uint8)).all()


def test_words_are_those_that_a_choice_of_letters_gives() -> None:
    one, two = np.random.default_rng(2), np.random.default_rng(2)
    for number in range(200):
        digits = number % 3 == 0
        pool = list("0123456789" if digits else "etaoinshrdlucmfwypvbgkjqxzETAOINSHRDLC")
        plain = "".join(two.choice(pool, int(two.integers(1, 5 if digits else 11))))
        assert paper.word(one, digits) == plain
