"""What somebody who sees the table says of single cards in its photos: one that is none, one that was not seen, what
one is. It holds in all photos that show the card, and nothing that is seen overrules it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from referee.photos.one_deck import told_apart
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, FACES, Doubted, Floats, Layout, SeenCard
from vision.photos.merging import SAME, MergedCard, compare, merge

#: A card in a picture that shows no other one: as wide as this share of the picture.
WIDTH = 1 / 12


class MendError(ValueError):
    """Something is said of a card or a photo that is not there."""


@dataclass(frozen=True, slots=True)
class Mend:
    """What is said of one card. Without anything beside its place: it is a card, and what it was taken for."""

    image: int
    #: Its number in the photo's layout; None for a card that was not seen, which lies (or, with `gone`, does not lie)
    #: around `at`, px.
    card: int | None = None
    at: tuple[float, float] | None = None
    #: It is no card; or its whole pile is none of those that count.
    gone: Literal["", "card", "pile"] = ""
    #: It is one of the deck with this label, whichever side it shows.
    deck: str | None = None
    #: It shows this face.
    face: str | None = None
    #: Nothing of the card itself: all that are called like it in its photo are of one deck, or the part of them that is
    #: like it is of another, `deck` (`referee.photos.one_deck`).
    alike: Literal["", "one", "two"] = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card comes from: its number in the layout of a photo, or the number of the mend that added it."""

    image: int
    card: int | None = None
    mend: int | None = None

    def to_json(self) -> dict[str, int | None]:
        """As printed with --json."""
        return {"image": self.image, "card": self.card, "mend": self.mend}


@dataclass(slots=True)
class Mended:
    """Photos as they were seen, or as somebody says that they are."""

    layouts: list[Layout]
    #: Where each card comes from, and decks that were said, by the `id` of the card (which `layouts` keeps alive).
    places: dict[int, Place] = field(default_factory=dict)
    decks: dict[int, str] = field(default_factory=dict)

    def deck_of(self, merged: MergedCard) -> str | None:
        """The label of the deck that somebody says this card is of."""
        return next((self.decks[id(card)] for card in merged.of if id(card) in self.decks), None)

    def places_of(self, merged: MergedCard) -> list[tuple[Place, SeenCard]]:
        """Where this card lies in each photo that shows it."""
        return [(self.places[id(card)], card) for card in merged.of if id(card) in self.places]


def mended(layouts: Sequence[Layout], mends: Sequence[Mend] = ()) -> Mended:
    """The photos with what is said of them; those of which nothing is said are the same objects. Raises MendError."""
    for mend in mends:
        _check(mend, layouts)
    said: dict[int, Mend] = {}
    result = Mended([])
    if mends:
        same = _same_cards(layouts)
        layouts, same = _told_apart(result, layouts, mends, same)
        for mend in mends:
            if mend.card is not None and not mend.alike:
                for card in _meant(mend, layouts[mend.image], same):
                    said[id(card)] = mend
    added: dict[int, list[int]] = {}
    for number, mend in enumerate(mends):
        if mend.card is None:
            added.setdefault(mend.image, []).append(number)
    for image, layout in enumerate(layouts):
        result.layouts.append(
            _mended(result, image, layout, said, {n: mends[n] for n in added.get(image, ())})
        )
    return result


def _told_apart(
    result: Mended,
    layouts: Sequence[Layout],
    mends: Sequence[Mend],
    same: dict[int, tuple[SeenCard, ...]],
) -> tuple[Sequence[Layout], dict[int, tuple[SeenCard, ...]]]:
    """The photos with what is said of whole designs, whose decks are told to `result`, and `same` of their cards."""
    designs = [
        (mend.image, mend.card, mend.alike, mend.deck)
        for mend in mends
        if mend.alike and mend.card is not None
    ]
    if not designs:
        return layouts, same
    single = [mend for mend in mends if mend.card is not None and not mend.alike]
    gone = {id(card) for mend in single for card in _meant(mend, layouts[mend.image], same)}
    now, decks = told_apart(layouts, designs, same, gone)
    result.decks |= {id(now[key]): label for key, label in decks.items()}
    same = {id(now[key]): tuple(now[id(view)] for view in views) for key, views in same.items() if key in now}
    return [replace(layout, cards=[now[id(card)] for card in layout.cards]) for layout in layouts], same


