"""Measures the eye on real photos: boxes and ranks (`edje`), identities (`bridge`). Figures with their counts.

Figures to be quoted are of the half of `edje` that nothing is fitted to (scripts/real_photos.py); the other half is there
to be looked at.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm

from scripts.matching import overlap, visible_box
from scripts.real_photos import bridge, edje
from vision.capture.frames import load_image
from vision.eye import Eye

Floats = NDArray[np.float64]


@dataclass(slots=True)
class EdjeFigures:
    """Visible boxes at IoU 0.5 and ranks."""

    pictures: int = 0
    cards: int = 0
    found: int = 0
    reported: int = 0
    rank_right: int = 0

    def line(self) -> str:
        """One line for a person."""
        return (
            f"edje: {self.pictures} photos, {self.cards} cards: recall {self.found / max(self.cards, 1):.3f}, "
            f"precision {self.found / max(self.reported, 1):.3f}, rank right {self.rank_right / max(self.found, 1):.3f}"
        )


@dataclass(slots=True)
class BridgeFigures:
    """Distinct identities a photo."""

    pictures: int = 0
    present: int = 0
    found: int = 0
    named: int = 0

    def line(self) -> str:
        """One line for a person."""
        wrong = self.named - self.found
        return (
            f"bridge: {self.pictures} photos, {self.present} identities: found {self.found / max(self.present, 1):.3f}, "
            f"wrong among named {wrong / max(self.named, 1):.3f} ({wrong} of {self.named})"
        )


def match(truth: Floats, seen: Floats, least: float = 0.5) -> list[tuple[int, int]]:
    """Pairs (truth, seen) of boxes whose IoU is at least `least`, each used once."""
    if not len(truth) or not len(seen):
        return []
    iou = overlap(truth, seen)
    rows, columns = linear_sum_assignment(-np.where(iou >= least, iou, 0))
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if iou[r, c] >= least]


def measure_edje(
    eye: Eye, folder: Path, rows: list[dict[str, Any]]
) -> tuple[EdjeFigures, list[dict[str, Any]]]:
    """Figures over the given label rows, and what went wrong in which picture."""
    figures, failures = EdjeFigures(), []
    for row in tqdm(rows, desc="edje"):
        layout = eye.see(load_image(folder / row["image"]))
        truth = np.array([[b["x"], b["y"], b["x"] + b["w"], b["y"] + b["h"]] for b in row["boxes"]])
        seen = np.array([visible_box(card, layout) for card in layout.cards]).reshape(-1, 4)
        pairs = match(truth, seen)
        wrong = []
        for t, s in pairs:
            face, wanted = layout.cards[s].face, row["boxes"][t]["label"]
            if face is not None and face[0] == wanted[0]:
                figures.rank_right += 1
            else:
                wrong.append(f"{wanted} read as {face}")
        figures.pictures += 1
        figures.cards += len(truth)
        figures.found += len(pairs)
        figures.reported += len(seen)
        missed, extra = len(truth) - len(pairs), len(seen) - len(pairs)
        if missed or extra or wrong:
            failures.append({"image": row["image"], "missed": missed, "extra": extra, "wrong": wrong})
    return figures, failures


def measure_bridge(
    eye: Eye, folder: Path, rows: list[dict[str, Any]]
) -> tuple[BridgeFigures, list[dict[str, Any]]]:
    """Figures over the given label rows, and what went wrong in which picture."""
    figures, failures = BridgeFigures(), []
    for row in tqdm(rows, desc="bridge"):
        layout = eye.see(load_image(folder / row["image"]))
        present = {b["label"] for b in row["boxes"]}
        named = {card.face for card in layout.cards if card.face is not None}
        figures.pictures += 1
        figures.present += len(present)
        figures.named += len(named)
        figures.found += len(present & named)
        failures.append(
            {
                "image": row["image"],
                "missed": sorted(present - named),
                "wrong": sorted(str(face) for face in named - present),
            }
        )
    return figures, failures


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with labels.jsonl, edje/ and bridge/")
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--half", choices=("fit", "figures"), default="figures", help="of edje")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    eye = Eye(options.models)
    first, edje_failures = measure_edje(eye, options.folder, edje(options.folder, options.half))
    second, bridge_failures = measure_bridge(eye, options.folder, bridge(options.folder))
    if options.json:
        print(
            json.dumps(
                {"edje": asdict(first), "bridge": asdict(second), "failures": edje_failures + bridge_failures}
            )
        )
        return
    for failure in edje_failures + bridge_failures:
        print(failure)
    print(first.line())
    print(second.line())


if __name__ == "__main__":
    main()
