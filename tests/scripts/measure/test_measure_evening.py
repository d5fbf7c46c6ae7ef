"""What the measure of an evening as live makes of what a page told, and that it hears pages as browsers do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from referee.service import SAMPLE
from scripts.measure.evening.__main__ import main
from scripts.measure.evening.figures import figures, in_words
from scripts.measure.evening.page import FilmClock, Heard, Listener
from scripts.measure.evening.telling import delays, tellings, withdrawn
from scripts.measure.evening.truth import TrueEvening, TrueHand
from scripts.measure.evening.watched import Buzz, Run

Json = dict[str, Any]
HEADER = {
    "record": 1,
    "game": "nerts",
    "settings": {},
    "seats": [{"seat": "west", "deck": "blue"}, {"seat": "east", "deck": "red"}],
    "source": {"kind": "camera", "fps": 30},
}


def play(at: float, cards: str, to: str = "work 2", seat: str = "west", **more: Any) -> Json:
    return {
        "event": "play",
        "at": at,
        "seat": seat,
        "cards": cards.split(),
        "from": "work 1",
        "to": to,
        **more,
    }


def entry(line: Json) -> Json:
    """As the page tells what has not settled."""
    names = ("event", "seat", "cards", "from", "to", "place", "card")
    return {"key": "p" + "|".join(str(line.get(name)) for name in names), "at": line["at"]}


def unsettled(film_s: float, *lines: Json) -> Heard:
    return Heard(film_s, film_s, "provisional", {"entries": [entry(line) for line in lines]})


def told(film_s: float, hand: int, index: int) -> Heard:
    return Heard(film_s, film_s, "line", {"hand": hand, "index": index, "entries": []}, f"s.{hand}.{index}")


#: Three true plays; the record misses none, but calls the foundation another, is late with one and withdraws one more.
TRUE = TrueHand(
    1, [HEADER, play(2.0, "7H"), play(4.0, "AS", "foundation 3"), play(4.8, "8C")], 1.0, 8.0, ("west", 8.0)
)
RECORD = [
    HEADER,
    {"event": "state", "at": 1.0, "state": "found"},
    play(2.1, "7H"),
    play(4.2, "AS", "foundation 1"),
    play(5.0, "KD"),
    {"event": "correct", "at": 7.0, "of": 4, "insert": [play(4.9, "8C")], "by": "umpire"},
    {"event": "correct", "at": 7.0, "of": 4, "drop": True, "by": "umpire"},
]
HEARD = [
    told(1.1, 1, 0),
    told(1.1, 1, 1),
    unsettled(2.9, play(2.1, "7H")),
    unsettled(4.0, play(2.1, "7H"), play(3.5, "QC")),
    told(4.5, 1, 2),
    unsettled(5.0, play(4.2, "AS", "foundation 1")),
    told(6.2, 1, 3),
    told(7.0, 1, 4),
    told(9.0, 1, 5),
    told(9.0, 1, 6),
]


def test_a_play_is_told_with_its_first_right_telling_and_settled_with_its_line() -> None:
    found = delays(TRUE, RECORD, tellings(HEARD, {1: RECORD})[1])
    assert found.plays == [pytest.approx(0.9), pytest.approx(1.0), pytest.approx(4.2)]
    assert found.settled == [pytest.approx(2.5), pytest.approx(2.2), pytest.approx(4.2)]


def test_a_play_that_was_told_of_another_card_was_never_told() -> None:
    record = [*RECORD[:2], play(2.1, "7D")]
    heard = [told(1.1, 1, 0), unsettled(2.9, play(2.1, "7D")), told(4.5, 1, 2)]
    found = delays(TRUE, record, tellings(heard, {1: record})[1])
    assert found.plays == found.settled == [None, None, None]


def test_what_was_told_and_does_not_stand_was_withdrawn() -> None:
    # five different plays: of these the king was told for good and dropped, the queen was gone before she settled
    assert withdrawn(RECORD, tellings(HEARD, {1: RECORD})[1]) == (5, 2)


def evening(tmp_path: Path, run: Run, lines: list[Json]) -> Json:
    session = tmp_path / "session-1"
    session.mkdir()
    (session / "hand-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return figures(TrueEvening(Path("film.mp4"), 30.0, [TRUE], None, []), run)


def test_from_buzz_to_score_is_counted_from_the_buzz_by_the_film(tmp_path: Path) -> None:
    run = Run(tmp_path, 0.5, cpu_s=3.0, wall_s=2.0)
    run.buzzes = [Buzz(1, "west", 8.02, 100.0, {"taken": True})]
    run.heard = [
        *HEARD,
        Heard(99.0, 7.5, "state", {"state": "score", "hand": 1}),
        Heard(100.1, 8.1, "state", {"state": "called", "hand": 1, "points": {"west": {}}}),
        Heard(107.0, 11.52, "state", {"state": "score", "hand": 1}),
    ]
    found = evening(tmp_path, run, RECORD)
    (call,) = found["calls"]
    assert (call["late_s"], call["points_s"], call["score_s"]) == (0.02, 0.08, 3.5)
    assert found["cores"] == 1.5
    assert found["hands"][0]["plays"] == {"true": 3, "right": 3, "wrong": 0, "missed": 0, "invented": 0}
    assert found["withdrawn"] == {"told": 5, "withdrawn": 2, "share": 0.4}
    assert any("score after 3.5 s" in words for words in in_words(found))


@pytest.mark.parametrize(
    ("heard", "lost", "twice"), [(HEARD, 0, 0), ([*HEARD, told(9.5, 1, 7)], 1, 0), ([*HEARD, HEARD[4]], 0, 1)]
)
def test_lines_that_are_lost_or_told_twice_are_counted(
    tmp_path: Path, heard: list[Heard], lost: int, twice: int
) -> None:
    run = Run(tmp_path, 1.0, heard=heard, kills=[3.0, 5.0])
    found = evening(tmp_path, run, RECORD)["kills"]
    assert (found["kills"], found["lost"], found["twice"]) == (2, lost, twice)


def test_the_films_clock_goes_by_the_frames_that_were_taken_soonest() -> None:
    clock = FilmClock(30.0, 0.5)
    assert clock.at(5.0) is None
    clock.taken(0, 1.0)
    assert clock.at(5.0) is None
    clock.taken(31, 12.3)  # told late
    clock.taken(61, 14.0)
    clock.taken(91, 16.2)
    assert clock.at(14.0) == pytest.approx(2.0)
    assert clock.at(20.0) == pytest.approx(5.0)
    clock.begin_anew(40.0)
    assert clock.at(20.0) is None
    clock.taken(31, 22.0)
    assert clock.at(24.0) == pytest.approx(42.0)


class Server(BaseHTTPRequestHandler):
    """Tells two messages and breaks off; goes on behind the last that was heard."""

    asked: list[str | None]

    def do_GET(self) -> None:
        after = self.headers.get("Last-Event-ID")
        self.asked.append(after)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        first = 0 if after is None else int(after.rpartition(".")[2]) + 1
        for index in range(first, min(first + 2, 5)):
            data = json.dumps({"hand": 1, "index": index})
            self.wfile.write(f"id: s.1.{index}\nevent: line\ndata: {data}\n\n: still there\n\n".encode())
        self.wfile.write(b'event: counts\ndata: {"taken": 31}\n\nevent: line\ndata: {"cut')

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def breaking() -> Iterator[str]:
    Server.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_whoever_listens_comes_back_behind_the_last_message(breaking: str) -> None:
    clock = FilmClock(30.0, 1.0)
    listener = Listener(breaking, clock)
    listener.start()
    until = time.monotonic() + 20
    while len(Server.asked) < 4:
        assert time.monotonic() < until
        time.sleep(0.01)
    listener.stop()
    lines = [one for one in listener.so_far() if one.kind == "line"]
    assert [one.data["index"] for one in lines] == list(range(5))
    assert Server.asked[:4] == [None, "s.1.1", "s.1.3", "s.1.4"]
    assert (clock.at(time.monotonic()) or 0) >= 1.0


def test_one_filmed_hand_is_an_evening_of_one() -> None:
    found = TrueEvening.of(SAMPLE)
    (hand,) = found.hands
    assert hand.call == ("east", 59.029)
    assert len(hand.events("play")) == 45
    assert found.match is None


def test_a_film_without_its_truth_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "film.mp4")]) == 2
    said = capsys.readouterr().err
    assert "film it with its truth beside it" in said and said.count("\n") == 1


def test_a_folder_with_a_session_is_not_added_to(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "session-1").mkdir()
    assert main([str(SAMPLE), "--out", str(tmp_path)]) == 2
    assert "holds a session already" in capsys.readouterr().err
