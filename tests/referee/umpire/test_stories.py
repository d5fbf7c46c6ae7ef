"""What holds of every story, however a place looks: no card is lost or doubled, and what is told leads to what lies."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_explain import BACK, CENTRE, SOUTH, STEP, brief, column, face, read, table

from referee.rules.cards import UNKNOWN
from referee.rules.places import STOCK, WASTE, Place
from referee.umpire.beam import Beam
from referee.umpire.columns import align
from referee.umpire.explain import HOPELESS, explain
from referee.umpire.odds import Odds
from referee.umpire.sights import Sight, View
from referee.umpire.story import Lying, Story

ODDS = Odds()
NORTH_WASTE = Place(WASTE, 0, "north")


def counted(story: Story) -> dict[str, int]:
    """The cards of each deck, on the table and in hand."""
    every = [card for pile in story.piles.values() for card in pile]
    every += [card for held in story.lifted for card in held.cards]
    return {deck: sum(card.deck == deck for card in every) for deck in ("south", "north")}


def known(story: Story) -> list[tuple[str, str]]:
    every = [card for pile in story.piles.values() for card in pile]
    every += [card for held in story.lifted for card in held.cards]
    return [(card.face, card.deck) for card in every if card.known]


#: A table in the middle of a hand.
BEGUN = {
    "nerts": "4C",
    "waste": "9D 2H TS",
    "work_1": "KH QS JD",
    "work_2": "5H",
    "work_3": "QC",
    "work_4": "TC",
    "north__waste": "8S 3H",
    "north__work_1": "6C",
    "north__nerts": "JS",
    "foundation_1": "AH",
}
LOOKS: list[tuple[Place, list[Sight]]] = [
    (SOUTH["work 1"], column("KH", "QS", "JD", "TS")),
    (SOUTH["work 1"], column("KH", "QS")),
    (SOUTH["work 1"], column("KH")),
    (SOUTH["work 1"], []),
    (SOUTH["work 1"], column("KH", "QS", "JD", "TC")),
    (SOUTH["work 1"], column("KH", "QS", "JD", "TC", "9D")),
    (SOUTH["work 2"], column("5H", "4C")),
    (SOUTH["work 2"], column("5H", "4S")),
    (SOUTH["work 2"], [BACK]),
    (SOUTH["work 3"], column("QC", "JD")),
    (SOUTH["work 4"], []),
    (SOUTH["nerts"], [BACK]),
    (SOUTH["nerts"], [face("7D")]),
    (SOUTH["nerts"], [face("4C")]),
    (SOUTH["nerts"], []),
    (SOUTH["stock"], []),
    (SOUTH["stock"], [BACK]),
    (SOUTH["waste"], [face("6S")]),
    (SOUTH["waste"], [face("2H")]),
    (SOUTH["waste"], [face("9D")]),
    (SOUTH["waste"], []),
    (SOUTH["waste"], [BACK]),
    (NORTH_WASTE, [face("3H")]),
    (NORTH_WASTE, []),
    (CENTRE, [face("2H")]),
    (CENTRE, [face("3H")]),
    (CENTRE, [face("2S")]),
    (CENTRE, []),
    (CENTRE, [BACK]),
]


def view(number: int, at: float) -> View:
    place, sights = LOOKS[number]
    return View(place, at, round(at * 30), at, sights)


@settings(max_examples=25, deadline=None)
@example([20, 7], "empty")
@given(
    st.lists(st.integers(0, len(LOOKS) - 1), min_size=1, max_size=5), st.sampled_from(["", "short", "empty"])
)
def test_no_card_is_lost_or_doubled_whatever_is_seen(numbers: list[int], stock: str) -> None:
    story = table(**BEGUN)
    if stock:
        story.piles[SOUTH["stock"]] = (Lying(UNKNOWN, "south", False),) * (2 if stock == "short" else 0)
    beam, before = Beam(story, ODDS), counted(story)
    for count, number in enumerate(numbers, 1):
        grown = [new for old in beam.stories for new in explain(old, view(number, float(count)), ODDS)]
        assert grown
        for new in grown:
            assert counted(new) == before
        beam.push(view(number, float(count)))
        best = beam.best
        assert best.weight == 0.0 == max(s.weight for s in beam.stories)
        # as near as sums of chances are told
        assert all(s.weight >= HOPELESS - 1e-9 for s in beam.stories)
        assert len(beam.stories) <= beam.width
        assert sum(beam.shares()) == pytest.approx(1.0)
        assert len(set(known(best))) >= len(known(best)) - 1
        first, *others = [s.events() for s in beam.stories]
        same = next(
            (i for i, e in enumerate(first) if any(e is not o[i : i + 1][0] for o in others if o[i:])), None
        )
        shortest = min(map(len, [first, *others]))
        assert beam.agreed() <= shortest if others else beam.agreed() == len(first)
        assert same is None or beam.agreed() <= same


def counted_with(sizes: dict[Place, int], turned: set[str]) -> dict[Place, int]:
    """The cards of every pile; stock and waste together of seats whose waste was turned over."""
    counts: dict[Place, int] = {}
    for place, size in sizes.items():
        one = Place(STOCK, 0, place.seat) if place.kind == WASTE and place.seat in turned else place
        counts[one] = counts.get(one, 0) + size
    return {place: count for place, count in counts.items() if count}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, len(LOOKS) - 1), min_size=1, max_size=4))
@example([17, 20, 0])
@example([20, 17, 20, 7])
def test_what_lies_where_is_what_the_events_told_lead_to(numbers: list[int]) -> None:
    """Every story's piles are those of the beginning after its plays, draws and recycles, but for cards in hand."""
    story = table(**BEGUN)
    beam = Beam(story, ODDS)
    for count, number in enumerate(numbers, 1):
        beam.push(view(number, float(count)))
    for told in beam.stories:
        sizes = {place: len(pile) for place, pile in story.piles.items()}
        turned: set[str] = set()
        for event in told.events():
            if event.event.kind in ("play", "take-back"):
                assert event.source is not None and event.target is not None
                sizes[event.source] -= len(event.cards)
                sizes[event.target] = sizes.get(event.target, 0) + len(event.cards)
            elif event.event.kind == "draw":
                sizes[Place(STOCK, 0, event.seat)] -= len(event.cards)
                sizes[Place(WASTE, 0, event.seat)] = sizes.get(Place(WASTE, 0, event.seat), 0) + len(
                    event.cards
                )
            elif event.event.kind == "recycle":
                assert (sizes[Place(STOCK, 0, event.seat)] == 0) != (event.foul == "early")
                # what of the waste was in hand by then is told when it lands: both piles are counted together below
                turned.add(event.seat)
                waste = Place(WASTE, 0, event.seat)
                sizes[Place(STOCK, 0, event.seat)] += sizes[waste]
                sizes[waste] = 0
        for held in told.lifted:
            sizes[held.place] -= len(held.cards)
        lies = {place: len(pile) for place, pile in told.piles.items()}
        assert counted_with(sizes, turned) == counted_with(lies, turned)


