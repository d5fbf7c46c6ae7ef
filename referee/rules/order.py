"""What is known of the order of a pile from which cards were taken that nobody had seen.

A card that was not known before it was played is taken to be the top one, or the topmost unknown one if the top
is another. It may have been pulled from further down: then the others lie one place lower than is thought, and
what that seems to prove of later events is not proved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.events import Draw
from referee.rules.places import Place
from referee.rules.rulings import Finding

if TYPE_CHECKING:
    from referee.rules.hand import Hand
    from referee.rules.resolve import Move
    from referee.rules.table import Table


def note_taken(table: Table, move: Move, position: int) -> tuple[int, ...]:
    """Take note of a card about to be taken; the cards that cannot be told apart any more."""
    pile = table.pile(move.source)
    if len(move.cards) != 1 or move.cards[0] not in pile or table.faces[move.cards[0]] >= 0:
        return ()
    card = move.cards[0]
    taken = pile.index(card)
    may_be = [at for at in range(taken) if _may_be(table, pile[at], move.masks[0])]
    if not may_be:
        return ()
    if not move.left_above and not table.is_confused(card):
        if move.source.kind == "waste":
            table.trusted[move.source] = (*table.trusted.get(move.source, ()), position)
        return ()
    between = pile[may_be[0] : taken + 1]
    if not any(table.faces[k] >= 0 or table.is_confused(k) for k in between):
        return ()
    table.confuse(between)
    return tuple(between)


def _may_be(table: Table, card: int, mask: int) -> bool:
    return table.faces[card] < 0 and bool(table.domain(card) & mask)


def order_doubts(hand: Hand, waste: Place, top: int | None = None) -> tuple[int, ...]:
    """Log positions of plays that may have changed the order of a waste without anybody seeing it.

    With `top`: only what matters for that card being the top one. What a draw has shown lying there is sure
    but for the plays since.
    """
    trusted = hand.table.trusted.get(waste, ())
    if top is None or not trusted:
        return trusted
    since = hand.table.moved_by[top]
    entry = hand.log[since] if since >= 0 else None
    if entry is None or entry.move is None or top not in entry.move.cards:
        return trusted
    named = hand.table.faces[top] >= 0 and entry.move.masks[entry.move.cards.index(top)].bit_count() == 1
    if not isinstance(entry.event, Draw) or not named:
        return trusted
    return tuple(position for position in trusted if position > since)


def put_up(finding: Finding, hand: Hand, doubts: tuple[int, ...]) -> Finding:
    """A finding on the event to come, undecided between it and the earlier plays that may be to blame."""
    if not doubts:
        return finding
    why = f"{finding.why} Or a card was pulled from under others before."
    return finding._replace(verdict="undecided", why=why, about=(*doubts, len(hand.log)))
