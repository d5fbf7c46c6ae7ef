"""What cards show of themselves: strips along a side are told from slivers, wedges and corners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.photos.showing import Ground, footprints, shows_strip
from datasets.render import Art, ArtShelf, PaintStyle, paint
from datasets.scene import POKER_MM, PlacedCard, Scene, overhead_camera

Pixels = NDArray[np.uint8]
PLAIN = PaintStyle((1.0, 1.0, 1.0), 0.0, 1.0, (0.0, 0.0), 0.0)
WIDE, HIGH = POKER_MM


@dataclass(frozen=True)
class Deck:
    faces: dict[str, Pixels]
    back: Pixels | None


def painted(*cards: PlacedCard, tilt: float = 0.0, roll: float = 0.0) -> tuple[Scene, NDArray[np.int16]]:
    camera = overhead_camera(900, 700, 3.0, roll=roll, tilt=tilt, tilt_towards=2.0, distance=1.2)
    scene = Scene(900, 700, camera, ["one"], list(cards))
    white = np.full((352, 252, 4), 255, np.uint8)
    deck: Art = Deck({"2S": white, "7D": white}, white)
    return scene, paint(scene, ArtShelf([deck]), np.zeros((700, 900, 3), np.uint8), PLAIN).ids


def below(*above: tuple[float, float, float], tilt: float = 0.0, roll: float = 0.0) -> bool:
    """Does a card at the origin show a strip with others at (x, y, angle) on it?"""
    cards = [PlacedCard(0, "2S", False, 0.0, 0.0, 0.0, 0)]
    cards += [PlacedCard(0, "7D", False, x, y, angle, 0) for x, y, angle in above]
    scene, ids = painted(*cards, tilt=tilt, roll=roll)
    return shows_strip(ids, 0, scene.project(cards[0].corners_mm()), POKER_MM)


@pytest.mark.parametrize("tilt", [0.0, 0.7])
@pytest.mark.parametrize("roll", [0.0, 0.9])
@pytest.mark.parametrize(("way", "sign"), [(0, 1), (0, -1), (1, 1), (1, -1)])
@pytest.mark.parametrize(("shift", "seen"), [(2.0, False), (4.5, False), (7.0, True), (12.0, True)])
def test_a_strip_counts_from_six_mm_on(
    tilt: float, roll: float, way: int, sign: int, shift: float, seen: bool
) -> None:
    spot = [0.0, 0.0]
    spot[way] = sign * shift
    assert below((spot[0], spot[1], 0.0), tilt=tilt, roll=roll) == seen


def test_a_strip_must_run_along_a_good_part_of_a_side() -> None:
    # the left strip is 8 mm wide; a second card covers all but its upper end
    assert below((8.0, 0.0, 0.0))
    assert below((8.0, 0.0, 0.0), (0.0, 46.0, 0.0))
    assert not below((8.0, 0.0, 0.0), (0.0, 18.0, 0.0))
    # in the middle of the strip a card lies across: two short ends are no strip
    assert not below((8.0, 0.0, 0.0), (-20.0, 0.0, np.pi / 2))


def test_a_large_corner_is_no_strip() -> None:
    # a card turned by 45 degrees on it leaves corners of more than 6 % of its area together
    assert not below((0.0, 0.0, np.pi / 4), (0.0, 0.0, -np.pi / 4))
    assert below()


def test_footprints_are_what_is_painted() -> None:
    rng = np.random.default_rng(4)
    cards = [
        PlacedCard(0, "2S", False, *rng.uniform(-60, 60, 2).tolist(), float(rng.uniform(0, 6)), 0)
        for _ in range(12)
    ]
    scene, ids = painted(*cards, tilt=0.6, roll=0.4)
    flat = footprints(scene)
    assert (flat >= 0).mean() == pytest.approx((ids >= 0).mean(), rel=0.02)
    # rounded corners and edges apart, the same card is topmost
    assert (flat == ids).mean() > 0.985


def test_a_ground_grows_as_far_as_cards_are_laid() -> None:
    ground = Ground(side=200)
    near, far = (PlacedCard(0, "2S", False, x, -x, 0.3, 0) for x in (10.0, 1500.0))
    assert ground.try_lay([near])
    assert ground.try_lay([far])
    for index, card in enumerate((near, far)):
        assert ground.shows(index)
        assert not ground.is_free([card])
    assert ground.is_free([PlacedCard(0, "3S", False, 700.0, -700.0, 0.3, 0)])
    assert not ground.try_lay([PlacedCard(0, "3S", False, 1501.0, -1501.0, 0.3, 0)])


def test_a_ground_refuses_what_hides_a_card_and_stays_as_it_was() -> None:
    ground = Ground(side=600)
    lowest = PlacedCard(0, "2S", False, 0.0, 0.0, 0.3, 0)
    assert ground.try_lay([lowest])
    assert not ground.try_lay([PlacedCard(0, "7D", False, 1.0, 1.0, 0.3, 0)])
    assert ground.cards == [lowest]
    # the card that was refused does not lie there
    assert ground.is_free([PlacedCard(0, "7D", False, 130.0, 0.0, 0.0, 0)])
    assert not ground.is_free([PlacedCard(0, "7D", False, 20.0, 60.0, 0.0, 0)])
    assert ground.shows(0)
    assert ground.try_lay([PlacedCard(0, "7D", False, 14.0, 0.0, 0.3, 0)])
    # two at once: the second would hide the first
    pair = [PlacedCard(0, face, False, 200.0, 0.0, 0.0, 1) for face in ("3C", "4C")]
    assert not ground.try_lay(pair)
    assert len(ground.cards) == 2
    assert ground.try_lay(pair[:1])