# -- columns -----------------------------------------------------------------------------------------------------------


def best_by_hand(sights: list[Sight], pile: tuple[Lying, ...]) -> float:
    """The likeliest way to pair sights with cards in order, by trying all of them."""
    best = -np.inf
    for paired in range(min(len(sights), len(pile)) + 1):
        for seen in combinations(range(len(sights)), paired):
            for cards in combinations(range(len(pile)), paired):
                weight = ODDS.ghost_face * (len(sights) - paired)
                missed = [pile[k] for k in range(len(pile)) if k not in cards]
                weight += sum(ODDS.missed_under if card.at else ODDS.missed_again for card in missed)
                for j, k in zip(seen, cards, strict=True):
                    sight, card = sights[j], pile[k]
                    away = 0.0 if card.at is None else float(np.hypot(*np.subtract(sight.at, card.at)))
                    weight += sight.reads(card.face) - min(6.0, away**2 / 72.0)
                best = max(best, weight)
    return best


NAMES = ("KH", "QS", "JD", "TC")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.floats(0, 60)), max_size=3),
    st.lists(st.tuples(st.sampled_from(NAMES), st.one_of(st.none(), st.floats(0, 60))), max_size=3),
)
def test_sights_are_held_against_cards_in_the_likeliest_way(
    seen: list[tuple[str, float]], lying: list[tuple[str, float | None]]
) -> None:
    sights = [face(name, 0.0, y) for name, y in seen]
    pile = tuple(Lying(name, "south", True, None if y is None else (0.0, y)) for name, y in lying)
    aligned = align(sights, pile, ODDS)
    for j in range(len(sights) + 1):
        for k in range(len(pile) + 1):
            assert aligned.best[j, k] == pytest.approx(best_by_hand(sights[:j], pile[:k]))


def told(story: Story, *views: tuple[float, Place, list[Sight]]) -> list[str]:
    beam = Beam(story, ODDS)
    for at, place, sights in views:
        beam.push(View(place, at, round(at * 30), at, sights))
    return brief(beam.best.events())


