"""The rules in force at a table, in plain words with rule ids, made from the data files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from referee.rules.settings import Settings, Value, definitions, read_data


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule as told: id, title, text with settings filled in, source, and which reading is ours."""

    id: str
    title: str
    text: str
    source: str
    ours: str = ""

    def __str__(self) -> str:
        reading = f" (Our reading: {self.ours}.)" if self.ours else ""
        return f"{self.id:<4} {self.title}. {self.text}{reading} {self.source}"


def _plain(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


@cache
def _entries() -> tuple[Mapping[str, Any], ...]:
    return tuple(read_data("rules")["rule"])


def _holds(entry: Mapping[str, Any], settings: Settings) -> bool:
    preset = settings.preset
    if "games" in entry:
        here = preset.name in entry["games"]
    else:
        here = entry["family"] == preset.family and preset.name not in entry.get("except", ())
    return here and _applies(entry, settings)


def _applies(entry: Mapping[str, Any], settings: Settings) -> bool:
    """Whether the settings are as `when` of an entry says, and not as `unless` says."""
    when, unless = entry.get("when", {}), entry.get("unless", {})
    as_told = all(settings.get(key) == value for key, value in when.items())
    return as_told and not any(settings.get(key) == value for key, value in unless.items())


def _told(entry: Mapping[str, Any], settings: Settings) -> str:
    """The text of a rule with the settings filled in, and the sentences that hold with these settings."""
    shown = {key: _plain(value) for key, value in settings.items()}
    more = [sentence["text"] for sentence in entry.get("more", ()) if _applies(sentence, settings)]
    return " ".join([entry["text"], *more]).format_map(shown)


def rules_in_force(settings: Settings) -> list[Rule]:
    """The rules of a game with its settings, in the order in which they are told."""
    return [
        Rule(
            entry["id"],
            entry["title"],
            _told(entry, settings),
            entry["source"],
            entry.get("ours", ""),
        )
        for entry in _entries()
        if _holds(entry, settings)
    ]


def rules_text(game: str, changed: Mapping[str, Any] | None = None) -> str:
    """The rules of a game with house rules, for people; SettingsError for what is unknown."""
    settings = Settings.of(game, changed)
    preset = settings.preset
    also = f"; also called {', '.join(preset.aliases)}" if preset.aliases else ""
    lines = [f"{preset.title} ({preset.name}{also})", preset.about, ""]
    rules = rules_in_force(settings)
    lines += [str(rule) for rule in rules]
    lines += ["", "Settings"]
    for key, value in settings.items():
        lines.append(
            f"{key} = {_plain(value)}  {definitions()[key].description} {_source(settings, key)}".rstrip()
        )
    lines += ["", "Sources"]
    lines += [f"{sign}  {about}" for sign, about in _legend(settings, rules).items()]
    return "\n".join(lines)


def _source(settings: Settings, key: str) -> str:
    """Where a setting's value comes from."""
    return "house rule" if key in settings.changed else settings.preset.sources.get(key, "")


def _legend(settings: Settings, rules: Iterable[Rule]) -> dict[str, str]:
    """What the signs stand for that are behind these rules and settings."""
    signs = [rule.source for rule in rules] + [_source(settings, key) for key in settings]
    return {
        entry["sign"]: entry["about"]
        for entry in read_data("rules")["source"]
        if any(entry["sign"] in sign for sign in signs)
    }


def rules_json(game: str, changed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The same as data: `game`, `title`, `rules` and `settings`."""
    settings = Settings.of(game, changed)
    told = rules_in_force(settings)
    rules = [
        {"id": rule.id, "title": rule.title, "text": rule.text, "source": rule.source, "ours": rule.ours}
        for rule in told
    ]
    return {
        "game": settings.preset.name,
        "title": settings.preset.title,
        "rules": rules,
        "settings": dict(settings),
        "sources": _legend(settings, told),
    }


def rules_page() -> str:
    """`docs/rules.md`: every game with its rules and settings."""
    from referee.rules.settings import game_names

    lines = [
        "# The rules of every game",
        "",
        "Made from the data files in `referee/presets` (`python -m referee.rules_text` writes this page).",
        "`nerts-referee rules GAME --set K=V` tells those of one table with its house rules.",
        "Numbers in square brackets, [0] to [4], are the five accounts of these games that the rules were gathered from;",
        "*our reading* is what they leave open.",
        "",
        "| source | tells of |",
        "| --- | --- |",
        *(f"| {entry['sign']} | {entry['about']} |" for entry in read_data("rules")["source"]),
    ]
    for game in game_names():
        settings = Settings.of(game)
        lines += ["", f"## {settings.preset.title} (`{game}`)", "", settings.preset.about, ""]
        if settings.preset.aliases:
            lines[-1:] = [f"Also called {', '.join(settings.preset.aliases)}.", ""]
        lines += ["| rule | | in words | source |", "| --- | --- | --- | --- |"]
        for rule in rules_in_force(settings):
            reading = f" *Our reading: {rule.ours}.*" if rule.ours else ""
            lines.append(f"| {rule.id} | {rule.title} | {rule.text}{reading} | {rule.source} |")
        lines += ["", "| setting | value | may be | meaning | source |", "| --- | --- | --- | --- | --- |"]
        for key, value in settings.items():
            setting = definitions()[key]
            source = settings.preset.sources.get(key, "")
            lines.append(
                f"| `{key}` | {_plain(value)} | {setting.allowed} | {setting.description} | {source} |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(rules_page(), end="")
