"""What strangers send is opened apart: what breaks or hangs over it is one sentence to them, and the page goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import breaking
import pytest
from fastapi.testclient import TestClient
from PIL import Image as Pillow
from pretend import PretendEye, picture, pretend_tools

from referee.web import create_app, film, photos
from vision.capture.apart import opening
from vision.capture.apart.limits import Limits
from vision.capture.apart.process import Apart, Work

#: How long a piece of work may take here, s: much more than a small photo does on a busy machine.
PATIENCE_S = 4.0


@pytest.fixture
def page(hand_video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """The page with a pretended eye, whose processes are short of patience."""
    beside = [Apart(Limits(wall_s=PATIENCE_S)), Apart(Limits(wall_s=PATIENCE_S))]
    monkeypatch.setattr(photos, "PHOTOS", beside[0])
    monkeypatch.setattr(film, "FILMS", beside[1])
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
