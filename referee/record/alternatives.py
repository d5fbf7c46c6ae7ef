"""What an event may have been instead, the likeliest first: what somebody who corrects it is offered.

What a doubt names comes first, then what the rules allow at that moment and what looks alike; what makes trouble with
the events behind is less likely. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.games import game_for
from referee.record.account import event_text
from referee.record.check import take_doubts
from referee.record.corrections import LineError, Standing
from referee.record.edits import Record
from referee.record.said import Answer, Change, RefusedError, Said
from referee.rules.cards import FACES, MASKS, RANKS, is_red, single
from referee.rules.events import BadEventError, Doubt, Draw, Event, Play, TakeBack, Turn, parse_event
from referee.rules.hand import Hand

Json = dict[str, Any]
#: So many are offered; so many are tried on the events behind, and on so many of these.
MOST, _TRIED, _BEHIND = 12, 20, 25
#: How unlike two readings are: by kind, player, place, number of cards, legality; and for each trouble that follows.
_KIND, _SEAT, _PLACE, _COUNT, _ILLEGAL, _TROUBLE = 2.0, 1.5, 1.0, 1.5, 1.0, 0.75
#: Cards are taken for others that are so unlike at most.
_MOST_UNLIKE = 1.0
#: Ranks that are taken for each other when a corner is all that is seen.
_ALIKE = ("6895", "38", "JQK", "A4", "27")


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another reading of an event: what to say to have it, who did what in words, whether the rules allow it."""

    said: Said
    seat: str
    text: str
    legal: bool

    def __str__(self) -> str:
        return f"{self.seat} {self.text}".strip()

    def to_json(self) -> Json:
        """For the page; `say` is what it sends back."""
        return {"say": self.said.to_json(), "seat": self.seat, "text": self.text, "legal": self.legal}


def alternatives(lines: Sequence[Json], index: int, part: int = 0) -> list[Alternative]:
    """The likeliest other readings of an event, at most `MOST`; of a doubt's event for a doubt.

    One that goes against what was seen elsewhere comes late, and is corrected only by who insists.
    RefusedError for an index at which nothing happened.
    """
    record = Record.of(lines)
    asked = record.events[index] if 0 < index < len(record.events) else None
    if isinstance(asked, Doubt):
        index = asked.of
    standing = record.happened(index, part)
    before = _hand_before(record, standing)
    told = standing.event
    named = list(_named(record, standing, before))
    keys = {_key(told), *(key for key, _ in named)}
    others = {_key(event): event for event in _others(before, told)}
    near = sorted((e for k, e in others.items() if k not in keys), key=lambda e: _unlike(before, e, told))
    behind = _behind(record, standing)
    weighed: list[tuple[float, int, Event]] = []
    for event in near[:_TRIED]:
        trouble = _trouble(before, event, standing.index, behind)
        if trouble is not None:
            weighed.append((_unlike(before, event, told) + _TROUBLE * trouble, len(weighed), event))
    offered = [_change(standing, event, before) for _, _, event in sorted(weighed)]
    return [*(alternative for _, alternative in named), *offered][:MOST]


def _hand_before(record: Record, standing: Standing) -> Hand:
    hand = Hand(game_for(record.now.header), history=False)
    try:
        for each in record.now.events:
            if each == standing:
                break
            take_doubts(hand, record.now, each.index)
            hand.push(each.event, each.index)
    except (BadEventError, LineError) as error:
        raise RefusedError(f"the record cannot be read ({error}): mend that first") from None
    return hand


def _behind(record: Record, standing: Standing) -> list[Standing]:
    events = record.now.events
    place = events.index(standing)
    return events[place + 1 : place + 1 + _BEHIND]


def _named(record: Record, standing: Standing, before: Hand) -> Iterator[tuple[object, Alternative]]:
    """What the open doubts about the event name, the surest first."""
    found: list[tuple[float, int, Answer, Event]] = []
    for each in record.now.lines:
        doubt = each.event
        if not isinstance(doubt, Doubt) or doubt.of != standing.index or standing.change == "inserted":
            continue
        for number, candidate in enumerate(doubt.candidates):
            event = parse_event({**record.lines[doubt.of], **candidate})
            if _key(event) != _key(standing.event):
                sure = float(candidate.get("confidence", 0.0))
                found.append((-sure, len(found), Answer(each.index, number), event))
    for _, _, said, event in sorted(found, key=lambda each: each[:2]):
        yield _key(event), Alternative(said, event.seat or "", event_text(event), _is_legal(before, event))


# -- other readings ----------------------------------------------------------------------------------------


def _others(hand: Hand, told: Event) -> Iterator[Event]:
    """What everybody may do at that moment, and what looks like what is told; may hold one twice."""
    for seat in hand.game.seats:
        for event in hand.legal_plays(seat):
            yield _as_told(event, told)
    if isinstance(told, Play | TakeBack):
        yield from _other_moves(hand, told)
    if isinstance(told, Play | TakeBack | Draw):
        for place, seen in enumerate(told.cards):
            for card in _alike(seen):
                yield replace(told, cards=(*told.cards[:place], card, *told.cards[place + 1 :]))
    if isinstance(told, Turn):
        yield from (replace(told, card=card) for card in _alike(told.card))