def test_three_cards_that_came_one_by_one_between_two_looks() -> None:
    story = table(work_1="KH", waste="QS", nerts="JD", work_2="TC")
    seen = column("KH", "QS", "JD", "TC")
    assert told(story, (3.0, SOUTH["work 1"], seen)) == [
        "play QS waste → work 1",
        "play JD nerts → work 1",
        "play TC work 2 → work 1",
    ]


def test_a_card_that_was_not_made_out_under_the_one_that_is_seen() -> None:
    """The queen came first: the jack would not go on the king."""
    story = table(work_1="KH", waste="QS", nerts="JD")
    seen = [face("KH", 0, 0, 0.2), face("JD", 0, 2 * STEP)]
    assert told(story, (3.0, SOUTH["work 1"], seen)) == ["play QS waste → work 1", "play JD nerts → work 1"]


def test_a_block_in_hand_lands_as_one_play() -> None:
    """It was seen to be gone before it was seen to land, and one of its cards is not made out."""
    story = table(work_1="KH", work_2="QS JD TC", work_3="9H")
    gone = (1.0, SOUTH["work 2"], list[Sight]())
    for missing in (None, 1, 2):
        seen = column("KH", "QS", "JD", "TC")
        if missing is not None:
            del seen[missing]
        assert told(story, gone, (2.0, SOUTH["work 1"], seen)) == ["play QS JD TC work 2 → work 1"]


def test_an_exposed_card_is_hardly_missed_but_one_beneath_it_often_is() -> None:
    story = table(work_1="KH QS JD")
    beneath = [column("KH", "QS", "JD")[k] for k in (0, 2)]
    assert told(story, (1.0, SOUTH["work 1"], beneath)) == []
    beam = Beam(story, ODDS)
    beam.push(View(SOUTH["work 1"], 1.0, 30, 1.0, column("KH", "QS")))
    assert [card.face for held in beam.best.lifted for card in held.cards] == ["JD"]


def test_part_of_a_column_moves_and_another_card_comes_in_its_place() -> None:
    story = table(work_1="KH QS JD", work_2="QC", nerts="JH")
    events = told(
        story,
        (1.0, SOUTH["work 2"], column("QC", "JD")),
        (2.0, SOUTH["work 1"], column("KH", "QS", "JH")),
        (2.2, SOUTH["nerts"], [BACK]),
    )
    assert events == ["play JD work 1 → work 2", "play JH nerts → work 1"]


def test_a_back_over_a_column_is_no_card_that_came() -> None:
    assert told(table(work_1="KH"), (1.0, SOUTH["work 1"], [*column("KH"), BACK])) == []


def test_a_card_that_is_seen_just_where_it_lay_is_the_same_card() -> None:
    """Whatever else is read beneath it."""
    ghost = face("2D", 0, 1, 0.2)
    story = table(work_1="KH QS", waste="2D")
    assert told(story, (1.0, SOUTH["work 1"], [ghost, *column("KH", "QS")])) == []


# -- the other places --------------------------------------------------------------------------------------------------


def test_a_stock_that_ends_is_drawn_to_its_end() -> None:
    story = table(waste="9D")
    story.piles[SOUTH["stock"]] = (Lying(UNKNOWN, "south", False),) * 2
    assert told(story, (1.0, SOUTH["stock"], []), (1.1, SOUTH["waste"], [face("6S")])) == ["draw ?? 6S"]


def test_a_waste_that_is_turned_over_comes_up_again_in_its_order() -> None:
    """In the second round the packets are known: the first card drawn of three is the lowest of the waste."""
    story = table(waste="9D 4C 6S 2H")
    story.piles[SOUTH["stock"]] = ()
    beam = Beam(story, ODDS)
    beam.push(View(SOUTH["waste"], 1.0, 30, 1.0, []))
    beam.push(View(SOUTH["stock"], 1.0, 30, 1.0, [BACK]))
    assert [card.face for card in beam.best.pile(SOUTH["stock"])] == ["2H", "6S", "4C", "9D"]
    assert not any(card.up for card in beam.best.pile(SOUTH["stock"]))
    beam.push(View(SOUTH["waste"], 2.0, 60, 2.0, [face("6S")], stirred=True))
    assert [card.face for card in beam.best.pile(SOUTH["waste"])] == ["9D", "4C", "6S"]
    assert [card.face for card in beam.best.pile(SOUTH["stock"])] == ["2H"]
    assert brief(beam.best.events())[0] == "recycle"


