"""Each rule switched off in turn: some hand-written record must notice.

The mutation takes one kind of infraction out of what the rules answer, as if its predicate never held.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import referee.games.nerts_course
import referee.games.nerts_law
from referee import Finding, Hand
from referee.check import check_lines

from . import shorthand

CASES = [case for case in shorthand.cases() if "refused" not in case]
SOURCES = [Path(str(module.__file__)) for module in (referee.games.nerts_law, referee.games.nerts_course)]
#: The names of all infractions and decisions of the family, as the code has them.
NAMES = sorted(
    {
        name
        for file in SOURCES
        for name in re.findall(
            r'(?:_break|Finding|_weigh|_fit)\(\s*(?:game\.rule\([^()]*(?:\([^()]*\))?\)|rule|"[^"]+"),\s*"([a-z-]+)"',
            file.read_text(),
        )
    }
)
#: Rules of the family that no play can break, with the reason.
NOT_BROKEN = {
    "N17": "the score is counted by the referee",
    "N18": "the match is counted by the referee",
}
RULES = [f"N{n}" for n in range(1, 19)] + [f"U{n}" for n in range(1, 8)]
RULES += [f"P{n}" for n in range(1, 6)] + [f"T{n}" for n in range(1, 5)] + ["F1"]


def said(case: dict[str, Any]) -> list[str]:
    rulings = check_lines(shorthand.lines(case)).rulings
    return sorted(f"{r.rule} {r.verdict} {','.join(map(str, r.of))}" for r in rulings)


def without(monkeypatch: pytest.MonkeyPatch, unwanted: Any) -> None:
    rule, write = Hand._rule, Hand._write

    def deaf_rule(self: Hand, finding: Finding, *rest: Any, **more: Any) -> None:
        if not unwanted(finding):
            rule(self, finding, *rest, **more)

    def deaf_write(self: Hand, findings: Sequence[Finding], **more: Any) -> None:
        write(self, [finding for finding in findings if not unwanted(finding)], **more)

    monkeypatch.setattr(Hand, "_rule", deaf_rule)
    monkeypatch.setattr(Hand, "_write", deaf_write)


def test_the_names_are_found_in_the_code() -> None:
    assert {"wrong-build", "false-call", "two-hands", "stuck-again", "tie", "wrong-role"} <= set(NAMES)
    assert len(NAMES) > 30


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_of_infraction_switched_off_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, lambda finding: finding.name == name)
    assert any(said(case) != sorted(case["rulings"]) for case in CASES)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in NOT_BROKEN])
def test_a_rule_switched_off_is_noticed(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cited = [case for case in CASES if any(ruling.startswith(rule + " ") for ruling in case["rulings"])]
    assert cited
    without(monkeypatch, lambda finding: finding.rule == rule)
    assert any(said(case) != sorted(case["rulings"]) for case in cited)
