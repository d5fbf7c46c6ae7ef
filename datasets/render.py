"""Draws a scene with OpenCV: flat cards, soft shadows, light, lens and sensor. Truth comes from geometry.

`paint` lays the cards on a surface and keeps an id buffer; `expose` then does to the picture what light, lens,
sensor and compression do. Both are driven by one random generator: same seed, same pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.scene import PaintStyle as PaintStyle
from datasets.scene import PlacedCard, Scene

Pixels = NDArray[np.uint8]

NOTHING = -1
#: Values of the id buffer for what is no card.
HAND = -2

#: A card's rim is shaded over so many mm: its cut edge is hardly rounded.
RIM_MM = 0.25
#: Softness px and strength of the shadow that a hand casts about it.
HAND_SHADOW = 6.0, 0.35
#: What an alpha of 0 to 255 is as a share.
SHARES = (np.arange(256) / 255).astype(np.float32)


class Art(Protocol):
    """The pictures of one deck."""

    @property
    def faces(self) -> Mapping[str, Pixels]:
        """(H, W, 4) BGRA by name."""

    @property
    def back(self) -> Pixels | None:
        """(H, W, 4) BGRA."""


@dataclass(slots=True)
class Painting:
    """A drawn scene before light and lens."""

    #: (H, W, 3).
    image: Pixels
    #: (H, W) index into the scene's cards of what is topmost, NOTHING or HAND.
    ids: NDArray[np.int16]


def sample_style(rng: np.random.Generator) -> PaintStyle:
    """A random look: paper, shadow, edges."""
    warm = rng.normal(0, 0.02)
    paper = rng.uniform(0.86, 1.0)
    direction = rng.uniform(0, 2 * np.pi)
    reach = abs(rng.normal(0, 1.4))
    return PaintStyle(
        tint=(min(1.0, paper - warm - abs(rng.normal(0, 0.015))), paper, min(1.0, paper + warm)),
        shadow=float(rng.uniform(0.05, 0.6)),
        shadow_blur=float(rng.uniform(0.6, 3.0)),
        shadow_offset=(float(reach * np.cos(direction)), float(reach * np.sin(direction))),
        edge=float(np.clip(rng.normal(0.15, 0.2), -0.3, 0.6)),
    )


class ArtShelf:
    """Card pictures at several sizes, so that a small card is not drawn from a large picture."""

    def __init__(self, decks: Sequence[Art]) -> None:
        self._decks = decks
        self._sizes: dict[tuple[int, str, int], Pixels] = {}

    def picture(self, deck: int, face: str, up: bool, width_px: float) -> Pixels:
        """(H, W, 4) BGRA, colours times alpha, at most about 1.6 times as wide as it will be drawn."""
        key_face = face if up else "back"
        source = self._decks[deck].faces[face] if up else self._decks[deck].back
        if source is None:
            raise ValueError(f"deck {deck} has no back")
        halvings = max(0, int(np.floor(np.log2(max(source.shape[1] / max(width_px, 4.0), 1.0) / 1.1))))
        key = (deck, key_face, halvings)
        if key not in self._sizes:
            size = (max(4, source.shape[1] >> halvings), max(4, source.shape[0] >> halvings))
            whole = _times_alpha(source)
            shrunk = whole if not halvings else cv2.resize(whole, size, interpolation=cv2.INTER_AREA)
            self._sizes[key] = np.asarray(shrunk, dtype=np.uint8)
        return self._sizes[key]


def _times_alpha(art: Pixels) -> Pixels:
    """Colours times alpha: what lies beside a card, whatever its colour, then adds nothing where the edge is smoothed."""
    return np.dstack(
        [cv2.multiply(art[..., c], art[..., 3], scale=1 / 255) for c in range(3)] + [art[..., 3]]
    )


def paint(
    scene: Scene,
    shelf: ArtShelf,
    surface: Pixels,
    style: PaintStyle,
    extras: Sequence[tuple[int, Pixels]] = (),
) -> Painting:
    """Draws the cards in order on `surface` ((H, W, 3), already as the camera sees it).

    `extras` are pictures (H, W, 4) as large as the scene that lie over the cards (hands) or under them, each
    with its id: HAND, or NOTHING for things of no interest.
    """
    # planes of one colour are several times as fast to reckon with as pixels of three
    planes = np.asarray(cv2.split(surface), dtype=np.uint8)
    ids = np.full(surface.shape[:2], NOTHING, dtype=np.int16)
    for index, card in enumerate(scene.cards):
        _paint_card(planes, ids, index, card, scene, shelf, style)
    for kind, sprite in extras:
        _paint_extra(planes, ids, kind, sprite)
    return Painting(np.asarray(cv2.merge(list(planes)), dtype=np.uint8), ids)


def _paint_extra(planes: Pixels, ids: NDArray[np.int16], kind: int, sprite: Pixels) -> None:
    softness, strength = HAND_SHADOW
    box = around(sprite[..., 3], softness)
    if box is None:
        return
    *colours, opaque = cv2.split(sprite[box])
    alpha = np.asarray(cv2.LUT(opaque, SHARES), dtype=np.float32)
    shade = np.asarray(cv2.GaussianBlur(alpha, (0, 0), softness), dtype=np.float32)
    shade *= strength * (kind == HAND)
    shade *= 1 - alpha
    np.subtract(1, shade, out=shade)
    region = planes[:, box[0], box[1]].astype(np.float32)
    region *= shade
    region *= 1 - alpha
    region += np.stack(colours) * alpha
    planes[:, box[0], box[1]] = region
    ids[box][opaque > 127] = kind


def around(mask: Pixels, softness: float) -> tuple[slice, slice] | None:
    """Rows and columns outside of which neither `mask` (H, W) nor its blur by `softness` px is anything; None = all."""
    left, top, width, height = cv2.boundingRect(mask)
    if not width:
        return None
    # twice a blur's reach: what it takes for missing at the rim of the region is nothing, too
    pad = 2 * int(np.ceil(4 * softness + 1))
    return slice(max(0, top - pad), top + height + pad), slice(max(0, left - pad), left + width + pad)


def lay_over(image: Pixels, ids: NDArray[np.int16], extras: Sequence[tuple[int, Pixels]]) -> None:
    """Draws `extras` of `paint` over a picture (H, W, 3) and its id buffer, in place."""
    planes = np.asarray(cv2.split(image), dtype=np.uint8)
    for kind, sprite in extras:
        _paint_extra(planes, ids, kind, sprite)
    image[:] = cv2.merge(list(planes))


def _paint_card(
    planes: Pixels,
    ids: NDArray[np.int16],
    index: int,
    card: PlacedCard,
    scene: Scene,
    shelf: ArtShelf,
    style: PaintStyle,
) -> None:
    corners = scene.corners(card)
    pad = int(np.ceil(3 * style.shadow_blur + max(abs(v) for v in style.shadow_offset) + 2))
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int) - pad, 0)
    right = min(int(np.ceil(corners[:, 0].max())) + pad, ids.shape[1])
    bottom = min(int(np.ceil(corners[:, 1].max())) + pad, ids.shape[0])
    if left >= right or top >= bottom:
        return
    width_px = float(np.linalg.norm(corners[1] - corners[0]))
    art = shelf.picture(card.deck, card.face, card.face_up, width_px)
    rows, columns = art.shape[:2]
    source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float32) - 0.5
    target = (corners - (left, top) - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    warped = cv2.warpPerspective(art, matrix, (right - left, bottom - top), flags=cv2.INTER_LINEAR)
    *inks, opaque = cv2.split(warped)
    alpha = np.asarray(cv2.LUT(opaque, SHARES), dtype=np.float32)
    colour = np.empty((3, *alpha.shape), dtype=np.float32)
    for ink, tint, plane in zip(inks, style.tint, colour, strict=True):
        np.multiply(ink, np.float32(tint), out=plane)
    # the ring is a px wide, the rim may be less
    edge = style.edge * min(1.0, RIM_MM * width_px / card.width)
    colour *= 1 - edge * (alpha - cv2.LUT(cv2.erode(opaque, np.ones((3, 3), np.uint8)), SHARES))
    region = planes[:, top:bottom, left:right].astype(np.float32)
    region *= 1 - style.shadow * _shadow(alpha, style)
    region *= 1 - alpha
    region += colour
    planes[:, top:bottom, left:right] = np.clip(region, 0, 255, out=region)
    ids[top:bottom, left:right][alpha > 0.5] = index


def _shadow(alpha: NDArray[np.float32], style: PaintStyle) -> NDArray[np.float32]:
    shift = np.array([[1, 0, style.shadow_offset[0]], [0, 1, style.shadow_offset[1]]], dtype=np.float64)
    moved = cv2.warpAffine(alpha, shift, (alpha.shape[1], alpha.shape[0]))
    return np.asarray(cv2.GaussianBlur(moved, (0, 0), style.shadow_blur), dtype=np.float32)


def expose(image: Pixels, rng: np.random.Generator, hardness: float = 1.0, relit: bool = True) -> Pixels:
    """Light, lens, sensor and compression; `hardness` 0 (kind) .. 1 (all kinds of trouble).

    Where a picture has its light already, it is not `relit`.
    """
    rows, columns = image.shape[:2]
    lit = image.astype(np.float32)
    if relit:
        lit *= _thrice(_light(rows, columns, rng, hardness))
        if rng.random() < 0.3 * hardness:
            lit += _thrice(_glare(rows, columns, rng))
    balance = rng.normal(0, 0.06 * hardness, 3)
    lit.reshape(rows, -1)[:] *= np.tile(np.exp(balance - balance.mean()).astype(np.float32), columns)
    lit = _lens_blur(lit, rng, hardness)
    gamma = np.exp(rng.normal(0, 0.18 * hardness))
    exposure = np.exp(rng.normal(-0.05, 0.22 * hardness))
    shot = _developed(lit, exposure, gamma)
    if rng.random() < 0.3:
        shot -= 128
        shot *= float(rng.uniform(0.6, 1.15))
        shot += 128
    shot = _grain(shot, rng, hardness)
    if rng.random() < 0.3:
        fine = np.asarray(cv2.GaussianBlur(shot, (0, 0), float(rng.uniform(0.7, 1.6))), dtype=np.float32)
        np.subtract(shot, fine, out=fine)
        fine *= float(rng.uniform(0.2, 1.2))
        shot += fine
    result: Pixels = np.clip(shot, 0, 255, out=shot).astype(np.uint8)
    if rng.random() < 0.7:
        quality = int(rng.uniform(35 if hardness > 0.5 else 60, 96))
        ok, buffer = cv2.imencode(".jpg", result, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if ok:
            result = np.asarray(cv2.imdecode(buffer, cv2.IMREAD_COLOR), dtype=np.uint8)
    return result


def _thrice(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W, 3) of (H, W): far faster to multiply with than a plane spread by broadcasting."""
    return np.asarray(cv2.merge([plane, plane, plane]), dtype=np.float32)


