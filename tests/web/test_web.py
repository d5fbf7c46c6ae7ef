"""What the page talks with: photos, recordings, ranges of video, progress, and errors as sentences."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pretend import RECORD, PretendEye, make_video, picture, pretend_tools
from serving import finished

from referee.service import BrokenInstallError, Tools
from referee.umpire.seats.dealt_row import NotFollowedError
from referee.web import create_app
from vision.capture.apart.footage import ApartVideo
from vision.capture.frames import CutOffError, encode_jpeg, save_image

#: By this address the tests call the page.
HOME = "http://localhost"


@pytest.fixture
def eye() -> PretendEye:
    return PretendEye()


@pytest.fixture
def pretend(eye: PretendEye, hand_video: Path) -> Tools:
    return pretend_tools(eye, hand_video)


@pytest.fixture
def page(pretend: Tools, tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(pretend, tmp_path / "recordings"), base_url=HOME) as client:
        yield client


def photo(tmp_path: Path, *cards: str) -> bytes:
    save_image(tmp_path / "photo.png", picture(*cards))
    return (tmp_path / "photo.png").read_bytes()


def test_the_page_asks_for_nothing_from_outside(page: TestClient) -> None:
    answer = page.get("/")
    assert answer.status_code == 200
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    for file in (
        "page.js",
        "ask.js",
        "photo/photo.js",
        "photo/hand.js",
        "recording.js",
        "recordings.js",
        "film.js",
        "look.css",
        "page.css",
        "icon.svg",
    ):
        source = page.get(f"/static/{file}")
        assert source.status_code == 200
        assert "//" not in source.text.replace("http://www.w3.org/2000/svg", "").replace("// ", "")


def test_photos_are_seen_and_scored(page: TestClient, eye: PretendEye, tmp_path: Path) -> None:
    spread = photo(tmp_path, "red", "red", "blue", "red")
    seen = page.post("/api/photos", files=[("photos", ("spread.png", spread))]).json()["photos"]
    assert [card["back"] for card in seen[0]["layout"]["cards"]] == ["red", "red", "blue", "red"]
    question = {"photos": [seen[0]["key"]], "seats": {"red": "anna"}, "left": {"red": 2}}
    report = page.post("/api/score", json=question).json()
    decks = {deck["back"]: deck for deck in report["decks"]}
    assert (decks["red"]["centre"], decks["red"]["left"], decks["red"]["points"]) == (3, 2, -1)
    assert decks["red"]["seat"] == "anna"
    assert decks["blue"]["points"] == 1
    page.post("/api/photos", files=[("photos", ("again.png", spread))])
    assert eye.looks == 1


def test_what_is_said_of_cards_and_photos_of_what_is_left_count(page: TestClient, tmp_path: Path) -> None:
    sent = [
        ("photos", (f"{n}.png", photo(tmp_path, *cards)))
        for n, cards in enumerate((["red", "red", "blue"], ["ace"]))
    ]
    spread, pile = (each["key"] for each in page.post("/api/photos", files=sent).json()["photos"])
    mends = [
        {"photo": spread, "card": 0, "gone": "card"},
        {"photo": spread, "card": 1, "deck": "blue"},
        {"photo": spread, "at": [300, 60], "deck": "blue"},
    ]
    question = {"photos": [spread], "seats": {"blue": "anna"}, "piles": {"blue": [pile]}, "mends": mends}
    report = page.post("/api/score", json=question).json()
    assert [(deck["seat"], deck["centre"], deck["left"]) for deck in report["decks"]] == [("anna", 3, 1)]
    places = [
        [place["image"], place["card"], place["mend"]] for card in report["cards"] for place in card["on"]
    ]
    assert sorted(places, key=str) == [[0, 1, None], [0, 2, None], [0, None, 2], [1, 0, None]]
    for odd in (
        {"photo": spread, "card": 7},
        {"photo": "0" * 64, "card": 0},
        {"photo": spread, "at": [1, 1]},
    ):
        answer = page.post("/api/score", json={**question, "mends": [odd]})
        assert answer.status_code == 422 and "reload the page" in answer.json()["error"]
    answer = page.post("/api/score", json={**question, "mends": [], "piles": {"red": [spread]}})
    assert answer.status_code == 422 and "something else" in answer.json()["error"]


def test_several_photos_at_once(page: TestClient, tmp_path: Path) -> None:
    files = [("photos", (f"{n}.png", photo(tmp_path, *cards))) for n, cards in enumerate((["ace"], ["red"]))]
    seen = page.post("/api/photos", files=files).json()["photos"]
    report = page.post("/api/score", json={"photos": [each["key"] for each in seen]}).json()
    assert (report["total_by_faces"], report["total_by_backs"], report["agrees"]) == (1, 1, True)
    assert report["foundations"] == [{"top": "AS", "cards": 1, "sure": True}]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("notes.txt", b"hello", "notes.txt is not a picture that can be read"),
        ("empty.jpg", b"", "empty.jpg is empty"),
        ("cut.jpg", encode_jpeg(picture("red"))[:-200], "cut.jpg is cut off"),
    ],
)
def test_what_is_no_photo_is_refused_with_a_sentence(
    page: TestClient, name: str, data: bytes, says: str
) -> None:
    answer = page.post("/api/photos", files=[("photos", (name, data))])
    assert answer.status_code == 422
    assert says in answer.json()["error"]


def test_a_forgotten_photo_is_asked_for_again(page: TestClient) -> None:
    answer = page.post("/api/score", json={"photos": ["0" * 64]})
    assert answer.status_code == 422
    assert "start over" in answer.json()["error"]


@pytest.mark.parametrize("question", [{}, {"photos": []}, {"photos": ["x"], "left": {"red": 99}}])
def test_an_odd_question_is_refused(page: TestClient, question: dict[str, Any]) -> None:
    answer = page.post("/api/score", json=question)
    assert answer.status_code == 422
    assert answer.json() == {"error": "The page asked for something odd: reload it."}


def test_the_sample_is_refereed_on_demand(page: TestClient, tmp_path: Path) -> None:
    (shelf,) = page.get("/api/recordings").json()["recordings"]
    assert (shelf["id"], shelf["state"]) == ("sample", "new")
    assert page.get("/api/recordings/sample").json()["account"] is None
    assert page.post("/api/recordings/sample/referee").status_code == 200
    told = finished(page, "sample")
    assert told["error"] is None
    assert (told["account"]["plays"], told["account"]["illegal"]) == (2, 1)
    texts = [(entry["at"], entry["seat"], entry["text"]) for entry in told["account"]["entries"]]
    assert texts[0] == (1.2, "north", "A♥  work 1 → foundation 1")
    (remark,) = told["account"]["entries"][2]["remarks"]
    assert (remark["rule"], remark["verdict"]) == ("N9", "illegal")
    assert told["account"]["score"]["match"]["south"] == -26
    kept = (tmp_path / "recordings" / "sample" / "record.jsonl").read_text("utf-8")
    assert [json.loads(line) for line in kept.splitlines()] == RECORD
    assert page.get("/api/recordings/sample/record").text == kept


def test_an_uploaded_recording_is_kept_and_refereed(
    page: TestClient, pretend: Tools, hand_video: Path, tmp_path: Path
) -> None:
    data = hand_video.read_bytes()
    answer = page.post(
        "/api/recordings", params={"name": "Friday ../ 3.MP4", "game": "tournament"}, content=data
    )
    assert answer.status_code == 201
    id = answer.json()["id"]
    assert "/" not in id and ".." not in id
    assert finished(page, id)["account"]["game"] == "tournament"
    folder = tmp_path / "recordings" / id
    assert (folder / "video.mp4").read_bytes() == data
    with TestClient(create_app(pretend, tmp_path / "recordings"), base_url=HOME) as later:
        shelf = {each["id"]: each for each in later.get("/api/recordings").json()["recordings"]}
        assert (shelf[id]["name"], shelf[id]["state"], shelf[id]["plays"]) == ("Friday ../ 3.MP4", "done", 2)


@pytest.mark.parametrize(
    ("name", "content", "game", "says"),
    [
        ("notes.mp4", b"hello", "nerts", "notes.mp4 is not a video"),
        ("empty.mp4", b"", "nerts", "empty.mp4 is empty"),
        ("photo.jpg", encode_jpeg(picture("red")), "nerts", "photo.jpg is a picture, not a video"),
        ("hand.mp4", b"hello", "whist", "unknown game 'whist'"),
    ],
)
def test_a_bad_upload_is_refused_and_not_kept(
    page: TestClient, tmp_path: Path, name: str, content: bytes, game: str, says: str
) -> None:
    answer = page.post("/api/recordings", params={"name": name, "game": game}, content=content)
    assert answer.status_code == 422
    assert says in answer.json()["error"]
    assert str(tmp_path) not in answer.json()["error"]
    assert not list((tmp_path / "recordings").glob("*"))


def test_the_video_comes_in_ranges(page: TestClient, hand_video: Path) -> None:
    data = hand_video.read_bytes()
    part = page.get("/api/recordings/sample/video", headers={"Range": "bytes=100-199"})
    assert part.status_code == 206
    assert part.headers["content-range"] == f"bytes 100-199/{len(data)}"
    assert part.headers["content-type"] == "video/mp4"
    assert part.content == data[100:200]
    assert page.get("/api/recordings/sample/video").content == data


@pytest.mark.parametrize("path", ["", "/video", "/record", "/events"])
def test_a_recording_that_is_not_there(page: TestClient, path: str) -> None:
    answer = page.get(f"/api/recordings/nowhere{path}")
    assert answer.status_code == 404
    assert "There is no recording 'nowhere' here" in answer.json()["error"]


@pytest.mark.parametrize("follows", [True, False])
def test_what_makes_a_film_hard_to_follow_is_said_on_its_page(
    pretend: Tools, tmp_path: Path, *, follows: bool
) -> None:
    def noticed(*_: Any, on_notice: Any, **__: Any) -> Iterator[dict[str, Any]]:
        on_notice("it has 10 frames a second: record 30 or more")
        if not follows:
            raise NotFollowedError("no card can be seen")
        yield from RECORD

    with TestClient(create_app(replace(pretend, replay=noticed), tmp_path), base_url=HOME) as page:
        page.post("/api/recordings/sample/referee")
        said = finished(page, "sample")["error"]
    assert said == ("It has 10 frames a second: record 30 or more." if follows else "no card can be seen")


def test_progress_is_told_while_it_is_refereed(pretend: Tools, tmp_path: Path) -> None:
    go_on = threading.Event()

    def slowly(video: Path, game: str, settings: Mapping[str, Any], **more: Any) -> Iterator[dict[str, Any]]:
        more["on_progress"](1.5, 6.0)
        assert go_on.wait(20)
        yield from RECORD

    with TestClient(create_app(replace(pretend, replay=slowly), tmp_path), base_url=HOME) as page:
        page.post("/api/recordings/sample/referee")
        while page.get("/api/recordings/sample").json()["share"] == 0:
            time.sleep(0.02)
        threading.Timer(0.6, go_on.set).start()
        news = page.get("/api/recordings/sample/events")
    assert news.headers["content-type"].startswith("text/event-stream")
    told = [block.split("\n") for block in news.text.strip().split("\n\n")]
    assert told[0][0] == "event: progress"
    assert json.loads(told[0][1].removeprefix("data: ")) == {
        "state": "refereeing",
        "share": 0.25,
        "doing": "0:01.5 of 0:06.0",
    }
    assert told[-1][0] == "event: end"
    assert json.loads(told[-1][1].removeprefix("data: "))["state"] == "done"


def test_a_cut_off_recording_keeps_its_plays_and_says_so(pretend: Tools, tmp_path: Path) -> None:
    def until_the_cut(
        video: Path, game: str, settings: Mapping[str, Any], **more: Any
    ) -> Iterator[dict[str, Any]]:
        yield from RECORD[:3]
        raise CutOffError(f"{video} is cut off at 2.1 s of 6.0 s: record or copy it again")

    with TestClient(create_app(replace(pretend, replay=until_the_cut), tmp_path), base_url=HOME) as page:
        page.post("/api/recordings/sample/referee")
        told = finished(page, "sample")
    assert told["state"] == "done"
    assert told["error"] == "Sample hand is cut off at 2.1 s of 6.0 s: record or copy it again"
    assert told["account"]["plays"] == 1


def test_of_a_recording_of_several_hands_the_first_is_shown_and_that_is_said(
    pretend: Tools, tmp_path: Path
) -> None:
    def two(video: Path, game: str, settings: Mapping[str, Any], **more: Any) -> Iterator[dict[str, Any]]:
        yield from RECORD
        yield from RECORD

    with TestClient(create_app(replace(pretend, replay=two), tmp_path), base_url=HOME) as page:
        page.post("/api/recordings/sample/referee")
        told = finished(page, "sample")
    assert told["state"] == "done"
    assert "further hands" in told["error"] and "nerts-referee replay" in told["error"]
    assert told["account"]["plays"] == 2


def test_a_fault_of_the_umpire_is_told_and_the_next_recording_goes_on(
    pretend: Tools, hand_video: Path, tmp_path: Path
) -> None:
    def stumbling(
        video: ApartVideo, game: str, settings: Mapping[str, Any], **more: Any
    ) -> Iterator[dict[str, Any]]:
        if video.path == hand_video:
            raise ZeroDivisionError("no table")
        yield from RECORD

    with TestClient(create_app(replace(pretend, replay=stumbling), tmp_path), base_url=HOME) as page:
        page.post("/api/recordings/sample/referee")
        data = hand_video.read_bytes()
        id = page.post("/api/recordings", params={"name": "next.mp4"}, content=data).json()["id"]
        assert finished(page, id)["state"] == "done"
        told = page.get("/api/recordings/sample").json()
    assert told["state"] == "failed"
    assert "The referee failed at this recording" in told["error"]


def test_missing_weights_are_told(pretend: Tools, tmp_path: Path) -> None:
    def no_weights() -> Any:
        raise BrokenInstallError("the weights finder.onnx are missing: install nerts-referee again")

    with TestClient(create_app(replace(pretend, open_eye=no_weights), tmp_path), base_url=HOME) as page:
        answer = page.post("/api/photos", files=[("photos", ("a.png", photo(tmp_path, "red")))])
    assert answer.status_code == 500
    assert "finder.onnx" in answer.json()["error"]


def test_other_sites_cannot_ask_for_changes(page: TestClient) -> None:
    answer = page.post("/api/recordings/sample/referee", headers={"Origin": "http://elsewhere.example"})
    assert answer.status_code == 403
    assert page.get("/api/recordings/sample").json()["state"] == "new"
    own = page.post("/api/recordings/sample/referee", headers={"Origin": HOME})
    assert own.status_code == 200


def test_a_damaged_folder_is_passed_over(pretend: Tools, hand_video: Path, tmp_path: Path) -> None:
    for name, facts in (
        ("a", "not json"),
        ("b", '{"name": "b"}'),
        ("c", '{"name": "c", "video": "gone", "game": "x"}'),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "recording.json").write_text(facts)
    make_video(tmp_path / "c" / "other.mp4", seconds=1)
    with TestClient(create_app(pretend, tmp_path), base_url=HOME) as page:
        assert [each["id"] for each in page.get("/api/recordings").json()["recordings"]] == ["sample"]
