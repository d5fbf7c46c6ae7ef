"""Every frame is recorded, found again by its number, and stays when the process or the disk fails."""

from __future__ import annotations

import errno
import io
import multiprocessing
import random
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from multiprocessing.synchronize import Event
from pathlib import Path

import av
import numpy as np
import pytest
from numbered import number_of, numbered, numbered_film
from pretend_phone import PATIENCE_S, wait_for

from vision.capture.frames import VideoError
from vision.capture.live import recorder as recorder_module
from vision.capture.live.camera.connections import LIVE, Packets
from vision.capture.live.lazy_frame import LazyFrame
from vision.capture.live.recorder import Recorder, RecorderError
from vision.capture.live.recording import Recording
from vision.capture.video import Frame, Video


def uneven(count: int, seed: int = 5) -> list[float]:
    steps = np.random.default_rng(seed).choice([1 / 60, 1 / 30, 0.1], count)
    return [float(moment) for moment in np.cumsum(steps)]


def frames(times: list[float], size: tuple[int, int] = (192, 64)) -> Iterator[Frame]:
    for index, time_s in enumerate(times):
        yield Frame(index, time_s, numbered(index, *size))


def record(folder: Path, given: Iterator[Frame], **how: float) -> Recorder:
    recorder = Recorder(folder, "evening", **how)  # type: ignore[arg-type]
    for frame in given:
        recorder.push(frame)
    recorder.close()
    return recorder


def test_frames_are_found_by_number_over_many_segments(tmp_path: Path) -> None:
    times = uneven(300)
    assert record(tmp_path, frames(times), segment_s=2.0).recorded == 300
    with Recording.open(tmp_path, "evening") as recording:
        assert len(recording.segments) > 3 and len(recording) == 300
        assert recording.times == pytest.approx(times, abs=2e-6)
        for index in random.Random(1).sample(range(300), 120):
            assert number_of(recording.frame(index)) == index
            assert recording.index_at(times[index] + 1e-4) == index
        ends = [(part.first_index, part.last_index) for part in recording.segments]
    assert all(after[0] - before[1] == 1 for before, after in pairwise(ends))


def test_each_segment_plays_by_itself_with_the_times_of_its_frames(tmp_path: Path) -> None:
    times = uneven(100)
    record(tmp_path, frames(times), segment_s=1.5)
    with Recording.open(tmp_path, "evening") as recording:
        for part in recording.segments:
            with Video(part.path) as video:
                told = [(number_of(frame.image), frame.time_s + part.first_s) for frame in video]
            assert [number for number, _ in told] == list(range(part.first_index, part.last_index + 1))
            assert [time_s for _, time_s in told] == pytest.approx(
                times[part.first_index : part.last_index + 1], abs=2e-5
            )


def test_another_size_begins_another_segment(tmp_path: Path) -> None:
    times = [n / 30 for n in range(20)]
    given = [*frames(times[:10]), *(Frame(n, times[n], numbered(n, 320, 201)) for n in range(10, 20))]
    record(tmp_path, iter(given))
    with Recording.open(tmp_path, "evening") as recording:
        assert [part.first_index for part in recording.segments] == [0, 10]
        # colours are kept at half size: an odd row is left away
        assert recording.frame(9).shape == (64, 192, 3) and recording.frame(10).shape == (200, 320, 3)
        assert [number_of(recording.frame(n)) for n in (0, 9, 10, 19)] == [0, 9, 10, 19]


def test_it_is_read_while_it_grows(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "evening")
    given = frames([n / 30 for n in range(120)])
    for frame in given:
        recorder.push(frame)
        if frame.index == 59:
            break
    wait_for(lambda: recorder.recorded > 20)
    with Recording.open(tmp_path, "evening") as recording:
        there = len(recording)
        assert number_of(recording.frame(there - 1)) == there - 1
        with pytest.raises(VideoError, match=r"frame 119 .*: "):
            recording.frame(119)
        for frame in given:
            recorder.push(frame)
        recorder.close()
        assert number_of(recording.frame(119)) == 119


