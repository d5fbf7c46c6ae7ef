"""A network camera by RTSP: its own H.264 is kept; what it fails with is told without its password."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import av
import pytest
from numbered import number_of
from pretend_phone import PATIENCE_S, wait_for
from pretend_rtsp import KEYS, NetworkCamera, serving_rtsp

from vision.capture.live import sources
from vision.capture.live.camera import rtsp
from vision.capture.live.capture import Capture
from vision.capture.live.recorder import Recorder
from vision.capture.live.recording import Recording
from vision.capture.live.sources import SourceError, open_source


@pytest.fixture
def camera() -> Iterator[NetworkCamera]:
    with serving_rtsp(NetworkCamera()) as camera:
        yield camera


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.capture.live.capture.TRIES_S", (0.05, 0.1))
    monkeypatch.setattr(sources, "STALL_S", 2.0)


def test_its_own_pictures_are_recorded_as_they_came(camera: NetworkCamera, tmp_path: Path) -> None:
    with Capture(open_source(camera.address), Recorder(tmp_path, "evening")) as capture:
        wait_for(lambda: capture.counts.taken > 40)
        seen = {frame.index: number_of(frame.image) for frame in capture.since(-1, 10)}
    assert capture.counts.recorded == capture.counts.taken
    with Recording.open(tmp_path, "evening") as recording:
        assert {index: number_of(recording.frame(index)) for index in seen} == seen
        numbers = [number_of(recording.frame(int(index))) for index in recording.indices]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        with av.open(str(recording.segments[-1].path)) as film:
            keys = [packet.is_keyframe for packet in film.demux(video=0) if packet.size]
    # encoded here, they were further apart
    assert [at for at, key in enumerate(keys) if key][:4] == [0, KEYS, 2 * KEYS, 3 * KEYS]


def test_it_hangs_up_and_comes_back(camera: NetworkCamera) -> None:
    with Capture(open_source(camera.address)) as capture:
        wait_for(lambda: capture.counts.taken > 5)
        camera.hangs_up = True
        wait_for(lambda: "gone" in capture.troubles)
        camera.hangs_up = False
        wait_for(lambda: [notice.kind for notice in capture.notices] == ["gone", "back"])
        last = capture.counts.taken
        assert capture.newest(last + 3, PATIENCE_S) is not None


def test_it_stalls_and_is_gone(camera: NetworkCamera) -> None:
    with Capture(open_source(camera.address)) as capture:
        wait_for(lambda: capture.counts.taken > 5)
        camera.stalls = True
        wait_for(lambda: "gone" in capture.troubles)


def test_a_password_is_asked_for_taken_and_never_told(
    camera: NetworkCamera, capfd: pytest.CaptureFixture[str]
) -> None:
    camera.who = "master:sesame"
    with pytest.raises(SourceError, match=r"asks for a name and a password: .*rtsp://NAME:PASSWORD@"):
        open_source(camera.address)
    with pytest.raises(SourceError, match="does not take this name and password: ") as refused:
        open_source(camera.address.replace("://", "://master:secret1@"))
    source = open_source(camera.address.replace("://", "://master:sesame@"))
    source.close()
    assert source.name == camera.address
    for text in (str(refused.value), *capfd.readouterr()):
        assert "secret" not in text and "sesame" not in text


def test_what_is_not_there_is_told(camera: NetworkCamera, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match="is not there: "):
        open_source(camera.address.replace("/video", "/nothing"))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"rtsp://127.0.0.1:{silent.getsockname()[1]}/video"
        with pytest.raises(SourceError, match="refuses to connect: "):
            open_source(address)
        silent.listen()
        monkeypatch.setattr(rtsp, "ANSWER_S", 0.5)
        with pytest.raises(SourceError, match="does not answer: "):
            open_source(address)
