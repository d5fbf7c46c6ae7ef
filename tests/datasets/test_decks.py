"""Cards as they come off the shelf: cut clean, fitted, upright, right."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from datasets.decks import Deck, as_card, cache_folder, list_backs, list_decks, load_back, load_deck
from datasets.decks.build import DONE
from datasets.decks.glyphs import font_alphabets, own_alphabet, set_rank
from datasets.decks.pen import Pen
from datasets.decks.raster import Pixels, clean, cut_grid, cut_scattered, outline_width, shed
from vision.layout import FACES

WHITE = (255, 255, 255, 255)


def card(width: int = 200, height: int = 300, outline: int = 3, mark: int = 0) -> Pixels:
    """A white BGRA card with a black outline; `mark` colours its middle."""
    picture = np.zeros((height, width, 4), np.uint8)
    picture[:] = (0, 0, 0, 255)
    picture[outline : height - outline, outline : width - outline] = WHITE
    cv2.circle(picture, (width // 2, height // 4), 20, (0, 0, mark, 255), -1)
    return picture


def test_a_grid_is_cut_in_reading_order() -> None:
    sheet = np.vstack([np.hstack([card(mark=10 * row + column) for column in range(13)]) for row in range(5)])
    cells = cut_grid(sheet)
    marks = [[int(cell[75, 100, 2]) for cell in row] for row in cells]
    assert marks == [[10 * row + column for column in range(13)] for row in range(5)]


def test_scattered_cards_are_found_row_by_row() -> None:
    sheet = np.zeros((760, 900, 4), np.uint8)
    places = {(20, 15): 1, (25, 300): 2, (22, 600): 3, (400, 310): 4, (395, 20): 5}
    for (y, x), mark in places.items():
        sheet[y : y + 300, x : x + 200] = card(mark=mark)
    sheet[720:730, 700:710] = WHITE
    found = cut_scattered(sheet)
    assert [[int(c[75, 100, 2]) for c in row] for row in found] == [[1, 2, 3], [5, 4]]


@pytest.mark.parametrize("outline", [0, 2, 5, 9])
def test_outlines_are_measured_and_cut_off(outline: int) -> None:
    picture = card(outline=outline)
    assert outline_width([picture]) == outline
    inner = clean(picture, outline + 1)
    assert inner.shape[0] == 352
    for side in (inner[:3], inner[-3:], inner[:, :3], inner[:, -3:]):
        assert side.min() > 250


def test_transparent_margins_are_shed() -> None:
    picture = np.zeros((340, 260, 4), np.uint8)
    picture[20:320, 40:240] = card()
    assert shed(picture).shape == (300, 200, 4)
    with pytest.raises(ValueError, match="empty"):
        shed(np.zeros((30, 30, 4), np.uint8))


@pytest.mark.parametrize(("fit", "width"), [("stretch", 252), ("pad", 252), ("bridge", 228)])
def test_bridge_art_fits_on_either_card(fit: str, width: int) -> None:
    art = np.full((352, 226, 3), 250, np.uint8)
    art[:, 20:30] = 0
    fitted = as_card(art, fit)  # type: ignore[arg-type]
    assert fitted.shape == (352, width, 4)
    assert fitted[0, 0, 3] == 0
    assert fitted[176, 0, 3] == 255
    dark = np.flatnonzero(fitted[176, :, 0] < 100)
    expected = {"stretch": 10 * 252 / 226, "pad": 10, "bridge": 10 * 228 / 226}[fit]
    assert abs(len(dark) - expected) <= 1.5
    start = {"stretch": 20 * 252 / 226, "pad": 33, "bridge": 20 * 228 / 226}[fit]
    assert abs(dark[0] - start) <= 1.5


built = [d.name for d in list_decks() if (cache_folder() / "decks" / d.name / DONE).exists()]
needs_art = pytest.mark.skipif(not built, reason="no art here: run scripts.build.assets")
#: Faces that were left out: foreign or missing letters, a misprint, sixes and nines that do not turn.
MISSING = {
    "ancient_french": "AJQK",
    "berlin": "JQK",
    "tarocco": "JQK",
    "guyenne_classic": "JQK",
    "egyptians": "69",
}


@needs_art
@pytest.mark.parametrize("name", built)
def test_every_promised_face_is_there(name: str) -> None:
    deck = load_deck(name)
    expected = {face for face in FACES if face[0] not in MISSING.get(name, "")}
    if name == "simplistic":
        expected.remove("3S")
    assert set(deck.faces) == expected
    face = deck.faces["2S"]
    assert face.shape == (352, 252, 4)
    assert face.dtype == np.uint8
    with pytest.raises(KeyError):
        deck.faces["1S"]


@needs_art
def test_backs_are_loaded_by_their_names() -> None:
    for name in list_backs("train", "art"):
        assert load_back(name).shape == (352, 252, 4)


def index_ink(deck: Deck, face: str) -> Pixels:
    """The ink of the top left corner of a face, 255 where there is some."""
    corner = deck.faces[face][4:130, 3:68, :3].astype(np.int16)
    paper = np.median(corner[:, :4].reshape(-1, 3), axis=0)
    return (np.abs(corner - paper).max(axis=2) > 90).astype(np.uint8) * 255


def top_glyph(ink: Pixels) -> Pixels | None:
    """The first ink from the top: the rank, cut to its box."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink)
    parts = [k for k in range(1, len(stats)) if stats[k, 4] > 40]
    if not parts:
        return None
    first = min(parts, key=lambda k: stats[k, 1] + 0.8 * stats[k, 0])
    top, height = stats[first, 1], stats[first, 3]
    right = stats[first, 0] + stats[first, 2]
    same_line = [
        k
        for k in parts
        if abs(stats[k, 1] - top) < 0.12 * height
        and abs(stats[k, 3] - height) < 0.12 * height
        and stats[k, 0] - right < 0.3 * height
    ]
    left = min(stats[k, 0] for k in same_line)
    right = max(stats[k, 0] + stats[k, 2] for k in same_line)
    box = np.isin(labels, same_line)[top : top + height, left:right]
    return box.astype(np.uint8) * 255


