"""The figures of an evening as live, as JSON and in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scripts.measure.evening.page import Heard, Json
from scripts.measure.evening.telling import Delays, Telling, delays, records, tellings, withdrawn
from scripts.measure.evening.truth import TrueEvening, TrueHand
from scripts.measure.evening.watched import Buzz, Run
from scripts.measure.replays import ReplayFigures, Tally, score_replay
from vision.capture.live.frame_index import read_rows


def figures(evening: TrueEvening, run: Run, replayed: Mapping[int, ReplayFigures] | None = None) -> Json:
    """Everything that was asked for. `replayed`: what was found of each true hand by taking one's time."""
    written = records(run.folder)
    told = tellings(run.heard, written)
    hands, delayed = [], []
    for hand in evening.hands:
        number = _told_as(hand, written)
        record = written.get(number, [])
        right = score_replay(record, hand.lines)
        late = delays(hand, record, told.get(number, []))
        delayed.append(late)
        hands.append(
            {
                "hand": hand.number,
                "told_as": number or None,
                **_of_hand(right),
                "ended": [line["why"] for line in record if line.get("event") == "end"],
                "told": _delays([late]),
                **({"replay": _of_hand(replayed[hand.number])} if replayed else {}),
            }
        )
    return {
        "film": evening.film.name,
        "speed": run.speed,
        "status": run.status,
        "records": {"written": len(written), "true": len(evening.hands)},
        "match": _match(run.folder, evening),
        "hands": hands,
        "told": _delays(delayed),
        "withdrawn": _withdrawn(written, told),
        "calls": [_call(buzz, evening, written, run.heard) for buzz in run.buzzes],
        # what the page counted last; the recording is written to its end when nobody listens any more
        "frames": {**(_last(run.heard, "counts") or {}), "in the recording": _recorded(run.folder)},
        "cores": round(run.cpu_s / run.wall_s, 2) if run.wall_s else None,
        "states": _states(run.heard),
        "kills": _kills(run, written) if run.kills else None,
    }


def _told_as(hand: TrueHand, written: Mapping[int, list[Json]]) -> int:
    """The record that was dealt last before most of a hand was played; 0 for none."""
    middle = (hand.dealt_s + hand.ends_s) / 2
    dealt = {number: float(record[1]["at"]) for number, record in written.items() if len(record) > 1}
    return max((number for number, at in dealt.items() if hand.dealt_s - 15 < at < middle), default=0)


def _of_hand(right: ReplayFigures) -> Json:
    return {
        "plays": _tally(right.plays),
        "draws": _tally(right.draws),
        "false_illegal": right.false_illegal,
        "score_equal": right.score_equal,
    }


def _tally(tally: Tally) -> Json:
    return {
        "true": tally.true,
        "right": tally.right,
        "wrong": tally.wrong,
        "missed": tally.missed,
        "invented": tally.invented,
    }


def _delays(found: Sequence[Delays]) -> Json:
    """`never`: true plays that were never told so."""

    def of(values: Sequence[float | None]) -> Json:
        known = [value for value in values if value is not None]
        return {
            "told": len(known),
            "never": len(values) - len(known),
            "median_s": round(float(np.median(known)), 2) if known else None,
            "p95_s": round(float(np.percentile(known, 95)), 2) if known else None,
        }

    return {
        "first": of([value for one in found for value in one.plays]),
        "settled": of([value for one in found for value in one.settled]),
    }


def _withdrawn(written: Mapping[int, list[Json]], told: Mapping[int, Sequence[Telling]]) -> Json:
    plays, gone = np.sum([(0, 0), *(withdrawn(written[hand], told[hand]) for hand in written)], axis=0)
    return {"told": int(plays), "withdrawn": int(gone), "share": round(float(gone / max(plays, 1)), 4)}


