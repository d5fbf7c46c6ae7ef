"""`--indices` on the command line: what is doubted without it is named with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pretend import PretendEye
from said import complaint, lines_of

from referee import service
from referee.commands.console import LANGUAGES as OFFERED
from referee.commands.program import run
from vision.faces.indices import LANGUAGES, LETTERS, doubt
from vision.layout import FACES, Layout, SeenCard


class GermanEye:
    """Sees a queen of hearts with a D in its index."""

    def see(self, image: np.ndarray, **_: Any) -> Layout:
        corners = np.array([[10, 10], [73, 10], [73, 98], [10, 98]], dtype=np.float64)
        card = SeenCard(corners, "face", corners, 1.0, 0.99, pile=0)
        card.name_face(np.where(np.array(FACES) == "8H", 0.97, 0.0))
        card.letters = np.where(np.array([*LETTERS, ""]) == "D", 0.99, 0.01 / len(LETTERS))
        doubt([card])
        return Layout(400, 120, 1.0, [card])


@pytest.fixture
def german(pretended: PretendEye, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "tools", replace(service.tools, open_eye=lambda *_: GermanEye()))


def test_the_letters_that_are_offered_are_those_that_can_be_read() -> None:
    assert set(OFFERED) == set(LANGUAGES)


def test_a_court_of_another_language_is_doubted_until_its_letters_are_told(
    german: None, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["see", "--json", str(photo)]) == 0
    (card,) = lines_of(capsys.readouterr().out)[0]["cards"]
    assert (card["face"], card["partly"]) == (None, "?H")
    for said in ("KDB", "k,d,b"):
        assert run(["see", "--json", str(photo), "--indices", said]) == 0
        (card,) = lines_of(capsys.readouterr().out)[0]["cards"]
        assert (card["face"], card["partly"]) == ("QH", None)
    assert run(["score", str(photo)]) == 0
    told = capsys.readouterr().out
    assert "--indices" in told and "none of A, 2 to 10, J, Q, K" in told
    assert run(["score", "--json", str(photo), "--indices", "KDB"]) == 0
    assert lines_of(capsys.readouterr().out)[0]["total_by_faces"] == 12


@pytest.mark.parametrize("command", ["see", "score", "replay"])
def test_letters_that_nobody_prints_are_refused(
    command: str, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, str(photo), "--indices", "KQJ"]) == 2
    assert "KDB or RDV or KVB" in complaint(capsys)
