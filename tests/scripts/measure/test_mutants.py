"""Faults put into a source one at a time: which, how they are drawn, and that a test that notices one is found."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from scripts.measure import mutants
from scripts.measure.mutant_tests import ROOT, Reach, Tried, in_order, try_mutant
from scripts.measure.mutants import Finder, Processes, figures, tried, try_all
from scripts.measure.mutations import Mutant, draw, mutants_of

SOURCE = dedent(
    '''
    """Words with 3 numbers."""
    from typing import TYPE_CHECKING
    if TYPE_CHECKING:
        LEFT = 7
    Line = dict[str, int] | None
    MOST = 4

    def far(a: int, b: int = 2) -> bool:
        """Not 5."""
        assert a > 0, "never 0"
        if a < MOST and not b:
            raise ValueError(f"more than {MOST + 1}")
        for x in zip([1.5], strict=True):
            print(min(a, x))
        return a - b >= 0
    '''
).encode()


def changes(line: str) -> set[str]:
    return {mutant.after for mutant in mutants_of("a.py", SOURCE) if mutant.before == line}


def test_bounds_numbers_logic_and_what_is_returned_are_broken() -> None:
    assert changes("MOST = 4") == {"MOST = 5", "MOST = 3"}
    assert changes("return a - b >= 0") == {
        "return (not a - b >= 0)",
        "return (a - b > 0)",
        "return (a - b < 0)",
        "return (a + b) >= 0",
        "return a - b >= 1",
        "return a - b >= (-1)",
    }
    assert changes("if a < MOST and not b:") == {
        "if True:",
        "if False:",
        "if (a < MOST or not b):",
        "if (not b):",
        "if (a < MOST):",
        "if (a <= MOST) and not b:",
        "if (a >= MOST) and not b:",
        "if a < MOST and b:",
    }
    assert changes("print(min(a, x))") == {"pass", "print(max(a, x))"}
    assert changes("def far(a: int, b: int = 2) -> bool:") == {
        "def far(a: int, b: int = 3) -> bool:",
        "def far(a: int, b: int = 1) -> bool:",
    }
    assert changes("for x in zip([1.5], strict=True):") == {
        "for x in zip([3.0], strict=True):",
        "for x in zip([0.75], strict=True):",
    }


def test_types_words_and_guards_are_left_alone() -> None:
    broken = {mutant.before for mutant in mutants_of("a.py", SOURCE)}
    assert not [
        line for line in broken if "LEFT" in line or "Line" in line or "assert" in line or '"""' in line
    ]
    assert changes('raise ValueError(f"more than {MOST + 1}")') == {"pass"}


def test_every_mutant_of_the_rooms_is_python_and_another_one() -> None:
    source = (ROOT / "referee/umpire/explain.py").read_bytes()
    found = mutants_of("referee/umpire/explain.py", source)
    assert len(found) > 200
    assert len({mutant.name for mutant in found}) == len(found)
    for mutant in found[::5]:
        assert ast.dump(ast.parse(mutant.applied(source))) != ast.dump(ast.parse(source)), mutant


def test_lines_are_drawn_one_mutant_each_before_any_has_two() -> None:
    every = mutants_of("a.py", SOURCE)
    lines = {mutant.line for mutant in every}
    drawn = draw(every, len(lines), 1)
    assert {mutant.line for mutant in drawn} == lines
    assert draw(every, 1000, 1) != draw(every, 1000, 2)
    assert draw(every, 4, 1) == drawn[:4]
    assert set(draw(every, 1000, 3)) == set(every)


def test_another_line_elsewhere_changes_no_draw() -> None:
    later = SOURCE.replace(b"MOST = 4", b"MOST = 4\nLEAST = 0.5")
    drawn = [(m.before, m.after) for m in draw(mutants_of("a.py", SOURCE), 1000, 1)]
    again = [(m.before, m.after) for m in draw(mutants_of("a.py", later), 1000, 1)]
    assert [pair for pair in again if "LEAST" not in pair[0]] == drawn


def finder(lines: dict[int, set[str]], longest: float = 100.0) -> Finder:
    seconds = {"a::slow": 9.0, "a::quick": 0.1, "b::one": 1.0}
    reach = Reach({"a.py": {n: frozenset(t) for n, t in lines.items()}}, seconds, {"b": 0.5})
    return Finder(reach, {"a.py": SOURCE}, longest)


def at(line: str) -> Mutant:
    return next(mutant for mutant in mutants_of("a.py", SOURCE) if mutant.before == line)


def test_the_tests_of_a_line_are_tried_from_the_quickest_file_on() -> None:
    found = finder({16: {"a::slow", "a::quick", "b::one"}, 12: {"a::quick"}})
    assert list(found.tests(at("return a - b >= 0"))) == ["b::one", "a::quick", "a::slow"]
    assert list(finder({16: {"a::slow", "b::one"}}, 5.0).tests(at("return a - b >= 0"))) == ["b::one"]
    assert found.tests(at("print(min(a, x))")) == {}


