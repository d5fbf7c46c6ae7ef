"""Named datasets: what a manifest may say, building, going on, and what is written for other trainings."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets import sets
from datasets.decks import AssetError
from datasets.film.sets import HandSet
from datasets.path.llvm import llvm
from datasets.photos import phone
from datasets.render import Art
from datasets.room import ArtRoom
from datasets.sets import MANIFEST, PictureSet, SetError, What, read_sets
from datasets.stills import Still
from datasets.truth import CardTruth
from scripts.build import dataset as build_dataset
from scripts.build import export as export_dataset
from tests.datasets.plain import cloth, plain_decks


def drawn(wanted: PictureSet, number: int) -> Still:
    """A picture of noise with one face, one back and one card that is nearly hidden."""
    rng = np.random.default_rng([wanted.seed, number])
    image = rng.integers(0, 256, (120, 200, 3), dtype=np.uint8)
    square = [[20.0, 10.0], [60.0, 10.0], [60.0, 66.0], [20.0, 66.0]]
    outside = [[170.0, 60.0], [210.0, 60.0], [210.0, 116.0], [170.0, 116.0]]
    cards = [
        CardTruth(square, "2S", True, 0, 0, 0, 1.0, [20, 10, 40, 56], [0.0, 0.0, 0.0, 63.0, 88.0], True),
        CardTruth(outside, "7D", False, 1, 1, 0, 0.7, [170, 60, 30, 56], [0.0, 0.0, 0.0, 63.0, 88.0], False),
        CardTruth(square, "KH", True, 1, 0, 1, 0.01, [20, 10, 1, 56], [0.0, 0.0, 0.0, 63.0, 88.0], False),
    ]
    return Still(image, cards, 0.64)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of `drawn`, drawn in this process."""
    monkeypatch.setattr(build_dataset, "draw", drawn)
    monkeypatch.setattr(build_dataset, "ProcessPoolExecutor", ThreadPoolExecutor)


