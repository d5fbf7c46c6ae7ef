"""Finding the cards on the table that an event means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from referee.rules.cards import MASKS, single
from referee.rules.events import Draw, Event, Play, TakeBack
from referee.rules.places import Place

if TYPE_CHECKING:
    from referee.rules.hand import Hand
    from referee.rules.table import Table


class Move(NamedTuple):
    """A play, draw or take-back with its cards found on the table."""

    seat: str
    cards: tuple[int, ...]
    #: What the event says that each card is.
    masks: tuple[int, ...]
    source: Place
    target: Place
    under: bool = False
    bottom: bool = False
    #: Position of the lowest card in its pile before the move.
    source_at: int = 0
    #: Cards that lay on top of the lowest one and do not move with it.
    left_above: int = 0
    #: Whether the place held as many cards as were taken from it.
    found: bool = True
    #: How many of `cards` (the last ones) are not on the table yet: their pile was never dealt.
    new: int = 0


def resolve(hand: Hand, event: Event) -> Move | None:
    """The move of a play, draw or take-back: which cards on the table are meant."""
    seat = event.seat or ""
    if isinstance(event, Draw):
        source = hand.game.place("stock", seat)
        target = hand.game.place(hand.game.draws_to, seat)
        return _draw(hand, seat, event.cards, source, target)
    if not isinstance(event, Play | TakeBack):
        return None
    masks = tuple([MASKS[card] for card in event.cards])
    source = hand.game.taken_from(hand, hand.game.place(event.source, seat), masks)
    target = hand.game.place(event.target, seat)
    if isinstance(event, TakeBack):
        played = _played(hand, seat, source, masks)
        if played is not None:
            return Move(seat, played, masks, source, target)
        return _find(hand, seat, masks, source, target)
    return _find(hand, seat, masks, source, target, event.under, event.bottom)


def _find(
    hand: Hand,
    seat: str,
    masks: tuple[int, ...],
    source: Place,
    target: Place,
    under: bool = False,
    bottom: bool = False,
) -> Move:
    table, deck = hand.table, hand.game.deck[source.seat or seat]
    pile = table.pile(source)
    if len(masks) == 1 and pile and not bottom and table.domain(pile[-1]) & masks[0]:
        # By far the most frequent case: the top card, and it can be the one that is named.
        return Move(seat, (pile[-1],), masks, source, target, under, source_at=len(pile) - 1)
    picked, found = table.pick(source, masks, deck, bottom=bottom)
    picked += _unseen(table, deck, masks[len(picked) : max(0, len(masks) - _room(hand, deck))], picked)
    new = len(masks) - len(picked)
    picked += range(len(table.faces), len(table.faces) + new)
    if picked == pile[-len(picked) :]:
        at = len(pile) - len(picked)
        return Move(seat, tuple(picked), masks, source, target, under, bottom, at, 0, found, new)
    at = pile.index(picked[0]) if picked[0] in pile else len(pile)
    above = sum(card not in picked for card in pile[at:])
    return Move(seat, tuple(picked), masks, source, target, under, bottom, at, above, found, new)


def _draw(hand: Hand, seat: str, cards: Sequence[str], source: Place, target: Place) -> Move:
    """A draw takes from the top of the stock downwards, but a card known to lie deeper is that card."""
    table, deck = hand.table, hand.game.deck[seat]
    masks = tuple(MASKS[card] for card in cards)
    free = table.pile(source)[::-1]
    named = [table.bound.get(deck, {}).get(single(mask)) for mask in masks]
    if hand.game.was_turned_over(hand, source, len(masks), named):
        # The waste was put underneath what was left of the stock.
        free += table.pile(Place(hand.game.recycles_from, 0, source.seat))
    picked: list[int] = []
    for known in named:
        others = [card for card in free if card not in named]
        card = known if known in free else next(iter(others or free), None)
        if card is not None:
            free.remove(card)
            picked.append(card)
    picked += _unseen(table, deck, masks[len(picked) : max(0, len(masks) - _room(hand, deck))], picked)
    new = len(masks) - len(picked)
    picked += range(len(table.faces), len(table.faces) + new)
    return Move(seat, tuple(picked), masks, source, target, found=not new, new=new)


def _room(hand: Hand, deck: str) -> int:
    """How many cards of a deck have not come to the table yet."""
    return max(0, hand.game.most_cards(hand, deck) - hand.table.decks.count(deck))


def _unseen(table: Table, deck: str, masks: Sequence[int], taken: Sequence[int]) -> list[int]:
    """Cards of a deck that can be the ones seen, though they were thought to lie elsewhere."""
    used, chosen = set(taken), []
    for mask in masks:
        mine = [c for c in range(len(table.decks)) if table.decks[c] == deck and c not in used]
        mine.sort(key=lambda c: (not table.domain(c) & mask, table.face_up[c]))
        if mine:
            chosen.append(mine[0])
            used.add(mine[0])
    return chosen


def _played(hand: Hand, seat: str, place: Place, masks: Sequence[int]) -> tuple[int, ...] | None:
    """The cards of the last play of these cards to a place by a seat, if they still lie there."""
    for entry in reversed(hand.log):
        move = entry.move
        if move is None or entry.event.seat != seat or not isinstance(entry.event, Play):
            continue
        if move.target == place and len(move.cards) == len(masks):
            pairs = zip(move.cards, masks, strict=True)
            if all(hand.table.place_of[c] == place and hand.table.domain(c) & m for c, m in pairs):
                return move.cards
    return None
