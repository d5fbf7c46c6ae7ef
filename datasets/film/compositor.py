"""The fast renderer: a canvas of what lies still, repainted where it changes, and what moves on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.art import Textures
from datasets.film.camera import Camera
from datasets.film.choreography import Card, HandAt, Lying
from datasets.film.hands import Arm, hand_to_canvas
from datasets.film.look import Look, light_field, table_top
from datasets.film.paint import SOFT_MM, Box, corners_of, over, over_layer, smear, soft_card, warp
from datasets.film.poses import Pose

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Group:
    """A hand and the cards that it holds (lowest first) at one moment."""

    hand: HandAt
    cards: list[tuple[Card, Pose]]
    #: (2,) mm covered while the shutter is open.
    travel: Floats
    #: mm above the table.
    height: float


class Compositor:
    """Paints one film. `put` and `lift` change what lies; `frame` adds what moves."""

    def __init__(
        self,
        camera: Camera,
        look: Look,
        textures: Mapping[str, Textures],
        arms: Mapping[str, Arm],
        rng: np.random.Generator,
    ) -> None:
        self.camera, self.look, self.textures, self.arms = camera, look, textures, arms
        self.light = light_field(camera, look)
        bare = table_top(camera, look, rng).astype(np.float32)
        self.bare = np.clip(bare * self.light, 0, 255).astype(np.uint8)
        self.canvas = self.bare.copy()
        self.whole = Box(0, 0, self.canvas.shape[1], self.canvas.shape[0])
        self.lying: dict[Card, Lying] = {}
        self._quads: dict[Card, Floats] = {}
        first = next(iter(textures.values())).art
        self._shadow = soft_card(first.width, first.height)
        towards = np.radians(look.shadow_towards)
        self._fall = np.array([np.cos(towards), np.sin(towards)]) * look.shadow_length

    # -- what lies still ------------------------------------------------------------------------------------

    def put(self, cards: Iterable[Lying]) -> None:
        """Lay cards on top of what lies."""
        new = list(cards)
        for lying in new:
            self.lying[lying.card] = lying
            self._quads[lying.card] = self.quad(lying.card, lying.pose)
        self._repaint([lying.card for lying in new])

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
        return self.camera.to_canvas(pose.corners(art.width, art.height))

    def _around(self, cards: list[Card]) -> Box:
        points = np.concatenate([self._quads[card] for card in cards])
        return Box.around(points, 8 + 3 * self.camera.px_per_mm) & self.whole

    def _repaint(self, cards: list[Card]) -> None:
        if cards:
            self._paint(self._around(cards))

    def _paint(self, box: Box) -> None:
        if not box:
            return
        box.of(self.canvas)[:] = box.of(self.bare)
        heights: dict[str, int] = {}
        for lying in self.lying.values():
            heights[lying.place] = max(heights.get(lying.place, 0), lying.order)
        for card, lying in self.lying.items():
            quad = self._quads[card]
            if not Box.around(quad, 8 + 3 * self.camera.px_per_mm) & box:
                continue
            squared = "work" not in lying.place
            if squared and lying.order < heights[lying.place] - 5:
                self._edge(quad, box)
            else:
                self._cast(lying.pose, card, box)
                self._draw(quad, self._texture(card, lying.pose), self.textures[card.seat], box)

    def _texture(self, card: Card, pose: Pose) -> Pixels:
        return self.textures[card.seat][card.face if pose.face_up else "back"]

    def _edge(self, quad: Floats, box: Box) -> None:
        """A card deep in a squared pile: nothing but its paper edge can show."""
        tone = box.of(self.light).mean(axis=(0, 1)) * 215
        part = np.ascontiguousarray(box.of(self.canvas))
        cv2.fillConvexPoly(
            part, np.round(quad - (box.x0, box.y0)).astype(np.int32), tone.tolist(), cv2.LINE_AA
        )
        box.of(self.canvas)[:] = part

    def _cast(self, pose: Pose, card: Card, box: Box) -> None:
        """The narrow shadow of a card that lies."""
        art = self.textures[card.seat].art
        wide = pose.corners(art.width + 2 * SOFT_MM, art.height + 2 * SOFT_MM)
        wide[:, :2] += self._fall * 1.5
        quad = self.camera.to_canvas(wide)
        part = Box.around(quad) & box
        if not part:
            return
        alpha = warp(self._shadow, corners_of(self._shadow), quad, part)
        region = part.of(self.canvas)
        dim = 1.0 - alpha.astype(np.float32)[..., None] * (self.look.shadow_strength / 255 * 0.8)
        region[:] = (region * dim).astype(np.uint8)

    def _draw(self, quad: Floats, texture: Pixels, textures: Textures, box: Box) -> None:
        part = Box.around(quad) & box
        if not part:
            return
        layer = warp(texture, textures.corners, quad, part)
        over(part.of(self.canvas), layer, part.of(self.light))

    # -- what moves -----------------------------------------------------------------------------------------

    def frame(self, groups: Iterable[Group]) -> Pixels:
        """The canvas with everything that moves; a new picture."""
        picture: Pixels = self.canvas.copy()
        for group in groups:
            self._add(picture, group)
        return picture

    def _add(self, picture: Pixels, group: Group) -> None:
        quads = [self.quad(card, pose) for card, pose in group.cards]
        points = list(quads)
        arm = self.arms[group.hand.seat]
        pose = hand_to_canvas(self.camera, arm, group.hand)
        points.append(arm.outline_box(group.hand.holding) @ pose[:, :2].T + pose[:, 2])
        blur = group.travel * self.camera.px_per_mm
        margin = 4 + float(np.abs(blur).max())
        box = Box.around(np.concatenate(points), margin) & self.whole
        if not box:
            return
        layer = np.zeros((*box.size[::-1], 4), dtype=np.uint8)
        for (card, lies), quad in zip(group.cards, quads, strict=True):
            part = Box.around(quad) & box
            if part:
                new = warp(self._texture(card, lies), self.textures[card.seat].corners, quad, part)
                over_layer(
                    layer[part.y0 - box.y0 : part.y1 - box.y0, part.x0 - box.x0 : part.x1 - box.x0], new
                )
        pose[:, 2] -= (box.x0, box.y0)
        over_layer(
            layer, cv2.warpAffine(arm.sprite(group.hand.holding), pose, box.size).astype(np.uint8, copy=False)
        )
        layer = smear(layer, blur)
        self._cast_group(picture, layer, box, group.height)
        over(box.of(picture), layer, box.of(self.light))

    def _cast_group(self, picture: Pixels, layer: Pixels, box: Box, height: float) -> None:
        """The soft shadow of a hand in the air."""
        fall = self._fall * (height + 6) * self.camera.px_per_mm
        soft = max(1.0, (2.0 + 0.12 * height) * self.camera.px_per_mm / 4)
        pad = int(4 * np.ceil(3 * soft))
        alpha = cv2.copyMakeBorder(
            np.ascontiguousarray(layer[..., 3]), pad, pad, pad, pad, cv2.BORDER_CONSTANT
        )
        small = cv2.resize(alpha, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(
            cv2.GaussianBlur(small, (0, 0), soft), alpha.shape[::-1], interpolation=cv2.INTER_LINEAR
        )
        x, y = box.x0 - pad + round(fall[0]), box.y0 - pad + round(fall[1])
        there = Box(x, y, x + alpha.shape[1], y + alpha.shape[0])
        part = there & self.whole
        if not part:
            return
        cut = alpha[part.y0 - y : part.y1 - y, part.x0 - x : part.x1 - x]
        dim = cv2.convertScaleAbs(cut, None, -self.look.shadow_strength, 255)
        region = part.of(picture)
        region[:] = cv2.multiply(region, cv2.merge([dim, dim, dim]), None, 1 / 255)