def _check(mend: Mend, layouts: Sequence[Layout]) -> None:
    if not 0 <= mend.image < len(layouts):
        raise MendError(f"there is no photo {mend.image + 1}: reload the page")
    if mend.card is None:
        if mend.at is None or not np.isfinite(mend.at).all():
            raise MendError("a card that was not seen needs a place: reload the page")
        if mend.face is None and mend.deck is None and not mend.gone:
            raise MendError("a card that was not seen needs a deck or a face: reload the page")
    elif not 0 <= mend.card < len(layouts[mend.image].cards):
        raise MendError(f"photo {mend.image + 1} shows no card {mend.card + 1}: reload the page")
    if mend.alike and (mend.card is None or layouts[mend.image].cards[mend.card].side != "back"):
        raise MendError("two decks are told apart by a card that shows its back: reload the page")
    if mend.alike == "two" and mend.deck is None:
        raise MendError("another deck needs a name: reload the page")
    if mend.face is not None and mend.face not in FACES:
        raise MendError(f"{mend.face} is no card: a rank and a suit, like QS")


def _same_cards(layouts: Sequence[Layout]) -> dict[int, tuple[SeenCard, ...]]:
    """By the `id` of a card: the card as each photo has it."""
    shown = list({id(layout): layout for layout in layouts if layout.cards}.values())
    compared = compare(shown) if len(shown) > 1 else {}
    together = (merged.of for spread in merge(shown, compared, SAME) for merged in spread.cards)
    return {id(card): of for of in together for card in of}


def _meant(mend: Mend, layout: Layout, same: Mapping[int, tuple[SeenCard, ...]]) -> list[SeenCard]:
    """The cards that something is said of, in all photos."""
    assert mend.card is not None
    one = layout.cards[mend.card]
    pile = [card for card in layout.cards if card.pile == one.pile] if mend.gone == "pile" else [one]
    return [each for card in pile for each in same.get(id(card), (card,))]


def _mended(
    result: Mended, image: int, layout: Layout, said: Mapping[int, Mend], added: Mapping[int, Mend]
) -> Layout:
    """One photo with what is said of its cards, which are told to `result`."""
    cards = []
    for number, card in enumerate(layout.cards):
        mend = said.get(id(card))
        if mend is not None and mend.gone:
            continue
        now = card if mend is None else _as_said(card, mend)
        result.places[id(now)] = Place(image, number)
        label = result.decks.get(id(card)) if mend is None or mend.deck is None else mend.deck
        if label is not None:
            result.decks[id(now)] = label
        cards.append(now)
    pile = max((card.pile for card in layout.cards), default=-1)
    doubted = [one for one in layout.doubted if not any(_is_there(one, mend) for mend in added.values())]
    for number, mend in added.items():
        if mend.gone:
            continue
        pile += 1
        now = _as_said(_unseen(layout, mend, pile), mend)
        result.places[id(now)] = Place(image, mend=number)
        if mend.deck is not None:
            result.decks[id(now)] = mend.deck
        cards.append(now)
    touched = len(cards) != len(layout.cards) or any(
        now is not was for now, was in zip(cards, layout.cards, strict=True)
    )
    if not touched and len(doubted) == len(layout.doubted):
        return layout
    return replace(layout, cards=cards, doubted=doubted)


def _is_there(one: Doubted, mend: Mend) -> bool:
    """Is what was nearly taken for a card the one that somebody says lies, or does not lie, there?"""
    assert mend.at is not None
    half = float(np.linalg.norm(one.corners[1] - one.corners[0])) / 2
    return float(np.linalg.norm(one.corners.mean(axis=0) - np.array(mend.at))) <= half


def _as_said(card: SeenCard, mend: Mend) -> SeenCard:
    card = replace(card, confidence=1.0, told=True)
    if mend.deck is not None:
        card.side, card.face, card.face_confidence = "back", None, 0.0
    elif mend.face is not None:
        card.side, card.face, card.face_confidence, card.back = "face", mend.face, 1.0, None
    elif card.face is not None:
        card.face_confidence = 1.0
    return card


def _unseen(layout: Layout, mend: Mend, pile: int) -> SeenCard:
    """A card that was not seen: it lies as the one next to it does."""
    assert mend.at is not None
    at = np.array(mend.at, dtype=np.float64)
    there = next((one for one in layout.doubted if _is_there(one, mend)), None)
    if there is not None:
        corners = there.corners
    elif layout.cards:
        near = min(layout.cards, key=lambda card: float(np.linalg.norm(card.centre - at)))
        corners = near.corners - near.centre + at
    else:
        corners = at + _upright(layout)
    return SeenCard(corners, "back", corners, 1.0, 1.0, pile=pile)


def _upright(layout: Layout) -> Floats:
    """(4, 2) px corners of a card around the origin, upright in the picture."""
    per_mm = layout.px_per_mm or WIDTH * max(layout.width, layout.height) / CARD_WIDTH_MM
    x, y = per_mm * CARD_WIDTH_MM / 2, per_mm * CARD_HEIGHT_MM / 2
    return np.array([[-x, -y], [x, -y], [x, y], [-x, y]], dtype=np.float64)
