"""What is agreed on at the table, on the page: names, decks, game and house rules, kept for next time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from referee.rules.settings import Preset, Setting, Settings, definitions
from referee.service.table import BadTermError, TableTerms
from referee.service.tablefile import default_table, keep_table, open_table
from referee.web.answers import Answer
from referee.web.errors import OddError

Json = dict[str, Any]
#: Seats as the camera sees them, and the most that a table is taken to have.
SEATS, _MOST = ("north", "east", "south", "west"), 16


class Agreed(BaseModel):
    """What somebody chose; `settings` are those that differ from the game's own."""

    game: str = Field(min_length=1, max_length=60)
    settings: dict[str, Any] = Field(default={}, max_length=100)
    names: dict[str, str] = Field(default={}, max_length=_MOST)
    decks: dict[str, str] = Field(default={}, max_length=_MOST)


def table_routes(games: list[Preset], path: Path | None = None) -> APIRouter:
    """`/api/table`; `path`: the table's file, else the user's own. `games`: those that are offered."""
    routes = APIRouter()
    offered = [_game(preset) for preset in games]

    @routes.get("/api/table")
    def table() -> Answer:
        return Answer(_told(path, offered))

    @routes.post("/api/table")
    def agree(request: Request, agreed: Agreed) -> Answer:
        kept = open_table(path)
        value = agreed.model_dump()
        if kept.terms.title:
            value["title"] = kept.terms.title
        try:
            terms = TableTerms.of(value)
        except BadTermError as error:
            raise OddError(str(error)) from None
        said = [keep_table(kept.path, terms)]
        watched = request.app.state.watched
        if watched is not None:
            said.append(watched.table.agree(terms))
        return Answer({**_told(path, offered), "said": " ".join(filter(None, said))})

    return routes


def _told(path: Path | None, offered: list[Json]) -> Json:
    kept = open_table(path or default_table())
    return {"table": kept.terms.to_json(), "trouble": kept.trouble, "seats": SEATS, "games": offered}


def _game(preset: Preset) -> Json:
    """A game with its settings, what each means and may be."""
    usual = Settings.of(preset.name)
    known = definitions()
    return {
        "name": preset.name,
        "title": preset.title,
        "settings": [_setting(known[key], value) for key, value in usual.items()],
    }


def _setting(setting: Setting, usual: Any) -> Json:
    return {
        "key": setting.key,
        "title": setting.title,
        "description": setting.description,
        "type": setting.type,
        "values": list(setting.values),
        "minimum": setting.minimum,
        "maximum": setting.maximum,
        "usual": usual,
    }
