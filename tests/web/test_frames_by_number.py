"""Frames asked for by number through the page are the very frames, whatever the recording is like."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import av
import numpy as np
import pytest
from fastapi.testclient import TestClient
from numbered import number_of, numbered_film
from pretend import PretendEye, pretend_tools

from referee.web import create_app
from vision.capture.frames import decode_image

COUNT, ASKED = 400, 200
SAMPLE = "/api/recordings/sample"
#: As cameras and phones write films: frames are stored in another order than shown, and groups refer to each other.
B_FRAMES = {"preset": "veryfast", "bf": "3", "b-adapt": "0", "g": "48", "x264-params": "open-gop=1"}


def moments(kind: str) -> list[float]:
    if kind == "uneven":
        steps = np.random.default_rng(8).choice([1 / 60, 1 / 30, 1 / 24, 0.1, 0.35], COUNT)
        return [float(moment) for moment in np.cumsum(steps)]
    return [number / int(kind.split()[0]) for number in range(COUNT)]


@pytest.fixture(scope="module", params=["30 fps", "60 fps", "uneven"])
def shown(request: pytest.FixtureRequest) -> list[float]:
    """When each frame is shown, s."""
    return moments(request.param)


@pytest.fixture(scope="module")
def film(shown: list[float], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = numbered_film(tmp_path_factory.mktemp("film") / "film.mp4", shown, options=B_FRAMES)
    with av.open(str(path)) as opened:
        stamps = [packet.pts for packet in opened.demux(video=0) if packet.pts is not None]
    assert stamps != sorted(stamps), "the film has no B-frames"
    return path


@pytest.fixture(scope="module")
def page(film: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    app = create_app(pretend_tools(PretendEye(), film), tmp_path_factory.mktemp("shelf"))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def asked(page: TestClient, number: int) -> int:
    """The number that the frame carries which the page shows as this one."""
    answer = page.get(f"{SAMPLE}/frame/{number}")
    assert answer.status_code == 200
    assert answer.headers["x-frame"] == str(number)
    return number_of(decode_image(answer.content, "frame"))


def test_two_hundred_frames_in_any_order_are_the_very_ones(page: TestClient) -> None:
    chance = random.Random(4)
    numbers = [0, COUNT - 1, *(chance.randrange(COUNT) for _ in range(ASKED - 2))]
    assert [asked(page, number) for number in numbers] == numbers


def test_their_times_are_those_at_which_they_are_shown(page: TestClient, shown: list[float]) -> None:
    times = page.get(f"{SAMPLE}/times").json()["times"]
    assert times == pytest.approx([moment - shown[0] for moment in shown], abs=1e-3)


def test_steps_by_many_at_once_lead_to_the_very_frames(page: TestClient) -> None:
    """Everybody at the table looks at another moment, forwards and back, on the same recording."""

    def step(who: int) -> bool:
        numbers = range(who * 60, who * 60 + 12)[:: 1 if who % 2 else -1]
        return all(asked(page, number) == number for number in numbers)

    with ThreadPoolExecutor(6) as people:
        assert all(people.map(step, range(6)))
