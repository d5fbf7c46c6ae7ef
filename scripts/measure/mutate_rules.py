"""Switches every rule off in turn and shows which hand-written records notice.

    python -m scripts.measure.mutate_rules --out docs/mutation.md

A rule is switched off in what the rules answer: its findings vanish from the results of the legality function
(`judge`), of what several events decide (`follow`) and of what the record's end decides (`finish`), as if its
predicate never held. A rule that only counts (a score, a winner) has its count changed instead.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from referee import Finding, Hand
from referee.games.california_jacks import CaliforniaJacks
from referee.games.canfield import Canfield
from referee.games.double_solitaire import DoubleSolitaire
from referee.games.nerts import game as nerts_game
from referee.games.nerts.game import NertsGame
from referee.games.pishe_pasha.game import PishePasha
from referee.rules.score import HandScore

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests/referee"
GAMES = (NertsGame, DoubleSolitaire, PishePasha, Canfield, CaliforniaJacks)
#: The letters of the rule book with the number of rules each has.
BOOK = {"N": 18, "U": 7, "P": 5, "T": 4, "F": 1, "D": 8, "S": 6, "C": 6, "J": 5}
RULES = [f"{letter}{number}" for letter, last in BOOK.items() for number in range(1, last + 1)]
#: Rules that no play can break, with the reason and what is changed to switch them off.
NOT_BROKEN = {
    "N17": ("the referee counts the points", "the cards left in a Nerts pile cost nothing"),
    "N18": ("the referee says who has won the match", "nobody ever wins the match"),
    "D8": ("says who has won", "nobody ever runs out of cards"),
    "S6": ("says who has won, and the referee counts the points", "nobody ever runs out of cards"),
    "C6": ("says when the game is won", "no card ever counts as lying on a foundation"),
    "J4": ("the referee counts the points", "nobody ever wins a card"),
}


def _free_of_penalty(self: NertsGame, *rest: Any) -> HandScore:
    score = _SIDE_SCORE(self, *rest)
    return replace(score, points=score.points + score.left * self.settings.count("penalty"))


_SIDE_SCORE = NertsGame._side_score
#: By game: the rules of `NOT_BROKEN` that a whole recorded hand of it shows; ("N17", "N18") for all others.
SHOWN_BY_HANDS = {"double-solitaire": ("D8",), "pishe-pasha": ("S6",)}
SHOWN_BY_HANDS |= {"canfield": ("C6",), "california-jacks": ("J4",)}
#: By rule of `NOT_BROKEN`: what is replaced, and by what.
COUNTS: dict[str, tuple[Any, str, Any]] = {
    "N17": (NertsGame, "_side_score", _free_of_penalty),
    "N18": (nerts_game, "match_winner", lambda *rest: None),
    "D8": (DoubleSolitaire, "has_cards", lambda *rest: True),
    "S6": (PishePasha, "has_cards", lambda *rest: True),
    "C6": (Canfield, "_on_foundations", staticmethod(lambda hand: 0)),
    "J4": (CaliforniaJacks, "_taken", lambda self, hand: {seat: [] for seat in self.seats}),
}
Unwanted = Callable[[Finding], bool]


@contextmanager
def switched_off(rule: str) -> Iterator[None]:
    """The rules without one of them."""
    if rule in COUNTS:
        with _replaced([COUNTS[rule]]):
            yield
        return
    with without(lambda finding: finding.rule == rule):
        yield


@contextmanager
def without(unwanted: Unwanted) -> Iterator[None]:
    """The rules without certain findings, whichever predicate makes them."""
    changes: list[tuple[Any, str, Any]] = [
        (game, name, _deaf(getattr(game, name), unwanted))
        for game in GAMES
        for name in ("judge", "follow", "finish")
    ]
    changes.append((Hand, "_contradiction", _deaf(Hand._contradiction, unwanted)))
    with _replaced(changes):
        yield


def _deaf(answer: Callable[..., list[Finding]], unwanted: Unwanted) -> Callable[..., list[Finding]]:
    def deaf(*given: Any) -> list[Finding]:
        return [finding for finding in answer(*given) if not unwanted(finding)]

    return deaf


@contextmanager
def _replaced(changes: Sequence[tuple[Any, str, Any]]) -> Iterator[None]:
    """Attributes replaced for a while."""
    before = [(owner, name, vars(owner).get(name)) for owner, name, _ in changes]
    for owner, name, new in changes:
        setattr(owner, name, new)
    try:
        yield
    finally:
        for owner, name, old in before:
            if old is None:
                delattr(owner, name)
            else:
                setattr(owner, name, old)


# -- the records ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fixture:
    """A hand-written record or a whole recorded hand, with the test that reads it."""

    name: str
    rules: frozenset[str]
    test: Callable[[], None]

    def fails(self) -> bool:
        """Whether its test fails now."""
        try:
            self.test()
        except Exception:  # a record that cannot even be read any more has noticed, too
            return True
        return False


def fixtures() -> list[Fixture]:
    """All records of the tests."""
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    from games import test_hands, test_records  # type: ignore[import-not-found,unused-ignore]
    from rules import test_nerts_hands  # type: ignore[import-not-found,unused-ignore]
    from rules import test_records as nerts_records

    found = []
    for case in nerts_records.CASES:
        rules = {ruling.split()[0] for ruling in case["rulings"]} if "rulings" in case else set()
        name = f"rules/test_records.py[{nerts_records.name(case)}]"
        found.append(
            Fixture(name, frozenset({case["rule"], *rules}), _bound(nerts_records.test_record, case))
        )
    for case in test_records.CASES:
        rules = {rule for rule, _, _ in case.expected}
        name = f"games/test_records.py[{case}]"
        found.append(Fixture(name, frozenset({case.rule, *rules}), _bound(test_records.test_record, case)))
    for module, test in (
        (test_hands, test_hands.test_hand_replays_to_its_score),
        (test_nerts_hands, test_nerts_hands.test_hand_replays_to_its_score),
    ):
        file = f"{Path(module.__file__).parent.name}/{Path(module.__file__).name}"
        for hand in module.EXPECTED:
            shows = SHOWN_BY_HANDS.get(_game_of(hand), ("N17", "N18"))
            found.append(Fixture(f"{file}[{hand}]", frozenset(shows), _bound(test, hand)))
    return found


def _game_of(hand: str) -> str:
    return next((game for game in SHOWN_BY_HANDS if hand.startswith(game)), "")


def _bound(test: Callable[[Any], None], case: Any) -> Callable[[], None]:
    return lambda: test(case)


def noticed(rule: str, records: Sequence[Fixture]) -> list[str]:
    """The records about a rule that fail when it is switched off."""
    concerned = [record for record in records if rule in record.rules]
    with switched_off(rule):
        return [record.name for record in concerned if record.fails()]


# -- the page -------------------------------------------------------------------------------------------------

HEAD = """# Every rule switched off in turn

