"""Dealing: each player brings and squares a deck, deals Nerts pile and work piles, and holds or lays down the stock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from datasets.evening.busy import Busy, untidy
from datasets.film.choreography import HELD
from datasets.film.movement import Hold, Lying
from datasets.film.poses import Pose
from datasets.play.deeds import Side
from datasets.scene import THICKNESS


@dataclass(frozen=True, slots=True)
class Habits:
    """How somebody deals."""

    #: Held in the other hand while it is dealt from; else the deck lies where the stock will lie.
    in_hand: bool
    #: Cards of the Nerts pile dealt at a time.
    packet: int
    nerts_first: bool
    work_backwards: bool
    #: Is the top card of the Nerts pile dealt face down and turned up when all is dealt?
    turns_later: bool
    #: Is the Nerts pile squared when it is complete?
    squares: bool


def draw_habits(rng: np.random.Generator, held: bool) -> Habits:
    """A player's habits; `held`: the stock is held in the hand while the hand is played."""
    return Habits(
        in_hand=held or bool(rng.random() < 0.6),
        packet=int(rng.choice([1, 1, 3, 4])),
        nerts_first=bool(rng.random() < 0.75),
        work_backwards=bool(rng.random() < 0.3),
        turns_later=bool(rng.random() < 0.5),
        squares=bool(rng.random() < 0.7),
    )


def deal_out(busy: Busy, start: Sequence[Lying], habits: Habits) -> list[Hold]:
    """All movements of one seat's deal, after which its cards lie as in `start`; when the other hand holds the stock."""
    piles: dict[str, list[Lying]] = {}
    for lying in start:
        piles.setdefault(lying.place.partition(" ")[2], []).append(lying)
    stock = piles.pop("stock")
    kept = stock[0].pose.z >= HELD
    hand: Side = "other" if habits.in_hand else "main"
    packets = list(_packets(piles, habits))
    deck = _deck(busy, stock, packets, lifted=habits.in_hand and not kept)
    brought = _bring(busy, deck, hand)
    if habits.in_hand:
        holds = [Hold(deck[0].pose, start=brought)]
    top = len(deck)
    for packet in packets:
        taken = deck[top - len(packet) : top]
        top -= len(packet)
        _deal(busy, taken, packet, habits)
    if habits.squares and len(piles["nerts"]) > 1:
        _square_nerts(busy, piles["nerts"])
    if habits.turns_later:
        down = [_face_down(piles["nerts"][-1])]
        busy.wait(0.1, 0.5)
        busy.move("deal", down, piles["nerts"][-1:], reach=0.3, carry=0.42, height=10.0)
    if not habits.in_hand:
        return []
    if kept:
        return holds
    busy.wait(0.05, 0.4)
    laid = busy.move("lay", deck[:top], stock, reach=0.05, carry=0.6, side="other", height=4.0)
    return [replace(holds[0], end=laid.start)]


def _packets(piles: dict[str, list[Lying]], habits: Habits) -> Iterator[list[Lying]]:
    """What is dealt in one movement each, in order; cards as they are to lie."""
    nerts = piles["nerts"]
    under = len(nerts) - 1
    parts = [nerts[i : min(i + habits.packet, under)] for i in range(0, under, habits.packet)]
    # the one that is turned up is dealt alone
    parts.append(nerts[under:])
    work = [[card] for place, pile in piles.items() if place.startswith("work") for card in pile]
    if habits.work_backwards:
        work.reverse()
    yield from [*parts, *work] if habits.nerts_first else [*work, *parts]


def _deck(
    busy: Busy, stock: Sequence[Lying], packets: Sequence[Sequence[Lying]], *, lifted: bool
) -> list[Lying]:
    """The squared deck, bottom to top: the stock, and on it what is dealt, the first card last."""
    up = HELD if lifted else 0.0
    deck = [replace(lying, pose=replace(lying.pose, z=lying.pose.z + up)) for lying in stock]
    base = deck[0].pose
    for packet in reversed(packets):
        # counted off as a packet, cards keep their order
        for lying in packet:
            pose = untidy(
                Pose(base.x, base.y, base.angle, 180.0, base.z + len(deck) * THICKNESS), busy.rng, 0.3, 0.3
            )
            deck.append(Lying(lying.card, pose, stock[0].place, len(deck)))
    return deck


def lying_in_lap(busy: Busy, deck: Sequence[Lying], side: Side) -> list[Lying]:
    """A deck, or what was gathered, as it lies out of sight."""
    x, y = busy.lap(side)
    place = f"{busy.seat} lap"
    return [
        replace(lying, pose=replace(lying.pose, x=x, y=y), place=place, order=order)
        for order, lying in enumerate(deck)
    ]


def _bring(busy: Busy, deck: Sequence[Lying], side: Side) -> float:
    """The deck comes to the table and is squared; the moment at which it is there."""
    rng = busy.rng
    loose = [replace(lying, pose=untidy(lying.pose, rng, 1.6, 1.8)) for lying in deck]
    brought = busy.move(
        "bring", lying_in_lap(busy, loose, side), loose, reach=0.5, carry=0.95, side=side, height=20.0
    )
    times = int(rng.integers(1, 3))
    for left in range(times - 1, -1, -1):
        busy.wait(0.05, 0.3)
        tidier = [replace(lying, pose=untidy(lying.pose, rng, 0.8 * left, 0.8 * left)) for lying in deck]
        busy.move("square", loose, tidier, reach=0.34, carry=0.4, height=2.0)
        loose = tidier
    busy.wait(0.1, 0.6)
    return brought.end


def _deal(busy: Busy, taken: Sequence[Lying], packet: Sequence[Lying], habits: Habits) -> None:
    """One packet from the deck to its place."""
    nerts = packet[-1].place.endswith("nerts")
    put = list(packet)
    if nerts and habits.squares:
        put = [replace(lying, pose=untidy(lying.pose, busy.rng, 1.8, 2.2)) for lying in put]
    if nerts and habits.turns_later and put[-1].pose.face_up:
        put[-1] = _face_down(put[-1])
    if len(packet) > 1:
        # they are counted off into the hand first
        busy.rest(taken[-1].pose, 0.2 * len(packet), reach=0.22)
        busy.move("deal", taken, put, reach=0.04, carry=0.42)
    elif nerts:
        busy.move("deal", taken, put, reach=0.17, carry=0.25, height=8.0)
    else:
        busy.wait(0.0, 0.15)
        busy.move("deal", taken, put, reach=0.26, carry=0.42, height=16.0)


def _square_nerts(busy: Busy, nerts: Sequence[Lying]) -> None:
    """The pile that was dealt loosely squared up, its top card as it lies now."""
    loose = {lying.card: lying for motion in busy.motions for lying in motion.put}
    before = [loose[lying.card] for lying in nerts]
    after = [
        replace(lying, pose=replace(lying.pose, flip=old.pose.flip))
        for lying, old in zip(nerts, before, strict=True)
    ]
    busy.wait(0.05, 0.3)
    busy.move("square", before, after, reach=0.3, carry=0.42, height=2.0)


def _face_down(lying: Lying) -> Lying:
    return replace(lying, pose=replace(lying.pose, flip=180.0))
