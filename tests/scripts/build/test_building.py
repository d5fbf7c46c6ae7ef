"""Builds that are stopped, run out of disk or are asked for something else: one line, nothing half, and they go on."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from datasets.decks import AssetError
from datasets.files import put, put_array, whole
from datasets.film.video import VideoWriter
from datasets.reader_crops import Crop
from scripts import building
from scripts.build import bands as build_bands
from scripts.build import crops as build_reader_crops
from scripts.build import dataset as build_dataset
from scripts.build import export as export_dataset
from scripts.build import windows as build_windows

ROOT = Path(__file__).parents[3]


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A disk on which no file can grow beyond so many bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_file_is_there_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    put_array(path, np.arange(5))
    before = path.read_bytes()
    with files_of_at_most(500), pytest.raises(OSError, match=r"too large") as failure:
        put_array(path, np.arange(500))
    assert failure.value.filename == str(path)
    with files_of_at_most(500), pytest.raises(OSError, match=r"too large") as failure:
        put(path, "x" * 501)
    assert failure.value.filename == str(path)
    with pytest.raises(KeyboardInterrupt), whole(path) as part:
        part.write_bytes(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.npy"]
    put(path, "fünf")
    assert path.read_bytes() == "fünf".encode()


def test_a_film_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)

    def film(stop: int | None) -> None:
        with VideoWriter(tmp_path / "hand.mp4", 64, 48, 30) as video:
            for index in range(30):
                assert not (tmp_path / "hand.mp4").exists()
                if index == stop:
                    raise KeyboardInterrupt
                video.write(rng.integers(0, 256, (72, 64), dtype=np.uint8))

    with pytest.raises(KeyboardInterrupt):
        film(20)
    assert list(tmp_path.iterdir()) == []
    with files_of_at_most(2000), pytest.raises(OSError, match=r"hand\.mp4"):
        film(None)
    assert list(tmp_path.iterdir()) == []
    film(None)
    assert [path.name for path in tmp_path.iterdir()] == ["hand.mp4"]


def failing(error: BaseException) -> Callable[[], str]:
    def work() -> str:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (AssetError("no art;\nfetch it"), "no art; fetch it"),
        (building.BuildError("other files"), "other files"),
        (OSError(28, "No space left on device", "/x/a.jpg"), "/x/a.jpg: No space left on device; the same"),
        (KeyboardInterrupt(), "stopped; the same command goes on from there"),
        (BrokenProcessPool(), "a worker was killed"),
    ],
)
def test_what_goes_wrong_is_one_line_and_status_2(
    error: BaseException, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert building.ended("builder", failing(error), AssetError) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"builder: {said}")
    assert shown.err.count("\n") == 1


def test_a_mistake_of_our_own_is_not_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError):
        building.ended("builder", failing(ZeroDivisionError()), AssetError)
    assert building.ended("builder", lambda: "done") == 0
    assert capsys.readouterr().out == "done\n"


def test_a_folder_belongs_to_what_was_asked_for_first(tmp_path: Path) -> None:
    out = tmp_path / "out"
    building.claim(out, "note.json", {"seed": 1})
    # nothing was built yet: it may still become another's
    building.claim(out, "note.json", {"seed": 2})
    (out / "0000.npy").write_bytes(b"x")
    building.claim(out, "note.json", {"seed": 2})
    with pytest.raises(building.BuildError, match=r"asked for otherwise .*note\.json"):
        building.claim(out, "note.json", {"seed": 3})
    (out / "note.json").write_text("{")
    with pytest.raises(building.BuildError, match=r"note\.json"):
        building.claim(out, "note.json", {"seed": 2})
    (out / "note.json").unlink()
    with pytest.raises(building.BuildError, match="other files"):
        building.claim(out, "note.json", {"seed": 2})
    building.claim(out, "note.json", {"seed": 2}, adopt="*.npy")
    with pytest.raises(building.BuildError, match="is a file"):
        building.claim(out / "0000.npy", "note.json", {})


def test_what_certainly_does_not_fit_is_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(building.shutil, "disk_usage", lambda _: (10**9, 10**9 - 50_000, 50_000))
    out = tmp_path / "a" / "b"
    building.room_for(out, 49_999)
    with pytest.raises(building.BuildError, match=r"a/b: 7 MB are needed"):
        building.room_for(out, 7e6)
    commands: list[tuple[Callable[[list[str]], int], list[str]]] = [
        (build_dataset.main, ["tables", "--pictures", "40"]),
        (build_windows.main, ["--shards", "1", "--per-shard", "4"]),
        (build_reader_crops.main, ["--shards", "1", "--per-shard", "9"]),
    ]
    for main, arguments in commands:
        assert main([*arguments, "--out", str(out)]) == 2
        assert "are needed at least" in capsys.readouterr().err
    assert not out.parent.exists()


#: Builds pictures that take a while, in two workers.
SLOW = """
import signal, sys, time
import numpy as np
from datasets.stills import Still
from scripts.build import dataset as build_dataset
def draw(wanted, number):
    time.sleep(0.05)
    image = np.random.default_rng([wanted.seed, number]).integers(0, 256, (90, 120, 3), dtype=np.uint8)
    return Still(image, [], 1.0)