Made by `python -m scripts.measure.mutate_rules --out docs/mutation.md`. A rule is switched off in what the rules
answer: its findings vanish from the results of `judge`, `follow` and `finish`. Counted are the records about that rule
(hand-written ones, and whole hands) whose test then fails; with all rules on, every one of them passes.

| rule | records about it | fail without it | the first of them |
| --- | --- | --- | --- |
"""


def page(records: Sequence[Fixture]) -> str:
    """The table of all rules, and those that no play can break."""
    text = HEAD
    for rule in RULES:
        failing = noticed(rule, records)
        about = sum(rule in record.rules for record in records)
        first = f"`{failing[0].replace('|', '/')}`" if failing else "**none**"
        text += f"| {rule} | {about} | {len(failing)} | {first} |\n"
    text += (
        "\n## Rules that no play can break\n\n| rule | why | what is changed instead |\n| --- | --- | --- |\n"
    )
    return text + "".join(f"| {rule} | {why} | {change} |\n" for rule, (why, change) in NOT_BROKEN.items())


def main() -> None:
    """Print the page, or write it to a file; the exit status is 1 when a rule is missed by all records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="where to write the page")
    chosen = parser.parse_args()
    records = fixtures()
    broken = [record.name for record in records if record.fails()]
    if broken:
        raise SystemExit(f"{broken[0]} fails with all rules on")
    text = page(records)
    if chosen.out:
        chosen.out.write_text(text)
    else:
        print(text)
    if "**none**" in text:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
