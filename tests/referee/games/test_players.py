"""The referee against tables written from the rule book a second time, and what careless players break."""

from __future__ import annotations

from random import Random

import pytest

from referee import Hand, open_hand
from referee.players import Played, hide, play_hand, sim_for
from referee.players.play import header_for
from referee.record.check import CheckResult, check_lines
from referee.record.lines import write_record
from referee.rules.events import Deal, Draw, End, Event, Play

TURN_GAMES = ("double-solitaire", "pishe-pasha", "canfield", "california-jacks")
NERTS_GAMES = ("nerts", "one-per-suit", "nuts", "team-nuts", "nerts-twelve")
SETTINGS = {"double-solitaire": {"merge_moves": "card"}, "canfield": {"tableau_moves": "any-run"}}


def check(played: Played) -> CheckResult:
    result = check_lines(write_record(played.header, played.events).splitlines(keepends=True))
    assert result.errors == []
    return result


def breakable(game: str) -> list[str]:
    header = header_for(game)
    return sorted(sim_for(game, header.names, header.settings, Random(0)).recipes())


def meant(event: Event) -> tuple[object, ...]:
    """What an event does; to which of several foundations that it fits makes no difference."""
    if isinstance(event, Play):
        target = "foundation" if event.target.startswith("foundation") else event.target
        return (event.seat, event.cards, event.source, target, event.under)
    return (event.seat, event.kind, event.cards if isinstance(event, Draw) else ())


@pytest.mark.parametrize("kind", ["random", "sensible"])
@pytest.mark.parametrize("game", [*TURN_GAMES, *NERTS_GAMES])
def test_what_players_may_do_is_what_the_referee_allows(game: str, kind: str) -> None:
    """At every step of a hand the two books of rules name the same plays."""
    for seed, changed in ((1, {}), (2, SETTINGS.get(game, {}))):
        played = play_hand(game, kind, seed, settings=changed, longest=70)  # type: ignore[arg-type]
        sim = sim_for(game, played.header.names, played.header.settings, Random(seed))
        sim.deal()
        hand = open_hand(played.header)
        for event in played.events:
            if not isinstance(event, Deal):
                _compare(sim, hand, event)
                sim.do(event)
            assert hand.push(event) == [] or event.kind == "call"


def _compare(sim, hand: Hand, event: Event) -> None:  # type: ignore[no-untyped-def]
    for seat in sim.to_act():
        ours = {meant(move) for move in sim.moves(seat) if move.kind != "call"}
        theirs = {meant(move) for move in hand.legal_plays(seat)}
        if sim.game == "pishe-pasha" and not ours & {(seat, "recycle", ())}:
            theirs.discard((seat, "recycle", ()))
        if ours or not sim.moves(seat):
            assert ours == theirs, (seat, ours ^ theirs, str(hand))


@pytest.mark.parametrize("game", TURN_GAMES)
def test_legal_hands_have_no_ruling_whatever_is_hidden(game: str) -> None:
    for seed in range(2):
        played = play_hand(game, "random", seed, longest=120)
        assert check(played).rulings == []
        assert [r for r in check(hide(played)).rulings if r.verdict != "undecided"] == []


def all_planted_are_found_and_no_others(played: Played) -> None:
    """Known, every breach is found; hidden or not, nothing else is called illegal."""
    illegal = [ruling for ruling in check(played).rulings if ruling.verdict == "illegal"]
    found = {(ruling.rule, index) for ruling in illegal for index in ruling.of}
    assert {(breach.rule, breach.index) for breach in played.planted} <= found
    assert [ruling for ruling in illegal if not set(ruling.of) & played.touched] == []
    for looks_back in (True, False):
        seen = hide(played, looks_back=looks_back)
        hidden = [ruling for ruling in check(seen).rulings if ruling.verdict == "illegal"]
        assert [ruling for ruling in hidden if not set(ruling.of) & seen.touched] == []


@pytest.mark.parametrize(("game", "rule"), [(game, rule) for game in TURN_GAMES for rule in breakable(game)])
def test_every_planted_breach_is_found_and_no_other(game: str, rule: str) -> None:
    planted = 0
    for seed in range(3):
        played = play_hand(game, "careless", seed, rule=rule, rate=0.3, longest=120)
        planted += len(played.planted)
        all_planted_are_found_and_no_others(played)
    assert planted


@pytest.mark.parametrize("game", NERTS_GAMES)
def test_every_planted_breach_of_the_nerts_family_is_found_and_no_other(game: str) -> None:
    planted: set[str] = set()
    for seed, rule in enumerate(breakable(game)):
        played = play_hand(game, "careless", seed, rule=rule, rate=0.4, longest=90)
        all_planted_are_found_and_no_others(played)
        planted |= {breach.rule for breach in played.planted}
    assert len(planted) > 8


