"""Whatever is sent to whichever address: an answer of 2xx, or 4xx with {"error"}; never a fault, and memory stays.

Files of every kind (pictures, films, records) come whole, cut, with bytes changed, mixed with others, and as noise, to
the real decoders; eye and umpire are pretended. `spoilt.py` says how many cases are tried.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from pretend import PretendEye, pretend_tools
from spoilt import Files, batches, spoilt, value, whole_files, words

from referee.web import create_app

#: What all cases of a batch together may add to the memory in use, MB.
MOST_MB = 150

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return whole_files(tmp_path_factory.mktemp("films"))


@pytest.fixture(scope="module")
def page(hand_video: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("recordings")
    app = create_app(pretend_tools(PretendEye(), hand_video), folder)
    app.state.folder = folder
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        client.post("/api/recordings/sample/referee")
        yield client


def look(page: TestClient, chance: random.Random, files: Files) -> Any:
    photos = [("photos", (words(chance), spoilt(chance, files))) for _ in range(chance.choice([1, 1, 2, 4]))]
    return page.post(
        "/api/photos", files=photos, params={"preview": chance.choice(["0", "300", words(chance)])}
    )


def look_at_a_broken_form(page: TestClient, chance: random.Random, files: Files) -> Any:
    disposition = f'Content-Disposition: form-data; name="photos"; filename="{words(chance)}"'.encode()
    body = b"--b\r\n" + disposition + b"\r\n\r\n" + spoilt(chance, files) + b"\r\n--b--\r\n"
    cut = body[: chance.randrange(len(body))] if chance.random() < 0.5 else body
    kind = chance.choice(
        ["multipart/form-data; boundary=b", "multipart/form-data", "image/heic", "text/plain"]
    )
    return page.post("/api/photos", content=cut, headers={"Content-Type": kind})


def score(page: TestClient, chance: random.Random, files: Files) -> Any:
    seen = page.post("/api/photos", files={"photos": ("a.png", files["png"])}).json()
    key = seen["photos"][0]["key"]
    question = {
        "photos": chance.choice([[key], [key, key], [words(chance)], value(chance)]),
        "seats": chance.choice([{}, {"red": words(chance)}, {words(chance): words(chance)}, value(chance)]),
        "left": chance.choice([{}, {"red": chance.randrange(60)}, {words(chance): 3}, value(chance)]),
    }
    asked = chance.choice([question, question, value(chance)])
    text = json.dumps(asked).encode()
    body = chance.choice([text, text, text[: len(text) // 2], spoilt(chance, files)])
    return page.post("/api/score", content=body, headers={"Content-Type": "application/json"})


def record(page: TestClient, chance: random.Random, files: Files) -> Any:
    asked = {"name": words(chance), "game": chance.choice(["nerts", "nerts", "nerts", words(chance)])}
    answer = page.post("/api/recordings", params=asked, content=spoilt(chance, files))
    if answer.status_code == 201:
        told = page.get(
            f"/api/recordings/{answer.json()['id']}/frames", params={"around": chance.random() * 3}
        )
        assert told.status_code in (200, 422)
    return answer


def ask(page: TestClient, chance: random.Random, files: Files) -> Any:
    id = chance.choice(["sample", "sample", *(each["id"] for each in shelf(page)), words(chance)])
    what = chance.choice(["", "/video", "/record", "/events", "/frames", f"/{words(chance)}"])
    path = chance.choice([f"/api/recordings/{id}{what}", f"/static/{words(chance)}", f"/{words(chance)}"])
    headers = {
        "Range": chance.choice(
            ["bytes=0-9", "bytes=9-0", "bytes=z", "bytes=0-9,", "lines=", "bytes=" + "0-0," * 300]
        )
    }
    return page.request(
        chance.choice(["GET", "GET", "GET", "POST", "PUT", "DELETE", "OPTIONS"]),
        quote(path, safe="/%"),
        params={"around": chance.choice(["1", "0.01", words(chance)])},
        headers=headers if chance.random() < 0.5 else {},
    )


def shelf(page: TestClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.get("/api/recordings").json()["recordings"]
    return found


ROUTES: list[Callable[[TestClient, random.Random, Files], Any]] = [
    look,
    look,
    look_at_a_broken_form,
    score,
    record,
    record,
    ask,
]


def in_use_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.parametrize("batch", batches(2), ids=lambda batch: str(batch.start))
def test_nothing_that_is_sent_ends_in_a_fault(
    page: TestClient, files: Files, batch: range, record_property: Any
) -> None:
    before = in_use_mb()
    for case in batch:
        chance = random.Random(case)
        route = chance.choice(ROUTES)
        answer = route(page, chance, files)
        why = f"case {case} ({route.__name__}): {answer.status_code} {answer.text[:200]}"
        assert answer.status_code < 500, why
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == "application/json", why
            assert list(answer.json()) == ["error"], why
            assert 10 < len(answer.json()["error"]) < 1500, why
            assert "Traceback" not in answer.text and "Errno" not in answer.text, why
    record_property("cases", len(batch))
    assert in_use_mb() - before < MOST_MB
    kept = page.app.state.folder
    half = [
        each for each in kept.iterdir() if each.name != "sample" and not (each / "recording.json").is_file()
    ]
    assert half == [], "what was refused is not kept"
    for each in shelf(page):
        if each["state"] in ("done", "failed") and each["id"] != "sample":
            shutil.rmtree(kept / each["id"], ignore_errors=True)
