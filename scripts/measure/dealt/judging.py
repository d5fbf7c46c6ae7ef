"""What a film of dealing's truth says of what was counted, and what a person answers who looks at its pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from datasets.dealt.truth import USUAL_S, event_of
from referee.dealt.count import Count, Doubt
from referee.dealt.places import Pause
from referee.dealt.questions import answer, asked
from vision.dealt.landings import Landing
from vision.dealt.visits import Change

Json = dict[str, Any]
#: "Just before" a card is within so long (s).
BEFORE_S = 3.0


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


def owners_of(landings: Sequence[Mapping[str, Any]], truth: Mapping[str, Any]) -> dict[str, str]:
    """Label → whose most of its cards are; `landings` with their moments and labels, as they are told."""
    events = [event for event in truth["events"] if event["kind"] != "taken back"]
    owners: dict[str, Counter[str]] = {}
    for landing in landings:
        event = event_of(landing["at"], events)
        if event is not None:
            owners.setdefault(landing["back"], Counter())[event["owners"][-1]] += 1
    return {label: count.most_common(1)[0][0] for label, count in owners.items()}


def weighed(count: Count) -> list[Json]:
    """What speaks for a second card beside each that landed (mm²), with its moment (s)."""
    return [
        {
            "at": landing.at,
            "beside": round(landing.beside, 2),
            "gain": 0.0 if landing.second is None else round(landing.second.gain, 2),
        }
        for landing, _ in count.cards
    ]


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
    counted = [event_of(one["at"], laid) for one in told]
    if isinstance(about, Change):
        some = [
            event
            for event in laid
            if about.since - 0.25 <= event["at"] <= about.at + 0.15
            and event not in counted
            and not _back_by(event, about.until, truth)
        ]
        return bool(some), some[0]["owners"][-1] if some else None
    if isinstance(about, Pause):
        some = [
            event
            for event in laid
            if about.since < event["at"] + USUAL_S < about.at - USUAL_S
            and event not in counted
            and not _back_by(event, about.at, truth)
        ]
        return bool(some), some[0]["owners"][-1] if len(some) == 1 else None
    assert isinstance(about, Landing)
    event = event_of(about.at, laid)
    if doubt.kind == "unclear" and event is not None:
        some = [
            other
            for other in laid
            if event["at"] - BEFORE_S <= other["at"] < event["at"]
            and other["place"] == event["place"]
            and other not in counted
            and not _back_by(other, about.at, truth)
        ]
        return bool(some), some[-1]["owners"][-1] if some else None
    if doubt.kind == "taken back unlike":
        gone = about.gone or 0.0
        back = [one for one in truth["events"] if one["kind"] == "taken back" and abs(one["at"] - gone) < 0.9]
        return bool(back), None if back or event is None else event["owners"][-1]
    if doubt.kind == "haste" and event is not None:
        label = next(iter(doubt.shares))
        others = [one for one in told if one["back"] == label and one["at"] < round(about.at, 2)]
        seen = any(event_of(one["at"], laid) == event for one in others)
        # a card that landed before the scale was known is told late
        late = any(other not in counted and 0 < about.at - other["at"] < BEFORE_S for other in laid)
        return (labels.get(event["owners"][-1]) == label or late) and not seen, None
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
