"""Left-over Nerts piles from their photos: which cards they show, how likely that is their number, what settles it.

All photos of one player's pile are taken to show it whole, laid out anew or not, unless they show other faces: those are
parts of it, and are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.photos.left.certain import bound, exact, figures_of
from referee.photos.mending import Mended
from referee.photos.requests import covered, outline_of, too_flat
from referee.photos.score import SURE_CARD, THIN, Doubt, PhotoScore, Request, State, Together
from referee.photos.spreads import Shots, likely
from vision.layout import Floats, Layout
from vision.photos.merging import MergedCard

#: Where a pile is not sure, cards less sure than this are asked about.
SURELY = 0.9
#: Two cards of one left-over pile that are read as one face with at least this are one, where the other is not sure; and
#: so surely a face must be read to tell one pile from another.
READ, NAMED = 0.5, 0.9
#: From such a share of a pile that hands hide on they are asked away.
HIDDEN = 0.01
#: What is left of doubts where the cards were laid out anew and as many are seen.
AGAIN = 0.3


@dataclass(slots=True)
class Pile:
    """A left-over pile as its photos show it."""

    cards: list[MergedCard]
    #: That this is their number, 0 to 1.
    confidence: float = 1.0

    @property
    def state(self) -> State:
        """Is it sure?"""
        return "sure" if self.confidence >= bound() else "asked"


@dataclass(frozen=True, slots=True)
class _Lay:
    """What some photos of the same lay show of a pile."""

    photos: tuple[int, ...]
    cards: list[MergedCard]
    figures: Floats

    @property
    def chance(self) -> float:
        """That this is their number, 0 to 1."""
        return exact(self.figures)

    @property
    def faces(self) -> set[str]:
        """The faces that are surely read."""
        cards = (merged.card for merged in self.cards)
        return {card.face for card in cards if card.face is not None and card.face_confidence >= NAMED}


def count_piles(result: PhotoScore, said: Mended, photos: Mapping[str, int], first: int) -> dict[str, Pile]:
    """The piles by seat, from so many `photos` of each, numbered from `first` on; what is in doubt about them is told in
    `result`."""
    found: dict[str, Pile] = {}
    for seat, number_of_photos in photos.items():
        numbered = dict(enumerate(said.layouts[first : first + number_of_photos], first))
        first += number_of_photos
        found[seat] = _pile(result, seat, numbered)
    return found


def _pile(result: PhotoScore, seat: str, numbered: Mapping[int, Layout]) -> Pile:
    pile = Pile([])
    for number, layout in numbered.items():
        if not layout.cards:
            asks = f"There is no card of {seat}'s left-over pile in this picture: is it the right one?"
            result.doubts.append(Doubt(asks, number))
            pile.confidence = 0.0
    shown = {number: layout for number, layout in numbered.items() if layout.cards}
    lays = []
    for spread in Shots.of(shown, None).spreads():
        cards = _once_each(likely(spread).cards)
        views = {photo: shown[photo] for photo in spread.photos}
        lays.append(_Lay(spread.photos, cards, figures_of(cards, views)))
    for part in _parts(lays):
        _count_part(result, seat, pile, part, shown)
    return pile


def _parts(lays: Sequence[_Lay]) -> list[list[_Lay]]:
    """The lays of each part of a pile: those that show other faces, and only these, are of different parts."""
    parts: list[list[_Lay]] = []
    for lay in lays:
        mine = next((part for part in parts if not any(_others(lay, other) for other in part)), None)
        if mine is None:
            parts.append([lay])
        else:
            mine.append(lay)
    return parts


def _others(one: _Lay, other: _Lay) -> bool:
    """Do two lays show other cards?"""
    if not one.faces or not other.faces:
        return False
    return len(one.faces & other.faces) * 2 < min(len(one.faces), len(other.faces))


def _count_part(
    result: PhotoScore, seat: str, pile: Pile, part: Sequence[_Lay], shown: Mapping[int, Layout]
) -> None:
    """Adds a part of a pile, as the lay that is surest shows it, and what is in doubt about it."""
    best = max(part, key=lambda lay: lay.chance)
    chance = _together(best, part)
    pile.cards += best.cards
    pile.confidence *= chance
    images = tuple(sorted(photo for lay in part for photo in lay.photos))
    result.spreads.append(Together(images, "left", len(best.cards)))
    result.left_figures.append((seat, best.figures))
    sure = chance >= bound()
    for merged in best.cards:
        card = merged.card
        least = SURE_CARD if sure else SURELY
        if not card.told and (card.confidence < least or card.visible_fraction < THIN):
            asks = f"Is this one card of {seat}'s left-over pile?"
            result.doubts.append(Doubt.at(merged, asks, "card"))
    if not sure:
        result.requests.append(_request(seat, best.photos[-1], shown[best.photos[-1]]))


def _together(best: _Lay, part: Sequence[_Lay]) -> float:
    """That the number of the `best` lay of a pile is exact, beside those of the others."""
    chance = best.chance
    if any(len(lay.cards) == len(best.cards) for lay in part if lay is not best):
        chance **= AGAIN
    for other in part:
        if len(other.cards) != len(best.cards):
            # of two that differ one at least is wrong
            mine, its = chance * (1 - other.chance), other.chance * (1 - chance)
            chance = mine / max(mine + its + (1 - chance) * (1 - other.chance), 1e-9)
    return chance


def _request(seat: str, photo: int, layout: Layout) -> Request:
    """What to do about a pile that is not sure."""
    flat = too_flat(photo, layout)
    if flat is not None:
        return flat
    if covered(layout) >= HIDDEN:
        asks = f"A hand lies over the cards that {seat} has left: take it away, and photograph them again"
        return Request("again", asks, photo)
    every = range(len(layout.cards))
    asks = f"Lay what {seat} has left further apart, so that each card shows a broad strip, and photograph it again"
    return Request("spread", asks, photo, outline_of(layout, every).round(1).tolist(), len(layout.cards))


def _once_each(cards: Sequence[MergedCard]) -> list[MergedCard]:
    """A pile's cards without those read as what a surer one is read as: it is of one deck, which has every card once."""
    named: dict[str, MergedCard] = {}
    for merged in sorted(cards, key=lambda m: -m.card.confidence):
        face = merged.card.face
        if face is not None and merged.card.face_confidence >= READ:
            named.setdefault(face, merged)
    return [
        merged
        for merged in cards
        if merged.card.face not in named
        or named[merged.card.face] is merged
        or merged.card.confidence >= SURE_CARD
        or merged.card.face_confidence < READ
    ]
