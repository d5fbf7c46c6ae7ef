"""Whole hands from their photos: every seat's points, left-over fans, and what is asked, beside the truth.

    python -m scripts.measure.eyes.hands cache/hands-figures

for hands that scripts/measure/hands_kept.py kept; `make eval` draws its own.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm

from datasets.decks import Split
from datasets.photos.finished import FinishedHand, HandPhoto, draw_finished
from datasets.sets import decks_of, room_of
from datasets.stills import Still
from referee.photos.mending import Mend
from referee.photos.score import PhotoScore
from referee.photos.scoring import score_photos
from scripts.build.seen.following import Follower
from scripts.build.seen.kept import SeenPhoto, kept_hands
from scripts.building import BuildError, ended
from scripts.measure.eyes.answering import MOST, Answered, answered
from scripts.measure.eyes.shares import Share, share
from vision.eye import Sees
from vision.geometry.polygons import oriented_iou
from vision.layout import Layout

Floats = NDArray[np.float64]

#: Players of a hand, and photos of the foundations and of every spread.
PLAYERS, VIEWS = (2, 4), (1, 3)
#: Least visible share of every card of a fan; squared piles show less.
FANNED = 0.06
#: What a card left in the Nerts pile costs.
PENALTY = 2


@dataclass(slots=True)
class HandRecord:
    """One hand: what is true, and what its photos give."""

    number: int
    #: By seat: points, and those that the photos give; a deck that was not found gives None.
    points: list[int]
    given: list[int | None]
    #: Sum of the top ranks, and what the photos give.
    faces: int
    faces_given: int | None
    #: Cards of every fan, and how many were counted.
    fans: list[tuple[int, int]]
    #: Do the photos that were taken together show the same cards, and only these?
    together: bool
    #: Cards that were counted, cards that are asked about; decks with a wrong number, and those with a question.
    cards: int = 0
    asked: int = 0
    wrong: int = 0
    wrong_asked: int = 0
    #: After up to `answering.MOST` questions were answered truly: how many, is every count sure, and points by seat.
    questions: int = 0
    certified: bool = False
    then: list[int | None] = field(default_factory=list)
    #: The same where what is asked for is done first, once for each photo, if not all was sure: how many photos more.
    photos_more: int = 0
    questions_after: int = 0
    certified_after: bool = False
    after: list[int | None] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Has every seat its points?"""
        return list(self.points) == self.given


@dataclass(slots=True)
class Hands:
    """All hands that were measured."""

    records: list[HandRecord] = field(default_factory=list)

    def rows(self) -> list[tuple[str, str, object]]:
        """For the report: point, asked, measured."""
        records = self.records
        fans = [fan for record in records for fan in record.fans]
        seats = [pair for record in records for pair in zip(record.points, record.given, strict=True)]
        return [
            ("a whole hand's points from its photos exact", ">= 0.85", share(records, lambda r: r.exact)),
            ("... points of a seat exact", "", share(seats, lambda pair: pair[0] == pair[1])),
            ("... fans of a hand counted exactly", ">= 0.95", share(fans, lambda fan: fan[0] == fan[1])),
            ("... sum of top ranks exact", ">= 0.98", share(records, lambda r: r.faces == r.faces_given)),
            (
                "... photos of the same cards, and only these, taken together",
                "",
                share(records, lambda r: r.together),
            ),
            (
                "... cards asked about",
                "",
                Share(sum(r.asked for r in records), sum(r.cards for r in records)),
            ),
            (
                "... wrong decks with a question about a card of theirs",
                "",
                Share(sum(r.wrong_asked for r in records), sum(r.wrong for r in records)),
            ),
            (
                f"... certified after {MOST} questions of yes or no at most, answered truly",
                ">= 0.85",
                share(records, lambda r: r.certified),
            ),
            (
                "... points exact then",
                ">= 0.98",
                share([r for r in records if r.certified], lambda r: r.points == r.then),
            ),
            (
                "... questions a hand, on average",
                "",
                _mean([r.questions for r in records]),
            ),
            (
                "... certified where one request a photo is followed before such questions",
                ">= 0.85",
                share(records, lambda r: r.certified_after),
            ),
            (
                "... points exact then",
                ">= 0.98",
                share([r for r in records if r.certified_after], lambda r: r.points == r.after),
            ),
            ("... questions a hand, on average", "", _mean([r.questions_after for r in records])),
            ("... photos more a hand, on average", "", _mean([r.photos_more for r in records])),
        ]


def _mean(numbers: Sequence[int]) -> str | None:
    return f"{sum(numbers) / len(numbers):.1f}" if numbers else None


