"""Whatever a record says, the cards stay the 52 of a deck, `pop` undoes `push`, and a replay gives the same hand."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee import BadEventError, Hand, open_hand
from referee.players import hide, play_hand
from referee.players.play import header_for
from referee.record.check import check_lines
from referee.record.lines import write_record
from referee.rules.events import (
    Bury,
    Call,
    Deal,
    Draw,
    End,
    Event,
    Play,
    Recycle,
    SetAside,
    TakeBack,
    Touch,
    Turn,
)

PLACES = {
    "double-solitaire": "stock,hand,discard,south discard,south hand,centre 1,centre 2,side 1,side 2",
    "pishe-pasha": "stock,hand,discard,south discard,north discard,foundation 1,foundation 2",
    "canfield": "reserve,stock,waste,work 1,work 2,work 3,foundation 1,foundation 2",
    "california-jacks": "hand,trick,won,stock,south hand,north won",
}
CARDS = ["??", "AS", "2S", "3S", "AH", "2H", "KD", "QC", "JD", "7?", "?H"]


def events(game: str) -> st.SearchStrategy[Event]:
    """Any event of a game, sensible or not."""
    seat = st.just("north") if game == "canfield" else st.sampled_from(["north", "south"])
    place, card = st.sampled_from(PLACES[game].split(",")), st.sampled_from(CARDS)
    cards = st.lists(card, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Play, seat=seat, cards=cards, source=place, target=place),
        st.builds(Play, seat=seat, cards=card.map(lambda c: (c,)), source=place, target=place),
        st.builds(Draw, seat=seat, cards=cards),
        st.builds(Draw, seat=seat, cards=card.map(lambda c: (c,))),
        st.builds(TakeBack, seat=seat, cards=cards, source=place, target=place),
        st.builds(Turn, seat=seat, place=place, card=card),
        st.builds(Recycle, seat=seat),
        st.builds(Bury, seat=seat),
        st.builds(Touch, seat=seat, place=place),
        st.builds(SetAside, seat=seat, place=place),
        st.builds(
            Call, seat=seat, word=st.just("Stop"), choice=st.sampled_from([None, "correct", "end-turn"])
        ),
        st.builds(End, why=st.just("stopped")),
    )


def deals(game: str, seed: int) -> list[Event]:
    played = hide(play_hand(game, "random", seed, longest=1))
    return [event for event in played.events if isinstance(event, Deal)]


def state(hand: Hand) -> tuple[object, ...]:
    return str(hand), tuple(hand.rulings), repr(sorted(vars(hand.course).items()))


@pytest.mark.parametrize("game", PLACES)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), seed=st.integers(0, 3), dealt=st.booleans())
def test_any_events(game: str, data: st.DataObject, seed: int, dealt: bool) -> None:
    hand = open_hand(header_for(game))
    for event in deals(game, seed) if dealt else []:
        hand.push(event)
    before = [state(hand)]
    for event in data.draw(st.lists(events(game), max_size=25)):
        try:
            hand.push(event)
        except BadEventError:
            assert state(hand) == before[-1]
            continue
        before.append(state(hand))
        cards = [card for pile in hand.table.piles.values() for card in pile]
        assert len(cards) == len(set(cards)) == len(hand.table.faces)
        assert not dealt or len(cards) == 52
        known = [face for face in hand.table.faces if face >= 0]
        assert len(known) == len(set(known))
    log = [entry.event for entry in hand.log]
    result = check_lines(write_record(hand.header, log).splitlines(keepends=True))
    assert result.status == 0 and result.rulings is not None
    closed = hand.closed().rulings
    assert sorted(map(str, result.rulings)) == sorted(map(str, closed))
    for wanted in reversed(before[:-1]):
        hand.pop()
        assert state(hand) == wanted
