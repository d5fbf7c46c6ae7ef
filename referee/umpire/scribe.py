"""From the umpire's story to the lines of a record, with rulings and score."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from referee.check import check_lines
from referee.header import Header
from referee.umpire.deal import DECK_CARDS, NERTS_CARDS, Deal
from referee.umpire.dealt_row import WORK_PILES
from referee.umpire.moves import INFERRED
from referee.umpire.sights import UNKNOWN, Place
from referee.umpire.story import NERTS, STOCK, Event
from referee.umpire.umpire import dealt_piles
from referee.umpire.unseen import landed
from vision.capture.gaps import Gap, Why

Line = dict[str, Any]

#: A play is seen to rest only when the hand has left: one this soon after the call was in the air (s).
LATE_SIGHT_S = 0.7
#: Marks an event, until it is ruled on, that may be held against a player; one that a gap in the picture hides.
WITNESSED, HIDDEN = "witnessed", "hidden by"
_OUR_MARKS = (WITNESSED, HIDDEN)
_GAP_WORDS: dict[Why, str] = {
    "frozen": "The picture was frozen",
    "unreadable": "The recording cannot be read",
    "few-frames": "There are too few frames",
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
        line[HIDDEN] = hidden_by
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


def with_gaps(lines: Sequence[Line], gaps: Sequence[Gap]) -> list[Line]:
    """The lines with the gaps where they belong in time."""
    told = list(lines)
    for gap in gaps:
        spot = next((i for i, line in enumerate(told) if line["at"] > gap.since_s), len(told))
        told.insert(spot, gap_line(gap))
    return told


def _named(place: Place, seat: str) -> str:
    return place.name if place.seat in ("", seat) else f"{place.seat} {place.name}"


def with_call(lines: Sequence[Line], seat: str, at: float, confidence: float, *, right: bool) -> list[Line]:
    """The lines with the call of Nerts where it belongs in time. A right call ends the hand, a false one does not."""
    before = [line for line in lines if line["at"] <= at + (LATE_SIGHT_S if right else 0.0)]
    after = lines[len(before) :]
    moment = max([at, *(line["at"] for line in before if line["event"] != "gap")])
    call: Line = {"event": "call", "at": round(moment, 3), "seat": seat, "word": "Nerts"}
    if confidence < CERTAIN:
        call["confidence"] = round(confidence, 3)
    if not right:
        call[WITNESSED] = True
    later = [{**line, "at": max(line["at"], round(moment, 3))} for line in after]
    end: list[Line] = [{"event": "end", "at": call["at"], "why": "called"}] if right else []
    return [*before, call, *later, *end]


def ruled(lines: Sequence[Line]) -> list[Line]:
    """The same lines, what is to be asked about them, then the rulings and the score of the rules.

    An accusation stands only on a misfit that was seen well, of a card that was not seen elsewhere. Any other one
    says that the umpire has missed something: the event's confidence is lowered, so that the rules leave it
    undecided. An event that cannot be is left out.
    """
    plain = [dict(line) for line in lines]
    while True:
        asked = [*plain, *_doubts(plain)]
        checked, fault = _checked([{k: v for k, v in line.items() if k not in _OUR_MARKS} for line in asked])
        if fault is not None:
            del plain[fault]
            continue
        accused = {max(line["of"]) for line in checked if _accuses(line)}
        twice = [i for line in checked if _contradicts(line) for i in line["of"]]
        elsewhere = {card for i in twice for card in _shown(plain[i])}
        doubtful = {
            i
            for i in accused
            if plain[i].get("confidence", 1) > INFERRED
            and (not plain[i].get(WITNESSED) or elsewhere & _shown(plain[i]))
        }
        if not doubtful:
            return checked
        for i in doubtful:
            plain[i]["confidence"] = INFERRED


def _doubts(lines: Sequence[Line]) -> list[Line]:
    """One question for each gap that hides events, at the first of them."""
    asked: dict[Gap, Line] = {}
    for index, line in enumerate(lines):
        gap = line.get(HIDDEN)
        if gap is not None and gap not in asked:
            what = f"{_GAP_WORDS[gap.why]} from {gap.since_s:.1f} to {gap.until_s:.1f} s: what was played meanwhile?"
            asked[gap] = {"event": "doubt", "at": line["at"], "of": index, "candidates": [], "asks": what}
    return list(asked.values())


def _accuses(line: Line) -> bool:
    return line.get("event") == "ruling" and line["verdict"] == "illegal"


def _contradicts(line: Line) -> bool:
    return line.get("event") == "ruling" and line["ruling"] == "contradiction"


def _shown(line: Line) -> set[tuple[str, str]]:
    """The cards that a play, a draw or a turn shows, with the seat that they come from."""
    cards = [*line.get("cards", ()), *([line["card"]] if "card" in line else [])]
    return {(str(line.get("seat")), card) for card in cards if card != UNKNOWN}


def _checked(lines: Sequence[Line]) -> tuple[list[Line], int | None]:
    """The adjudicated lines, and the index of the event that cannot be, if there is one."""
    result = check_lines([json.dumps(line, ensure_ascii=False) + "\n" for line in lines])
    if not result.status:
        return [json.loads(line) for line in result.output], None
    fault = re.match(r"line (\d+)", result.errors[0])
    if fault is None or int(fault[1]) <= 1:
        raise ValueError(f"the recording makes no record: {result.errors[0]}")
    return [], int(fault[1]) - 1
