"""From the umpire's story to the lines of a record, with rulings and score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from referee.live.unseen import landed
from referee.record.book import HIDDEN, WITNESSED
from referee.record.check import check_lines
from referee.rules.cards import UNKNOWN
from referee.rules.events import INFERRED
from referee.rules.header import Header
from referee.umpire.deal import DECK_CARDS, NERTS_CARDS, Deal
from referee.umpire.dealt_row import WORK_PILES
from referee.umpire.sights import Place
from referee.umpire.story import NERTS, STOCK, Event
from referee.umpire.umpire import dealt_piles
from vision.capture.gaps import Gap, Why

Line = dict[str, Any]

#: A play is seen to rest only when the hand has left: one this soon after the call was in the air (s).
LATE_SIGHT_S = 0.7
_GAP_WORDS: dict[Why, str] = {
    "frozen": "The picture was frozen",
    "unreadable": "The recording cannot be read",
    "few-frames": "There are too few frames to see every play",
}
#: Confidence from which a fact is written without one.
CERTAIN = 0.9995


def header_line(
    deal: Deal, game: str, settings: Mapping[str, Any] | None, decks: Mapping[str, str] | None, fps: float
) -> Line:
    """The header of a hand seen on video."""
    names = dict(decks or {})
    for area in deal.area.seats:
        names.setdefault(area.seat, deal.backs.get(area.seat, f"{area.seat}'s deck"))
    if len(set(names.values())) < len(names):
        names = {seat: f"{name} ({seat})" for seat, name in names.items()}
    seats = {area.seat: names[area.seat] for area in deal.area.seats}
    header = Header.of(game, seats, dict(settings or {}), kind="video", fps=round(fps, 3))
    return dict(header.to_json())


def deal_lines(deal: Deal) -> list[Line]:
    """One `deal` a seat; what lies face down is unknown."""
    lines = []
    for seat, tops in deal.tops.items():
        piles: dict[str, Any] = {
            place.name: [card.face for card in pile]
            for place, pile in dealt_piles(deal).items()
            if place.seat == seat
        }
        piles[STOCK] = DECK_CARDS - NERTS_CARDS - WORK_PILES
        assert NERTS in tops
        lines.append({"event": "deal", "at": 0.0, "seat": seat, "piles": piles})
    return lines


def event_line(event: Event, confidence: float, hidden_by: Gap | None = None) -> Line:
    """One event as the record tells it; `hidden_by`: the gap in which it may have happened."""
    line: Line = {"event": event.kind, "at": round(event.at, 3), "seat": event.seat}
    if event.kind in ("play", "take-back"):
        assert event.source is not None and event.target is not None
        line |= {
            "cards": list(event.cards),
            "from": _named(event.source, event.seat),
            "to": _named(event.target, event.seat),
        }
    elif event.kind == "draw":
        line["cards"] = list(event.cards)
    elif event.kind == "turn":
        line |= {"place": NERTS, "card": event.cards[0] if event.cards else UNKNOWN}
    elif event.kind == "set-aside":
        assert event.target is not None
        line["place"] = event.target.name
    if hidden_by is not None:
        confidence = min(confidence, INFERRED)
        if event.kind in ("play", "take-back", "draw"):
            line["landed"] = [round(moment, 3) for moment in landed(event, hidden_by)]
        until = "" if hidden_by.why == "few-frames" else f" to {hidden_by.until_s:.1f}"
        line[HIDDEN] = f"{_GAP_WORDS[hidden_by.why]} from {hidden_by.since_s:.1f}{until} s"
    if confidence < CERTAIN:
        line["confidence"] = round(confidence, 3)
    line["frames"] = [event.frame, event.frame]
    if event.misfit and hidden_by is None:
        line[WITNESSED] = True
    return line


def gap_line(gap: Gap) -> Line:
    """A stretch in which the picture told nothing."""
    return {
        "event": "gap",
        "at": round(gap.since_s, 3),
        "from": round(gap.since_s, 3),
        "to": round(gap.until_s, 3),
        "why": gap.why,
    }


def _named(place: Place, seat: str) -> str:
    return place.name if place.seat in ("", seat) else f"{place.seat} {place.name}"


def with_call(lines: Sequence[Line], seat: str, at: float, confidence: float, *, right: bool) -> list[Line]:
    """The lines with the call of Nerts where it belongs in time. A right call ends the hand, a false one does not."""
    before = [line for line in lines if line["at"] <= at + (LATE_SIGHT_S if right else 0.0)]
    after = lines[len(before) :]
    moment = max([at, *(line["at"] for line in before)])
    call: Line = {"event": "call", "at": round(moment, 3), "seat": seat, "word": "Nerts"}
    if confidence < CERTAIN:
        call["confidence"] = round(confidence, 3)
    if not right:
        call[WITNESSED] = True
    later = [{**line, "at": max(line["at"], round(moment, 3))} for line in after]
    end: list[Line] = [{"event": "end", "at": call["at"], "why": "called"}] if right else []
    return [*before, call, *later, *end]


def ruled(lines: Sequence[Line]) -> list[Line]:
    """The fresh rulings on a record, and its score."""
    checked = check_lines([json.dumps(line, ensure_ascii=False) + "\n" for line in lines])
    if checked.status:
        raise ValueError(f"the recording makes no record: {checked.errors[0]}")
    return [json.loads(line) for line in checked.output[len(lines) :]]
