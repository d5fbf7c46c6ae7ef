"""Cameras that are plugged in, made by FFmpeg's own pretended device."""

from __future__ import annotations

import errno
import multiprocessing
import time
from collections.abc import Iterator
from pathlib import Path

import av
import pytest
from pretend_phone import PATIENCE_S, wait_for

from vision.capture.live.camera import devices
from vision.capture.live.camera.devices import Camera, OneSession, list_cameras
from vision.capture.live.capture import Capture
from vision.capture.live.sources import SourceError, open_source

PICTURES = "testsrc=size=320x240:rate=30,realtime"
THERE = [
    Camera(0, "Laptop", f"{PICTURES}:limit=2"),
    Camera(2, "HD Webcam", PICTURES),
    Camera(3, "HD Twin", "none"),
]


@pytest.fixture
def plugged_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(devices, "way", lambda: "lavfi")
    monkeypatch.setattr(devices, "list_cameras", lambda: THERE)
    yield


def test_what_this_machine_has_is_listed() -> None:
    assert all(isinstance(camera, Camera) for camera in list_cameras())


@pytest.mark.parametrize("spec", ["2", "HD Webcam", "hd webcam", "webcam"])
def test_a_camera_is_named_by_number_or_name(plugged_in: None, spec: str) -> None:
    with Capture(open_source(spec)) as capture:
        frame = capture.newest(3, PATIENCE_S)
        assert frame is not None and frame.image.shape == (240, 320, 3)
        assert capture._source.name == "camera 2 (HD Webcam)"


@pytest.mark.parametrize("spec", ["1", "Sony", "hd", ""])
def test_a_camera_that_is_not_there_is_told_with_those_that_are(plugged_in: None, spec: str) -> None:
    with pytest.raises(SourceError, match=r": choose of .*2 \(HD Webcam\), 3 \(HD Twin\)$"):
        open_source(spec)


def test_no_camera_at_all_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "list_cameras", list)
    with pytest.raises(SourceError, match="no camera 0, nor any other: plug one in"):
        open_source("0")


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.EBUSY, "is in use by another program: "),
        (errno.EACCES, "may not be used by you: "),
        (errno.EIO, "cannot be opened: "),
    ],
)
def test_a_camera_that_cannot_be_had_is_told(
    plugged_in: None, number: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(av, "open", refuse)
    with pytest.raises(SourceError, match=rf"camera 2 \(HD Webcam\) {told}"):
        open_source("2")


def test_a_film_is_not_taken_for_a_camera(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(b"x")
    with pytest.raises(SourceError, match="is a film, not a camera: play it with --as-live"):
        open_source(str(tmp_path / "film.mp4"))


def test_a_camera_that_is_unplugged_and_back_goes_on(
    plugged_in: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = Camera(0, "Laptop", PICTURES + ",trim=end_frame=5")
    monkeypatch.setattr(devices, "list_cameras", lambda: [short])
    monkeypatch.setattr("vision.capture.live.capture.TRIES_S", (0.01,))
    with Capture(open_source("0")) as capture:
        wait_for(lambda: capture.counts.taken > 12)
        frames = capture.since(-1, 12)
    assert [frame.index for frame in frames] == list(range(frames[0].index, frames[0].index + 12))
    assert [notice.kind for notice in capture.notices][:4] == ["gone", "back", "gone", "back"]


def _hold(begun: multiprocessing.synchronize.Event) -> None:
    held = OneSession("a camera", "camera 0")
    begun.set()
    time.sleep(PATIENCE_S)
    held.release()


def test_another_process_is_refused_and_a_killed_one_holds_nothing() -> None:
    context = multiprocessing.get_context("spawn")
    begun = context.Event()
    other = context.Process(target=_hold, args=(begun,), daemon=True)
    other.start()
    try:
        assert begun.wait(PATIENCE_S)
        with pytest.raises(SourceError, match="camera 0 is in use by another session: "):
            OneSession("a camera", "camera 0")
        OneSession("another camera", "camera 1").release()
    finally:
        other.kill()
        other.join()
    OneSession("a camera", "camera 0").release()
