"""Backs as printers print them: seeded, to the edge, motifs of their own for each split, worn where a set asks."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.decks import AssetError, list_backs, load_back
from datasets.decks.manifest import Split
from datasets.decks.printed import back as printed
from datasets.decks.printed.back import MOTIFS, printed_back, store_printed_back
from datasets.decks.printed.lettering import stamp
from datasets.decks.printed.sheet import HEIGHT, WIDTH, ground_colour, ink_on
from datasets.room import ArtRoom
from datasets.sets import PictureSet, read_sets

Pixels = NDArray[np.uint8]
SHARED = {"one-colour", "suit-signs"}


def backs(split: Split, number: int = 40) -> list[Pixels]:
    return [printed_back(np.random.default_rng([7, k]), split, ()) for k in range(number)]


def rim(back: Pixels) -> NDArray[np.int16]:
    """(n, 3): what lies 1 mm inside the edges, away from the corners."""
    inner = back[4:-4, 4:-4].astype(np.int16)
    return np.concatenate([inner[40:-40, 0], inner[40:-40, -1], inner[0, 40:-40], inner[-1, 40:-40]])


def test_a_back_hangs_on_its_seed_alone() -> None:
    first, again = (printed_back(np.random.default_rng([7, 3]), "train", ()) for _ in range(2))
    assert first.shape == (352, 252, 3) and np.array_equal(first, again)
    small = np.stack([cv2.resize(b, (42, 59)).astype(float).ravel() for b in backs("train", 12)])
    apart = np.abs(small[:, None] - small[None]).mean(axis=2)
    assert apart[~np.eye(12, dtype=bool)].min() > 8


@pytest.mark.parametrize("split", ["train", "tune", "figures"])
def test_most_are_printed_to_the_edge(split: Split) -> None:
    """White all around is what a finder of framed backs leans on."""
    white = [bool((rim(back).min(axis=1) > 190).mean() > 0.9) for back in backs(split)]
    assert 2 <= sum(white) <= 22


def test_each_split_has_motifs_that_no_other_shows() -> None:
    own = {split: set(motifs) - SHARED for split, motifs in MOTIFS.items()}
    for split, motifs in own.items():
        others = {name for other, names in own.items() if other != split for name in names}
        # a texture is another one in each
        assert len(motifs - others) >= 2
        assert motifs & others <= {"texture"}


def test_lettering_is_printed_where_it_stands() -> None:
    inked = np.zeros((HEIGHT, WIDTH), np.uint8)
    stamp(inked, np.full((20, 60), 255, np.uint8), 100, 200, np.pi / 2)
    rows, columns = np.nonzero(inked > 127)
    assert (rows.min(), rows.max()) == pytest.approx((170, 230), abs=2)
    assert (columns.min(), columns.max()) == pytest.approx((90, 110), abs=2)
    stamp(inked, np.full((20, 400), 255, np.uint8), 250, 500, 0.0, 100)
    assert np.ptp(np.nonzero(inked[490:] > 127)[1]) == pytest.approx(100, abs=3)


def test_an_ink_shows_on_its_ground() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        ground = ground_colour(rng)
        assert np.abs(ink_on(rng, ground) - ground).max() >= 11
        assert np.abs(ink_on(rng, ground, 0.0) - ground).max() >= 45


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with four printed backs of train, and no art."""
    monkeypatch.setenv("NERTS_CACHE", str(tmp_path))
    monkeypatch.setattr(printed, "font_files", lambda: ())
    for index in range(4):
        store_printed_back(tmp_path, "train", index)
    return tmp_path


def test_they_are_kept_apart_from_framed_ones(shelf: Path) -> None:
    names = [f"printed/train-000{k}" for k in range(4)]
    assert list_backs("train", "printed") == names
    assert list_backs("train") == [] and list_backs("figures", "printed") == []
    assert load_back(names[0]).shape == (352, 252, 4)
    there = (shelf / "printed" / "train-0000.png").stat().st_mtime_ns
    store_printed_back(shelf, "train", 0)
    assert (shelf / "printed" / "train-0000.png").stat().st_mtime_ns == there


def test_only_sets_that_ask_wear_them() -> None:
    named = read_sets()
    wearing = {
        name for name, wanted in named.items() if isinstance(wanted, PictureSet) and wanted.backs != "framed"
    }
    assert wearing == {"printed", "tune-printed"}


class _Asked(ArtRoom):
    """A room whose backs alone are looked at."""

    def __init__(self, wear: str, framed: list[str], shown: list[str]) -> None:
        self._wear = wear  # type: ignore[assignment]
        self._backs, self._printed = framed, shown


def test_a_room_dresses_its_decks_as_it_is_asked() -> None:
    rng = np.random.default_rng(1)
    framed, shown = [f"drawn/{k}" for k in range(50)], ["printed/1", "printed/2", "printed/3"]
    assert _Asked("framed", framed, shown)._backs_of(rng) == framed
    assert _Asked("printed", framed, shown)._backs_of(rng) == shown
    both = _Asked("both", framed, shown)._backs_of(rng)
    assert set(shown) < set(both) and 1 <= len(set(both) & set(framed)) <= 3


def test_a_room_without_them_says_what_draws_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NERTS_CACHE", str(tmp_path))
    (tmp_path / "backs").mkdir()
    cv2.imwrite(str(tmp_path / "backs" / "train-0000.png"), np.zeros((352, 252, 3), np.uint8))
    with pytest.raises(AssetError, match="--printed"):
        ArtRoom("train", backs="printed")
