"""What looks like the table all around it is no card.

Tartan and newspapers have edges, margins and patches like those of backs, and where the finder and the row reader are
taken in, everything about such a card agrees: edges, size, company. But a false card shows what the table shows
elsewhere, and a real one hardly ever does. So the picture is put into words (clusters of colour and roughness, as in
texture recognition by visual words: Leung and Malik 2001), and a card whose words are those of the bare table is none.
"""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.shrink import shrunk

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
Pixels = NDArray[np.uint8]
Words = NDArray[np.intp]

#: Words in a picture, places that they are found from, and the width of a card there, px.
WORDS, SAMPLES, CARD_PX = 48, 6000, 56.0
#: How far around roughness is measured (px), and what lightness counts against colour: light varies more than paint.
AROUND, LIGHT = 3.0, 0.5
#: Share of a picture that a word may have by chance.
CHANCE = 0.002
#: Places around cards that may still show them (their shadows, edges off by a little), px.
RIM = 3
#: A back is none that is as likely as the first to be bare table by what it shows (log odds a place), and is believed in
#: no more than the second. Of 7,378 backs and what was taken for them in 261 pictures of `tune` (43 of them all on
#: newspaper) 28 of 154 false ones are dropped so, and 7 true ones.
LIKE, DOUBTED = -0.1, 0.88
#: Rounds in which words settle.
SETTLE = 12
#: Places that are put into words in one go: what fits a processor's cache.
AT_ONCE = 4096
#: How often the bare table is looked at anew, without those that were no cards after all.
ROUNDS = 4


class Tabletop:
    """A picture in words, to compare cards with what lies bare."""

    def __init__(self, image: Pixels, width: float) -> None:
        """`image` (H, W, 3) BGR; `width` of a card, px."""
        self._image, self._zoom = image, CARD_PX / max(width, 1.0)

    @cached_property
    def _words(self) -> Words:
        return _words(self._image, self._zoom)

    @cached_property
    def _whole(self) -> Floats:
        return _share(self._words.ravel())

    def no_cards(self, masks: Masks, sure: Floats, backs: Masks) -> Masks:
        """(n,) which cards are none because they look like the table.

        `masks` (n, h, w): what is seen of each card, on any grid over the whole picture, no place of two cards; `sure`
        (n,) probability so far; `backs` (n,): which of them show a back, the only ones that are judged.
        """
        none = np.zeros(len(masks), dtype=bool)
        asked = np.flatnonzero(backs & (sure < DOUBTED))
        if not len(asked):
            return none
        shown = _labels(masks, *self._words.shape)
        shares = np.stack([self._shares(shown == card) for card in asked])
        for _ in range(ROUNDS):
            bare = ~_widened(np.append(~none, False)[shown])
            like = shares @ np.log((_share(self._words[bare]) + CHANCE) / (self._whole + CHANCE))
            fails = asked[like > LIKE]
            if none[fails].all():
                break
            none[fails] = True
        return none

    def likeness(self, masks: Masks, cards: NDArray[np.intp]) -> Floats:
        """(m,) log odds a place by which some of the cards look like what no card lies on; 0 where all is covered.

        `masks` as in `no_cards`; `cards` (m,) numbers of those that are asked about.
        """
        if not len(cards):
            return np.zeros(0)
        shown = _labels(masks, *self._words.shape)
        bare = ~_widened(shown >= 0)
        if not bare.any():
            return np.zeros(len(cards))
        told = np.log((_share(self._words[bare]) + CHANCE) / (self._whole + CHANCE))
        return np.array([self._shares(shown == card) @ told for card in cards])

    def _shares(self, mask: Masks) -> Floats:
        """(WORDS,) how common each word is within a mask, but for its rim."""
        left, top, wide, high = cv2.boundingRect(mask.astype(np.uint8))
        box = np.s_[max(top - 1, 0) : top + high + 1, max(left - 1, 0) : left + wide + 1]
        return _share(self._words[box][_inner(mask[box])])


def _words(image: Pixels, zoom: float) -> Words:
    """(h, w) the word that every place of the picture shows, at about `CARD_PX` a card."""
    size = (max(1, round(image.shape[1] * zoom)), max(1, round(image.shape[0] * zoom)))
    small = shrunk(image, size) if zoom < 1 else cv2.resize(image, size, interpolation=cv2.INTER_LINEAR)
    lab = cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    light = lab[..., 0]
    mean, square = (cv2.GaussianBlur(part, (0, 0), AROUND) for part in (light, light * light))
    rough = np.sqrt(np.maximum(square - mean * mean, 0))
    places = np.dstack([LIGHT * light, lab[..., 1], lab[..., 2], rough]).reshape(-1, 4)
    rng = np.random.default_rng(1)
    sample = places[rng.choice(len(places), SAMPLES)].astype(np.float64)
    different = len({place.tobytes() for place in sample})
    return _nearest(places, _centres(rng, sample, min(WORDS, different))).reshape(light.shape)


def _centres(rng: np.random.Generator, sample: Floats, count: int) -> Floats:
    """(count, d) means of clusters of (n, d) places: Lloyd's algorithm (1957) from Arthur and Vassilvitskii's start.

    Their start (k-means++, 2007): each next centre is a place, drawn by the square of how far off all centres are.
    """
    centres = sample[[int(rng.integers(len(sample)))]]
    off = np.full(len(sample), np.inf)
    while len(centres) < count:
        off = np.minimum(off, ((sample - centres[-1]) ** 2).sum(axis=1))
        drawn = int(np.searchsorted(np.cumsum(off / off.sum()), rng.uniform()))
        centres = np.vstack([centres, sample[min(drawn, len(sample) - 1)]])
    for _ in range(SETTLE):
        word = _nearest(sample.astype(np.float32), centres)
        number = np.bincount(word, minlength=count)
        sums = np.stack([np.bincount(word, part, count) for part in sample.T], axis=1)
        centres = np.where(number[:, None] > 0, sums / np.maximum(number, 1)[:, None], centres)
    return centres


def _nearest(places: NDArray[np.float32], centres: Floats) -> Words:
    """(n,) which centre each place is nearest to: the one with the largest 2 p . c - c . c."""
    # shifted to their middle: single precision is enough then
    middle = centres.mean(axis=0)
    away = (centres - middle).T
    side, height = (2 * away).astype(np.float32), (away**2).sum(axis=0).astype(np.float32)
    parts = [
        np.argmax((part - middle.astype(np.float32)) @ side - height, axis=1)
        for part in np.array_split(places, -(-len(places) // AT_ONCE))
    ]
    return np.concatenate(parts)


def _share(words: Words) -> Floats:
    """(WORDS,) how common each word is."""
    return np.asarray(np.bincount(words, minlength=WORDS) / max(len(words), 1), dtype=np.float64)


def _labels(masks: Masks, rows: int, columns: int) -> NDArray[np.int16]:
    """(rows, columns) which card is seen at every place, -1 none."""
    shown = np.full(masks.shape[1:], -1, np.int16)
    for card, mask in enumerate(masks):
        shown[mask] = card
    return np.asarray(cv2.resize(shown, (columns, rows), interpolation=cv2.INTER_NEAREST), dtype=np.int16)


def _inner(mask: Masks) -> Masks:
    """A mask without its rim, where that leaves something."""
    inner = np.asarray(cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)), dtype=bool)
    return inner if inner.any() else mask


def _widened(mask: Masks) -> Masks:
    return np.asarray(
        cv2.dilate(mask.astype(np.uint8), np.ones((2 * RIM + 1, 2 * RIM + 1), np.uint8)), dtype=bool
    )
