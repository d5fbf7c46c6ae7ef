"""Gathering up: piles swept together, one onto the next, into a heap in front of each player that is then carried off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from datasets.evening.busy import Busy, untidy
from datasets.evening.dealing import lying_in_lap
from datasets.film.choreography import HELD
from datasets.film.movement import Lying
from datasets.film.poses import Pose
from datasets.film.table import Table
from datasets.play.deeds import Side
from datasets.scene import THICKNESS

#: Untidiness of a heap: standard deviations, mm and degrees.
HEAP = (4.5, 6.0)
#: Piles that one sweep takes at most, and mm from one to the next.
A_SWEEP, NEAR = 3, 230.0

Piles = dict[str, list[Lying]]


def piles_of(lying: Iterable[Lying]) -> Piles:
    """Cards by their place, each pile bottom to top; `lying` in the order in which they were laid."""
    piles: Piles = {}
    for card in lying:
        piles.setdefault(card.place, []).append(card)
    return piles


def shared_out(
    piles: Mapping[str, Sequence[Lying]], table: Table, rng: np.random.Generator
) -> dict[str, str]:
    """Place → the seat that gathers it: the own ones each, those of the centre whoever sits near them."""
    takers = {}
    for place, pile in piles.items():
        owner = place.split()[0]
        if owner not in table.styles:
            far = {seat: _apart(table.shoulders[seat], pile[-1].pose) for seat in table.styles}
            owner = min(far, key=lambda seat: far[seat] * float(rng.uniform(0.75, 1.25)))
        takers[place] = owner
    return takers


def gather_up(busy: Busy, piles: Piles) -> None:
    """One seat sweeps the piles that it takes into a heap and carries it off, in one go or in two."""
    own = {place: pile for place, pile in piles.items() if place.startswith(busy.seat)}
    centre = {place: pile for place, pile in piles.items() if place not in own}
    if bool(busy.rng.random() < 0.4):
        _heap_of(busy, own)
        busy.wait(0.1, 0.6)
        _heap_of(busy, centre)
    else:
        _heap_of(busy, {**own, **centre})


def _heap_of(busy: Busy, piles: Piles) -> None:
    """These piles gathered in one heap, squared and carried off."""
    if not piles:
        return
    rng = busy.rng
    sweeps = _sweeps(piles, busy)
    heap: list[Lying] = []
    spot = _heap_spot(busy, piles[sweeps[0][-1]])
    for sweep in sweeps:
        _sweep(busy, [piles[place] for place in sweep], heap, spot)
        busy.wait(0.02, 0.35)
    for loose in (0.3, 0.1)[int(rng.integers(2)) :]:
        square = [replace(lying, pose=_squared(lying.pose, spot, loose, rng)) for lying in heap]
        busy.move("square", heap, square, reach=0.25, carry=0.4, height=2.0)
        heap = square
    busy.wait(0.05, 0.5)
    busy.move("carry-off", heap, lying_in_lap(busy, heap, "main"), reach=0.3, carry=0.9, height=22.0)


def _sweeps(piles: Piles, busy: Busy) -> list[list[str]]:
    """The places in the order in which they are swept, those of one sweep together: neighbours, work piles first."""
    rng = busy.rng
    held = [place for place, pile in piles.items() if pile[0].pose.z >= HELD / 2]
    sweeps: list[list[str]] = []
    kinds = [
        [place for place in piles if " work " in place],
        [
            place
            for place in piles
            if place.startswith(busy.seat) and " work " not in place and place not in held
        ],
        [place for place in piles if not place.startswith(busy.seat)],
    ]
    if rng.random() < 0.3:
        kinds[1:] = kinds[:0:-1]
    for kind in kinds:
        left = sorted(kind)
        if left and rng.random() < 0.5:
            left.reverse()
        while left:
            sweep = [left.pop(0)]
            most = int(rng.integers(1, A_SWEEP + 1))
            while len(sweep) < most and left:
                last = piles[sweep[-1]][-1].pose
                near = min(left, key=lambda place: _apart((last.x, last.y), piles[place][-1].pose))
                if _apart((last.x, last.y), piles[near][-1].pose) > NEAR:
                    break
                left.remove(near)
                sweep.append(near)
            sweeps.append(sweep)
    for place in held:
        # the hand with the stock lays it down on what lies there
        sweeps.insert(min(1, len(sweeps)), [place])
    return sweeps


def _heap_spot(busy: Busy, pile: Sequence[Lying]) -> Pose:
    """Where the heap grows: on the pile at which the first sweep ends; out of the centre, before the player."""
    if pile[0].place.startswith(busy.seat) and pile[0].pose.z < HELD / 2:
        poses = [lying.pose for lying in pile]
        x, y = (float(np.mean([getattr(pose, axis) for pose in poses])) for axis in "xy")
        return Pose(x, y, poses[0].angle)
    return busy.before(float(busy.rng.uniform(-90, 90)), float(busy.rng.uniform(110, 150)))


def _sweep(busy: Busy, chain: Sequence[Sequence[Lying]], heap: list[Lying], spot: Pose) -> None:
    """A hand draws one pile onto the next, and all of them onto the heap."""
    held = chain[0][0].pose.z >= HELD / 2
    side: Side = "other" if held else "main"
    packet: list[Lying] = list(chain[0])
    reach = 0.4
    for pile in chain[1:]:
        base = pile[-1]
        onto = [
            replace(
                lying,
                pose=_on(base.pose, len(pile) + i, lying.pose, busy),
                place=base.place,
                order=len(pile) + i,
            )
            for i, lying in enumerate(packet)
        ]
        busy.move("gather", packet, onto, reach=reach, carry=0.42, height=5.0)
        packet, reach = [*pile, *onto], 0.06
    on_heap = [
        replace(
            lying,
            pose=_on(spot, len(heap) + i, lying.pose, busy),
            place=f"{busy.seat} gathered",
            order=len(heap) + i,
        )
        for i, lying in enumerate(packet)
    ]
    busy.move("gather", packet, on_heap, reach=0.05 if held else reach, carry=0.55, side=side, height=8.0)
    heap += on_heap


def _on(base: Pose, order: int, was: Pose, busy: Busy) -> Pose:
    """On a heap: about there, turned about as the card lay, its side up as it was."""
    pose = untidy(Pose(base.x, base.y, base.angle, was.flip, order * THICKNESS), busy.rng, *HEAP)
    return _turned(pose, was)


def _squared(was: Pose, spot: Pose, loose: float, rng: np.random.Generator) -> Pose:
    pose = _turned(Pose(spot.x, spot.y, spot.angle, was.flip, was.z), was)
    return untidy(pose, rng, loose * HEAP[0], loose * HEAP[1])


def _turned(pose: Pose, like: Pose) -> Pose:
    """The pose, or the same one half a turn on, whichever is nearer to how a card lay."""
    away = abs((like.angle - pose.angle + 180.0) % 360.0 - 180.0)
    return replace(pose, angle=pose.angle + 180.0) if away > 90 else pose


def _apart(a: tuple[float, float], b: Pose) -> float:
    return float(np.hypot(a[0] - b.x, a[1] - b.y))
