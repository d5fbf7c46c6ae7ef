"""Several programs write one match: what was told as kept is there, and once; none waits for one that is gone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock
from matches import complaint, files, points, record

from referee.commands.program import run
from referee.service import alone as lock
from scripts.measure.bench import match as bench_match

#: Rounds of six programs; `make bench` does 200.
ROUNDS = 20
HOLD = """
import sys, time
from pathlib import Path
from referee.service.alone import alone
with alone(Path(sys.argv[1]), "match"):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def book(tmp_path: Path) -> str:
    path = str(tmp_path / "evening.json")
    assert run(["match", path, "--seats", "north,south"]) == 0
    return path


def programs(book: str, *hands: list[str]) -> list[subprocess.CompletedProcess[str]]:
    """Programs that add a hand each, all started at once."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "referee.commands", "match", book, *hand],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for hand in hands
    ]
    return [
        subprocess.CompletedProcess(hand, program.wait(60), *program.communicate())
        for hand, program in zip(hands, started, strict=True)
    ]


def test_of_six_that_write_at_once_none_is_lost_and_none_counted_twice(tmp_path: Path) -> None:
    path, unread, done = tmp_path / "match.json", 0, threading.Event()

    def read() -> None:
        nonlocal unread
        while not done.wait(0.005):
            try:
                json.loads(path.read_text("utf-8"))
            except FileNotFoundError:
                pass
            except ValueError:
                unread += 1

    reader = threading.Thread(target=read)
    reader.start()
    try:
        tally = bench_match.measure(path, ROUNDS)
    finally:
        done.set()
        reader.join()
    assert (tally.told, tally.lost, tally.twice) == (ROUNDS * bench_match.PROGRAMS, 0, 0)
    assert not unread
    assert files(tmp_path) == ["match.json"]


def test_six_programs_of_which_each_adds_a_hand(book: str) -> None:
    hands = [[f"north={number}", f"south=-{number}"] for number in range(1, 7)]
    done = programs(book, *hands)
    assert [(one.returncode, one.stderr) for one in done] == [(0, "")] * 6
    assert sorted(points(book)) == [[number, -number] for number in range(1, 7)]


def test_one_record_that_six_programs_add_is_one_hand(book: str, tmp_path: Path) -> None:
    hand = str(record(tmp_path / "hand.jsonl"))
    done = programs(book, *[[hand]] * 6)
    assert [one.returncode for one in done] == [0] * 6
    assert sum("is kept already as hand 1" in one.stdout for one in done) == 5
    assert points(book) == [[-26, -25]]


def test_who_begins_a_match_is_one_program(tmp_path: Path) -> None:
    path = str(tmp_path / "new.json")
    done = programs(path, *[["--seats", f"north{number},south"] for number in range(4)])
    assert sorted(one.returncode for one in done) == [0, 2, 2, 2]
    assert all("keeps a match already" in one.stderr for one in done if one.returncode)


def test_a_match_that_another_program_holds_is_one_line(
    book: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    monkeypatch.setattr(lock, "PATIENCE_S", 0.2)
    kept = Path(book).read_text()
    with lock.alone(Path(book), "match"):
        assert "is being written by another program" in complaint(capsys, "match", book, "north=1", "south=2")
        assert "is being written by another program" in complaint(capsys, "match", book, "--set", "target=9")
        assert run(["match", book]) == 0
    assert Path(book).read_text() == kept
    assert run(["match", book, "north=1", "south=2"]) == 0


def test_a_link_to_a_match_is_that_match(
    book: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "other" / "link.json"
    link.parent.mkdir()
    link.symlink_to(book)
    monkeypatch.setattr(lock, "PATIENCE_S", 0.2)
    capsys.readouterr()
    with lock.alone(Path(book), "match"):
        assert "another program" in complaint(capsys, "match", str(link), "north=1", "south=2")
    assert run(["match", str(link), "north=1", "south=2"]) == 0
    assert points(book) == [[1, 2]] and link.is_symlink()


def test_a_program_that_was_killed_blocks_nobody(book: str, tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, book], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGKILL)
    holder.wait(60)
    holder.stdout.close()
    assert files(tmp_path) == [".evening.json.lock", "evening.json"]
    assert run(["match", book, "north=1", "south=2"]) == 0
    assert files(tmp_path) == ["evening.json"]


def test_who_waited_for_a_file_that_is_gone_waits_for_the_new_one(tmp_path: Path) -> None:
    """The lock's file is deleted at its end: three take turns, and never two at once."""
    path, inside, most, turns = tmp_path / "match.json", 0, 0, 0
    mutex = threading.Lock()

    def take_turns() -> None:
        nonlocal inside, most, turns
        for _ in range(100):
            with lock.alone(path, "match"):
                with mutex:
                    inside += 1
                    most = max(most, inside)
                with mutex:
                    inside -= 1
                    turns += 1

    threads = [threading.Thread(target=take_turns) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, turns) == (1, 300)


def test_a_lock_that_the_system_does_not_give_is_one_line(
    book: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()

    def none(self: FileLock, **how: float) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(FileLock, "acquire", none)
    said = complaint(capsys, "match", book, "north=1", "south=2")
    assert "evening.json cannot be written (Function not implemented): choose another place" in said
