"""`score --dealing`: what cannot be counted is one line with its remedy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.film.video import VideoWriter
from referee.commands import program
from referee.commands.photochecks import check_left
from referee.service import BadInputError


def film(path: Path, light: int, frames: int = 12) -> Path:
    rng = np.random.default_rng(3)
    with VideoWriter(path, 320, 180, 12) as video:
        for _ in range(frames):
            planes = np.full((270, 320), 128, np.uint8)
            planes[:180] = np.clip(light + rng.normal(0, 2, (180, 320)), 0, 255)
            video.write(planes)
    return path


def said(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    status = program.run([str(argument) for argument in ("score", *arguments)])
    err = capfd.readouterr().err.strip()
    assert status == 2 and err.count("\n") == 0, err
    return err


def test_a_film_in_which_nothing_is_dealt(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "no card is dealt" in said(capfd, "--dealing", film(tmp_path / "still.mp4", 120))


def test_a_film_that_is_too_dark(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "too dark" in said(capfd, "--dealing", film(tmp_path / "night.mp4", 24))


def test_a_film_that_is_none(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none.mp4").write_bytes(b"no film at all")
    assert "none.mp4" in said(capfd, "--dealing", tmp_path / "none.mp4")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "nothing to count"),
        (("photo.jpg", "--dealing", "film.mp4"), "leave out photo.jpg"),
        (("photo.jpg", "--record", "hand.jsonl"), "--record hand.jsonl"),
        (("photo.jpg", "--ask", "out"), "--ask out"),
        (("--dealing", "missing.mp4", "--ask", "out", "--json"), "leave out --json"),
        (("--dealing", "missing.mp4"), "missing.mp4"),
        (("--dealing", "missing.mp4", "--record", "missing.jsonl"), "missing.jsonl"),
    ],
)
def test_what_is_given_has_to_fit(
    arguments: tuple[str, ...], why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert why in said(capfd, *arguments)


def test_cards_left_of_somebody_unknown_are_not_dropped() -> None:
    report = {"decks": [{"back": "blue", "seat": None}, {"back": "red", "seat": "south"}]}
    check_left({"south": 3, "blue": 1}, report)
    with pytest.raises(BadInputError, match=r"--left north=3: nobody .* --deck blue=north"):
        check_left({"north": 3}, report)