def test_a_waste_turned_over_and_drawn_from_between_two_looks() -> None:
    story = table(waste="2H 6S 4C 9D KC")
    story.piles[SOUTH["stock"]] = ()
    assert told(story, (2.0, SOUTH["waste"], [face("4C")])) == ["recycle", "draw ?? ?? 4C"]


def test_a_packet_in_another_order_than_thought_forgets_the_order() -> None:
    story = table(waste="9D")
    stock = tuple(Lying(name, "south", False) for name in ("2C", "3C", "4C", "5C", "6C", "7C"))
    story.piles[SOUTH["stock"]] = stock
    beam = Beam(story, ODDS)
    beam.push(View(SOUTH["waste"], 2.0, 60, 2.0, [face("KD")], stirred=True))
    beam.push(View(SOUTH["waste"], 2.2, 66, 2.0, [face("KD")], stirred=False))
    assert brief(beam.best.events()) == ["draw ?? ?? KD"]
    assert [card.face for card in beam.best.pile(SOUTH["stock"])] == [UNKNOWN] * 3


def test_a_nerts_card_in_hand_that_is_put_back_is_no_play() -> None:
    story = table(nerts="4C")
    assert told(story, (1.0, SOUTH["nerts"], [BACK]), (2.0, SOUTH["nerts"], [face("4C")])) == []


@pytest.mark.parametrize(("place", "without"), [("nerts", BACK), ("waste", face("9D"))])
def test_a_card_seen_to_be_gone_for_long_and_put_back_is_in_nobodys_hand(place: str, without: Sight) -> None:
    story = table(nerts="4C", waste="9D 4S")
    beam, top = Beam(story, ODDS), story.pile(SOUTH[place])[-1].face
    for number in range(4):
        beam.push(View(SOUTH[place], 1.0 + 0.2 * number, 30, 1.0, [without], stirred=False))
    assert [card.face for held in beam.best.lifted for card in held.cards] == [top]
    for number in range(2):
        beam.push(View(SOUTH[place], 2.0 + 0.2 * number, 60, 2.0, [face(top)], stirred=False))
    assert beam.best.events() == []
    assert beam.best.lifted == ()
    assert beam.best.pile(SOUTH[place])[-1].face == top


def test_a_nerts_card_played_and_the_next_turned_between_two_looks() -> None:
    story = table(nerts="4C", work_1="5H")
    events = told(story, (2.0, SOUTH["nerts"], [face("JD")]), (2.2, SOUTH["work 1"], column("5H", "4C")))
    assert sorted(events) == ["play 4C nerts → work 1", "turn JD"]


def test_the_last_nerts_card_leaves_an_empty_place() -> None:
    story = table(work_1="5H")
    story.piles[SOUTH["nerts"]] = (Lying("4C", "south"),)
    beam = Beam(story, ODDS)
    beam.push(View(SOUTH["nerts"], 1.0, 30, 1.0, []))
    beam.push(View(SOUTH["work 1"], 1.2, 36, 1.2, column("5H", "4C")))
    assert brief(beam.best.events()) == ["play 4C nerts → work 1"]
    assert beam.best.pile(SOUTH["nerts"]) == ()


def test_a_card_taken_out_of_the_centre_is_told() -> None:
    story = table(foundation_1="AH 2H", work_1="3S", nerts="KS", north__nerts="KD")
    events = told(
        story,
        (1.0, CENTRE, [face("AH")]),
        (1.5, SOUTH["work 1"], column("3S", "2H")),
        (1.8, SOUTH["work 1"], column("3S", "2H")),
        (2.0, CENTRE, [face("AH")]),
    )
    assert events == ["play 2H foundation 1 → work 1"]


def test_whose_king_it_is_sets_the_foundation_aside() -> None:
    story = table(foundation_1="QH KH")
    queen, king = story.piles[CENTRE]
    story.piles[CENTRE] = (queen, king._replace(deck="north"))
    beam = Beam(story, ODDS)
    beam.push(View(CENTRE, 1.0, 30, 1.0, [BACK]))
    (event,) = beam.best.events()
    assert (event.event.kind, event.seat, event.target) == ("set-aside", "north", CENTRE)
    assert [(card.face, card.up) for card in beam.best.pile(CENTRE)] == [("QH", True), ("KH", False)]


