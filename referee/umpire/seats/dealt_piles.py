"""What lies in every pile when a hand begins: the cards of the deal that were seen, and those that lie under them."""

from __future__ import annotations

import numpy as np

from referee.rules.cards import UNKNOWN
from referee.rules.places import NERTS, STOCK, Place
from referee.umpire.dealing import Dealing
from referee.umpire.seats.deal import Deal
from referee.umpire.seats.dealt_row import Found
from referee.umpire.sights import Sight
from referee.umpire.story import Lying, Pile

#: A dealt card read with less probability is not known.
SURE_DEAL = 0.6


def dealt_piles(deal: Deal) -> dict[Place, Pile]:
    """Every pile, with the faces that can be read; one that is read twice in a deck is read nowhere."""
    piles: dict[Place, Pile] = {}
    dealing = deal.dealing
    for seat, tops in deal.tops.items():
        hidden = Lying(UNKNOWN, seat, up=False)
        read = {place: card.sight().likely(SURE_DEAL, 1) for place, card in tops.items()}
        faces = [face for found in read.values() for face in found]
        if dealing.slots:
            piles[Place(NERTS, 0, seat)] = (hidden,) * dealing.nerts
        for place, card in tops.items():
            face = read[place][0] if read[place] and faces.count(read[place][0]) == 1 else UNKNOWN
            more = [
                Lying((sight.likely(SURE_DEAL, 1) or [UNKNOWN])[0], seat, True, sight.at)
                for sight in extra_of(deal, place)
            ]
            piles[place] = (*_under(place, card, dealing, hidden), *more, Lying(face, seat, True, card.at))
        extra = sum(place.seat == seat for place in deal.extra)
        piles[Place(STOCK, 0, seat)] = (hidden,) * (dealing.stock - extra)
    return piles


def extra_of(deal: Deal, place: Place) -> list[Sight]:
    """The card that lies under the top one of a pile that was wrongly dealt."""
    card = deal.extra.get(place)
    return [] if card is None else [card.sight()]


def _under(place: Place, top: Found, dealing: Dealing, hidden: Lying) -> Pile:
    """What lies under an open card of the deal."""
    if place.kind == NERTS:
        return () if place.number else (hidden._replace(up=dealing.open),) * (dealing.nerts - 1)
    count = dealing.work[place.number - 1] - 1
    steps = ((np.array(top.at) - top.first) / count if count else np.zeros(2)).tolist()
    (x, y), (dx, dy) = top.first, steps
    return tuple(hidden._replace(at=(x + dx * n, y + dy * n)) for n in range(count))