def normalised(glyph: Pixels) -> np.ndarray:
    small = cv2.resize(glyph, (20, 28), interpolation=cv2.INTER_AREA).astype(np.float32).ravel()
    small -= small.mean()
    return small / max(float(np.linalg.norm(small)), 1e-6)


@pytest.fixture(scope="module")
def templates() -> dict[str, np.ndarray]:
    """Every rank in every alphabet: a reader that knows nothing of the decks."""
    alphabets = [
        *font_alphabets(cache_folder()),
        *(own_alphabet(np.random.default_rng(k)) for k in range(20)),
    ]
    shapes: dict[str, list[np.ndarray]] = {rank: [] for rank in "A23456789TJQK"}
    for alphabet in alphabets:
        for rank, found in shapes.items():
            glyph = set_rank(alphabet, rank, 60)
            mask = np.zeros((round(glyph.height) + 2, round(glyph.width) + 2), np.uint8)
            glyph.draw(Pen(mask), 1, 1)
            found.append(normalised(mask))
    return {rank: np.stack(found) for rank, found in shapes.items()}


def read(glyph: Pixels, templates: dict[str, np.ndarray]) -> str:
    vector = normalised(glyph)
    return max(templates, key=lambda rank: float((templates[rank] @ vector).max()))


def readings(
    deck: Deck, templates: dict[str, np.ndarray], mirrored: bool = False
) -> Iterator[tuple[str, str]]:
    for face in deck.faces:
        if face[0] in "JQK" and deck.name in {"bellot", "svg_cards"}:
            continue  # their pictures run into the index
        glyph = top_glyph(index_ink(deck, face))
        if glyph is not None:
            yield face[0], read(np.ascontiguousarray(glyph[:, ::-1]) if mirrored else glyph, templates)


@needs_art
@pytest.mark.parametrize("name", built)
def test_the_index_says_what_the_label_says(name: str, templates: dict[str, np.ndarray]) -> None:
    """Read by comparison with the alphabets; a mirrored or shifted deck reads far worse."""
    pairs = list(readings(load_deck(name), templates))
    right = np.mean([label == said for label, said in pairs])
    turned = np.mean([label == said for label, said in readings(load_deck(name), templates, mirrored=True)])
    assert len(pairs) >= 30
    assert right >= 0.8, [pair for pair in pairs if pair[0] != pair[1]]
    assert right > turned + 0.2


@needs_art
@pytest.mark.parametrize("name", built)
def test_red_suits_are_red_or_another_colour_than_black(name: str) -> None:
    """Hearts are red everywhere; spades and clubs never are."""
    faces = load_deck(name).faces
    for rank in "25":
        redness = {}
        for suit in "SHDC":
            pixels = faces[rank + suit][..., :3].reshape(-1, 3).astype(int)
            ink = pixels[pixels.min(axis=1) < 130]
            redness[suit] = float(np.median(ink[:, 2] - ink[:, :2].max(axis=1)))
        assert redness["H"] > 60
        assert max(redness["S"], redness["C"]) < 30
