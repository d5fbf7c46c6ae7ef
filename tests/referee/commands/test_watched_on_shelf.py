"""A table that is really watched: its hand is on the page's shelf while it is played, and when it is over."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from evening import Evening, film_of
from fastapi.testclient import TestClient
from pretend import PretendEye, pretend_tools
from umpire_table import Table

from referee.commands import watch
from referee.commands.program import run
from referee.web import create_app
from vision.capture.frames import decode_image


def looked_at(client: httpx2.Client | TestClient, hand: str, evening: Evening) -> int:
    """The number of the frame in which the first play came to rest; it is that frame of the film."""
    told = client.get(f"/api/recordings/{hand}").json()
    first = next(entry for entry in told["account"]["entries"] if entry["kind"] == "play")
    times = client.get(f"/api/recordings/{hand}/times").json()
    numbers = [first + n for first, count in times["numbers"] for n in range(count)]
    number = numbers[int(np.searchsorted(times["times"], first["at"] + 1e-3)) - 1]
    shown = decode_image(client.get(f"/api/recordings/{hand}/frame/{number}").content, "frame")
    # what the film shows then, but for the coding: and not what it showed a second before
    of_now, of_before = (
        np.abs(shown.astype(int) - evening.image(at).astype(int)).mean() for at in (number, number - 10)
    )
    assert of_now < min(6, of_before)
    return number


def test_a_hand_is_disputed_while_it_is_played_and_afterwards(
    tmp_path: Path, hand_video: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = Evening([Table(1, 7.0)], still_s=3.0)
    monkeypatch.setattr(watch, "eyes_of", lambda eye, table: evening)
    film = film_of(evening, tmp_path / "evening.mp4")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    seen: dict[str, Any] = {}

    def dispute() -> None:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            until = time.monotonic() + 60
            while time.monotonic() < until and not seen:
                time.sleep(0.1)
                with suppress(httpx2.HTTPError, IndexError, StopIteration):
                    (hand,) = client.get("/api/recordings").json()["evenings"][0]["hands"]
                    told = client.get(f"/api/recordings/{hand['id']}").json()
                    play = next(each for each in told["account"]["entries"] if each["kind"] == "play")
                    body = {"said": {"of": play["index"], "part": play["part"], "drop": True}, "by": "Anna"}
                    seen["corrected"] = client.post(f"/api/recordings/{hand['id']}/correct", json=body)
                    seen["state"], seen["hand"] = hand["state"], hand["id"]

    asking = threading.Thread(target=dispute)
    asking.start()
    given = ["watch", "--as-live", str(film), "--recordings", str(tmp_path / "kept"), "--json", "--page"]
    assert run([*given, "--port", str(port)]) == 0
    asking.join()
    assert seen["state"] == "playing"
    assert seen["corrected"].status_code == 200, seen["corrected"].text
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    assert [line["drop"] for line in printed if line.get("by") == "Anna"] == [True], (
        "told by the session itself"
    )

    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path / "kept")
    with TestClient(app, base_url="http://localhost") as client:
        (hand,) = client.get("/api/recordings").json()["evenings"][0]["hands"]
        assert (hand["id"], hand["state"]) == (seen["hand"], "done")
        assert "taken out by Anna" in client.get(f"/api/recordings/{hand['id']}").text
        looked_at(client, hand["id"], evening)
        undone = client.post(
            f"/api/recordings/{hand['id']}/correct", json={"said": {"undo": True}, "by": "Ben"}
        )
        assert undone.status_code == 200 and "taken out by Anna" not in undone.text
