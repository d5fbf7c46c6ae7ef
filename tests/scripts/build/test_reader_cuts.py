"""Crops cut out of whole pictures: each shows its own card, what lies on it is masked, and broken sets are refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from datasets.reader_crops import PICTURE_SEEN, REJECT, Crop
from datasets.reader_cuts import REJECTS, cut_cards
from scripts.build import cut_crops as cut_reader_crops
from vision.layout import FACES

#: px: a card of 63 x 88 mm at 2 px/mm, and the picture.
WIDE, HIGH, WIDTH, HEIGHT = 126, 176, 640, 480
PAPER = {"AS": (30, 30, 220), "2H": (220, 60, 30), "3C": (40, 200, 40), "back": (200, 200, 30)}


def card(face: str, left: float, top: float, **told: Any) -> dict[str, Any]:
    corners = [[left, top], [left + WIDE, top], [left + WIDE, top + HIGH], [left, top + HIGH]]
    usual = {"face": face, "face_up": True, "deck": 0, "visible_fraction": 1.0, "index_visible": True}
    return {"corners": corners, **usual, **told}


def painted(cards: Sequence[dict[str, Any]]) -> np.ndarray:
    image = np.full((HEIGHT, WIDTH, 3), 128, np.uint8)
    for each in cards:
        quad = np.array(each["corners"], np.int32)
        cv2.fillConvexPoly(image, quad, PAPER[each["face"] if each["face_up"] else "back"])
    return image


#: A card half under another, and one alone.
TABLE = [card("AS", 80, 90, visible_fraction=0.5), card("2H", 80, 90 + HIGH / 2), card("3C", 400, 200)]


def cuts(cards: Sequence[dict[str, Any]], seeds: int = 20) -> list[Crop]:
    image = painted(cards)
    return [crop for seed in range(seeds) for crop in cut_cards(np.random.default_rng(seed), image, cards)]


@pytest.mark.parametrize("face", ["AS", "2H", "3C"])
def test_a_crop_shows_the_card_of_its_label(face: str) -> None:
    crops = [crop for crop in cuts(TABLE) if crop.name == face]
    assert len(crops) == 20 and {FACES[crop.label] for crop in crops} == {face}
    likes = []
    for crop in crops:
        inside = cv2.erode(crop.mask, np.ones((9, 9), np.uint8)) > 0
        likes.append((np.abs(crop.image[inside].astype(int) - PAPER[face]).max(axis=1) < 40).mean())
    # one mask in twenty is of a finder that missed what lies on the card
    assert np.median(likes) > 0.97


def test_what_lies_on_a_card_is_masked() -> None:
    crops = cuts(TABLE, 60)
    shares = {face: [float((c.mask > 0).mean()) for c in crops if c.name == face] for face in ("AS", "2H")}
    assert np.median(shares["2H"]) > 0.8
    assert np.median(shares["AS"]) == pytest.approx(np.median(shares["2H"]) / 2, rel=0.15)
    # either end of a card may be up
    upper = [
        c.mask[: len(c.mask) // 2].mean() > c.mask[len(c.mask) // 2 :].mean() for c in crops if c.name == "AS"
    ]
    assert 15 < sum(upper) < 45


def test_backs_slivers_and_faces_without_an_index_are_no_faces() -> None:
    cards = [
        card("AS", 20, 20, face_up=False, index_visible=False),
        card("2H", 220, 20, visible_fraction=0.9 * PICTURE_SEEN, index_visible=False),
        card("3C", 420, 20, visible_fraction=0.03),
    ]
    crops = cuts(cards, 300)
    assert {crop.label for crop in crops} == {REJECT}
    assert {crop.name for crop in crops} == {"back", "2H"}
    assert len(crops) / 600 == pytest.approx(REJECTS, abs=0.05)


def test_a_card_beyond_the_rim_is_cut_where_the_picture_ends() -> None:
    crops = cuts([card("AS", -60, 200), card("2H", -500, 200)])
    assert {crop.name for crop in crops} == {"AS"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A set of five pictures of three readable cards each."""
    folder = tmp_path / "set"
    folder.mkdir()
    for number in range(5):
        cv2.imwrite(str(folder / f"{number:05d}.png"), painted(TABLE))
        size = {"width": WIDTH, "height": HEIGHT, "px_per_mm": 2.0}
        truth = {"image": f"{number:05d}.png", "cards": TABLE, **size}
        (folder / f"{number:05d}.json").write_text(json.dumps(truth))
    return folder


def labels(folder: Path) -> list[list[int]]:
    return [np.load(path).tolist() for path in sorted(folder.glob("*.labels.npy"))]


def test_every_crop_is_in_one_shard(built: Path, tmp_path: Path) -> None:
    for per_shard, shards in ((4, 4), (15, 1), (100, 1)):
        out = tmp_path / f"out{per_shard}"
        assert cut_reader_crops.main([str(built), "--out", str(out), "--per-shard", str(per_shard)]) == 0
        found = labels(out)
        assert len(found) == shards and max(map(len, found)) <= per_shard
        assert [label for some in found for label in some] == [
            FACES.index(face) for face in ("AS", "2H", "3C")
        ] * 5
        for number, some in enumerate(found):
            assert len(np.load(out / f"{number:04d}.images.npy")) == len(some)


def test_a_set_that_does_not_tell_enough_is_refused(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built / "00002.json"
    truth = json.loads(path.read_text())
    del truth["cards"][0]["index_visible"]
    path.write_text(json.dumps(truth))
    assert cut_reader_crops.main([str(built), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "00002.json" in said and "build the set again" in said and "index_visible" in said
    (built / "00000.png").write_bytes(b"no picture")
    assert cut_reader_crops.main([str(built), "--out", str(tmp_path / "other")]) == 2
    assert "00000.png" in capsys.readouterr().err.splitlines()[-1]