def test_a_clip_goes_over_the_end_of_a_segment(tmp_path: Path) -> None:
    times = uneven(120)
    record(tmp_path, frames(times), segment_s=2.0)
    with Recording.open(tmp_path, "evening") as recording:
        middle = recording.segments[1].first_index
        count = recording.clip(times[middle - 5], times[middle + 5], tmp_path / "clip.mp4")
        with pytest.raises(VideoError, match=": "):
            recording.clip(5, 4, tmp_path / "none.mp4")
    with Video(tmp_path / "clip.mp4") as video:
        assert [number_of(frame.image) for frame in video] == list(range(middle - 5, middle + 6))
    assert count == 11


def test_a_cameras_own_packets_are_kept_as_they_are(tmp_path: Path) -> None:
    options = {"preset": "ultrafast", "tune": "zerolatency", "g": "20"}
    film = numbered_film(tmp_path / "camera.ts", (n / 30 for n in range(90)), options=options)
    times = uneven(90)
    sent = [bytes(packet) for packet in av.open(str(film)).demux(video=0) if packet.size]
    came = list(Packets(av.open(str(film), options=LIVE), PATIENCE_S).frames())
    given = [LazyFrame(n, times[n], each.raw, packets=each.packets) for n, each in enumerate(came)]
    assert record(tmp_path / "kept", iter(given), segment_s=1.0).recorded == 90
    with Recording.open(tmp_path / "kept", "evening") as recording:
        assert len(recording.segments) > 2
        assert [number_of(recording.frame(n)) for n in range(90)] == list(range(90))
        assert recording.times == pytest.approx(times, abs=2e-6)
        # the slices themselves, not coded again: all but their start codes is the same
        kept = b"".join(part.path.read_bytes() for part in recording.segments)
    assert all(packet[-40:] in kept for packet in sent)


def test_a_camera_that_begins_in_the_middle_is_encoded_up_to_its_key_frame(tmp_path: Path) -> None:
    options = {"preset": "ultrafast", "tune": "zerolatency", "g": "20"}
    film = numbered_film(tmp_path / "camera.ts", (n / 30 for n in range(60)), options=options)
    came = list(Packets(av.open(str(film), options=LIVE), PATIENCE_S).frames())
    given = [LazyFrame(n, n / 30, each.raw, packets=each.packets) for n, each in enumerate(came) if n >= 5]
    record(tmp_path / "kept", iter(given))
    with Recording.open(tmp_path / "kept", "evening") as recording:
        assert [part.first_index for part in recording.segments] == [5, 20]
        assert [number_of(recording.frame(n)) for n in range(5, 60)] == list(range(5, 60))


class FullDisk(io.FileIO):
    """A file on a disk that has so much room, by the bytes written so far."""

    room: Callable[[], bool]

    def write(self, data: object) -> int:
        if self.room():
            return super().write(data)  # type: ignore[arg-type]
        whole = bytes(data)  # type: ignore[call-overload]
        super().write(whole[: len(whole) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_stops_the_recording_in_words_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recorder_module, "_AGAIN_S", 2.0)
    state = {"room": True}

    def opener(path: Path) -> FullDisk:
        file = FullDisk(path, "xb")
        file.room = lambda: state["room"]
        return file

    recorder = Recorder(tmp_path, "evening", opener=opener)  # type: ignore[arg-type]
    given = frames([n / 30 for n in range(300)])

    def push(up_to: int) -> None:
        for frame in given:
            recorder.push(frame)
            if frame.index == up_to:
                break
        wait_for(lambda: not recorder._waiting)

    push(99)
    state["room"] = False
    push(179)
    (full,) = recorder.notices()
    assert full.kind == "not-recorded" and "the disk is full: " in full.text
    before = recorder.recorded
    assert 70 <= before <= 120
    state["room"] = True
    push(299)
    recorder.close()
    (again,) = recorder.notices()
    assert again.kind == "recorded-again" and again.since_s == full.time_s
    with Recording.open(tmp_path, "evening") as recording:
        assert [number_of(recording.frame(int(n))) for n in recording.indices] == list(recording.indices)
        assert list(recording.indices[:before]) == list(range(before))
        after = list(recording.indices[before:])
        assert after == list(range(after[0], 300)) and after[0] <= 245
        parts = [part.path for part in recording.segments]
    assert len(parts) == 2 and sorted(tmp_path.glob("*.mp4")) == parts
    with Video(parts[0]) as video:
        assert [number_of(frame.image) for frame in video] == list(range(before))
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


class HalfWritten(io.FileIO):
    """A file on a disk on which there is room for a part of what comes after a while."""

    writes = 0

    def write(self, data: object) -> int:
        self.writes += 1
        return super().write(bytes(data)[:-7] if self.writes == 3 else data)  # type: ignore[call-overload, arg-type]


def test_a_row_that_was_written_in_part_spoils_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "_AGAIN_S", 0.5)
    recorder = Recorder(tmp_path, "evening")
    recorder._index.close()
    recorder._index = HalfWritten(tmp_path / "evening.frames", "ab")
    for frame in frames([n / 30 for n in range(200)]):
        recorder.push(frame)
    recorder.close()
    assert [notice.kind for notice in recorder.notices()] == ["not-recorded", "recorded-again"]
    with Recording.open(tmp_path, "evening") as recording:
        assert len(recording) == recorder.recorded > 120
        assert [number_of(recording.frame(int(n))) for n in recording.indices] == list(recording.indices)


