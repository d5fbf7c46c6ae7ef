"""From vector sheets and card pictures to clean card rectangles: cut, trim the outline, fill the corners."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import resvg_py
from numpy.typing import NDArray

#: (H, W, 3) BGR or (H, W, 4) BGRA, uint8.
Pixels = NDArray[np.uint8]

#: Height of every stored card picture in px: 4 px/mm on 88 mm.
CARD_PX = 352
#: Sheets are drawn this much larger and averaged down.
OVERSAMPLE = 2


def decode(png: bytes) -> Pixels:
    """A PNG as BGRA."""
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)
    if picture is None:
        raise ValueError("not a picture")
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    if picture.shape[2] == 3:
        picture = cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA)
    return np.asarray(picture, dtype=np.uint8)


def draw_svg(svg: str, width: int | None = None, height: int | None = None, fonts: bool = False) -> Pixels:
    """Draw a whole SVG picture as BGRA, `width` or `height` px; `fonts` where it holds text."""
    png = resvg_py.svg_to_bytes(
        svg_string=svg, width=width, height=height, dpi=96, skip_system_fonts=not fonts
    )
    return decode(png)


def cut_grid(sheet: Pixels, columns: int = 13, rows: int = 5) -> list[list[Pixels]]:
    """Cut a sheet into equal cells, rows of columns."""
    xs = np.linspace(0, sheet.shape[1], columns + 1).round().astype(int)
    ys = np.linspace(0, sheet.shape[0], rows + 1).round().astype(int)
    return [[sheet[top:bottom, left:right] for left, right in pairwise(xs)] for top, bottom in pairwise(ys)]


def cut_scattered(sheet: Pixels) -> list[list[Pixels]]:
    """Find the cards that lie apart on a sheet: rows from the top, each from the left."""
    _, _, stats, _ = cv2.connectedComponentsWithStats((sheet[..., 3] > 127).astype(np.uint8))
    boxes = [tuple(int(v) for v in box[:4]) for box in stats[1:]]
    tallest = max(box[3] for box in boxes)
    cards = sorted((box for box in boxes if box[3] > 0.8 * tallest), key=lambda box: box[1])
    rows: list[list[tuple[int, ...]]] = []
    for box in cards:
        if rows and box[1] - rows[-1][0][1] < tallest / 2:
            rows[-1].append(box)
        else:
            rows.append([box])
    return [[sheet[y : y + h, x : x + w] for x, y, w, h in sorted(row)] for row in rows]


def shed(picture: Pixels) -> Pixels:
    """Cut off transparent margins."""
    ys = np.flatnonzero((picture[..., 3] > 127).mean(axis=1) > 0.3)
    xs = np.flatnonzero((picture[..., 3] > 127).mean(axis=0) > 0.3)
    if len(ys) == 0:
        raise ValueError("an empty card")
    return picture[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1]


def outline_width(pictures: list[Pixels], limit: float = 0.06) -> int:
    """How many px of printed outline run around number cards, in px of the first picture.

    Looks inward from the middle of every side until the paper's own colour is reached; `limit` is the widest
    outline to believe in, as a share of the card's width.
    """
    widths = []
    for picture in pictures:
        grey = on_paper(picture).max(axis=2).astype(np.int16)
        height, width = grey.shape
        band = slice(int(0.46 * height), int(0.54 * height))
        reach = int(limit * width)
        for profile in (
            np.median(grey[band, :reach], axis=0),
            np.median(grey[band, -reach:][:, ::-1], axis=0),
        ):
            dark = np.flatnonzero(profile < profile[-1] - 12)
            widths.append(int(dark[-1]) + 1 if len(dark) else 0)
    return int(np.percentile(widths, 75)) if widths else 0


def on_paper(picture: Pixels, paper: tuple[int, int, int] = (255, 255, 255)) -> Pixels:
    """Lay a picture with alpha on paper of one colour: BGR."""
    alpha = picture[..., 3:].astype(np.float32) / 255
    flat = picture[..., :3] * alpha + np.array(paper, np.float32) * (1 - alpha)
    return np.asarray(flat.round(), dtype=np.uint8)


def clean(picture: Pixels, trim: int) -> Pixels:
    """A card without outline and transparency, `CARD_PX` high, its ratio kept: BGR."""
    height, width = picture.shape[:2]
    inner = on_paper(picture)[trim : height - trim, trim : width - trim]
    size = (round(CARD_PX * inner.shape[1] / inner.shape[0]), CARD_PX)
    shrinking = inner.shape[0] > CARD_PX
    resized = cv2.resize(inner, size, interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_CUBIC)
    return np.asarray(resized, dtype=np.uint8)
