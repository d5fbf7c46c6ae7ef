"""`watch` with cameras that go wrong and disks that are full: it is told in words, and goes on by itself."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from pretend_phone import PATIENCE_S, Phone, serving

from referee.commands import watch
from referee.commands.program import run
from referee.live.session import Keeper, Rules
from vision.capture.frames import encode_jpeg
from vision.capture.live import capture, clock, recorder, watching
from vision.capture.live.camera import web_stream
from vision.capture.live.film import FilmAsLive
from vision.capture.live.recording import Recording
from vision.capture.video import Frame
from vision.layout import Layout

Line = dict[str, Any]


class SeesNothing:
    """Eyes for a table that nobody plays at."""

    def look(self, frame: Frame, box: tuple[int, int, int, int] | None, to_table: Any) -> Layout:
        height, width = frame.image.shape[:2]
        return Layout(width, height, 1.0, [])


class CalmPhone(Phone):
    """It stands above a table at which nobody sits: nothing but its sensor's noise changes."""

    def __init__(self) -> None:
        super().__init__()
        self.size = (320, 240)
        self._chance = np.random.default_rng(6)
        self._last = b""

    def picture(self) -> bytes:
        if not (self.frozen and self._last):
            width, height = self.size
            cloth = np.linspace(70, 110, width, dtype=np.float32)[None, :, None]
            noise = self._chance.normal(0, 4, (height, width, 3))
            self._last = encode_jpeg(np.clip(cloth + noise, 0, 255).astype(np.uint8), 95)
        return self._last


@pytest.fixture
def phone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Phone]:
    """A phone above an empty table."""
    monkeypatch.setattr(watch, "eyes_of", lambda eye, table: SeesNothing())
    monkeypatch.setattr(web_stream, "STALL_S", 3.0)
    with serving(CalmPhone()) as served:
        served.fps = 20.0
        yield served


@dataclass
class Watcher:
    """Looks at the page of a table that is watched, from beside."""

    port: int
    client: httpx2.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx2.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=30)

    def beside(self) -> Line:
        """What the page is told of the table now: by kind."""
        told: Line = {}
        with self.client.stream("GET", "/api/live/events") as answer:
            kind = ""
            for text in answer.iter_lines():
                if text.startswith("event: "):
                    kind = text[7:]
                elif text.startswith("data: "):
                    told[kind] = json.loads(text[6:])
                if {"state", "amiss", "counts"} <= set(told):
                    return told
        return told

    def wait(self, until: Callable[[Line], bool]) -> Line:
        end = time.monotonic() + PATIENCE_S
        told: Line = {}
        while time.monotonic() < end:
            with suppress(httpx2.HTTPError):
                told = self.beside()
                if until(told):
                    return told
            time.sleep(0.1)
        raise AssertionError(f"it was never so: {told}")

    def says(self, words: str) -> None:
        """Wait until the page says so of camera or disk."""
        self.wait(lambda told: any(words in text for text in told["amiss"]["amiss"]))

    def is_well(self) -> None:
        """Wait until nothing is amiss, and frames are taken."""
        self.wait(lambda told: not told["amiss"]["amiss"] and told["counts"]["taken"] > 3)


