"""Figures made of records: shares with their intervals, by what they may depend on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from scripts.measure.eyes.records import CardRecord, PictureRecord
from scripts.measure.eyes.shares import Share, share

#: Least visible share of a card that must be found; what counts as named surely; a top below this is asked about.
VISIBLE, SURE, DOUBT = 0.15, 0.99, 0.9
#: Bins of the reliability diagram.
BINS = 10


def tops(cards: Sequence[CardRecord]) -> list[CardRecord]:
    """Faces that lie on top of a pile and can be seen."""
    return [card for card in cards if card.top and card.face_up and card.visible >= VISIBLE]


def strips(cards: Sequence[CardRecord]) -> list[CardRecord]:
    """Strips of columns."""
    return [card for card in cards if card.strip]


def askew(cards: Sequence[CardRecord]) -> list[CardRecord]:
    """Faces of heaps, and of columns beneath hands, whose index shows."""
    return [card for card in cards if card.askew]


def recall(cards: Sequence[CardRecord]) -> Share:
    """Cards found, of those that show enough."""
    return share((card for card in cards if card.visible >= VISIBLE), lambda card: card.found)


def precision(cards: Sequence[CardRecord], pictures: Sequence[PictureRecord]) -> Share:
    """Seen cards that are there, slivers left out."""
    found = sum(card.found and card.visible >= VISIBLE for card in cards)
    false = sum(visible >= VISIBLE for picture in pictures for visible in picture.false)
    return Share(found, found + false)


def right(cards: Sequence[CardRecord]) -> Share:
    """Faces read right; missed ones are wrong."""
    return share(cards, lambda card: card.right)


def tables(cards: Sequence[CardRecord], doubts: bool) -> Share:
    """Pictures with every top read right, or (with `doubts`) right or marked doubtful."""
    pictures: dict[int, bool] = defaultdict(lambda: True)
    for card in tops(cards):
        pictures[card.picture] &= card.right or (doubts and card.confidence < DOUBT)
    return share(pictures.values(), bool)


def doubtful(cards: Sequence[CardRecord]) -> Share:
    """Tops that would be asked about."""
    return share(tops(cards), lambda card: card.confidence < DOUBT)


def named(cards: Sequence[CardRecord]) -> tuple[Share, Share]:
    """Of the visible faces, those named surely, missed ones in the denominator; of these, the wrong ones."""
    faces = [card for card in cards if card.face_up and card.visible >= VISIBLE]
    sure = [card for card in faces if card.confidence >= SURE]
    return Share(len(sure), len(faces)), share(sure, lambda card: not card.right)


def reliability(cards: Sequence[CardRecord]) -> list[tuple[float, float, int]]:
    """Mean confidence, share right, number; a bin each, of the faces that were named."""
    read = [card for card in cards if card.face_up and card.read is not None]
    bins: dict[int, list[CardRecord]] = defaultdict(list)
    for card in read:
        bins[min(int(card.confidence * BINS), BINS - 1)].append(card)
    return [
        (float(np.mean([c.confidence for c in some])), float(np.mean([c.right for c in some])), len(some))
        for _, some in sorted(bins.items())
    ]


def calibration_error(cards: Sequence[CardRecord]) -> float:
    """Expected calibration error (Naeini et al., 2015) over `BINS` bins of equal width."""
    bins = reliability(cards)
    total = sum(number for *_, number in bins)
    return sum(number * abs(said - so) for said, so, number in bins) / max(total, 1)


def confusions(cards: Sequence[CardRecord], most: int = 12) -> list[tuple[str, str, int]]:
    """True face, what it was read as, how often; the most frequent first."""
    wrong = Counter((c.face, c.read) for c in cards if c.face_up and c.read is not None and not c.right)
    return [(true, str(read), number) for (true, read), number in wrong.most_common(most)]


def counts(pictures: Sequence[PictureRecord], low: int, high: int) -> tuple[Share, float]:
    """Spreads of `low` to `high` cards with every deck's count exact; mean error a deck where not."""
    some = [p for p in pictures if low <= sum(p.counts) < high]
    errors = []
    for picture in some:
        if picture.counts != picture.counted:
            long = max(len(picture.counts), len(picture.counted))
            one, two = (sorted([0] * (long - len(c)) + c) for c in (picture.counts, picture.counted))
            errors.append(sum(abs(a - b) for a, b in zip(one, two, strict=True)) / len(picture.counts))
    return share(some, lambda p: p.counts == p.counted), float(np.mean(errors)) if errors else 0.0


def by(cards: Sequence[CardRecord], key: Callable[[CardRecord], str]) -> dict[str, list[CardRecord]]:
    """Records in groups, sorted by name."""
    groups: dict[str, list[CardRecord]] = defaultdict(list)
    for card in cards:
        groups[key(card)].append(card)
    return dict(sorted(groups.items()))
