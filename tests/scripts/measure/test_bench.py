"""The measurements in small: what `make bench` does for hours, a few hands of it in every run of the tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scripts import here
from scripts.measure.bench import rules as bench_rules
from scripts.measure.bench import speed as bench_speed

GAMES = (*bench_rules.NERTS, *bench_rules.TURNS)


def counts(report: dict[str, Any]) -> dict[str, int]:
    return bench_rules.total(report)


@pytest.mark.parametrize("game", GAMES)
def test_everything_planted_is_found_and_nothing_else(game: str) -> None:
    known = counts(bench_rules.measure(game, "known", 6))
    assert known["hands"] == 6
    assert known["found"] == known["planted"]
    assert (known["undecided"], known["missed"], known["false"]) == (0, 0, 0)


@pytest.mark.parametrize("game", ["nerts", "nuts", "pishe-pasha"])
def test_what_is_hidden_is_never_made_an_accusation(game: str) -> None:
    hidden = counts(bench_rules.measure(game, "hidden", 6))
    assert hidden["planted"] == hidden["found"] + hidden["undecided"] + hidden["missed"]
    assert hidden["false"] == 0


def test_what_was_broken_off_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pishe-pasha-known.json"
    whole = bench_rules.measure("pishe-pasha", "known", 9)
    judged: list[int] = []

    def careless(game: str, variant: str, seed: int, rule: str) -> Counter[str]:
        if len(judged) == 5:
            raise KeyboardInterrupt
        judged.append(seed)
        return real(game, variant, seed, rule)

    real = bench_rules.careless_hand
    monkeypatch.setattr(bench_rules, "careless_hand", careless)
    monkeypatch.setattr(bench_rules, "PAUSE", 0.0)
    with pytest.raises(KeyboardInterrupt):
        bench_rules.measure("pishe-pasha", "known", 9, path)
    assert json.loads(path.read_text())["done"] == 5
    judged.clear()
    report = bench_rules.measure("pishe-pasha", "known", 9, path)
    assert judged == [5, 6, 7, 8]
    assert report["rules"] == whole["rules"]
    kept = json.loads(path.read_text())
    assert kept["total"] == counts(whole)
    assert kept["here"]["sources"] == here.sources()


@pytest.mark.parametrize("text", ["", "{}", '{"done": 4, "rules": {}, "here": {"sources": "other"}}'])
def test_figures_of_other_sources_are_measured_anew(text: str, tmp_path: Path) -> None:
    path = tmp_path / "canfield-known.json"
    path.write_text(text)
    assert counts(bench_rules.measure("canfield", "known", 2, path))["hands"] == 2


def test_every_speed_that_is_asked_for_is_measured() -> None:
    figures = {figure.name: figure for figure in bench_speed.measure(1, events=60, times=1)}
    asked = {name: figure.asked for name, figure in figures.items() if figure.asked}
    assert asked == {
        "legality decisions": ">= 50,000",
        "hands of sensible players": ">= 20",
        "hands of sensible players, refereed": ">= 20",
        "check of 60 events, whole program": "<= 1,000",
        "import referee": "<= 150",
    }
    assert all(figure.median > 0 for figure in figures.values() if "alone" not in figure.name)


def test_a_figure_says_whether_it_is_what_was_asked_for() -> None:
    slow = bench_speed.Figure("x", "1/s", [1.0, 49_999.0, 60_000.0], at_least=50_000)
    assert not slow.met
    assert slow.to_json()["median"] == 49_999.0
    assert bench_speed.Figure("x", "ms", [150.0, 2.0, 900.0], at_most=150).met


@pytest.mark.parametrize(("holds", "status"), [(True, 0), (False, 1)])
def test_broken_files_are_counted_and_a_fault_is_told(holds: bool, status: int, tmp_path: Path) -> None:
    (tmp_path / "test_few.py").write_text(
        "def test_few(record_property):\n    record_property('cases', 5)\n"
        f"    assert {holds}\n\n\ndef test_more(record_property):\n    record_property('cases', 2)\n"
    )
    told = ["--cases", "7", str(tmp_path / "test_few.py")]
    command = [sys.executable, "-m", "scripts.measure.bench.robust", *told]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert done.returncode == status, done.stdout
    assert f"7 cases of broken files, {status} batches of them with a fault; " in done.stdout