def measure_hands(eye: Sees, split: Split, seed: int, number: int) -> Hands:
    """The eye and the score on `number` hands drawn with decks of a split."""
    hands = Hands()
    for i in tqdm(range(number), desc="hands"):
        hand, follower = drawn_hand(split, seed, i)
        layouts = [eye.see(photo.still.image) for photo in hand.photos]
        hands.records.append(told_hand(hand, layouts, i, followed(eye, hand, follower, layouts)))
    return hands


def drawn_hand(split: Split, seed: int, number: int) -> tuple[FinishedHand, Follower]:
    """Hand `number` of a seed, and who does at its table what is asked; raises AssetError where art is missing."""
    room, rng = room_of(split, 0.0, ()), np.random.default_rng([seed, 8, number])
    decks = decks_of(room, rng, *PLAYERS, whole=True)
    hand = draw_finished(rng, decks, room.surface, VIEWS)
    return hand, Follower(rng, decks, room.surface, hand.table)


def followed(
    eye: Sees, hand: FinishedHand, follower: Follower, layouts: Sequence[Layout]
) -> list[tuple[HandPhoto, Layout]]:
    """Photos taken once what the score asks for was done, one thing for each photo of a hand, with what the eye sees in
    them; none where all is sure."""
    photos = _Photos.of(hand, list(zip(hand.photos, layouts, strict=True)))
    score = photos.counted()
    if Answered(score, 0).certified:
        return []
    taken = follower.follow(score.requests, photos.photos)
    return [(photo, eye.see(photo.still.image)) for photo in taken]


@dataclass(frozen=True, slots=True)
class _Photos:
    """The photos of a hand in the order in which a score has them: of the centre, then of piles, seat by seat."""

    hand: FinishedHand
    photos: list[HandPhoto]
    layouts: list[Layout]
    #: How many of them are of the centre.
    centre: int

    @classmethod
    def of(cls, hand: FinishedHand, seen: Sequence[tuple[HandPhoto, Layout]]) -> _Photos:
        """In that order, those of a pile as they were taken."""
        order = sorted(seen, key=lambda one: -1 if one[0].seat is None else one[0].seat)
        centre = sum(photo.kind != "fan" for photo, _ in seen)
        return cls(hand, [photo for photo, _ in order], [layout for _, layout in order], centre)

    def counted(self, mends: Sequence[Mend] = ()) -> PhotoScore:
        """What they give once everybody has said which deck is theirs."""
        centre = self.layouts[: self.centre]
        piles: dict[str, list[Layout]] = {}
        for photo, layout in zip(self.photos[self.centre :], self.layouts[self.centre :], strict=True):
            piles.setdefault(f"seat {photo.seat}", []).append(layout)
        # what is said of fans is said of photos that come after those of the centre
        bare = score_photos(centre, mends=[one for one in mends if one.image < self.centre])
        return score_photos(
            centre,
            seats={label: f"seat {seat}" for label, seat in _owners(self.photos, bare, self.hand).items()},
            left_piles=piles,
            penalty=PENALTY,
            players=_names(self.hand),
            mends=mends,
        )

    def answered(self) -> Answered:
        """What they give once questions about them were answered truly."""
        seen = zip(self.photos, self.layouts, strict=True)
        return answered([SeenPhoto(layout, photo.still.cards) for photo, layout in seen], self.counted)


def told_hand(
    hand: FinishedHand,
    layouts: Sequence[Layout],
    number: int,
    more: Sequence[tuple[HandPhoto, Layout]] = (),
) -> HandRecord:
    """The score that the photos of a hand give beside its truth; `more`: what `followed` gives."""
    seen = list(zip(hand.photos, layouts, strict=True))
    photos = _Photos.of(hand, seen)
    score = photos.counted()
    given, in_centre = _by_seat(hand, score)
    piles_counted = [spread.cards for spread in score.spreads if spread.shows == "left"]
    record = HandRecord(
        number,
        [brought - PENALTY * left for brought, left in zip(hand.centre, hand.left, strict=True)],
        given,
        sum(hand.foundations),
        score.total_by_faces,
        [
            (len(photo.still.cards), len(layout.cards) and piles_counted.pop(0))
            for photo, layout in seen
            if photo.kind == "fan"
        ],
        _together(score, photos.photos[: photos.centre]),
    )
    _asked(record, hand, score, in_centre, photos.photos[: photos.centre])
    told = photos.answered()
    record.questions, record.certified = told.questions, told.certified
    record.then = _by_seat(hand, told.score)[0]
    if more and not Answered(score, 0).certified:
        record.photos_more = len(more)
        told = _Photos.of(hand, [*seen, *more]).answered()
    record.questions_after, record.certified_after = told.questions, told.certified
    record.after = _by_seat(hand, told.score)[0]
    return record


