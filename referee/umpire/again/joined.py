"""Readings of one card at rest, made one: a card that nobody touches keeps its identity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import hypot

import numpy as np

from referee.rules.places import WORK, Place
from referee.umpire.again.kept import Look
from referee.umpire.sights import READING_FLOOR, SAME_PLACE_MM, STRIP, STRIP_FLOOR, Point, View
from vision.layout import Floats

#: A place looked as in the look before until so shortly (s) before this one: nothing was touched.
UNTOUCHED_S = 0.05
#: A card of a column that others lie on is the same though the column was touched, if it is seen so near (mm).
BURIED_MM = 2.5


@dataclass(slots=True)
class _Track:
    """One card at rest: where it was seen last, and all its readings, each with its weight."""

    at: Point
    readings: list[tuple[float, Floats]] = field(default_factory=list)
    #: Worked out when all are there.
    _joined: Floats | None = None

    def joined(self) -> Floats:
        """(52,) probabilities: the mean of the readings, by how much of the card each shows."""
        if self._joined is None:
            weights = np.array([weight for weight, _ in self.readings])
            chances = np.exp(np.array([read for _, read in self.readings]))
            self._joined = np.asarray(weights @ chances / weights.sum(), dtype=np.float64)
        return self._joined


def joined(looks: Iterable[Look]) -> Iterator[View]:
    """The views of these looks in order; each card is read as all looks at it, while it lay untouched, read it."""
    told = list(looks)
    lying: dict[Place, tuple[Look, list[_Track]]] = {}
    tracks: list[list[_Track]] = []
    for look in told:
        before = lying.get(look.place)
        own = (
            _followed(look, *before) if before else [_new(look, number) for number in range(len(look.cards))]
        )
        kept = own
        if before and _is_untouched(look, before[0]):
            # what was not made out this time lies there all the same
            kept = [*own, *(track for track in before[1] if not any(track is one for one in own))]
        lying[look.place] = look, kept
        tracks.append(own)
    for look, own in zip(told, tracks, strict=True):
        yield look.view(_faces(look, own))


def _followed(look: Look, before: Look, tracks: list[_Track]) -> list[_Track]:
    """A track for each card of a look, begun anew for what may be another card than lay there before."""
    untouched = _is_untouched(look, before)
    free, found = list(tracks), list[_Track]()
    for number, card in enumerate(look.cards):
        top = number == len(look.cards) - 1
        reach = SAME_PLACE_MM if untouched else BURIED_MM if look.place.kind == WORK and not top else -1.0
        near = [(_apart(card.at, track.at), id(track), track) for track in free if card.face_up]
        away, _, track = min(near, default=(np.inf, 0, None))
        if track is None or away > reach:
            found.append(_new(look, number))
            continue
        free = [one for one in free if one is not track]
        _add(track, look, number)
        found.append(track)
    return found


def _is_untouched(look: Look, before: Look) -> bool:
    return look.bare.untouched >= look.at - UNTOUCHED_S or look.at == before.at


def _new(look: Look, number: int) -> _Track:
    track = _Track(look.cards[number].at)
    _add(track, look, number)
    return track


def _add(track: _Track, look: Look, number: int) -> None:
    card = look.cards[number]
    track.at = card.at
    track.readings.append((max(card.visible, 0.05), look.faces[number].astype(np.float64)))


def _faces(look: Look, tracks: list[_Track]) -> np.ndarray:
    """(cards, 52) log probabilities."""
    read = np.zeros(look.faces.shape, np.float32)
    for number, (card, track) in enumerate(zip(look.cards, tracks, strict=True)):
        floor = READING_FLOOR if card.visible >= STRIP or len(track.readings) > 1 else STRIP_FLOOR
        read[number] = np.log(np.maximum(track.joined(), floor))
    return read


def _apart(a: Point, b: Point) -> float:
    return hypot(a[0] - b[0], a[1] - b[1])