def watched(given: list[str], what_happens: Callable[[Watcher], None], *, stop: bool = True) -> int:
    """The status of `watch` with its page while this happens; it is stopped behind that, or ends with its film."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    failed: list[BaseException] = []

    def happen() -> None:
        try:
            what_happens(Watcher(port))
        except BaseException as why:
            failed.append(why)
        if stop:
            os.kill(os.getpid(), signal.SIGINT)

    beside = threading.Thread(target=happen)
    beside.start()
    status = run(["watch", *given, "--page", "--port", str(port)])
    beside.join()
    if failed:
        raise failed[0]
    return status


def lines_of(printed: str) -> list[Line]:
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def in_order(said: list[str], *words: str) -> bool:
    """Whether these are told in this order, with whatever between."""
    rest = iter(said)
    return all(any(word in one for one in rest) for word in words)


# -- cameras -------------------------------------------------------------------------------------------------


def test_a_camera_that_goes_wrong_in_every_way_is_told_and_goes_on(
    phone: Phone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Frozen, five frames a second, another size, unplugged, asleep: one evening, no touch of the program."""
    monkeypatch.setattr(watching, "FROZEN_S", 0.5)
    monkeypatch.setattr(watching, "RATE_OVER_S", 1.5)
    monkeypatch.setattr(capture, "TRIES_S", (0.1,))
    monkeypatch.setattr(capture, "PASSING_S", 3.0)
    slept = [0.0]
    boot = clock.now
    monkeypatch.setattr(clock, "now", lambda: boot() + slept[0])

    def happen(page: Watcher) -> None:
        page.is_well()
        phone.frozen = True
        page.says("the picture stands still: wake the camera")
        phone.frozen = False
        page.is_well()
        phone.fps = 5.0
        page.says("frames a second: give it more light")
        phone.fps = 20.0
        page.is_well()
        phone.size = (400, 300)
        page.says("the picture is 400 × 300 px now")
        page.is_well()
        slept[0] = 600.0
        page.says("no picture came for 600 s")
        page.is_well()
        phone.hangs_up = True
        page.wait(lambda told: told["state"]["state"] == "no camera")
        phone.hangs_up = False
        page.wait(lambda told: told["state"]["state"] == "empty table")
        page.is_well()

    assert watched(["--camera", phone.address, "--recordings", str(tmp_path), "--json"], happen) == 0
    printed = capsys.readouterr()
    lines = lines_of(printed.out)
    told = [line["camera"] for line in lines if "camera" in line]
    assert in_order(told, "frozen", "moving", "slow", "steady", "resized", "gap")
    assert all(line["event"] == "session" and line["why"] for line in lines if "camera" in line)
    states = [line["state"] for line in lines if "camera" not in line]
    assert in_order(states, "empty table", "no camera", "empty table", "over")
    assert "Traceback" not in printed.err
    (folder,) = tmp_path.glob("session-*")
    with Recording.open(folder, "film") as recording:
        times = recording.times
        assert (np.diff(times) > 0).all()
        assert np.diff(times).max() > 590
        sizes = {recording.frame(int(number)).shape[:2] for number in recording.indices[[0, -1]]}
    assert len(sizes) == 2


