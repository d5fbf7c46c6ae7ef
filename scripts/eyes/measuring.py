"""The eye on the pictures of a set, on whole hands and on real photos; several at once, each in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks import Split
from datasets.sets import draw
from datasets.stills import Still
from scripts.evaluate_real import BridgeFigures, EdjeFigures, measure_bridge, measure_edje
from scripts.eyes.hands import Hands, fan_counts, measure_hands
from scripts.eyes.records import CardRecord, told
from scripts.eyes.report import SHOWN, Seen
from scripts.eyes.sets import SETS
from scripts.real_photos import bridge, edje
from vision.eye import Eye
from vision.layout import Layout

Pixels = NDArray[np.uint8]


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


def measured_at_once(asked: dict[str, Callable[[], Any]], jobs: int) -> dict[str, Any]:
    """What is asked, by name; so many at once, each in a process of its own."""
    if jobs == 1:
        return {name: measured() for name, measured in asked.items()}
    with ProcessPoolExecutor(jobs, get_context("spawn"), max_tasks_per_child=1) as pool:
        waited = {name: pool.submit(measured) for name, measured in asked.items()}
        return {name: told.result() for name, told in waited.items()}


def measure_set(models: Path | None, threads: int, name: str, split: Split, seed: int, number: int) -> Seen:
    """A set, by an eye of its own with so many threads."""
    return measure(Eye(models, threads=threads), name, split, seed, number)


def measure_whole_hands(models: Path | None, threads: int, split: Split, seed: int, number: int) -> Hands:
    """Whole hands, likewise."""
    return measure_hands(Eye(models, threads=threads), split, seed, number)


def measure_real(models: Path | None, threads: int, folder: Path) -> tuple[EdjeFigures, BridgeFigures]:
    """The real photos that nothing was fitted to, likewise."""
    eye = Eye(models, threads=threads)
    return measure_edje(eye, folder, edje(folder, "figures"))[0], measure_bridge(eye, folder, bridge(folder))[
        0
    ]
