"""Which letter stands in a card's index, whatever its picture shows: also those of other languages.

The reader names faces of A, 2 to 10, J, Q, K, and takes what it was never shown for the nearest of these. A small network
beside it reads the corners alone, and knows the letters of German, French and Dutch courts, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.faces import certainty
from vision.layout import FACES, RANKS, SUITS, SeenCard
from vision.trained import open_model

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Of other languages: Bube or boer, Dame, roi, valet or vrouw.
FOREIGN = "BDRV"
LETTERS = RANKS + FOREIGN
#: What stands on king, queen and jack in other languages, by what `--indices` calls them: German, French, Dutch.
LANGUAGES: Mapping[str, Mapping[str, str]] = {
    "KDB": {"D": "Q", "B": "J"},
    "RDV": {"R": "K", "D": "Q", "V": "J"},
    "KVB": {"V": "Q", "B": "J"},
}
#: What the reader takes letters of other languages for; what it reads otherwise, and so surely, is not asked about.
LIKE, SURE = "JQK8T", 0.95
#: What the reader takes each letter for where it is sure, in drawn crops of the tuning decks (3 of 222 otherwise); a
#: letter that is read on a card that surely is something else is so much less likely.
TAKEN_FOR = {"B": "8KQ", "D": "QT", "R": "K8Q", "V": "KQJ"}
READ, ELSE = 0.9, 0.1
#: An index that is one of other languages' letters with so much is said to be none of the thirteen: by itself, beside
#: more cards that surely are so than cards with J or Q, and beside more of these. What is read with `PLAINLY` is sure.
NONE_OF_THEM, AMONG_SUCH, AMONG_USUAL, PLAINLY = 0.5, 0.2, 0.8, 0.8
#: A suit is told with it where so much of what is read is of this suit.
SUIT = 0.8
#: Rows and columns of a crop in which a letter stands, from its corner.
ROWS, COLUMNS = slice(2, 46), slice(1, 35)


def corners_of(crops: Pixels, masks: Pixels) -> Pixels:
    """(n, 2, 2, 44, 34): ink and mask of both corners with an index, the lower one turned.

    `crops` (n, 160, 112, 3) BGR and `masks` (n, 160, 112), 255 = the card's own visible part.
    """
    corners = np.zeros((len(crops), 2, 2, ROWS.stop - ROWS.start, COLUMNS.stop - COLUMNS.start), np.uint8)
    for number, (crop, mask) in enumerate(zip(crops, masks, strict=True)):
        both = np.stack([_ink(crop, mask), mask])
        corners[number, 0] = both[:, ROWS, COLUMNS]
        corners[number, 1] = both[:, ::-1, ::-1][:, ROWS, COLUMNS]
    return corners


def _ink(crop: Pixels, mask: Pixels) -> Pixels:
    """(160, 112): what the ink takes away of the paper's light, in the channel of which it takes most; 255 = all."""
    seen = crop[mask > 0] if mask.any() else crop.reshape(-1, 3)
    paper = np.percentile(seen[:: max(1, len(seen) // 1000)], 90, axis=0)
    left = (crop / np.maximum(paper, 8.0)).min(axis=2)
    return np.asarray(np.clip(255 * (1 - left), 0, 255), dtype=np.uint8)


class IndexReader:
    """The network; calibrated by the temperature that the model's metadata holds."""

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        self._session = open_model("indices.onnx", model, threads)
        metadata = self._session.get_modelmeta().custom_metadata_map
        self._temperature = float(metadata.get("temperature", "1"))

    def read(self, crops: Pixels, masks: Pixels) -> Floats:
        """(n, 18) chances of `LETTERS` and that no index is seen, of crops as the reader takes them."""
        if not len(crops):
            return np.zeros((0, len(LETTERS) + 1))
        corners = corners_of(crops, masks)
        flat = corners.reshape(-1, *corners.shape[2:]).astype(np.float32) / 255
        logits = self._session.run(None, {"corners": flat})[0].astype(np.float64) / self._temperature
        return together(logits.reshape(len(crops), 2, -1))


def together(logits: Floats) -> Floats:
    """(n, 18) chances by the (n, 2, 18) logits of both corners: each counts as far as it is seen."""
    chances = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances /= chances.sum(axis=2, keepdims=True)
    letters = np.maximum(chances[..., :-1], 1e-4)
    seen = 1 - chances[..., -1:]
    spoken = np.exp((seen * np.log(letters / letters.sum(axis=2, keepdims=True))).sum(axis=1))
    spoken *= seen.max(axis=1) / spoken.sum(axis=1, keepdims=True)
    return np.concatenate([spoken, 1 - spoken.sum(axis=1, keepdims=True)], axis=1)


def asked_about(cards: Sequence[SeenCard]) -> list[int]:
    """Which of these cards may bear a letter of another language, by what they were read as."""
    rows = []
    for row, card in enumerate(cards):
        read = card.face_probabilities
        if card.side == "face" and read is not None:
            best = int(np.argmax(read))
            if FACES[best][0] in LIKE or read[best] < SURE:
                rows.append(row)
    return rows


def doubt(cards: Sequence[SeenCard]) -> None:
    """Names no face, in place, of cards whose index is none of the thirteen: `partly` tells what can be said."""
    least = _least(cards)
    for card in cards:
        foreign = _beside_the_reading(card)
        if foreign < least or card.face_probabilities is None:
            continue
        suits = _suits(card.face_probabilities)
        best = int(np.argmax(suits))
        card.partly = f"?{SUITS[best] if suits[best] >= SUIT else '?'}"
        # what was read is kept in proportion, and is less than would be named
        card.face_probabilities = card.face_probabilities * min(1 - foreign, 0.1)
        card.face, card.face_confidence = None, 0.0


def speak(cards: Sequence[SeenCard], language: str) -> None:
    """Names the courts of a language (one of `LANGUAGES`), in place, whose letters were read on these cards."""
    means = LANGUAGES[language]
    for card in cards:
        if card.face_probabilities is None or card.letters is None or _chance(card, means) < AMONG_SUCH:
            continue
        ranks = np.zeros(len(RANKS))
        for letter, chance in zip(LETTERS, card.letters, strict=False):
            rank = means.get(letter, letter)
            if rank in RANKS:
                ranks[RANKS.index(rank)] += chance
        chances = (_suits(card.face_probabilities)[:, None] * (ranks / ranks.sum())).ravel()
        card.partly = None
        card.name_face(chances * (1 - float(card.letters[-1])))
        certainty.settle([card])


def _least(cards: Sequence[SeenCard]) -> float:
    """From which chance on an index is none of the thirteen: the decks of one picture mostly have letters of one kind."""
    such = sum(_chance(card, FOREIGN) >= PLAINLY for card in cards)
    usual = sum(_chance(card, "JQ") >= PLAINLY for card in cards)
    if such > usual + 1:
        return AMONG_SUCH
    return AMONG_USUAL if usual > such else NONE_OF_THEM


def _beside_the_reading(card: SeenCard) -> float:
    """That a face's index is none of the thirteen, by its letter and by what the reader took the card for."""
    if card.letters is None or card.side != "face" or card.face_probabilities is None:
        return 0.0
    best = int(np.argmax(card.face_probabilities))
    surely = card.face_probabilities[best] >= READ
    weight = {k: ELSE if surely and FACES[best][0] not in TAKEN_FOR[k] else 1.0 for k in FOREIGN}
    such = sum(weight[letter] * float(card.letters[LETTERS.index(letter)]) for letter in FOREIGN)
    return such / max(such + 1 - _chance(card, FOREIGN), 1e-9)


def _chance(card: SeenCard, letters: Collection[str]) -> float:
    """That a face's index is one of these letters; 0 where it was not read."""
    if card.letters is None or card.side != "face":
        return 0.0
    return float(sum(card.letters[LETTERS.index(letter)] for letter in letters))


def _suits(read: Floats) -> Floats:
    """(4,) chances of the suits, in the order of SUITS, by (52,) of faces."""
    suits = read.reshape(len(SUITS), -1).sum(axis=1)
    return np.asarray(suits / max(float(suits.sum()), 1e-9))