def test_a_name_given_at_the_top_is_felt_where_it_is_read_and_a_default_in_its_function() -> None:
    found = finder({12: {"a::quick"}, 16: {"b::one"}})
    assert list(found.tests(at("MOST = 4"))) == ["a::quick"]
    assert set(found.tests(at("def far(a: int, b: int = 2) -> bool:"))) == {"a::quick", "b::one"}


def test_what_tests_reach_is_kept_and_read_again() -> None:
    reach = Reach({"a.py": {3: frozenset({"x", "y"}), 4: frozenset()}}, {"x": 1.0, "y": 0.5}, {"a": 0.1})
    assert Reach.of(json.loads(json.dumps(reach.to_json()))) == reach
    assert in_order(["y", "x"], reach) == {"y": 0.5, "x": 1.0}


UNSEEN = "referee/live/unseen.py"
TESTS = {f"tests/referee/live/test_unseen.py::{name}": 0.1 for name in ("test_the_last_gap_counts",)}


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
@pytest.mark.parametrize(
    ("before", "after", "end"),
    [
        ("in reversed(self._behind)", "in iter(self._behind)", "killed"),
        ("STILL_THERE_S = 0.4", "STILL_THERE_S = 0.8", "survived"),
        ("gap = behind.gap\n", "gap = no_such_name\n", "killed"),
        ("import annotations\n", "import annotations\nimport referee.no_such_room\n", "killed"),
    ],
)
def test_a_mutant_is_tried_without_a_file_being_touched(before: str, after: str, end: str) -> None:
    source = (ROOT / UNSEEN).read_bytes()
    assert before.encode() in source
    start = source.index(before.encode())
    mutant = Mutant(UNSEEN, 1, 1, 1, "made up", (start, start + len(before.encode())), after, before, after)
    processes = Processes()
    outcome = tried(mutant, source, TESTS, processes)
    assert outcome.end == end
    assert (outcome.by == next(iter(TESTS))) or end == "survived" or "no_such_room" in after
    assert (ROOT / UNSEEN).read_bytes() == source
    assert tried(mutant, source, {}, processes) == Tried("unreached")


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
def test_a_mutant_that_hangs_is_noticed() -> None:
    source = (ROOT / UNSEEN).read_bytes()
    endless = source.replace(b"    gap = behind.gap\n", b"    while True:\n        pass\n")
    assert endless != source
    answer, status = Processes().ask(try_mutant, UNSEEN, endless, TESTS, 0.5)
    assert answer is None and status < 0


def test_who_was_noticed_stays_noticed_and_who_was_not_faces_the_longer_tests_too(tmp_path: Path) -> None:
    drawn = [at("MOST = 4"), at("print(min(a, x))")]
    kept = tmp_path / "kept.jsonl"
    ends = zip(drawn, ("killed", "survived"), strict=True)
    lines = [{"name": m.name, "end": end, "by": "", "longest": 1.0} for m, end in ends]
    kept.write_text("".join(json.dumps(line) + "\n" for line in lines))
    nothing = finder({}, longest=2.0)
    found = try_all(drawn, nothing, kept, Processes(), 1)
    assert [found[mutant.name].end for mutant in drawn] == ["killed", "unreached"]
    assert len(kept.read_text().splitlines()) == 3
    assert try_all(drawn, nothing, kept, Processes(), 1) == found
    assert len(kept.read_text().splitlines()) == 3


def test_figures_keep_what_no_test_reaches_in_the_denominator() -> None:
    drawn = mutants_of("referee/live/gate.py", SOURCE)[:4]
    ends = ["killed", "survived", "unreached", "hung"]
    told = figures(drawn, {m.name: Tried(end) for m, end in zip(drawn, ends, strict=True)})
    assert (told["mutants"], told["killed"], told["share"]) == (4, 2, 0.5)
    assert (told["hung"], told["unreached"]) == (1, 1)
    assert told["rooms"]["referee/live"]["mutants"] == 4
    assert [one["before"] for one in told["survivors"]] == [drawn[1].before, drawn[2].before]
    assert "2 of 4 noticed (50.0%)" in mutants.said(told)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--out", "no/such/folder/x.json"], "no/such/folder is no folder"),
        (["--mutants", "none"], "not a number"),
    ],
)
def test_what_cannot_be_asked_for_is_one_line(
    arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mutants", *arguments])
    try:
        status = mutants.main()
    except SystemExit as ended:
        status = int(str(ended.code))
    assert status == 2
    assert says in capsys.readouterr().err
    assert not Path("no").exists()
