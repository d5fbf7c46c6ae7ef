"""A hand as a table in text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.places import Place

if TYPE_CHECKING:
    from referee.rules.hand import Hand

#: Places that are shown whole; of the others only how many cards there are and the top.
_SHOWN_WHOLE = frozenset({"work", "centre", "side", "hand"})


def picture(hand: Hand) -> str:
    """The common places on the first lines, then each area on its own, then whether the hand has ended."""
    lines = []
    for owner in dict.fromkeys(["", *hand.game.owner.values()]):
        places = sorted(place for place, pile in hand.table.piles.items() if place.seat == owner and pile)
        if not places and not owner:
            continue
        shown = "  ".join(_show(hand, place) for place in places)
        name = f"{owner} ({hand.game.deck[owner]})" if owner else "centre"
        lines.append(f"{name:>16}  {shown or 'no cards'}")
    lines.append(f"{'':>16}  {len(hand.log)} events, {len(hand.rulings)} rulings{', ended' * hand.ended}")
    return "\n".join(lines)


def _show(hand: Hand, place: Place) -> str:
    table, pile = hand.table, hand.table.pile(place)
    texts = [table.text(card) if table.face_up[card] else "--" for card in pile]
    if place.kind in _SHOWN_WHOLE:
        return f"{place.own_name}: {' '.join(texts)}"
    return f"{place.own_name}: {texts[-1]} of {len(pile)}"
