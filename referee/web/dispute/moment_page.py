"""A moment as one HTML file that stands alone: stills, the rule's words, the lines of the record, challenges."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from referee.record.account import Account, Entry, clock
from referee.record.lines import dump
from referee.report import strip_of
from referee.rules.settings import Settings, SettingsError
from referee.rules_text import Rule, rules_in_force
from referee.web.dispute.challenges import Challenge
from referee.web.dispute.first import First
from referee.web.dispute.frames import Frames
from referee.web.errors import NotHereError
from referee.web.shelf import Film, KeptHand
from vision.capture.frames import VideoError

Json = dict[str, Any]
#: The longer side of a still, px.
_STILL_PX = 960
_MOMENTS = ("before", "on its way", "come to rest", "after")
#: What the ends of a landing's interval show; so long (s) after the later one the hands have left.
_LANDING = ("still moving or hidden", "come to rest")
_LEFT_S = 0.8


@dataclass(frozen=True, slots=True)
class Still:
    """A picture of a moment as a data URL; what it shows, and the number of its frame."""

    picture: str
    words: str
    number: int
    at: float


@dataclass(frozen=True, slots=True)
class Moment:
    """All that is told of one play."""

    title: str
    account: Account
    entry: Entry
    stills: Sequence[Still]
    #: Both landings, where a rival is told of.
    landings: Sequence[Still]
    first: First | None
    #: [(index, line)]: its own, and those that are about it.
    lines: Sequence[tuple[int, Json]]
    challenges: Sequence[Challenge]


def stills(frames: Frames, hand: KeptHand, entry: Entry) -> list[Still]:
    """Before, on the way, come to rest, and the hand gone; none where no picture of it is kept."""
    return _stills(frames, hand, list(zip(strip_of(entry).moments, _MOMENTS, strict=True)))


def landings(frames: Frames, hand: KeptHand, first: First) -> list[Still]:
    """The frames before and after each landing, in order, and how the cards lie when the hands have left."""
    moments = [
        (moment, f"{each.entry.seat} {each.entry.text}, {word}")
        for each in first.plays
        for moment, word in zip(each.landed, _LANDING, strict=True)
    ]
    left = max(each.landed[1] for each in first.plays) + _LEFT_S
    return _stills(frames, hand, [*sorted(moments), (left, "as they lie then")])


def _stills(frames: Frames, hand: KeptHand, moments: Sequence[tuple[float, str]]) -> list[Still]:
    try:
        film = hand.film
        numbered = frames.numbered(film)
        if not len(numbered.times):
            return []
        return [_still(frames, film, numbered.at(at), at, words) for at, words in moments]
    except (NotHereError, VideoError):
        return []


def _still(frames: Frames, film: Film, number: int, at: float, words: str) -> Still:
    data = b64encode(frames.jpeg(film, number, _STILL_PX)).decode()
    return Still(f"data:image/jpeg;base64,{data}", words, number, at)


def moment_page(moment: Moment) -> bytes:
    """The page, without any reference to the outside."""
    html = _template().render(
        moment=moment,
        rules=_rules(moment.account, moment.entry),
        lines=[(index, dump(line).decode(errors="replace")) for index, line in moment.lines],
        span=_span(moment.first),
        clock=clock,
    )
    return html.encode(errors="xmlcharrefreplace")


def _rules(account: Account, entry: Entry) -> list[Rule]:
    """The rules that were ruled by, in words."""
    named = {remark.rule for remark in entry.remarks}
    try:
        settings = Settings.of(account.header.get("game", ""), account.header.get("settings"))
    except SettingsError:
        return []
    return [rule for rule in rules_in_force(settings) if rule.id in named]


def _span(first: First | None) -> tuple[float, float]:
    """From when to when the line of the landings goes, s: a little beyond them."""
    if first is None:
        return 0.0, 1.0
    since = min(each.landed[0] for each in first.plays)
    until = max(each.landed[1] for each in first.plays)
    beyond = max(0.05, (until - since) / 10)
    return since - beyond, until + beyond


@cache
def _template() -> Template:
    web = Path(__file__).resolve().parents[1]
    rooms = Environment(loader=FileSystemLoader(web), autoescape=True, undefined=StrictUndefined)
    return rooms.get_template("templates/kept_moment.html")
