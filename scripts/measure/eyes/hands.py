"""Whole hands from their photos: every seat's points, left-over fans, and what is asked, beside the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

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
from scripts.build.seen.kept import SeenPhoto
from scripts.measure.eyes.answering import MOST, answered
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
                f"{sum(r.questions for r in records) / len(records):.1f}" if records else None,
            ),
        ]


def measure_hands(eye: Sees, split: Split, seed: int, number: int) -> Hands:
    """The eye and the score on `number` hands drawn with decks of a split."""
    room, hands = room_of(split, 0.0, ()), Hands()
    for i in tqdm(range(number), desc="hands"):
        rng = np.random.default_rng([seed, 8, i])
        hand = draw_finished(rng, decks_of(room, rng, *PLAYERS, whole=True), room.surface, VIEWS)
        hands.records.append(told_hand(hand, [eye.see(photo.still.image) for photo in hand.photos], i))
    return hands


def told_hand(hand: FinishedHand, layouts: list[Layout], number: int) -> HandRecord:
    """The score that the photos of a hand give beside its truth."""
    centre = [k for k, photo in enumerate(hand.photos) if photo.kind != "fan"]
    fans = [k for k, photo in enumerate(hand.photos) if photo.kind == "fan"]
    score = counted(hand, layouts, centre, fans)
    given, in_centre = _by_seat(hand, score)
    piles_counted = [spread.cards for spread in score.spreads if spread.shows == "left"]
    record = HandRecord(
        number,
        [brought - PENALTY * left for brought, left in zip(hand.centre, hand.left, strict=True)],
        given,
        sum(hand.foundations),
        score.total_by_faces,
        [(len(hand.photos[k].still.cards), len(layouts[k].cards) and piles_counted.pop(0)) for k in fans],
        _together(score, [hand.photos[k] for k in centre]),
    )
    _asked(record, hand, score, in_centre, centre)
    told = answered(
        [SeenPhoto(layouts[k], hand.photos[k].still.cards) for k in (*centre, *fans)],
        lambda mends: counted(hand, layouts, centre, fans, mends),
    )
    record.questions, record.certified = told.questions, told.certified
    record.then = _by_seat(hand, told.score)[0]
    return record


def counted(
    hand: FinishedHand,
    layouts: list[Layout],
    centre: Sequence[int],
    fans: Sequence[int],
    mends: Sequence[Mend] = (),
) -> PhotoScore:
    """What the photos of a hand's centre and fans give once everybody has said which deck is theirs."""
    piles = {f"seat {hand.photos[k].seat}": [layouts[k]] for k in fans}
    # what is said of fans is said of photos that come after those of the centre
    bare = score_photos([layouts[k] for k in centre], mends=[one for one in mends if one.image < len(centre)])
    owners = _owners(hand, layouts, centre, bare)
    return score_photos(
        [layouts[k] for k in centre],
        seats={label: f"seat {seat}" for label, seat in owners.items()},
        left_piles=piles,
        penalty=PENALTY,
        players=_names(hand),
        mends=mends,
    )


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


def _together(score: PhotoScore, photos: list[HandPhoto]) -> bool:
    """Are the photos of one lay, and no others, counted as one?"""
    said = {spread.images for spread in score.spreads if spread.shows != "left"}
    lays: dict[int, list[int]] = {}
    for k, photo in enumerate(photos):
        lays.setdefault(photo.lay, []).append(k)
    return said == {tuple(images) for images in lays.values()}


def _owners(
    hand: FinishedHand, layouts: list[Layout], centre: Sequence[int], score: PhotoScore
) -> dict[str, int]:
    """Whose deck each label of a score is: the assignment that most cards of the photos agree with."""
    votes: Counter[tuple[str, int]] = Counter()
    for merged, label in score.counted:
        still = hand.photos[centre[merged.photo]].still
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
    record: HandRecord, hand: FinishedHand, score: PhotoScore, counted: list[int], centre: list[int]
) -> None:
    """Counts questions about cards of the spreads, and the wrong decks that they touch."""
    record.cards = len(score.counted)
    touched: set[int] = set()
    for doubt in score.doubts:
        if (
            doubt.corners is None
            or doubt.image >= len(centre)
            or hand.photos[centre[doubt.image]].kind != "backs"
        ):
            continue
        record.asked += 1
        at = np.array(doubt.corners).mean(axis=0)
        cards = hand.photos[centre[doubt.image]].still.cards
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
