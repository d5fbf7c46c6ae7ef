"""The number of move sequences from given positions, counted by two other engines (see `perft.jsonl`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.measure.perft import count_moves, main, read_position

FILE = Path(__file__).parent / "perft.jsonl"
POSITIONS = [json.loads(line) for line in FILE.read_text().splitlines()]


@pytest.mark.parametrize("entry", POSITIONS, ids=lambda entry: entry["id"])
def test_counts(entry: dict[str, object]) -> None:
    hand = read_position(entry["state"])  # type: ignore[arg-type]
    before = str(hand)
    assert count_moves(hand, f"p{entry['player']}", 5) == entry["perft"]
    assert str(hand) == before


def test_the_program_prints_each_position(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    small = [entry for entry in POSITIONS if entry["perft"][4] < 10]
    file = tmp_path / "few.jsonl"
    file.write_text("\n".join(json.dumps(entry) for entry in small))
    assert main([str(file)]) == 0
    wanted = [" ".join(map(str, [entry["id"], *entry["perft"]])) for entry in small]
    assert capsys.readouterr().out.splitlines() == wanted


def test_the_program_says_when_a_count_differs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    entry = next(entry for entry in POSITIONS if entry["perft"][4] < 10)
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps(entry | {"perft": [9, 9, 9, 9, 9]}))
    assert main([str(file)]) == 1
    assert "9" in capsys.readouterr().err


def test_a_file_of_something_else_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "no.jsonl"
    file.write_text("no position")
    assert main([str(file)]) == 2
    assert "no.jsonl" in capsys.readouterr().err
