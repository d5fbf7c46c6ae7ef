"""A position as text, and a hand that stands at it.

One line a place, cards bottom to top: `north work 1: KH QS`. A card that lies face down has a `-` before it,
a card that is not of the area's own deck its deck behind it: `foundation 1: AS/red 2S/blue`. The text tells
what lies where; it tells nothing of what was played before.
"""

from __future__ import annotations

from referee.games import game_for
from referee.rules.cards import MASKS, parse_card, single
from referee.rules.hand import Hand
from referee.rules.header import Header
from referee.rules.places import Place


def position_text(hand: Hand) -> str:
    """The position of a hand, places in order; empty places are left out."""
    lines = []
    for place, pile in sorted(hand.table.piles.items(), key=lambda item: (item[0].seat, item[0])):
        if pile:
            lines.append(f"{place}: {' '.join(_card_text(hand, place, card) for card in pile)}")
    return "\n".join(lines)


def _card_text(hand: Hand, place: Place, card: int) -> str:
    table = hand.table
    down = "" if table.face_up[card] else "-"
    deck = table.decks[card]
    own = hand.game.deck[place.seat] if place.seat else ""
    return f"{down}{table.text(card)}{'' if deck == own else '/' + deck}"


def hand_at(header: Header, text: str) -> Hand:
    """A hand at a position: every area that the text names counts as dealt. ValueError for what is none."""
    hand = Hand(game_for(header))
    for line in text.splitlines():
        if not line.strip():
            continue
        written, colon, cards = line.partition(":")
        if not colon:
            raise ValueError(f"position: {line!r} is no 'place: cards'")
        place = hand.game.place(written.strip(), None)
        for card in cards.split():
            _put(hand, place, card)
        hand.dealt.add(place.seat)
    return hand


def _put(hand: Hand, place: Place, written: str) -> None:
    up = not written.startswith("-")
    face, _, deck = written.removeprefix("-").partition("/")
    parse_card(face)
    if not deck and not place.seat:
        raise ValueError(f"position: card {written!r} on {place} needs its deck, as in 'AS/red'")
    deck = deck or hand.game.deck[place.seat]
    if single(MASKS[face]) >= 0 and hand.table.seen.get(deck, 0) & MASKS[face]:
        raise ValueError(f"position: card {face} of the {deck} deck is there twice")
    hand.table.new_card(deck, MASKS[face], place, -1, up=up)
