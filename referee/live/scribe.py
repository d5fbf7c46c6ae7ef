"""From the umpire's story to the lines of a record, with rulings and score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.live.terms import Terms
from referee.live.unseen import landed
from referee.record.account import GAP_WORDS
from referee.record.book import HIDDEN, LIES_ON, TIMED, WITNESSED
from referee.record.check import check_lines
from referee.rules import events
from referee.rules.events import INFERRED, Begun, Call, End, Event, Motion
from referee.rules.header import parse_header
from referee.rules.places import STOCK, Place
from referee.umpire.seats.deal import Deal
from referee.umpire.seats.dealt_piles import dealt_piles
from referee.umpire.sights import Interval
from referee.umpire.story import Believed, Pile
from vision.capture.gaps import Gap

Line = dict[str, Any]

#: A play is seen to rest only when the hand has left: one this soon after the call was in the air (s).
LATE_SIGHT_S = 0.7
#: A landing that is told no more widely than this (s) was seen.
TIMED_S = 0.2
#: Confidence from which a fact is written without one.
CERTAIN = 0.9995


def header_line(deal: Deal, terms: Terms, fps: float) -> Line:
    """The header of a hand that was seen; two partners are listed with what each plays."""
    names = dict(terms.decks)
    for area in deal.area.seats:
        names.setdefault(area.seat, deal.backs.get(area.seat, f"{area.seat}'s deck"))
    names = {area.seat: names[area.seat] for area in deal.area.seats}
    if len(set(names.values())) < len(names):
        names = {seat: f"{name} ({seat})" for seat, name in names.items()}
    seats = [
        seat
        for area in deal.area.seats
        for seat in (
            [
                {"seat": area.seat, "deck": names[area.seat], "role": "nuts"},
                {"seat": area.partner, "deck": names[area.seat], "role": "cards"},
            ]
            if area.partner
            else [{"seat": area.seat, "deck": names[area.seat]}]
        )
    ]
    told: Line = {
        "record": 1,
        "game": terms.game,
        "settings": dict(terms.settings),
        "seats": seats,
        "source": {"kind": terms.kind, "fps": round(fps, 3)},
    }
    playing = [str(seat["seat"]) for seat in seats]
    totals = {} if terms.totals is None else terms.totals(playing)
    if totals and set(totals) >= set(playing):
        told["match"] = {seat: totals[seat] for seat in playing}
    return {**parse_header(told).to_json(), **terms.header}


def deal_lines(deal: Deal, at: float = 0.0) -> list[Line]:
    """One `deal` a seat, seen at `at` (s); what lies face down is unknown. For a hand that had begun, how it lay."""
    if deal.begun is not None:
        return [_begun_line(seat, deal.begun, at) for seat in ("", *(area.seat for area in deal.area.seats))]
    lines = []
    for seat in deal.tops:
        piles: dict[str, Any] = {
            place.own_name: [card.face for card in pile]
            for place, pile in dealt_piles(deal).items()
            if place.seat == seat
        }
        piles[STOCK] = deal.dealing.stock - sum(place.seat == seat for place in deal.extra)
        line = {"event": "deal", "at": round(at, 3), "seat": seat, "piles": piles}
        seen = any(place.seat == seat for place in deal.extra)
        lines.append({**line, WITNESSED: True} if seen else line)
    return lines


def _begun_line(seat: str, piles: Mapping[Place, Pile], at: float) -> Line:
    """How a seat's cards lay, or those of the centre, when they were seen first: cards that are there."""
    own = {place: pile for place, pile in piles.items() if place.seat == seat}
    shown = {place.own_name: tuple(card.face for card in pile if card.there) for place, pile in own.items()}
    more = tuple(place.own_name for place, pile in own.items() if not all(card.there for card in pile))
    # a stock or a waste of which nothing is seen is said by what may lie there
    shown = {name: cards for name, cards in shown.items() if cards or name not in more}
    return Begun(at=round(at, 3), seat=seat or None, piles=shown, more=more).to_json()


def event_line(believed: Believed, confidence: float, hidden_by: Gap | None = None) -> Line:
    """One event as the record tells it; `hidden_by`: the gap in which it may have happened."""
    event = replace(believed.event, at=round(believed.at, 3))
    if isinstance(event, Motion):
        event = replace(event, lifted=_rounded(event.lifted), landed=_rounded(event.landed))
    marks: Line = {}
    if hidden_by is not None:
        confidence = min(confidence, INFERRED)
        marks[HIDDEN] = _asked(hidden_by)
        if isinstance(event, Motion):
            first, last = landed(believed, hidden_by)
            event = replace(event, lifted=None, landed=_rounded((first, last)))
    elif believed.misfit:
        marks[WITNESSED] = True
    if hidden_by is None and _is_timed(event):
        marks[TIMED] = True
    if believed.over:
        marks[LIES_ON] = believed.over
    return _sure(event, confidence).to_json() | marks


def _is_timed(event: Event) -> bool:
    """Whether frames showed when its cards were lifted, and when they landed."""
    if not isinstance(event, Motion) or event.lifted is None or event.landed is None:
        return False
    return event.landed[1] - event.landed[0] <= TIMED_S


def _rounded(moments: Interval | None) -> Interval | None:
    return None if moments is None else (round(moments[0], 3), round(moments[1], 3))


def _sure(event: Event, confidence: float) -> Event:
    return replace(event, confidence=round(confidence, 3)) if confidence < CERTAIN else event


def _asked(gap: Gap) -> str:
    """The beginning of the question about what a gap hides."""
    until = "" if gap.why == "few-frames" else f" to {gap.until_s:.1f}"
    sentence = f"{GAP_WORDS[gap.why]} from {gap.since_s:.1f}{until} s"
    return sentence[0].upper() + sentence[1:]


def gap_line(gap: Gap) -> Line:
    """A stretch in which the picture told nothing."""
    since, until = round(gap.since_s, 3), round(gap.until_s, 3)
    return events.Gap(at=since, since=since, until=until, why=gap.why).to_json()


def with_call(lines: Sequence[Line], seat: str, at: float, confidence: float, *, right: bool) -> list[Line]:
    """The lines with the call of Nerts where it belongs in time. A right call ends the hand, a false one does not."""
    before = [line for line in lines if line["at"] <= at + (LATE_SIGHT_S if right else 0.0)]
    after = lines[len(before) :]
    moment = round(max([at, *(line["at"] for line in before)]), 3)
    call = _sure(Call(at=moment, seat=seat, word="Nerts"), confidence).to_json()
    later = [{**line, "at": max(line["at"], moment)} for line in after]
    if right:
        return [*before, call, *later, End(at=moment, why="called").to_json()]
    return [*before, call | {WITNESSED: True}, *later]


def with_end(lines: Sequence[Line], at: float, why: str) -> list[Line]:
    """The lines of a hand that ended at `at` (s) though nobody called."""
    moment = max([at, *(line["at"] for line in lines)])
    return [*lines, End(at=round(moment, 3), why=why).to_json()]


def ruled(lines: Sequence[Line]) -> list[Line]:
    """The fresh rulings on a record, and its score."""
    checked = check_lines([json.dumps(line, ensure_ascii=False) + "\n" for line in lines])
    if checked.status:
        raise ValueError(f"the recording makes no record: {checked.errors[0]}")
    return [json.loads(line) for line in checked.output[len(lines) :]]
