"""A person who answers what a count asks by yes or no, truly: what that makes of the count.

Only what is marked on one card of one photo is answered (`PhotoScore.ask`), never a number. Who says that a card is not
of the deck that it was counted for then names the deck, as the page has them do: one that the score knows of, or another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as counting

import numpy as np

from datasets.truth import CardTruth
from referee.photos.mending import Mend
from referee.photos.score import Doubt, PhotoScore
from scripts.build.seen.kept import SeenPhoto
from scripts.matching import match
from vision.layout import SeenCard

#: So many questions a hand.
MOST = 3
#: A card lies at a spot where its middle is no further from it than this share of a card's width.
NEAR = 0.35


@dataclass(slots=True)
class Answered:
    """A count after some questions: the score, and how many were asked."""

    score: PhotoScore
    questions: int

    @property
    def certified(self) -> bool:
        """Is every deck's count sure, and what is left of each?"""
        return bool(self.score.decks) and all(deck.sure for deck in self.score.decks)


def answered(
    photos: Sequence[SeenPhoto], count: Callable[[Sequence[Mend]], PhotoScore], most: int = MOST
) -> Answered:
    """Asks until every deck is sure, nothing is asked any more or `most` questions were.

    `photos`: as their numbers in the score's doubts; `count`: the score with what was said of single cards.
    """
    mends: list[Mend] = []
    told = Answered(count(mends), 0)
    asked: set[tuple[object, ...]] = set()
    while told.questions < most and not told.certified:
        open_now = [doubt for doubt in told.score.ask if _key(doubt) not in asked]
        if not open_now:
            break
        asked.add(_key(open_now[0]))
        said = answer(open_now[0], photos, told.score)
        told.questions += 1
        if said is not None:
            mends.append(said)
            told.score = count(mends)
    return told


def answer(doubt: Doubt, photos: Sequence[SeenPhoto], score: PhotoScore) -> Mend | None:
    """What a person who sees the table says; None where they cannot tell, or it concerns what they said before."""
    assert doubt.place is not None
    assert doubt.corners is not None
    image, card = doubt.place["image"], doubt.place["card"]
    if doubt.place["mend"] is not None:
        return None
    if doubt.kind == "design":
        return _of_design(doubt, photos[image], card)
    if card is None:
        middle = np.array(doubt.corners).mean(axis=0)
        at = (float(middle[0]), float(middle[1]))
        missed = missed_at(photos[image], doubt.corners)
        there = missed is not None and labels_of(score, photos).get(missed.deck) == doubt.supposed
        return Mend(image, at=at, deck=doubt.supposed) if there else Mend(image, at=at, gone="card")
    true = true_card(photos[image], card)
    if true is None:
        return Mend(image, card, gone="card")
    if doubt.kind == "deck" or (doubt.kind == "card" and doubt.supposed is not None):
        return Mend(image, card, deck=_called(labels_of(score, photos), true.deck))
    if doubt.kind == "face":
        return Mend(image, card, face=true.face)
    return Mend(image, card)


def _of_design(doubt: Doubt, photo: SeenPhoto, card: int) -> Mend | None:
    """Whether the two cards that are shown are of one deck, and whether the second is one."""
    assert doubt.beside is not None
    other = np.array(doubt.beside).mean(axis=0)
    away = [float(np.linalg.norm(one.centre - other)) for one in photo.layout.cards]
    pair = true_card(photo, card), true_card(photo, int(np.argmin(away)))
    if pair[0] is None:
        return Mend(doubt.image, card, gone="card")
    if pair[1] is None:
        return None
    one = pair[0].deck == pair[1].deck
    return Mend(doubt.image, card, deck=None if one else doubt.otherwise, alike="one" if one else "two")


def true_card(photo: SeenPhoto, number: int) -> CardTruth | None:
    """Which true card the layout's card of this number is; None where it is none, or one that is counted already."""
    pairs = {seen: true for true, seen in match(photo.truth, photo.layout.cards)}
    return photo.truth[pairs[number]] if number in pairs else None


def missed_at(photo: SeenPhoto, corners: Sequence[Sequence[float]]) -> CardTruth | None:
    """The true card that lies at a spot and was not seen, if there is one."""
    spot = np.array(corners)
    at, width = spot.mean(axis=0), float(np.linalg.norm(spot[1] - spot[0]))
    found = {true for true, _ in match(photo.truth, photo.layout.cards)}
    missed = [card for number, card in enumerate(photo.truth) if number not in found]
    near = [(float(np.linalg.norm(np.array(card.corners).mean(axis=0) - at)), card) for card in missed]
    away, card = min(near, key=lambda one: one[0], default=(np.inf, None))
    return card if away <= NEAR * width else None


def labels_of(score: PhotoScore, photos: Sequence[SeenPhoto]) -> dict[int, str]:
    """Which label true decks have in a score: the one that most of a deck's cards bear, if most that bear it are its."""
    true = {
        (number, _where(photo.layout.cards[seen])): photo.truth[card].deck
        for number, photo in enumerate(photos)
        for card, seen in match(photo.truth, photo.layout.cards)
    }
    votes: Counter[tuple[int, str]] = Counter()
    for merged, label in score.counted:
        # by where they lie, for what was said of a card makes another of it
        for number, card in zip(merged.seen or (merged.photo,), merged.of or (merged.card,), strict=True):
            if (number, _where(card)) in true:
                votes[true[number, _where(card)], label] += 1
    usual, owner = dict[int, str](), dict[str, int]()
    for (deck, label), _ in votes.most_common():
        usual.setdefault(deck, label)
        owner.setdefault(label, deck)
    return {deck: label for deck, label in usual.items() if owner[label] == deck}


def _called(labels: Mapping[int, str], deck: int) -> str:
    """What somebody calls a deck: by its label, or as the page offers them to call one that has none."""
    fresh = (f"other {number}" if number > 1 else "other" for number in counting(1))
    return labels.get(deck) or next(name for name in fresh if name not in labels.values())


def _where(card: SeenCard) -> tuple[float, ...]:
    return tuple(float(value) for value in card.corners.ravel())


def _key(doubt: Doubt) -> tuple[object, ...]:
    """Which spot it is about, so that nobody is asked the same once more."""
    if doubt.kind == "design":
        return ("design", doubt.supposed, doubt.image, str(doubt.place))
    at = np.array(doubt.corners or [[0.0, 0.0]]).mean(axis=0).round(0)
    return (doubt.image, float(at[0]), float(at[1]))
