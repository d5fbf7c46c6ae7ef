"""Centres dealt out under a camera: of how many decks is the count certified, and of how many of these exact.

    python -m scripts.build.film.dealing --split figures --seed 880001 --films 40 --out out/dealing
    python -m scripts.measure.eyes.dealing out/dealing

A second figure is that after a person looked at the pictures of its doubts and said what is true, made up from the truth.

Goes through every `dealing-SEED.mp4` of a folder that has its truth beside it; what was counted is kept as
`dealing-SEED.count.json`, so that a stopped run goes on (delete these to count anew).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from tqdm import tqdm

from datasets.files import put
from referee.dealt.count import Count, Doubt, count_dealt
from referee.dealt.questions import answer, asked
from referee.dealt.watched import watch_dealing
from referee.errors import BadInputError
from scripts.building import ended
from scripts.intervals import wilson
from vision.capture.video import Video
from vision.dealt.landings import Landing
from vision.dealt.visits import Change
from vision.eye import Eye

Json = dict[str, Any]
#: A landing is told no later than this after it was (s), and usually after the second.
LATE_S, USUAL_S = 1.2, 0.15


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    return ended("measure.eyes.dealing", lambda: _measured(options.folder, options.threads), ValueError)


def _measured(folder: Path, threads: int) -> str:
    truths = sorted(folder.glob("*.truth.json"))
    if not truths:
        raise ValueError(f"{folder} holds no film with its truth: make some with scripts.build.film.dealing")
    eye: Eye | None = None
    results = []
    for path in tqdm(truths, desc="films", disable=None):
        kept = path.with_name(path.name.replace(".truth.json", ".count.json"))
        truth = json.loads(path.read_text("utf-8"))
        if not kept.exists():
            eye = eye or Eye(threads=threads)
            counted = _count(path.with_name(path.name.replace(".truth.json", ".mp4")), eye, truth)
            put(kept, json.dumps(counted, indent=1) + "\n")
        counted = json.loads(kept.read_text("utf-8"))
        result = judged(truth, counted) | {"film": path.name, "questions": counted.get("questions", 0)}
        results.append(result | {"answered": judged(truth, counted.get("answered", counted))["decks"]})
    return _told(results)


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
    return told | {"questions": answered(count, truth), "answered": count.to_json()}


def judged(truth: Mapping[str, Any], counted: Mapping[str, Any]) -> Json:
    """By deck of a film: is its count certified, and exact; a design is the owner's of whom most of its cards are."""
    whose = owners_of(counted["dealing"]["landings"], truth)
    decks = {deck["back"]: deck for deck in counted["decks"]}
    found: list[Json] = []
    for owner, cards in truth["counts"].items():
        mine = [decks[label] for label, name in whose.items() if name == owner]
        sure = bool(mine) and all(deck["state"] == "sure" for deck in mine)
        exact = len(mine) == 1 and mine[0]["centre"] == cards
        found.append(
            {
                "owner": owner,
                "cards": cards,
                "told": [deck["centre"] for deck in mine],
                "sure": sure,
                "exact": exact,
            }
        )
    return {
        "decks": found,
        "way": truth["habits"]["way"],
        "cpu": counted.get("cpu_s"),
        "lasts": counted.get("seconds"),
    }


def event_of(at: float, events: Sequence[Json]) -> Json | None:
    """What came to lie when a landing was told at `at` (s)."""
    near = [event for event in events if -0.1 <= at - event["at"] <= LATE_S]
    return min(near, key=lambda event: abs(at - event["at"] - USUAL_S), default=None)


def owners_of(landings: Sequence[Mapping[str, Any]], truth: Mapping[str, Any]) -> dict[str, str]:
    """Label → whose most of its cards are; `landings` with their moments and labels, as they are told."""
    events = [event for event in truth["events"] if event["kind"] != "taken back"]
    owners: dict[str, Counter[str]] = {}
    for landing in landings:
        event = event_of(landing["at"], events)
        if event is not None:
            owners.setdefault(landing["back"], Counter())[event["owners"][-1]] += 1
    return {label: count.most_common(1)[0][0] for label, count in owners.items()}


