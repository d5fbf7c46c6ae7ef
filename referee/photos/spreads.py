"""Which photos of a hand show the same cards, and what these are, all photos taken together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from referee.photos.evidence import evidence_of
from referee.photos.followed import Contrary, without_same, without_taken
from referee.photos.requests import request_for
from vision.geometry.registration import register
from vision.layout import Layout, SeenCard
from vision.photos.merging import MAYBE, SAME, Compared, MergedCard, Spread, compare, fit, merge

#: Photos that fit at least so well show the same cards where the faces give so few, and only then.
HARDLY = 0.15
#: Photos between which some cards were spread anew fit so well at least, those cards counted against it, and the one
#: shows no less than this share of the other's cards: two parts of a centre, laid by one hand, fit by up to 0.56.
AS_BEFORE, AS_MANY = 0.6, 0.75
#: A place that is a card with less than this, all photos taken together, is none.
A_CARD = 0.5


def shows_faces(layout: Layout) -> bool:
    """Is this a photo of the centre's faces (rather than of spread backs)?"""
    tops = tops_of(layout)
    faces = sum(card.side == "face" for card in tops)
    seen_faces = sum(card.side == "face" for card in layout.cards)
    return bool(tops) and faces * 2 >= len(tops) and seen_faces * 2 >= len(layout.cards)


def tops_of(layout: Layout) -> list[SeenCard]:
    """The topmost card of every pile."""
    highest: dict[int, SeenCard] = {}
    for card in layout.cards:
        if card.pile not in highest or card.order > highest[card.pile].order:
            highest[card.pile] = card
    return list(highest.values())


@dataclass(frozen=True, slots=True)
class Shots:
    """Photos of one side by their numbers, each two laid on one another."""

    layouts: Mapping[int, Layout]
    together: bool | None
    compared: Mapping[tuple[int, int], Compared]
    #: What photos showed before some of their cards were spread anew.
    whole: Mapping[int, Layout] = field(default_factory=dict)

    @classmethod
    def of(cls, layouts: Mapping[int, Layout], together: bool | None) -> Shots:
        """`together`: do all of them show the same cards? None: that is found out."""
        return cls(layouts, together, {} if together is False else compare(list(layouts.values())))

    def followed(self) -> Shots:
        """The same without what holds no longer: cards that a later photo shows spread anew, as the earlier one asked
        for. Itself where there is nothing of that kind."""
        shots = self
        # what was asked for last is what was done
        for first, second in sorted(self.compared, key=lambda two: (two[1], -two[0])):
            shots = shots._followed(first, second)
        return shots

    def _followed(self, first: int, second: int) -> Shots:
        """If photo `second` shows the area spread anew that photo `first` asks for: with what that one still says."""
        numbers = list(self.layouts)
        before, after = self.layouts[numbers[first]], self.layouts[numbers[second]]
        two = self.compared.get((first, second))
        cards = sorted((len(before.cards), len(after.cards)))
        if two is None or two.fit < AS_BEFORE or cards[0] < AS_MANY * cards[1]:
            return self
        onto, pairs = two.registration.to_first, two.registration.pairs
        contrary = self._contrary(first, second)
        left = without_taken(before, after, asked_area(before), onto, pairs, contrary)
        again = None if left is None else register(left, after)
        if left is None or again is None or fit(left, after, again) < SAME:
            return self
        layouts, whole = {**self.layouts, numbers[first]: left}, {numbers[first]: before}
        # what other photos showed that were taken before holds no longer either
        for other in range(second):
            number, pair = numbers[other], (min(first, other), max(first, other))
            same = self.compared.get(pair)
            if other != first and number not in self.whole and same is not None and same.fit >= SAME:
                to, rows = same.registration.to_first, same.registration.pairs
                if other < first:
                    to, rows = np.asarray(np.linalg.inv(to), dtype=np.float64), rows[:, ::-1]
                whole[number] = layouts[number]
                layouts[number] = without_same(layouts[number], before, left, to, rows)
        # the other photos met cards that are no longer there
        told: dict[tuple[int, int], Compared] = {}
        for one, other in self.compared:
            laid = layouts[numbers[one]], layouts[numbers[other]]
            if not {numbers[one], numbers[other]} & whole.keys():
                told[one, other] = self.compared[one, other]
                continue
            found = again if (one, other) == (first, second) else register(*laid)
            if found is not None:
                told[one, other] = Compared(found, fit(*laid, found))
        return Shots(layouts, self.together, told, {**whole, **self.whole})

    def _contrary(self, first: int, second: int) -> Contrary:
        """What the photos beside these two, of the same cards, say against it that cards were taken up between them."""
        return Contrary(self._against(first, second, of=first), self._against(first, second, of=second))

    def _against(self, first: int, second: int, *, of: int) -> frozenset[int]:
        """Rows of the cards of one of the two that another photo shows which was taken on the other side of the change,
        or that most photos on its own side do not show."""
        # its own photo shows all of them
        with_it, shown = 1, Counter(range(len(list(self.layouts.values())[of].cards)))
        against = set[int]()
        for other in set(range(len(self.layouts))) - {first, second}:
            rows = self._rows_in(of, other)
            if rows is None:
                continue
            if (other < second) == (of == first):
                with_it += 1
                shown.update(rows)
            else:
                against |= rows
        return frozenset(against | {row for row, photos in shown.items() if 2 * photos < with_it})

    def _rows_in(self, photo: int, other: int) -> set[int] | None:
        """Rows of a photo's cards that lie in another one, too; None where that shows other cards."""
        two = self.compared.get((min(photo, other), max(photo, other)))
        if two is None or two.fit < SAME:
            return None
        return set(two.registration.pairs[:, int(photo > other)].tolist())

    def spreads(self, least: float = SAME) -> list[Spread]:
        """What they show, with what is less likely a card than not, all photos taken together."""
        numbers = list(self.layouts)
        spreads = []
        for spread in merge(list(self.layouts.values()), self.compared, 0.0 if self.together else least):
            cards = [
                replace(
                    merged,
                    photo=numbers[merged.photo],
                    seen=tuple(numbers[k] for k in merged.seen),
                    missed=tuple(numbers[k] for k in merged.missed),
                )
                for merged in spread.cards
            ]
            photos = tuple(numbers[k] for k in spread.photos)
            spreads.append(Spread(photos, tuple(cards), spread.onto))
        return spreads


