"""Where and when cards came to lie: on which card each, whether a deck has a pile of its own, how long after the last."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from vision.capture.frames import Image
from vision.dealt.landings import Landing
from vision.layout import Floats, SeenCard

#: A pause is so many times as long as the usual time between two cards; and so many times after one was taken back, and
#: before the last one, which the arm leaves slowly.
PAUSE, LONG = 1.75, 2.4


@dataclass(frozen=True, slots=True)
class Pause:
    """Time for a card between two that landed."""

    #: From the one to the other (s), and (4, 2) px of the picture: the other.
    since: float
    at: float
    corners: Floats = field(repr=False)
    #: (height, width, 3) the whole table at both moments.
    before: Image = field(repr=False)
    after: Image = field(repr=False)


def pauses(there: Sequence[tuple[Landing, SeenCard]]) -> list[Pause]:
    """Where cards came so late after one another that another one may have been dealt: dealing has its rhythm."""
    landings = [landing for landing, _ in there]
    if len(landings) < 3:
        return []
    usual = float(np.median(np.diff([one.at for one in landings])))
    gone = [one.gone for one in landings if one.gone is not None]
    found = []
    for last, one in pairwise(landings):
        before = [at for at in gone if last.at < at < one.at]
        since = max(before, default=last.at)
        long = LONG if before or one is landings[-1] else PAUSE
        if one.at - since > long * usual and last.table is not None and one.table is not None:
            found.append(Pause(since, one.at, one.corners, last.table, one.table))
    return found


def lay_under(landing: Landing, there: Sequence[tuple[Landing, SeenCard]]) -> str | None:
    """The deck of the card that lay there last before this one."""
    near = np.linalg.norm(landing.corners[0] - landing.corners[2]) / 2
    middle = landing.corners.mean(axis=0)
    labels = [
        card.back or "unknown"
        for other, card in there
        if other.at < landing.at
        and (other.gone is None or other.gone > landing.at)
        and np.linalg.norm(other.corners.mean(axis=0) - middle) < near
    ]
    return labels[-1] if labels else None


def has_its_pile(labels: Collection[str], there: Sequence[tuple[Landing, SeenCard]]) -> bool:
    """Did whoever dealt lay all of some designs and nothing else onto one pile? One design is one deck for them, too."""
    lying = [(landing, card.back in labels) for landing, card in there if landing.gone is None]
    middles = np.array([landing.corners.mean(axis=0) for landing, _ in lying])
    mine = np.array([is_it for _, is_it in lying])
    wide, high = _size(lying[0][0])
    far = np.linalg.norm(middles - np.median(middles[mine], axis=0), axis=1)
    return bool((far[mine] < np.hypot(wide, high) / 2).all()) and bool((far[~mine] > wide).all())


def on_one_pile(labels: Collection[str], there: Sequence[tuple[Landing, SeenCard]]) -> list[set[str]]:
    """Of each pile that some designs share, with nothing else on it, while others lie elsewhere: its designs."""
    lying = [
        (landing.corners.mean(axis=0), card.back or "unknown")
        for landing, card in there
        if landing.gone is None
    ]
    found: list[set[str]] = []
    for label in labels:
        middle = np.median([at for at, back in lying if back == label], axis=0)
        wide, _ = _size(there[0][0])
        pile = {back for at, back in lying if back in labels and np.linalg.norm(at - middle) < wide}
        some = 1 < len(pile) < len(labels)
        if label in pile and some and pile not in found and has_its_pile(pile, there):
            found.append(pile)
    return found


def _size(landing: Landing) -> tuple[float, float]:
    """The short and the long side of a card (px)."""
    corners = landing.corners
    wide, high = sorted(float(np.linalg.norm(corners[one] - corners[1])) for one in (0, 2))
    return wide, high


def waits_of(there: Sequence[tuple[Landing, SeenCard]]) -> Floats:
    """(n,) how long after the last one every card landed, for the usual time between two; infinite for the first."""
    at = np.array([landing.at for landing, _ in there], dtype=np.float64)
    gaps = np.diff(at, prepend=-np.inf)
    usual = float(np.median(gaps[1:])) if len(at) > 2 else 0.0
    return np.asarray(gaps / usual if usual > 0 else np.full(len(at), np.inf))
