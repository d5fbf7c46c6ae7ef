"""Will this view of a table do? What a camera shows, judged before anybody plays: scale by area, focus, light, glare.

Everything is measured on what the camera gives, with cards on the table where scale and focus are asked for: nothing but
cards tells how large a millimetre is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.draw import draw_layout
from vision.geometry.plane import on_table
from vision.layout import Layout, SeenCard

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
Reads = Literal["reads", "guesses", "cannot", "unknown"]

#: px a mm from which faces are read, and below which they are not.
READS, GUESSES = 1.3, 1.1
#: Areas that a picture is divided into: columns and rows.
AREAS = (6, 4)
#: mm over which edges may be blurred (twice the deviation of a Gaussian): whole faces are read through more, strips of
#: columns are not.
SHARP_MM = 2.0
#: Mean brightness (0 to 255) between which a table is neither too dark nor burnt out.
DARK, BRIGHT = 50.0, 215.0
#: Brighter than this is glare: on more than this share of the picture beside the cards, or of a card that is not read.
BURNT, BURNT_TABLE, BURNT_CARD, UNREAD = 252, 0.02, 0.35, 0.9
#: Brightness may change by this share from frame to frame, and the picture move by so many px.
FLICKER, MOVED_PX = 0.04, 1.5
LEAST_HEIGHT, LEAST_FPS = 720, 24.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what was measured, and what to do if it will not do."""

    name: str
    ok: bool
    figure: str
    advice: str = ""


def judge_view(frames: Sequence[Image], fps: float, layout: Layout) -> list[Finding]:
    """Everything that frames of a camera (BGR, of one size, oldest first) and a look at the last one tell.

    `fps`: frames a second, as measured; `layout`: the last frame as the eye sees it.
    """
    last = frames[-1]
    findings = [_resolution(last), _frame_rate(fps), _light(last)]
    findings += [found for found in (_flicker(frames), _movement(frames)) if found is not None]
    findings.append(_glare(last, layout))
    if layout.to_table is None or not any(card.side == "face" for card in layout.cards):
        advice = "lay a few cards face up where people will play, also at the edges of the table"
        return [
            *findings,
            Finding("cards", False, "no card is seen that tells how large a millimetre is", advice),
        ]
    return [*findings, _scale(layout), *_focus(last, layout)]


def scale_by_area(layout: Layout) -> Floats:
    """px a mm of each area (rows, columns), the smaller way across; NaN all over where no plane is known."""
    columns, rows = AREAS
    if layout.to_table is None:
        return np.full((rows, columns), np.nan)
    x = (np.arange(columns) + 0.5) / columns * layout.width
    y = (np.arange(rows) + 0.5) / rows * layout.height
    middles = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    step = 4.0
    here, right, down = (_to_mm(layout, middles + by) for by in ((0.0, 0.0), (step, 0.0), (0.0, step)))
    across = np.stack([right - here, down - here], axis=-1) / step
    longest = np.linalg.svd(across, compute_uv=False)[:, 0]
    return np.asarray((1.0 / np.maximum(longest, 1e-9)).reshape(rows, columns), dtype=np.float64)


def reads_at(scale: float) -> Reads:
    """What the eye makes of cards at so many px a mm."""
    if np.isnan(scale):
        return "unknown"
    return "reads" if scale >= READS else "guesses" if scale >= GUESSES else "cannot"


def blur_mm(image: Image, card: SeenCard, px_per_mm: float) -> float | None:
    """Over how many mm the sharpest edges of a card are spread; None of a card of which too little is seen.

    An edge of a step h blurred by a Gaussian of deviation s is h / (s * sqrt(2 pi)) steep at its steepest; twice s is
    told. Print has the sharpest edges of all that lies on a table.
    """
    x0, y0 = np.floor(card.visible.min(axis=0)).astype(int).clip(0)
    x1, y1 = np.ceil(card.visible.max(axis=0)).astype(int)
    part = cv2.cvtColor(np.ascontiguousarray(image[y0 : y1 + 1, x0 : x1 + 1]), cv2.COLOR_BGR2GRAY)
    mask = np.zeros(part.shape, np.uint8)
    cv2.fillPoly(mask, [(card.visible - (x0, y0)).round().astype(np.int32)], 1)
    inner = cv2.erode(mask, np.ones((5, 5), np.uint8)) > 0
    if inner.sum() < 400:
        return None
    grey = part.astype(np.float32)
    slopes = np.hypot(cv2.Scharr(grey, cv2.CV_32F, 1, 0), cv2.Scharr(grey, cv2.CV_32F, 0, 1)) / 32.0
    low, high = np.percentile(grey[inner], [1, 99])
    steepest = float(np.percentile(slopes[inner], 99.5))
    if high - low < 40 or steepest <= 0:
        return None
    return float(2.0 * (high - low) / (steepest * np.sqrt(2 * np.pi)) / px_per_mm)


