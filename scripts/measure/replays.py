"""How well a replay did against the truth: plays aligned in order, draws apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from referee.record.check import CheckResult, check_lines

Line = Mapping[str, Any]
#: Whether a told event is the true one.
Same = Callable[[Line, Line], bool]
#: A told event and the true one, or one of them alone.
Pair = tuple[Line | None, Line | None]

#: A play counts as right only if its moment is this close to the true one (s).
WITHIN_S = 1.0


@dataclass(slots=True)
class Tally:
    """Aligned events of one kind: `wrong` are pairs that differ, `missed` and `invented` have no partner."""

    true: int = 0
    right: int = 0
    wrong: int = 0
    missed: int = 0
    invented: int = 0

    @property
    def share(self) -> float:
        """Right ones less what was invented beyond the truth: 1 − faults / true ones, never below 0."""
        faults = self.wrong + self.missed + self.invented
        return max(0.0, 1.0 - faults / self.true) if self.true else float(not faults)

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(asdict(self).values(), asdict(other).values(), strict=True)))

    def __str__(self) -> str:
        return (
            f"{self.right} of {self.true} right ({self.share:.1%}); "
            f"{self.wrong} wrong, {self.missed} missed, {self.invented} invented"
        )


@dataclass(slots=True)
class ReplayFigures:
    """What `score_replay` found."""

    plays: Tally
    draws: Tally
    #: Verdicts `illegal` on events that are clean in the truth, and those that the truth has, too.
    false_illegal: int = 0
    illegal_found: int = 0
    illegal_true: int = 0
    score_equal: bool | None = None
    #: Pairs (true line, told line) that do not agree; None where there is no partner.
    faults: list[tuple[Line | None, Line | None]] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"plays {self.plays}\ndraws {self.draws}\n"
            f"illegal: {self.illegal_found} of {self.illegal_true} found, {self.false_illegal} false; "
            f"score equal: {self.score_equal}"
        )


def score_replay(record: Iterable[Line], truth: Iterable[Line], since: float = 0.0) -> ReplayFigures:
    """Hold a replayed record against the true one; plays and draws that landed before `since` (s) are asked of nobody.

    Foundations may be numbered differently: they are matched by the cards that were played to them.
    A record without a `score` is ruled on first, if it has a header; rulings and scores are then compared.
    """
    told, true = adjudicated(list(record)), adjudicated(list(truth))
    names = foundation_names(told, true)

    def same(a: Line, b: Line) -> bool:
        return same_play(a, b, names)

    pairs = _held_against(told, true, "play", same)
    plays, draws = _asked(pairs, since), _asked(_held_against(told, true, "draw", _same_draw), since)
    figures = ReplayFigures(_tally(plays, same), _tally(draws, _same_draw))
    figures.faults = [(b, a) for a, b in plays if a is None or b is None or not same(a, b)]
    _compare_illegal(figures, told, true, pairs)
    _compare_scores(figures, told, true)
    return figures


def adjudicated(lines: Sequence[Line]) -> list[Line]:
    """The record as it stands when every correction is applied, with fresh rulings and score."""
    bare = all(line.get("event") != "score" for line in lines)
    corrected = any(line.get("event") == "correct" for line in lines)
    if not lines or "record" not in lines[0] or not (bare or corrected):
        return list(lines)
    result = _checked(lines)
    assert result.record is not None
    standing = [result.record.header.to_json(), *(one.event.to_json() for one in result.record.events)]
    return [json.loads(line) for line in _checked(standing).output]


def _checked(lines: Sequence[Line]) -> CheckResult:
    return check_lines([json.dumps(line, ensure_ascii=False) + "\n" for line in lines])


def _of_kind(lines: Sequence[Line], kind: str) -> list[Line]:
    return sorted((line for line in lines if line.get("event") == kind), key=lambda line: float(line["at"]))


def _plays(lines: Sequence[Line]) -> list[Line]:
    return _of_kind(lines, "play")


def foundation_names(told: Sequence[Line], true: Sequence[Line]) -> dict[str, str]:
    """Told foundation to true foundation, by the number of equal plays to both, each used once."""
    common: Counter[tuple[str, str]] = Counter()
    for a in _plays(told):
        for b in _plays(true):
            both = str(a["to"]).startswith("foundation") and str(b["to"]).startswith("foundation")
            if both and a["seat"] == b["seat"] and list(a["cards"]) == list(b["cards"]):
                common[str(a["to"]), str(b["to"])] += 1
    names: dict[str, str] = {}
    for (ours, theirs), _ in common.most_common():
        if ours not in names and theirs not in names.values():
            names[ours] = theirs
    return names


def same_play(a: Line, b: Line, names: Mapping[str, str]) -> bool:
    """Whether a told play is the true one; `names`: of told foundations to true ones."""
    return (
        a["seat"] == b["seat"]
        and list(a["cards"]) == list(b["cards"])
        and names.get(str(a["from"]), a["from"]) == b["from"]
        and names.get(str(a["to"]), a["to"]) == b["to"]
    )


def _held_against(told: Sequence[Line], true: Sequence[Line], kind: str, same: Same) -> list[Pair]:
    """The events of a kind, aligned in the order of their true moments: what is told within `WITHIN_S` of its moment is
    right, whatever else is told between the two."""
    ours, theirs = _of_kind(told, kind), _of_kind(true, kind)
    return _align(_snapped(ours, theirs, same), theirs, same)


def _asked(pairs: Sequence[Pair], since: float) -> list[Pair]:
    return [(a, b) for a, b in pairs if b is None or float(b["at"]) >= since]


def _tally(pairs: Sequence[Pair], same: Same) -> Tally:
    tally = Tally(true=sum(b is not None for _, b in pairs))
    for a, b in pairs:
        tally.invented += int(b is None)
        tally.missed += int(a is None)
        if a is not None and b is not None:
            tally.right += int(same(a, b))
            tally.wrong += int(not same(a, b))
    return tally


def _snapped(told: list[Line], true: list[Line], same: Same) -> list[Line]:
    """The told events in order, those that are right and on time at the place of their true moment."""
    spots = {id(line): (float(line["at"]), -1) for line in told}
    free = list(told)
    for number, line in enumerate(true):
        near = (a for a in free if _on_time(a, line) and same(a, line))
        found = min(near, key=lambda a: abs(float(a["at"]) - float(line["at"])), default=None)
        if found is not None:
            spots[id(found)] = float(line["at"]), number
            free = [a for a in free if a is not found]
    return sorted(told, key=lambda line: spots[id(line)])


def _on_time(told: Line, true: Line) -> bool:
    return abs(float(told["at"]) - float(true["at"])) <= WITHIN_S


def _same_draw(a: Line, b: Line) -> bool:
    return bool(a["seat"] == b["seat"])


def _align(told: list[Line], true: list[Line], same: Same) -> list[Pair]:
    """The alignment in order with the fewest faults; a pair must lie within `WITHIN_S`."""
    n, m = len(told), len(true)
    cost = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            if i == n or j == m:
                cost[i][j] = float((n - i) + (m - j))
                continue
            cost[i][j] = min(1 + cost[i + 1][j], 1 + cost[i][j + 1])
            if _on_time(told[i], true[j]):
                cost[i][j] = min(cost[i][j], _pair_cost(same(told[i], true[j])) + cost[i + 1][j + 1])
    return _traced(told, true, same, cost)


def _pair_cost(right: bool) -> float:
    """A wrong pair is one fault; of alignments with equally many faults the one with more right pairs is best."""
    return 0.0 if right else 1.0 + 1e-6


def _traced(told: list[Line], true: list[Line], same: Same, cost: list[list[float]]) -> list[Pair]:
    pairs = list[Pair]()
    i = j = 0
    while i < len(told) or j < len(true):
        near = i < len(told) and j < len(true) and _on_time(told[i], true[j])
        if near and cost[i][j] == _pair_cost(same(told[i], true[j])) + cost[i + 1][j + 1]:
            pairs.append((told[i], true[j]))
            i, j = i + 1, j + 1
        elif i < len(told) and cost[i][j] == 1 + cost[i + 1][j]:
            pairs.append((told[i], None))
            i += 1
        else:
            pairs.append((None, true[j]))
            j += 1
    return pairs


def _illegal(lines: Sequence[Line]) -> set[int]:
    """The positions of the events ruled illegal."""
    ruled = (line for line in lines if line.get("event") == "ruling" and line.get("verdict") == "illegal")
    return {max(line["of"]) for line in ruled if line.get("of")}


def _compare_illegal(figures: ReplayFigures, told: list[Line], true: list[Line], pairs: list[Pair]) -> None:
    accused = {id(told[i]) for i in _illegal(told)}
    guilty = {id(true[i]) for i in _illegal(true)}
    partner = {id(a): b for a, b in pairs if a is not None}
    figures.illegal_true = len(guilty)
    for line in told:
        if id(line) in accused:
            match = partner.get(id(line)) if line["event"] == "play" else _its_guilt(line, true, guilty)
            figures.illegal_found += int(match is not None and id(match) in guilty)
            figures.false_illegal += int(match is None or id(match) not in guilty)


def _its_guilt(line: Line, true: Sequence[Line], guilty: set[int]) -> Line | None:
    """What breaks a rule and is no play: the true event of the same kind and seat at about that moment that does."""
    alike = (
        one
        for one in true
        if id(one) in guilty and one["event"] == line["event"] and one.get("seat") == line.get("seat")
    )
    return next((one for one in alike if _on_time(line, one)), None)


def _compare_scores(figures: ReplayFigures, told: list[Line], true: list[Line]) -> None:
    ours = [line for line in told if line.get("event") == "score"]
    theirs = [line for line in true if line.get("event") == "score"]
    if ours and theirs:
        points = [{s: v["points"] for s, v in lines[-1]["hand"].items()} for lines in (ours, theirs)]
        figures.score_equal = points[0] == points[1]
