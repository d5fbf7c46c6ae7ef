"""The truth of a filmed hand as a record, and the facts that a program may know beforehand."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from datasets.film.camera import Camera
from datasets.play.deeds import Deed, PlayedHand, Player
from datasets.play.plants import PLANTS


def record_of(
    hand: PlayedHand,
    decks: Mapping[str, str],
    fps: int,
    left_handed: Collection[str] = (),
    *,
    dealt: float = 0.0,
    match: Mapping[str, int] | None = None,
    ends: float | None = None,
) -> str:
    """JSON Lines: header, deal, every deed with the moments of lifting and landing to the millisecond.

    `dealt`: the moment of the deal; `match`: totals before this hand; `ends`: the moment at which a hand that nobody
    called is over.
    """
    header: dict[str, object] = {
        "record": 1,
        "game": hand.game,
        "settings": dict(hand.house),
        "seats": [_seat(player, decks) for player in hand.players],
        "source": {"kind": "simulated", "fps": fps},
    }
    lines = [header | ({} if match is None else {"match": dict(match)})]
    lines += [
        {"event": "deal", "at": dealt, "seat": seat, "piles": piles} for seat, piles in hand.deal.items()
    ]
    for deed in hand.deeds:
        lower = lies_on(hand, deed)
        told = event_of(deed, deed.seat in left_handed)
        if _is_taken_back(hand, deed):
            told["event"] = "take-back"
        lines.append(told | ({} if lower is None else {"over": event_index(hand, lower)}))
    if ends is not None:
        lines.append({"event": "end", "at": ends, "why": "finished"})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _seat(player: Player, decks: Mapping[str, str]) -> dict[str, str]:
    role = {} if player.role is None else {"role": player.role}
    return {"seat": player.seat, "deck": decks[player.owner]} | role


def lies_on(hand: PlayedHand, deed: Deed) -> Deed | None:
    """Of a tie's plays the one whose card lies underneath, if this is the other; None for any other deed."""
    if deed.kind != "play" or not deed.target.startswith("foundation"):
        return None
    pair = [d for d in hand.plays if d.target == deed.target and d.cards == deed.cards]
    if len(pair) != 2 or not any(d.loses or d.under or d.planted == "tie-left" for d in pair):
        return None
    first, later = sorted(pair, key=lambda d: d.landed)
    lower, upper = (later, first) if later.under else (first, later)
    return lower if deed is upper else None


def _is_taken_back(hand: PlayedHand, deed: Deed) -> bool:
    """Whether a card goes out of the centre to where its player had it from, as a record says of a card returned."""
    if deed.kind != "play" or not deed.source.startswith("foundation"):
        return False
    before = (one for one in hand.plays if one.landed <= deed.lifted and one.target == deed.source)
    laid = [one for one in before if (one.seat, one.cards) == (deed.seat, deed.cards)]
    return bool(laid) and laid[-1].source == deed.target


def event_of(deed: Deed, left_handed: bool = False) -> dict[str, object]:
    """One deed as an event of the record."""
    event: dict[str, object] = {"event": deed.kind, "at": deed.landed, "seat": deed.seat}
    if deed.kind in ("play", "take-back"):
        event |= {"cards": list(deed.cards), "from": deed.source, "to": deed.target}
        if deed.under and deed.target.startswith("work"):
            event["under"] = True
    elif deed.kind == "bury":
        # it goes under face down: nobody sees which card it is
        event["card"] = "??"
    elif deed.kind == "draw":
        event["cards"] = list(deed.cards)
    elif deed.kind == "turn":
        event |= {"place": deed.target, "card": deed.cards[0]}
    elif deed.kind == "set-aside":
        event["place"] = deed.target
    elif deed.kind == "call":
        event["word"] = "Nerts"
    if deed.kind in ("play", "draw", "take-back"):
        event |= {"lifted": [deed.lifted] * 2, "landed": [deed.landed] * 2}
        event["hand"] = "left" if (deed.hand == "main") == left_handed else "right"
    return event


def table_facts(hand: PlayedHand, decks: Mapping[str, str], fps: int, camera: Camera) -> dict[str, object]:
    """What the players tell the referee: seats with their decks, frame rate, game and the call."""
    # a false call does not end the hand
    call = next((deed for deed in hand.deeds if deed.kind == "call" and not deed.planted), None)
    facts: dict[str, object] = {
        "game": hand.game,
        **({"settings": dict(hand.house)} if hand.house else {}),
        "fps": fps,
        "width": camera.width,
        "height": camera.height,
        "seats": [_seat(player, decks) | {"side": player.seat} for player in hand.players],
    }
    if call is not None:
        facts["call"] = {"at": call.landed, "seat": call.seat}
    return facts


def event_index(hand: PlayedHand, deed: Deed) -> int | None:
    """A deed's index in the record; None for a mishap."""
    places = (number for number, other in enumerate(hand.deeds) if other is deed)
    number = next(places, None)
    return None if number is None else 1 + len(hand.deal) + number


def planted(hand: PlayedHand) -> list[dict[str, object]]:
    """The planted infractions: index in the record, rule and moment."""
    wrong = [] if hand.misdealt is None else [(deal_index(hand, hand.misdealt), "wrong-deal", 0.0)]
    deeds = [(event_index(hand, deed), deed.planted, deed.landed) for deed in hand.deeds if deed.planted]
    return [{"of": of, "kind": kind, "rule": PLANTS[kind], "at": at} for of, kind, at in [*wrong, *deeds]]


def deal_index(hand: PlayedHand, seat: str) -> int:
    """The index of a seat's deal in the record."""
    return 1 + list(hand.deal).index(seat)
