"""The labelled real photos, and which of them something may be fitted to.

The half of `edje` that may be fitted to is settled by scene (the surface that the cards lie on), so that no table, floor
or light is on both sides; `bridge` is measured only.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

#: What may be fitted to, and what is measured only.
Half = Literal["fit", "figures"]
#: Scenes of `edje` that may be fitted to, as first and last numbers of their photos (IMG_2385.JPG has 2385).
FIT_SCENES = {
    "beige carpet": ((2385, 2406), (2637, 2645), (2657, 2661), (2689, 2704)),
    "green chair": ((2423, 2427),),
    "things about the house": ((2431, 2462),),
    "brown carpet and kitchen": ((2492, 2528),),
    "yard, grey carpet, tiles": ((2558, 2593),),
}


def edje(folder: Path, half: Half) -> list[dict[str, Any]]:
    """Label rows of one half of `edje`."""
    return [row for row in _rows(folder, "edje") if _may_be_fitted(row["image"]) == (half == "fit")]


def bridge(folder: Path) -> list[dict[str, Any]]:
    """Label rows of `bridge`."""
    return _rows(folder, "bridge")


def _rows(folder: Path, name: str) -> list[dict[str, Any]]:
    lines = (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["set"] == name]


def _may_be_fitted(image: str) -> bool:
    """Is the photo one of `FIT_SCENES`? Those of the second camera (cam_image...) are not."""
    number = re.search(r"IMG_(\d+)", image)
    if number is None:
        return False
    ranges = (scene for scenes in FIT_SCENES.values() for scene in scenes)
    return any(first <= int(number.group(1)) <= last for first, last in ranges)