def test_what_happens_to_the_camera_is_told_in_the_terminal(
    phone: Phone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(watching, "FROZEN_S", 0.5)

    def happen(page: Watcher) -> None:
        page.is_well()
        phone.frozen = True
        page.says("the picture stands still")

    assert watched(["--camera", phone.address, "--recordings", str(tmp_path)], happen) == 0
    assert "the picture stands still: wake the camera or its phone" in capsys.readouterr().out


def test_a_second_session_on_the_camera_is_refused_and_the_first_goes_on(
    phone: Phone, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = tmp_path / "second"

    def happen(page: Watcher) -> None:
        page.is_well()
        before = page.beside()["counts"]["taken"]
        given = ["--camera", phone.address, "--recordings", str(second), "--no-page"]
        with pytest.MonkeyPatch.context() as elsewhere:  # signals are the first one's
            elsewhere.setattr(signal, "signal", lambda *_: None)
            assert run(["watch", *given]) == 2
        page.wait(lambda told: told["counts"]["taken"] > before + 5)

    given = ["--camera", phone.address, "--recordings", str(tmp_path / "first"), "--json"]
    assert watched(given, happen) == 0
    (complaint,) = capsys.readouterr().err.splitlines()
    assert "is in use by another session: end that one, or choose another camera" in complaint
    assert not second.exists()


@pytest.mark.parametrize(
    ("amiss", "says"),
    [
        ({"page": (200, "text/html", "<p>hello</p>")}, "is a page, not a stream"),
        ({"page": (404, "text/html", "")}, "is not there"),
        ({"stalls": True}, "sends no picture any more"),
        ({"who": "anna:sesame"}, "asks for a name and a password"),
    ],
    ids=["page", "nothing there", "stalls", "password"],
)
def test_an_address_that_gives_no_pictures_is_one_line_and_nothing_is_kept(
    phone: Phone, tmp_path: Path, capsys: pytest.CaptureFixture[str], amiss: Line, says: str
) -> None:
    for name, value in amiss.items():
        setattr(phone, name, value)
    kept = tmp_path / "kept"
    assert run(["watch", "--camera", phone.address, "--recordings", str(kept), "--no-page"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (complaint,) = printed.err.splitlines()
    assert says in complaint and ": " in complaint.removeprefix("nerts-referee: ")
    assert not kept.exists()


# -- disk and clock ------------------------------------------------------------------------------------------


def record_of(folder: Path) -> list[Line]:
    (path,) = folder.glob("session-*/hand-1.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.usefixtures("knowing")
def test_a_full_disk_stops_the_recording_and_never_the_record(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is room for the record's few lines, and soon none for pictures any more."""
    asked: list[Path] = []

    def free_mb(folder: Path) -> float:
        asked.append(folder)
        return 10_000.0 if len(asked) < 2 else 30.0

    usual = recorder.Recorder
    monkeypatch.setattr(watch, "Recorder", lambda folder, name: usual(folder, name, free_mb=free_mb))
    given = ["watch", "--as-live", str(film), "--recordings", str(tmp_path), "--json"]
    assert run(given) == 0
    lines = lines_of(capsys.readouterr().out)
    (told,) = (line for line in lines if line.get("camera") == "not-recorded")
    assert told["why"] == "the recording stopped, the disk is full: make room, and it goes on by itself"
    record = record_of(tmp_path)
    assert sum(line.get("event") == "play" for line in record) >= 3
    assert record[-1]["event"] == "score"
    (folder,) = tmp_path.glob("session-*")
    with Recording.open(folder, "film") as recording:
        assert 0 < recording.times[-1] < told["at"] + 1 < record[-1]["at"]


@pytest.mark.usefixtures("knowing")
def test_a_date_that_is_set_back_changes_nothing(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While a hand is played somebody sets the machine's clock back by an hour, and on by a day."""
    real, began = time.time, time.monotonic()
    monkeypatch.setattr(time, "time", lambda: real() + [0, -3600, 86_400][int(time.monotonic() - began) % 3])
    given = ["watch", "--as-live", str(film), "--recordings", str(tmp_path), "--json"]
    assert run(given) == 0
    lines = lines_of(capsys.readouterr().out)
    assert not [line for line in lines if line.get("camera") == "gap"]
    record = record_of(tmp_path)
    plays = [line["at"] for line in record if line.get("event") == "play"]
    assert len(plays) >= 3
    assert all(0 <= at <= 60 for at in plays)
    assert not [line for line in record if line.get("event") == "gap"]
    assert record[-1]["event"] == "score"


def test_an_evening_goes_on_though_the_date_was_set_back_meanwhile(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its program was killed; times never run backwards, whatever the date says."""
    monkeypatch.setattr(watch, "eyes_of", lambda eye, table: SeesNothing())

    def taken(count: int) -> list[Frame]:
        with watch.opened_table(FilmAsLive(film), "camera", tmp_path, Rules()) as opened, opened.capture:
            frames: list[Frame] = []
            while len(frames) < count:
                frame = opened.capture.newest(frames[-1].index if frames else -1, 5.0)
                assert frame is not None
                frames.append(frame)
            return frames

    first = taken(8)
    (about,) = tmp_path.glob("session-*/session.json")
    about.write_text(json.dumps({**json.loads(about.read_text()), "ended": False}))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - 3600)
    second = taken(3)
    assert len(list(tmp_path.glob("session-*"))) == 1
    assert second[0].index > first[-1].index
    assert second[0].time_s >= first[-1].time_s


# -- calls ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("knowing")
def test_of_ten_who_buzz_at_once_one_is_first_and_behind_the_end_nobody_is(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers: list[Line] = []
    late: list[Line] = []
    asked = threading.Event()
    usual = Keeper.close

    def happen(page: Watcher) -> None:
        def buzz(number: int) -> Line:
            seat = ("north", "south")[number % 2]
            answer: Line = page.client.post("/api/live/call", json={"seat": seat}).json()
            return answer

        page.wait(lambda told: told["state"]["state"] == "playing")
        with ThreadPoolExecutor(10) as people:
            answers.extend(people.map(buzz, range(10)))
        page.wait(lambda told: told["state"]["state"] in ("score", "over"))
        late.append(buzz(0))
        asked.set()

    def closed(keeper: Keeper) -> None:
        usual(keeper)
        asked.wait(PATIENCE_S)  # the film has ended, and the program has not

    monkeypatch.setattr(Keeper, "close", closed)
    given = ["--as-live", str(film), "--recordings", str(tmp_path), "--json"]
    assert watched(given, happen, stop=False) == 0
    taken = [answer for answer in answers if answer["taken"]]
    assert len(taken) == 1
    assert {answer["say"] for answer in answers if not answer["taken"]} == {
        f"{taken[0]['say'].split()[0]} called first"
    }
    calls = [line for line in record_of(tmp_path) if line.get("event") == "call"]
    assert len(calls) == 1
    assert late == [{"taken": False, "say": "no hand is being played: the call is not counted"}]
