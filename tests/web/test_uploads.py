"""What is sent to the page: refused before it is taken in where it can be, told with its name, never half kept."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from base64 import b64decode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import numpy as np
import pillow_heif
import pytest
from fastapi.testclient import TestClient
from PIL import Image as Pillow
from pretend import RECORD, PretendEye, make_video, picture, pretend_tools
from serving import finished

from referee.rules.settings import game_names
from referee.service import Tools
from referee.web import create_app
from referee.web.desk import Desk
from vision.capture.frames import decode_image, encode_jpeg

#: Every write to it ends with "no space left on device".
FULL = Path("/dev/full")


def written(kind: str, image: np.ndarray, **how: Any) -> bytes:
    """The bytes of a picture (BGR) as a file of this kind."""
    pillow_heif.register_heif_opener()
    file = BytesIO()
    Pillow.fromarray(image[:, :, ::-1]).save(file, kind, **how)
    return file.getvalue()


RED = written("PNG", picture("red", "red"))
JPEG = encode_jpeg(picture("red"))


@pytest.fixture
def pretend(hand_video: Path) -> Tools:
    return pretend_tools(PretendEye(), hand_video)


@contextmanager
def opened(tools: Tools, folder: Path) -> Iterator[TestClient]:
    app = create_app(tools, folder)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def page(pretend: Tools, tmp_path: Path) -> Iterator[TestClient]:
    with opened(pretend, tmp_path / "recordings") as client:
        yield client


def send(page: TestClient, *photos: tuple[str, bytes], **more: Any) -> Any:
    return page.post("/api/photos", files=[("photos", photo) for photo in photos], **more)


# One bad of several


def test_a_bad_photo_spoils_no_other(page: TestClient) -> None:
    answer = send(
        page, ("good.png", RED), ("notes.jpg", b"hello"), ("cut.jpg", JPEG[:-300]), ("also.png", RED + b" ")
    )
    assert answer.status_code == 200
    told = answer.json()
    assert [photo["layout"]["image"] for photo in told["photos"]] == ["good.png", "also.png"]
    assert [refused["name"] for refused in told["refused"]] == ["notes.jpg", "cut.jpg"]
    assert "notes.jpg is not a picture that can be read" in told["refused"][0]["error"]


def test_of_bad_photos_alone_each_is_told(page: TestClient) -> None:
    answer = send(page, ("notes.jpg", b"hello"), (" ", b"hello"), ("empty.jpg", b""))
    assert answer.status_code == 422
    for name in ("notes.jpg is not", "photo 2 is not", "empty.jpg is empty"):
        assert name in answer.json()["error"]


def test_a_photo_counts_once_however_often_it_is_named(page: TestClient) -> None:
    key = send(page, ("a.png", RED)).json()["photos"][0]["key"]
    assert page.post("/api/score", json={"photos": [key, key]}).json()["total_by_backs"] == 2


# What phones write


@pytest.mark.parametrize(
    ("kind", "how"),
    [("HEIF", {"quality": 100}), ("AVIF", {"quality": 100}), ("TIFF", {}), ("PNG", {}), ("JPEG", {})],
)
def test_the_page_is_shown_what_was_seen(page: TestClient, kind: str, how: dict[str, Any]) -> None:
    """No browser shows every kind: the preview is a JPEG in which the cards lie where the layout says."""
    stored = np.full((1200, 1600, 3), 40, np.uint8)
    stored[300:500, 1000:1400] = (30, 200, 220)
    answer = send(page, (f"a.{kind}", written(kind, stored, **how)), params={"preview": 800})
    (photo,) = answer.json()["photos"]
    assert (photo["layout"]["width"], photo["layout"]["height"]) == (1600, 1200)
    head, _, data = photo["preview"].partition(",")
    assert head == "data:image/jpeg;base64"
    shown = decode_image(b64decode(data), "the preview")
    assert shown.shape == (600, 800, 3)
    scale = 800 / photo["layout"]["width"]
    assert abs(shown[int(400 * scale), int(1200 * scale)].astype(int) - (30, 200, 220)).max() < 40
    assert shown[int(250 * scale), int(1200 * scale)].max() < 90


def test_a_phone_held_upright_is_shown_upright(page: TestClient) -> None:
    exif = Pillow.Exif()
    exif[0x0112] = 6
    data = written("JPEG", np.zeros((300, 400, 3), np.uint8), exif=exif)
    (photo,) = send(page, ("a.jpg", data), params={"preview": 200}).json()["photos"]
    assert (photo["layout"]["width"], photo["layout"]["height"]) == (300, 400)
    assert decode_image(b64decode(photo["preview"].partition(",")[2]), "").shape == (200, 150, 3)


def test_a_preview_comes_for_a_photo_that_was_seen_before(page: TestClient) -> None:
    assert "preview" not in send(page, ("a.png", RED)).json()["photos"][0]
    assert "preview" in send(page, ("a.png", RED), params={"preview": 100}).json()["photos"][0]
    assert send(page, ("a.png", RED), params={"preview": 100_000}).status_code == 422


# Sizes


def endless(taken: list[int], chunk: bytes = b"\0" * 1_000_000) -> Iterator[bytes]:
    """A body without an end, which counts the MB that were taken of it."""
    yield b'--b\r\nContent-Disposition: form-data; name="photos"; filename="a.jpg"\r\n\r\n'
    while taken[0] < 2000:
        taken[0] += 1
        yield chunk


@pytest.mark.parametrize(
    ("path", "type_", "most_mb"),
    [
        ("/api/photos", "multipart/form-data; boundary=b", 201),
        ("/api/score", "application/json", 1),
        ("/api/recordings?name=a.mp4", "video/mp4", 30),
        ("/api/recordings/sample/referee", "text/plain", 1),
    ],
)
def test_too_much_is_refused_by_what_is_stated_and_as_it_comes(
    page: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, type_: str, most_mb: int
) -> None:
    from referee.web import sizes

    limits = {**sizes.TOO_MUCH, "/api/recordings": (30, sizes.TOO_MUCH["/api/recordings"][1])}
    monkeypatch.setattr(sizes, "TOO_MUCH", limits)
    stated = page.post(path, headers={"Content-Type": type_, "Content-Length": str(most_mb * 1_000_000 + 1)})
    assert stated.status_code == 413
    assert " MB" in stated.json()["error"]
    if path.endswith("referee"):
        return  # it reads no body
    taken = [0]
    streamed = page.post(path, content=endless(taken), headers={"Content-Type": type_})
    assert streamed.status_code == 413
    assert streamed.json() == stated.json()
    assert not list((tmp_path / "recordings").glob("*"))


def test_too_many_photos_at_once(page: TestClient) -> None:
    answer = send(page, *[(f"{n}.jpg", b"x") for n in range(65)])
    assert answer.status_code == 413
    assert "more than 64 photos" in answer.json()["error"]
    assert send(page, *[(f"{n}.jpg", b"x") for n in range(200)]).status_code == 413


# A full disk


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every recording that is sent is written to a device that is full."""
    room_for = Desk.room_for

    def cramped(desk: Desk, name: str) -> Path:
        folder = room_for(desk, name)
        (folder / "video.mp4").symlink_to(FULL)
        return folder

    monkeypatch.setattr(Desk, "room_for", cramped)


