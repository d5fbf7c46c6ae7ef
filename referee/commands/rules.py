"""`nerts-referee rules`: the rules in force at a table, in plain words."""

from __future__ import annotations

import sys
import textwrap
from typing import Annotated

import typer

from referee.commands.console import JsonOption, out, print_json, settings_of
from referee.rules.settings import game_names, load_preset
from referee.rules_text import rules_json, rules_text
from referee.service import BadInputError


def rules(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="The game; without it all games are listed.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="K=V", help="A house rule, like target=200.")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Print the rules of a game with its house rules, each with its id and source."""
    if game is None:
        if set_:
            raise BadInputError(f"--set {set_[0]} is for one game: name it, like rules nerts --set {set_[0]}")
        _list_games(json)
        return 0
    changed = settings_of(game, set_ or []).changed
    print_json(rules_json(game, changed)) if json else _tell(rules_text(game, changed))
    return 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(rules)


def _list_games(json: bool) -> None:
    presets = [load_preset(name) for name in game_names()]
    if json:
        print_json(
            [
                {
                    "game": preset.name,
                    "title": preset.title,
                    "about": preset.about,
                    "aliases": list(preset.aliases),
                }
                for preset in presets
            ]
        )
        return
    width = max(len(preset.name) for preset in presets)
    for preset in presets:
        also = f" Also called {', '.join(preset.aliases)}." if preset.aliases else ""
        _tell(f"{preset.name:<{width}}  {preset.about}{also}", indent=width + 2)


def _tell(text: str, indent: int = 5) -> None:
    """Print text; on a terminal every line is broken to fit, under its first word's column."""
    for line in text.splitlines():
        if sys.stdout.isatty():
            line = textwrap.fill(line, out.width, subsequent_indent=" " * indent)
        print(line)