def test_a_card_read_elsewhere_names_no_draw() -> None:
    """A draw whose cards nobody has read yet stays unnamed when another pile is read."""
    story = table(waste="9D", work_1="KH")
    story.piles[SOUTH["stock"]] = (Lying(UNKNOWN, "south", False),) * 2
    story.piles[SOUTH["work 2"]] = (Lying(UNKNOWN, "south", True, (0.0, 0.0)),)
    beam = Beam(story, ODDS)
    beam.push(View(SOUTH["stock"], 1.0, 30, 1.0, []))
    assert brief(beam.best.events()) == ["draw ?? ??"]
    nerts = beam.best.pile(SOUTH["nerts"])
    for one in beam.stories:
        one.piles = {**one.piles, SOUTH["nerts"]: (*nerts[:-1], nerts[-1]._replace(up=True))}
    beam.push(View(SOUTH["nerts"], 1.5, 45, 1.5, [face("7D")]))
    assert beam.best.pile(SOUTH["nerts"])[-1].face == "7D"
    assert brief(beam.best.events()) == ["draw ?? ??"]
    beam.push(View(SOUTH["waste"], 2.0, 60, 1.0, [face("6S")]))
    assert brief(beam.best.events()) == ["draw ?? 6S"]


def test_a_king_that_is_not_on_top_is_not_set_aside() -> None:
    assert told(table(foundation_1="JH QH"), (1.0, CENTRE, [BACK])) == []


@pytest.mark.parametrize(("under", "top", "plays"), [("AH", "4H", 3), ("AS", "3H", 1)])
def test_a_foundation_grows_unseen_by_a_few_cards_of_its_suit_at_most(
    under: str, top: str, plays: int
) -> None:
    """Each from where it lay; of another suit none can have come between."""
    story = table(foundation_1=under, waste="2H", work_1="3H", work_2="4H", work_3="5H")
    events = told(story, (3.0, CENTRE, [face(top)]), (3.5, CENTRE, [face(top)]))
    assert len(events) == plays
    assert events[-1].startswith(f"play {top} ")


def test_a_card_that_hangs_in_the_air_for_long_becomes_unlikely() -> None:
    beam = Beam(table(work_1="KH QS"), ODDS)
    beam.push(View(SOUTH["work 1"], 1.0, 30, 1.0, [face("KH")]))
    lifted, resting = (next(s for s in beam.stories if bool(s.lifted) == held) for held in (True, False))
    ahead = lifted.weight - resting.weight
    for until, costs in (
        (1.0 + ODDS.hand_s, 0.0),
        (1.5, 0.0),
        (4.5, 2.0 * ODDS.hand_rate),
        (1000.0, ODDS.hand_most),
    ):
        beam.wait(until)
        assert lifted.weight - resting.weight == pytest.approx(ahead + costs)
    assert beam.stories[0].weight == max(s.weight for s in beam.stories)


def test_whatever_happens_costs_something_and_what_is_rare_costs_more() -> None:
    weights = {
        name: value for name, value in asdict(ODDS).items() if isinstance(value, float) and name != "hand_s"
    }
    assert len(weights) > 20 and all(value < 0 for value in weights.values())
    for often, seldom in (
        ("play", "illegal"),
        ("play", "unseen"),
        ("unseen", "buried"),
        ("missed_again", "missed_under"),
        ("missed_under", "missed_top"),
        ("any_face", "contradiction"),
        ("ghost", "ghost_face"),
        ("stock_stirred", "stock_still"),
        ("draw", "lost_order"),
        ("lost_order", "upended"),
        ("set_aside", "taken_back"),
    ):
        assert weights[often] > weights[seldom], (often, seldom)


def test_an_event_is_as_sure_as_the_stories_that_tell_it() -> None:
    story = table(nerts="4C", waste="4S", work_1="5H")
    beam = Beam(story, ODDS)
    beam.push(
        View(
            SOUTH["work 1"],
            1.0,
            30,
            1.0,
            [face("5H", visible=0.2), read({"4S": 0.5, "4C": 0.45}, (0.0, STEP))],
        )
    )
    event = beam.best.events()[0]
    share = beam.confidence(event)
    shares = [
        s
        for s, told in zip(beam.shares(), beam.stories, strict=True)
        if any(event.identity == e.identity for e in told.events())
    ]
    assert share == pytest.approx(sum(shares))
    assert 0.3 < share < 0.95
    assert beam.confidence(replace(event, caution=0.2)) == pytest.approx(0.2)
    assert beam.confidence(event.moved_to(event.at + 2.0)) == pytest.approx(share)
    assert beam.confidence(event.moved_to(9.0)) == 0.0
