"""`watch`: a film as if live, with an eye that knows what lies there; and what it is given wrongly."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from referee.commands import watch
from referee.commands.program import run
from referee.service.table import TableTerms
from referee.service.tablefile import default_table, keep_table, read_table
from vision.capture.live.film import FilmAsLive

Line = dict[str, Any]


@pytest.mark.usefixtures("knowing")
def test_a_film_is_refereed_to_its_end(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["watch", "--as-live", str(film), "--recordings", str(tmp_path), "--json"]
    assert run([*given, "--match", str(tmp_path / "league.json")]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    said = [line["state"] for line in lines if line.get("event") == "session"]
    assert {"ready", "playing", "score"} <= set(said)
    assert said[-1] == "over"
    (folder,) = tmp_path.glob("session-*")
    record = [json.loads(line) for line in (folder / "hand-1.jsonl").read_text().splitlines()]
    assert [line for line in lines if line.get("event") != "session"] == record
    assert sum(line.get("event") == "play" for line in record) >= 3
    assert record[-1]["event"] == "score"
    about = json.loads((folder / "session.json").read_text())
    assert about["ended"] and about["match"] == str(tmp_path / "league.json")
    assert list(folder.glob("film-*.mp4"))


@pytest.mark.usefixtures("knowing")
def test_ctrl_c_ends_it_with_the_record_whole(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until and not list(tmp_path.glob("session-*/hand-1.jsonl")):
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    assert run(["watch", "--as-live", str(film), "--recordings", str(tmp_path), "--no-page"]) == 0
    (path,) = tmp_path.glob("session-*/hand-1.jsonl")
    record = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["why"] for line in record if line.get("event") == "end"] == ["stopped"]
    assert record[-1]["event"] == "score"
    shown = capsys.readouterr().out
    assert "ready" in shown
    assert "the evening is over" in shown
    assert not (path.parent / "match.json").exists()


class NamedCamera(FilmAsLive):
    """A film that was opened by an address with a password."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.name = "rtsp://phone/live"


