"""Measures everything that is promised and prints one table: the eye on real photos and rendered tables, replays.

    python -m scripts.film_hand --gate 6 --seed 1 --out out/gate
    python -m scripts.evaluate --real FOLDER --tables 40 --spreads 150 --films out/gate

Real and rendered figures stand apart, each with the pictures and cards that it rests on.
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from datasets.decks import Split
from datasets.room import ArtRoom
from datasets.stills import draw_spread, draw_table
from scripts.evaluate_real import measure_bridge, measure_edje
from scripts.evaluate_rendered import SpreadFigures, TableFigures, add_spread, add_table
from scripts.here import commit
from scripts.intervals import wilson
from scripts.real_photos import bridge, edje
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


def evaluate_real(report: Report, eye: Eye, folder: Path) -> None:
    """Real photos."""
    cards, _ = measure_edje(eye, folder, edje(folder, "figures"))
    on = f"{cards.pictures} real photos (scenes nothing is fitted to), {cards.cards} cards"
    report.add("edje: recall of visible boxes, IoU 0.5", ">= 0.90", cards.found, cards.cards, on)
    report.add("edje: precision", ">= 0.90", cards.found, cards.reported, on)
    report.add("edje: rank right among found", ">= 0.90", cards.rank_right, cards.found, on)
    some, _ = measure_bridge(eye, folder, bridge(folder))
    on = f"{some.pictures} real photos, {some.present} identities"
    report.add("bridge: identities found", ">= 0.60", some.found, some.present, on)
    report.add("bridge: wrong among named", "<= 0.05", some.named - some.found, some.named, on)


def evaluate_stills(report: Report, eye: Eye, split: Split, tables: int, spreads: int, seed: int) -> None:
    """Rendered tables and spreads."""
    room = ArtRoom(split)
    table_figures, spread_figures = TableFigures(), SpreadFigures()
    for i in tqdm(range(tables), desc="tables"):
        rng = np.random.default_rng([seed, 1, i])
        still = draw_table(rng, room.decks(rng, 2, 4), room.surface)
        add_table(table_figures, still, eye.see(still.image))
    for i in tqdm(range(spreads), desc="spreads"):
        rng = np.random.default_rng([seed, 2, i])
        still = draw_spread(rng, room.decks(rng, 2, 4), room.surface)
        add_spread(spread_figures, still, eye.see(still.image))
    t, s = table_figures, spread_figures
    on = f"{t.pictures} rendered tables, {split} decks, 1.6-2.6 px/mm, {t.cards} cards"
    report.add("tables: recall, visible >= 25 %", ">= 0.95", t.found, t.cards, on)
    report.add("tables: precision", ">= 0.95", t.found, t.found + t.false, on)
    report.add("tables: tops of piles read right", ">= 0.95", t.tops_right, t.tops, f"{t.tops} tops")
    on = f"{s.pictures} rendered spreads, {split} backs, {s.cards} cards"
    report.add("spreads: every deck's count exact", ">= 0.60", s.exact, s.pictures, on)
    report.add("spreads: recall of backs", "", s.found, s.cards, on)


def evaluate_hands(report: Report, eye: Eye, folder: Path) -> None:
    """Replays of the hands filmed in `folder` (scripts/film_hand.py --gate)."""
    from referee.umpire.dealt_row import DealNotFoundError
    from referee.umpire.measure import score_replay
    from referee.umpire.replay import replay

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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--real", type=Path, help="folder with labels.jsonl, edje/ and bridge/")
    parser.add_argument("--tables", type=int, default=0)
    parser.add_argument("--spreads", type=int, default=0)
    parser.add_argument("--films", type=Path, help="folder of hands filmed by scripts/film_hand.py --gate")
    parser.add_argument("--split", default="figures", choices=["tune", "figures"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report, eye = Report(), Eye(options.models)
    if options.real:
        evaluate_real(report, eye, options.real)
    if options.tables or options.spreads:
        evaluate_stills(report, eye, options.split, options.tables, options.spreads, options.seed)
    if options.films:
        evaluate_hands(report, eye, options.films)
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
