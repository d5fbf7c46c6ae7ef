"""All photos of one finished hand: the centre's tops, its cards spread backs up from several sides, left-over piles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from datasets.photos.endings import all_show_strips, spread
from datasets.photos.leftovers import MOST, Piles
from datasets.photos.phone import MakeSurface, Pixels
from datasets.photos.photograph import photograph, still_of
from datasets.photos.spreading import Named, Spreader
from datasets.photos.tops import FoundationLayer, begun
from datasets.render import Art
from datasets.scene import BRIDGE_MM, POKER_MM, PlacedCard
from datasets.stills import Still

Kind = Literal["tops", "backs", "fan"]

#: Cards in the centre at least and at most; share of the hands whose centre is spread in two parts, one after the other.
CENTRE, PARTED = (12, 110), 0.25


@dataclass(slots=True)
class HandPhoto:
    """One photo of a finished hand."""

    kind: Kind
    #: Photos with the same number show the same cards, nothing moved.
    lay: int
    #: Whose left-over cards; of fans only.
    seat: int | None
    still: Still


@dataclass(slots=True)
class FinishedHand:
    """A finished hand, seats numbered as their decks are."""

    #: By seat: cards in the centre, and cards left in the Nerts pile.
    centre: list[int]
    left: list[int]
    #: Number of cards of each foundation.
    foundations: list[int]
    photos: list[HandPhoto] = field(default_factory=list)
    #: What table and floor are drawn from, the same in all photos.
    table: int = 0


def draw_finished(
    rng: np.random.Generator, decks: list[Art], surface: MakeSurface, views: tuple[int, int] = (1, 3)
) -> FinishedHand:
    """A hand of as many players as there are `decks` (all 52 faces each) with its photos.

    `views`: how many photos are taken of the foundations and of every spread. Somebody has called, so one seat has no
    cards left; the others' lie fanned, a photo each.
    """
    piles = _centre(rng, len(decks))
    cards = [card for pile in piles for card in pile]
    hand = FinishedHand(
        [sum(deck == seat for deck, _ in cards) for seat in range(len(decks))],
        [0] * len(decks),
        [len(pile) for pile in piles],
    )
    size = POKER_MM if rng.random() < 0.75 else BRIDGE_MM
    camera = _Camera(rng, decks, surface, hand)
    layer = FoundationLayer(rng, size)
    for pile in piles:
        layer.leave(pile)
    camera.take("tops", layer.ground.cards, views[0])
    for part in _parts(rng, len(cards)):
        camera.take_spread(
            [[cards[i] for i in part if cards[i][0] == d] for d in range(len(decks))], size, views[1]
        )
    caller = int(rng.integers(len(decks)))
    for seat, art in enumerate(decks):
        if seat != caller:
            rest = rng.permutation(
                np.array(sorted(set(art.faces) - {face for d, face in cards if d == seat}))
            )
            hand.left[seat] = int(rng.integers(1, min(MOST, len(rest)) + 1))
            fan = [(seat, str(face)) for face in rest[: hand.left[seat]]]
            laid = Piles(rng, size).pile(fan, "faces" if rng.random() < 0.7 else "backs")
            camera.take("fan", laid, 1, seat)
    return hand


def _centre(rng: np.random.Generator, decks: int) -> list[list[Named]]:
    while True:
        piles = begun(rng, decks)
        brought = [sum(deck == seat for pile in piles for deck, _ in pile) for seat in range(decks)]
        if CENTRE[0] <= sum(brought) <= CENTRE[1] and min(brought) > 1 and max(brought) < 50:
            return piles


def _parts(rng: np.random.Generator, count: int) -> list[list[int]]:
    """The centre's cards in one part or in two, shuffled."""
    order = [int(i) for i in rng.permutation(count)]
    if count < 2 * CENTRE[0] or rng.random() >= PARTED:
        return [order]
    cut = int(rng.integers(count // 3, count - count // 3))
    return [order[:cut], order[cut:]]


@dataclass(slots=True)
class _Camera:
    """Takes the photos of a hand on one table."""

    rng: np.random.Generator
    decks: list[Art]
    surface: MakeSurface
    hand: FinishedHand
    lays: int = 0

    def __post_init__(self) -> None:
        self.hand.table = int(self.rng.integers(2**31))

    def take(self, kind: Kind, cards: Sequence[PlacedCard], views: int, seat: int | None = None) -> None:
        """`views` photos of these cards."""
        for _ in range(views):
            picture = photograph(self.rng, cards, self.decks, SameTable(self.surface, self.hand.table))
            self.hand.photos.append(HandPhoto(kind, self.lays, seat, still_of(picture)))
        self.lays += 1

    def take_spread(self, hands: list[list[Named]], size: tuple[float, float], views: int) -> None:
        """`views` photos of a spread in which every card shows a strip."""
        before = len(self.hand.photos)
        while True:
            spreader = Spreader(self.rng, size)
            spread(spreader, [hand for hand in hands if hand])
            self.take("backs", spreader.ground.cards, views)
            if all(_countable(photo.still) for photo in self.hand.photos[before:]):
                return
            del self.hand.photos[before:]


def _countable(still: Still) -> bool:
    return still.scene is not None and still.ids is not None and all_show_strips(still.scene, still.ids)


@dataclass(slots=True)
class SameTable:
    """Draws the same table and the same floor each time."""

    surface: MakeSurface
    seed: int
    asked: int = 0

    def __call__(self, rng: np.random.Generator, height: int, width: int, px_per_mm: float) -> Pixels:
        """The table when it is asked first, then the floor, and so on; `rng` is not used."""
        self.asked += 1
        return self.surface(np.random.default_rng([self.seed, self.asked]), height, width, px_per_mm)
