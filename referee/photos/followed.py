"""Photos taken after a request was followed: some cards were spread anew, the others lie as they lay.

What an earlier photo shows of the cards that were taken up holds no longer, and of the ground on which they lie now it
knows nothing: both are as if a hand had hidden them, so that the photos can be taken together as any others. Taken up
were those of the area that was asked for and what lay next to it, or any cards that lay together: people take what they
like.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.photos.evidence import Again, Labelled
from referee.photos.requests import inside
from vision.geometry.plane import apply
from vision.layout import CARD_HEIGHT_MM, Layout, SeenCard, SeenHand
from vision.photos.views import shown_at

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Cards of an area were taken up if this share of them lies there no longer, and of all cards no more than that.
TAKEN, MOST = 0.5, 0.5
#: Cards lie next to each other if what is seen of them is no further apart, mm.
NEXT_MM = 0.6 * CARD_HEIGHT_MM
#: Where another area was asked for, or none: so many cards that lay together at least, which are this share of all that
#: lie there no longer, and are seen elsewhere, by how many more or less.
LEAST, TOGETHER, ELSEWHERE = 3, 0.7, 0.5
#: No area was spread anew where fewer cards are gone, or lie where none lay: either photo may miss one.
FEW = 2
#: Wherever they lay, cards were taken up if those that are seen elsewhere are as many, but for such a share of them: of
#: 51 pairs of photos of `tune` between which nothing was no more than two are seen elsewhere.
AS_MANY = 0.2


@dataclass(frozen=True, slots=True)
class Contrary:
    """What other photos say against it that cards were taken up between two: rows of the cards of these."""

    #: Of the earlier one: cards that most photos taken before the later one do not show, or that one taken after it
    #: does; what one photo misses, or one alone shows, was not taken up.
    gone: frozenset[int] = frozenset()
    #: Of the later one: cards that another photo taken before it shows, or that most of those taken after it do not.
    new: frozenset[int] = frozenset()


def without_taken(
    before: Layout,
    after: Layout,
    area: Floats | None,
    onto_before: Floats,
    pairs: NDArray[np.intp],
    contrary: Contrary,
) -> Layout | None:
    """What still holds of a photo once cards were taken up and spread anew; None where none were.

    `after`: a later photo; `area` (n, 2) px of the earlier one: what that asked for; `onto_before` (3, 3): mm of the
    later one on the earlier one's; `pairs` (k, 2): rows of cards of both that are one; `contrary`: cards that tell
    nothing of that.
    """
    if before.to_table is None or after.to_table is None or not before.cards:
        return None
    middles = np.array([shown_at(card) for card in before.cards])
    gone = np.ones(len(before.cards), dtype=bool)
    gone[pairs[:, 0]] = False
    to_before = np.asarray(np.linalg.inv(before.to_table), dtype=np.float64) @ onto_before @ after.to_table
    new = np.setdiff1d(np.arange(len(after.cards)), pairs[:, 1])
    new = new[
        [not _lay_there(before, gone, apply(to_before, shown_at(after.cards[row])[None])) for row in new]
    ]
    at, asked = apply(before.to_table, middles), None if area is None else inside(area, middles)
    surely = gone.copy()
    surely[list(contrary.gone)] = False
    taken = _taken(at, surely, asked, len(set(new.tolist()) - contrary.new))
    if taken.any():
        # what else lies there no longer was seldom seen, but went with them
        taken |= _taken(at, gone, asked, len(new))
    if not taken.any() or taken.mean() > MOST:
        return None
    hidden = [before.cards[row].corners for row in np.flatnonzero(taken)]
    hidden += [apply(to_before, after.cards[row].corners) for row in new]
    return _without(before, taken, hidden)


def without_same(
    other: Layout, before: Layout, left: Layout, onto_before: Floats, pairs: NDArray[np.intp]
) -> Layout:
    """What still holds of another photo that shows what photo `before` showed, of which `left` still holds.

    `onto_before` (3, 3): mm of the other one on those of `before`; `pairs` (k, 2): rows of cards of `before` and the
    other one that are one card. Both photos have `to_table`.
    """
    assert other.to_table is not None and before.to_table is not None
    onto = np.asarray(np.linalg.inv(onto_before @ other.to_table) @ before.to_table, dtype=np.float64)
    hidden = [apply(onto, hand.corners) for hand in left.hands[len(before.hands) :]]
    still = {id(card) for card in left.cards}
    gone = np.array([id(card) not in still for card in before.cards], dtype=bool)
    taken = np.zeros(len(other.cards), dtype=bool)
    taken[[row for mine, row in pairs if gone[mine]]] = True
    # what only the other one shows went with the cards about it
    outlines = [apply(onto, card.corners) for card, out in zip(before.cards, gone, strict=True) if out]
    for row in set(range(len(other.cards))) - set(pairs[:, 1].tolist()):
        at = shown_at(other.cards[row])[None]
        taken[row] = any(inside(outline, at)[0] for outline in outlines)
    return _without(other, taken, hidden)


def _without(layout: Layout, taken: Flags, hidden: Sequence[Floats]) -> Layout:
    """A photo without these cards and the doubts about them, and as if hands hid what lies within (4, 2) px outlines."""
    cards = [card for card, out in zip(layout.cards, taken, strict=True) if not out]
    doubted = [
        one
        for one in layout.doubted
        if not any(inside(outline, one.corners.mean(axis=0)[None])[0] for outline in hidden)
    ]
    hands = [*layout.hands, *(SeenHand(outline, 1.0) for outline in hidden)]
    return replace(layout, cards=cards, doubted=doubted, hands=hands)


def _taken(at: Floats, gone: Flags, asked: Flags | None, new: int) -> Flags:
    """(n,) which cards, seen `at` (n, 2) mm, were taken up: of those that lie there no longer. `asked` (n,): which lie in
    the area that was asked for; `new`: how many lie where none lay."""
    near = np.linalg.norm(at[:, None] - at[None], axis=2) < NEXT_MM
    away = int(gone.sum())
    if asked is not None and asked.any() and gone[asked].mean() >= TAKEN and min(away, new) >= FEW:
        return asked | (gone if new == away else _reached(asked, near, gone))
    if min(away, new) >= LEAST and abs(new - away) <= max(1.0, AS_MANY * away):
        return gone
    best = np.zeros(len(at), dtype=bool)
    for row in np.flatnonzero(gone):
        if not best[row]:
            start = np.zeros(len(at), dtype=bool)
            start[row] = True
            together = _reached(start, near, gone)
            best = together if together.sum() > best.sum() else best
    count = int(best.sum())
    found_again = abs(new - count) <= ELSEWHERE * count
    enough = count >= LEAST and count >= TOGETHER * gone.sum() and found_again
    return best if enough else np.zeros(len(at), dtype=bool)


def _reached(start: Flags, near: Flags, gone: Flags) -> Flags:
    """(n,) which cards that are gone are reached from the first ones, from each to what lies next to it."""
    reached = start & gone
    frontier = start
    while True:
        more = near[frontier].any(axis=0) & gone & ~reached
        if not more.any():
            return reached
        reached, frontier = reached | more, more


def _lay_there(before: Layout, gone: Flags, spot: Floats) -> bool:
    """Did a card that still lies there lie on this spot, (1, 2) px of the earlier photo?"""
    return any(
        bool(inside(card.corners, spot)[0]) for card, out in zip(before.cards, gone, strict=True) if not out
    )


def counted_again(
    cards: Sequence[Labelled],
    photos: Sequence[int],
    layouts: Mapping[int, Layout],
    whole: Mapping[int, Layout],
) -> Again | None:
    """What is counted as before once cards were spread anew; None unless each photo by itself shows as many cards as all
    together, and there are some that were taken before.

    `cards`: those of a spread, which the `photos` with these `layouts` show; `whole`: those taken before, as they were.
    """
    shown = {photo: whole.get(photo, layouts[photo]) for photo in photos}
    numbers = {sum(card.side == "back" for card in layout.cards) for layout in shown.values()}
    if not whole.keys() & set(photos) or numbers != {len(cards)}:
        return None
    counts = Counter(label for _, label in cards)
    before: dict[str, list[Sequence[SeenCard]]] = {label: [] for label in counts}
    for photo, layout in shown.items():
        decks = _by_label(cards, counts, photo, layout)
        if decks is None or any(len(some) != counts[label] for label, some in decks.items()):
            return Again()
        if photo in whole:
            for label, some in decks.items():
                before[label].append(some)
    return Again(before)


def _by_label(
    cards: Sequence[Labelled], counts: Mapping[str, int], photo: int, layout: Layout
) -> dict[str, list[SeenCard]] | None:
    """A photo's backs by the labels of the spread; None where it shows other designs than those.

    A design is what most of its cards are called that lie still. One of which none does is any of the remaining decks:
    which, is told if there is one only, and if there are several they must have as many cards each.
    """
    named: dict[str, list[SeenCard]] = defaultdict(list)
    for card in layout.cards:
        if card.side == "back":
            named[card.back or "unknown"].append(card)
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for merged, label in cards:
        for number, view in zip(merged.seen or (merged.photo,), merged.of or (merged.card,), strict=True):
            if number == photo:
                votes[view.back or "unknown"][label] += 1
    shown: dict[str, list[SeenCard]] = defaultdict(list)
    for name, some in named.items():
        if name in votes:
            shown[votes[name].most_common(1)[0][0]] += some
    left = [some for name, some in named.items() if name not in votes]
    absent = [label for label in counts if label not in shown]
    if sorted(map(len, left)) != sorted(counts[label] for label in absent):
        return None
    if len(absent) == 1:
        shown[absent[0]] = left[0]
    return shown
