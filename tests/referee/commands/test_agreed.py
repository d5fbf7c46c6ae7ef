"""What is chosen on the page while a table is watched: taken from the next deal on, or said why not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from referee.commands.watch import agreed
from referee.live.session import Rules, Session
from referee.service.table import TableTerms


def chosen(**terms: Any) -> tuple[str, list[Rules]]:
    taken: list[Rules] = []
    session = cast(Session, SimpleNamespace(agree=taken.append))
    return agreed(session, TableTerms(**terms)), taken


def test_names_decks_and_rules_are_taken() -> None:
    said, (rules,) = chosen(settings={"draw": 1}, names={"north": "Anna"}, decks={"north": "blue"})
    assert "from the next deal on" in said
    assert rules == Rules("nerts", {"draw": 1}, {"north": "blue"}, {"north": "Anna"})


def test_a_game_that_no_camera_follows_changes_nothing() -> None:
    said, taken = chosen(game="canfield")
    assert "goes on as it was" in said and not taken