# whoever runs the tests in the background has Ctrl-C ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
build_dataset.draw = draw
sys.exit(build_dataset.main(["tables", "--pictures", "40", "--workers", "2", "--out", sys.argv[1]]))
"""


def building_process(out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(SLOW), str(out)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)


def after_some(out: Path, process: subprocess.Popen[str]) -> None:
    """Waits until some pictures are there."""
    until = time.monotonic() + 180
    while len(list(out.glob("*.json"))) < 6:
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)


def alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_build_that_is_ended_goes_on_and_leaves_no_worker_behind(
    tmp_path: Path, how: signal.Signals
) -> None:
    out, undisturbed = tmp_path / "out", tmp_path / "whole"
    process = building_process(out)
    after_some(out, process)
    # Ctrl-C reaches the whole group; a kill the one process alone
    os.kill(process.pid, how) if how == signal.SIGKILL else os.killpg(process.pid, how)
    said = process.communicate(timeout=180)[1]
    assert process.returncode == (2 if how == signal.SIGINT else -how)
    if how == signal.SIGINT:
        assert said.splitlines()[-1] == "build.dataset: stopped; the same command goes on from there"
        assert "Traceback" not in said
    until = time.monotonic() + 60
    while alive(process.pid):
        assert time.monotonic() < until, "workers stay behind"
        time.sleep(0.05)
    done = {path.name: path.stat().st_mtime_ns for path in out.glob("*.json")}
    assert 6 <= len(done) < 41
    again, once = building_process(out), building_process(undisturbed)
    assert (again.wait(180), once.wait(180)) == (0, 0)
    assert all((out / name).stat().st_mtime_ns == when for name, when in done.items())
    assert {p.name: p.read_bytes() for p in out.iterdir()} == {
        p.name: p.read_bytes() for p in undisturbed.iterdir()
    }


class Windows:
    """Draws windows of one grey, as many as it is let."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self, rng: np.random.Generator, size: int, *_: object) -> Any:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        grey = np.full((size, size, 3), rng.integers(256), np.uint8)
        cells = np.zeros((size // 4, size // 4), np.int16)
        return SimpleNamespace(image=grey, cells=cells, cards=np.zeros((2, 8), np.float32))


def windows(out: Path, monkeypatch: pytest.MonkeyPatch, most: int = 99, seed: int = 1) -> int:
    room = SimpleNamespace(decks=lambda rng: [], surface=None, clutter=None)
    monkeypatch.setattr(build_windows, "ArtRoom", lambda *_, backs: room)
    monkeypatch.setattr(build_windows, "draw_window", Windows(most))
    small = ["--shards", "3", "--per-shard", "2", "--size", "32", "--seed", str(seed)]
    return build_windows.main([*small, "--out", str(out)])


def test_windows_go_on_where_they_were_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, undisturbed = tmp_path / "out", tmp_path / "whole"
    assert windows(undisturbed, monkeypatch) == 0
    assert windows(out, monkeypatch, most=3) == 2
    assert "build.windows: stopped; the same command" in capsys.readouterr().err
    assert len(list(out.glob("*.cards.npy"))) == 1
    with files_of_at_most(5000):
        assert windows(out, monkeypatch) == 2
    said = capsys.readouterr().err
    assert "0001.images.npy" in said
    assert "too large" in said
    assert not list(out.glob("*.part"))
    assert windows(out, monkeypatch, seed=2) == 2
    assert "asked for otherwise" in capsys.readouterr().err
    assert windows(out, monkeypatch) == 0
    assert {p.name: p.read_bytes() for p in out.iterdir()} == {
        p.name: p.read_bytes() for p in undisturbed.iterdir()
    }


def test_crops_that_were_forgotten_are_not_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    crop = Crop(*(np.zeros((2, 2), np.uint8) if i < 2 else 0 for i in range(len(Crop.__dataclass_fields__))))  # type: ignore[arg-type]

    class Maker:
        def __init__(self, *_: object) -> None:
            drawn.append(len(drawn))

        def crop(self, rng: np.random.Generator) -> Crop:
            return crop

    monkeypatch.setattr(build_reader_crops, "CropMaker", Maker)
    monkeypatch.setattr(build_reader_crops, "Press", lambda *_: None)
    monkeypatch.setattr(build_reader_crops, "banked_surface", lambda *_: None)
    monkeypatch.setattr(build_reader_crops, "load_back", lambda *_: None)
    monkeypatch.setattr(build_reader_crops, "list_backs", lambda *_: ["one"])
    small = ["--per-shard", "2", "--keep", "2", "--out", str(tmp_path)]
    assert build_reader_crops.main([*small, "--shards", "4"]) == 0
    assert {path.name[:4] for path in tmp_path.glob("*.npy")} == {"0002", "0003"}
    assert build_reader_crops.main([*small, "--shards", "5"]) == 0
    assert {path.name[:4] for path in tmp_path.glob("*.npy")} == {"0003", "0004"}
    assert len(drawn) == 5


def test_an_export_does_not_mix_with_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = tmp_path / "built"
    built.mkdir()
    (built / "00000.json").write_text('{"image": "00000.jpg", "width": 9, "height": 9, "cards": []}')
    (built / "00000.jpg").write_bytes(b"a picture")
    out = str(tmp_path / "out")
    for _ in range(2):
        assert export_dataset.main([str(built), "--as", "obb", "--out", out]) == 0
    capsys.readouterr()
    assert export_dataset.main([str(built), "--as", "crops", "--out", out]) == 2
    assert "asked for otherwise" in capsys.readouterr().err
    for truth in ("{", "[]", '{"image": "00000.jpg", "width": 9, "height": 9, "cards": [{"face": "2S"}]}'):
        (built / "00000.json").write_text(truth)
        assert export_dataset.main([str(built), "--as", "obb", "--out", out]) == 2
        assert "00000.json: not the truth of a picture" in capsys.readouterr().err


def test_shards_that_lie_there_are_not_drawn_again_and_every_one_has_its_own(tmp_path: Path) -> None:
    asked = SimpleNamespace(
        out=tmp_path, first=3, shards=3, per_shard=2, split="train", seed=1, backs="framed"
    )
    (tmp_path / "0004.npz").write_bytes(b"mine")
    left = building.shards_left(asked, "note.json", 1)
    kept: dict[str, list[str]] = {}
    said = building.draw_shards(
        asked,
        left,
        lambda shard: (f"{shard}.{n}" for n in range(9)),
        lambda path, all_: kept.update({path.name: all_}),
    )
    assert kept == {"0003.npz": ["3.0", "3.1"], "0005.npz": ["5.0", "5.1"]}
    assert said == f"{tmp_path}: 3 shards, 2 of them drawn now"


def test_a_folder_of_framed_backs_gets_no_others(tmp_path: Path) -> None:
    asked = SimpleNamespace(
        out=tmp_path, first=0, shards=1, per_shard=2, split="train", seed=1, backs="framed"
    )
    # as it was noted before one could ask
    (tmp_path / "note.json").write_text('{"split": "train", "per_shard": 2, "seed": 1}')
    (tmp_path / "0000.npz").write_bytes(b"mine")
    assert building.shards_left(asked, "note.json", 1) == []
    asked.backs = "printed"
    with pytest.raises(building.BuildError, match="otherwise"):
        building.shards_left(asked, "note.json", 1)


def test_bands_begun_before_left_over_cards_could_be_asked_for_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # nothing is left to be drawn, so no art is needed
    monkeypatch.setattr(build_bands, "ArtRoom", lambda split, backs: None)
    told = {"split": "train", "per_shard": 20, "faces_up": 0.4, "photos": 0.6, "seed": 0}
    put(tmp_path / "bands.json", json.dumps(told))
    (tmp_path / "0000.npz").write_bytes(b"mine")
    assert build_bands.main(["--out", str(tmp_path), "--shards", "1"]) == 0
    assert build_bands.main(["--out", str(tmp_path), "--shards", "1", "--leftovers", "0.7"]) == 2
    assert (tmp_path / "0000.npz").read_bytes() == b"mine"
