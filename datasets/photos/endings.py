"""The end of a hand, seen by a phone: the centre's cards spread backs up to be counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from datasets.photos.phone import MakeSurface
from datasets.photos.photograph import Photograph, photograph, still_of
from datasets.photos.showing import Ids, shows_strip
from datasets.photos.spreading import Named, Spreader
from datasets.render import Art
from datasets.scene import BRIDGE_MM, POKER_MM, Scene
from datasets.stills import Still

#: Most cards that one row, arc or heap takes, or columns side by side.
LONGEST = {"row": 26, "arc": 24, "heap": 60, "column": 45}
#: Share of the spreads in which every design lies by itself.
SORTED = 0.35
#: How often cards mainly lie so.
WAYS = {"row": 0.45, "arc": 0.2, "heap": 0.35}


def draw_ending(
    rng: np.random.Generator,
    decks: list[Art],
    surface: MakeSurface,
    count: tuple[int, int] = (10, 110),
    ways: Mapping[str, float] = WAYS,
) -> Still:
    """Backs in rows, arcs and loose heaps; every card shows a strip of at least 6 mm along a good part of a side.

    `count`: least and most cards; `ways`: how often they mainly lie in rows, arcs, heaps or columns. All the
    `decks` are there, so they are 2 to 6.
    """
    return still_of(picture_ending(rng, decks, surface, count, ways))


def picture_ending(
    rng: np.random.Generator,
    decks: list[Art],
    surface: MakeSurface,
    count: tuple[int, int] = (10, 110),
    ways: Mapping[str, float] = WAYS,
) -> Photograph:
    """As `draw_ending`, with the scene and its id buffer."""
    while True:
        spreader = Spreader(rng, POKER_MM if rng.random() < 0.75 else BRIDGE_MM)
        spread(spreader, brought(rng, decks, int(rng.integers(count[0], count[1] + 1))), ways)
        picture = photograph(rng, spreader.ground.cards, decks, surface)
        if all_show_strips(picture.scene, picture.painting.ids):
            return picture


def all_show_strips(scene: Scene, ids: Ids) -> bool:
    """Does every card of a picture show the strip, as its id buffer (h, w) has it?"""
    return all(
        shows_strip(ids, index, scene.project(card.corners_mm()), (card.width, card.height))
        for index, card in enumerate(scene.cards)
    )


def brought(rng: np.random.Generator, decks: list[Art], wanted: int) -> list[list[Named]]:
    """By deck: the cards that its player had brought to the centre, shuffled; `wanted` of them or all there are."""
    held = [rng.permutation(np.array(sorted(deck.faces))) for deck in decks]
    most = np.array([len(faces) for faces in held])
    shares = np.ones(len(decks), dtype=np.int64)
    skill = rng.dirichlet(np.full(len(decks), 4.0))
    while shares.sum() < min(wanted, most.sum()):
        room = skill * (shares < most)
        shares[int(rng.choice(len(decks), p=room / room.sum()))] += 1
    return [
        [(deck, str(face)) for face in faces[:share]]
        for deck, (faces, share) in enumerate(zip(held, shares, strict=True))
    ]


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that are laid out together, in one way."""

    way: str
    cards: list[Named]

    @property
    def breadth(self) -> float:
        """About how far it reaches across the table, mm."""
        if self.way == "heap":
            return 2 * (23.0 * float(np.sqrt(len(self.cards))) + 50)
        if self.way == "column":
            return 16.0 * len(self.cards) + 80
        return 12.0 * len(self.cards) + 80


def spread(spreader: Spreader, hands: list[list[Named]], ways: Mapping[str, float] = WAYS) -> None:
    """Lays all these cards, one group below the other; many of them in two or three columns."""
    rng = spreader.rng
    careless = float(rng.uniform(0.3, 1.0))
    groups = groups_of(rng, hands, ways)
    columns = min(len(groups), 1 + (len(groups) > 4) + (len(groups) > 9) + (rng.random() < 0.2))
    x = 0.0
    for column in np.array_split(np.arange(len(groups)), columns):
        those = [groups[i] for i in column]
        broad = max(group.breadth for group in those)
        lay_column(spreader, those, x + broad / 2, careless)
        x += broad + float(rng.uniform(10, 70))


def lay_column(spreader: Spreader, groups: list[Group], x: float, careless: float, y: float = 0.0) -> None:
    """Lays groups one below the other, the first at `y`."""
    rng = spreader.rng
    for group in groups:
        if group.way == "heap":
            half = group.breadth / 2
            y += half + spreader.heap(group.cards, x, y + half - 44) + float(rng.uniform(0, 60))
            continue
        if group.way == "column":
            y = spreader.columns(group.cards, x, y, careless) + float(rng.uniform(50, 110))
            continue
        lay = spreader.row if group.way == "row" else spreader.arc
        y = lay(group.cards, x + float(rng.normal(0, 25)), y, careless)
        y += float(rng.uniform(55, 120)) + (25 if group.way == "arc" else 0)


def groups_of(
    rng: np.random.Generator, hands: list[list[Named]], ways: Mapping[str, float] = WAYS
) -> list[Group]:
    """The cards of these hands, or all of them mixed, parted into what is laid out together."""
    if rng.random() < SORTED:
        parts = hands
    else:
        mixed = [card for hand in hands for card in hand]
        parts = [[mixed[i] for i in rng.permutation(len(mixed))]]
    main = str(rng.choice(list(ways), p=list(ways.values())))
    groups = []
    for part in parts:
        left = list(part)
        while left:
            way = main if rng.random() < 0.8 else str(rng.choice(list(ways)))
            n = int(rng.integers(LONGEST[way] // 3, LONGEST[way] + 1))
            # who lays columns has the backs of one deck before him, mostly
            cards = sorted(left[:n], key=lambda card: card[0]) if way == "column" else left[:n]
            groups.append(Group(way, cards))
            left = left[n:]
    return groups
