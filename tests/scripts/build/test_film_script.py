"""The film's command: bad input in one line, decks that can be told apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.film.art import alike, plain_deck, recoloured
from scripts.build.film.hand import main


@pytest.mark.parametrize(
    "wrong",
    [
        ["--deck", "no-such-deck", "--deck", "letele"],
        ["--deck", "letele"],
        ["--latest", "4"],
        ["--scene", "none.json"],
    ],
)
def test_bad_input_is_one_line_and_status_2(
    wrong: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--out", str(tmp_path / "film"), *wrong]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("build.film.hand: ")]
    assert len(lines) == 1


def test_backs_that_nobody_can_tell_apart_are_known() -> None:
    blue, red = plain_deck("blue", (150, 60, 30)).back, plain_deck("red", (40, 40, 170)).back
    grey = np.repeat(blue.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)
    assert not alike(blue, red)
    assert not alike(blue, recoloured(blue, 120))
    assert alike(grey, recoloured(grey, 120))
