"""Crops for the reader, drawn one card at a time: much cheaper than cutting them out of whole tables.

A card and what lies under and over it are laid straight into a small picture at the scale and angle of a
camera; light, lens, sensor and compression act at that scale; then the reader's own `warp` cuts the crop
with a finder's errors in corners and mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.covers import HEIGHT, KINDS, WIDTH, Cover, cover_card
from datasets.development import develop
from datasets.printing import ART, Faces, Printer
from vision.faces.reader import CROP, to_crop, warp
from vision.layout import FACES

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: Label of what is no readable face.
REJECT = len(FACES)
#: A printed card has about this many px/mm, and no picture is drawn finer.
FINEST = ART[1] / WIDTH
#: An index counts as seen from this share on; a picture from this share of the whole card.
INDEX_SEEN, PICTURE_SEEN = 0.35, 0.3
#: Share of the crops that show no face.
NO_FACE = 0.08


@dataclass(frozen=True, slots=True)
class Crop:
    """One crop with its truth."""

    #: (160, 112, 3) BGR; (160, 112) 255 = visible part of this card as a finder would say it.
    image: Pixels
    mask: Pixels
    #: Index into FACES, or REJECT; `name` is what really lies there ("back", "nothing" too).
    label: int
    name: str
    #: How it is covered (one of `covers.KINDS`), its visible share, px/mm of the camera.
    kind: str
    deck: str
    fraction: float
    scale: float


@dataclass(frozen=True, slots=True)
class View:
    """Where the camera stands: (3, 3) from card mm to px of a small picture, its size, and px/mm."""

    matrix: Floats
    height: int
    width: int
    scale: float

    def project(self, points: Floats) -> Floats:
        """(n, 2) mm on the card to px."""
        return np.asarray(
            cv2.perspectiveTransform(points[None].astype(np.float64), self.matrix)[0], dtype=np.float64
        )


OUTLINE = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], dtype=np.float64)


def sample_view(rng: np.random.Generator, scales: tuple[float, float] = (0.8, 7.0)) -> View:
    """Any turn, some tilt, and a scale of `scales` px/mm."""
    scale = float(np.exp(rng.uniform(np.log(scales[0]), np.log(scales[1]))))
    drawn = min(scale, FINEST)
    turn, axis = rng.uniform(0, 2 * np.pi, 2)
    flat = float(np.cos(abs(rng.normal(0, 0.35)))) if rng.random() < 0.7 else 1.0
    squeeze = _turned(-axis) @ np.diag([1.0, max(flat, 0.68)]) @ _turned(axis)
    linear = drawn * squeeze @ _turned(turn)
    matrix = np.eye(3)
    matrix[:2, :2] = linear
    matrix[:2, 2] = -linear @ (WIDTH / 2, HEIGHT / 2)
    far = np.eye(3)
    far[2, :2] = rng.normal(0, 0.05, 2) / (100 * drawn) * np.sqrt(max(0.0, 1 - flat**2)) * 3
    matrix = far @ matrix
    corners = cv2.perspectiveTransform(OUTLINE[None], matrix)[0]
    low, high = corners.min(axis=0) - 5 * drawn - 4, corners.max(axis=0) + 5 * drawn + 4
    shift = np.eye(3)
    shift[:2, 2] = -low + rng.uniform(0, 1, 2)
    width, height = np.ceil(high - low).astype(int) + 1
    return View(shift @ matrix, int(height), int(width), scale)


def _turned(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


class CropMaker:
    """Draws crops of printed decks; `backs` are (H, W, 4) BGRA, `surfaces` (512 or more, as many, 3)."""

    def __init__(self, press: Printer, backs: Sequence[Pixels], surfaces: Sequence[Pixels]) -> None:
        self._press, self._surfaces = press, surfaces
        self._backs = [_shelf(_fitted(back)) for back in backs]
        self._shelves: dict[tuple[int, str], list[Pixels]] = {}

    def renew(self, rng: np.random.Generator) -> None:
        """Prints another deck in place of one of those at hand."""
        self._press.renew(rng)
        alive = {id(deck) for deck in self._press.decks}
        self._shelves = {key: shelf for key, shelf in self._shelves.items() if key[0] in alive}

    def crop(
        self, rng: np.random.Generator, kind: str | None = None, scales: tuple[float, float] = (0.8, 7.0)
    ) -> Crop:
        """One crop: a face of any deck at hand, or (some) a back, a blank, a wrong place."""
        view = sample_view(rng, scales)
        deck = self._press.decks[int(rng.integers(len(self._press.decks)))]
        kind = str(rng.choice(list(KINDS), p=list(KINDS.values()))) if kind is None else kind
        lost = rng.random() < NO_FACE
        name = str(rng.choice(["back", "blank", "nothing", "astray"])) if lost else _any_face(rng, deck)
        image = self._surface(rng, view)
        ids = np.zeros((view.height, view.width), np.uint8)
        edge = float(rng.uniform(0.45, 0.95))
        cover = cover_card(rng, kind)
        for place in cover.below:
            self._lay(image, ids, self._any_art(rng, deck), view, place, 0, edge)
        if name not in ("nothing", "astray"):
            art = self._art(rng, deck, name)
            self._lay(image, ids, art, view, np.eye(3), 1, edge)
        elif name == "astray":
            self._lay(image, ids, self._any_art(rng, deck), view, _astray(rng), 0, edge)
            ids[:] = 1
        else:
            ids[:] = 1
        for place in cover.above:
            self._lay(image, ids, self._any_art(rng, deck), view, place, 0, edge)
        _lay_fingers(rng, image, ids, view, cover)
        shown = ids == 1
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2BGR), dtype=np.uint8)
        image = develop(rng, image, min(view.scale, FINEST), view.scale)
        fraction, index = _seen(view, shown)
        if not lost and deck.misleads(name) and not index:
            return self.crop(rng, kind, scales)
        readable = index or fraction >= PICTURE_SEEN
        label = FACES.index(name) if not lost and readable else REJECT
        cut, mask = cut_out(rng, image, shown, view)
        return Crop(cut, mask, label, name, kind, deck.title, fraction, view.scale)

    def _surface(self, rng: np.random.Generator, view: View) -> Pixels:
        picture = self._surfaces[int(rng.integers(len(self._surfaces)))]
        top = int(rng.integers(0, picture.shape[0] - view.height + 1))
        left = int(rng.integers(0, picture.shape[1] - view.width + 1))
        gain = float(rng.uniform(0.6, 1.1))
        part = cv2.convertScaleAbs(picture[top : top + view.height, left : left + view.width], alpha=gain)
        return np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2BGRA), dtype=np.uint8)

    def _art(self, rng: np.random.Generator, deck: Faces, name: str) -> list[Pixels]:
        if name == "back" and self._backs:
            return self._backs[int(rng.integers(len(self._backs)))]
        if name in ("back", "blank"):
            return _shelf(_blank(rng, deck))
        key = (id(deck), name)
        if key not in self._shelves:
            self._shelves[key] = _shelf(deck.face(name))
        return self._shelves[key]

    def _any_art(self, rng: np.random.Generator, deck: Faces) -> list[Pixels]:
        if rng.random() < 0.1:
            return self._art(rng, deck, "back")
        if rng.random() < 0.3:
            deck = self._press.decks[int(rng.integers(len(self._press.decks)))]
        return self._art(rng, deck, _any_face(rng, deck))

    def _lay(
        self,
        image: Pixels,
        ids: Pixels,
        shelf: list[Pixels],
        view: View,
        place: Floats,
        number: int,
        edge: float,
    ) -> None:
        """Lays a card into the picture; `place`: (3, 3) from its own mm to the target card's mm."""
        level = 0 if view.scale > 0.6 * FINEST else 1 if view.scale > 0.3 * FINEST else 2
        art = shelf[level]
        rows, columns = art.shape[:2]
        to_mm = np.diag([WIDTH / columns, HEIGHT / rows, 1.0])
        matrix = view.matrix @ place @ to_mm
        corners = cv2.perspectiveTransform(OUTLINE[None], view.matrix @ place)[0]
        left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 1, 0)
        right = min(int(np.ceil(corners[:, 0].max())) + 2, view.width)
        bottom = min(int(np.ceil(corners[:, 1].max())) + 2, view.height)
        if right - left < 2 or bottom - top < 2:
            return
        moved = np.array([[1, 0, -float(left)], [0, 1, -float(top)], [0, 0, 1]]) @ matrix
        laid = cv2.warpPerspective(art, moved, (right - left, bottom - top), flags=cv2.INTER_LINEAR)
        over = cv2.threshold(cv2.extractChannel(laid, 3), 127, 1, cv2.THRESH_BINARY)[1]
        part = image[top:bottom, left:right]
        rim = cv2.morphologyEx(over, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
        cv2.copyTo(cv2.convertScaleAbs(part, alpha=edge), rim, part)
        cv2.copyTo(laid, over, part)
        ids[top:bottom, left:right][over > 0] = number


def _any_face(rng: np.random.Generator, deck: Faces) -> str:
    names = deck.names
    return names[int(rng.integers(len(names)))]


def _fitted(art: Pixels) -> Pixels:
    return np.asarray(cv2.resize(art, ART[::-1], interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _shelf(art: Pixels) -> list[Pixels]:
    """The card at full, half and quarter size, so that a small one is not drawn from a large one."""
    shelf = [art]
    for _ in range(2):
        half = (shelf[-1].shape[1] // 2, shelf[-1].shape[0] // 2)
        shelf.append(np.asarray(cv2.resize(shelf[-1], half, interpolation=cv2.INTER_AREA), dtype=np.uint8))
    return shelf


def _blank(rng: np.random.Generator, deck: Faces) -> Pixels:
    """A card with no face: plain, coloured, written on, or a joker's picture without an index."""
    card = deck.face(_any_face(rng, deck)).copy()
    rows, columns = ART
    if rng.random() < 0.4:
        card[..., :3] = 255
        word = str(rng.choice(["JOKER", "SCORE", "RULES", "1 2 3 4", "POKER"]))
        for k in range(int(rng.integers(0, 5))):
            place = (int(rng.integers(0, columns // 3)), 30 + 45 * k)
            cv2.putText(
                card, word, place, int(rng.integers(0, 5)), float(rng.uniform(0.4, 1.2)), (20, 20, 20), 2
            )
    elif rng.random() < 0.5:
        card[..., :3] = rng.integers(0, 256, 3)
    else:
        # no index and no pip: the middle of a picture pulled over the whole card
        inner = card[rows // 3 : 2 * rows // 3, columns // 3 : 2 * columns // 3, :3].copy()
        card[..., :3] = cv2.resize(inner, (columns, rows))
    return card


def _astray(rng: np.random.Generator) -> Floats:
    """A card so far off that the rectangle shows half of it at most."""
    turn = float(rng.uniform(0, 2 * np.pi))
    place = np.eye(3)
    place[:2, :2] = _turned(turn)
    away = float(rng.uniform(0.5, 0.8)) * HEIGHT
    side = float(rng.uniform(0, 2 * np.pi))
    middle = np.array([WIDTH / 2, HEIGHT / 2])
    place[:2, 2] = middle + away * np.array([np.cos(side), np.sin(side)]) - _turned(turn) @ middle
    return place


def _lay_fingers(rng: np.random.Generator, image: Pixels, ids: Pixels, view: View, cover: Cover) -> None:
    for start, end, thick in cover.fingers:
        a, b = (tuple(int(v) for v in view.project(np.array([p]))[0]) for p in (start, end))
        wide = max(2, round(thick * min(view.scale, FINEST)))
        skin = np.array([120, 150, 205]) * rng.uniform(0.3, 1.1) + rng.normal(0, 12, 3)
        tone = tuple(float(v) for v in np.clip(skin, 5, 250))
        dark = tuple(0.6 * v for v in tone)
        cv2.line(image, a, b, dark, wide + 2, cv2.LINE_AA)
        cv2.line(image, a, b, tone, wide, cv2.LINE_AA)
        cv2.line(ids, a, b, 0, wide + 1)


def _seen(view: View, shown: NDArray[np.bool_]) -> tuple[float, bool]:
    """The visible share of the card, and whether an index is seen."""
    to_mm = np.linalg.inv(view.matrix)
    cells = cv2.warpPerspective(
        shown.astype(np.uint8), to_mm, (round(WIDTH), round(HEIGHT)), flags=cv2.INTER_NEAREST
    )
    corners = (cells[1:20, 1:11], cells[-20:-1, -11:-1])
    index = max(float(corner.mean()) for corner in corners)
    fraction = float(cells.mean())
    return fraction, index >= INDEX_SEEN


def cut_out(
    rng: np.random.Generator, image: Pixels, shown: NDArray[np.bool_], view: View
) -> tuple[Pixels, Pixels]:
    """The crop and its mask with a finder's errors, and with either end of the card up."""
    drawn = min(view.scale, FINEST)
    corners = view.project(OUTLINE)
    middle = corners.mean(axis=0)
    rough = 2.5 if rng.random() < 0.12 else 1.0
    error = rough * (0.25 * drawn + 0.25)
    moved = (corners - middle) @ _turned(float(rng.normal(0, 0.018 * rough))).T
    moved = middle + moved * np.exp(rng.normal(0, 0.014 * rough, 2))
    moved += rng.normal(0, 1.6 * error, 2) + rng.normal(0, 0.8 * error, (4, 2))
    if rng.random() < 0.5:
        moved = moved[[2, 3, 0, 1]]
    matrix = to_crop(moved)
    crop = warp(image, matrix, moved)
    return crop, ragged(rng, shown, matrix, drawn)


def ragged(rng: np.random.Generator, shown: NDArray[np.bool_], matrix: Floats, drawn: float) -> Pixels:
    """The mask as a finder's coarse cells would give it, or (some) as if it had missed the covers."""
    kind = rng.random()
    if kind < 0.05:
        return np.full(CROP, 255, np.uint8)
    source = shown.astype(np.uint8) * 255
    step = float(rng.uniform(0.5, 2.5)) * drawn
    if step > 1.5:
        small = (max(4, round(source.shape[1] / step)), max(4, round(source.shape[0] / step)))
        source = np.asarray(cv2.resize(source, small, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        back = np.diag([shown.shape[1] / small[0], shown.shape[0] / small[1], 1.0])
        matrix = matrix @ back
    mask = cv2.warpPerspective(source, matrix, CROP[::-1], flags=cv2.INTER_LINEAR)
    mask = cv2.warpAffine(
        mask, np.array([[1, 0, rng.normal(0, 1.3)], [0, 1, rng.normal(0, 1.3)]]), CROP[::-1]
    )
    mask = ((mask > 127) * np.uint8(255)).astype(np.uint8)
    size = int(rng.integers(2, 7))
    if kind < 0.3:
        mask = np.asarray(cv2.dilate(mask, np.ones((size, size), np.uint8)), dtype=np.uint8)
    elif kind < 0.5:
        mask = np.asarray(cv2.erode(mask, np.ones((size, size), np.uint8)), dtype=np.uint8)
    return np.asarray(mask, dtype=np.uint8)
