"""Fits how likely two cards landed at once (referee/dealt/chance.py) to films of dealing that were counted.

    python -m scripts.build.film.dealing --split tune --seed 9503 --films 20 --cards 44 --misdeals 4 1 --out out/dealing
    python -m scripts.measure.eyes.dealing out/dealing
    python -m scripts.calibrate.dealt out/dealing

Films may have more misdeals than people make: two at once weigh as many as they usually are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from datasets.dealt.truth import event_of
from referee.dealt.chance import ALONE, BESIDE, GAIN
from scripts.building import ended

Floats = NDArray[np.float64]

#: Of so many landings one is of two cards: one film in two has one, of 75 cards on average.
USUAL = 0.5 / 75
#: What was set by hand: the constant, and what is added for the logarithms of both areas; how far the fit may be from it,
#: standard deviations (of the constant, and of the others' logarithms).
BEGUN, FREE = (-11.0, 0.7, 2.4), (2.0, 0.7, 0.7)
#: A second card that is less likely than this leaves no trace.
TRACE = 0.01


@dataclass(frozen=True, slots=True)
class Landings:
    """What landed in one film: (n, 2) the logarithms of both areas, and (n,) whether two did."""

    name: str
    figures: Floats
    two: NDArray[np.bool_]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    return ended("calibrate.dealt", lambda: _fitted(options.folder), ValueError)


def _fitted(folder: Path) -> str:
    films = [_landings(path) for path in sorted(folder.glob("*.count.json"))]
    films = [film for film in films if len(film.two)]
    twos = sum(int(film.two.sum()) for film in films)
    if not twos:
        raise ValueError(f"{folder} holds no film that was counted, or none with two at once: see --help")
    weights = fit(films)
    told = [", ".join(f"{name} {value:.2f}" for name, value in zip(_names(), weights, strict=True))]
    for title, chances in (("as fitted", weights), ("as it is", np.array([ALONE, BESIDE, GAIN]))):
        told.append(f"{title}: log loss {_loss(films, chances) * 1000:.2f} a thousand landings")
    if len(films) > 1:
        apart = [
            _loss([film], fit([other for other in films if other is not film])) * len(film.two)
            for film in films
        ]
        landings = sum(len(film.two) for film in films)
        told.append(
            f"films left out in turn: log loss {sum(apart) / landings * 1000:.2f} a thousand landings"
        )
    lost = sum(int((film.two & (chance(film.figures, weights) < TRACE)).sum()) for film in films)
    told.append(f"{lost} of {twos} second cards leave no trace: card {USUAL * (lost + 0.5) / (twos + 1):.5f}")
    return "\n".join(told + _odd(films, weights))


def chance(figures: Floats, weights: Floats) -> Floats:
    """(n,) how likely a second card landed."""
    return np.asarray(1 / (1 + np.exp(-(weights[0] + figures @ weights[1:]))))


def fit(films: Sequence[Landings]) -> Floats:
    """The constant, and what is added for each figure."""

    def cost(off: Floats) -> float:
        landings = sum(len(film.two) for film in films)
        return _loss(films, _moved(off)) * landings + 0.5 * float(off @ off)

    found = minimize(
        cost, np.zeros(len(BEGUN)), method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-3}
    )
    return _moved(found.x)


def _moved(off: Floats) -> Floats:
    begun, free = np.array(BEGUN), np.array(FREE)
    return np.concatenate([begun[:1] + off[:1] * free[0], begun[1:] * np.exp(off[1:] * free[1:])])


def _loss(films: Sequence[Landings], weights: Floats) -> float:
    """Log loss a landing, two at once weighing as many as they usually are."""
    two = np.concatenate([film.two for film in films])
    sure = chance(np.concatenate([film.figures for film in films]), weights).clip(1e-9, 1 - 1e-9)
    often = np.where(two, USUAL * (~two).sum() / max(two.sum(), 1), 1.0)
    return float((often * -np.log(np.where(two, sure, 1 - sure))).sum() / len(two))


def _landings(path: Path) -> Landings:
    counted = json.loads(path.read_text("utf-8"))
    truth = json.loads(path.with_name(path.name.replace(".count.json", ".truth.json")).read_text("utf-8"))
    events = [event for event in truth["events"] if event["kind"] != "taken back"]
    rows, two = [], []
    for one in counted.get("weighed", []):
        event = event_of(one["at"], events)
        if event is not None:
            rows.append([np.log1p(one["beside"]), np.log1p(one["gain"])])
            two.append(event["kind"] == "two")
    return Landings(path.name.partition(".")[0], np.array(rows, float).reshape(-1, 2), np.array(two, bool))


def _odd(films: Sequence[Landings], weights: Floats) -> list[str]:
    """Single cards that look like two, and two that look like one."""
    lines = []
    for film in films:
        for row, two, value in zip(film.figures, film.two, chance(film.figures, weights), strict=True):
            if (value < 0.5) == two or (not two and value > TRACE):
                beside, gain = np.expm1(row)
                kind = "two" if two else "one"
                lines.append(f"{film.name}: {kind} {value:.4f}, beside {beside:.1f}, gain {gain:.1f}")
    return lines


def _names() -> tuple[str, ...]:
    return "ALONE", "BESIDE", "GAIN"


if __name__ == "__main__":
    sys.exit(main())
