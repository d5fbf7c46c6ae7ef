"""Whole hands of random legal plays: nothing is called, nothing is lost, a record says the same."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from referee import Draw, Event, Hand, open_hand
from referee.record.check import check_lines
from referee.record.lines import write_record
from referee.rules.events import Play

from .tables import PRESETS, seen_by_a_camera, start, uncovered

GAMES = [(game, seed) for game in PRESETS for seed in range(3)]


def random_hand(game: str, seed: int, plays: int = 150, kind: str = "typed") -> tuple[Hand, list[Event]]:
    """A hand in which seats make random legal plays, one every two seconds, and all the events of it."""
    rng = random.Random(f"{game} {seed}")
    hand = start(game, rng, kind)
    events = [entry.event for entry in hand.log]
    for number in range(plays):
        seat = rng.choice(hand.game.seats)
        choices = hand.legal_plays(seat)
        forward = [c for c in choices if isinstance(c, Play) and c.target.startswith("foundation")]
        if not choices:
            continue
        event = replace(rng.choice(forward or choices), at=2.0 * number + 2)
        assert hand.push(event) == []
        events.append(event)
        for turn in uncovered(hand, event):
            assert hand.push(turn) == []
            events.append(turn)
    return hand, events


def lines(hand: Hand, events: list[Event]) -> list[bytes]:
    return write_record(hand.header, events).splitlines(keepends=True)


@pytest.mark.parametrize(("game", "seed"), GAMES)
def test_legal_plays_are_never_ruled_on(game: str, seed: int) -> None:
    hand, events = random_hand(game, seed)
    assert sum(isinstance(event, Play) for event in events) > 8
    result = check_lines(lines(hand, events))
    assert (result.status, result.rulings) == (0, [])
    assert result.hand is not None
    assert str(result.hand) == str(hand)
    assert result.score == hand.score()


@pytest.mark.parametrize(("game", "seed"), GAMES)
def test_a_camera_that_sees_less_accuses_nobody(game: str, seed: int) -> None:
    hand, events = random_hand(game, seed, kind="camera")
    seen = [seen_by_a_camera(hand, event) for event in events]
    result = check_lines(lines(hand, seen))
    assert (result.status, result.rulings) == (0, [])
    assert result.score == hand.score()


@pytest.mark.parametrize("game", PRESETS)
def test_fifty_two_cards_a_back_always(game: str) -> None:
    hand, _ = random_hand(game, 7)
    for deck in set(hand.game.deck.values()):
        cards = [card for card, its in enumerate(hand.table.decks) if its == deck]
        assert len(cards) == 52
        assert len({hand.table.faces[card] for card in cards}) == 52
    placed = [card for pile in hand.table.piles.values() for card in pile]
    assert sorted(placed) == list(range(len(hand.table.faces)))


@pytest.mark.parametrize("game", PRESETS)
def test_pop_undoes_push(game: str) -> None:
    hand, events = random_hand(game, 11, plays=60)
    twin = open_hand(hand.header)
    pictures = []
    for event in events:
        pictures.append((str(twin), [str(r) for r in twin.rulings], twin.score()))
        twin.push(event)
    assert str(twin) == str(hand)
    for event, picture in zip(reversed(events), reversed(pictures), strict=True):
        assert twin.pop() == event
        assert (str(twin), [str(r) for r in twin.rulings], twin.score()) == picture


@pytest.mark.parametrize("game", PRESETS)
def test_a_copy_goes_its_own_way(game: str) -> None:
    hand, _ = random_hand(game, 5, plays=30)
    before = str(hand)
    twin = hand.copy()
    for seat in hand.game.seats:
        for choice in twin.legal_plays(seat)[:1]:
            twin.push(choice)
    assert str(hand) == before
    assert str(twin) != before


def test_an_unseen_packet_is_as_long_as_a_seen_one() -> None:
    hand, events = random_hand("nerts", 0)
    draw = next(event for event in events if isinstance(event, Draw))
    assert len(seen_by_a_camera(hand, draw).cards) == len(draw.cards)  # type: ignore[attr-defined]