def draw_view(image: Image, layout: Layout) -> Image:
    """The picture with what is seen, and areas in which cards are guessed (yellow) or cannot be read (red)."""
    drawn = draw_layout(image, layout)
    scale = scale_by_area(layout)
    rows, columns = scale.shape
    tints = {"guesses": (0, 200, 255), "cannot": (40, 40, 230)}
    for row, column in np.ndindex(rows, columns):
        tint = tints.get(reads_at(float(scale[row, column])))
        if tint is None:
            continue
        y0, y1 = row * layout.height // rows, (row + 1) * layout.height // rows
        x0, x1 = column * layout.width // columns, (column + 1) * layout.width // columns
        part = drawn[y0:y1, x0:x1]
        drawn[y0:y1, x0:x1] = cv2.addWeighted(part, 0.7, np.full_like(part, tint), 0.3, 0)
    return drawn


def _to_mm(layout: Layout, points: Floats) -> Floats:
    if layout.plane is not None:
        return on_table(layout.plane, points)
    assert layout.to_table is not None
    mapped = cv2.perspectiveTransform(points.reshape(-1, 1, 2), layout.to_table)
    return np.asarray(mapped.reshape(-1, 2), dtype=np.float64)


def _resolution(image: Image) -> Finding:
    height, width = image.shape[:2]
    return Finding(
        "resolution", height >= LEAST_HEIGHT, f"{width}x{height}", "choose 1920x1080 in its settings"
    )


def _frame_rate(fps: float) -> Finding:
    advice = "choose 30 fps or more in its settings; more light helps, since dim cameras take their time"
    return Finding("frame rate", fps >= LEAST_FPS, f"{fps:.0f} fps as measured", advice)


def _light(image: Image) -> Finding:
    light = float(image.mean())
    advice = "light the table more" if light < DARK else "take light away, or set the exposure lower"
    return Finding("light", DARK <= light <= BRIGHT, f"{light / 2.55:.0f} %", advice)


def _flicker(frames: Sequence[Image]) -> Finding | None:
    if len(frames) < 8:
        return None
    levels = np.array([float(frame[::8, ::8].mean()) for frame in frames])
    change = float(np.abs(np.diff(levels)).max() / max(levels.mean(), 1.0))
    advice = "set the camera to the frequency of your mains (50 or 60 Hz), or use another lamp"
    return Finding("steady light", change <= FLICKER, f"changes by {100 * change:.0f} %", advice)


def _movement(frames: Sequence[Image]) -> Finding | None:
    if len(frames) < 2:
        return None
    first, last = (
        cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY).astype(np.float64) for frame in (frames[0], frames[-1])
    )
    (x, y), sure = cv2.phaseCorrelate(first, last)
    moved = float(np.hypot(x, y)) if sure > 0.1 else 0.0
    return Finding(
        "steady camera",
        moved <= MOVED_PX,
        f"moves by {moved:.1f} px",
        "clamp the camera so that it cannot move",
    )


def _glare(image: Image, layout: Layout) -> Finding:
    burnt = image.min(axis=2) >= BURNT
    lies = np.zeros(image.shape[:2], np.uint8)
    for card in layout.cards:
        cv2.fillPoly(lies, [card.corners.round().astype(np.int32)], 1)
    beside = lies == 0
    table = float(burnt[beside].mean()) if beside.any() else 0.0
    cards = sum(
        card.face_confidence < UNREAD and _burnt_share(burnt, card) > BURNT_CARD for card in layout.cards
    )
    said = f"{cards} of {len(layout.cards)} cards burnt out" if cards else f"{100 * table:.0f} % of the table"
    advice = "move the lamp to the side or soften it, or set the exposure lower"
    return Finding("glare", table <= BURNT_TABLE and not cards, said, advice)


def _burnt_share(burnt: NDArray[np.bool_], card: SeenCard) -> float:
    x0, y0 = np.floor(card.visible.min(axis=0)).astype(int).clip(0)
    x1, y1 = np.ceil(card.visible.max(axis=0)).astype(int)
    part = burnt[y0 : y1 + 1, x0 : x1 + 1]
    mask = np.zeros(part.shape, np.uint8)
    cv2.fillPoly(mask, [(card.visible - (x0, y0)).round().astype(np.int32)], 1)
    return float(part[mask > 0].mean()) if mask.any() else 0.0


def _scale(layout: Layout) -> Finding:
    scale = scale_by_area(layout)
    least, most = float(np.nanmin(scale)), float(np.nanmax(scale))
    kinds = [reads_at(float(value)) for value in scale.flat]
    short = sum(kind != "reads" for kind in kinds)
    said = f"{least:.2f} to {most:.2f} px/mm" + (
        f", too small in {short} of {len(kinds)} areas" if short else ""
    )
    advice = "hang the camera lower or choose more pixels; play where cards are large enough"
    return Finding("scale", reads_at(float(np.median(scale))) == "reads", said, advice)


def _focus(image: Image, layout: Layout) -> list[Finding]:
    faces = [card for card in layout.cards if card.side == "face"]
    blurs = [blur for card in faces if (blur := blur_mm(image, card, layout.px_per_mm)) is not None]
    if not blurs:
        return []
    blur = float(np.median(blurs))
    advice = "focus on the table (many webcams focus on whoever leans in: switch autofocus off)"
    return [Finding("focus", blur <= SHARP_MM, f"edges blurred over {blur:.1f} mm", advice)]
