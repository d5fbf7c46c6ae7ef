"""Draws the course of trainings from their logs: loss and figures over the views, a picture a run.

python -m scripts.train.curves runs/finder runs/reader --out docs/training
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

from scripts.building import BuildError, ended

#: What a log's lines tell beside figures.
ABOUT = {"views", "minutes", "lr"}


def draw(run: Path, out: Path) -> Path:
    """The curves of one run; raises BuildError where it has no log."""
    log = run / "log.jsonl"
    try:
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise BuildError(f"{log}: no log of a training ({error}); train first") from None
    if not lines:
        raise BuildError(f"{log} is empty; train longer")
    names = [name for name in lines[-1] if name not in ABOUT]
    figure, axes = plt.subplots(1, len(names), figsize=(3 * len(names), 2.6), squeeze=False)
    for axis, name in zip(axes[0], names, strict=True):
        axis.plot([line["views"] / 1000 for line in lines], [line.get(name) for line in lines], lw=1)
        axis.set_title(name, fontsize=9)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.3)
    figure.supxlabel("thousand views", fontsize=8)
    figure.tight_layout()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{run.name}.png"
    figure.savefig(path, dpi=90)
    plt.close(figure)
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("runs", type=Path, nargs="+", help="folders of trainings")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    return ended("train.curves", lambda: ", ".join(str(draw(run, options.out)) for run in options.runs))


if __name__ == "__main__":
    sys.exit(main())
