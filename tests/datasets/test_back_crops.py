"""Crops of backs show the backs that are meant, their masks what is seen of them, and nothing else is cut."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.back_crops import LEAST_BACKS, back_crops, misplaced
from datasets.stills import Still
from datasets.truth import CardTruth
from scripts.build import backs as build_backs
from vision.faces.reader import CROP

#: px a mm of the made-up photo.
SCALE = 2.0


def table(cards: list[tuple[float, float, int, bool]]) -> Still:
    """Plain cards of one ink a deck at (x, y) mm, (deck, face up) each, the later ones above."""
    image = np.full((700, 1000, 3), 60, np.uint8)
    truths = []
    for order, (x, y, deck, face_up) in enumerate(cards):
        corners = SCALE * np.add([[0, 0], [63, 0], [63, 88], [0, 88]], (x, y))
        ink = (255, 255, 255) if face_up else (40 + 50 * deck, 200 - 60 * deck, 30)
        cv2.fillConvexPoly(image, corners.astype(np.int32), ink)
        truths.append(
            CardTruth(corners.tolist(), "AS", face_up, deck, 0, order, 1.0, None, [x, y, 0, 63, 88], face_up)
        )
    return Still(image, truths, SCALE)


SPREAD = [
    (20, 20, 0, False),
    (60, 20, 1, False),
    (100, 30, 0, False),
    (300, 20, 2, False),
    (320, 40, 2, True),
]


def test_masks_show_what_is_seen_of_backs() -> None:
    backs = back_crops(table(SPREAD), np.random.default_rng(1))
    assert backs is not None
    assert backs.crops.shape == (4, *CROP, 3)
    assert backs.decks.tolist() == [0, 1, 0, 2]
    shares = (backs.masks > 127).mean(axis=(1, 2))
    # 40 of 63 mm are left of those that the next one covers; the face hides all of its back but an L
    assert shares[:3] == pytest.approx([40 / 63, 1 - 23 / 63 * 78 / 88, 1.0], abs=0.04)
    assert shares[3] == pytest.approx(1 - 43 / 63 * 68 / 88, abs=0.04)
    for crop, mask, deck in zip(backs.crops, backs.masks, backs.decks, strict=True):
        off = np.abs(crop[mask > 127].astype(int) - (40 + 50 * deck, 200 - 60 * deck, 30)).max(axis=1)
        # but for rims, which are off
        assert (off <= 2).mean() > 0.9


def test_photos_of_few_backs_tell_nothing() -> None:
    assert back_crops(table(SPREAD[: LEAST_BACKS - 1]), np.random.default_rng(1)) is None
    faces = [(x, y, deck, True) for x, y, deck, _ in SPREAD]
    assert back_crops(table(faces), np.random.default_rng(1)) is None


def test_rectangles_are_off_as_much_as_an_eye_s() -> None:
    quads = np.tile(np.array([[0.0, 0], [63, 0], [63, 88], [0, 88]]), (4000, 1, 1))
    off = misplaced(quads, np.random.default_rng(2)) - quads
    assert np.abs(off.mean(axis=(0, 1))).max() < 0.05
    # a median of about a mm, few beyond 3
    far = np.linalg.norm(off, axis=2)
    assert 0.6 < np.median(far) < 1.2
    assert (far > 3).mean() < 0.1


def test_a_folder_of_something_else_is_left_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    out = tmp_path_factory.mktemp("other")
    (out / "a.txt").write_text("mine")
    assert build_backs.main(["--out", str(out), "--shards", "1"]) == 2
    assert [path.name for path in out.iterdir()] == ["a.txt"]
