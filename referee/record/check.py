"""Adjudication of a record: lines in, the same lines with rulings and the score out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from referee.games import game_for
from referee.record.corrections import LineError, Replay, apply_corrections
from referee.record.lines import check_references, dump, read_lines
from referee.rules.events import BadEventError
from referee.rules.hand import Hand
from referee.rules.rulings import Ruling
from referee.rules.score import Score


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What `check` prints, says and returns."""

    #: The lines read, unchanged, then rulings, then the score: bytes without line ends.
    output: list[bytes]
    #: One line each, for standard error.
    errors: list[str]
    #: 0, or 2 for bad input.
    status: int
    rulings: list[Ruling] = field(default_factory=list)
    #: None for bad input.
    score: Score | None = None
    #: The hand at the end of what could be read, and the record as it stands corrected; None without a header.
    hand: Hand | None = None
    record: Replay | None = None


def check_lines(lines: Iterable[bytes | str]) -> CheckResult:
    """Adjudicate a record given line by line, each with its line end.

    Bad input ends with status 2 and an error that names the line; what comes before it is ruled on. A last
    line that was cut off is left out.
    """
    read = read_lines(lines)
    error, cut_off = read.error, read.cut_off
    hand: Hand | None = None
    record: Replay | None = None
    while read.raw and hand is None:
        try:
            record = apply_corrections(read.objects, read.events)
            hand = replay(record).closed()
        except LineError as bad:
            error, cut_off = bad, None
            read = check_references(read.cut(bad.number - 1))
    rulings = sort_rulings(hand.rulings) if hand else []
    output = [*read.raw, *(dump(ruling.to_json()) for ruling in rulings)]
    if error is not None:
        return CheckResult(output, [str(error)], 2, rulings, None, hand, record if hand else None)
    assert hand is not None
    score = hand.game.score(hand)
    output.append(dump(score.to_json()))
    errors = [] if cut_off is None else [f"line {cut_off}: cut off in the middle; left out"]
    return CheckResult(output, errors, 0, rulings, score, hand, record)


def replay(record: Replay, *, history: bool = False) -> Hand:
    """The hand that a record's events lead to; LineError names the line of an event that cannot be."""
    hand = Hand(game_for(record.header), history=history)
    for standing in record.events:
        take_doubts(hand, record, standing.index)
        try:
            hand.push(standing.event, standing.index)
        except BadEventError as error:
            raise LineError(standing.blamed + 1, str(error)) from None
    return hand


def take_doubts(hand: Hand, record: Replay, index: int) -> None:
    """Tell the hand what else the event at an index may have been; LineError for what it cannot."""
    for other, line in record.doubts.get(index, ()):
        try:
            hand.check(other)
        except BadEventError as error:
            raise LineError(line + 1, f"doubt: {error}") from None
    if index in record.doubts:
        hand.doubts[index] = [other for other, _ in record.doubts[index]]


def sort_rulings(rulings: Iterable[Ruling]) -> list[Ruling]:
    """Rulings in the order in which they are printed: by the greatest index of `of`."""
    return sorted(rulings, key=lambda ruling: max(ruling.of, default=0))