def _names(hand: FinishedHand) -> list[str]:
    return [f"seat {seat}" for seat in range(len(hand.centre))]


def _by_seat(hand: FinishedHand, score: PhotoScore) -> tuple[list[int | None], list[int]]:
    """Points, None of a deck that was not found, and cards in the centre of every seat."""
    by_seat = {deck.seat: deck for deck in score.decks}
    names = _names(hand)
    return (
        [by_seat[name].points if name in by_seat else None for name in names],
        [by_seat[name].centre if name in by_seat else 0 for name in names],
    )


def _together(score: PhotoScore, photos: Sequence[HandPhoto]) -> bool:
    """Are the photos of one lay, and no others, counted as one?"""
    said = {spread.images for spread in score.spreads if spread.shows != "left"}
    lays: dict[int, list[int]] = {}
    for k, photo in enumerate(photos):
        lays.setdefault(photo.lay, []).append(k)
    return said == {tuple(images) for images in lays.values()}


def _owners(photos: Sequence[HandPhoto], score: PhotoScore, hand: FinishedHand) -> dict[str, int]:
    """Whose deck each label of a score is: the assignment that most cards of the photos agree with."""
    votes: Counter[tuple[str, int]] = Counter()
    for merged, label in score.counted:
        still = photos[merged.photo].still
        over = [oriented_iou(np.array(card.corners), merged.card.corners) for card in still.cards]
        if max(over, default=0.0) >= 0.5:
            votes[label, still.cards[int(np.argmax(over))].deck] += 1
    labels = sorted({label for label, _ in votes})
    table = np.array([[votes[label, seat] for seat in range(len(hand.centre))] for label in labels])
    if not labels:
        return {}
    rows, columns = linear_sum_assignment(-table)
    return {labels[r]: int(c) for r, c in zip(rows, columns, strict=True) if table[r, c]}


def _asked(
    record: HandRecord, hand: FinishedHand, score: PhotoScore, counted: list[int], centre: Sequence[HandPhoto]
) -> None:
    """Counts questions about cards of the spreads, and the wrong decks that they touch."""
    record.cards = len(score.counted)
    touched: set[int] = set()
    for doubt in score.doubts:
        if doubt.corners is None or doubt.image >= len(centre) or centre[doubt.image].kind != "backs":
            continue
        record.asked += 1
        at = np.array(doubt.corners).mean(axis=0)
        cards = centre[doubt.image].still.cards
        width = float(np.linalg.norm(np.array(doubt.corners[1]) - doubt.corners[0]))
        # a missed card hides among its neighbours: a question beside it is one about it
        near = [c for c in cards if np.linalg.norm(np.array(c.corners).mean(axis=0) - at) < 0.35 * width]
        touched |= {card.deck for card in near}
    wrong = {seat for seat, brought in enumerate(hand.centre) if counted[seat] != brought}
    record.wrong, record.wrong_asked = len(wrong), len(wrong & touched)


def fan_counts(still: Still, layout: Layout) -> list[tuple[int, int]]:
    """Cards of every left-over pile of a picture that is fanned, and how many were seen there."""
    piles: dict[int, list[int]] = {}
    for row, card in enumerate(still.cards):
        piles.setdefault(card.pile, []).append(row)
    seen = Counter(_pile_at(still, card.corners) for card in layout.cards)
    return [
        (len(rows), seen[pile])
        for pile, rows in piles.items()
        if min(still.cards[row].visible_fraction for row in rows) >= FANNED
    ]


def _pile_at(still: Still, corners: Floats) -> int | None:
    """The pile that a seen card lies on; None where none is."""
    over = [oriented_iou(np.array(card.corners), corners) for card in still.cards]
    best = int(np.argmax(over))
    return still.cards[best].pile if over[best] > 0.1 else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("hands", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    return ended("measure.eyes.hands", lambda: _told(options.hands))


def _told(folders: Sequence[Path]) -> str:
    kept = [seen for folder in folders for seen in kept_hands(folder)]
    if not kept:
        raise BuildError(f"{folders[0]} holds no hands; scripts.measure.hands_kept draws them")
    records = [told_hand(seen.hand, seen.layouts, n, seen.more) for n, seen in enumerate(kept)]
    rows = Hands(records).rows()
    return "\n".join([*map(str, records), *(f"{point}  {asked or '-'}  {got}" for point, asked, got in rows)])


if __name__ == "__main__":
    sys.exit(main())
