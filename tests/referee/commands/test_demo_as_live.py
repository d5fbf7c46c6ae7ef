"""`demo --serve`: the sample as a table that is played at, with its page, which stays when the film is over."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from evening import Evening, film_of
from umpire_table import Table

from referee import service
from referee.commands import watch
from referee.commands.program import run

#: When somebody calls in the film, s: while cards lie in their Nerts pile, so that play goes on.
CALLED_S = 6.0
Line = dict[str, Any]


@pytest.fixture(scope="module")
def evening() -> Evening:
    return Evening([Table(1, 7.0)], still_s=3.0)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, evening: Evening) -> Path:
    """A film that ships, with what its players would tell beside it."""
    film = film_of(evening, tmp_path_factory.mktemp("sample") / "hand.mp4")
    facts = {
        "call": {"seat": "south", "at": CALLED_S},
        "seats": [{"seat": "north", "deck": "bees"}, {"seat": "south", "deck": "waves"}],
    }
    film.with_suffix(".json").write_text(json.dumps(facts))
    return film


@pytest.fixture
def given(sample: Path, evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command, with an eye that knows what lies there, on a free port."""
    monkeypatch.setattr(service, "tools", replace(service.tools, sample=sample))
    monkeypatch.setattr(watch, "eyes_of", lambda eye, table: evening)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return ["demo", "--serve", "--out", str(tmp_path / "left"), "--port", str(port)]


def asked(given: list[str], until: Callable[[Line], bool], then: Callable[[httpx2.Client], None]) -> int:
    """The status of the command, of which `then` asks what it likes once `until`; Ctrl-C is pressed then."""

    def ask() -> None:
        address = f"http://127.0.0.1:{given[-1]}"
        try:
            with httpx2.Client(base_url=address, timeout=30) as client:
                end = time.monotonic() + 120
                while time.monotonic() < end:
                    with suppress(httpx2.HTTPError):
                        if until(client.get("/api/live").json()):
                            break
                    time.sleep(0.1)
                then(client)
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    asking = threading.Thread(target=ask)
    asking.start()
    status = run(given)
    asking.join()
    return status


def test_the_sample_is_refereed_live_and_the_page_stays(
    given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: dict[str, Any] = {}

    def look(client: httpx2.Client) -> None:
        time.sleep(2)  # the film is over: is the page, too?
        seen.update(client.get("/api/live").json())
        seen["picture"] = client.get("/api/live/picture").headers["content-type"]
        seen["page"] = client.get("/").text

    assert asked(given, lambda told: told.get("state", {}).get("state") == "over", look) == 0
    assert seen["state"]["state"] == "over"
    assert seen["picture"] == "image/jpeg"
    assert 'data-first="live"' in seen["page"]

    (record,) = (tmp_path / "left" / "evenings").glob("session-*/hand-1.jsonl")
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert {seat["seat"]: seat["deck"] for seat in lines[0]["seats"]} == {"north": "bees", "south": "waves"}
    (call,) = (line for line in lines if line.get("event") == "call")
    assert call["seat"] == "south"
    assert call["at"] == pytest.approx(CALLED_S, abs=0.5)
    assert lines[-1]["event"] == "score"

    said = capsys.readouterr().out
    assert "score: the hand is over" in said
    address = f"http://127.0.0.1:{given[-1]}"
    assert f"{address}/#recording/{record.parent.name}.1" in said
    assert f"{address}/#live" in said
    assert not (tmp_path / "left" / "report.html").exists()


def test_ctrl_c_while_it_plays_ends_it(
    given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    assert asked(given, lambda told: told.get("hand", 0) >= 1, lambda client: None) == 0
    assert time.monotonic() - began < 100
    said = capsys.readouterr().out
    assert "the evening is over" in said
    assert "#recording" not in said


def test_a_port_that_is_taken_is_one_line_and_nothing_is_kept(
    given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert run([*given[:-1], str(taken.getsockname()[1])]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "choose another with --port" in printed.err
    assert not (tmp_path / "left").exists()


def test_a_sample_that_is_no_film_is_one_line(
    given: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "hand.mp4"
    broken.write_bytes(b"\0" * 5000)
    monkeypatch.setattr(service, "tools", replace(service.tools, sample=broken))
    assert run(given) == 2
    assert "hand.mp4 is not a video" in capsys.readouterr().err
