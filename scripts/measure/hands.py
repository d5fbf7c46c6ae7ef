"""Measures replays of filmed hands: plays, draws, and what was falsely called illegal.

python -m scripts.build.film.hand --gate 6 --seed 1 --out out/gate
python -m scripts.measure.hands out/gate
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from scripts.here import commit
from scripts.intervals import wilson
from vision.eye import Eye


@dataclass(slots=True)
class Report:
    """Figures as they come in: point, what was asked, what was measured, on what."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, point: str, asked: str, part: float, whole: float, rests_on: str) -> None:
        """A share with its interval (Wilson, 95 %)."""
        low, high = wilson(part, whole)
        share = part / whole if whole else 0.0
        self.rows.append((point, asked, f"{share:.3f} [{low:.3f}, {high:.3f}]", rests_on))


def evaluate_hands(report: Report, eye: Eye, folder: Path) -> None:
    """Replays of the hands filmed in `folder` (scripts/build/film/hand.py --gate)."""
    from referee.live.replay import replay
    from referee.umpire.seats.dealt_row import DealNotFoundError
    from scripts.measure.replays import score_replay

    right = true = invented = false_illegal = draws = draws_true = 0
    videos = sorted(folder.rglob("*.mp4"))
    for video in tqdm(videos, desc="hands"):
        try:
            lines = list(replay(video, eye=eye))
        except DealNotFoundError as error:
            # a hand that cannot be refereed is a hand of which every play is missed
            lines = []
            tqdm.write(f"{video.name}: {error}")
        truth = video.with_name(video.stem + ".truth.jsonl").read_text().splitlines()
        figures = score_replay(lines, [json.loads(line) for line in truth])
        tqdm.write(
            f"{video.name}: {figures.plays.right} of {figures.plays.true} plays right, "
            f"{figures.plays.invented} invented, {figures.false_illegal} falsely called illegal"
        )
        right += figures.plays.right
        invented += figures.plays.invented
        true += figures.plays.true
        draws, draws_true = draws + figures.draws.right, draws_true + figures.draws.true
        false_illegal += figures.false_illegal
    on = f"{len(videos)} filmed hands, {true} plays"
    report.add("replay: plays right, of true and invented", ">= 0.90", right, true + invented, on)
    report.rows.append(("replay: plays invented", "", str(invented), on))
    report.add("replay: draws right", "", draws, draws_true, on)
    report.rows.append(("replay: false `illegal`", "0", str(false_illegal), on))


def main() -> None:
    """Command line."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("films", type=Path, help="folder of hands filmed by scripts.build.film.hand --gate")
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = Report()
    evaluate_hands(report, Eye(options.models), options.films)
    title = f"commit {commit()}, {platform.machine()}"
    if options.json:
        print(json.dumps({"made": title, "figures": report.rows}, indent=1))
        return
    table = Table("point", "asked", "measured [95 %]", "rests on", title=title)
    for row in report.rows:
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