@pytest.mark.parametrize(
    ("game", "rule", "seed"),
    [
        ("nerts", "N13", 0),
        ("nerts-twelve", "T3", 1),
        ("one-per-suit", "F1", 0),
        ("nuts", "U4", 0),
        ("nerts-twelve", "N16", 3),
        ("team-nuts", "N16", 5),
    ],
)
def test_what_can_seldom_be_broken_is_planted_and_found(game: str, rule: str, seed: int) -> None:
    played = play_hand(game, "careless", seed, rule=rule, rate=1.0, longest=200)
    assert {breach.rule for breach in played.planted} == {rule}
    for seen in (played, hide(played)):
        illegal = [ruling for ruling in check(seen).rulings if ruling.verdict == "illegal"]
        found = {(ruling.rule, index) for ruling in illegal for index in ruling.of}
        assert {(breach.rule, breach.index) for breach in seen.planted} <= found
        assert [ruling for ruling in illegal if not set(ruling.of) & seen.touched] == []


@pytest.mark.parametrize(
    ("game", "rule", "seed"),
    [
        ("nerts", "N12", 0),
        ("nerts", "N12", 7),
        ("nuts", "U5", 0),
        ("canfield", "C5", 0),
        ("team-nuts", "P4", 3),
    ],
)
def test_a_buried_card_that_nobody_knew_puts_the_blame_on_no_later_play(
    game: str, rule: str, seed: int
) -> None:
    """Its play looks like one of the top card; what does not fit afterwards is undecided between them."""
    played = play_hand(game, "careless", seed, rule=rule, longest=300)
    seen = hide(played, looks_back=False)
    rulings = check(seen).rulings
    assert [r for r in rulings if r.verdict == "illegal" and not set(r.of) & seen.touched] == []
    open_ones = {index for ruling in rulings if ruling.verdict == "undecided" for index in ruling.of}
    assert len(open_ones & seen.touched) >= 1


def test_a_camera_sees_what_lies_open_and_nothing_else() -> None:
    """Cards of the deal and of draws are known only if they came to lie on top; turned ones have a turn."""
    played = play_hand("nerts", "sensible", 1, longest=60)
    seen = hide(played)
    deal = next(event for event in seen.events if isinstance(event, Deal))
    assert [set(pile[:-1]) <= {"??"} for pile in deal.piles.values()] == [True] * len(deal.piles)
    assert set(deal.piles["stock"]) == {"??"} and deal.piles["nerts"][-1] != "??"
    plays = [(at, event) for at, event in enumerate(seen.events) if isinstance(event, Play)]
    from_nerts = [at for at, event in plays if event.source == "nerts"]
    assert from_nerts and all(seen.events[at + 1].kind == "turn" for at in from_nerts)
    assert len(seen.events) - len(played.events) == len(from_nerts)
    draws = [event for event in seen.events if isinstance(event, Draw)]
    assert all(event.cards[-1] != "??" for event in draws)
    assert any("??" in event.cards for event in draws)
    for seat in seen.header.names:
        waste = [c for event in draws if event.seat == seat for c in event.cards if c != "??"]
        shown = {
            c for _, event in plays if (event.seat, event.source) == (seat, "waste") for c in event.cards
        }
        assert shown <= set(waste)


@pytest.mark.parametrize("game", [*TURN_GAMES, "nerts", "nerts-twelve"])
def test_cards_stay_cards_and_pop_undoes_push(game: str) -> None:
    rule = breakable(game)[0]
    played = play_hand(game, "careless", 3, rule=rule, rate=0.3, longest=60)
    hand, pictures = open_hand(played.header), []
    dealt = 0
    for event in hide(played).events:
        pictures.append((str(hand), len(hand.rulings)))
        hand.push(event)
        if isinstance(event, Deal):
            dealt += sum(len(pile) for place, pile in event.piles.items() if place != "cut")
        cards = [card for pile in hand.table.piles.values() for card in pile]
        assert len(cards) == len(set(cards)) == dealt
    twin = open_hand(played.header)
    for entry in hand.log:
        twin.push(entry.event, entry.index)
    assert (str(twin), twin.rulings) == (str(hand), hand.rulings)
    for picture in reversed(pictures):
        hand.pop()
        assert (str(hand), len(hand.rulings)) == picture


@pytest.mark.parametrize("game", TURN_GAMES)
def test_sensible_hands_come_to_an_end_with_a_score_that_the_cards_give(game: str) -> None:
    for seed in range(4):
        played = play_hand(game, "sensible", seed, longest=500)
        score = check(played).score
        assert score is not None and score.final and isinstance(played.events[-1], End)
        sim = played.sim
        assert sim is not None
        points = {seat: entry.points for seat, entry in score.hand.items()}
        if game == "canfield":
            assert points == {"north": sum(len(sim.pile(place)) for place in sim.places("foundation"))}
        elif game != "california-jacks" and sim.over:
            assert score.winner in sim.seats
            loser = next(seat for seat in sim.seats if seat != score.winner)
            left = sum(len(sim.pile(f"{loser} {kind}")) for kind in ("stock", "discard"))
            assert points == {score.winner: 1 if game == "double-solitaire" else left, loser: 0}
