"""The reader's crops from geometry, and its answers on card art that it was not trained on."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.faces.reader import CROP, ONE_WAY, Reader, rectify
from vision.layout import FACES

ROWS, COLUMNS = CROP
CARDS = sorted((Path(__file__).parents[1] / "cards").glob("*.png"))


def quad(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float64)


def noise(rows: int, columns: int) -> np.ndarray:
    coarse = np.random.default_rng(2).integers(0, 256, (rows // 8, columns // 8, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(coarse, (columns, rows), interpolation=cv2.INTER_CUBIC))


def test_a_card_of_the_crops_own_size_is_copied() -> None:
    image = noise(240, 200)
    crops, _ = rectify(image, quad(30, 40, 30 + COLUMNS, 40 + ROWS)[None], np.ones((1, 240, 200), bool))
    assert np.abs(crops[0].astype(int) - image[40 : 40 + ROWS, 30 : 30 + COLUMNS]).max() <= 1


def test_corners_in_another_order_turn_the_crop() -> None:
    image = noise(240, 200)
    corners = quad(30, 40, 30 + COLUMNS, 40 + ROWS)
    seen = np.ones((2, 240, 200), bool)
    crops, _ = rectify(image, np.stack([corners, corners[[2, 3, 0, 1]]]), seen)
    assert np.abs(crops[1].astype(int) - crops[0][::-1, ::-1]).max() <= 1


def test_a_large_card_is_smoothed_before_it_is_sampled() -> None:
    image = np.zeros((1000, 800, 3), np.uint8)
    image[::2] = 255
    crops, _ = rectify(
        image, quad(50, 50, 50 + 5 * COLUMNS, 50 + 5 * ROWS)[None], np.ones((1, 1000, 800), bool)
    )
    inner = crops[0][5:-5, 5:-5]
    assert inner.min() > 110 and inner.max() < 145


@pytest.mark.parametrize("step", [1, 4])
def test_masks_are_brought_along_at_any_step(step: int) -> None:
    image = np.zeros((240, 200, 3), np.uint8)
    mask = np.zeros((1, 240 // step, 200 // step), bool)
    mask[:, : 120 // step] = True
    _, shown = rectify(image, quad(40, 40, 40 + COLUMNS, 40 + ROWS)[None], mask, step)
    assert (shown[0, : 80 - step] == 255).all() and (shown[0, 80 + step :] == 0).all()


def test_no_cards_no_reading() -> None:
    reading = Reader().read(np.zeros((0, *CROP, 3), np.uint8), np.zeros((0, *CROP), np.uint8))
    assert reading.probabilities.shape == (0, 52) and reading.reject.shape == (0,)


def read_cards(turned: bool) -> tuple[np.ndarray, list[str]]:
    crops = np.stack([cv2.imread(str(path)) for path in CARDS])
    masks = np.full((len(crops), *CROP), 255, np.uint8)
    if turned:
        crops = np.ascontiguousarray(crops[:, ::-1, ::-1])
    reading = Reader().read(crops, masks)
    assert np.allclose(reading.probabilities.sum(axis=1) + reading.reject, 1)
    return reading.probabilities, [path.stem for path in CARDS]


def test_whole_cards_of_an_unseen_deck_are_read_either_way_up() -> None:
    assert len(CARDS) == 12
    for turned in (False, True):
        chances, names = read_cards(turned)
        said = [FACES[i] for i in chances.argmax(axis=1)]
        assert sum(a == b for a, b in zip(said, names, strict=True)) >= 11, said


def test_only_what_one_way_leaves_in_doubt_is_read_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole cards are sure one way round; of the tops alone some are not, and these are read as ever."""
    crops = np.stack([cv2.imread(str(path)) for path in CARDS] * 2)
    masks = np.full((len(crops), *CROP), 255, np.uint8)
    masks[len(CARDS) :, 24:] = 0
    reader, read = Reader(), []
    logits = reader._logits
    monkeypatch.setattr(reader, "_logits", lambda both: read.append(len(both)) or logits(both))
    whole, brief = reader.read(crops, masks), reader.read(crops, masks, briefly=True)
    assert read[:3] == [len(crops)] * 3 and 0 < read[3] <= len(CARDS)
    same = np.isclose(whole.probabilities, brief.probabilities, atol=1e-4).all(axis=1)
    assert (same | (brief.probabilities.max(axis=1) >= ONE_WAY)).all() and same.sum() >= read[3]
    names = [path.stem for path in CARDS]
    said = [FACES[i] for i in brief.probabilities[: len(CARDS)].argmax(axis=1)]
    assert sum(a == b for a, b in zip(said, names, strict=True)) >= 11, said


def test_bare_surfaces_are_not_named_with_confidence() -> None:
    rng = np.random.default_rng(1)
    plain = np.stack([np.full((*CROP, 3), rng.integers(0, 255, 3), np.uint8) for _ in range(12)])
    reading = Reader().read(plain, np.full((12, *CROP), 255, np.uint8))
    assert (reading.probabilities.max(axis=1) < 0.9).all()


def test_half_a_turn_changes_nothing() -> None:
    assert np.allclose(read_cards(False)[0], read_cards(True)[0], atol=1e-4)