def test_room_is_left_for_the_record(tmp_path: Path) -> None:
    free = {"mb": 1000.0}
    recorder = Recorder(tmp_path, "evening", free_mb=lambda folder: free["mb"])
    times = [n / 30 for n in range(360)]
    for frame in frames(times):
        if frame.index == 90:
            wait_for(lambda: not recorder._waiting)
            free["mb"] = 150.0
        recorder.push(frame)
    recorder.close()
    assert [notice.kind for notice in recorder.notices()] == ["not-recorded"]
    assert 60 <= recorder.recorded <= 125


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RecorderError, match=r"file.* cannot hold the recording .*: choose another folder"):
        Recorder(tmp_path / "file" / "evening")


def _record_for_ever(folder: Path, begun: Event) -> None:
    recorder = Recorder(folder, "evening", segment_s=2.0)
    for index in range(4000):
        recorder.push(Frame(index, index / 30, numbered(index)))
        time.sleep(0.002)
        if recorder.recorded > 90:
            begun.set()


def test_a_killed_process_leaves_what_it_noted_and_the_next_one_goes_on(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    begun = context.Event()
    other = context.Process(target=_record_for_ever, args=(tmp_path, begun), daemon=True)
    other.start()
    assert begun.wait(PATIENCE_S)
    other.kill()
    other.join()
    with (tmp_path / "evening.frames").open("ab") as file:
        file.write(b"half")  # a row that was being written
    recorder = Recorder(tmp_path, "evening")
    there = recorder.next_index
    assert there > 90
    for index in range(there, there + 60):
        recorder.push(Frame(index, index / 30, numbered(index)))
    recorder.close()
    with Recording.open(tmp_path, "evening") as recording:
        assert list(recording.indices) == list(range(there + 60))
        assert all(number_of(recording.frame(index)) == index for index in range(there + 60))


def test_who_pushes_waits_only_when_memory_is_full_and_then_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "_WAITING_MB", 0.2)
    gate = threading.Event()

    def opener(path: Path) -> io.BufferedWriter:
        assert gate.wait(PATIENCE_S)
        return path.open("xb")

    recorder = Recorder(tmp_path, "evening", opener=opener)
    pushing = threading.Thread(target=lambda: [recorder.push(frame) for frame in frames(uneven(60))])
    pushing.start()
    wait_for(lambda: recorder._behind)
    gate.set()
    pushing.join(PATIENCE_S)
    recorder.close()
    assert recorder.recorded == 60
    kinds = [notice.kind for notice in recorder.notices()]
    assert kinds == ["behind", "caught-up"] * (len(kinds) // 2) and kinds


@pytest.mark.parametrize("session", ["none", "empty"])
def test_what_is_no_recording_is_told(tmp_path: Path, session: str) -> None:
    (tmp_path / "empty.frames").touch()
    with pytest.raises(VideoError, match=rf"{session}\.frames .*: "):
        Recording.open(tmp_path, session)
