"""A camera of the page: its frames one by one, what stands on them, and what is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hand_held import PLACES, ColourEye, Later, seen_from, table
from pretend import pretend_tools

from referee.service.toolbox import count_photos
from referee.web import create_app
from referee.web.viewfinder import routes
from referee.web.viewfinder.count import BETWEEN_S, MOST, PATIENCE_S, Frame, LiveCount
from vision.capture.frames import encode_jpeg

SPREAD = [("red" if k < 5 else "blue", at) for k, at in enumerate(PLACES[:8])]


class Held:
    """A camera in somebody's hand, five frames a second; the eye looks when it is told to."""

    def __init__(self, eye: ColourEye | None = None) -> None:
        self.eye, self.later, self.now, self.number = eye or ColourEye(), Later(), 0.0, 0
        self.live = LiveCount(self.eye, count_photos, self.later, clock=lambda: self.now)  # type: ignore[arg-type]

    def show(
        self, picture: np.ndarray, step: float = 0.0, blur: int = 0, work: bool = True
    ) -> dict[str, Any]:
        """What is said of the next frame; `work`: after it the eye has the time to look."""
        told = self.live.take(Frame(self.number, f"frame {self.number}", seen_from(picture, step, blur)))
        self.now, self.number = self.now + max(0.2, BETWEEN_S), self.number + 1
        if work:
            self.later.work()
        return told


def counts(told: dict[str, Any]) -> dict[str, int]:
    return {deck["back"]: deck["count"] for deck in told["decks"]}


def middles(told: dict[str, Any]) -> np.ndarray:
    return np.array([np.mean(card["corners"], axis=0) for card in told["cards"]])


def test_the_count_stands_on_the_newest_picture() -> None:
    held, picture = Held(), table(SPREAD)
    assert held.show(picture)["state"] == "looking"
    for step in (1.0, 3.0, 6.0, 8.0, 6.0, 4.0, 2.0):
        told = held.show(picture, step)
        assert (told["state"], counts(told)) == ("counted", {"red": 5, "blue": 3})
        seen = np.array([card.centre for card in ColourEye().see(seen_from(picture, step)).cards])
        assert np.abs(seen[:, None] - middles(told)[None]).max(axis=2).min(axis=1).max() < 3.0
    assert len(told["frames"]) == MOST


def test_no_more_than_one_look_goes_on_at_once_and_none_once_enough_was_seen() -> None:
    held, picture = Held(), table(SPREAD)
    for step in range(6):
        held.show(picture, step, work=False)
    assert len(held.later.waiting) == 1
    for step in range(6, 14):
        held.show(picture, step / 2)
    assert held.eye.looks == MOST


def test_a_card_that_one_frame_shows_and_the_others_do_not_is_none() -> None:
    """It counts while nothing else is known, and never again."""
    held, picture = Held(ColourEye(more={2: [("red", PLACES[11])]})), table(SPREAD)
    told = [counts(held.show(picture, step / 4)) for step in range(6)]
    assert told[-1] == {"red": 5, "blue": 3}


def test_cards_that_move_do_not_count_until_they_were_looked_at() -> None:
    held = Held()
    for step in range(3):
        held.show(table(SPREAD), step)
    apart = [*SPREAD[:4], ("red", PLACES[10]), *SPREAD[5:], ("blue", PLACES[11])]
    moved = held.show(table(apart), 3.0)
    assert moved["state"] == "moved"
    assert counts(moved) == {"red": 4, "blue": 3}
    assert not any(deck["sure"] for deck in moved["decks"])
    told = [held.show(table(apart), 3.0 + step / 4) for step in range(4)]
    first = next(one for one in told if one["state"] == "counted")
    assert counts(first) == {"red": 5, "blue": 4}
    assert first["quick"]
    assert not any(deck["sure"] for deck in first["decks"])
    assert held.eye.parts == 1
    assert counts(told[-1]) == {"red": 5, "blue": 4}
    assert (told[-1]["state"], told[-1]["quick"]) == ("counted", False)
    assert min(told[-1]["frames"]) >= 3


def test_what_keeps_moving_is_waited_for_but_not_for_ever() -> None:
    held, looks = Held(), []
    for step in range(3):
        held.show(table(SPREAD), step)
    began = held.now
    for number in range(12):
        hand = (180 + 90 * (number % 3), 160)
        held.show(table(SPREAD, hand), 3.0)
        looks.append((held.now - began, held.eye.parts))
    first = next(at for at, number in looks if number > looks[0][1])
    assert PATIENCE_S <= first <= PATIENCE_S + 2 * BETWEEN_S


def test_blurred_frames_are_dropped() -> None:
    held, picture = Held(), table(SPREAD)
    for step in range(2):
        held.show(picture, step)
    looks = held.eye.looks
    told = held.show(picture, 2.0, blur=9)
    assert told["state"] == "blurred"
    assert held.eye.looks == looks
    assert not any(deck["sure"] for deck in told["decks"])
    assert held.show(picture, 2.0)["state"] == "counted"


