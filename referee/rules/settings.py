"""Games and their settings, read from the data files in `presets`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Value = bool | int | float | str
#: Preset files that are no games.
_NO_GAMES = frozenset({"settings", "rules"})


class SettingsError(ValueError):
    """An unknown game or setting, a value outside its range, or settings that contradict each other."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: what it is called, what it means and what it may be."""

    key: str
    title: str
    description: str
    type: str
    values: tuple[Value, ...] = ()
    minimum: float | None = None
    maximum: float | None = None

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.values:
            return ", ".join(str(value) for value in self.values)
        if self.type == "flag":
            return "true, false"
        low = "" if self.minimum is None else f" of at least {self.minimum:.10g}"
        high = "" if self.maximum is None else f" and at most {self.maximum:.10g}"
        return f"{self.type}{low}{high}"

    def check(self, value: Any) -> Value:
        """The value if it is allowed; SettingsError with the key named if not."""
        if not self._fits(value):
            said = repr(value) if len(repr(value)) <= 40 else f"{repr(value)[:40]}…"
            raise SettingsError(f"setting {self.key!r} cannot be {said} (allowed: {self.allowed})")
        kept: Value = value
        return kept

    def _fits(self, value: Any) -> bool:
        if self.values:
            return any(type(value) is type(known) and value == known for known in self.values)
        if self.type == "flag":
            return isinstance(value, bool)
        number = int if self.type == "integer" else (int, float)
        if isinstance(value, bool) or not isinstance(value, number):
            return False
        return (self.minimum is None or value >= self.minimum) and (
            self.maximum is None or value <= self.maximum
        )


@dataclass(frozen=True, slots=True)
class Preset:
    """A game of the book: its settings' values and where each comes from."""

    name: str
    title: str
    family: str
    source: str
    about: str
    values: Mapping[str, Value]
    sources: Mapping[str, str]
    #: What else the game is called, as `game_named` reads it.
    aliases: tuple[str, ...] = ()


class Settings(Mapping[str, Value]):
    """The settings in force at a table: a preset and what differs from it.

    >>> Settings.of("nerts", {"target": 100})["target"]
    100
    """

    def __init__(self, preset: Preset, changed: Mapping[str, Value]) -> None:
        self.preset = preset
        self.changed = dict(changed)
        self._values = {**preset.values, **changed}

    @classmethod
    def of(cls, game: str, changed: Mapping[str, Any] | None = None) -> Settings:
        """The preset `game` (or what else it is called) with `changed` applied; SettingsError says what is wrong."""
        preset = load_preset(game)
        known = definitions()
        checked: dict[str, Value] = {}
        for key, value in (changed or {}).items():
            if key not in preset.values:
                has = ", ".join(sorted(preset.values))
                raise SettingsError(f"unknown setting {key!r} of game {preset.name!r} (it has: {has})")
            checked[key] = known[key].check(value)
        settings = cls(preset, checked)
        _refuse_contradictions(settings)
        return settings

    def __getitem__(self, key: str) -> Value:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def number(self, key: str) -> float:
        """A setting that is a number."""
        value = self._values[key]
        assert isinstance(value, int | float)
        return value

    def count(self, key: str) -> int:
        """A setting that is a whole number."""
        return int(self.number(key))

    def __repr__(self) -> str:
        changed = "".join(f" {key}={value}" for key, value in self.changed.items())
        return f"<Settings {self.preset.name}{changed}>"


def _refuse_contradictions(settings: Settings) -> None:
    """Refuse what no deck or rule can satisfy, with the reason."""
    if "columns" in settings:
        columns, nerts = settings.count("columns"), settings.count("nerts_cards")
        need = columns * (columns + 1) // 2 + nerts
        if need > 52:
            raise SettingsError(f"settings 'columns' and 'nerts_cards' need {need} cards, a deck has 52")
        if nerts < 4:
            raise SettingsError("setting 'nerts_cards' must be at least 4: four nerts lie open")
    elif "nerts_cards" in settings:
        piles = settings.count("work_piles") if "work_piles" in settings else 15
        need = settings.count("nerts_cards") + piles
        if need > 52:
            raise SettingsError(f"setting 'nerts_cards': the layout needs {need} cards, a deck has 52")
    if settings.get("stuck") == "bottom-card" and settings.preset.name != "nuts":
        raise SettingsError("setting 'stuck' = 'bottom-card' needs the five work piles of 'nuts'")
    if settings.get("must_call_when_stuck") is True and settings.get("stuck") == "none":
        raise SettingsError(
            "settings 'must_call_when_stuck' = true and 'stuck' = 'none' contradict each other: without burying "
            "nobody can tell that all are stuck (choose another 'stuck')"
        )
    if settings.preset.name == "nerts-twelve":
        _refuse_for_slots(settings)


def _refuse_for_slots(settings: Settings) -> None:
    """What does not go with four open nerts that hold one card each, beside a stack that lies face down."""
    if settings["onto_nuts"] is True:
        raise SettingsError(
            "setting 'onto_nuts' = true contradicts the game 'nerts-twelve': each of its open nerts is one card "
            "(leave 'onto_nuts' out)"
        )
    if settings["nerts_face"] == "up":
        raise SettingsError(
            "setting 'nerts_face' = 'up' contradicts the game 'nerts-twelve': its stack lies face down "
            "(leave 'nerts_face' out)"
        )


def _folder() -> Path:
    """Where the data files are. Imported late, as is tomllib: a third of the time that `import referee` takes."""
    from pathlib import Path

    return Path(__file__).parents[1] / "presets"


def read_data(name: str) -> dict[str, Any]:
    """A data file of `presets`, by its name without the ending."""
    import tomllib

    with (_folder() / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def definitions() -> Mapping[str, Setting]:
    """Every setting of every game, by key."""
    return {
        key: Setting(
            key,
            entry["title"],
            entry["description"],
            entry["type"],
            tuple(entry.get("values", ())),
            entry.get("minimum"),
            entry.get("maximum"),
        )
        for key, entry in read_data("settings").items()
    }


@cache
def game_names() -> tuple[str, ...]:
    """The names of all games, sorted."""
    return tuple(sorted(file.stem for file in _folder().glob("*.toml") if file.stem not in _NO_GAMES))


@cache
def _aliases() -> Mapping[str, str]:
    """The name of each game by what else it is called."""
    return {alias: name for name in game_names() for alias in _read_preset(name).aliases}


def game_named(text: str) -> str:
    """The name of the game that people call so: capitals, blanks and other names of it make no difference.

    >>> game_named("Double Solitaire"), game_named("pounce")
    ('double-solitaire', 'nerts')

    SettingsError for an unknown one, with the name that is nearest.
    """
    called = "-".join(text.casefold().replace("_", " ").replace("-", " ").split())
    name = _aliases().get(called, called)
    if name in game_names():
        return name
    from difflib import get_close_matches

    near = get_close_matches(called, [*game_names(), *_aliases()], 1)
    meant = f": did you mean {_aliases().get(near[0], near[0])}?" if near else ""
    raise SettingsError(f"unknown game {text[:40]!r}{meant} (known: {', '.join(game_names())})")


def load_preset(game: str) -> Preset:
    """The preset of a game, whatever it is called; SettingsError for an unknown one."""
    return _read_preset(game_named(game))


@cache
def _read_preset(game: str) -> Preset:
    entry = read_data(game)
    return Preset(
        name=game,
        title=entry["title"],
        family=entry["family"],
        source=entry["source"],
        about=entry["about"],
        values=entry["settings"],
        sources=entry["sources"],
        aliases=tuple(entry.get("aliases", ())),
    )
