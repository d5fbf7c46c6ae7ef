"""A hand of the Nerts family of which the beginning was not seen: what lay where, and what cannot be known by it.

The area of a seat that was not dealt is not known (`Hand.is_known`), but for the piles that were seen whole; so
whatever rests on the deal is not ruled on. The cards that lay in the centre belong to nobody who could be named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.games.nerts.course import NertsCourse, course_of
from referee.rules.events import BadEventError, Begun
from referee.rules.places import FOUNDATION, STOCK, Place

if TYPE_CHECKING:
    from referee.games.nerts.game import NertsGame
    from referee.rules.hand import Hand


def check_begun(game: NertsGame, hand: Hand, begun: Begun) -> None:
    """BadEventError for what cannot be: a seat's places twice or after its deal, the centre's with a seat's."""
    owner = game.owner[begun.seat] if begun.seat else ""
    if owner in course_of(hand).begun:
        raise BadEventError(f"begun: {begun.seat or 'the centre'} is there twice")
    if begun.seat and owner in hand.dealt:
        raise BadEventError(f"begun: {begun.seat} was dealt cards before (a hand has one beginning)")
    for written in (*begun.piles, *begun.more):
        if game.place(written, begun.seat).seat != owner:
            whose = f"{begun.seat}'s own" if begun.seat else "of the centre"
            raise BadEventError(f"begun: {written!r} is no place {whose}")
    if not begun.seat:
        taken = [written for written in begun.piles if hand.table.pile(game.place(written, None))]
        if taken:
            raise BadEventError(f"begun: cards were played to {taken[0]} before it (put it first)")
        for pile in begun.piles.values():
            _check_cards(game, pile)
        return
    _check_cards(game, [card for pile in begun.piles.values() for card in pile])
    if game.deck[begun.seat] in hand.table.decks:
        raise BadEventError(f"begun: cards of {begun.seat} were played before it (put it first)")


def _check_cards(game: NertsGame, cards: Any) -> None:
    if len(cards) > 52:
        raise BadEventError(f"begun: {len(cards)} cards, a deck has 52")
    try:
        game.check_once(cards)
    except BadEventError as error:
        raise BadEventError(f"begun{str(error).removeprefix('deal')}") from None


def lay_begun(game: NertsGame, hand: Hand, begun: Begun) -> None:
    """Put the cards on the table as they lay."""
    course = course_of(hand)
    course.begun.add(game.owner[begun.seat] if begun.seat else "")
    for written, cards in begun.piles.items():
        place = game.place(written, begun.seat)
        deck = game.deck[begun.seat] if begun.seat else nobodys_deck(place)
        for card in cards:
            hand.table.new_card(deck, game.mask(card), place, hand.position, up=place.kind != STOCK)
        if written not in begun.more:
            course.whole.add(place)
    course.more |= {game.place(written, begun.seat) for written in begun.more}


def nobodys_deck(place: Place) -> str:
    """Whose cards lie in the centre with their backs down: one for each pile, since a card is there once."""
    return f"\0{place}"


def forget_order(hand: Hand, owner: str) -> None:
    """A waste of which nobody knows how many cards lie lowest was turned over: how deep each card lies is not known."""
    stock = Place(STOCK, 0, owner)
    cards = hand.table.pile(stock)
    if cards and owner in course_of(hand).begun and not hand.is_known(stock):
        hand.table.confuse(cards)


def unknown_of(game: NertsGame, hand: Hand) -> dict[str, Any] | None:
    """What of the score cannot be known: cards of the centre that are nobody's, and seats of which the Nerts cards left
    are at least those that are counted. None for a hand that was seen from its deal on.
    """
    course = course_of(hand)
    if not course.begun:
        return None
    table = hand.table
    centre = sum(
        table.decks[card] == nobodys_deck(place)
        for place, pile in table.piles.items()
        if place.kind == FOUNDATION
        for card in pile
    )
    return {
        "centre": centre,
        "left": [seat for seat in game.seats if not _is_counted(game, hand, seat, course)],
    }


def _is_counted(game: NertsGame, hand: Hand, seat: str, course: NertsCourse) -> bool:
    """Whether it is known how many Nerts cards a seat has left."""
    owner = game.owner[seat]
    if owner in hand.dealt:
        return True
    return course.ended and course.called_by == owner