def _alike(seen: str) -> Iterator[str]:
    """The cards that one may be taken for."""
    return (card for card in FACES if 0 < _unlike_card(card, seen) <= _MOST_UNLIKE)


def _as_told(event: Event, told: Event) -> Event:
    """The event with the card that was seen, where the rules know only that some card lies there."""
    if not isinstance(event, Play) or not isinstance(told, Play) or event.seat != told.seat:
        return event
    if event.source != told.source or len(event.cards) != len(told.cards):
        return event
    if all(MASKS[mine] & MASKS[theirs] for mine, theirs in zip(event.cards, told.cards, strict=True)):
        return replace(event, cards=told.cards)
    return event


def _other_moves(hand: Hand, told: Play | TakeBack) -> Iterator[Event]:
    """The same move with one thing otherwise: who, from where, to where."""
    for seat in hand.game.seats:
        if seat != told.seat:
            yield replace(told, seat=seat)
    own = hand.game.owner[str(told.seat)]
    targets, sources = _used(hand, told)
    for place in sorted(hand.table.piles):
        written = place.own_name if place.seat in ("", own) else str(place)
        if written in (told.source, told.target):
            continue
        if place.kind in targets and place.seat in ("", own):
            yield replace(told, target=written)
        if place.kind in sources and place.seat in ("", own):
            yield replace(told, source=written)


def _used(hand: Hand, told: Play | TakeBack) -> tuple[set[str], set[str]]:
    """The kinds of places that are played to and from in this game, and those that are told."""
    targets = {hand.game.place(told.target, told.seat).kind}
    sources = {hand.game.place(told.source, told.seat).kind}
    for seat in hand.game.seats:
        for event in hand.game.candidates(hand, seat):
            if isinstance(event, Play):
                targets.add(hand.game.place(event.target, seat).kind)
                sources.add(hand.game.place(event.source, seat).kind)
    return targets, sources


def _is_legal(hand: Hand, event: Event) -> bool:
    try:
        return not hand.judge(event)
    except BadEventError:
        return False


def _trouble(before: Hand, event: Event, index: int, behind: Sequence[Standing]) -> float | None:
    """How much is ruled on the event and on those behind it, contradictions twice; None where it cannot be."""
    hand = before.copy()
    count = len(hand.rulings)
    try:
        hand.push(event, index)
        for each in behind:
            hand.push(each.event, each.index)
    except BadEventError:
        return None
    fresh = hand.rulings[count:]
    return sum(
        1 + (ruling.ruling == "contradiction")
        for ruling in fresh
        if ruling.verdict in ("illegal", "undecided")
    )


def _change(standing: Standing, event: Event, before: Hand) -> Alternative:
    told, other = standing.event.to_json(), event.to_json()
    names = ("event", "seat", *type(event).FIELDS)
    fields: Mapping[str, Any] = {
        name: other.get(name) for name in names if name not in _MOMENTS and told.get(name) != other.get(name)
    }
    said = Change(standing.index, fields, standing.part)
    return Alternative(said, event.seat or "", event_text(event), _is_legal(before, event))


# -- how unlike they are -----------------------------------------------------------------------------------

#: Fields that say when and how a card moved: another reading does not change them.
_MOMENTS = ("lifted", "landed", "hand", "over")


def _key(event: Event) -> tuple[object, ...]:
    names = ("cards", "source", "target", "place", "card", "under", "bottom", "word", "why")
    return (event.kind, event.seat, *(getattr(event, name, None) for name in names))


def _unlike(hand: Hand, event: Event, told: Event) -> float:
    unlike = _KIND * (event.kind != told.kind) + _SEAT * (event.seat != told.seat)
    for name in ("source", "target", "place"):
        unlike += _PLACE * (getattr(event, name, None) != getattr(told, name, None))
    mine, theirs = _cards(event), _cards(told)
    unlike += _COUNT * abs(len(mine) - len(theirs)) + sum(map(_unlike_card, mine, theirs))
    return unlike + _ILLEGAL * (not _is_legal(hand, event))


def _cards(event: Event) -> tuple[str, ...]:
    if isinstance(event, Play | TakeBack | Draw):
        return event.cards
    return (event.card,) if isinstance(event, Turn) else ()


def _unlike_card(one: str, other: str) -> float:
    """How hard two cards are to take for each other: 0 the same, up to 1.5."""
    if one == other:
        return 0.0
    a, b = single(MASKS[one]), single(MASKS[other])
    if a < 0 or b < 0:
        return 0.3 if MASKS[one] & MASKS[other] else 1.5
    mine, theirs = RANKS[a % 13], RANKS[b % 13]
    same_colour = is_red(a) == is_red(b)
    if mine == theirs:
        return 0.5 if same_colour else 0.8
    looks_alike = any(mine in group and theirs in group for group in _ALIKE)
    if a // 13 == b // 13:
        return 0.7 if looks_alike else 1.0
    return 1.2 if looks_alike and same_colour else 1.5
