"""What a count on a live picture costs, and how it follows when cards are spread anew: drawn lays seen by a camera.

Of each lay there is a second of film, 1280 x 720, by a hand that hardly moves; then some cards are taken and spread anew,
in another light; the table is the first photo's. The eye looks at the first frame and, once the cards lie anew, quickly
at what changed; then at all of that frame, which the patched count is compared with. Seconds are of this process on one
thread: the camera itself, and sending its frames, are not in them.

python -m scripts.measure.eyes.viewfinder --split tune --seed 55 --lays 4
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from time import process_time

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import AssetError, Split
from datasets.film.swept import BLURRED, NOISE
from datasets.photos.lays import Lay, draw_lay
from datasets.photos.phone import Phone
from datasets.sets import PLAYERS, decks_of, room_of
from datasets.stills import Still
from scripts.building import ended, positive
from vision.eye import Eye
from vision.layout import Layout
from vision.photos.following import Follower
from vision.photos.patching import seen_again
from vision.photos.sweep import detail

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: The number of these lays in the seeds of their pictures, beside those of `datasets/sets.py`.
NUMBER = 14
SIZE, FRAMES = (1280, 720), 6
#: px by which a photo is continued beyond its edges; share of the cards that are spread anew; how far the hand moves,
#: radians, and for how long the shutter is open, shares of the way to the next frame.
BEYOND, ANEW, MOVES, OPEN = 700, 0.2, 0.05, 0.1


def filmed(rng: np.random.Generator, lay: Lay) -> tuple[list[Pixels], list[Pixels], Lay] | None:
    """Frames of a lay, and of what it is once some cards were spread anew; None where a photo does not show them all."""
    middles = np.array([card.corners_mm().mean(axis=0) for card in lay.cards])
    near = np.argsort(np.linalg.norm(middles - middles[rng.integers(len(middles))], axis=1))
    again = lay.spread_anew([int(card) for card in near[: max(3, round(ANEW * len(middles)))]])
    first, second = lay.photo_by(), again.photo()
    if first is None or second is None:
        return None
    still, phone = first
    both = replace(lay, cards=[*lay.cards, *again.cards])
    ways = _ways(rng, phone, both, 2 * FRAMES + 1)
    before = cv2.copyMakeBorder(still.image, BEYOND, BEYOND, BEYOND, BEYOND, cv2.BORDER_REPLICATE)
    after = _with_cards_of(still, second, np.asarray(before, dtype=np.uint8))
    back = np.linalg.inv(_beyond(still))
    pictures = [before] * FRAMES + [after] * FRAMES
    frames = [
        _frame(rng, np.asarray(p, np.uint8), ways[k] @ back, ways[k + 1] @ back)
        for k, p in enumerate(pictures)
    ]
    return frames[:FRAMES], frames[FRAMES:], again


def _beyond(still: Still) -> Floats:
    """(3, 3) mm to px of a still that is continued beyond its edges."""
    assert still.scene is not None
    shift = np.array([[1.0, 0, BEYOND], [0, 1, BEYOND], [0, 0, 1]])
    return np.asarray(shift @ still.scene.to_picture, dtype=np.float64)


def _with_cards_of(first: Still, second: Still, picture: Pixels) -> Pixels:
    """The first picture, but wherever either shows a card what the second one shows."""
    assert first.ids is not None
    assert second.ids is not None
    assert second.scene is not None
    onto = _beyond(first) @ np.linalg.inv(second.scene.to_picture)
    size = (picture.shape[1], picture.shape[0])
    other = cv2.warpPerspective(
        second.image, onto, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    there = cv2.warpPerspective((second.ids >= 0).astype(np.uint8), onto, size, flags=cv2.INTER_NEAREST)
    gone = cv2.copyMakeBorder(
        (first.ids >= 0).astype(np.uint8), BEYOND, BEYOND, BEYOND, BEYOND, cv2.BORDER_CONSTANT
    )
    cards = cv2.dilate(np.maximum(there, gone), np.ones((5, 5), np.uint8)) > 0
    return np.asarray(np.where(cards[..., None], other, picture), dtype=np.uint8)


def _ways(rng: np.random.Generator, phone: Phone, lay: Lay, count: int) -> list[Floats]:
    """(3, 3) each: mm to px of every frame, all cards of the lay in view."""
    held = replace(phone, width=SIZE[0], height=SIZE[1])
    decks = [str(i) for i in range(len(lay.decks))]
    turns = np.cumsum(rng.normal(0, MOVES / np.sqrt(count), (count, 2)), axis=0)
    moved = [replace(held, tilt=abs(held.tilt + a), roll=held.roll + b) for a, b in turns]
    return [np.asarray(one.aim(lay.cards, decks).to_picture, dtype=np.float64) for one in moved]


def _frame(rng: np.random.Generator, picture: Pixels, now: Floats, then: Floats) -> Pixels:
    summed = np.zeros((SIZE[1], SIZE[0], 3))
    for part in np.linspace(0.0, OPEN, BLURRED):
        way = now / now[2, 2] * (1 - part) + then / then[2, 2] * part
        summed += cv2.warpPerspective(picture, way, SIZE, flags=cv2.INTER_AREA)
    return np.asarray(np.clip(summed / BLURRED + rng.normal(0, NOISE, summed.shape), 0, 255), dtype=np.uint8)


def measure(eye: Eye, split: Split, seed: int, number: int, cards: tuple[int, int]) -> str | None:
    """One lay, in a line; None where its photos do not show all its cards."""
    rng = np.random.default_rng([seed, NUMBER, number])
    room = room_of(split, 0.0, ())
    lay, _ = draw_lay(rng, decks_of(room, rng, 2, PLAYERS), room.surface, cards)
    taken = filmed(rng, lay)
    if taken is None:
        return None
    first, later, again = taken
    began = process_time()
    layout = eye.see(first[0])
    full_s = process_time() - began
    follower, began = Follower(first[0]), process_time()
    for frame in [*first, *later]:
        detail(frame)
        followed = follower.follow(frame)
    frame_s = (process_time() - began) / (len(first) + len(later))
    if followed is None or layout.to_table is None:
        return f"{number}: lost"
    began = process_time()
    now = seen_again(eye, later[-1], layout, followed)
    part_s = process_time() - began
    whole = eye.see(later[-1])
    truth = _counts([str(card.deck) for card in again.cards])
    return (
        f"{number}: {len(again.cards)} cards at {layout.px_per_mm:.1f} px/mm; true {truth}, first look "
        f"{_of(layout)}, patched {_of(now)}, whole look {_of(whole)}; s: a frame {frame_s:.3f}, part {part_s:.1f}, "
        f"whole {full_s:.1f}"
    )


def _of(layout: Layout) -> list[int]:
    return _counts([card.back or "" for card in layout.cards if card.side == "back"])


def _counts(names: Sequence[str]) -> list[int]:
    return sorted(Counter(names).values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--split", choices=("tune", "figures"), default="tune")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lays", type=positive, default=10)
    parser.add_argument("--cards", type=int, nargs=2, default=(14, 50))
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("measure.eyes.viewfinder", lambda: _measured(options), AssetError)


def _measured(options: argparse.Namespace) -> str:
    eye, told = Eye(threads=1), 0
    for number in range(options.lays):
        line = measure(eye, options.split, options.seed, number, tuple(options.cards))
        told += line is not None
        if line is not None:
            print(line, flush=True)
    return f"{told} of {options.lays} lays"


if __name__ == "__main__":
    sys.exit(main())
