"""Whatever is sent to whichever address: an answer of 2xx, or 4xx with {"error"}; never a fault, and memory stays.

Files of every kind (pictures, films, records) come whole, cut, with bytes changed, mixed with others, and as noise, to
the real decoders; eye and umpire are pretended. NERTS_ROBUST_CASES says how many cases are tried.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import av
import pillow_heif
import pytest
from fastapi.testclient import TestClient
from PIL import Image as Pillow
from pretend import RECORD, PretendEye, make_video, picture, pretend_tools

from referee.web import create_app

CASES = int(os.environ.get("NERTS_ROBUST_CASES", "600"))
#: Cases a test, so that one that fails can be run again alone.
BATCH = 50
#: What all cases of a batch together may add to the memory in use, MB.
MOST_MB = 150

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")


def pictures() -> dict[str, bytes]:
    """A small picture of every kind that is read."""
    pillow_heif.register_heif_opener()
    image = Pillow.fromarray(picture("red", "ace", "blue")[:, :, ::-1])
    exif = Pillow.Exif()
    exif[0x0112] = 6
    found = {}
    for kind in ("JPEG", "PNG", "WEBP", "BMP", "HEIF", "AVIF", "TIFF", "GIF"):
        file = BytesIO()
        image.save(file, kind, **({"exif": exif} if kind in ("JPEG", "WEBP") else {}))
        found[kind.lower()] = file.getvalue()
    return found


def films(folder: Path) -> dict[str, bytes]:
    """A short film of every common kind, and a sound."""
    found = {"mp4": make_video(folder / "a.mp4", seconds=1).read_bytes()}
    for kind in ("mkv", "avi", "ts", "mov"):
        with av.open(str(folder / f"a.{kind}"), "w") as out, av.open(str(folder / "a.mp4")) as source:
            track = source.streams.video[0]
            stream = out.add_stream("mpeg4", rate=10)
            stream.width, stream.height, stream.pix_fmt = track.width, track.height, "yuv420p"
            for frame in source.decode(track):
                out.mux(stream.encode(frame))
            out.mux(stream.encode())
        found[kind] = (folder / f"a.{kind}").read_bytes()
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    record = b"".join(json.dumps(line).encode() + b"\n" for line in RECORD)
    texts = {
        "jsonl": record,
        "txt": b"hello\n" * 40,
        "m3u8": b"#EXTM3U\n#EXTINF:9,\nfile:///etc/hostname\n",
        "": b"",
    }
    return {**pictures(), **films(tmp_path_factory.mktemp("films")), **texts}


@pytest.fixture(scope="module")
def page(hand_video: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("recordings")
    app = create_app(pretend_tools(PretendEye(), hand_video), folder)
    app.state.folder = folder
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        client.post("/api/recordings/sample/referee")
        yield client


def spoilt(chance: random.Random, files: dict[str, bytes]) -> bytes:
    """A file as it may come: whole, cut, with bytes changed, in the middle of another, or noise."""
    data = files[chance.choice(list(files))]
    other = files[chance.choice(list(files))]
    at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    changed = bytearray(data)
    for _ in range(chance.choice([1, 8, 200]) if data else 0):
        # the head of a file says most of what a reader believes
        changed[min(int(len(data) * chance.random() ** 3), len(data) - 1)] = chance.randrange(256)
    return chance.choice(
        [
            data,
            bytes(changed),
            bytes(changed),
            data[:at],
            data[at:],
            data[:at] + data[to:],
            data[:at] + other[at:],
            data + other,
            chance.randbytes(chance.choice([1, 40, 5000])),
            data[:16] + chance.randbytes(3000),
        ]
    )


def words(chance: random.Random) -> str:
    """A name, a key or a number as it may come."""
    odd = [
        "",
        " ",
        "sample",
        "nerts",
        "pishe-pasha",
        "red",
        "../../etc/passwd",
        "a\0b.mp4",
        "\x1b[31m",
        "‮.mp4",
        "nan",
    ]
    odd += ["-1", "0", "1e999", "1_0", "x" * 300, "%00", "🃏.heic", "a.mkv", "b.JPG", "0" * 64]
    return chance.choice(
        [*odd, "".join(chr(chance.randrange(1, 0x2FF)) for _ in range(chance.randrange(12)))]
    )


def value(chance: random.Random, depth: int = 0) -> Any:
    """Something that JSON can say."""
    simple = [None, True, -1, 3, 99, 1e300, 0.5, [], {}, words(chance)]
    if depth > 2:
        return chance.choice(simple)
    several = [value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return chance.choice([*simple, several, {words(chance): each for each in several}])


def look(page: TestClient, chance: random.Random, files: dict[str, bytes]) -> Any:
    photos = [("photos", (words(chance), spoilt(chance, files))) for _ in range(chance.choice([1, 1, 2, 4]))]
    return page.post(
        "/api/photos", files=photos, params={"preview": chance.choice(["0", "300", words(chance)])}
    )


def look_at_a_broken_form(page: TestClient, chance: random.Random, files: dict[str, bytes]) -> Any:
    disposition = f'Content-Disposition: form-data; name="photos"; filename="{words(chance)}"'.encode()
    body = b"--b\r\n" + disposition + b"\r\n\r\n" + spoilt(chance, files) + b"\r\n--b--\r\n"
    cut = body[: chance.randrange(len(body))] if chance.random() < 0.5 else body
    kind = chance.choice(
        ["multipart/form-data; boundary=b", "multipart/form-data", "image/heic", "text/plain"]
    )
    return page.post("/api/photos", content=cut, headers={"Content-Type": kind})


def score(page: TestClient, chance: random.Random, files: dict[str, bytes]) -> Any:
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


def record(page: TestClient, chance: random.Random, files: dict[str, bytes]) -> Any:
    asked = {"name": words(chance), "game": chance.choice(["nerts", "nerts", "nerts", words(chance)])}
    answer = page.post("/api/recordings", params=asked, content=spoilt(chance, files))
    if answer.status_code == 201:
        told = page.get(
            f"/api/recordings/{answer.json()['id']}/frames", params={"around": chance.random() * 3}
        )
        assert told.status_code in (200, 422)
    return answer


def ask(page: TestClient, chance: random.Random, files: dict[str, bytes]) -> Any:
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


ROUTES: list[Callable[[TestClient, random.Random, dict[str, bytes]], Any]] = [
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


@pytest.mark.parametrize("batch", range(-(-CASES // BATCH)))
def test_nothing_that_is_sent_ends_in_a_fault(page: TestClient, files: dict[str, bytes], batch: int) -> None:
    before = in_use_mb()
    for case in range(batch * BATCH, min((batch + 1) * BATCH, CASES)):
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
    assert in_use_mb() - before < MOST_MB
    kept = page.app.state.folder
    half = [
        each for each in kept.iterdir() if each.name != "sample" and not (each / "recording.json").is_file()
    ]
    assert half == [], "what was refused is not kept"
    for each in shelf(page):
        if each["state"] in ("done", "failed") and each["id"] != "sample":
            shutil.rmtree(kept / each["id"], ignore_errors=True)
