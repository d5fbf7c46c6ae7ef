"""What can be seen in a frame, from geometry: an id buffer painted with the cards' and hands' outlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.compositor import Compositor, Group
from datasets.film.leaning import is_no_hand
from datasets.film.movement import Card, Lying
from datasets.film.poses import Pose
from datasets.play.deeds import seat_of
from datasets.truth import index_shows

Floats = NDArray[np.float64]
#: The id buffer is this much smaller than the canvas.
SHRINK = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """A card in a frame, lying or carried."""

    card: Card
    pose: Pose
    #: (4, 2) px of its corners on the canvas.
    quad: Floats
    lying: Lying | None
    #: (2,) mm a second.
    velocity: Floats = field(default_factory=lambda: np.zeros(2))


def frame_truth(compositor: Compositor, groups: Sequence[Group], index: int, at: float) -> dict[str, Any]:
    """One line of layout truth: every card that shows, the hands, and other things in the way."""
    cards = [
        Shown(c, lying.pose, compositor.quad(c, lying.pose), lying) for c, lying in compositor.lying.items()
    ]
    ids = np.zeros([side // SHRINK for side in compositor.canvas.shape[:2]], dtype=np.int32)
    areas: list[int] = []
    hands: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []

    def paint(shown: Shown, number: int) -> None:
        quad = np.round(shown.quad * 16 / SHRINK).astype(np.int32)
        box = cv2.boundingRect(np.round(quad / 16).astype(np.int32))
        cv2.fillConvexPoly(ids, quad, number, cv2.LINE_8, 4)
        small = np.zeros((box[3] + 4, box[2] + 4), dtype=np.uint8)
        cv2.fillConvexPoly(small, quad - np.array([box[0] - 2, box[1] - 2]) * 16, 1, cv2.LINE_8, 4)
        areas.append(int(small.sum()))

    for number, shown in enumerate(cards, 1):
        paint(shown, number)
    lies = {shown.card: number for number, shown in enumerate(cards, 1)}
    for group in groups:
        for card, pose in group.cards:
            cards.append(Shown(card, pose, compositor.moved_quad(group, card, pose), None, group.velocity))
            paint(cards[-1], len(cards))
        above = compositor.above(group)
        if above:
            carried = ids > len(cards) - len(group.cards)
            for card in above:
                mask = np.zeros(ids.shape, dtype=np.uint8)
                quad = np.round(cards[lies[card] - 1].quad * 16 / SHRINK).astype(np.int32)
                cv2.fillConvexPoly(mask, quad, 1, cv2.LINE_8, 4)
                ids[carried & (mask > 0)] = lies[card]
        outline = _hand_outline(compositor, group, ids)
        if outline is not None:
            (others if is_no_hand(group.hand.arm) else hands).append(outline)
    return {
        "frame": index,
        "at": round(at, 4),
        "cards": _seen_cards(compositor, cards, areas, ids),
        "hands": hands,
        "others": others,
    }


def _seen_cards(
    compositor: Compositor,
    cards: Sequence[Shown],
    areas: list[int],
    ids: NDArray[np.int32],
) -> list[dict[str, Any]]:
    m = compositor.camera.margin // SHRINK
    inside = ids[m:-m, m:-m]
    counts = np.bincount(inside[inside > 0], minlength=len(cards) + 1)
    seen = []
    below: dict[str, int] = {}
    for number, shown in enumerate(cards, 1):
        card, pose, lying = shown.card, shown.pose, shown.lying
        # cards stand in the order in which they were painted, whatever was under them when they came
        order = below.get(lying.place, 0) if lying else None
        if lying:
            below[lying.place] = below.get(lying.place, 0) + 1
        fraction = min(1.0, counts[number] / max(areas[number - 1], 1))
        if fraction < 0.005:
            continue
        textures = compositor.textures[card.seat]
        corners = compositor.camera.distort(shown.quad - compositor.camera.margin)
        index = pose.face_up and index_shows(ids, number, shown.quad / SHRINK)
        seen.append(
            {
                "corners": np.round(corners, 1).tolist(),
                "side": "face" if pose.face_up else "back",
                "face": card.face,
                "deck": textures.art.name,
                "seat": card.seat,
                "place": lying.place if lying else None,
                "order": order,
                "visible": round(fraction, 3),
                "index": bool(index),
                "mm": [round(v, 1) for v in (pose.x, pose.y, pose.z, pose.angle % 360)],
                "speed": np.round(shown.velocity, 0).astype(int).tolist(),
            }
        )
    return seen


def _hand_outline(compositor: Compositor, group: Group, ids: NDArray[np.int32]) -> dict[str, Any] | None:
    """Paint a hand into the id buffer; its outline in the picture, or None where it is out of sight."""
    arm = compositor.arms[group.hand.arm]
    warp = compositor.arm_place(group) / SHRINK
    alpha = np.ascontiguousarray(arm.sprite(group.hand.holding)[..., 3])
    mask = cv2.warpAffine(alpha, warp, ids.shape[::-1]) > 127
    ids[mask] = -1
    m = compositor.camera.margin
    mask[: m // SHRINK] = mask[-(m // SHRINK) :] = mask[:, : m // SHRINK] = mask[:, -(m // SHRINK) :] = False
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_TC89_L1)
    if not contours:
        return None
    outline = max(contours, key=cv2.contourArea)[:, 0].astype(np.float64) * SHRINK - m
    return {
        "seat": seat_of(group.hand.arm),
        "hand": "left" if arm.left else "right",
        "speed": np.round(group.velocity, 0).astype(int).tolist(),
        "holding": group.hand.holding,
        "outline": np.round(compositor.camera.distort(outline), 0).tolist(),
    }
