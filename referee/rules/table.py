"""What lies on the table: cards as things, each in one place, its face known, partly known or unknown.

A card is a number (its order of appearance). Its face may become known after it has moved: whoever asks later
finds the same thing, now with a face. `Table` moves what it is told to move; it knows no rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import and_

from referee.rules.cards import ALL, name, single
from referee.rules.places import Place


class Table:
    """Cards in places."""

    __slots__ = (
        "bound",
        "confused",
        "decks",
        "face_up",
        "faces",
        "masks",
        "moved_by",
        "piles",
        "place_of",
        "seen",
        "shown_by",
        "trusted",
    )

    def __init__(self) -> None:
        #: By card: face number, or -1 while unknown.
        self.faces: list[int] = []
        #: By card: what it can be as far as was said of this very card.
        self.masks: list[int] = []
        #: By card: the deck it belongs to.
        self.decks: list[str] = []
        self.face_up: list[bool] = []
        self.place_of: list[Place] = []
        #: By card: log position of the event that showed its face, of the one that last moved it; -1 = none.
        self.shown_by: list[int] = []
        self.moved_by: list[int] = []
        #: Cards of each place, bottom to top.
        self.piles: dict[Place, list[int]] = {}
        #: By deck and face: the card that is known to have it.
        self.bound: dict[str, dict[int, int]] = {}
        #: By deck: mask of the faces in `bound`.
        self.seen: dict[str, int] = {}
        #: Cards whose places may have been mixed up with one another's.
        self.confused: frozenset[int] = frozenset()
        #: By waste: log positions of plays that were trusted to take the top card, which was not known.
        self.trusted: dict[Place, tuple[int, ...]] = {}

    def copy(self) -> Table:
        """An independent copy."""
        twin = Table.__new__(Table)
        for slot in ("faces", "masks", "decks", "face_up", "place_of", "shown_by", "moved_by"):
            setattr(twin, slot, getattr(self, slot).copy())
        twin.piles = {place: pile.copy() for place, pile in self.piles.items()}
        twin.bound = {deck: bound.copy() for deck, bound in self.bound.items()}
        twin.seen = self.seen.copy()
        twin.confused = self.confused
        twin.trusted = self.trusted.copy()
        return twin

    def pile(self, place: Place) -> list[int]:
        """The cards of a place, bottom to top (not to be changed by the caller)."""
        return self.piles.get(place) or []

    def new_card(self, deck: str, mask: int, place: Place, by: int, *, up: bool) -> int:
        """A card put on top of `place`; bound to its face if `mask` says it."""
        card = len(self.faces)
        self.faces.append(-1)
        self.masks.append(mask)
        self.decks.append(deck)
        self.face_up.append(up)
        self.place_of.append(place)
        self.shown_by.append(-1)
        self.moved_by.append(by)
        self.piles.setdefault(place, []).append(card)
        if single(mask) >= 0:
            self.show(card, mask, by)
        return card

    def domain(self, card: int) -> int:
        """What a card can be: its face, or all that was said of it less what its deck shows elsewhere."""
        face = self.faces[card]
        if face >= 0:
            return 1 << face
        return self.masks[card] & ~self.seen.get(self.decks[card], 0)

    def show(self, card: int, mask: int, by: int) -> list[int]:
        """A card is seen to be one of `mask`; the later sight is believed.

        Returns the log positions of earlier sights that this contradicts.
        """
        deck, wanted = self.decks[card], single(mask)
        face = self.faces[card]
        if face >= 0 and mask >> face & 1:
            return []
        against: list[int] = []
        if face >= 0:
            against.append(self.shown_by[card])
            self._forget(card)
            self.masks[card] = ALL
        if wanted < 0:
            self.masks[card] = (self.masks[card] & mask) or mask
            return against
        other = self.bound.get(deck, {}).get(wanted)
        if other is not None:
            against.append(self.shown_by[other])
            self._forget(other)
            self.masks[other] = ALL & ~mask
        self.faces[card] = wanted
        self.masks[card] = mask
        self.shown_by[card] = by
        self.bound.setdefault(deck, {})[wanted] = card
        self.seen[deck] = self.seen.get(deck, 0) | mask
        return against

    def _forget(self, card: int) -> None:
        face, deck = self.faces[card], self.decks[card]
        self.faces[card] = -1
        self.shown_by[card] = -1
        del self.bound[deck][face]
        self.seen[deck] &= ~(1 << face)

    def confuse(self, cards: Sequence[int]) -> None:
        """Each of these cards, neighbours in a pile, may lie one place lower than is thought: none is known.

        Where neither a card nor the one above it was known, nothing is lost.
        """
        known = [self.faces[card] >= 0 or card in self.confused for card in cards]
        mixed = [card for card, *two in zip(cards, known, [*known[1:], False], strict=True) if any(two)]
        for card in cards:
            if self.faces[card] >= 0:
                self._forget(card)
            self.masks[card] = ALL
        self.confused |= frozenset(mixed)

    def is_confused(self, card: int) -> bool:
        """Whether it cannot be said if this card lies here or another one that was seen before."""
        return card in self.confused and self.faces[card] < 0

    def move(self, cards: Sequence[int], target: Place, by: int, at: int | None = None) -> None:
        """Move cards (bottom to top) to a place: on top, or from position `at` of its pile upwards."""
        for card in cards:
            self.piles[self.place_of[card]].remove(card)
        pile = self.piles.setdefault(target, [])
        at = len(pile) if at is None else min(at, len(pile))
        pile[at:at] = cards
        for card in cards:
            self.place_of[card] = target
            self.moved_by[card] = by

    def turn_up(self, cards: Iterable[int], *, up: bool = True) -> None:
        """Turn cards face up (or down)."""
        for card in cards:
            self.face_up[card] = up

    def text(self, card: int) -> str:
        """A card as written, from what was said of it."""
        face = self.faces[card]
        return name(1 << face) if face >= 0 else name(self.masks[card])

    def pick(
        self, place: Place, masks: Sequence[int], deck: str, *, bottom: bool = False
    ) -> tuple[list[int], bool]:
        """Which cards of a place somebody means who takes cards that are seen to be `masks` (bottom to top).

        First choice are the cards that can be reached, then known cards further down, then unknown ones; if
        none of the place's cards can be meant, the reachable ones are, and their faces were known wrongly.
        Returns the cards and whether the place held enough of them; a missing card is looked for by its face
        elsewhere in `deck` and left out if it is nowhere.
        """
        pile = self.pile(place)
        count = len(masks)
        reach = pile[:count] if bottom else pile[-count:]
        if len(reach) == count and all(map(and_, map(self.domain, reach), masks)):
            return reach, True
        picked: list[int] = []
        for mask in masks:
            card = self._pick_one(pile, mask, picked)
            if card is not None:
                picked.append(card)
        if len(picked) == count:
            return picked, True
        for mask in masks[len(picked) :]:
            elsewhere = self.bound.get(deck, {}).get(single(mask))
            if elsewhere is not None and elsewhere not in picked:
                picked.append(elsewhere)
        return picked, False

    def _pick_one(self, pile: list[int], mask: int, taken: list[int]) -> int | None:
        free = [card for card in reversed(pile) if card not in taken]
        for card in free:
            if self.faces[card] >= 0 and mask >> self.faces[card] & 1:
                return card
        for card in free:
            if self.faces[card] < 0 and self.domain(card) & mask:
                return card
        return free[0] if free else None