@pytest.mark.usefixtures("knowing")
def test_a_password_is_kept_nowhere(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(watch, "open_source", lambda spec: NamedCamera(film))
    given = ["watch", "--camera", "rtsp://anna:sesame@phone/live", "--recordings", str(tmp_path), "--json"]
    assert run(given) == 0
    (about,) = tmp_path.glob("session-*/session.json")
    assert "rtsp://phone/live" in about.read_text()
    texts = [path.read_bytes() for path in tmp_path.rglob("*") if path.suffix in (".json", ".jsonl")]
    said = capsys.readouterr()
    assert not any(b"sesame" in text for text in [*texts, said.out.encode(), said.err.encode()])


@pytest.mark.usefixtures("knowing")
def test_the_page_shows_the_same_table(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked from beside while it is played: picture, plays and score come, and a call by the page counts."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    seen: dict[str, Any] = {}

    def ask() -> None:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            until = time.monotonic() + 60
            while time.monotonic() < until and seen.get("hand", 0) < 1:
                with suppress(httpx2.HTTPError):
                    seen.update(client.get("/api/live").json())
                    seen["picture"] = client.get("/api/live/picture").headers.get("content-type")
                time.sleep(0.1)
            seen["call"] = client.post("/api/live/call", json={"seat": "nobody"}).json()

    asking = threading.Thread(target=ask)
    asking.start()
    given = ["watch", "--as-live", str(film), "--recordings", str(tmp_path), "--json", "--page"]
    assert run([*given, "--port", str(port)]) == 0
    asking.join()
    assert seen["hand"] == 1
    assert seen["picture"] == "image/jpeg"
    assert "nobody sits at nobody" in json.dumps(seen["call"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--as-live", "nowhere.mp4"], "nowhere.mp4"),
        (["--as-live", "FILM", "--camera", "1"], "--camera and --as-live both say what is looked at"),
        (["--as-live", "FILM", "--speed", "fast"], "--speed fast: give a number above 0"),
        (["--as-live", "FILM", "--recordings", "FILM"], "is a file: name a folder for the recordings"),
        (["--as-live", "FILM", "--game", "canfield"], "cannot be followed on video yet"),
        (["--as-live", "FILM", "--table", "BAD"], "no TOML"),
        (["--as-live", "FILM", "--table", "ODD"], "'player' means nothing here"),
        (["--camera", "no such camera"], "no such camera"),
        (["--as-live", "FILM", "--page", "--port", "TAKEN"], "choose another with --port"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    bad, odd = tmp_path / "bad.toml", tmp_path / "odd.toml"
    bad.write_text("names = [")
    odd.write_text('player = "anna"')
    names = {"FILM": str(film), "BAD": str(bad), "ODD": str(odd)}
    arguments = [names.get(word, word) for word in given]
    if "--recordings" not in given:
        arguments += ["--recordings", str(tmp_path / "kept")]
    if "--page" not in given:
        arguments += ["--no-page"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        arguments = [str(taken.getsockname()[1]) if word == "TAKEN" else word for word in arguments]
        assert run(["watch", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert said in printed.err
    assert not list(tmp_path.glob("kept/*"))


def test_a_table_file_tells_names_decks_and_rules(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(
        'game = "nerts"\n[settings]\ntarget = 50\n[names]\nnorth = "Anna"\n[decks]\nnorth = "bees"\n'
    )
    rules = watch.rules_of("nerts", ["draw=1"], ["waves=south"], path)
    assert rules.settings == {"target": 50, "draw": 1}
    assert rules.decks == {"north": "bees", "south": "waves"}
    assert rules.names == {"north": "Anna"}


def test_what_was_kept_is_taken_the_next_time_and_a_file_that_is_named_instead_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_table(default_table(), TableTerms(settings={"target": 75}, names={"north": "Anna"}))
    rules = watch.rules_of("nerts", ["draw=1"], [], None)
    assert rules.names == {"north": "Anna"}
    assert rules.settings == {"target": 75, "draw": 1}
    other = tmp_path / "other.toml"
    keep_table(other, TableTerms(names={"south": "Bo"}))
    assert watch.rules_of("nerts", [], [], other).names == {"south": "Bo"}
    assert capsys.readouterr().err == ""


def test_a_kept_table_that_cannot_be_read_keeps_no_evening_from_beginning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    keep_table(default_table(), TableTerms(names={"north": "Anna"}))
    default_table().write_text("names = [")
    assert watch.rules_of("nerts", [], [], None).names == {}
    (complaint,) = capsys.readouterr().err.splitlines()
    assert "table.toml, line 1" in complaint and "the usual rules are taken" in complaint


@pytest.mark.usefixtures("knowing")
def test_names_chosen_on_the_page_are_kept_in_the_file_that_is_named(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kitchen.toml"
    keep_table(path, TableTerms(names={"north": "Anna"}))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    shown: dict[str, Any] = {}

    def choose() -> None:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            until = time.monotonic() + 60
            while time.monotonic() < until and "names" not in shown:
                with suppress(httpx2.HTTPError):
                    shown.update(client.get("/api/table").json()["table"])
                time.sleep(0.1)
            client.post("/api/table", json={"game": "nerts", "names": {"north": "Anna", "south": "Bo"}})
        os.kill(os.getpid(), signal.SIGINT)

    choosing = threading.Thread(target=choose)
    choosing.start()
    given = ["watch", "--as-live", str(film), "--table", str(path), "--recordings", str(tmp_path / "kept")]
    assert run([*given, "--port", str(port)]) == 0
    choosing.join()
    assert shown["names"] == {"north": "Anna"}
    assert read_table(path).names == {"north": "Anna", "south": "Bo"}
    assert not default_table().exists()
