"""Each rule switched off in turn: some hand-written record must notice.

`scripts.measure.mutate_rules` takes the findings of a rule, or of one kind of infraction, out of what the rules answer.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import referee.games
from referee.record.check import check_lines
from scripts.measure.mutate_rules import NOT_BROKEN, ROOT, RULES, Fixture, fixtures, noticed, without

GAMES = Path(referee.games.__file__).parent
#: How the code writes a finding: the function, the rule (a literal, or asked for by name), the infraction's name.
WRITTEN = re.compile(
    r"(?:_break|breaks|Finding|_weigh|_fit|must_fit|must_hold|_demand_winner)\(\s*"
    r'(?:hand, \w+|game\.rule\([^()]*(?:\([^()]*\))?\)|self\.\w+|rule|"[^"]+"),\s*"([a-z-]+)"'
)
SOURCES = {
    "nerts": tuple(f"nerts/{name}.py" for name in ("law", "ties", "blocked", "call", "follow")),
    "double-solitaire": ("double_solitaire.py", "turns.py", "one_deck.py"),
    "pishe-pasha": ("pishe_pasha/game.py", "pishe_pasha/stop.py", "turns.py"),
    "canfield": ("canfield.py", "one_deck.py"),
    "california-jacks": ("california_jacks.py",),
}
NAMES = sorted(
    {
        (game, name)
        for game, files in SOURCES.items()
        for file in files
        for name in WRITTEN.findall((GAMES / file).read_text())
    }
)


@pytest.fixture(scope="module")
def records() -> list[Fixture]:
    return fixtures()


@pytest.fixture(scope="module")
def by_name() -> dict[tuple[str, str], list[tuple[bytes, ...]]]:
    """By game (all of the Nerts family as one) and name of an infraction: the records that have one."""
    import shorthand
    from games import test_records

    found: dict[tuple[str, str], list[tuple[bytes, ...]]] = {}
    lines = [("nerts", shorthand.lines(case)) for case in shorthand.cases() if "refused" not in case]
    lines += [(case.game, case.lines()) for case in test_records.CASES if not case.refused]
    for game, record in lines:
        for name in {ruling.ruling for ruling in check_lines(record).rulings}:
            found.setdefault((game, name), []).append(tuple(record))
    return found


def test_the_names_are_found_in_the_code() -> None:
    wanted = {"wrong-build", "false-call", "two-hands", "stuck-again", "tie", "wrong-role"}
    wanted |= {"missed-side-play", "missed-foundation-play", "space-not-filled", "revoke", "second-draw"}
    assert wanted <= {name for _, name in NAMES}
    assert len(NAMES) > 80


@pytest.mark.parametrize(("game", "name"), NAMES)
def test_a_kind_of_infraction_switched_off_is_noticed(
    game: str, name: str, by_name: dict[tuple[str, str], list[tuple[bytes, ...]]]
) -> None:
    """Some record has it, and has other rulings without it."""
    record = by_name[game, name][0]
    before = check_lines(record).rulings
    with without(lambda finding: finding.name == name):
        assert check_lines(record).rulings != before
    assert check_lines(record).rulings == before


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_switched_off_is_noticed(rule: str, records: list[Fixture]) -> None:
    assert noticed(rule, records)


def test_with_all_rules_on_no_record_fails(records: list[Fixture]) -> None:
    """Also after every rule was off for a while."""
    assert not [record.name for record in records[::10] if record.fails()]


def test_the_published_table_names_every_rule() -> None:
    page = (ROOT / "docs/mutation.md").read_text()
    assert all(f"\n| {rule} | " in page for rule in RULES)
    assert "**none**" not in page
    assert all(page.count(f"\n| {rule} | ") == 2 for rule in NOT_BROKEN)
