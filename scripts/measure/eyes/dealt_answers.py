"""A person who looks at the pictures of a dealing's doubts and says what is true, made up from the film's truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from referee.dealt.count import Count, Doubt
from referee.dealt.questions import answer, asked
from vision.dealt.landings import Landing
from vision.dealt.visits import Change

Json = dict[str, Any]
#: A landing is told no later than this after it was (s), and usually after the second.
LATE_S, USUAL_S = 1.2, 0.15


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
            if about.since - 0.25 <= event["at"] <= about.at + 0.15 and event not in counted
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