def _developed(lit: NDArray[np.float32], exposure: np.float64, gamma: np.float64) -> NDArray[np.float32]:
    """What the sensor makes of light, in place."""
    lit /= 255
    np.clip(lit, 0, 2, out=lit)
    np.multiply(lit, exposure, out=lit, casting="same_kind")
    np.power(lit, np.float32(gamma), out=lit)
    lit *= 255
    return lit


def _light(rows: int, columns: int, rng: np.random.Generator, hardness: float) -> NDArray[np.float32]:
    size = max(rows, columns)
    angle, strength = rng.uniform(0, 2 * np.pi), abs(rng.normal(0, 0.3 * hardness))
    x = np.arange(columns, dtype=np.float32) - columns / 2
    y = np.arange(rows, dtype=np.float32)[:, None] - rows / 2
    light = x * np.cos(angle) + y * np.sin(angle)
    light /= size
    light *= strength
    light += 1
    r2 = x**2 + y**2
    r2 /= (size / 2) ** 2
    r2 *= float(rng.uniform(0, 0.2)) * hardness
    light -= r2
    for _ in range(int(rng.random() < 0.45 * hardness) + int(rng.random() < 0.2 * hardness)):
        light *= 1 - float(rng.uniform(0.15, 0.65)) * _cast_shadow(rows, columns, rng)
    return np.asarray(np.clip(light, 0.15, 2.0, out=light), dtype=np.float32)


