"""A hand under other rules, in words: what would be ruled and scored otherwise. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from referee.record.account import VERDICTS, Account, Entry
from referee.rules.rulings import Ruling
from referee.service import under

Json = dict[str, Any]


def under_other_rules(
    lines: Sequence[Json], account: Account, game: str | None, settings: Mapping[str, Any]
) -> Json:
    """The differences for the page: rulings that hold now alone, those there would be instead, scores that differ.

    Raises RefusedError for rules that cannot be, or a hand that cannot be one of theirs.
    """
    otherwise = under(lines, game, settings)
    entries = {entry.index: entry for entry in account.entries}
    return {
        **otherwise.to_json(),
        "title": otherwise.settings.preset.title,
        "same": not otherwise,
        "rulings": {"now": _told(otherwise.now, entries), "there": _told(otherwise.there, entries)},
    }


def _told(rulings: Iterable[Ruling], entries: Mapping[int, Entry]) -> list[Json]:
    return [_one(ruling, entries) for ruling in rulings]


def _one(ruling: Ruling, entries: Mapping[int, Entry]) -> Json:
    about = next((entries[of] for of in reversed(ruling.of) if of in entries), None)
    return {
        "at": ruling.at,
        "of": list(ruling.of),
        "seat": ruling.seat or (about.seat if about else ""),
        "what": about.text if about else "",
        "verdict": ruling.verdict,
        "said": VERDICTS.get(ruling.verdict, ruling.verdict),
        "rule": ruling.rule,
        "why": ruling.why,
    }
