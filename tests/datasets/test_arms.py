"""Arms: what hands wear, and a stock that is held in the other hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.film.choreography import HELD, Choreography, choreograph
from datasets.film.hand_mesh import HOLDING, REACHING, ArmLook, draw_arm
from datasets.film.setting import draw_setting
from datasets.film.table import lay_out
from datasets.play.plants import Plant
from datasets.play.players import find_hand

PLAIN = ArmLook(sleeve=140.0)


def arm(look: ArmLook, pose: object = REACHING) -> NDArray[np.float64]:
    picture, _ = draw_arm(HOLDING if pose is HOLDING else REACHING, look, 2.0, np.random.default_rng(1))
    return picture.astype(np.float64)


@pytest.mark.parametrize("pose", [REACHING, HOLDING])
def test_a_ring_is_a_small_band_of_metal_on_its_finger(pose: object) -> None:
    bare = arm(PLAIN, pose)
    places = {}
    for finger in (1, 3):
        worn = arm(replace(PLAIN, rings=(finger,), metal=(205.0, 205.0, 205.0)), pose)
        assert (worn[..., 3] == bare[..., 3]).all()
        rows, columns = np.nonzero(np.abs(worn - bare).max(axis=2) > 12)
        # 3 mm by the width of a finger, at 2 px/mm
        assert 60 < len(rows) < 400 and np.ptp(rows) < 40 and np.ptp(columns) < 60
        places[finger] = columns.mean()
    # the ring finger is further from the thumb than the index
    assert places[3] > places[1] + 30


def test_a_watch_sits_on_the_arm_unless_the_sleeve_hides_it() -> None:
    watch = (20.0, 20.0, 200.0)
    bare, worn = arm(PLAIN), arm(replace(PLAIN, strap=watch))
    assert (np.abs(worn - bare).max(axis=2) > 30).sum() > 2500
    short = replace(PLAIN, sleeve=5.0)
    assert (np.abs(arm(replace(short, strap=watch)) - arm(short)).max(axis=2) > 30).sum() < 300


def played(*plants: str) -> Choreography:
    setting = draw_setting(5)
    styles = {seat: replace(style, stock_in_hand=True) for seat, style in setting.styles.items()}
    table = lay_out(*setting.camera.room(), styles)
    staged = [Plant(kind, after=8) for kind in plants]
    hand = find_hand(setting.players, 3, longest=table.longest, latest=250, plants=staged)
    return choreograph(hand, table, np.random.default_rng(1))


def test_a_stock_in_the_hand_is_above_the_table_with_the_other_hand_at_it() -> None:
    film = played()
    stocks = [lying for lying in film.start if lying.place.endswith("stock")]
    assert stocks and all(lying.pose.z >= HELD for lying in stocks)
    assert all(lying.pose.z < 10 for lying in film.start if not lying.place.endswith("stock"))
    for seat in film.table.styles:
        spots, shoulder = film.table.spots, film.table.shoulders[f"{seat} other"]
        near = [
            np.hypot(spots[f"{seat} {p}"].x - shoulder[0], spots[f"{seat} {p}"].y - shoulder[1])
            for p in ("stock", "work 2", "waste")
        ]
        assert near == sorted(near)
        (at,) = [hand for hand in film.hands(20.0) if hand.arm == f"{seat} other"]
        lowest = next(lying for lying in stocks if lying.place == f"{seat} stock")
        assert np.hypot(at.x - lowest.pose.x, at.y - lowest.pose.y) < 40 and at.z >= HELD
    draws = [motion for motion in film.motions if motion.deed.kind == "draw"]
    assert all(m.taken[0].pose.z >= HELD > 10 > m.put[0].pose.z for m in draws)
    turned = next(motion for motion in film.motions if motion.deed.kind == "recycle")
    assert all(put.pose.z >= HELD for put in turned.put)


def test_who_plays_with_both_hands_has_laid_the_stock_down() -> None:
    film = played("two-hands")
    (seat,) = {motion.deed.seat for motion in film.motions if motion.deed.hand == "other"}
    assert f"{seat} other" not in film.holds and len(film.holds) == 1
    stock = [lying for lying in film.start if lying.place == f"{seat} stock"]
    assert max(lying.pose.z for lying in stock) < 15


def test_nobody_holds_a_stock_that_two_partners_play_from() -> None:
    held = [
        draw_setting(seed, game=game).styles.values() for game in ("nuts", "team-nuts") for seed in range(20)
    ]
    assert [any(style.stock_in_hand for style in styles) for styles in held[20:]] == [False] * 20
    assert any(style.stock_in_hand for styles in held[:20] for style in styles)
