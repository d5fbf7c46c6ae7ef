"""What really happened in a filmed evening, or in one filmed hand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TrueHand:
    """One hand; times are s of the film."""

    number: int
    lines: list[Line]
    #: When the deal lies there, and when the hand ends.
    dealt_s: float
    ends_s: float
    #: Who called, and when; None where nobody did.
    call: tuple[str, float] | None

    def events(self, kind: str) -> list[Line]:
        """Its true events of a kind."""
        return [line for line in self.lines if line.get("event") == kind]


@dataclass(frozen=True, slots=True)
class TrueEvening:
    """`film` with its hands; `match`: the totals at the end, None where no evening was filmed."""

    film: Path
    fps: float
    hands: list[TrueHand]
    match: dict[str, float] | None
    states: list[Line]

    @classmethod
    def of(cls, film: Path) -> TrueEvening:
        """What lies beside a film: NAME.evening.json, or of one hand NAME.truth.jsonl and NAME.json."""
        told = film.with_name(f"{film.stem}.evening.json")
        if told.exists():
            evening = json.loads(told.read_text(encoding="utf-8"))
            hands = [_hand_of(film.parent, hand) for hand in evening["hands"]]
            match = dict(evening["hands"][-1]["match"])
            return cls(film, float(evening["fps"]), hands, match, list(evening["states"]))
        lines = _lines(film.with_name(f"{film.stem}.truth.jsonl"))
        facts = json.loads(film.with_name(f"{film.stem}.json").read_text(encoding="utf-8"))
        call = facts.get("call")
        moments = [float(line["at"]) for line in lines if "at" in line]
        called = (str(call["seat"]), float(call["at"])) if call else None
        return cls(
            film, float(facts["fps"]), [TrueHand(1, lines, moments[0], max(moments), called)], None, []
        )


def _hand_of(folder: Path, told: Line) -> TrueHand:
    call = told["call"]
    called = (str(call["seat"]), float(call["at"])) if call else None
    lines = _lines(folder / told["record"])
    return TrueHand(int(told["hand"]), lines, float(told["dealt"]), float(told["ends"]), called)


def _lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
