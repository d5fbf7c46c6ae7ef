"""What lies over cards that are photographed: the photographer's shadow, a lamp's glare, people's hands."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.drawn_hand import draw_hand
from datasets.photos.showing import Ids, footprints, shows_strip
from datasets.render import HAND
from datasets.scene import Scene
from datasets.truth import index_shows

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]
Light = NDArray[np.float32]

#: mm of a head, of shoulders, of an arm and of a phone; a shadow is that much larger than what throws it.
HEAD, SHOULDERS, ARM, PHONE = (160.0, 210.0), 450.0, 75.0, (75.0, 155.0)
#: A shadow is drawn so many times smaller than the picture.
COARSE = 4
#: Of a lamp's glare that cards throw back, the share that the table does.
TABLE_SHINE = (0.15, 0.9)
PALM_MM = 85.0


@dataclass(frozen=True, slots=True)
class Shadow:
    """A shadow: (height, width) 0 to 1, how dark it is at most, and how much of it each of B, G, R loses."""

    mask: Light
    strength: float
    tint: tuple[float, float, float]

    def fall(self, image: Pixels) -> Pixels:
        """The picture with the shadow on it."""
        lost = self.strength * self.mask[..., None] * np.array(self.tint, np.float32)
        return np.asarray(image * (1 - lost), dtype=np.uint8)


def cast_by_photographer(rng: np.random.Generator, scene: Scene) -> Shadow:
    """Head and shoulders, or an arm with a phone, that come in from one side of the picture."""
    rows, columns = scene.height // COARSE + 1, scene.width // COARSE + 1
    # from below, where the photographer stands, more often than from the sides
    side = rng.choice(["below", "left", "right", "above"], p=[0.5, 0.2, 0.2, 0.1])
    large = scene.px_per_mm() / COARSE * float(rng.uniform(1.05, 1.7))
    middle = {
        "below": (rng.uniform(0.2, 0.8) * columns, rows),
        "left": (0, rng.uniform(0.2, 0.8) * rows),
        "right": (columns, rng.uniform(0.2, 0.8) * rows),
        "above": (rng.uniform(0.2, 0.8) * columns, 0),
    }[str(side)]
    turn = {"below": 0.0, "left": np.pi / 2, "above": np.pi, "right": -np.pi / 2}[str(side)]
    turn += float(rng.normal(0, 0.25))
    reach = float(rng.uniform(0.25, 0.7)) * (rows if side in ("below", "above") else columns)
    mask = np.zeros((rows, columns), np.uint8)
    draw = _arm_with_phone if rng.random() < 0.4 else _head_and_shoulders
    for outline in draw(rng, reach, large):
        c, s = np.cos(turn), np.sin(turn)
        spots = outline @ np.array([[c, s], [-s, c]]) + middle
        cv2.fillPoly(mask, [np.round(spots * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(
        mask.astype(np.float32) / 255, (0, 0), float(np.exp(rng.uniform(np.log(0.8), np.log(9))))
    )
    full = cv2.resize(soft, (scene.width, scene.height), interpolation=cv2.INTER_LINEAR)
    return Shadow(np.asarray(full, np.float32), float(rng.uniform(0.22, 0.62)), (0.9, 0.97, 1.0))


def _ellipse(x: float, y: float, across: float, along: float) -> Floats:
    """(24, 2) an outline with these diameters."""
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    return np.column_stack([x + across / 2 * np.cos(turn), y + along / 2 * np.sin(turn)])


def _head_and_shoulders(rng: np.random.Generator, reach: float, large: float) -> list[Floats]:
    """Outlines of somebody who comes `reach` px into the picture; x to the right, y out of it."""
    head, broad = np.array(HEAD) * large, SHOULDERS * large
    y = -reach + head[1] / 2
    x = float(rng.normal(0, 0.1)) * broad
    neck = y + 0.62 * head[1]
    far = neck + 3000 * large
    body = np.array(
        [
            [-0.09 * broad, neck - 0.2 * head[1]],
            [0.09 * broad, neck - 0.2 * head[1]],
            [0.13 * broad, neck + 0.12 * broad],
            [0.42 * broad, neck + 0.2 * broad],
            [0.52 * broad, neck + 0.42 * broad],
            [0.55 * broad, far],
            [-0.55 * broad, far],
            [-0.52 * broad, neck + 0.42 * broad],
            [-0.42 * broad, neck + 0.2 * broad],
            [-0.13 * broad, neck + 0.12 * broad],
        ]
    )
    outlines = [_ellipse(x * 0.3, y, *head), body]
    if rng.random() < 0.6:
        # both hands hold the phone before the face
        phone = np.array(PHONE)[::-1] * large
        above = y - float(rng.uniform(0.3, 0.9)) * head[1]
        box = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * phone + (0, above)
        outlines.append(box)
        for hand in (-1, 1):
            elbow = np.array([hand * 0.62 * broad, neck + 0.45 * broad])
            outlines.append(_limb(np.array([hand * 0.5 * phone[0], above]), elbow, ARM * large))
    beyond = min(float(outline[:, 1].min()) for outline in outlines) + reach
    return [outline - (0.0, min(beyond, 0.0)) for outline in outlines]


def _arm_with_phone(rng: np.random.Generator, reach: float, large: float) -> list[Floats]:
    """Outlines of one arm that holds a phone `reach` px into the picture."""
    tip = np.array([0.0, -reach])
    elbow = np.array([float(rng.uniform(-0.4, 0.4)) * reach, 300 * large])
    size = np.array(PHONE if rng.random() < 0.5 else PHONE[::-1]) * large
    box = np.array([[-0.5, -0.9], [0.5, -0.9], [0.5, 0.1], [-0.5, 0.1]]) * size + tip
    hand = _ellipse(0.0, -reach, 92 * large, 105 * large)
    sleeve = _limb(tip + np.array([0.0, 140 * large]), elbow, float(rng.uniform(1.2, 1.7)) * ARM * large)
    return [_limb(tip, elbow, ARM * large), sleeve, box, hand]


def _limb(start: Floats, end: Floats, thick: float) -> Floats:
    """(4, 2) of a limb that grows thicker from `start` to `end`."""
    way = end - start
    side = np.array([-way[1], way[0]]) / max(float(np.hypot(*way)), 1e-6) * thick / 2
    return np.array([start - 0.75 * side, start + 0.75 * side, end + 1.2 * side, end - 1.2 * side])


def glare_of_lamp(rng: np.random.Generator, scene: Scene, ids: NDArray[np.int16]) -> Light:
    """(height, width) light that cards, none quite flat, and less so the table throw back at the camera."""
    size = max(scene.width, scene.height)
    cx, cy = rng.uniform((0.1 * scene.width, 0.1 * scene.height), (0.9 * scene.width, 0.9 * scene.height))
    spread = np.exp(rng.uniform(np.log(0.03), np.log(0.16))) * size * rng.uniform(0.6, 1.5, 2)
    bends = rng.normal(0, 0.035 * size, (len(scene.cards) + 1, 2)).astype(np.float32)
    bends[-1] = 0.0
    # what is no card (NOTHING, HAND: below zero) takes the last row, which is flat
    which = np.where(ids >= 0, ids, len(scene.cards))
    shine = np.where(ids >= 0, np.float32(1), np.float32(rng.uniform(*TABLE_SHINE)))
    y, x = np.mgrid[0 : scene.height, 0 : scene.width].astype(np.float32)
    dx, dy = (x - cx + bends[which, 0]) / spread[0], (y - cy + bends[which, 1]) / spread[1]
    return np.asarray(rng.uniform(50, 190) * shine * np.exp(-(dx**2 + dy**2) / 2), dtype=np.float32)


def hands_at_rim(rng: np.random.Generator, scene: Scene, count: int) -> list[tuple[int, Pixels]]:
    """At most `count` hands that reach in from the rim, for `paint`.

    Cards go on showing what they can be counted and read by: the strip of a side, and of a face an index.
    """
    shrink = 0.5
    ids = footprints(scene, shrink)
    extras: list[tuple[int, Pixels]] = []
    for _ in range(count):
        hand = _hand_from_rim(rng, scene, shrink, (-0.3, 1.1))
        after = np.where(hand[..., 3] > 127, np.int16(HAND), ids)
        touched = np.unique(ids[(ids != after) & (ids >= 0)]).tolist()
        if not any(_spoils(scene, index, shrink, ids, after) for index in touched):
            ids = after
            extras.append(_whole(hand, scene))
    return extras


def hands_at_play(rng: np.random.Generator, scene: Scene, count: int) -> list[tuple[int, Pixels]]:
    """`count` hands of players, for `paint`; they hide what they reach over."""
    return [_whole(_hand_from_rim(rng, scene, 0.5, (0.8, 3.5)), scene) for _ in range(count)]


def _whole(hand: Pixels, scene: Scene) -> tuple[int, Pixels]:
    """A hand drawn smaller, as large as the picture."""
    full = cv2.resize(hand, (scene.width, scene.height), interpolation=cv2.INTER_LINEAR)
    return HAND, np.asarray(full, np.uint8)


def _spoils(scene: Scene, index: int, shrink: float, before: Ids, after: Ids) -> bool:
    """Did a card show a strip or an index before and no longer does?"""
    card = scene.cards[index]
    corners, size = scene.project(card.corners_mm()) * shrink, (card.width, card.height)
    strips = [shows_strip(ids, index, corners, size) for ids in (before, after)]
    indices = [card.face_up and index_shows(ids, index, corners) for ids in (before, after)]
    return (strips[0] and not strips[1]) or (indices[0] and not indices[1])


def _hand_from_rim(
    rng: np.random.Generator, scene: Scene, shrink: float, reach: tuple[float, float]
) -> Pixels:
    """A hand whose palm is `reach` (least and most) of its breadths inside the picture."""
    width, height = round(scene.width * shrink), round(scene.height * shrink)
    palm = PALM_MM * scene.px_per_mm() * shrink * float(rng.uniform(0.85, 1.2))
    # where the arm comes from, and a spot at that rim
    side = int(rng.integers(0, 4))
    towards = (np.pi / 2, np.pi, -np.pi / 2, 0.0)[side] + float(rng.normal(0, 0.35))
    inwards, along = float(rng.uniform(*reach)) * palm, float(rng.uniform(0.05, 0.95))
    at = (
        (along * width, height - inwards),
        (inwards, along * height),
        (along * width, inwards),
        (width - inwards, along * height),
    )[side]
    # only what is near is drawn
    near = (2.5 + max(reach)) * palm
    low = np.maximum(np.array(at) - near, 0).astype(int)
    high = np.minimum(np.array(at) + near, (width, height)).astype(int)
    sprite = np.zeros((height, width, 4), np.uint8)
    across, along = (int(v) for v in high - low)
    hand = draw_hand(rng, along, across, (at[0] - low[0], at[1] - low[1]), towards, palm)
    sprite[low[1] : high[1], low[0] : high[0]] = hand
    return sprite
