"""Lifts and landings of hands without a picture: the truth, with the faults that films showed."""

from __future__ import annotations

import pytest

from referee.umpire.sights import Interval
from scripts.measure.layouts.eye import FaultyEye
from scripts.measure.layouts.faults import NONE, Faults
from scripts.measure.layouts.hand import Wanted, staged
from scripts.measure.layouts.moments import FPS, pictures_of
from scripts.measure.layouts.tiles import TrueTiles
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM

TOLD_S = 0.2


def moments(faults: Faults) -> list[tuple[float, Interval | None, float, Interval | None]]:
    """Of the first plays of a hand: when each card left and what is told of that, when it landed and what is told."""
    hand, scene, _ = staged(Wanted(2, 5))
    eye = FaultyEye(scene, faults, 1, {seat: seat for seat in hand.deal})
    tiles, found = TrueTiles(scene.width, scene.height), []
    plays = sorted((m for m in scene.film.motions if m.deed.kind == "play"), key=lambda m: m.end)
    for motion in plays[:30]:
        scene.go_to(motion.end + TOLD_S)
        from_px, to_px = (
            scene.px(cards[-1].pose.corners(CARD_WIDTH_MM, CARD_HEIGHT_MM)[:, :2])
            for cards in (motion.taken, motion.put)
        )
        told = pictures_of(eye, tiles)
        since = motion.start - TOLD_S
        found.append((motion.start, told.lifted(from_px, since), motion.end, told.landed(to_px, since)))
    return found


def test_moments_lie_within_what_is_told_of_them() -> None:
    for left, lift, came, landing in moments(NONE):
        assert lift is not None and lift[0] <= left <= lift[1] <= lift[0] + 3.1 / FPS
        assert landing is not None and landing[0] <= came <= landing[1] <= landing[0] + 1.1 / FPS


@pytest.mark.parametrize(("missed", "off"), [(0.4, 0.0), (0.0, 0.4)])
def test_so_many_are_not_told_or_wrongly(missed: float, off: float) -> None:
    faults = Faults(landing_missed=missed, landing_off=off, lift_missed=missed, lift_off=off)
    told = moments(faults)
    asked = [(at, said) for left, lift, came, landing in told for at, said in ((left, lift), (came, landing))]
    silent = sum(said is None for _, said in asked) / len(asked)
    wrong = sum(said is not None and not said[0] <= at <= said[1] for at, said in asked) / len(asked)
    assert abs(silent - missed) < 0.15 and abs(wrong - off) < 0.15


def test_nothing_is_told_of_where_no_card_came() -> None:
    hand, scene, _ = staged(Wanted(2, 5))
    eye = FaultyEye(scene, NONE, 1, {seat: seat for seat in hand.deal})
    scene.go_to(10.0)
    told = pictures_of(eye, TrueTiles(scene.width, scene.height))
    nowhere = scene.lying()[0].corners * 0.0
    assert told.landed(nowhere, 0.0) is None and told.lifted(nowhere, 0.0) is None
