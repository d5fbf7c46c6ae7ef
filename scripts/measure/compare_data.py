"""Does new training data help? The finder and the reader trained on either for equal work, measured on real photos.

    python -m scripts.measure.compare_data --real FOLDER --out out/compare --init-finder F.npz --init-reader R.npz \\
        --old-windows DIR --new-windows DIR --old-crops DIR --new-crops DIR --tune-crops DIR

One training of each for every seed and data, of the same views and schedule; what is done already is kept, so a stopped
comparison goes on. The photos of `edje` are those that nothing was fitted to. Writes compare.json, compare.md, a table
of every run, and compare.png, a dot a run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scripts.build.film.contact_sheet import write
from scripts.measure.real import measure_bridge, measure_edje
from scripts.real_photos import bridge, edje
from vision.eye import Eye

KEPT = Path(__file__).parents[2] / "models"
DATA = ("old", "new")
#: What is told of a run: name, and how it comes from the counts of `measure_edje` and `measure_bridge`.
FIGURES: dict[str, Callable[[dict[str, Any], dict[str, Any]], float]] = {
    "edje recall": lambda e, _: e["found"] / max(e["cards"], 1),
    "edje precision": lambda e, _: e["found"] / max(e["reported"], 1),
    "edje F": lambda e, _: 2 * e["found"] / max(e["cards"] + e["reported"], 1),
    "edje rank right, of all cards": lambda e, _: e["rank_right"] / max(e["cards"], 1),
    "bridge found": lambda _, b: b["found"] / max(b["present"], 1),
    "bridge wrong among named": lambda _, b: (b["named"] - b["found"]) / max(b["named"], 1),
}


def train(options: argparse.Namespace, which: str, seed: int) -> Path:
    """Finder and reader of one seed on one data, exported; returns a folder of networks for an Eye."""
    run = options.out / f"{which}-{seed}"
    models: Path = run / "models"
    models.mkdir(parents=True, exist_ok=True)
    for kept in (
        "spreads.onnx",
        "placer.onnx",
        "rows.onnx",
        "designs.onnx",
        "backs.onnx",
        "verifier.onnx",
        "sifter.onnx",
    ):
        if not (models / kept).exists():
            (models / kept).symlink_to((KEPT / kept).resolve())
    common = ["--seed", str(seed), "--threads", str(options.threads)]
    if not (models / "finder.onnx").exists():
        windows = getattr(options, f"{which}_windows")
        begin = ["--init", str(options.init_finder)] if options.init_finder else []
        views = ["--views", str(options.finder_views), "--lr", "1e-3"]
        _run(
            "train.finder",
            "--data",
            *map(str, windows),
            "--run",
            str(run / "finder"),
            *views,
            *begin,
            *common,
        )
        _run("train.export", "finder", "--run", str(run / "finder"), "--out", str(models / "finder.onnx"))
    if not (models / "reader.onnx").exists():
        crops = getattr(options, f"{which}_crops")
        begin = ["--init", str(options.init_reader)] if options.init_reader else []
        views = ["--views", str(options.reader_views), "--batch", "48", "--lr", "1e-3"]
        _run(
            "train.reader", "--data", *map(str, crops), "--run", str(run / "reader"), *views, *begin, *common
        )
        told = ["--run", str(run / "reader"), "--tune", str(options.tune_crops)]
        _run("train.export", "reader", *told, "--out", str(models / "reader.onnx"))
    return models


def _run(script: str, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", f"scripts.{script}", *arguments], check=True, stdout=subprocess.DEVNULL
    )


def measure(models: Path, real: Path) -> dict[str, Any]:
    """Counts on the photos of `edje` that nothing was fitted to, and on `bridge`."""
    eye = Eye(models)
    cards, _ = measure_edje(eye, real, edje(real, "figures"))
    identities, _ = measure_bridge(eye, real, bridge(real))
    return {"edje": asdict(cards), "bridge": asdict(identities)}


def table(done: dict[str, dict[str, Any]], seeds: Sequence[int]) -> str:
    """Every figure of every run as Markdown."""
    lines = ["| figure | old, seed by seed | new, seed by seed |", "| --- | --- | --- |"]
    for name, figure in FIGURES.items():
        cells = []
        for which in DATA:
            runs = [done[f"{which}-{seed}"] for seed in seeds if f"{which}-{seed}" in done]
            cells.append(", ".join(f"{figure(run['edje'], run['bridge']):.3f}" for run in runs))
        lines.append(f"| {name} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"


def picture(done: dict[str, dict[str, Any]], seeds: Sequence[int]) -> NDArray[np.uint8]:
    """A line a figure from 0 to 1, a dot a run: grey for old data, blue for new."""
    left, wide, high = 300, 640, 44
    drawn = np.full((high * (len(FIGURES) + 1), left + wide + 60, 3), 255, np.uint8)
    for row, (name, figure) in enumerate(FIGURES.items()):
        y = high * row + high // 2
        write(drawn, name, (12, y + 5))
        cv2.line(drawn, (left, y), (left + wide, y), (215, 215, 215), 1, cv2.LINE_AA)
        for which, colour, lift in (("old", (120, 120, 120), -6), ("new", (190, 90, 20), 6)):
            for run in (done[f"{which}-{seed}"] for seed in seeds if f"{which}-{seed}" in done):
                x = left + round(wide * figure(run["edje"], run["bridge"]))
                cv2.circle(drawn, (x, y + lift), 5, colour, -1, cv2.LINE_AA)
    for tenth in range(0, 11, 2):
        x = left + wide * tenth // 10
        write(drawn, f"{tenth / 10:.1f}", (x - 12, high * len(FIGURES) + 26))
    return drawn


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    kept = options.out / "compare.json"
    done: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else {}
    seeds = list(range(1, options.seeds + 1))
    try:
        for seed in seeds:
            for which in DATA:
                name = f"{which}-{seed}"
                if name not in done:
                    done[name] = measure(train(options, which, seed), options.real)
                    kept.write_text(json.dumps(done, indent=1) + "\n")
                    (options.out / "compare.md").write_text(table(done, seeds))
                    cv2.imwrite(str(options.out / "compare.png"), picture(done, seeds))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"measure.compare_data: {error}; the same command goes on from there", file=sys.stderr)
        return 2
    print(table(done, seeds))
    return 0


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument(
        "--real", type=Path, required=True, help="folder with labels.jsonl, edje/ and bridge/"
    )
    parser.add_argument("--out", type=Path, required=True)
    for which in DATA:
        parser.add_argument(f"--{which}-windows", type=Path, nargs="+", required=True)
        parser.add_argument(f"--{which}-crops", type=Path, nargs="+", required=True)
    parser.add_argument(
        "--tune-crops", type=Path, required=True, help="what the reader's temperature is fitted to"
    )
    parser.add_argument("--init-finder", type=Path, help="weights that every finder begins from, as *.npz")
    parser.add_argument("--init-reader", type=Path, help="... and every reader")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--finder-views", type=int, default=9000)
    parser.add_argument("--reader-views", type=int, default=40000)
    parser.add_argument("--threads", type=int, default=1)
    return parser


if __name__ == "__main__":
    sys.exit(main())
