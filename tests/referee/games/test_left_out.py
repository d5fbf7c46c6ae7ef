"""No play by the rules is accused, whatever a record may leave out, take back, or write besides.

RECORD.md lets a writer leave out lines (a deal, the turning over of a waste that is drawn from, the reserve's
next top, the taking of a trick) and lets every play be taken back; none of it is ever an infraction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from referee.players import Played, hide, play_hand
from referee.record.check import check_lines
from referee.record.lines import write_record
from referee.rules.events import Deal, Draw, Event, Play, Recycle, SetAside, TakeBack, Turn
from referee.rules.header import Header
from referee.rules.rulings import Ruling

TURN_GAMES = ("double-solitaire", "pishe-pasha", "canfield", "california-jacks")
GAMES = (*TURN_GAMES, "nerts", "one-per-suit", "nuts", "team-nuts", "nerts-twelve")
SEEDS = range(3)


def accused(header: Header, events: list[Event]) -> list[Ruling]:
    """What is called illegal. The clock is left as it is."""
    result = check_lines(write_record(header, events).splitlines(keepends=True))
    assert result.errors == []
    return [ruling for ruling in result.rulings if ruling.verdict == "illegal"]


def of_kind(header: Header, kind: str) -> Header:
    return replace(header, source={**header.source, "kind": kind})


def views(game: str, seed: int, longest: int = 150) -> Iterator[Played]:
    """A legal hand with everything known, as it is typed, and as a camera writes it."""
    played = play_hand(game, "random", seed, longest=longest)
    yield played
    yield hide(played)
    yield hide(played, looks_back=False)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", ["typed", "photo"])
def test_no_turn_need_be_written_by_a_typist_or_a_photo(game: str, kind: str) -> None:
    for seed in SEEDS:
        for seen in views(game, seed):
            events = [event for event in seen.events if not isinstance(event, Turn)]
            assert accused(of_kind(seen.header, kind), events) == []


@pytest.mark.parametrize("kind", ["camera", "video", "simulated", "typed"])
def test_the_reserve_turns_up_by_itself(kind: str) -> None:
    for seed in range(8):
        for seen in views("canfield", seed):
            events = [event for event in seen.events if not isinstance(event, Turn)]
            assert accused(of_kind(seen.header, kind), events) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_waste_that_is_drawn_from_was_turned_over(game: str) -> None:
    for seed in SEEDS:
        for seen in views(game, seed, 250):
            events = [event for event in seen.events if not isinstance(event, Recycle)]
            assert accused(seen.header, events) == []


@pytest.mark.parametrize("game", GAMES)
def test_what_was_not_dealt_is_not_ruled_on(game: str) -> None:
    for seed in SEEDS:
        rng = Random(seed)
        for seen in views(game, seed):
            events = [e for e in seen.events if not isinstance(e, Deal) or rng.random() < 0.4]
            assert accused(seen.header, events) == []


@pytest.mark.parametrize("game", GAMES)
def test_what_is_taken_back_at_once_may_be_done_again(game: str) -> None:
    """Out of the centre of Nerts a legal play is not taken back (N3); all else is nobody's business."""
    for seed in SEEDS:
        for seen in views(game, seed, 120):
            events = list(_with_second_thoughts(seen, Random(seed)))
            assert accused(seen.header, events) == []


def _with_second_thoughts(seen: Played, rng: Random) -> Iterator[Event]:
    for event in seen.events:
        yield event
        back = _undone(seen, event)
        if back is not None and rng.random() < 0.3:
            yield back
            yield event


def _undone(seen: Played, event: Event) -> TakeBack | None:
    if isinstance(event, Play):
        if seen.header.game not in TURN_GAMES and event.target.startswith("foundation"):
            return None
        source, target = event.target, event.source
    elif isinstance(event, Draw):
        target = "stock"
        source = "waste" if seen.header.game not in TURN_GAMES or seen.header.game == "canfield" else "hand"
    else:
        return None
    return TakeBack(at=event.at, seat=event.seat, cards=event.cards, source=source, target=target)


@pytest.mark.parametrize("taken", ["both cards", "one by one"])
def test_a_trick_may_be_taken_in_the_record(taken: str) -> None:
    for seed in range(6):
        for seen in views("california-jacks", seed):
            assert (
                accused(seen.header, list(_with_tricks_taken(seen, one_by_one=taken == "one by one"))) == []
            )


def _with_tricks_taken(seen: Played, *, one_by_one: bool) -> Iterator[Event]:
    assert seen.sim is not None
    trump = seen.sim.trump  # type: ignore[attr-defined]
    lead: Play | None = None
    for event in seen.events:
        yield event
        if not isinstance(event, Play):
            continue
        if lead is None:
            lead = event
            continue
        winner = event.seat if _beats(event.cards[0], lead.cards[0], trump) else lead.seat
        cards = lead.cards + event.cards
        for some in [(card,) for card in cards] if one_by_one else [cards]:
            yield Play(at=event.at, seat=winner, cards=some, source="trick", target="won")
        lead = None


def _beats(answer: str, lead: str, trump: str) -> bool:
    ranks = "23456789TJQKA"
    if answer[1] == lead[1]:
        return ranks.index(answer[0]) > ranks.index(lead[0])
    return answer[1] == trump


@pytest.mark.parametrize("game", ["nerts", "one-per-suit", "nuts", "team-nuts", "nerts-twelve"])
def test_a_whole_foundation_may_be_set_aside_in_the_record(game: str) -> None:
    for seed in SEEDS:
        played = play_hand(game, "sensible", seed, longest=500)
        for seen in (played, hide(played), hide(played, looks_back=False)):
            assert accused(seen.header, list(_with_set_asides(seen))) == []


def _with_set_asides(seen: Played) -> Iterator[Event]:
    for event in seen.events:
        yield event
        if isinstance(event, Play) and event.target.startswith("foundation") and event.cards[0][0] == "K":
            yield SetAside(at=event.at, seat=event.seat, place=event.target)
