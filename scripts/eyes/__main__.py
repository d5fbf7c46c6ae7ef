"""Measures the eye on real photos and on pictures drawn with unseen decks, and writes the report.

python -m scripts.eyes --real FOLDER --pictures 60 --out docs/eyes.md
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks import AssetError, Split
from datasets.sets import draw
from datasets.stills import Still
from scripts.building import BuildError, ended, positive
from scripts.evaluate_real import BridgeFigures, EdjeFigures, measure_bridge, measure_edje
from scripts.eyes.enrolment import measure_enrolment
from scripts.eyes.hands import Hands, fan_counts, measure_hands
from scripts.eyes.records import CardRecord, told
from scripts.eyes.report import SHOWN, Report, Seen, save
from scripts.eyes.sets import SETS
from scripts.eyes.shares import Share
from scripts.here import commit
from scripts.leave_one_out import TOPS
from scripts.real_photos import bridge, edje
from vision.eye import Eye
from vision.layout import Layout

Pixels = NDArray[np.uint8]


#: Figures of families left out in turn, where no others are named.
LEFT_OUT = Path("docs/left-out.json")


def measure(eye: Eye, name: str, split: Split, seed: int, number: int) -> Seen:
    """The eye on `number` pictures of a set."""
    measured, seen = SETS[name], Seen()
    wanted = measured.pictures(split, seed, number)
    for i in tqdm(range(number), desc=name):
        still = draw(wanted, i)
        if measured.harm is not None:
            still = measured.harm(np.random.default_rng([seed, i]), still)
        began = time.perf_counter()
        layout = eye.see(still.image)
        picture, cards = told(still, layout, i, time.perf_counter() - began)
        seen.pictures.append(picture)
        seen.cards += cards
        if name == "leftovers":
            seen.fans += fan_counts(still, layout)
        if len(seen.failures) < SHOWN and (failure := drawn(still, layout, cards)) is not None:
            seen.failures.append(failure)
    return seen


def drawn(still: Still, layout: Layout, cards: Sequence[CardRecord]) -> Pixels | None:
    """What went wrong in a picture, None where nothing did: missed red, read wrong yellow, what is none blue."""
    wrong = [
        (card, truth)
        for card, truth in zip(cards, still.cards, strict=True)
        if card.visible >= 0.1 and not (card.found and (card.right or not (card.top and card.face_up)))
    ]
    if not wrong:
        return None
    image = still.image.copy()
    thick = max(2, image.shape[1] // 500)
    for card, truth in wrong:
        colour = (0, 220, 255) if card.found else (0, 0, 255)
        cv2.polylines(
            image, [np.round(np.array(truth.corners)).astype(np.int32)], True, colour, thick, cv2.LINE_AA
        )
    true = [np.array(card.corners).mean(axis=0) for card in still.cards]
    for seen in layout.cards:
        if min(np.linalg.norm(seen.centre - t) for t in true) > 0.3 * np.linalg.norm(
            seen.corners[1] - seen.corners[0]
        ):
            cv2.polylines(
                image, [np.round(seen.corners).astype(np.int32)], True, (255, 80, 0), thick, cv2.LINE_AA
            )
    return image


def left_out(path: Path) -> dict[str, Share]:
    """What readers read right of families that they never saw: tops of 1.6 px/mm and more, by family.

    Raises BuildError where the file does not tell it.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))["right and all"]
        return {family: Share(*shares[TOPS]) for family, shares in told.items()}
    except OSError as error:
        why = str(error.strerror)
    except (ValueError, KeyError, TypeError, AttributeError):
        why = "no figures of families left out"
    raise BuildError(f"{path}: {why}; scripts.leave_one_out writes them beside its page")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--real", type=Path, help="folder with labels.jsonl, edje/ and bridge/")
    parser.add_argument("--pictures", type=positive, default=20, help="of most sets; of some a half")
    parser.add_argument(
        "--hands", type=int, default=None, help="whole hands; as many as pictures if not said"
    )
    parser.add_argument("--sets", nargs="*", choices=list(SETS), default=list(SETS))
    parser.add_argument("--split", choices=("tune", "figures"), default="figures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--enrolled", type=int, default=12, help="scenes with enrolled decks, 0: none")
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    parser.add_argument(
        "--left-out",
        type=Path,
        help=f"figures of scripts/leave_one_out.py; {LEFT_OUT}, if it is there, where none are named",
    )
    parser.add_argument("--jobs", type=positive, default=1, help="sets that are measured at once")
    parser.add_argument("--out", type=Path, required=True, help="page to write: .md")
    options = parser.parse_args(arguments)
    return ended("eyes", lambda: _measure(options), AssetError)


def _measure(options: argparse.Namespace) -> str:
    # said at once, not after all has been measured
    named = options.left_out or (LEFT_OUT if LEFT_OUT.exists() else None)
    families = {} if named is None else left_out(named)
    shares = {name: max(1, round(SETS[name].share * options.pictures)) for name in options.sets}
    hands = options.pictures if options.hands is None else options.hands
    split, seed, threads = options.split, options.seed, 1 if options.jobs > 1 else 2
    asked: dict[str, Callable[[], Any]] = {
        name: partial(_set, options.models, threads, name, split, seed, number)
        for name, number in shares.items()
    }
    if hands:
        asked["hands"] = partial(_hands, options.models, threads, split, seed, hands)
    if options.enrolled:
        asked["enrolled"] = partial(measure_enrolment, options.models, split, seed, options.enrolled)
    if options.real is not None:
        asked["real"] = partial(_real, options.models, threads, options.real)
    told = _done(asked, options.jobs)
    report = Report(
        f"commit {commit()}, {platform.machine()}, seed {seed}, split `{split}`",
        {name: told[name] for name in shares},
    )
    report.hands, report.enrolment = told.get("hands"), told.get("enrolled")
    report.edje, report.bridge = told.get("real", (None, None))
    report.left_out = families
    save(report, options.out)
    return f"{options.out}: {sum(shares.values())} drawn pictures"


def _done(asked: dict[str, Callable[[], Any]], jobs: int) -> dict[str, Any]:
    """What is asked, by name; so many at once, each in a process of its own."""
    if jobs == 1:
        return {name: measured() for name, measured in asked.items()}
    with ProcessPoolExecutor(jobs, get_context("spawn"), max_tasks_per_child=1) as pool:
        waited = {name: pool.submit(measured) for name, measured in asked.items()}
        return {name: told.result() for name, told in waited.items()}


def _set(models: Path | None, threads: int, name: str, split: Split, seed: int, number: int) -> Seen:
    return measure(Eye(models, threads=threads), name, split, seed, number)


def _hands(models: Path | None, threads: int, split: Split, seed: int, number: int) -> Hands:
    return measure_hands(Eye(models, threads=threads), split, seed, number)


def _real(models: Path | None, threads: int, folder: Path) -> tuple[EdjeFigures, BridgeFigures]:
    eye = Eye(models, threads=threads)
    return measure_edje(eye, folder, edje(folder, "figures"))[0], measure_bridge(eye, folder, bridge(folder))[
        0
    ]


if __name__ == "__main__":
    sys.exit(main())
