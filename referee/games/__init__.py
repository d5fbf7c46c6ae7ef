"""The games, one file a family: what exists on the table, the legality function, the score."""

from __future__ import annotations

from importlib import import_module

from referee.rules.game import Course, Game
from referee.rules.header import Header

#: By the family that a preset names: module and class. A new family adds its line here.
FAMILIES = {
    "nerts": ("referee.games.nerts.game", "NertsGame"),
    "double-solitaire": ("referee.games.double_solitaire", "DoubleSolitaire"),
    "pishe-pasha": ("referee.games.pishe_pasha.game", "PishePasha"),
    "canfield": ("referee.games.canfield", "Canfield"),
    "california-jacks": ("referee.games.california_jacks", "CaliforniaJacks"),
}

__all__ = ["FAMILIES", "Course", "Game", "game_for"]


def game_for(header: Header) -> Game:
    """The rules for the table that a header describes."""
    module, name = FAMILIES[header.settings.preset.family]
    game: Game = getattr(import_module(module), name)(header)
    return game
