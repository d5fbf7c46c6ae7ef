"""The fast renderer: a canvas of what lies still, repainted where it changes, and what moves on top."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.art import Textures
from datasets.film.camera import Camera
from datasets.film.choreography import HELD
from datasets.film.hands import Arm, hand_to_canvas
from datasets.film.look import Look, light_field, table_top
from datasets.film.movement import Card, HandAt, Lying
from datasets.film.paint import (
    SOFT_MM,
    Box,
    corners_of,
    merged,
    over,
    over_layer,
    over_lit,
    shaded,
    smear,
    soft_card,
    warp,
)
from datasets.film.poses import Pose

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]


#: Places of which any card may show, however many lie on it; of the others the lower ones show their edges alone.
LOOSE = ("work", "gathered", "pile", "row")
#: mm of bend that cannot be seen.
LEAST_BEND = 0.25


@dataclass(frozen=True, slots=True)
class Group:
    """A hand and the cards that it holds (lowest first) at one moment."""

    hand: HandAt
    cards: list[tuple[Card, Pose]]
    #: (2,) mm covered while the shutter is open.
    travel: Floats
    #: mm above the table.
    height: float
    #: (2,) mm a second.
    velocity: Floats = field(default_factory=lambda: np.zeros(2))
    #: Where its card will lie that it slides in underneath others; None where it carries cards above all.
    pushed: Lying | None = None


class Compositor:
    """Paints one film. `put` and `lift` change what lies; `frame` adds what moves."""

    def __init__(
        self,
        camera: Camera,
        look: Look,
        textures: Mapping[str, Textures],
        arms: Mapping[str, Arm],
        rng: np.random.Generator,
        bends: Mapping[Card, float] | None = None,
    ) -> None:
        """`bends`: mm by which a card's ends stand higher than its middle when it lies face up."""
        self.camera, self.look, self.textures, self.arms = camera, look, textures, arms
        self._bends = bends or {}
        self._top = table_top(camera, look, rng).astype(np.float32)
        self.light = light_field(camera, look)
        self.bare = np.clip(self._top * self.light, 0, 255).astype(np.uint8)
        self.canvas = self.bare.copy()
        self.whole = Box(0, 0, self.canvas.shape[1], self.canvas.shape[0])
        self._picture = self.canvas.copy()
        #: Boxes of the canvas painted since the last frame, and those that moving things cover in it.
        self._repainted: list[Box] = [self.whole]
        self._covered: list[Box] = []
        #: Boxes to be painted later, while changes are gathered.
        self._gathered: list[Box] | None = None
        self.lying: dict[Card, Lying] = {}
        self._quads: dict[Card, Floats] = {}
        first = next(iter(textures.values())).art
        self._shadow = soft_card(first.width, first.height)
        towards = np.radians(look.shadow_towards)
        self._fall = np.array([np.cos(towards), np.sin(towards)]) * look.shadow_length

    def relight(self, look: Look) -> None:
        """The same table under another light."""
        self.look, self.light = look, light_field(self.camera, look)
        self.bare = np.clip(self._top * self.light, 0, 255).astype(np.uint8)
        self._paint(self.whole)

    # -- what lies still ------------------------------------------------------------------------------------

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What is put and lifted meanwhile is painted once, at the end."""
        self._gathered = []
        try:
            yield
        finally:
            boxes, self._gathered = self._gathered, None
            for box in merged(boxes):
                self._paint(box)

    def put(self, cards: Iterable[Lying]) -> None:
        """Lay cards on top of what lies, or under so many cards of their pile as they say."""
        new = list(cards)
        for lying in new:
            if lying.above:
                self._push_under(lying)
            else:
                self.lying[lying.card] = lying
            self._quads[lying.card] = self.quad(lying.card, lying.pose)
        self._repaint([lying.card for lying in new])

    def _push_under(self, new: Lying) -> None:
        """Cards are painted in the order in which they stand: the new one stands before those above it."""
        same = [card for card, lying in self.lying.items() if lying.place == new.place]
        after = {card: self.lying.pop(card) for card in same[-new.above :]}
        self.lying |= {new.card: new} | after

    def lift(self, cards: Iterable[Card]) -> None:
        """Take cards away."""
        gone = list(cards)
        box = self._around(gone)
        for card in gone:
            del self.lying[card], self._quads[card]
        self._paint(box)

    def quad(self, card: Card, pose: Pose) -> Floats:
        """(4, 2) canvas px of a card's corners."""
        art = self.textures[card.seat].art
        corners = pose.corners(art.width, art.height)
        corners[:, 2] += max(self._bend(card, pose), 0.0)
        return self.camera.to_canvas(corners)

    def _bend(self, card: Card, pose: Pose) -> float:
        """mm by which the ends stand above the middle; a card that is turned over is bent the other way."""
        bend = self._bends.get(card, 0.0)
        return bend if pose.face_up else -bend

    def above(self, group: Group) -> list[Card]:
        """The cards at rest that lie above what a hand pushes underneath them, lowest first."""
        to = group.pushed
        if to is None:
            return []
        return [card for card, one in self.lying.items() if one.place == to.place and one.order >= to.order]

    def moved_quad(self, group: Group, card: Card, pose: Pose) -> Floats:
        """(4, 2) canvas px of a carried card's corners, as a shutter sees them that reads line by line."""
        seen = cv2.perspectiveTransform(self.quad(card, pose)[None], self._rolled(group))[0]
        return np.asarray(seen, dtype=np.float64)

    def arm_place(self, group: Group) -> Floats:
        """(2, 3) affine map from the picture of a group's arm to the canvas, seen likewise."""
        place = hand_to_canvas(self.camera, self.arms[group.hand.arm], group.hand)
        return np.asarray((self._rolled(group) @ np.vstack([place, [0, 0, 1]]))[:2])

    def _rolled(self, group: Group) -> Floats:
        return self.camera.rolled(group.velocity * self.camera.px_per_mm)

    def _around(self, cards: list[Card]) -> Box:
        points = np.concatenate([self._quads[card] for card in cards])
        return Box.around(points, 8 + 3 * self.camera.px_per_mm) & self.whole

    def _repaint(self, cards: list[Card]) -> None:
        if cards:
            self._paint(self._around(cards))

    def _paint(self, box: Box) -> None:
        if not box:
            return
        if self._gathered is not None:
            self._gathered.append(box)
            return
        self._repainted.append(box)
        box.of(self.canvas)[:] = box.of(self.bare)
        heights: dict[str, int] = {}
        for lying in self.lying.values():
            heights[lying.place] = max(heights.get(lying.place, 0), lying.order)
        for card, lying in self.lying.items():
            quad = self._quads[card]
            if not Box.around(quad, 8 + 3 * self.camera.px_per_mm) & box:
                continue
            squared = not any(loose in lying.place for loose in LOOSE)
            if squared and lying.order < heights[lying.place] - 5:
                self._edge(quad, box)
            else:
                self._cast(lying.pose, card, box)
                self._draw(quad, self._texture(card, lying.pose), self.textures[card.seat], box)

    def _texture(self, card: Card, pose: Pose) -> Pixels:
        texture = self.textures[card.seat][card.face if pose.face_up else "back"]
        bend = self._bend(card, pose)
        if abs(bend) < LEAST_BEND:
            return texture
        art = self.textures[card.seat].art
        # light comes from where shadows do not fall; a card's length lies across its turn
        lit = float(np.sin(np.radians(pose.angle - self.look.shadow_towards)))
        return shaded(texture, 8 * bend / art.height * lit)

    def _edge(self, quad: Floats, box: Box) -> None:
        """A card deep in a squared pile: nothing but its paper edge can show."""
        tone = box.of(self.light)[::16, ::16].mean(axis=(0, 1)) * 215
        along = np.roll(quad, -1, axis=0) - quad
        cut = along / np.linalg.norm(along, axis=1, keepdims=True) * 2.4 * self.camera.px_per_mm
        shape = np.stack([quad + cut, quad + along - cut], axis=1).reshape(-1, 2) - (box.x0, box.y0)
        here = Box.around(shape) & Box(0, 0, *box.size)
        part = np.ascontiguousarray(here.of(box.of(self.canvas)))
        shape = np.round((shape - (here.x0, here.y0)) * 16).astype(np.int32)
        cv2.fillConvexPoly(part, shape, tone.tolist(), cv2.LINE_AA, 4)
        here.of(box.of(self.canvas))[:] = part

    def _cast(self, pose: Pose, card: Card, box: Box) -> None:
        """The narrow shadow of a card that lies; one that is held casts none here."""
        if pose.z > HELD / 2:
            return
        art = self.textures[card.seat].art
        wide = pose.corners(art.width + 2 * SOFT_MM, art.height + 2 * SOFT_MM)
        wide[:, :2] += self._fall * 1.5
        quad = self.camera.to_canvas(wide)
        part = Box.around(quad) & box
        if not part:
            return
        alpha = warp(self._shadow, corners_of(self._shadow), quad, part)
        region = part.of(self.canvas)
        dim = cv2.convertScaleAbs(alpha, None, -0.8 * self.look.shadow_strength, 255)
        region[:] = cv2.multiply(region, cv2.merge([dim, dim, dim]), None, 1 / 255)

    def _draw(self, quad: Floats, texture: Pixels, textures: Textures, box: Box) -> None:
        part = Box.around(quad) & box
        if not part:
            return
        layer = warp(texture, textures.corners, quad, part)
        over(part.of(self.canvas), layer, part.of(self.light))

    # -- what moves -----------------------------------------------------------------------------------------

    def frame(self, groups: Iterable[Group]) -> tuple[Pixels, list[Box]]:
        """The canvas with everything that moves, and the boxes in which it differs from the last frame.

        The picture is painted over by the next call.
        """
        changed = self._repainted + self._covered
        for box in changed:
            box.of(self._picture)[:] = box.of(self.canvas)
        self._repainted, self._covered = [], []
        for group in groups:
            self._add(group)
        return self._picture, changed + self._covered

    def _add(self, group: Group) -> None:
        quads = [self.moved_quad(group, card, pose) for card, pose in group.cards]
        arm = self.arms[group.hand.arm]
        place = self.arm_place(group)
        sleeve = arm.outline_box(group.hand.holding) @ place[:, :2].T + place[:, 2]
        travel = group.travel * self.camera.px_per_mm
        length = float(np.hypot(*travel))
        box = Box.around(np.concatenate([*quads, sleeve]), 6 + length / 2) & self.whole
        # a sliver at the picture's edge shows nothing
        if not box or min(box.size) < 4:
            return
        # What the shutter smears needs no fine grain.
        scale = 0.5 if length > 6 else 1.0
        layer = np.zeros((round(box.size[1] * scale), round(box.size[0] * scale), 4), dtype=np.uint8)
        inside = Box(0, 0, layer.shape[1], layer.shape[0])
        for (card, pose), quad in zip(group.cards, quads, strict=True):
            there = (quad - (box.x0, box.y0)) * scale
            if part := Box.around(there) & inside:
                new = warp(self._texture(card, pose), self.textures[card.seat].corners, there, part)
                over_layer(part.of(layer), new)
        place[:, 2] -= (box.x0, box.y0)
        arm_layer = cv2.warpAffine(arm.sprite(group.hand.holding), place * scale, layer.shape[1::-1])
        above = self.above(group)
        if above:
            layer = smear(layer, travel * scale)
            for card in above:
                # what lies above it stays as it is
                shape = np.round((self._quads[card] - (box.x0, box.y0)) * scale * 16).astype(np.int32)
                cv2.fillConvexPoly(layer, shape, (0, 0, 0, 0), cv2.LINE_8, 4)
            over_layer(layer, smear(np.asarray(arm_layer, dtype=np.uint8), travel * scale))
        else:
            over_layer(layer, np.asarray(arm_layer, dtype=np.uint8))
            layer = smear(layer, travel * scale)
        self._cast_group(layer[..., 3], box, group.height)
        light = box.of(self.light)[::16, ::16].mean(axis=(0, 1))
        over_lit(box.of(self._picture), layer, light)
        self._covered.append(box)

    def _cast_group(self, alpha: Pixels, box: Box, height: float) -> None:
        """The soft shadow of a hand in the air; `alpha` covers the box at any scale."""
        fall = self._fall * (height + 6) * self.camera.px_per_mm
        soft = max(1.0, (2.0 + 0.12 * height) * self.camera.px_per_mm / 4)
        pad = int(np.ceil(3 * soft))
        small = cv2.resize(alpha, (box.size[0] // 4, box.size[1] // 4), interpolation=cv2.INTER_AREA)
        small = cv2.copyMakeBorder(small, pad, pad, pad, pad, cv2.BORDER_CONSTANT)
        small = cv2.GaussianBlur(small, (0, 0), soft)
        dim = cv2.convertScaleAbs(small, None, -self.look.shadow_strength, 255)
        size = (box.size[0] + 8 * pad, box.size[1] + 8 * pad)
        x, y = box.x0 - 4 * pad + round(fall[0]), box.y0 - 4 * pad + round(fall[1])
        part = Box(x, y, x + size[0], y + size[1]) & self.whole
        if not part:
            return
        dim = cv2.resize(dim, size, interpolation=cv2.INTER_LINEAR)
        cut = dim[part.y0 - y : part.y1 - y, part.x0 - x : part.x1 - x]
        self._covered.append(part)
        region = part.of(self._picture)
        region[:] = cv2.multiply(region, cv2.merge([cut, cut, cut]), None, 1 / 255)
