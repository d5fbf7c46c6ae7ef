"""What is agreed on at a table: who plays where, with which decks, by which rules; read strictly. No files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from referee.matches.names import misleading, unreadable
from referee.rules.header import ONE_DECK_FAMILIES
from referee.rules.settings import Settings, SettingsError, Value
from referee.service.told import Call

if TYPE_CHECKING:
    from referee.live.terms import Terms

Json = dict[str, Any]
#: What the file may hold: texts, a moment, and tables.
TEXTS, TABLES = ("title", "game"), ("settings", "names", "decks")
_KNOWN = (*TEXTS, "last_used", *TABLES)
_LONGEST = 60
#: Games in which partners play with one deck.
_PARTNERS = "team-nuts"


@dataclass(frozen=True, slots=True)
class TableTerms:
    """What is agreed on at a table, for this evening and the next."""

    #: What people call the table.
    title: str = ""
    game: str = "nerts"
    #: House rules: what differs from the game's own.
    settings: Mapping[str, Value] = field(default_factory=dict)
    #: Seat, as the camera sees it → who sits there, and the back that they play with.
    names: Mapping[str, str] = field(default_factory=dict)
    decks: Mapping[str, str] = field(default_factory=dict)
    last_used: datetime | None = None

    @property
    def seats(self) -> list[str]:
        """The seats that are named, in order."""
        return list(dict.fromkeys([*self.names, *self.decks]))

    def player(self, seat: str) -> str:
        """Who sits there: the seat itself where nobody was named."""
        return self.names.get(seat, seat)

    def terms(self, call: Call | None = None) -> Terms:
        """What a referee of recordings and tables needs of it."""
        from referee.live.terms import Terms

        return Terms(self.game, dict(self.settings), call, dict(self.decks))

    def to_json(self) -> Json:
        """For the page."""
        used = None if self.last_used is None else self.last_used.isoformat()
        tables = {name: dict(getattr(self, name)) for name in TABLES}
        return {"title": self.title, "game": self.game, **tables, "last_used": used}

    def plain(self) -> Json:
        """As TOML has it: without what is not said, but for the tables."""
        value = {key: getattr(self, key) for key in TEXTS if getattr(self, key)}
        used = {} if self.last_used is None else {"last_used": self.last_used}
        return {**value, **used, **{key: dict(getattr(self, key)) for key in TABLES}}

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> TableTerms:
        """Of plain values, as from the page or from TOML; BadTermError for what cannot be."""
        for key in value:
            if key not in _KNOWN:
                raise BadTermError((key,), f"{key[:40]!r} means nothing here", _meant(key, _KNOWN))
        texts = {key: _text(value[key], key) for key in TEXTS if key in value}
        tables = {key: _table(value.get(key, {}), key) for key in TABLES}
        used = value.get("last_used")
        if used is not None and not isinstance(used, datetime):
            raise BadTermError(
                ("last_used",),
                "'last_used' is no moment",
                "write it like 2026-11-28T20:15:00, or take it out",
            )
        rules = _rules(texts.get("game", "nerts"), tables["settings"])
        players = {
            key: {seat: _text(name, key, seat) for seat, name in tables[key].items()}
            for key in ("names", "decks")
        }
        terms = cls(
            texts.get("title", ""), rules.preset.name, rules.changed, players["names"], players["decks"], used
        )
        _check_players(terms, rules.preset.family)
        return terms


class BadTermError(ValueError):
    """Something that cannot be agreed on: where (keys), what is wrong, and what to do."""

    def __init__(self, keys: Sequence[str], wrong: str, remedy: str) -> None:
        super().__init__(f"{wrong}: {remedy}")
        self.keys = tuple(keys)


def _text(value: Any, *keys: str) -> str:
    key = keys[-1]
    if not isinstance(value, str) or not value.strip():
        raise BadTermError(keys, f"{key!r} is no text", f'write it in quotes, like {key} = "…"')
    if len(value) > _LONGEST or not value.isprintable():
        raise BadTermError(keys, f"{key!r} is no name that can be shown", f"take {_LONGEST} letters at most")
    return value


def _table(value: Any, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadTermError(
            (key,), f"{key!r} is no table", f"write [{key}] on a line of its own, and below it what it holds"
        )
    return value


def _rules(game: str, settings: Mapping[str, Any]) -> Settings:
    try:
        usual = Settings.of(game)
    except SettingsError as error:
        raise BadTermError(
            ("game",), str(error).split(" (known:")[0], "nerts-referee rules lists the games"
        ) from None
    for key in settings:
        if key not in usual:
            raise BadTermError(
                ("settings", key), f"{game} has no setting {key[:40]!r}", _meant(key, sorted(usual))
            )
    for key, value in settings.items():
        try:
            Settings.of(game, {key: value})
        except SettingsError as error:
            raise BadTermError(
                ("settings", key), str(error), f"nerts-referee rules {game} tells more"
            ) from None
    try:
        return Settings.of(game, settings)
    except SettingsError as error:
        raise BadTermError(("settings",), str(error), "change one of them") from None


def _check_players(terms: TableTerms, family: str) -> None:
    for seat, name in terms.names.items():
        doubt = unreadable(name)
        if doubt:
            raise BadTermError(("names", seat), *_parted(doubt))
    doubt = misleading(list(terms.names.values()))
    if doubt or len(set(terms.names.values())) < len(terms.names):
        raise BadTermError(("names",), "two players have one name", "give one of them another")
    if family in ONE_DECK_FAMILIES or terms.game == _PARTNERS:
        return
    first: dict[str, str] = {}
    for seat, deck in terms.decks.items():
        if first.setdefault(deck, seat) != seat:
            raise BadTermError(
                ("decks", seat), f"{first[deck]} and {seat} have one deck, {deck!r}", "name each one's own"
            )


def _parted(doubt: str) -> tuple[str, str]:
    wrong, _, remedy = doubt.rpartition(": ")
    return wrong, remedy


def _meant(key: str, known: Sequence[str]) -> str:
    near = get_close_matches(key, known, 1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