def test_the_manifest_of_the_project_can_be_read() -> None:
    named = read_sets()
    assert {"tables", "spreads", "stills", "endings", "layouts"} <= set(named)
    # what is measured is drawn by scripts/measure/eyes and never a set that one could train on
    assert all(wanted.split != "figures" for wanted in named.values())


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[a]\nwhat = "towers"\npictures = 1\nseed = 1\n', "what"),
        ('[a]\nwhat = "tables"\npictures = 0\nseed = 1\n', "pictures"),
        ('[a]\nwhat = "tables"\npictures = 1\nseed = 1\nrenderer = "oil"\n', "renderer"),
        ('[a]\nwhat = "tables"\npictures = 1\nseed = 1\ncolour = 3\n', "colour"),
        ('[a]\nwhat = "layouts"\npictures = 1\nseed = 1\ngame = "whist"\n', "game"),
        ('[a]\nwhat = "layouts"\npictures = 1\nseed = 1\nprogress = [0.0, 1.5]\n', "progress"),
        ("[a]\nwhat = \n", "not a manifest"),
        ("a = 3\n", "whole table"),
    ],
)
def test_a_wrong_manifest_is_refused_by_name(
    tmp_path: Path, text: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sets.toml"
    path.write_text(text)
    with pytest.raises(SetError, match=named):
        read_sets(path)
    assert build_dataset.main(["a", "--manifest", str(path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert named in said
    assert not (tmp_path / "out").exists()


def test_an_unknown_set_is_refused_with_those_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build_dataset.main(["nonesuch", "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "nonesuch" in said
    assert "spreads" in said


def test_an_unknown_family_is_refused_with_those_there_are() -> None:
    with pytest.raises(AssetError, match=r"'Z'.*A, B, C"):
        ArtRoom("train", 0.0, ("Z",))


@pytest.mark.usefixtures("quick")
def test_a_stopped_build_goes_on_and_gives_the_same_bytes(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert build_dataset.main(["tables", "--pictures", "7", "--out", str(whole)]) == 0
    assert build_dataset.main(["tables", "--pictures", "3", "--out", str(parts)]) == 0
    # a picture without its truth was being written when the build was stopped
    (parts / "00001.json").unlink()
    (parts / "00001.jpg").write_bytes(b"half a picture")
    before = (parts / "00002.jpg").stat().st_mtime_ns
    assert build_dataset.main(["tables", "--pictures", "7", "--out", str(parts)]) == 0
    assert (parts / "00002.jpg").stat().st_mtime_ns == before
    names = sorted(path.name for path in whole.iterdir())
    assert names == sorted(path.name for path in parts.iterdir())
    assert len(names) == 15
    for name in names:
        assert (whole / name).read_bytes() == (parts / name).read_bytes()


@pytest.mark.usefixtures("quick")
def test_a_folder_of_another_set_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build_dataset.main(["tables", "--pictures", "2", "--out", str(tmp_path)]) == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert build_dataset.main(["spreads", "--pictures", "2", "--out", str(tmp_path)]) == 2
    assert "asked for otherwise" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    assert build_dataset.main(["tables", "--pictures", "2", "--out", str(other)]) == 2
    assert [path.name for path in other.iterdir()] == ["letter.txt"]


@pytest.mark.usefixtures("quick")
def test_a_full_disk_ends_the_build_and_nothing_half_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes = Path.write_bytes
    left = [5]

    def write(path: Path, content: bytes) -> int:
        left[0] -= 1
        if left[0] < 0:
            writes(path, content[:10])
            raise OSError(28, "No space left on device", str(path))
        return writes(path, content)

    monkeypatch.setattr(Path, "write_bytes", write)
    command = ["tables", "--pictures", "9", "--workers", "1", "--out", str(tmp_path)]
    assert build_dataset.main(command) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert "No space left" in said
    assert "goes on" in said
    assert not list(tmp_path.glob("*.part"))
    monkeypatch.undo()
    monkeypatch.setattr(build_dataset, "draw", drawn)
    monkeypatch.setattr(build_dataset, "ProcessPoolExecutor", ThreadPoolExecutor)
    assert build_dataset.main(command) == 0
    assert len(list(tmp_path.glob("*.jpg"))) == 9


@pytest.mark.usefixtures("quick")
def test_exports_hold_the_cards_that_show_enough(tmp_path: Path) -> None:
    built = tmp_path / "built"
    assert build_dataset.main(["tables", "--pictures", "2", "--out", str(built)]) == 0
    assert export_dataset.main([str(built), "--as", "obb", "--out", str(tmp_path / "obb")]) == 0
    lines = (tmp_path / "obb/labels/00000.txt").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["0", "1"]
    numbers = np.array([[float(v) for v in line.split()[1:]] for line in lines])
    assert numbers[0] == pytest.approx([0.1, 1 / 12, 0.3, 1 / 12, 0.3, 0.55, 0.1, 0.55], abs=1e-4)
    assert numbers.min() >= 0
    assert numbers.max() <= 1
    assert (tmp_path / "obb/images/00001.jpg").read_bytes() == (built / "00001.jpg").read_bytes()
    assert export_dataset.main([str(built), "--as", "crops", "--out", str(tmp_path / "crops")]) == 0
    crops = sorted(path.relative_to(tmp_path / "crops") for path in (tmp_path / "crops").glob("*/*"))
    assert crops == [Path("2S/00000-000.png"), Path("2S/00001-000.png")]
    crop = cv2.imread(str(tmp_path / "crops" / crops[0]))
    assert crop is not None
    assert crop.shape == (220, 158, 3)
    assert export_dataset.main([str(built), "--as", "backs", "--out", str(tmp_path / "backs")]) == 0
    assert {path.parent.name for path in (tmp_path / "backs").glob("*/*")} == {"00000-1", "00001-1"}


def test_an_export_of_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export_dataset.main([str(tmp_path), "--as", "obb", "--out", str(tmp_path / "out")]) == 2
    assert "build.dataset" in capsys.readouterr().err
    (tmp_path / "00000.json").write_text(
        json.dumps({"image": "00000.jpg", "width": 9, "height": 9, "cards": []})
    )
    assert export_dataset.main([str(tmp_path), "--as", "crops", "--out", str(tmp_path / "out")]) == 2
    assert "not a picture" in capsys.readouterr().err


def test_the_sets_of_the_manifest_stand_in_the_readme() -> None:
    text = (MANIFEST.parents[1] / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in read_sets())


class Shelf:
    """A room of plain decks that knows what it was asked for."""

    def __init__(self, most: int = 9) -> None:
        self.most, self.asked = most, list[tuple[int, int, bool]]()

    def decks(self, rng: np.random.Generator, least: int, most: int, whole: bool = False) -> list[Art]:
        self.asked.append((least, most, whole))
        return plain_decks(min(int(rng.integers(least, most + 1)), self.most))

    surface = staticmethod(cloth)


@pytest.mark.parametrize(
    ("what", "asked"),
    [
        ("endings", (2, 6, False)),
        ("leftovers", (1, 6, False)),
        ("tops", (2, 6, True)),
        ("fans", (1, 1, True)),
    ],
)
def test_stills_of_endings_are_drawn_from_as_many_decks_as_players_have(
    what: What, asked: tuple[int, int, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf()
    monkeypatch.setattr(sets, "room_of", lambda *_: shelf)
    monkeypatch.setattr(phone, "LONG", 672)
    monkeypatch.setattr(phone, "SHORT", 504)
    wanted = PictureSet(what=what, pictures=1, seed=3, cards=(10, 12))
    one, two = (sets.draw(wanted, 1) for _ in range(2))
    assert (one.image == two.image).all()
    assert shelf.asked == [asked] * 2
    assert 0 <= one.about["tilt"] <= 45
    assert one.scene is not None and len(one.scene.decks) >= 1
    assert len(one.scene.cards) == len(one.cards) and one.scene.style is not None
    # the scene's camera is the one that took the picture
    for card, truth in zip(one.scene.cards, one.cards, strict=True):
        assert one.scene.corners(card) == pytest.approx(np.array(truth.corners), abs=0.01)
    with pytest.raises(SetError, match="drawn again"):
        sets.redraw(wanted, one.scene)
    other = sets.draw(wanted, 2)
    assert [card.mm for card in other.cards] != [card.mm for card in one.cards]


def test_layouts_take_the_set_s_game_and_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "room_of", lambda *_: Shelf())
    wanted = PictureSet(
        what="layouts", pictures=1, seed=3, game="pishe-pasha", progress=(0.5, 0.5), px_per_mm=(1.3, 1.4)
    )
    still = sets.draw(wanted, 0)
    assert still.about["game"] == "pishe-pasha"
    assert still.about["progress"] == 0.5
    assert 1.3 <= still.px_per_mm <= 1.4
    monkeypatch.setattr(sets, "room_of", lambda *_: Shelf(most=0))
    with pytest.raises(AssetError, match=r"0 whole decks, 1 are needed"):
        sets.draw(wanted, 0)


@pytest.mark.usefixtures("quick")
def test_what_else_is_true_stands_in_a_picture_s_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(wanted: PictureSet, number: int) -> Still:
        still = drawn(wanted, number)
        still.about["game"] = "nuts" if wanted.committable else "nerts"
        still.cards[0].place = "south work 2"
        return still

    monkeypatch.setattr(build_dataset, "draw", told)
    out = tmp_path / "out"
    assert build_dataset.main(["layouts", "--pictures", "1", "--committable", "--out", str(out)]) == 0
    truth = json.loads((out / "00000.json").read_text())
    assert truth["game"] == "nuts"
    assert [card.get("place") for card in truth["cards"]] == ["south work 2", None, None]
    assert "place" not in truth["cards"][1]
    # without the option it is another set
    assert build_dataset.main(["layouts", "--pictures", "1", "--out", str(out)]) == 2


@pytest.mark.usefixtures("quick")
def test_a_folder_begun_before_there_was_a_setting_goes_on(tmp_path: Path) -> None:
    command = ["tables", "--pictures", "1", "--out", str(tmp_path)]
    assert build_dataset.main(command) == 0
    note = tmp_path / "set.json"
    said = json.loads(note.read_text())
    note.write_text(json.dumps({key: value for key, value in said.items() if key != "committable"}))
    assert build_dataset.main(command) == 0
    note.write_text(json.dumps(said | {"committable": True}))
    assert build_dataset.main(command) == 2


def test_a_traced_set_is_refused_where_the_tracer_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert build_dataset.main(["real-look", "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert ".[path]" in said
    assert "libllvm19" in said
    assert not (tmp_path / "out").exists()


def test_a_library_that_is_no_llvm_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library = tmp_path / "libLLVM.so"
    library.write_bytes(b"none")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setenv("DRJIT_LIBLLVM_PATH", str(library))
    llvm.cache_clear()
    assert build_dataset.main(["real-look", "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(library) in said
    llvm.cache_clear()


@pytest.mark.usefixtures("quick")
def test_a_set_of_hands_is_built_from_the_manifest_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filmed: list[int] = []

    def film(wanted: HandSet, number: int, out: Path) -> None:
        filmed.append(number)
        (out / f"{number:05d}.mp4").write_bytes(b"film")
        (out / f"{number:05d}.staged.json").write_text("[]")

    monkeypatch.setattr(build_dataset, "film_of", film)
    manifest = tmp_path / "sets.toml"
    manifest.write_text('[few]\nwhat = "hands"\npictures = 3\nseed = 1\nplayers = 4\n')
    out = tmp_path / "out"
    command = ["few", "--manifest", str(manifest), "--out", str(out)]
    assert build_dataset.main(command) == 0
    assert sorted(filmed) == [0, 1, 2]
    # a hand that was stopped half way has no list of what was staged
    (out / "00001.staged.json").unlink()
    assert build_dataset.main(command) == 0
    assert filmed[3:] == [1]
    manifest.write_text('[few]\nwhat = "hands"\npictures = 3\nseed = 1\nplayers = 2\n')
    assert build_dataset.main(command) == 2


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ('what = "hands"\npictures = 1\nseed = 1\nplayers = 1', "players"),
        ('what = "endings"\npictures = 1\nseed = 1\nrenderer = "path"', "path tracer draws"),
    ],
)
def test_what_a_kind_of_set_cannot_be_is_refused(table: str, named: str, tmp_path: Path) -> None:
    manifest = tmp_path / "sets.toml"
    manifest.write_text(f"[a]\n{table}\n")
    with pytest.raises(SetError, match=named):
        read_sets(manifest)
