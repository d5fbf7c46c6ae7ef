"""Films of dealing: rows and the table of the page, answers from the truth, and chances fitted to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scripts.calibrate.dealt import Landings, chance, fit
from scripts.calibrate.dealt import main as calibrate
from scripts.measure.dealt.figures import BEGINS, ENDS, put_in, table
from scripts.measure.dealt.judging import judged
from scripts.measure.eyes.dealing import main


def film(folder: Path, seed: int, told: tuple[int, int], state: str = "sure") -> None:
    """A film of six cards of south and four of west, that was counted."""
    owners = ["south"] * 6 + ["west"] * 4
    events = [
        {"at": float(at), "kind": "dealt", "place": "row", "owners": [owner]}
        for at, owner in enumerate(owners)
    ]
    events[3] = {"at": 3.0, "kind": "two", "place": "row", "owners": ["south", "south"]}
    truth = {
        "seed": seed,
        "counts": {"south": 7, "west": 4},
        "habits": {"way": "row"},
        "events": events,
    }
    backs = ["blue"] * 6 + ["red"] * 4
    counted: dict[str, Any] = {
        "decks": [
            {"back": back, "centre": centre, "state": state}
            for back, centre in zip(("blue", "red"), told, strict=True)
        ],
        "dealing": {"landings": [{"at": at + 0.15, "back": back} for at, back in enumerate(backs)]},
        "weighed": [
            {"at": at + 0.15, "beside": 150.0 * (at == 3), "gain": 80.0 * (at == 3)} for at in range(10)
        ],
        "cpu_s": 12.0,
        "seconds": 10.0,
        "sources": "abc",
        "commit": "123",
    }
    counted["answered"] = {**counted}
    (folder / f"dealing-{seed}.truth.json").write_text(json.dumps(truth))
    (folder / f"dealing-{seed}.count.json").write_text(json.dumps(counted))


def test_every_film_is_a_row_and_the_page_shows_their_shares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film(tmp_path, 1, (7, 4))
    film(tmp_path, 2, (6, 4))
    rows, page = tmp_path / "rows.jsonl", tmp_path / "page.md"
    page.write_text(f"Before.\n{BEGINS}\nyesterday\n{ENDS}\nAfter.\n")
    for _ in range(2):
        assert main([str(tmp_path), "--rows", str(rows), "--page", str(page)]) == 0
    assert [json.loads(line)["film"] for line in rows.read_text().splitlines()] == ["1", "2"]
    told = page.read_text()
    assert told.startswith("Before.\n") and told.endswith("After.\n") and "yesterday" not in told
    assert "1.000" in told and "3 of 4" in told and "1.2 process seconds" in told


def test_a_page_without_its_lines_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film(tmp_path, 1, (7, 4))
    page = tmp_path / "page.md"
    page.write_text("Nothing here.\n")
    assert main([str(tmp_path), "--rows", str(tmp_path / "r.jsonl"), "--page", str(page)]) == 2
    assert "has no lines" in capsys.readouterr().err and page.read_text() == "Nothing here.\n"


def test_a_deck_is_exact_only_as_one_design_with_its_number(tmp_path: Path) -> None:
    film(tmp_path, 1, (6, 4))
    truth, counted = (
        json.loads((tmp_path / f"dealing-1.{what}.json").read_text()) for what in ("truth", "count")
    )
    found = {deck["owner"]: deck for deck in judged(truth, counted)["decks"]}
    assert (found["south"]["exact"], found["west"]["exact"]) == (False, True)
    assert found["south"]["told"] == [6] and found["south"]["sure"]


def test_chances_follow_what_was_seen_beside_cards_that_landed_with_another() -> None:
    rng = np.random.default_rng(4)
    two = rng.random(600) < 0.1
    gain = np.where(two, rng.uniform(3.5, 6.0, 600), rng.uniform(0.0, 2.0, 600))
    beside = np.where(two, rng.uniform(3.0, 6.0, 600), rng.uniform(0.0, 3.0, 600))
    weights = fit([Landings("film", np.column_stack([beside, gain]), two)])
    chances = chance(np.array([[0.0, 0.0], [1.0, 2.0], [4.5, 4.5]]), weights)
    assert chances[0] < 0.001 and chances[1] < 0.05 and chances[2] > 0.5


def test_films_without_two_at_once_tell_no_chances(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film(tmp_path, 1, (7, 4))
    assert calibrate([str(tmp_path)]) == 0
    truth = tmp_path / "dealing-1.truth.json"
    truth.write_text(truth.read_text().replace('"two"', '"dealt"'))
    assert calibrate([str(tmp_path)]) == 2
    assert "none with two at once" in capsys.readouterr().err


def test_the_table_says_what_was_asked_of_how_many() -> None:
    deck = {"cards": 20, "told": [20], "sure": True, "exact": True}
    row = {"film": "7", "way": "row", "questions": 1, "commit": "123", "decks": [deck], "answered": [deck]}
    made = table([row, row | {"film": "8", "decks": [deck | {"sure": False}]}])
    assert (
        "2 films" in made
        and "seeds 7 to 8" in made
        and "1 of 2" in made
        and put_in(f"{BEGINS}{ENDS}", made).count(made) == 1
    )
