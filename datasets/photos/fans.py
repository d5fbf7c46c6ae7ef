"""Hands of faces laid open on a table, seen by a phone: fanned tightly about a point below them, or in rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from datasets.arrange import Arranger, Shoe, moved
from datasets.photos.phone import MakeSurface
from datasets.photos.photograph import photograph, still_of
from datasets.render import Art
from datasets.scene import BRIDGE_MM, POKER_MM, PlacedCard
from datasets.stills import Still

#: Hands in a picture, and cards of each.
HANDS, CARDS = (2, 4), (6, 13)
#: Share of the hands that are fanned, and of the fans whose upper left indices show; the others were fanned with the left
#: hand.
FANNED, RIGHT_HANDED = 0.65, 0.9
#: mm from the middle of a fan's cards to the point about which they are turned, and from card to card at the upper end.
RADIUS, STEP = (40.0, 130.0), (8.0, 17.0)
#: Radians that a fan spans at most.
WIDEST = 2.2
#: mm from the middle of the table to a player's hand.
SEATED = (120.0, 190.0)


def draw_fans(rng: np.random.Generator, decks: list[Art], surface: MakeSurface) -> Still:
    """Two to four hands of 6 to 13 faces of one deck, each before its player, askew now and then."""
    size = POKER_MM if rng.random() < 0.5 else BRIDGE_MM
    arranger = Arranger(rng, Shoe(rng, [sorted(deck.faces) for deck in decks[:1]]), size)
    number = int(rng.integers(HANDS[0], HANDS[1] + 1))
    reach = float(rng.uniform(*SEATED))
    cards: list[PlacedCard] = []
    for hand in range(number):
        way = 2 * np.pi * hand / number + float(rng.normal(0, 0.15))
        turn = way + np.pi if rng.random() < 0.5 else float(rng.normal(0, 0.3))
        cards += moved(_laid(arranger), reach * float(np.sin(way)), -reach * float(np.cos(way)), turn)
    return still_of(photograph(rng, cards, decks[:1], surface))


def _laid(arranger: Arranger) -> list[PlacedCard]:
    """One hand about the origin."""
    rng = arranger.rng
    count = int(rng.integers(CARDS[0], CARDS[1] + 1))
    if rng.random() >= FANNED:
        along = float(rng.choice([0.0, np.pi / 2]))
        return arranger.line(count, float(rng.uniform(9, 18)), along, True, float(rng.uniform(0.5, 1.8)))
    radius = float(rng.uniform(*RADIUS))
    step = min(float(rng.uniform(*STEP)) / (radius + arranger.size[1] / 2), WIDEST / count)
    fan = arranger.fan(count, step, radius, True)
    rightwards = len(fan) < 2 or fan[0].angle < fan[-1].angle
    if rightwards == (rng.random() < RIGHT_HANDED):
        return fan
    return [replace(card, x=-card.x, angle=-card.angle) for card in fan]
