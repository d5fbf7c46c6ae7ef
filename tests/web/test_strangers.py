"""What strangers send is opened apart: what breaks or hangs over it is one sentence to them, and the page goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import breaking
import pytest
from fastapi.testclient import TestClient
from PIL import Image as Pillow
from pretend import RECORD, PretendEye, picture, pretend_tools
from serving import finished

from referee.web import create_app, film, photos
from vision.capture.apart import by_number, footage, opening
from vision.capture.apart.limits import FILM_MB, Limits
from vision.capture.apart.process import Apart, Work
from vision.capture.video import Footage, Video

#: How long a piece of work may take here, s: much more than a small photo does on a busy machine.
PATIENCE_S = 4.0
STRICT = Limits(FILM_MB, wall_s=PATIENCE_S)


@pytest.fixture
def page(hand_video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """The page with a pretended eye, whose processes are short of patience."""
    beside = [Apart(STRICT) for _ in range(3)]
    monkeypatch.setattr(photos, "PHOTOS", beside[0])
    monkeypatch.setattr(film, "FILMS", beside[1])
    monkeypatch.setattr(film, "FRAMES", beside[2])
    monkeypatch.setattr(by_number, "for_film", lambda path: STRICT)
    monkeypatch.setattr(footage, "for_film", lambda path: STRICT)
    for each in beside:
        each.do(breaking.echo)
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path / "recordings")
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client
    for each in beside:
        each.close()


def photo(columns: int = 1) -> bytes:
    file = BytesIO()
    Pillow.fromarray(picture(*["red"] * columns)[:, :, ::-1]).save(file, "PNG")
    return file.getvalue()


def send(page: TestClient, *given: tuple[str, bytes]) -> Any:
    return page.post("/api/photos", files=[("photos", each) for each in given])


@pytest.mark.parametrize("work", [breaking.crash, breaking.leave, breaking.hang])
def test_a_photo_that_breaks_the_decoder_is_one_sentence_and_the_next_is_counted(
    page: TestClient, monkeypatch: pytest.MonkeyPatch, work: Work
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(opening, "_photo", work)
        answer = send(page, ("evil.png", photo()))
    assert answer.status_code == 422
    says = "takes too long to open" if work is breaking.hang else "cannot be opened, as it breaks"
    assert says in answer.json()["error"]
    assert answer.json()["error"].startswith("evil.png ")
    assert len(send(page, ("good.png", photo(2))).json()["photos"][0]["layout"]["cards"]) == 2


def test_while_one_hangs_the_page_goes_on(
    page: TestClient, monkeypatch: pytest.MonkeyPatch, hand_video: Path
) -> None:
    """What else the page is asked is answered at once, scores and recordings among it."""
    known = send(page, ("good.png", photo(3))).json()["photos"][0]["key"]
    monkeypatch.setattr(opening, "_photo", breaking.hang)
    with ThreadPoolExecutor(1) as stranger:
        sent = stranger.submit(send, page, ("evil.png", photo()))
        time.sleep(0.5)
        assert page.post("/api/score", json={"photos": [known]}).json()["total_by_backs"] == 3
        assert page.get("/api/recordings").status_code == 200
        given = {"params": {"name": "a.mp4"}, "content": hand_video.read_bytes()}
        assert page.post("/api/recordings", **given).status_code == 201
        assert not sent.done()
        assert sent.result().status_code == 422


@pytest.mark.parametrize("work", [breaking.crash, breaking.hang])
def test_a_film_that_breaks_the_decoder_is_one_sentence_and_nothing_of_it_is_kept(
    page: TestClient, monkeypatch: pytest.MonkeyPatch, work: Work, hand_video: Path, tmp_path: Path
) -> None:
    data = hand_video.read_bytes()
    with monkeypatch.context() as broken:
        broken.setattr(opening, "_film", work)
        answer = page.post("/api/recordings", params={"name": "evil.mp4"}, content=data)
    assert answer.status_code == 422
    says = "takes too long to open" if work is breaking.hang else "cannot be opened, as it breaks"
    assert answer.json()["error"] == (
        f"evil.mp4 {says}{'' if 'long' in says else ' the program that decodes it'}: record or copy it again"
    )
    assert not list((tmp_path / "recordings").glob("*"))
    assert page.post("/api/recordings", params={"name": "a.mp4"}, content=data).status_code == 201


def test_of_ten_at_once_a_bomb_spoils_no_other(page: TestClient) -> None:
    """A picture of 400 megapixels in 50 kB, among nine others sent by as many people."""
    file = BytesIO()
    Pillow.new("1", (20_000, 20_000)).save(file, "PNG")
    given = [("bomb.png", file.getvalue()), *((f"{number}.png", photo(number)) for number in range(1, 10))]
    with ThreadPoolExecutor(10) as people:
        answers = list(people.map(lambda each: send(page, each), given))
    assert [answer.status_code for answer in answers] == [422, *[200] * 9]
    assert (
        answers[0].json()["error"].startswith("bomb.png has 400 megapixels, more than 100: save it smaller")
    )
    seen = [len(answer.json()["photos"][0]["layout"]["cards"]) for answer in answers[1:]]
    assert seen == list(range(1, 10))


# Films, when they have been taken


def sent(page: TestClient, hand_video: Path, name: str) -> str:
    """The ID of a recording that was sent."""
    data = hand_video.read_bytes()
    return str(page.post("/api/recordings", params={"name": name}, content=data).json()["id"])


@pytest.mark.parametrize(
    ("opens", "says"),
    [
        (
            breaking.CrashingVideo,
            "evil.mp4 cannot be read beyond 0.4 s, as it breaks the program that decodes it: record or copy it again",
        ),
        (breaking.HangingVideo, "evil.mp4 takes too long to decode: record or copy it again"),
        (breaking.HungryVideo, "evil.mp4 needs more memory than there is: record it smaller"),
    ],
)
def test_a_film_that_goes_wrong_midway_fails_with_one_sentence_and_the_page_goes_on(
    page: TestClient, monkeypatch: pytest.MonkeyPatch, hand_video: Path, opens: type[Video], says: str
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(footage, "Video", opens)
        id = sent(page, hand_video, "evil.mp4")
        told = finished(page, id)
    assert (told["state"], told["error"], told["account"]) == ("failed", says, None)
    assert page.get(f"/api/recordings/{id}/record").status_code == 404
    assert finished(page, sent(page, hand_video, "good.mp4"))["state"] == "done"


def test_of_a_hand_that_was_told_in_part_when_its_film_broke_nothing_is_kept(
    page: TestClient, monkeypatch: pytest.MonkeyPatch, hand_video: Path
) -> None:
    """Nothing of it was ruled, and it has no end."""

    def telling(video: Footage, *_: Any, **__: Any) -> Iterator[dict[str, Any]]:
        yield from RECORD[:3]
        for _ in video:
            pass

    desk = page.app.state.desk  # type: ignore[attr-defined]
    monkeypatch.setattr(desk, "_tools", replace(desk._tools, replay=telling))
    monkeypatch.setattr(footage, "Video", breaking.CrashingVideo)
    told = finished(page, sent(page, hand_video, "evil.mp4"))
    assert (told["state"], told["account"]) == ("failed", None)


@pytest.mark.parametrize("work", [breaking.crash, breaking.hang])
def test_a_frame_that_goes_wrong_is_one_sentence_and_the_next_is_there(
    page: TestClient, monkeypatch: pytest.MonkeyPatch, hand_video: Path, work: Work
) -> None:
    id = sent(page, hand_video, "evil.mp4")
    finished(page, id)
    with monkeypatch.context() as broken:
        broken.setattr(by_number, "_frame", work)
        frame = page.get(f"/api/recordings/{id}/frame/30")
        clip = page.get(f"/api/recordings/{id}/clip", params={"from": 1, "to": 2})
    says = "takes too long to read" if work is breaking.hang else "cannot be read"
    for answer, number in ((frame, 30), (clip, 10)):
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(f"evil.mp4 {says} at frame {number}")
    assert page.get(f"/api/recordings/{id}/frame/30").status_code == 200
    clip = page.get(f"/api/recordings/{id}/clip", params={"from": 1, "to": 2})
    assert (clip.status_code, clip.headers["content-type"]) == (200, "video/mp4")


@pytest.mark.parametrize("work", [breaking.crash, breaking.hang])
def test_times_that_cannot_be_read_are_one_sentence(
    page: TestClient, monkeypatch: pytest.MonkeyPatch, hand_video: Path, work: Work
) -> None:
    id = sent(page, hand_video, "evil.mp4")
    asked = {"url": f"/api/recordings/{id}/frames", "params": {"around": 1.0}}
    with monkeypatch.context() as broken:
        broken.setattr(by_number, "_around", work)
        answer = page.get(**asked)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("evil.mp4 ")
    assert page.get(**asked).json()["times"]


def test_no_frame_of_a_film_that_was_sent_is_decoded_by_the_page_itself(
    page: TestClient, monkeypatch: pytest.MonkeyPatch, hand_video: Path
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("a film is opened here")

    for module in ("frame_reader", "frame_times", "video"):
        monkeypatch.setattr(f"vision.capture.{module}.open_film", never)
    id = sent(page, hand_video, "a.mp4")
    assert finished(page, id)["state"] == "done"
    at = f"/api/recordings/{id}"
    for asked in (
        "frame/7",
        "times",
        "frames?around=1",
        "clip?from=1&to=1.5",
        "moment/1",
        "first/1",
    ):
        assert page.get(f"{at}/{asked}").status_code == 200, asked


def test_no_process_is_left_when_the_page_is_closed(
    hand_video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed while one film is refereed that hangs, it neither waits for it nor leaves its process behind."""
    monkeypatch.setattr(footage, "Video", breaking.HangingVideo)
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path / "recordings")
    with TestClient(app, base_url="http://localhost") as client:
        client.post("/api/recordings/sample/referee")
        until = time.monotonic() + 20
        while client.get("/api/recordings/sample").json()["share"] == 0 and time.monotonic() < until:
            time.sleep(0.05)
        process = app.state.desk._film._beside._process.pid
        began = time.monotonic()
    # not asked of the process itself: the page waits for it, too, and of two who wait one may not hear of its end
    assert breaking.is_gone(process)
    assert time.monotonic() - began < 5
    for _ in range(100):
        sample = app.state.desk["sample"]
        if sample.state == "failed":
            break
        time.sleep(0.05)
    assert (sample.state, sample.error) == ("failed", "The referee was stopped.")


def test_a_page_that_is_closed_waits_for_no_frame(
    hand_video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = Apart()
    monkeypatch.setattr(film, "FRAMES", frames)
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path / "recordings")
    with (
        TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client,
        ThreadPoolExecutor(1) as people,
    ):
        assert client.get("/api/recordings/sample/frame/3").status_code == 200
        monkeypatch.setattr(by_number, "_frame", breaking.hang)
        asked = people.submit(client.get, "/api/recordings/sample/frame/4")
        time.sleep(0.5)
        assert not asked.done()
        began = time.monotonic()
        app.state.leave()
        assert asked.result(20).status_code == 422
    assert time.monotonic() - began < 5
    assert not frames.is_running
