"""Centres dealt out under a camera: of how many decks is the count certified, and of how many of these exact.

    python -m scripts.build.film.dealing --split figures --seed 880001 --films 40 --out out/dealing
    python -m scripts.measure.eyes.dealing out/dealing
    python -m scripts.measure.eyes.dealing out/dealing --rows docs/dealing.jsonl --page docs/dealing.md

A second figure is that after a person looked at the pictures of its doubts and said what is true, made up from the truth.

Goes through every `dealing-SEED.mp4` of a folder that has its truth beside it; what was counted is kept as
`dealing-SEED.count.json`, so that a stopped run goes on and films may be deleted (delete these to count anew). With
`--rows` a line is added for every film, known by the sources that it was counted with; `--page` writes the table of
those.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

from tqdm import tqdm

from datasets.files import put
from referee.dealt.count import count_dealt
from referee.dealt.watched import watch_dealing
from referee.errors import BadInputError
from scripts.building import ended
from scripts.here import commit
from scripts.measure.dealt.figures import put_in, sources, table, told
from scripts.measure.dealt.judging import answered, judged, weighed
from scripts.measure.rows import Rows
from vision.capture.video import Video
from vision.eye import Eye

Json = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rows", type=Path, help="where a line is added for every film")
    parser.add_argument("--page", type=Path, help="the page whose table is made of these lines")
    options = parser.parse_args(arguments)
    if options.page is not None and options.rows is None:
        parser.error("--page wants --rows: the table is made of them")
    return ended("measure.eyes.dealing", lambda: _measured(options), ValueError)


def _measured(options: argparse.Namespace) -> str:
    folder: Path = options.folder
    truths = sorted(folder.glob("*.truth.json"))
    if not truths:
        raise ValueError(f"{folder} holds no film with its truth: make some with scripts.build.film.dealing")
    rows = None if options.rows is None else Rows(options.rows)
    made_of = sources()
    eye: Eye | None = None
    results = []
    for path in tqdm(truths, desc="films", disable=None):
        kept = path.with_name(path.name.replace(".truth.json", ".count.json"))
        truth = json.loads(path.read_text("utf-8"))
        if not kept.exists():
            eye = eye or Eye(threads=options.threads)
            counted = _count(path.with_name(path.name.replace(".truth.json", ".mp4")), eye, truth)
            put(kept, json.dumps(counted | {"sources": made_of, "commit": commit()}, indent=1) + "\n")
        row = _row(truth, json.loads(kept.read_text("utf-8")))
        results.append(row)
        if rows is not None:
            rows.add(row)
    if rows is not None and options.page is not None:
        page: Path = options.page
        put(page, put_in(page.read_text("utf-8"), table(rows.of(str(results[-1]["sources"])))))
    return told(results)


def _row(truth: Json, counted: Json) -> Json:
    """What is kept of a film: decks as they were told, and once its questions were answered."""
    row = {"sources": counted.get("sources", "unknown"), "film": str(truth["seed"])}
    row |= judged(truth, counted) | {"questions": counted.get("questions", 0)}
    row["answered"] = judged(truth, counted.get("answered", counted))["decks"]
    return row | {"refused": counted.get("refused"), "commit": counted.get("commit", "unknown")}


def _count(film: Path, eye: Eye, truth: Json) -> Json:
    """What the program says of a film, at first and when its questions are answered truly, with what it took."""
    began = process_time()
    try:
        with Video(film) as video:
            dealt = watch_dealing(video, (video.width, video.height), film.name, eye)
            seconds = video.duration_s
    except BadInputError as error:
        return {"refused": str(error), "decks": [], "dealing": {"landings": []}}
    count = count_dealt(dealt.landings, dealt.cards, dealt.ending, seats={}, unseen=dealt.unseen)
    told = count.to_json() | {"cpu_s": process_time() - began, "seconds": seconds}
    told["weighed"] = weighed(count)
    return told | {"questions": answered(count, truth), "answered": count.to_json()}


if __name__ == "__main__":
    sys.exit(main())
