"""Which piles of faces are foundations: all of one suit from the ace up, so that what is in view under a top fits it.

Players lay fast, so that a few mm of the cards below are in view of most foundations. What does not fit is something
else (a column, a hand laid open, somebody's waste), and its top tells no number of cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from referee.photos.score import Doubt, PhotoScore, written
from vision.layout import FACES, RANKS, Layout, SeenCard
from vision.photos.merging import MergedCard

#: What is less likely a card is not heard, and what is read so surely speaks however little of it is in view.
A_CARD, READ = 0.5, 0.9
#: Of cards that do not fit, or cannot be read: this share of a card in view speaks, all of them together, and of backs
#: less. Two of 90 drawn photos of foundations, loose ones among them, have as much (docs/lab/choices.md).
SHOWN, TURNED = 0.4, 0.3
#: A card of which so much is in view leaves no room for others between it and the one over it.
MUCH = 0.3
#: Where nothing tells how many decks play: hardly more than these.
MOST_DECKS = 8

#: Words for suits.
_SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


def ask_whether_foundation(result: PhotoScore, merged: MergedCard, layout: Layout) -> bool:
    """Asks about the pile under the top that was counted last if a card in view of it speaks against a foundation.

    `layout`: what that photo shows. Whether it was asked about.
    """
    top = merged.card
    below = [card for card in layout.cards if card.pile == top.pile and card.order < top.order]
    worst = _worst(sorted(below, key=lambda card: card.order), top)
    if worst is None:
        return False
    result.maybe_none.add(len(result.foundations) - 1)
    asks = f"Is this pile a foundation? {_why(worst, top)}"
    corners = worst.corners.round(1).tolist()
    result.doubts.append(Doubt(asks, merged.photo, corners, "pile", merged))
    return True


def ask_about_suits(result: PhotoScore, tops: Sequence[MergedCard], players: Collection[str]) -> None:
    """Asks about suits with more foundations than there are decks: each begins with an ace, of which a deck has one.

    `tops`: those of the foundations, in their order. The decks are told by the backs that were counted, else by who
    plays.
    """
    decks = len({label for _, label in result.counted}) or len(players)
    suits = Counter(top[1] for top, _ in result.foundations if top in FACES)
    for suit, piles in suits.items():
        if piles <= (decks or MOST_DECKS):
            continue
        of_it = [number for number, (top, _) in enumerate(result.foundations) if top[1:] == suit]
        result.maybe_none.update(of_it)
        why = f"only {decks} deck{'s' * (decks != 1)} can be told" if decks else "so many decks hardly play"
        asks = f"Is each of these a foundation? There are {piles} piles of {_SUITS[suit]}, but {why}"
        result.doubts.append(Doubt.at(tops[of_it[-1]], asks))


def _worst(below: Sequence[SeenCard], top: SeenCard) -> SeenCard | None:
    """Of the cards in view under a top, lowest first, the one that speaks most against a foundation; None: none does."""
    odd = [
        card
        for card, over in pairwise([*below, top])
        if card.confidence >= A_CARD and not _fits(card, over, top)
    ]
    read = [card for card in odd if card.face and card.confidence * card.face_confidence >= READ]
    if read:
        return max(read, key=lambda card: card.visible_fraction)
    turned = sum(card.visible_fraction for card in odd if card.side == "back")
    if turned < TURNED and sum(card.visible_fraction for card in odd) < SHOWN:
        return None
    return max(odd, key=lambda card: card.visible_fraction)


def _fits(card: SeenCard, over: SeenCard, top: SeenCard) -> bool:
    """May this card lie in a foundation, under its top and, where much of it is in view, straight under `over`?"""
    if card.face is None or top.face is None or card.face[1] != top.face[1]:
        return False
    if _ranks_up(card.face, top.face) <= 0:
        return False
    return card.visible_fraction < MUCH or over.face is None or _ranks_up(card.face, over.face) == 1


def _ranks_up(lower: str, upper: str) -> int:
    return RANKS.index(upper[0]) - RANKS.index(lower[0])


def _why(card: SeenCard, top: SeenCard) -> str:
    over = f"under the {written(top.face)}" if top.face else "under its top"
    if card.side == "back":
        return f"A card lies face down {over}"
    return f"The {written(card.face) if card.face else 'card'} in view {over} does not fit there"
