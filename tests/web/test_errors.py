"""Every error is {"error": a sentence} with the status that fits, whatever was asked for."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pretend import PretendEye, pretend_tools

from referee.service import Tools
from referee.web import create_app


@pytest.fixture
def pretend(hand_video: Path) -> Tools:
    return pretend_tools(PretendEye(), hand_video)


@pytest.fixture
def page(pretend: Tools, tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(pretend, tmp_path / "recordings")
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def sentence(answer: Any) -> str:
    """The error's sentence, if it is told as every error is."""
    assert answer.headers["content-type"] == "application/json"
    said: dict[str, str] = answer.json()
    assert set(said) == {"error"}
    assert said["error"].endswith(".") or ": " in said["error"]
    return said["error"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/api", 404),
        ("GET", "/static/nowhere.js", 404),
        ("GET", "/static/../app.py", 404),
        ("GET", "/static/%2e%2e/app.py", 404),
        ("GET", "/static/%00", 404),
        ("GET", "/static/" + "a" * 400, 404),
        ("GET", "/static/", 404),
        ("GET", "/api/photos", 405),
        ("DELETE", "/api/recordings/sample", 405),
        ("PUT", "/", 405),
        ("POST", "/static/page.js", 405),
        ("GET", "/api/recordings/" + "a" * 4000, 404),
        ("GET", "/api/recordings/%00", 404),
        ("GET", "/api/recordings/..%2f..%2fsample/video", 404),
        ("POST", "/api/recordings/nowhere/referee", 404),
        ("GET", "/api/recordings/nowhere/events", 404),
        ("GET", "/api/recordings/nowhere/frames?around=1", 404),
        ("GET", "/api/recordings/sample/record", 404),
        ("GET", "/api/recordings/sample/frames?around=soon", 422),
        ("GET", "/api/recordings/sample/frames?around=nan", 422),
        ("POST", "/api/recordings", 422),
    ],
)
def test_an_address_that_leads_nowhere(page: TestClient, method: str, path: str, status: int) -> None:
    answer = page.request(method, path)
    assert answer.status_code == status
    assert len(sentence(answer)) < 300


@pytest.mark.parametrize(
    ("range_", "status"), [("bytes=99999999-", 416), ("bytes=z", 400), ("lines=1-", 400)]
)
def test_a_part_of_a_video_that_there_is_not(page: TestClient, range_: str, status: int) -> None:
    answer = page.get("/api/recordings/sample/video", headers={"Range": range_})
    assert answer.status_code == status
    sentence(answer)


def test_a_video_that_was_taken_away_meanwhile(pretend: Tools, hand_video: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved.mp4"
    moved.write_bytes(hand_video.read_bytes())
    app = create_app(replace(pretend, sample=moved), tmp_path / "recordings")
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as page:
        moved.unlink()
        for path in ("video", "frames?around=1"):
            answer = page.get(f"/api/recordings/sample/{path}")
            assert answer.status_code == 404
            assert str(tmp_path) not in sentence(answer)


@pytest.mark.parametrize(
    ("body", "type_", "status"),
    [
        (b"{", "application/json", 422),
        (b"[" * 100_000, "application/json", 400),
        (b'{"photos": ["\\ud800"]}', "application/json", 422),
        (b'{"photos": ["a"], "seats": {"red": "\\ud800"}}', "application/json", 422),
        (b'{"photos": ["a"], "left": {"red": 1e400}}', "application/json", 422),
        (b"\xff\xfe\x00", "application/json", 400),
        (b"photos=a", "application/x-www-form-urlencoded", 415),
        (b'{"photos": ["a"]}', "text/plain", 415),
        (b"", "application/json", 422),
    ],
)
def test_a_question_that_is_none(page: TestClient, body: bytes, type_: str, status: int) -> None:
    answer = page.post("/api/score", content=body, headers={"Content-Type": type_})
    assert answer.status_code == status
    sentence(answer)


@pytest.mark.parametrize(
    ("body", "type_", "status"),
    [
        (b"", "multipart/form-data", 400),
        (b"x", "multipart/form-data; boundary=b", 400),
        (b"photo", "image/jpeg", 415),
        (b"photos=a", "application/x-www-form-urlencoded", 415),
        (
            b'--b\r\nContent-Disposition: form-data; name="photos"\r\n\r\ntext\r\n--b--\r\n',
            "multipart/form-data; boundary=b",
            422,
        ),
        (
            b'--b\r\nContent-Disposition: form-data; name="other"; filename="a"\r\n\r\ntext\r\n--b--\r\n',
            "multipart/form-data; boundary=b",
            422,
        ),
    ],
)
def test_photos_that_come_as_no_form(page: TestClient, body: bytes, type_: str, status: int) -> None:
    answer = page.post("/api/photos", content=body, headers={"Content-Type": type_})
    assert answer.status_code == status
    sentence(answer)


def test_a_fault_of_the_program_is_told_without_inner_words(
    pretend: Tools, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def stumble() -> Any:
        raise ZeroDivisionError("inner words")

    app = create_app(replace(pretend, count=lambda *_, **__: stumble()), tmp_path)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as page:
        from pretend import picture

        from vision.capture.frames import encode_jpeg

        photo = encode_jpeg(picture("red"))
        key = page.post("/api/photos", files={"photos": ("a.jpg", photo)}).json()["photos"][0]["key"]
        answer = page.post("/api/score", json={"photos": [key]})
    assert answer.status_code == 500
    assert "inner words" not in sentence(answer)
    assert "ZeroDivisionError" not in sentence(answer)


def test_a_fault_of_the_umpire_stands_in_the_terminal_alone(
    pretend: Tools, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def stumble(*_: Any, **__: Any) -> Iterator[dict[str, Any]]:
        raise ZeroDivisionError("inner words")

    with TestClient(
        create_app(replace(pretend, replay=stumble), tmp_path), base_url="http://localhost"
    ) as page:
        page.post("/api/recordings/sample/referee")
        while (told := page.get("/api/recordings/sample").json())["state"] != "failed":
            pass
    assert "inner words" not in json.dumps(told)
    assert "terminal" in told["error"]
    assert any(
        "inner words" in str(entry.exc_info) for entry in caplog.records if entry.levelno == logging.ERROR
    )