def _call(
    buzz: Buzz, evening: TrueEvening, written: Mapping[int, list[Json]], heard: Sequence[Heard]
) -> Json:
    """From a buzz to its points on the page (with the call) and to the score of the hand, s of the film."""
    after = [one for one in heard if one.wall_s >= buzz.wall_s]
    hand = next(hand for hand in evening.hands if hand.number == buzz.hand)
    number = _told_as(hand, written)

    def until(found: Sequence[Heard]) -> float | None:
        return round(found[0].film_s - buzz.film_s, 2) if found else None

    called = [one for one in after if one.kind == "state" and one.data["state"] == "called"]
    score = [one for one in after if one.kind == "state" and one.data["state"] == "score"]
    score = [one for one in score if one.data.get("hand") == number]
    return {
        "hand": buzz.hand,
        "seat": buzz.seat,
        "late_s": round(buzz.film_s - (hand.call or ("", buzz.film_s))[1], 3),
        "answer": buzz.answer,
        "points_s": until([one for one in called if one.data.get("points")]),
        "score_s": until(score),
    }


def _match(folder: Path, evening: TrueEvening) -> Json:
    told: dict[str, float] = {}
    for path in folder.glob("session-*/match.json"):
        for hand in json.loads(path.read_text(encoding="utf-8"))["hands"]:
            for name, points in hand["points"].items():
                told[name] = told.get(name, 0) + points
    return {
        "told": told,
        "true": evening.match,
        "right": None if evening.match is None else told == evening.match,
    }


def _last(heard: Sequence[Heard], kind: str) -> Json | None:
    return next((one.data for one in reversed(heard) if one.kind == kind), None)


def _recorded(folder: Path) -> int:
    return sum(len(read_rows(path)) for path in folder.glob("session-*/film.frames"))


def _states(heard: Sequence[Heard]) -> list[Json]:
    """Each state when the page told it, repeated ones once."""
    told: list[Json] = []
    for one in heard:
        if one.kind == "state" and (not told or told[-1]["state"] != one.data["state"]):
            told.append(
                {
                    "film_s": round(one.film_s, 1),
                    "at": one.data.get("at"),
                    "state": one.data["state"],
                    "why": one.data.get("why"),
                }
            )
    return told


def _kills(run: Run, written: Mapping[int, list[Json]]) -> Json:
    """Lines that the page told and that do not stand in the records; and those that it told twice."""
    seen: dict[str, Any] = {}
    twice = lost = 0
    for one in run.heard:
        if one.kind == "line":
            twice += one.id in seen
            seen[one.id] = one.data
            lost += int(one.data["index"]) >= len(written.get(int(one.data["hand"]), []))
    untold = sum(map(len, written.values())) - len(seen)
    return {"kills": len(run.kills), "told": len(seen), "lost": lost, "twice": twice, "untold": untold}


def in_words(found: Json) -> list[str]:
    """A few lines for people."""
    first, settled = found["told"]["first"], found["told"]["settled"]
    words = [
        f"{found['film']} at {found['speed']:g} times its speed: {found['records']['written']} records of "
        f"{found['records']['true']} hands, match {found['match']['told']} (true: {found['match']['true']})"
    ]
    for hand in found["hands"]:
        words.append(
            f"hand {hand['hand']}: plays {_share(hand['plays'])}, draws {_share(hand['draws'])}, falsely illegal "
            f"{hand['false_illegal']}, score {'right' if hand['score_equal'] else 'not right'}"
        )
        if "replay" in hand:
            by = hand["replay"]
            words.append(f"  replay: plays {_share(by['plays'])}, draws {_share(by['draws'])}")
    gone = found["withdrawn"]
    words += [
        f"from landing to told: median {first['median_s']} s, 95 % {first['p95_s']} s ({first['never']} of "
        f"{first['told'] + first['never']} plays never); settled {settled['median_s']} s, {settled['p95_s']} s",
        f"told plays withdrawn later: {gone['withdrawn']} of {gone['told']} ({gone['share']:.1%})",
        *(
            f"buzz of {call['seat']} in hand {call['hand']}: points after {call['points_s']} s, score after "
            f"{call['score_s']} s"
            for call in found["calls"]
        ),
        f"frames {found['frames']}; {found['cores']} cores",
    ]
    if found["kills"]:
        words.append(
            "killed {kills} times: of {told} lines told {lost} lost, {twice} told twice".format(
                **found["kills"]
            )
        )
    return words


def _share(tally: Json) -> str:
    return f"{tally['right']} of {tally['true']} right, {tally['wrong']} wrong, {tally['invented']} invented"
