"""A phone as a camera, with all that phones do: hang up, stall, show pages, want passwords, turn their pictures."""

from __future__ import annotations

import itertools
import logging
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from numbered import number_of
from pretend_phone import PATIENCE_S, Phone, serving, wait_for

from vision.capture.live import capture as capture_module
from vision.capture.live import watching
from vision.capture.live.camera import web_stream
from vision.capture.live.capture import Capture
from vision.capture.live.sources import SourceError, open_source


@pytest.fixture
def phone() -> Iterator[Phone]:
    with serving(Phone()) as phone:
        yield phone


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes seconds at a table is told sooner here."""
    monkeypatch.setattr(web_stream, "STALL_S", 1.0)
    monkeypatch.setattr(capture_module, "TRIES_S", (0.05, 0.1))


def kinds(capture: Capture) -> list[str]:
    return [notice.kind for notice in capture.notices]


@pytest.mark.parametrize("tells_length", [True, False])
def test_pictures_come_whole_and_in_order(phone: Phone, tells_length: bool) -> None:
    phone.tells_length = tells_length
    source = open_source(phone.address)
    assert (source.width, source.height) == phone.size
    frames = list(itertools.islice(source.frames(), 10))
    source.close()
    assert [number_of(frame.image) for frame in frames] == list(range(1, 11))
    assert [frame.index for frame in frames] == list(range(10))
    times = [frame.time_s for frame in frames]
    assert times[0] == 0.0 and times == sorted(times) and times[-1] > 0.0


def test_times_are_by_a_clock_that_nobody_sets(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(1e9, -3600)
    monkeypatch.setattr(time, "time", lambda: float(next(clock)))
    source = open_source(phone.address)
    times = [frame.time_s for frame in itertools.islice(source.frames(), 5)]
    source.close()
    assert times == sorted(times) and times[-1] < PATIENCE_S


def test_a_phone_that_hangs_up_is_told_and_tried_again(phone: Phone) -> None:
    with Capture(open_source(phone.address)) as capture:
        wait_for(lambda: capture.counts.taken > 5)
        phone.hangs_up = True
        wait_for(lambda: "gone" in capture.troubles)
        before = capture.newest(-1, PATIENCE_S)
        time.sleep(0.3)
        phone.hangs_up = False
        assert before is not None
        after = capture.newest(before.index, PATIENCE_S)
        assert after is not None and after.index > before.index and after.time_s > before.time_s + 0.2
        wait_for(lambda: "gone" not in capture.troubles)
        assert kinds(capture) == ["gone", "back"]
        gone, back = capture.notices
        assert "127.0.0.1" in gone.text and ": " in gone.text and gone.time_s < back.time_s


@pytest.mark.parametrize("how", ["stalls", "breaks"])
def test_a_phone_that_stalls_or_breaks_off_is_gone(phone: Phone, how: str) -> None:
    with Capture(open_source(phone.address)) as capture:
        wait_for(lambda: capture.counts.taken > 2)
        setattr(phone, how, True)
        wait_for(lambda: "gone" in capture.troubles)
        setattr(phone, how, False)
        wait_for(lambda: "back" in kinds(capture))


def test_spoilt_pictures_are_passed_over(phone: Phone) -> None:
    phone.spoils = True
    with Capture(open_source(phone.address)) as capture:
        wait_for(lambda: capture.counts.taken > 5)
        assert "gone" not in kinds(capture)
        assert all(number_of(frame.image) % 2 == 0 for frame in capture.since(-1, 9))


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ((200, "text/html", "<html>IP camera"), "is a page, not a stream: "),
        ((200, "image/jpeg", "..."), "gives one picture, not a stream: "),
        ((200, "application/vnd.apple.mpegurl", "#EXTM3U"), "seconds late: "),
        ((200, "video/mp4", "no film at all"), "no pictures that can be read: "),
        ((200, "multipart/x-mixed-replace", "no parts\n" * 200), "no pictures that can be read: "),
        ((404, "text/html", "none"), "is not there: "),
        ((503, "text/html", "busy"), "answers with an error .503.: "),
    ],
)
def test_what_is_no_stream_is_told_in_words(phone: Phone, page: tuple[int, str, str], told: str) -> None:
    phone.page = page
    with pytest.raises(SourceError, match=told) as error:
        open_source(phone.address)
    assert "\n" not in str(error.value) and "127.0.0.1" in str(error.value)


def test_a_phone_that_sends_no_picture_is_told(phone: Phone) -> None:
    phone.stalls = True
    with pytest.raises(SourceError, match="sends no picture any more: "):
        open_source(phone.address)


def test_who_does_not_answer_and_who_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_stream, "ANSWER_S", 0.3)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(SourceError, match="refuses to connect: "):
            open_source(f"http://{address}/")
        listening.listen()
        with pytest.raises(SourceError, match="does not answer: "):
            open_source(f"http://{address}/")


@pytest.mark.parametrize("spec", ["ftp://a/b", "http://", "http://a:b/", "http://a b/", "file:///etc/passwd"])
def test_what_is_no_address_is_told(spec: str) -> None:
    with pytest.raises(SourceError, match=": "):
        open_source(spec)


@pytest.mark.parametrize("digest", [False, True])
def test_a_password_is_asked_for_taken_and_never_told(
    digest: bool, phone: Phone, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    phone.who, phone.digest = "master:sesame and more", digest
    with pytest.raises(SourceError, match=r"asks for a name and a password: .*NAME:PASSWORD"):
        open_source(phone.address)
    wrong = phone.address.replace("://", "://master:secret1@") + "?pwd=secret2"
    with pytest.raises(SourceError, match="does not take this name and password: ") as refused:
        open_source(wrong)
    right = phone.address.replace("://", "://master:sesame%20and%20more@") + "?pwd=secret2"
    with Capture(open_source(right)) as capture:
        name = capture._source.name
        assert capture.newest(-1, PATIENCE_S) is not None
        phone.hangs_up = True
        wait_for(lambda: "gone" in capture.troubles)
        told = " ".join(notice.text for notice in capture.notices)
    for text in (str(refused.value), name, told, caplog.text, *capfd.readouterr()):
        assert "secret" not in text and "sesame" not in text
    assert name == phone.address + "?…"


def test_a_second_session_on_one_camera_is_refused(phone: Phone) -> None:
    first = open_source(phone.address)
    with pytest.raises(SourceError, match="in use by another session: "):
        open_source(phone.address)
    first.close()
    open_source(phone.address).close()


def test_another_size_is_told_and_followed(phone: Phone) -> None:
    with Capture(open_source(phone.address)) as capture:
        wait_for(lambda: capture.counts.taken > 2)
        phone.size = (320, 200)
        wait_for(lambda: "resized" in kinds(capture))
        frame = capture.newest(-1, PATIENCE_S)
        assert frame is not None and frame.image.shape == (200, 320, 3)
        assert "320 × 200 px now, it was 192 × 64" in capture.notices[-1].text


def test_a_frozen_picture_is_told_and_that_it_moves_again(
    phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "FROZEN_S", 0.5)
    with Capture(open_source(phone.address)) as capture:
        wait_for(lambda: capture.counts.taken > 2)
        phone.frozen = True
        wait_for(lambda: "frozen" in capture.troubles)
        (notice,) = capture.notices
        assert notice.since_s is not None and notice.time_s - notice.since_s >= 0.5
        phone.frozen = False
        wait_for(lambda: not capture.troubles)
        assert kinds(capture) == ["frozen", "moving"]


def test_five_frames_a_second_are_told_as_too_few(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "RATE_OVER_S", 1.0)
    phone.fps = 5
    with Capture(open_source(phone.address)) as capture:
        wait_for(lambda: "slow" in capture.troubles)
        assert "frames a second: " in capture.notices[0].text
        assert capture.fps < 10


def test_stopping_a_phone_that_stalls_takes_no_second(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_stream, "STALL_S", 20.0)
    before = set(threading.enumerate())
    capture = Capture(open_source(phone.address)).start()
    wait_for(lambda: capture.counts.taken > 2)
    phone.stalls = True
    time.sleep(0.1)
    began = time.monotonic()
    capture.stop()
    assert time.monotonic() - began < 3  # a second, on a machine that has nothing else to do
    own = {thread for thread in threading.enumerate() if thread.name in ("capture", "camera", "recorder")}
    assert own <= before
