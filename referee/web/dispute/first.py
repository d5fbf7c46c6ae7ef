"""Who was first: when the cards of two plays came to rest, as far as is known, and what the rule says to it. Pure.

A play says when its card landed where that was seen to the frame (`landed`). Of any other is known when the place began
to look as it does now, to a tenth of a second, and the frame in which the card was seen lying there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.record.account import Account, Entry, account_of
from referee.record.check import check_lines
from referee.record.corrections import Standing
from referee.record.lines import dump
from referee.rules.events import Play
from referee.rules.settings import Settings
from referee.rules.ties import Interval, Landing, TieVerdict, settle
from referee.rules_text import Rule, rules_in_force
from referee.web.errors import NotHereError

Json = dict[str, Any]
#: Movement is noted so often, s: a moment that rests on it may be off by that.
NOTED_S = 0.1
#: Plays so near (s) are offered as rivals, and so many of them.
_NEAR_S, _MOST = 10.0, 12
#: The rules about ties: whichever is in force.
_TIES = ("N13", "T3")
#: The moment (s) at which a frame of this number was taken; None where it is not recorded.
TakenAt = Callable[[int], float | None]
#: A play by index and part.
Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Landed:
    """A play, and between which moments (s) its card came to rest; `seen`: that was seen to the frame."""

    key: Key
    entry: Entry
    play: Play
    landed: Interval
    seen: bool

    def to_json(self) -> Json:
        """For the page."""
        entry = self.entry
        told = {"index": entry.index, "part": entry.part, "at": entry.at, "seat": entry.seat}
        landed = [round(moment, 3) for moment in self.landed]
        return {**told, "text": entry.text, "landed": landed, "seen": self.seen}


@dataclass(frozen=True, slots=True)
class First:
    """What is said about two plays: `tie` where they are of one card to one foundation."""

    plays: tuple[Landed, ...]
    rivals: tuple[Entry, ...]
    rule: Rule | None
    verdict: str = ""
    winner: str = ""
    say: str = ""
    tie: bool = False

    def to_json(self) -> Json:
        """For the page."""
        rule = self.rule
        return {
            "plays": [each.to_json() for each in self.plays],
            "rivals": [
                {"index": one.index, "part": one.part, "at": one.at, "seat": one.seat, "text": one.text}
                for one in self.rivals
            ],
            "rule": None if rule is None else {"id": rule.id, "title": rule.title, "text": rule.text},
            "verdict": self.verdict,
            "winner": self.winner,
            "say": self.say,
            "tie": self.tie,
        }


def who_was_first(lines: Sequence[Json], of: Key, rival: Key | None, taken_at: TakenAt) -> First:
    """Of a play and its rival, else of the likeliest one; without a rival where none is near. Raises NotHereError."""
    result = check_lines(dump(line) + b"\n" for line in lines)
    if result.record is None:
        raise NotHereError("There is no record of this hand yet: wait until it is refereed.")
    plays = _plays(result.record.lines, account_of(result))
    about = _chosen(plays, of)
    rivals = _rivals(plays, about)
    other = _chosen(plays, rival) if rival is not None else (rivals[0] if rivals else None)
    header, settings = result.record.header, result.record.header.settings
    gaps = [(line["from"], line["to"]) for line in lines if line.get("event") == "gap"]
    step = NOTED_S if header.fps is None else max(NOTED_S, 2 / header.fps)
    offered = tuple(each.entry for each in rivals)
    if other is None:
        return First((_estimated(about, step, gaps, taken_at),), offered, _rule(settings))
    both = [_estimated(each, step, gaps, taken_at) for each in (about, other)]
    both = _first_seen_together(both)
    gap_s = None if header.fps is None else settings.number("tie_gap_frames") / header.fps
    tied = _is_tie(*both)
    verdict = settle([_landing(each) for each in both], gap_s, str(settings["tie"]))
    winner = "" if verdict.winner is None else both[verdict.winner].entry.seat
    say = _say(verdict, both, settings, tied=tied)
    return First(tuple(both), offered, _rule(settings), verdict.verdict, winner, say, tied)


def _plays(standing: Sequence[Standing], account: Account) -> list[Landed]:
    """The plays that hold, with their own words; when they landed is not known yet."""
    entries = {(entry.index, entry.part): entry for entry in account.entries}
    found = []
    for one in standing:
        key = one.index, one.part
        if isinstance(one.event, Play) and one.is_replayed and key in entries:
            found.append(Landed(key, entries[key], one.event, (one.event.at, one.event.at), seen=False))
    return found


def _chosen(plays: Sequence[Landed], key: Key) -> Landed:
    for each in plays:
        if each.key == key:
            return each
    raise NotHereError(f"The record tells of no play {key[0]}: choose a play from the list.")


def _rivals(plays: Sequence[Landed], about: Landed) -> list[Landed]:
    """Plays that may have been at once with this one, the likeliest first."""
    near = [each for each in plays if each is not about and abs(each.play.at - about.play.at) <= _NEAR_S]

    def unlikely(each: Landed) -> tuple[bool, bool, bool, float]:
        there = each.play.target == about.play.target
        away = abs(each.play.at - about.play.at)
        return not there, each.play.seat == about.play.seat, not _is_tie(each, about), away

    return sorted(near, key=unlikely)[:_MOST]


def _is_tie(one: Landed, other: Landed) -> bool:
    a, b = one.play, other.play
    centre = a.target.startswith("foundation")
    return centre and a.target == b.target and a.cards == b.cards and a.seat != b.seat


def _estimated(each: Landed, step: float, gaps: Sequence[Interval], taken_at: TakenAt) -> Landed:
    """When its card came to rest: as the record says, else as near as the moment it gives may be trusted."""
    play = each.play
    if play.landed is not None:
        return replace(each, landed=play.landed, seen=True)
    first, last = play.at - step, play.at + step
    lying = taken_at(int(play.frames[0])) if play.frames else None
    if lying is not None and lying >= play.at:
        last = min(last, lying)
    for since, until in gaps:  # nothing was seen meanwhile
        if since <= play.at <= until:
            first, last = min(first, since), max(last, until)
    return replace(each, landed=(max(0.0, first), last))


def _first_seen_together(both: list[Landed]) -> list[Landed]:
    """Two cards that were seen for the first time in one look came in whichever order."""
    one, other = both
    together = one.play.frames is not None and one.play.frames == other.play.frames
    if one.seen or other.seen or not together or one.play.target != other.play.target:
        return both
    span = min(one.landed[0], other.landed[0]), max(one.landed[1], other.landed[1])
    return [replace(each, landed=span) for each in both]


def _landing(each: Landed) -> Landing:
    over = frozenset() if each.play.over is None else frozenset({each.play.over})
    return Landing(each.entry.seat, each.key[0], each.landed, over)


def _rule(settings: Settings) -> Rule | None:
    return next((rule for rule in rules_in_force(settings) if rule.id in _TIES), None)


def _say(verdict: TieVerdict, both: Sequence[Landed], settings: Settings, *, tied: bool) -> str:
    """The verdict in a sentence or two."""
    if verdict.verdict == "first":
        said = verdict.why
        if verdict.interval is not None and "landed first" in said:
            least, most = verdict.interval
            said = said.removesuffix(".") + f", {least:.2f} to {most:.2f} s before the other."
    elif verdict.verdict == "undecided":
        said = verdict.why
    else:
        said = _too_close(both, settings) + (f" {verdict.why}" if tied else "")
    if not all(each.seen for each in both):
        said += " The landings were not seen to the frame: look at them."
    if not tied:
        said += " This is no tie, which is one card played twice: the later play is judged by what lay there then."
    return said


def _too_close(both: Sequence[Landed], settings: Settings) -> str:
    one, other = both
    if one.landed[0] <= other.landed[1] and other.landed[0] <= one.landed[1]:
        return "Too close to tell: both may have come to rest at the same moment."
    return f"Too close to tell: less than {settings['tie_gap_frames']} frames lie between them."