def full_for(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The disk is full as soon as a file of this name is to lie on it."""
    fsync = os.fsync

    def no_room(descriptor: int) -> None:
        if name in Path(f"/proc/self/fd/{descriptor}").readlink().name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", no_room)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_keeps_nothing_of_a_recording_and_is_told(
    page: TestClient, hand_video: Path, tmp_path: Path
) -> None:
    answer = page.post("/api/recordings", params={"name": "a.mp4"}, content=hand_video.read_bytes())
    assert answer.status_code == 507
    assert "disk" in answer.json()["error"] and "full" in answer.json()["error"]
    assert not list((tmp_path / "recordings").glob("*"))
    assert len(page.get("/api/recordings").json()["recordings"]) == 1


def test_what_the_disk_cannot_hold_is_refused_before_it_is_sent(
    page: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: used._replace(free=1_000_000))
    taken = [0]
    length = {"Content-Length": "2000000"}
    answer = page.post("/api/recordings", params={"name": "a.mp4"}, content=endless(taken), headers=length)
    assert answer.status_code == 507
    assert not list((tmp_path / "recordings").glob("*"))


def test_a_full_disk_while_the_facts_are_written(
    page: TestClient, hand_video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_for(monkeypatch, "recording.json")
    answer = page.post("/api/recordings", params={"name": "a.mp4"}, content=hand_video.read_bytes())
    assert answer.status_code == 507
    assert not list((tmp_path / "recordings").glob("*"))
    assert len(page.get("/api/recordings").json()["recordings"]) == 1


def test_a_full_disk_while_photos_are_taken_in(page: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda *_, **__: FULL.open("r+b", buffering=0))
    large = np.random.default_rng(1).integers(0, 255, (1000, 1400, 3), np.uint8)
    answer = send(page, ("large.png", written("PNG", large)))
    assert answer.status_code == 507
    assert "full" in answer.json()["error"]


def test_a_full_disk_when_the_record_is_written_shows_the_account_all_the_same(
    pretend: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_for(monkeypatch, "record.jsonl")
    with opened(pretend, tmp_path) as page:
        page.post("/api/recordings/sample/referee")
        told = finished(page, "sample")
        assert told["state"] == "done"
        assert told["account"]["plays"] == 2
        assert "disk is full" in told["error"]
        assert page.get("/api/recordings/sample/record").status_code == 404
    assert not list((tmp_path / "sample").glob("*record*"))


# What is no recording


def sound(path: Path) -> bytes:
    """A film without a picture."""
    with av.open(str(path), "w", format="mp4") as out:
        stream = out.add_stream("aac", rate=8000)
        for start in range(0, 8192, 1024):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            frame.sample_rate, frame.pts = 8000, start
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path.read_bytes()


@pytest.mark.parametrize("name", ["notes.txt", "notes.mp4", "notes.srt", "notes.svg", "notes", "liste.m3u8"])
@pytest.mark.parametrize(
    "text",
    [
        "\n".join(str(number) for number in range(3000)),
        "1\n00:00:01,000 --> 00:00:02,000\nhello\n" * 9,
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>\n' * 9,
        "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n",
        "P3 2 2 255\n" + "9 " * 900,
        "Wir spielten am Freitag: früh ☀" * 200,
    ],
    ids=["numbers", "subtitles", "drawing", "playlist", "picture", "letter"],
)
def test_text_is_no_recording_and_is_called_text(
    page: TestClient, name: str, text: str, tmp_path: Path
) -> None:
    answer = page.post("/api/recordings", params={"name": name}, content=text.encode())
    assert answer.status_code == 422
    assert answer.json()["error"] == f"{name} is not a video but text: choose the recording itself"
    assert not list((tmp_path / "recordings").glob("*"))


def test_other_things_are_no_recordings(page: TestClient, tmp_path: Path) -> None:
    heic = written("HEIF", np.zeros((64, 64, 3), np.uint8))
    animated = written("GIF", np.zeros((64, 64, 3), np.uint8))
    still = make_video(tmp_path / "still.mp4", seconds=1, fps=1).read_bytes()
    unknown = make_video(tmp_path / "a.mp4", seconds=1).read_bytes().replace(b"avc1", b"nope")
    for name, data, says in [
        ("sound.mp4", sound(tmp_path / "sound"), "has no picture track: give a video, not a sound recording"),
        ("empty.mp4", b"", "is empty"),
        ("photo.mp4", JPEG, "is a picture, not a video: score it as a photo"),
        ("IMG_1.mov", heic, "is a picture, not a video: score it as a photo"),
        ("drawn.mp4", animated, "is not a video"),
        ("still.mp4", still, "shows a single picture, not a video"),
        ("listed.mp4", b"#EXTM3U\n#EXTINF:9,\nfile:///etc/hostname\n#\0\n", "is not a video"),
        ("unknown.mp4", unknown, "has pictures of a kind that cannot be read"),
        ("noise.mp4", bytes(5000) + b"noise" * 99, "is not a video"),
    ]:
        answer = page.post("/api/recordings", params={"name": name}, content=data)
        assert answer.status_code == 422, name
        assert f"{name} " in answer.json()["error"]
        assert says in answer.json()["error"]
    assert not list((tmp_path / "recordings").glob("*"))


@pytest.mark.parametrize(
    "name", ["hand.txt", "hand.html", "hand.jpg", "hand", "hand.mp\0", "hand.mp4/", "hand.MKV"]
)
def test_a_recording_with_the_wrong_ending_is_one_all_the_same(
    page: TestClient, name: str, hand_video: Path
) -> None:
    answer = page.post("/api/recordings", params={"name": name}, content=hand_video.read_bytes())
    assert answer.status_code == 201
    shown = page.get(f"/api/recordings/{answer.json()['id']}/video")
    assert shown.headers["content-type"] in ("video/mp4", "video/x-matroska", "application/octet-stream")


# Names


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd.mp4", "../../etc/passwd.mp4"),
        ("..\\..\\hand.mp4", "..\\..\\hand.mp4"),
        ("a\0b\nc\x1b[31m.mp4", "a b c [31m.mp4"),
        (" \t\n", "the recording"),
        ("", "the recording"),
        ("x" * 300 + ".mp4", "x" * 99 + "…" + "x" * 16 + ".mp4"),
        ("‮gpj.mp4", "gpj.mp4"),
        ("Überraschung 手 🃏.mp4", "Überraschung 手 🃏.mp4"),
        ("-rf.mp4", "-rf.mp4"),
        ("<b>.mp4", "<b>.mp4"),
    ],
)
def test_odd_names_are_shown_plainly_and_lead_nowhere_else(
    page: TestClient, tmp_path: Path, hand_video: Path, name: str, shown: str
) -> None:
    answer = page.post("/api/recordings", params={"name": name}, content=hand_video.read_bytes())
    assert answer.status_code == 201
    assert answer.json()["name"] == shown
    (folder,) = (tmp_path / "recordings").glob("*")
    assert folder.name == answer.json()["id"]
    assert folder.name.isascii() and len(folder.name) < 64
    assert not {"/", "\\", ".", " "} & set(folder.name)


def test_recordings_of_one_name_sent_at_once_are_all_kept(
    page: TestClient, tmp_path: Path, hand_video: Path
) -> None:
    data = hand_video.read_bytes()
    with ThreadPoolExecutor(6) as people:
        sent = [
            people.submit(page.post, "/api/recordings", params={"name": "a.mp4"}, content=data)
            for _ in range(6)
        ]
    ids = {each.result().json()["id"] for each in sent}
    assert len(ids) == 6
    for id in ids:
        assert (tmp_path / "recordings" / id / "video.mp4").read_bytes() == data
        assert finished(page, id)["state"] == "done"


def test_asked_for_at_once_a_recording_is_refereed_once(pretend: Tools, tmp_path: Path) -> None:
    times: list[Path] = []

    def slowly(video: Path, *_: Any, **__: Any) -> list[dict[str, Any]]:
        times.append(video)
        time.sleep(0.5)
        return RECORD

    with opened(replace(pretend, replay=slowly), tmp_path) as page, ThreadPoolExecutor(8) as people:
        asked = [people.submit(page.post, "/api/recordings/sample/referee") for _ in range(8)]
        assert {each.result().status_code for each in asked} == {200}
        finished(page, "sample")
    assert len(times) == 1


# Games


def test_no_game_is_offered_that_cannot_be_followed(
    page: TestClient, tmp_path: Path, hand_video: Path
) -> None:
    """Before the recording is sent: what is offered is taken, and what is not offered is refused."""
    offered = page.get("/").text
    data = hand_video.read_bytes()
    for game in game_names():
        if f'<option value="{game}"' in offered:
            answer = page.post("/api/recordings", params={"name": "a.mp4", "game": game}, content=data)
            assert answer.status_code == 201, game
            continue
        taken = [0]
        answer = page.post("/api/recordings", params={"name": "a.mp4", "game": game}, content=endless(taken))
        assert answer.status_code == 422, game
        assert game in answer.json()["error"]
    assert '<option value="nerts" selected' in offered
    assert "pishe-pasha" not in offered


def test_a_game_that_can_no_longer_be_followed_is_told_in_words(pretend: Tools, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    make_video(tmp_path / "old" / "video.mp4", seconds=1)
    (tmp_path / "old" / "recording.json").write_text(
        '{"name": "old", "video": "video.mp4", "game": "pishe-pasha"}'
    )
    from referee.live.replay import followed

    def refuse(video: Path, game: str, *_: Any, **__: Any) -> list[dict[str, Any]]:
        followed(game)
        return RECORD

    with opened(replace(pretend, replay=refuse), tmp_path) as page:
        page.post("/api/recordings/old/referee")
        told = finished(page, "old")
    assert "pishe-pasha" in told["error"]
    assert "terminal" not in told["error"]
