"""Sets of filmed hands: what is drawn for each, and that a hand depends on nothing but the set and its number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from datasets.film import sets
from datasets.film.art import DeckArt, plain_deck
from datasets.film.sets import HandSet, draw_staging, film_of
from datasets.play.plants import OF_A_GAME

COLOURS = [(150, 60, 30), (40, 40, 170), (30, 130, 40), (20, 20, 20)]


def plain(rng: np.random.Generator, number: int, splits: Sequence[str] = ()) -> list[DeckArt]:
    return [plain_deck(f"deck {seat}", colour) for seat, colour in enumerate(COLOURS[:number])]


def test_what_is_staged_fits_the_game_and_the_film() -> None:
    for game in ("nerts", "one-per-suit", "nuts", "team-nuts", "nerts-minus-one"):
        wanted = HandSet.model_validate(
            {"what": "hands", "pictures": 9, "seed": 1, "game": game, "staged": 4}
        )
        kinds = set()
        for number in range(60):
            staging = draw_staging(np.random.default_rng(number), wanted)
            everything = [*staging.plants, *staging.ties, *staging.mishaps]
            assert len(everything) <= 4
            assert all(OF_A_GAME.get(plant.kind, game) == game for plant in staging.plants)
            kinds |= {plant.kind for plant in staging.plants} | {mishap.kind for mishap in staging.mishaps}
        assert len(kinds) > 15
    short = HandSet(what="hands", pictures=1, seed=1, until=12, staged=6)
    moments = [p.after for n in range(40) for p in draw_staging(np.random.default_rng(n), short).plants]
    assert moments and max(moments) < 10


def test_a_hand_of_a_set_depends_on_the_set_and_its_number_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sets, "draw_decks", plain)
    wanted = HandSet(what="hands", pictures=3, seed=4, fps=5, until=0.4, staged=0)
    one, two = film_of(wanted, 1, tmp_path / "a"), film_of(wanted, 1, tmp_path / "b")
    other = film_of(wanted, 2, tmp_path / "a")
    assert one.video.name == "00001.mp4" and other.video.name == "00002.mp4"
    for part in ("video", "record", "scene", "frames", "staged"):
        assert getattr(one, part).read_bytes() == getattr(two, part).read_bytes()
    assert one.record.read_bytes() != other.record.read_bytes()


@pytest.mark.parametrize(
    "wrong", [{"players": 9}, {"game": "bridge"}, {"fps": 500}, {"staged": -1}, {"colour": 1}]
)
def test_a_wrong_set_of_hands_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        HandSet.model_validate({"what": "hands", "pictures": 1, "seed": 1} | wrong)
