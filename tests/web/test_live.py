"""The live table for other programs: everything is told once, whoever breaks off and comes back."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from live_table import HAND, HEADER, PretendSession, live_table, plain, play
from pretend import PretendEye, pretend_tools
from serving import Served, serving

from referee.web import create_app
from referee.web.live.feed import Feed, Message
from referee.web.live.picture import Pictures
from referee.web.live.routes import Watched
from vision.capture.frames import decode_image


@dataclass(frozen=True)
class Heard:
    event: str
    data: dict[str, Any]
    id: str


def listen(address: str, after: str = "", seconds: float = 10) -> Iterator[Heard]:
    """What the page is told, until a while of nothing."""
    headers = {"Last-Event-ID": after} if after else {}
    with httpx2.stream("GET", f"{address}/api/live/events", headers=headers, timeout=seconds) as answer:
        found: dict[str, str] = {}
        for line in answer.iter_lines():
            if not line and "event" in found:
                yield Heard(found["event"], json.loads(found["data"]), found.get("id", ""))
                found = {}
            elif line:
                name, _, value = line.partition(": ")
                found[name] = value


def lines_of(address: str, count: int, after: str = "") -> list[Heard]:
    """The next so many messages of lines."""
    return list(islice((each for each in listen(address, after) if each.event == "line"), count))


@pytest.fixture
def session() -> PretendSession:
    return PretendSession()


@pytest.fixture
def served(hand_video: Path, tmp_path: Path, session: PretendSession) -> Iterator[Served]:
    with serving(pretend_tools(PretendEye(), hand_video), tmp_path, table=live_table(session)) as served:
        yield served


def test_lines_are_told_once_and_in_order(served: Served, session: PretendSession) -> None:
    session.tell(*HAND[:3])
    first = lines_of(served.address, 3)
    session.tell(*HAND[3:])
    behind = lines_of(served.address, 4, first[-1].id)
    assert [each.data["index"] for each in first + behind] == list(range(7))
    assert len({each.id for each in first + behind}) == 7
    assert first[1].data["entries"][0]["text"] == "A♥  work 1 → foundation 1"
    flag = behind[1].data
    assert flag["flag"]["rule"] == "N9" and flag["entries"][0]["illegal"]
    assert behind[3].data["entries"][0]["text"] == "2♦  work 1 → foundation 1"


def test_whoever_listens_hears_at_once(served: Served, session: PretendSession) -> None:
    session.tell(*HAND[:1])
    heard = listen(served.address)
    next(heard)
    threading.Timer(0.5, lambda: session.tell(HAND[1])).start()
    began = time.monotonic()
    line = next(each for each in heard if each.event == "line" and each.data["index"] == 1)
    assert line.data["entries"] and time.monotonic() - began < 5


def test_what_is_told_as_the_table_closes_is_heard_by_who_listens(session: PretendSession) -> None:
    """The score of the last hand."""
    watched = Watched(live_table(session))
    session.tell(*HAND[:2])

    async def hear() -> bytes:
        told = b""
        async for part in watched.news(""):
            told += part
            if b".1.1" in told and not watched.closing:
                session.tell(*HAND[2:3])
                watched.close()
        return told

    # in a thread of its own: tests with a browser keep a loop running in this one
    with ThreadPoolExecutor(1) as threads:
        heard = threads.submit(lambda: asyncio.run(hear())).result(30)
    assert b"pretended.1.2\n" in heard.replace(live_table(session).name.encode(), b"pretended")


def test_behind_a_restart_nothing_is_missed_or_told_twice(
    hand_video: Path, tmp_path: Path, session: PretendSession
) -> None:
    """The referee was killed, and goes on with the same hand: ids are those of the record."""
    tools = pretend_tools(PretendEye(), hand_video)
    session.tell(*HAND[:4])
    with serving(tools, tmp_path, table=live_table(session)) as before:
        heard = lines_of(before.address, 4)
    again = PretendSession(hands={1: HAND[:4]})
    with serving(tools, tmp_path, table=live_table(again), port=before.port) as after:
        again.tell(*HAND[4:])
        heard += lines_of(after.address, 3, heard[-1].id)
    assert [each.data["index"] for each in heard] == list(range(7))
    assert heard[4].data["entries"][0]["illegal"], "the ruling is told beside the play of before"


def test_who_was_away_for_the_end_of_a_hand_hears_it(served: Served, session: PretendSession) -> None:
    session.tell(*HAND[:3])
    last = lines_of(served.address, 3)[-1].id
    session.tell(*HAND[3:])
    for _ in range(5):  # so long ago that the first hand is no longer in memory
        session.tell(HEADER, play(1.0, "north", "AS"))
    told = [(each.data["hand"], each.data["index"]) for each in lines_of(served.address, 14, last)]
    assert told == [(1, 3), (1, 4), (1, 5), (1, 6)] + [(hand, i) for hand in range(2, 7) for i in (0, 1)]


@pytest.mark.parametrize("last", ["other.1.2", "evening.99.1", "evening", "evening.1.x", "\x7f"])
def test_who_comes_from_elsewhere_hears_this_hand(served: Served, session: PretendSession, last: str) -> None:
    session.tell(*HAND[:2])
    assert [each.data["index"] for each in lines_of(served.address, 2, last)] == [0, 1]


def test_what_comes_beside_the_lines_is_told_whole() -> None:
    session = PretendSession()
    feed = Feed(live_table(session))
    known: dict[str, int] = {}
    session.tell(HEADER)
    session.say("playing", "play goes on")
    session.believe(HAND[1])
    session.believe(play(1.5, "south", "AS", "work 2", "foundation 2"))
    told = {each.event: each.data for each in feed.beside(known)}
    assert told["state"]["state"] == "playing"
    assert [each["text"][:2] for each in told["provisional"]["entries"]] == ["A♥", "A♠"]
    assert told["standing"]["nerts"] == {"north": 13, "south": 12}
    assert told["counts"]["taken"] == 300
    assert feed.beside(known) == [], "nothing has changed"
    session.tell({**HAND[1], "at": 1.3})
    session.believe({**play(1.5, "south", "AS", "work 2", "foundation 2"), "withdrawn": True})
    (provisional,) = feed.beside(known)
    assert provisional.data == {"entries": []}


def test_what_was_told_before_anybody_listened_is_told(hand_video: Path) -> None:
    session = PretendSession()
    session.tell(*HAND)
    session.say("lost")
    feed = Feed(live_table(session))
    assert Message("state", {"state": "lost"}) in feed.beside({})
    messages, place = feed.after(feed.begin(""))
    assert len(messages) == 7 and place == (1, 7)
    session.over = True
    between = Feed(live_table(session))
    assert len(between.after(between.begin(""))[0]) == 7, "the hand that has ended is shown until the next"


# -- the picture ---------------------------------------------------------------------------------------------


def test_one_encoding_serves_all_viewers() -> None:
    session = PretendSession(image=(1, plain(50)))
    pictures = Pictures(lambda: session.image)
    barrier = threading.Barrier(8)
    got: list[Any] = []

    def view() -> None:
        barrier.wait()
        got.append(pictures.after(-1))

    threads = [threading.Thread(target=view) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 8 and len({data for _, data in got}) == 1
    assert pictures.encoded == 1
    assert pictures.after(1) is None
    session.image = (7, plain(200))
    newest = pictures.after(1)
    assert newest is not None and newest[0] == 7, "those between are left out"
    assert abs(int(decode_image(newest[1], "picture")[5, 5, 0]) - 200) < 3


def test_a_viewer_who_takes_nothing_in_holds_nobody_up(served: Served, session: PretendSession) -> None:
    """Somebody asks for pictures and never reads them; another one gets every new one."""
    session.image = (1, plain(10))
    with httpx2.stream("GET", f"{served.address}/api/live/picture?after=-1"):
        for number in range(2, 8):
            session.image = (number, plain(number * 20))
            answer = httpx2.get(f"{served.address}/api/live/picture?after={number - 1}", timeout=5)
            assert answer.headers["x-frame"] == str(number)
            assert decode_image(answer.content, "picture").shape[:2] == (720, 1280)


def test_a_still_is_kept_of_what_was_ruled_illegal(served: Served, session: PretendSession) -> None:
    session.image = (1, plain(90))
    session.tell(*HAND[:5])
    session.image = (2, plain(10))
    for _ in range(50):
        answer = httpx2.get(f"{served.address}/api/live/still/1/4")
        if answer.status_code == 200:
            break
        time.sleep(0.05)
    assert abs(int(decode_image(answer.content, "still")[5, 5, 0]) - 90) < 3
    assert httpx2.get(f"{served.address}/api/live/still/1/3").status_code == 404


# -- what people say -----------------------------------------------------------------------------------------


@pytest.fixture
def page(hand_video: Path, tmp_path: Path, session: PretendSession) -> Iterator[TestClient]:
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path, table=live_table(session))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def test_of_ten_who_buzz_one_is_first_and_all_are_told(page: TestClient, session: PretendSession) -> None:
    answers: list[Any] = []
    barrier = threading.Barrier(10)

    def buzz(seat: str) -> None:
        barrier.wait()
        answers.append(page.post("/api/live/call", json={"seat": seat}))

    threads = [threading.Thread(target=buzz, args=(f"seat{number}",)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.json()["taken"] for answer in answers) == [False] * 9 + [True]
    assert len(session.calls) == 1
    assert {answer.json()["say"] for answer in answers} == {
        f"{session.calls[0]} called",
        f"{session.calls[0]} called first",
    }


def test_a_buzz_behind_the_end_is_told(page: TestClient, session: PretendSession) -> None:
    session.over = True
    answer = page.post("/api/live/call", json={"seat": "north"})
    assert not answer.json()["taken"]
    assert "no hand is being played" in answer.json()["say"]


def test_a_question_is_answered(page: TestClient, session: PretendSession) -> None:
    assert page.post("/api/live/answer", json={"number": 3, "yes": True}).status_code == 200
    assert session.answers == [(3, True)]


def test_a_correction_reaches_every_viewer(page: TestClient, session: PretendSession) -> None:
    session.tell(*HAND[:5])
    feed = page.app.state.watched.feed  # type: ignore[attr-defined]
    heard = len(feed.after((1, 0))[0])
    body = {"said": {"of": 3, "drop": True}, "by": "Anna"}
    assert page.post("/api/live/correct", json=body).status_code == 200
    (message,) = feed.after((1, heard))[0]
    assert "taken out by Anna" in str(message.data["entries"])
    assert page.post("/api/live/correct", json={**body, "said": {"of": 99, "drop": True}}).status_code == 422
    assert page.get("/api/live/alternatives/1").json()["alternatives"]
    assert page.get("/api/live/alternatives/99").status_code == 404


@pytest.mark.parametrize("body", [{}, {"seat": ""}, {"seat": 1}, {"seat": "x" * 1000}, [], "north", None])
def test_a_call_of_nobody_is_refused(page: TestClient, session: PretendSession, body: Any) -> None:
    answer = page.post("/api/live/call", json=body)
    assert answer.status_code == 422 and set(answer.json()) == {"error"}
    assert session.calls == []


def test_without_a_table_that_is_said(hand_video: Path, tmp_path: Path) -> None:
    client = TestClient(
        create_app(pretend_tools(PretendEye(), hand_video), tmp_path), base_url="http://localhost"
    )
    for path in ("", "/events", "/picture", "/still/1/1"):
        answer = client.get(f"/api/live{path}")
        assert answer.status_code == 404 and "nerts-referee watch" in answer.json()["error"]
    for path in ("/live", "/board", "/buzz"):
        assert client.get(path).status_code == 200
