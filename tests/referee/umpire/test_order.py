"""Events in order: by their moments, none before what it rests on; moments that never run backwards."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from believed import believed, place_of
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.places import Place
from referee.umpire.story import Believed
from referee.umpire.telling.order import in_time, never_back

MOMENTS = st.lists(st.integers(0, 12).map(float), max_size=9)


def most_left(moments: list[float]) -> int:
    """By trying: how many can stay as they are."""
    for count in range(len(moments), 0, -1):
        for some in combinations(moments, count):
            if all(a <= b for a, b in pairwise(some)):
                return count
    return 0


@given(MOMENTS)
def test_the_fewest_are_moved_and_none_runs_back(moments: list[float]) -> None:
    told = never_back(moments)
    assert all(a <= b for a, b in pairwise(told))
    assert sum(a == b for a, b in zip(moments, told, strict=True)) >= most_left(moments)
    assert set(told) <= set(moments)


@pytest.mark.parametrize(
    ("moments", "told"),
    [
        ([5.0, 4.0], [5.0, 5.0]),
        ([6.0, 4.0, 5.0], [4.0, 4.0, 5.0]),
        ([1.0, 3.0, 4.0, 5.0, 6.0, 2.0, 2.0, 7.0], [1.0, 3.0, 4.0, 5.0, 6.0, 6.0, 6.0, 7.0]),
        ([1.0, 9.0, 2.0, 3.0, 4.0], [1.0, 2.0, 2.0, 3.0, 4.0]),
    ],
    ids=[
        "the later of two",
        "one that was seen late",
        "two that were seen too early",
        "one that was seen far too late",
    ],
)
def test_what_is_moved(moments: list[float], told: list[float]) -> None:
    assert never_back(moments) == told


# -- events -----------------------------------------------------------------------------------------------------------

WASTE, STOCK, WORK = (place_of("south", name) for name in ("waste", "stock", "work 1"))
ACE = place_of("", "foundation 1")


def event(
    kind: str,
    at: float,
    cards: str = "",
    source: Place | None = None,
    target: Place | None = None,
    **more: float,
) -> Believed:
    return believed(kind, at, "south", round(at * 30), cards.split(), source, target, **more)


def order(*events: Believed) -> list[str]:
    told = in_time(events)
    moments = [moment for _, moment in told]
    assert moments == sorted(moments)
    assert sorted(map(id, events)) == sorted(id(one) for one, _ in told)
    return [" ".join((one.event.kind, *one.cards)) for one, _ in told]


def test_what_has_nothing_to_do_with_each_other_is_told_by_its_moment() -> None:
    late = event("play", 5.0, "KD", place_of("south", "work 3"), place_of("south", "work 4"))
    early = event("play", 3.0, "AS", WASTE, ACE)
    assert order(late, early) == ["play AS", "play KD"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (event("play", 5.0, "AS", WASTE, ACE), event("play", 3.0, "2S", WORK, ACE)),
        (event("play", 5.0, "AS", WORK, ACE), event("turn", 3.0, "AS", None, place_of("south", "nerts"))),
        (event("draw", 5.0, "?? ?? 3D"), event("draw", 3.0, "?? ?? 4D")),
        (event("recycle", 5.0), event("draw", 3.0, "4D")),
    ],
)
def test_nothing_is_told_before_what_it_rests_on(first: Believed, second: Believed) -> None:
    one, other = (" ".join((e.event.kind, *e.cards)) for e in (first, second))
    assert order(first, second) == [one, other]
    assert [moment for _, moment in in_time((first, second))] == [5.0, 5.0]


def test_draws_hold_up_no_play_from_the_nerts_pile() -> None:
    """The queen's column was looked at behind a draw that came later."""
    draw = event("draw", 5.0, "?? ?? 8D")
    queen = event("play", 3.0, "QH", place_of("south", "nerts"), place_of("south", "work 2"))
    assert order(draw, queen) == ["play QH", "draw ?? ?? 8D"]
    assert order(draw, event("play", 3.0, "QH", WASTE, WORK)) == ["draw ?? ?? 8D", "play QH"]


def test_of_two_cards_from_one_pile_the_one_that_left_first_was_played_first() -> None:
    nerts = place_of("south", "nerts")
    two, eight = event("play", 5.0, "2S", nerts, ACE), event("play", 3.0, "8H", nerts, WORK)
    assert order(two, eight) == ["play 2S", "play 8H"]
    two, eight = replace(two, lifted=4.5), replace(eight, lifted=2.5)
    assert order(two, eight) == ["play 8H", "play 2S"]
    assert [moment for _, moment in in_time((two, eight))] == [3.0, 5.0]
    # on one column cards lie as they came
    assert order(replace(two, target=WORK), eight) == ["play 2S", "play 8H"]


@pytest.mark.parametrize("misfit", [False, True])
def test_a_card_of_another_deck_is_no_news_of_this_one(misfit: bool) -> None:
    """North draws its AC after south has laid south's; the play comes to light behind the draw."""
    draw = believed("draw", 5.0, "north", 150, ["??", "??", "AC"])
    play = replace(event("play", 3.0, "AC", WASTE, ACE), misfit=misfit)
    assert order(draw, play) == (["draw ?? ?? AC", "play AC"] if misfit else ["play AC", "draw ?? ?? AC"])


def test_a_card_seen_to_leave_before_its_pile_was_covered_left_it_before() -> None:
    """It landed late, but it was lifted before the next packet was drawn over its place."""
    draw = event("draw", 3.0, "?? ?? 9D")
    play = event("play", 4.0, "4C", WASTE, WORK, lifted=2.5)
    assert order(draw, play) == ["play 4C", "draw ?? ?? 9D"]
    assert order(draw, replace(play, lifted=3.5)) == ["draw ?? ?? 9D", "play 4C"]
    assert order(draw, event("play", 4.0, "9D", WASTE, WORK, lifted=2.5)) == ["draw ?? ?? 9D", "play 9D"]
    turn = event("turn", 3.0, "JD", None, place_of("south", "nerts"))
    nerts = event("play", 4.0, "4C", place_of("south", "nerts"), WORK, lifted=2.5)
    assert order(turn, nerts) == ["play 4C", "turn JD"]
    cover = event("play", 3.0, "6D", place_of("south", "nerts"), place_of("south", "work 2"))
    column = event("play", 4.0, "7S", place_of("south", "work 2"), WORK, lifted=2.5)
    assert order(cover, column) == ["play 7S", "play 6D"]