def _cast_shadow(rows: int, columns: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """A soft polygon, as a person, a window frame or a lamp shade throws it: (rows, columns), 0..1."""
    middle = rng.uniform((0, 0), (columns, rows))
    turn = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 7))))
    reach = rng.uniform(0.2, 0.9, len(turn)) * max(rows, columns)
    outline = middle + np.column_stack([np.cos(turn), np.sin(turn)]) * reach[:, None]
    mask = np.zeros((rows // 2 + 1, columns // 2 + 1), dtype=np.float32)
    cv2.fillPoly(mask, [np.round(outline / 2).astype(np.int32)], 1.0)
    soft = cv2.GaussianBlur(mask, (0, 0), float(np.exp(rng.uniform(np.log(0.8), np.log(25)))))
    return np.asarray(cv2.resize(soft, (columns, rows)), dtype=np.float32)


def _glare(rows: int, columns: int, rng: np.random.Generator) -> NDArray[np.float32]:
    cx, cy = rng.uniform((0, 0), (columns, rows))
    spread = rng.uniform(0.05, 0.3) * max(rows, columns)
    x = np.arange(columns, dtype=np.float32) - cx
    y = np.arange(rows, dtype=np.float32)[:, None] - cy
    glare = x**2 + y**2
    np.negative(glare, out=glare)
    glare /= 2 * spread**2
    np.exp(glare, out=glare)
    glare *= rng.uniform(20, 110)
    return np.asarray(glare, dtype=np.float32)


def _lens_blur(image: NDArray[np.float32], rng: np.random.Generator, hardness: float) -> NDArray[np.float32]:
    if rng.random() < 0.35 * hardness:
        rows, columns = image.shape[:2]
        factor = float(rng.uniform(0.45, 0.95))
        small = cv2.resize(image, (int(columns * factor), int(rows * factor)), interpolation=cv2.INTER_AREA)
        image = np.asarray(cv2.resize(small, (columns, rows), interpolation=cv2.INTER_CUBIC), np.float32)
    sigma = abs(rng.normal(0, 0.8 * hardness))
    if sigma > 0.3:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), dtype=np.float32)
    if rng.random() < 0.12 * hardness:
        length = int(rng.integers(3, 8))
        kernel = np.zeros((length, length), dtype=np.float32)
        angle = rng.uniform(0, np.pi)
        half = (length - 1) / 2
        step = np.array([np.cos(angle), np.sin(angle)]) * half
        ends = np.round(half + np.array([-step, step])).astype(int)
        cv2.line(kernel, tuple(ends[0].tolist()), tuple(ends[1].tolist()), 1.0)
        image = np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), dtype=np.float32)
    return image


def _grain(image: NDArray[np.float32], rng: np.random.Generator, hardness: float) -> NDArray[np.float32]:
    strength = abs(rng.normal(0, 5.0 * hardness))
    if strength < 0.5:
        return image
    rows, columns = image.shape[:2]
    noise = rng.standard_normal((rows, columns, 3), dtype=np.float32)
    if rng.random() < 0.6:
        noise = np.asarray(cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(0.5, 1.1))), np.float32)
        noise *= 2
    if rng.random() < 0.5:
        grey = noise[..., 0] + noise[..., 1]
        grey += noise[..., 2]
        grey /= 3
        grey *= 1.5
        noise = _thrice(grey)
    noise *= np.float32(strength)
    noise += image
    return noise
