"""Tables to play at in tests: shuffled decks dealt as a game says, and what a camera sees of them."""

from __future__ import annotations

import random
from dataclasses import replace

from referee import Deal, Draw, Event, Hand, Header, Turn, open_hand
from referee.games.nerts.game import NertsGame
from referee.rules.cards import FACES
from referee.rules.events import Play

PRESETS = (
    "nerts",
    "nerts-minus-one",
    "one-per-suit",
    "nerts-twelve",
    "nuts",
    "team-nuts",
    "tournament",
    "nna-singles",
)


def header(game: str, kind: str = "typed") -> Header:
    """Two sides at a table; in team-nuts each side has two seats."""
    if game != "team-nuts":
        return Header.of(game, {"north": "blue", "south": "red"}, kind=kind, fps=30)
    from referee import parse_header

    seats = [
        ("north", "blue", "nuts"),
        ("east", "blue", "cards"),
        ("south", "red", "nuts"),
        ("west", "red", "cards"),
    ]
    return parse_header(
        {
            "record": 1,
            "game": game,
            "seats": [{"seat": seat, "deck": deck, "role": role} for seat, deck, role in seats],
            "source": {"kind": kind, "fps": 30},
        }
    )


def deals(head: Header, rng: random.Random) -> list[Deal]:
    """A right deal for every side, all cards known."""
    game = open_hand(head).game
    assert isinstance(game, NertsGame)
    found = []
    for owner in game.sides:
        deck = list(FACES)
        rng.shuffle(deck)
        piles = {}
        for (kind, number), (count, _) in game.layout.items():
            piles[f"{kind} {number}" if number else kind] = tuple(deck.pop() for _ in range(count))
        found.append(Deal(seat=owner, piles={**piles, "stock": tuple(deck)}))
    return found


def start(game: str, rng: random.Random, kind: str = "typed") -> Hand:
    """A hand that was dealt."""
    head = header(game, kind)
    hand = open_hand(head)
    for deal in deals(head, rng):
        assert hand.push(deal) == []
    return hand


def seen_by_a_camera(hand: Hand, event: Event) -> Event:
    """The event as a camera sees it: of face-down cards nothing, of cards drawn as a packet only the top."""
    if isinstance(event, Deal):
        game = hand.game
        hidden = {}
        for text, pile in event.piles.items():
            up = game.face_up(game.place(text, event.seat), len(pile))
            shown = pile[len(pile) - up :] if up else ()
            if text == "nerts":
                shown = shown[-1:]
            hidden[text] = ("??",) * (len(pile) - len(shown)) + shown
        return replace(event, piles=hidden)
    if isinstance(event, Draw):
        return replace(event, cards=("??",) * (len(event.cards) - 1) + event.cards[-1:])
    return event


def uncovered(hand: Hand, event: Event) -> list[Turn]:
    """The face-down cards that an event has exposed, turned up."""
    if not isinstance(event, Play):
        return []
    place = hand.game.place(event.source, event.seat)
    pile = hand.table.pile(place)
    stack = place.kind == "nerts" and not place.number and getattr(hand.game, "slots", 0)
    if stack or place.kind not in ("nerts", "work") or not pile or hand.table.face_up[pile[-1]]:
        return []
    return [Turn(at=event.at, seat=event.seat, place=event.source, card=hand.table.text(pile[-1]))]
