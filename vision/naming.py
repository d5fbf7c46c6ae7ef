"""What cards show: which side, which face, which back. Reads the crops of all cards of one picture together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.backs import similarity
from vision.backs.deckfile import EnrolledDeck
from vision.backs.designs import Designs
from vision.backs.enrolled import Enrolled
from vision.backs.margins import Split, margins, splits
from vision.backs.one_design import Evidence
from vision.backs.one_side import LEAST, open_faces, turned_over
from vision.backs.rims import rims
from vision.backs.turned import amiss, other_ways, weighed
from vision.backs.whole_backs import WholeBacks
from vision.faces import indices, inks
from vision.faces.reader import Reader, rectify
from vision.faces.sides import odds_of_back
from vision.found import Found
from vision.layout import FACES, Layout, SeenCard

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: A card of a photo that is read with less than this is read again, displaced by these shares of its width and length:
#: the finder is that far off, and what is read counts by the square of how sure it is.
UNSURE = 0.8
ACROSS, ALONG = 0.05, 0.035
DISPLACED = [(x, y) for x in (-ACROSS, 0.0, ACROSS) for y in (-ALONG, 0.0, ALONG) if x or y]
#: Cards of a row of which this share is seen need no neighbours to tell their side.
PLAIN = 0.5
#: A card is not read again when no more than this share of what is seen of it has changed.
SAME_SEEN = 0.01


@dataclass(frozen=True, slots=True)
class Known:
    """How a card was read before: where it was seen, (H / step, W / step), and (52,) chances of its face."""

    mask: NDArray[np.bool_]
    chances: Floats

    def holds(self, mask: NDArray[np.bool_]) -> bool:
        """Whether a card seen at `mask` looks the same."""
        return int(np.count_nonzero(mask ^ self.mask)) <= SAME_SEEN * int(np.count_nonzero(mask))


class Namer:
    """Reader and back matcher."""

    def __init__(self, models: Path | None, threads: int, decks: Sequence[EnrolledDeck] = ()) -> None:
        self._reader = Reader(None if models is None else models / "reader.onnx", threads)
        self._indices = indices.IndexReader(None if models is None else models / "indices.onnx", threads)
        self._designs = Designs(None if models is None else models / "designs.onnx", threads)
        self._whole = WholeBacks(None if models is None else models / "backs.onnx", threads)
        self._enrolled = Enrolled(decks) if decks else None

    def name(
        self,
        image: Pixels,
        cards: list[SeenCard],
        masks: NDArray[np.bool_],
        step: float,
        found: Found,
        known: Sequence[Known | None],
        *,
        briefly: bool = False,
    ) -> Floats:
        """Settles side and face of cards of `image`, in place; (n, 52) chances of their faces.

        `masks` (n, H / step, W / step): where each is seen; `found`: the same cards; `known`: earlier readings;
        `briefly`: as in `Reader.read`.
        """
        if not cards:
            return np.zeros((0, len(FACES)))
        corners = np.stack([card.corners for card in cards])
        chances = self._chances(image, corners, masks, step, known, briefly)
        _settle_sides(cards, chances, found)
        for card, mine in zip(cards, chances, strict=True):
            if card.side == "face":
                card.name_face(mine)
        return chances

    def read_again(
        self, image: Pixels, cards: Sequence[SeenCard], masks: NDArray[np.bool_], step: float
    ) -> None:
        """Names the faces that are hard to read anew, in place, from readings to all sides of where they were found."""
        known = {
            number: card.face_probabilities
            for number, card in enumerate(cards)
            if card.face_probabilities is not None and card.face_confidence < UNSURE
        }
        if not known:
            return
        hard = list(known)
        corners, shown = np.stack([cards[number].corners for number in hard]), masks[hard]
        across, along = corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]
        reads = [np.stack(list(known.values()))]
        for x, y in DISPLACED:
            moved = corners + x * across[:, None] + y * along[:, None]
            reads.append(self.read(image, moved, shown, step))
        every = np.stack(reads)
        weight = every.max(axis=2, keepdims=True) ** 2
        for number, chances in zip(hard, (weight * every).sum(axis=0) / weight.sum(axis=0), strict=True):
            cards[number].name_face(chances)

    def read_jointly(
        self, image: Pixels, cards: Sequence[SeenCard], masks: NDArray[np.bool_], step: float
    ) -> None:
        """Names the faces whose suit only their ink tells, in place, by the inks of the others."""
        rows = [row for row, card in enumerate(cards) if card.face_probabilities is not None]
        faces = [cards[row] for row in rows]
        if len(rows) > 1 and any(inks.is_open(card) for card in faces):
            crops, seen = rectify(image, np.stack([card.corners for card in faces]), masks[rows], step)
            inks.read_jointly(faces, inks.colours(crops, seen))

    def read_indices(
        self, image: Pixels, cards: Sequence[SeenCard], masks: NDArray[np.bool_], step: float
    ) -> None:
        """Says, in place, which letters stand in the indices of faces that may bear one of another language."""
        rows = indices.asked_about(cards)
        if rows:
            corners = np.stack([cards[row].corners for row in rows])
            letters = self._indices.read(*rectify(image, corners, masks[rows], step))
            for row, mine in zip(rows, letters, strict=True):
                cards[row].letters = mine

    def read(self, image: Pixels, corners: Floats, masks: NDArray[np.bool_], step: float) -> Floats:
        """(n, 52) chances of the faces of cards at `corners` (n, 4, 2) px, seen at `masks` (n, H / step, W / step)."""
        return self._reader.read(*rectify(image, corners, masks, step)).probabilities

    def _chances(
        self,
        image: Pixels,
        corners: Floats,
        masks: NDArray[np.bool_],
        step: float,
        known: Sequence[Known | None],
        briefly: bool,
    ) -> Floats:
        """(n, 52) chances of faces; cards of which nothing more or less is seen than before are not read again."""
        chances = np.zeros((len(corners), len(FACES)))
        fresh = np.ones(len(corners), dtype=bool)
        for number, (old, mask) in enumerate(zip(known, masks, strict=True)):
            if old is not None and old.holds(mask):
                chances[number], fresh[number] = old.chances, False
        if fresh.any():
            cut = rectify(image, corners[fresh], masks[fresh], step)
            chances[fresh] = self._reader.read(*cut, briefly=briefly).probabilities
        return chances

    def weigh_ways(
        self, image: Pixels, layout: Layout, masks: NDArray[np.bool_], step: float, spread: NDArray[np.bool_]
    ) -> tuple[NDArray[np.intp], Floats, Floats]:
        """How else backs that lie `spread` (n,) may lie: (m,) their numbers, (m, 4, 2) px where, and (m, 3) what tells of
        it."""
        backs, cards = np.flatnonzero(spread), layout.cards
        every = np.array([card.corners for card in cards]).reshape(-1, 4, 2)
        corners, shown = every[backs], masks[backs]
        rows, ways = other_ways(corners, shown, step, layout.to_table)
        if not len(rows):
            return rows, ways, np.zeros((0, 3))
        wrong = amiss(every, masks, step, backs[rows], ways)
        both = np.concatenate([corners, ways]), np.concatenate([shown, shown[rows]])
        odds = self._whole.odds(*rectify(image, *both, step))
        part = np.array([card.visible_fraction for card in cards])[backs]
        sure = np.array([card.confidence for card in cards])[backs]
        return backs[rows], ways, weighed(odds, rows, part, sure, wrong)

    def turn_over(
        self, image: Pixels, cards: Sequence[SeenCard], masks: NDArray[np.bool_], step: float
    ) -> None:
        """Takes faces for backs, in place, that are of one design and cannot be read (`vision/backs/one_side.py`)."""
        rows = open_faces(cards)
        if len(rows) < LEAST or not any(cards[row].side == "face" for row in rows):
            return
        some = [cards[row] for row in rows]
        crops, seen = rectify(image, np.stack([card.corners for card in some]), masks[rows], step)
        evidence = Evidence.of(crops, seen, self._designs, self._whole)
        for row in turned_over(some, similarity.group(evidence.odds(), evidence.counts())):
            card = some[row]
            card.side, card.face, card.face_confidence, card.face_probabilities = "back", None, 0.0, None

    def name_backs(
        self, image: Pixels, cards: Sequence[SeenCard], masks: NDArray[np.bool_], step: float
    ) -> None:
        """Says, in place, which of these cards that show their backs are of one deck, and of which."""
        rows = [row for row, card in enumerate(cards) if card.side == "back"]
        if rows:
            corners = np.stack([cards[row].corners for row in rows])
            self.group([cards[row] for row in rows], *rectify(image, corners, masks[rows], step))

    def group(self, cards: list[SeenCard], crops: Pixels, masks: Pixels) -> None:
        """Says, in place, which of these backs are of one deck, by their (n, 160, 112, 3) crops and masks."""
        found, shown_rims = similarity.patches(crops, masks), rims(crops, masks)
        sure: Floats | None = None
        margin: list[float | None] = [None]
        parts: list[tuple[Split, ...]] = [()]
        if self._enrolled is None and len(cards) == 1:
            names = similarity.name_designs(found, np.zeros(1, dtype=np.intp))
        else:
            evidence = Evidence.of(crops, masks, self._designs, self._whole, found)
            odds, counts = evidence.odds(), evidence.counts()
            if self._enrolled is None:
                designs = similarity.group(odds, counts)
                by_colour = similarity.name_designs(found, designs)
                names = [by_colour[design] for design in designs]
            else:
                names, sure = self._enrolled.name(crops, masks, evidence, self._whole)
            margin, parts = margins(odds, counts, names), splits(odds, counts, names)
        for number, card in enumerate(cards):
            card.back, card.back_margin, card.back_splits = names[number], margin[number], parts[number]
            card.back_confidence = None if sure is None else float(sure[number])
            card.back_embedding = similarity.embedding(found, number)
            card.rim = shown_rims[number]


def _settle_sides(cards: list[SeenCard], chances: Floats, found: Found) -> None:
    """Says of every card which side it shows; the strips of a row show one."""
    shown = np.array([card.visible_fraction for card in cards])
    odds = odds_of_back(found.back, chances, shown)
    # a card that is seen well speaks for itself
    in_rows = ~np.isnan(found.given) & (shown < PLAIN)
    piles = np.array([card.pile for card in cards])
    for pile in np.unique(piles[in_rows]):
        row = in_rows & (piles == pile)
        odds[row] = odds[row].mean()
    for card, back in zip(cards, odds, strict=True):
        card.side = "back" if back > 0 else "face"
