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

Line = dict[str, Any]

#: A play is seen to rest only when the hand has left: one this soon after the call was in the air (s).
LATE_SIGHT_S = 0.7
#: Marks an event, until it is ruled on, that may be held against a player.
WITNESSED = "witnessed"
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


def event_line(event: Event, confidence: float) -> Line:
    """One event as the record tells it."""
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
    if confidence < CERTAIN:
        line["confidence"] = round(confidence, 3)
    line["frames"] = [event.frame, event.frame]
    if event.misfit:
        line[WITNESSED] = True
    return line


def _named(place: Place, seat: str) -> str:
    return place.name if place.seat in ("", seat) else f"{place.seat} {place.name}"


def with_call(lines: list[Line], seat: str, at: float, confidence: float) -> list[Line]:
    """The lines with the call of Nerts where it belongs in time."""
    before = [line for line in lines if line["at"] <= at + LATE_SIGHT_S]
    after = lines[len(before) :]
    moment = max([at, *(line["at"] for line in before)])
    call: Line = {"event": "call", "at": round(moment, 3), "seat": seat, "word": "Nerts"}
    if confidence < CERTAIN:
        call["confidence"] = round(confidence, 3)
    end: Line = {"event": "end", "at": call["at"], "why": "called"}
    return [*before, call, *({**line, "at": max(line["at"], round(moment, 3))} for line in after), end]


def ruled(lines: Sequence[Line]) -> list[Line]:
    """The same lines, then the rulings and the score of the rules.

    An accusation stands only on a misfit that was seen well, of a card that was not seen elsewhere. Any other one
    says that the umpire has missed something: the event's confidence is lowered, so that the rules leave it
    undecided. An event that cannot be is left out.
    """
    plain = [dict(line) for line in lines]
    while True:
        checked, fault = _checked([{k: v for k, v in line.items() if k != WITNESSED} for line in plain])
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


def _accuses(line: Line) -> bool:
    return line.get("event") == "ruling" and line["verdict"] == "illegal"


def _contradicts(line: Line) -> bool:
    return line.get("event") == "ruling" and line["ruling"] == "contradiction"


def _shown(line: Line) -> set[tuple[str, str]]:
    """The cards that a play, a draw or a turn shows, with the seat that they come from."""
    cards = [*line.get("cards", ()), *([line["card"]] if "card" in line else [])]
    return {(line["seat"], card) for card in cards if card != UNKNOWN}


def _checked(lines: Sequence[Line]) -> tuple[list[Line], int | None]:
    """The adjudicated lines, and the index of the event that cannot be, if there is one."""
    result = check_lines([json.dumps(line, ensure_ascii=False) + "\n" for line in lines])
    if not result.status:
        return [json.loads(line) for line in result.output], None
    fault = re.match(r"line (\d+)", result.errors[0])
    if fault is None or int(fault[1]) <= 1:
        raise ValueError(f"the recording makes no record: {result.errors[0]}")
    return [], int(fault[1]) - 1