def asked_area(layout: Layout) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None:
    """(n, 2) px of the area that is asked for where this photo is the only one; None where it is none."""
    cards = [
        (MergedCard(card, 0, (0,)), card.back or "unknown") for card in layout.cards if card.side == "back"
    ]
    if not cards:
        return None
    told = evidence_of(cards, (0,), {0: layout})
    request = request_for(0, layout, [spot for evidence in told.values() for spot in evidence.spots])
    return None if request.area is None else np.array(request.area)


def likely(spread: Spread) -> Spread:
    """A spread without what is no card, all its photos taken together."""
    if len(spread.photos) == 1:
        return spread
    return replace(spread, cards=tuple(m for m in spread.cards if m.card.confidence >= A_CARD))


def settled(shots: Shots, faces: int | None) -> tuple[list[Spread], list[tuple[int, ...]]]:
    """The spreads (or the centres), and photos of which it is in doubt whether they show the same cards.

    `faces`: how many cards the faces give, which settles such doubts; None where they do not tell.
    """
    apart, joined = shots.spreads(), shots.spreads(MAYBE)
    if shots.together is not None:
        return apart, []
    if faces is None:
        known = {spread.photos for spread in apart}
        return apart, [spread.photos for spread in joined if spread.photos not in known]
    ways = [apart, joined, shots.spreads(HARDLY)]
    off = [abs(sum(len(likely(s).cards) for s in spreads) - faces) for spreads in ways]
    return ways[off.index(min(off))], []


def settled_backs(shots: Shots, faces: int | None) -> tuple[Shots, list[Spread], list[tuple[int, ...]]]:
    """As `settled`, of backs of which an area may have been spread anew between two photos; and the photos as they count.

    Where the faces tell that nothing was, what looked like it were other cards.
    """
    after = shots.followed()
    spreads, maybe = settled(after, faces)
    if after is shots or faces is None:
        return after, spreads, maybe
    plain, its = settled(shots, faces)
    off, plainly = (abs(sum(len(likely(s).cards) for s in way) - faces) for way in (spreads, plain))
    return (after, spreads, maybe) if off <= plainly else (shots, plain, its)
