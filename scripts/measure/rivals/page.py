"""The comparison as a page: a table with a way a row, and the curves."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from scripts.here import commit
from scripts.intervals import wilson
from scripts.measure.rivals.measure import VISIBLE, Outcome

#: Visible shares that recall is told for.
BANDS = {"15–25 %": (VISIBLE, 0.25), "25–50 %": (0.25, 0.5), "50 % and more": (0.5, 1.01)}

_ABOUT = """# Which way of finding cards?

Made by `python -m scripts.measure.rivals`: commit {commit}, {machine}. Each way was trained from nothing on the same
windows for {views:,} views of {crop} px, with one trunk and one schedule. Thresholds, and what suppression lets
overlap, are settled on windows of the split `tune`; the figures are of {windows} drawn windows of decks never seen
(split `figures`): cards visible >= 15 %, oriented IoU >= 0.5, at the threshold with the best F on `tune`. Intervals:
Wilson, 95 %.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One way of finding cards, settled and measured."""

    told: str
    #: Oriented IoU that suppression lets overlap; None: nothing is suppressed.
    overlap: float | None
    threshold: float
    outcome: Outcome
    #: Of one core, a window.
    seconds: float

    def cells(self) -> list[str]:
        """As in the table's head."""
        at, outcome = self.threshold, self.outcome
        found = [outcome.at(at, *band) for band in BANDS.values()]
        return [
            self.told,
            _share(*outcome.at(at)),
            _share(*outcome.reported(at)),
            f"{outcome.average_precision():.3f}",
            *(_share(*some) for some in found),
            "any" if self.overlap is None else f"{self.overlap:g}",
            f"{1000 * self.seconds:.0f}",
        ]


HEAD = (
    "way",
    "recall",
    "precision",
    "AP",
    *(f"recall, {band} visible" for band in BANDS),
    "may overlap",
    "ms",
)


def page(rows: Sequence[Row], views: int, crop: int, windows: int) -> str:
    """The comparison as Markdown."""
    about = _ABOUT.format(
        commit=commit(), machine=platform.machine(), views=views, crop=crop, windows=windows
    )
    lines = [
        "| " + " | ".join(cells) + " |" for cells in (HEAD, ["---"] * len(HEAD), *(r.cells() for r in rows))
    ]
    return "\n".join([about, *lines, "", "![Precision over recall; the trainings](finders.png)", ""])


def picture(rows: Sequence[Row], runs: Mapping[str, Path], out: Path) -> None:
    """Precision over recall of every way, and the losses of the trainings."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    for row in rows:
        _curve(left, row)
    for name, run in runs.items():
        log = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
        views, losses = ([line[key] for line in log] for key in ("views", "loss"))
        right.plot(np.array(views) / 1000, np.array(losses) / losses[0], label=name, lw=1)
    left.set(xlabel="recall", ylabel="precision", xlim=(0.4, 1), ylim=(0.4, 1))
    right.set(xlabel="thousand views", ylabel="loss, as a share of that at the start")
    for axis in (left, right):
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(out, dpi=100)
    plt.close(figure)


def _curve(axis: Axes, row: Row) -> None:
    thresholds = np.linspace(0.02, 0.98, 97)
    recall = [found / max(there, 1) for found, there in map(row.outcome.at, thresholds)]
    precision = [right / max(said, 1) for right, said in map(row.outcome.reported, thresholds)]
    axis.plot(recall, precision, label=row.told, lw=1)


def _share(part: int, whole: int) -> str:
    low, high = wilson(part, whole)
    return f"{part / max(whole, 1):.3f} [{low:.3f}, {high:.3f}]"
