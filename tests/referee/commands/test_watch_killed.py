"""`watch --as-live` that is killed and started again goes on with its hand and its film where it was killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evening import FPS, Evening, film_of
from umpire_table import Table

from referee.record.check import check_lines
from vision.capture.live.frame_index import read_rows

Line = dict[str, Any]
#: The film's second at which each run is killed.
KILLED_AT = (6.0, 11.0, 13.0)
PATIENCE_S = 120.0
TESTS = Path(__file__).resolve().parents[2]
#: The program with an eye that knows what lies there.
PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:3]
from evening import Evening
from umpire_table import Table
from referee.commands import watch
from referee.commands.program import run
watch.eyes_of = lambda eye, table: Evening([Table(1, 7.0)], still_s=4.0)
sys.exit(run(sys.argv[3:]))
"""


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    evening = Evening([Table(1, 7.0)], still_s=4.0)
    return film_of(evening, tmp_path_factory.mktemp("film") / "evening.mp4")


def started(film: Path, folder: Path, told: Path) -> subprocess.Popen[bytes]:
    """`watch` in a process of its own; what it prints goes to a file."""
    given = ["watch", "--as-live", str(film), "--recordings", str(folder), "--json"]
    command = [sys.executable, "-c", PROGRAM, str(TESTS), str(TESTS / "referee"), *given]
    with told.open("wb") as out:
        return subprocess.Popen(command, stdout=out, cwd=TESTS.parent)


def killed_at(film_s: float, process: subprocess.Popen[bytes], folder: Path) -> None:
    """Kill it as soon as its recording has come so far."""
    until = time.monotonic() + PATIENCE_S
    while True:
        assert time.monotonic() < until, "the recording does not come so far"
        assert process.poll() is None, "it ended by itself"
        time.sleep(0.02)
        rows = [read_rows(path) for path in folder.glob("session-*/film.frames")]
        if any(len(each) and each["time_us"][-1] >= film_s * 1e6 for each in rows):
            break
    process.kill()
    process.wait()


def test_nothing_told_is_lost_or_told_twice_and_the_film_goes_on(film: Path, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    runs = []
    for number, film_s in enumerate((*KILLED_AT, None)):
        told = tmp_path / f"told-{number}.jsonl"
        process = started(film, folder, told)
        if film_s is not None:
            killed_at(film_s, process, folder)
        else:
            assert process.wait(PATIENCE_S) == 0
        # a line that was cut off by the kill was not told
        whole = told.read_bytes().split(b"\n")[:-1]
        runs.append([json.loads(line) for line in whole])

    (session,) = folder.glob("session-*")
    record = [json.loads(line) for line in (session / "hand-1.jsonl").read_text().splitlines()]
    lines = [line for told in runs for line in told if line.get("event") != "session"]
    # in their order, each as often as it stands there
    rest = iter(record)
    assert [line for line in lines if line not in rest] == []
    # one may have been written and not told when it was killed
    assert len(record) - len(lines) <= len(KILLED_AT) * 2
    assert check_lines(json.dumps(line) + "\n" for line in record).status == 0
    assert record[-1]["event"] == "score" and not list(session.glob("hand-2*"))

    states = [[line for line in told if line.get("event") == "session"] for told in runs]
    assert [line["state"] for line in states[0]].count("ready") == 1
    for before, after in zip(KILLED_AT, states[1:], strict=False):
        first = next(line for line in after if line.get("taken_up"))
        assert first["at"] >= before
    assert states[-1][-1]["state"] == "over"
    # it went on where its recording ended: no frame is there twice, and none is missing but those that were under way
    rows = read_rows(session / "film.frames")
    gaps = np.diff(rows["time_us"]) * FPS / 1e6
    assert (gaps > 0.5).all() and gaps.max() < FPS
    assert rows["index"].tolist() == list(range(len(rows)))