def answered(count: Count, truth: Mapping[str, Any]) -> int:
    """Answers what is asked; how many questions that were."""
    told = count.to_json()["dealing"]["landings"]
    labels = {owner: label for label, owner in owners_of(told, truth).items()}
    questions = asked(count)
    for doubt in questions:
        yes, owner = _truly(doubt, told, truth, labels)
        answer(count, doubt, yes=yes, whose=None if owner is None else labels.get(owner))
    return len(questions)


def _truly(
    doubt: Doubt, told: Sequence[Json], truth: Mapping[str, Any], labels: Mapping[str, str]
) -> tuple[bool, str | None]:
    """Yes or no, and whose card it is that was not counted."""
    about = doubt.about
    laid = [event for event in truth["events"] if event["kind"] != "taken back"]
    if isinstance(about, Change):
        counted = [event_of(one["at"], laid) for one in told]
        some = [
            event
            for event in laid
            if about.since - 0.25 <= event["at"] <= about.at + 0.15
            and event not in counted
            and not _back_by(event, about.until, truth)
        ]
        return bool(some), some[0]["owners"][-1] if some else None
    assert isinstance(about, Landing)
    event = event_of(about.at, laid)
    if doubt.kind == "taken back unlike":
        gone = about.gone or 0.0
        back = [one for one in truth["events"] if one["kind"] == "taken back" and abs(one["at"] - gone) < 0.9]
        return bool(back), None if back or event is None else event["owners"][-1]
    if doubt.kind in ("hardly", "few"):
        label = next(iter(doubt.shares))
        return event is not None and labels.get(event["owners"][-1]) == label, None
    two = event is not None and event["kind"] == "two"
    return two, event["owners"][0] if two and event is not None else None


def _back_by(event: Json, until: float, truth: Mapping[str, Any]) -> bool:
    """Was what came to lie taken back again before that moment (s)?"""
    return any(
        one["kind"] == "taken back"
        and one["place"] == event["place"]
        and one["owners"] == event["owners"]
        and event["at"] < one["at"] < until
        for one in truth["events"]
    )


def _told(results: Sequence[Json]) -> str:
    lines = []
    for result in results:
        told = ", ".join(_deck(deck) for deck in result["decks"])
        lines.append(f"{result['film']} {result['way']}: {told}")
    for way in (None, *sorted({result["way"] for result in results})):
        some = [deck for result in results if way in (None, result["way"]) for deck in result["decks"]]
        lines.append(f"{way or 'all'}: {_shares(some)}")
    answered_decks = [deck for result in results for deck in result["answered"]]
    asks = sum(result["questions"] for result in results) / len(results)
    lines.append(f"when {asks:.1f} questions a film are answered: {_shares(answered_decks)}")
    cpu = [result["cpu"] / result["lasts"] for result in results if result["lasts"]]
    if cpu:
        lines.append(f"process seconds for a second of film: {sum(cpu) / len(cpu):.2f}")
    return "\n".join(lines)


def _deck(deck: Json) -> str:
    """How many cards it has, what is told where that is wrong, and a question mark where it is not certified."""
    wrong = "" if deck["exact"] else "≠" + ("+".join(map(str, deck["told"])) or "none")
    return f"{deck['cards']}{wrong}{'' if deck['sure'] else '?'}"


def _shares(decks: Sequence[Json]) -> str:
    sure = [deck for deck in decks if deck["sure"]]
    parts = []
    for name, of, yes in (
        ("certified", decks, sure),
        ("exact of these", sure, [deck for deck in sure if deck["exact"]]),
        ("exact of all", decks, [deck for deck in decks if deck["exact"]]),
    ):
        if of:
            low, high = wilson(len(yes), len(of))
            parts.append(f"{name} {len(yes) / len(of):.3f} [{low:.2f}, {high:.2f}] of {len(of)}")
    return ", ".join(parts)


if __name__ == "__main__":
    sys.exit(main())