def test_another_place_is_counted_anew() -> None:
    held = Held()
    for step in range(3):
        held.show(table(SPREAD), step)
    other = np.random.default_rng(2).integers(0, 120, table(SPREAD).shape, np.uint8)
    assert held.show(other)["state"] == "looking"
    told = held.show(other)
    assert (told["state"], told["cards"], told["decks"]) == ("counted", [], [])
    assert told["say"].startswith("No card")


def test_sure_is_what_the_frames_are_as_photos_and_nothing_else() -> None:
    held, picture = Held(), table(SPREAD)
    for step in range(5):
        told = held.show(picture, step / 2)
        layouts = [look.layout for look in held.live.looks]
        if told["state"] != "counted":
            continue
        report = count_photos(layouts, left={}, seats={}, together=True if len(layouts) > 1 else None)
        as_photos = {deck["back"]: (deck["centre"], deck["state"] == "sure") for deck in report["decks"]}
        assert {deck["back"]: (deck["count"], deck["sure"]) for deck in told["decks"]} == as_photos


# -- the server ----------------------------------------------------------------------------------------------------

JPEG = {"Content-Type": "image/jpeg"}


class SlowEye(ColourEye):
    """Looks when it may."""

    may: Event

    def see(self, image: np.ndarray, **how: Any) -> Any:
        assert self.may.wait(10)
        return super().see(image, **how)


@pytest.fixture
def eye() -> SlowEye:
    slow = SlowEye()
    slow.may = Event()
    slow.may.set()
    return slow


@pytest.fixture
def asked(eye: SlowEye, hand_video: Path, tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(pretend_tools(eye, hand_video), tmp_path), "http://localhost") as client:  # type: ignore[arg-type]
        yield client


def frame(cards: Sequence[tuple[str, tuple[int, int]]] = SPREAD, step: float = 0.0) -> bytes:
    return encode_jpeg(seen_from(table(cards), step))


def send(asked: TestClient, number: int, camera: str = "camera-one", step: float = 0.0, **how: Any) -> Any:
    address = f"/api/viewfinder?camera={camera}&frame={number}"
    return asked.post(address, content=how.pop("content", frame(step=step)), headers=how.pop("headers", JPEG))


def until_counted(asked: TestClient, first: int = 0) -> dict[str, Any]:
    for number in range(first, first + 100):
        told: dict[str, Any] = send(asked, number, step=number % 5 / 2).json()
        if told["state"] == "counted":
            return told
        time.sleep(0.02)
    raise AssertionError("nothing was counted in 100 frames")


def test_frames_are_counted_and_taken_for_photos_without_a_second_look(
    asked: TestClient, eye: SlowEye
) -> None:
    told = until_counted(asked)
    assert counts(told) == {"red": 5, "blue": 3}
    eye.may.clear()  # whoever asked it now would wait
    number = told["frames"][0]
    photo = ("camera 1.jpg", frame(step=number % 5 / 2), "image/jpeg")
    seen = asked.post("/api/photos", files={"photos": photo}).json()
    assert len(seen["photos"][0]["layout"]["cards"]) == 8
    eye.may.set()


def test_nothing_of_frames_is_written(asked: TestClient, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    until_counted(asked)
    assert sorted(tmp_path.rglob("*")) == before


def test_one_camera_at_a_time(asked: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert send(asked, 0).status_code == 200
    refused = send(asked, 0, "camera-two")
    assert refused.status_code == 503
    assert refused.json()["error"].startswith("Another camera is being looked through")
    assert asked.delete("/api/viewfinder?camera=camera-two").status_code == 200
    assert send(asked, 0, "camera-two").status_code == 503
    asked.delete("/api/viewfinder?camera=camera-one")
    assert send(asked, 0, "camera-two").status_code == 200
    monkeypatch.setattr(routes, "QUIET_S", 0.0)
    assert send(asked, 1).status_code == 200


@pytest.mark.parametrize(
    ("how", "status", "why"),
    [
        ({"headers": {"Content-Type": "image/png"}}, 415, "image/jpeg"),
        ({"content": b"no picture"}, 422, "the camera's frame"),
        ({"content": b"x" * 2_000_001}, 413, "2 MB"),
        ({"content": encode_jpeg(np.zeros((1300, 1930, 3), np.uint8))}, 422, "1920"),
        ({"camera": "../../etc"}, 422, "odd"),
    ],
)
def test_what_is_no_frame_is_refused(asked: TestClient, how: dict[str, Any], status: int, why: str) -> None:
    answer = send(asked, 0, **how)
    assert answer.status_code == status
    assert why in answer.json()["error"]
    assert send(asked, 1).status_code == 200
