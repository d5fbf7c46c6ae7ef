"""The eye on the pictures of a set, on whole hands and on real photos; several at once, each in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from datasets.decks import Split
from datasets.sets import draw
from referee.photos.scoring import score_photos
from scripts.build.measured import SETS
from scripts.measure.eyes.certified import Certified, measure_certified
from scripts.measure.eyes.failures import Worst
from scripts.measure.eyes.hands import Hands, fan_counts, measure_hands
from scripts.measure.eyes.records import named_faces, told
from scripts.measure.eyes.report import SHOWN, Seen
from scripts.measure.eyes.sweeps import Sweeps, measure_sweeps
from scripts.measure.real import BridgeFigures, EdjeFigures, measure_bridge, measure_edje
from scripts.real_photos import bridge, edje
from vision.eye import Eye


def measure(eye: Eye, name: str, split: Split, seed: int, number: int) -> Seen:
    """The eye on `number` pictures of a set."""
    measured, seen, worst = SETS[name], Seen(), Worst(SHOWN)
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
        if name == "tops":
            # a foundation holds as many cards as its top tells
            seen.sums.append((len(still.cards), score_photos([layout]).total_by_faces))
        if name == "fans":
            seen.named.append(named_faces(still, layout))
        worst.add(still, layout, cards)
    seen.failures = worst.pictures()
    return seen


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


def measure_lays(models: Path | None, threads: int, split: Split, seed: int, number: int) -> Certified:
    """Spreads of several photos, likewise."""
    return measure_certified(Eye(models, threads=threads), split, seed, number)


def measure_swept(models: Path | None, threads: int, split: Split, seed: int, number: int) -> Sweeps:
    """Films swept over spreads, likewise."""
    return measure_sweeps(Eye(models, threads=threads), split, seed, number)


def measure_real(models: Path | None, threads: int, folder: Path) -> tuple[EdjeFigures, BridgeFigures]:
    """The real photos that nothing was fitted to, likewise."""
    eye = Eye(models, threads=threads)
    return measure_edje(eye, folder, edje(folder, "figures"))[0], measure_bridge(eye, folder, bridge(folder))[
        0
    ]
