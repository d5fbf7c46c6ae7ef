"""What breaks another rule than those of building: cards from under others, off the stock, out of the centre, slid, and a
waste turned over too early; each told only where nothing that is allowed explains what was seen.
"""

from __future__ import annotations

import pytest
from test_explain import BACK, CENTRE, SOUTH, STEP, brief, column, face, read, table

from referee.rules.events import INFERRED, Play, TakeBack, Turn
from referee.rules.places import Place
from referee.umpire.beam import Beam
from referee.umpire.landings import land
from referee.umpire.odds import Odds
from referee.umpire.one_hand import is_moved_twice
from referee.umpire.sights import Sight, View
from referee.umpire.story import OFF_STOCK, Believed, Story
from referee.umpire.trust.misfits import Misfits
from referee.umpire.trust.remembered import Remembered
from referee.umpire.trust.witness import trust

ODDS = Odds()
TOP = [face("9D")]


def view(at: float, place: Place, sights: list[Sight], touched_s: float = 0.3, **moved: float) -> View:
    """A view of what was touched for so long; `moved`: what share of south's places moved lately, of others nothing."""
    seen = View(place, at, round(at * 30), at, sights, stirred=True, untouched=at - touched_s)
    if moved:
        seen.reached = lambda where, since: moved.get(where.kind, 0.0) if where.seat == "south" else 0.0
    return seen


def told(story: Story, *views: View) -> list[Believed]:
    beam = Beam(story, ODDS)
    for one in views:
        beam.push(one)
    return beam.best.events()


def pulled(touched_s: float, **moved: float) -> list[Believed]:
    """South draws, and lays a card that nobody has seen on a work pile; its waste and Nerts pile are as before."""
    story = table(nerts="KD", waste="4C", work_1="9H", north__nerts="KC")
    laid = [face("9H", 0, 0, 0.2), face("8S", 0, STEP)]
    return told(
        story,
        view(1.0, SOUTH["waste"], TOP, touched_s),
        view(2.5, SOUTH["work 1"], laid, **moved),
        *(view(2.6 + 0.1 * n, SOUTH["work 1"], laid) for n in range(2)),
        *(view(2.8 + 0.2 * n, SOUTH["waste"], TOP) for n in range(3)),
        *(view(2.9 + 0.2 * n, SOUTH["nerts"], [face("KD")]) for n in range(3)),
    )


def test_a_card_from_beneath_the_top_of_the_waste_is_found() -> None:
    _, event = pulled(0.3, waste=1.0, stock=1.0)
    assert brief([event]) == ["play 8S waste → work 1"]
    assert (event.foul, event.misfit, event.caution) == ("buried", True, 1.0)


@pytest.mark.parametrize(("chance", "sure"), [(0.999, True), (0.93, False)])
def test_it_is_not_where_what_lay_on_top_before_may_have_been_misread(chance: float, sure: bool) -> None:
    """The 8S itself, read as 8C with 0.93, and played: the card beneath shows then."""
    _, event = pulled(0.3, waste=1.0, stock=1.0)
    looks = [view(0.5, SOUTH["waste"], [read({"8C": chance}, (0.0, 0.0))])]
    looks += [view(at, SOUTH["waste"], [read({"9D": 0.999}, (0.0, 0.0))]) for at in (1.0, 2.8, 3.0)]
    looks += [view(2.5 + 0.1 * n, SOUTH["work 1"], [face("9H"), face("8S", 0, STEP)]) for n in range(3)]
    seen = Remembered()
    for look in sorted(looks, key=lambda one: one.at):
        seen.add(look)
    assert (Misfits().trust(event, seen, 4.0) > INFERRED) == sure


@pytest.mark.parametrize(("turned_at", "sure"), [(1.0, True), (2.7, False)])
def test_nor_where_the_nerts_pile_showed_its_back_when_it_landed(turned_at: float, sure: bool) -> None:
    """A card that was turned up and played at once leaves the same; that the next one lies open says nothing."""
    story = table(nerts="KD", waste="4C 9D", work_1="9H", north__nerts="KC")
    turn = Turn(at=turned_at, seat="south", place="nerts", card="KD")
    story = story.told(Believed(turn, None, SOUTH["nerts"]))
    laid = face("8S", 0, STEP)
    seen = view(2.5, SOUTH["work 1"], [face("9H", 0, 0, 0.2), laid])
    ways = [way.past.last for way in land(story, "8S", laid, seen, ODDS) if way.past is not None]
    (off_stock,) = [way for way in ways if way.foul == OFF_STOCK]
    assert (off_stock.caution == 1.0) == sure


def test_a_card_may_have_gone_on_before_the_waste_was_seen() -> None:
    """A draw and a play of its top card, both under one hand that stayed, leave the card beneath on top."""
    (*_, event) = pulled(2.0, waste=1.0, stock=1.0)
    assert event.cards == ("8S",) and event.foul is None and event.caution < 0.9


@pytest.mark.parametrize(("left_s", "sure"), [((0.6, 0.7), True), ((1.4, 1.5), False)])
def test_a_card_that_left_the_waste_after_a_packet_had_landed_lay_on_it(
    left_s: tuple[float, float], sure: bool
) -> None:
    """The 8S was drawn on the 9D at 1.0 s and taken before the waste was seen; else the 4C left, and a packet came."""
    story = table(nerts="KD", waste="4C", work_1="9H", north__nerts="KC")
    waste = view(1.0, SOUTH["waste"], TOP)
    waste.left = "4C", left_s
    laid = view(2.5, SOUTH["work 1"], [face("9H", 0, 0, 0.2), face("8S", 0, STEP)], waste=1.0)
    (*_, event) = told(
        story,
        waste,
        *(laid, laid),
        *(view(2.8 + 0.2 * n, SOUTH["waste"], TOP) for n in range(3)),
        *(view(2.9 + 0.2 * n, SOUTH["nerts"], [face("KD")]) for n in range(3)),
    )
    assert event.cards == ("8S",) and (event.foul == "buried" and event.caution == 1.0) == sure


def test_a_card_off_the_stock_leaves_the_waste_untouched() -> None:
    (*_, event) = pulled(0.3, waste=0.1, stock=1.0)
    assert brief([event]) == ["play 8S stock → work 1"]
    assert event.foul == "stock"


def test_no_card_comes_from_where_nothing_moved() -> None:
    """Both decks have the 8S on top somewhere: whose it was is told by where a hand was."""
    for waste, seat in ((1.0, "south"), (0.0, "north")):
        story = table(waste="2H", north__waste="2H", foundation_1="AH")
        seen = view(1.0, CENTRE, [face("2H")])
        seen.reached = lambda where, since, waste=waste: waste if where.seat == "south" else 1.0 - waste
        assert [event.seat for event in told(story, seen)] == [seat]


def test_a_card_that_others_lie_on_is_taken_without_them() -> None:
    story = table(work_1="KH 5S 4D", work_2="6D", north__nerts="KC")
    left = [face("KH", 0, 0, 0.2), face("4D", 0, 2 * STEP)]
    came = column("6D", "5S")
    events = told(
        story,
        view(1.0, SOUTH["work 2"], came, work=1.0),
        *(view(1.1 + 0.1 * n, SOUTH["work 1"], left) for n in range(3)),
    )
    assert brief(events) == ["play 5S work 1 → work 2"] and events[0].foul == "buried"


@pytest.mark.parametrize(
    ("back_s", "face_", "told_twice"), [(1.1, "9D", True), (2.0, "9D", False), (1.1, "TS", False)]
)
def test_no_card_goes_with_a_block_and_comes_back_alone_in_one_moment(
    back_s: float, face_: str, told_twice: bool
) -> None:
    """TS 9D onto JH, and 9D back again: not within a moment; TS itself may have been laid there alone."""
    block = Play(at=1.0, seat="south", cards=("TS", "9D"), source="work 4", target="work 1")
    story = table(work_1="JH TS 9D").told(Believed(block, SOUTH["work 4"], SOUTH["work 1"]))
    seen = view(back_s, SOUTH["work 4"], [face(face_)])
    assert is_moved_twice(story, SOUTH["work 1"], face_, seen) == told_twice
    landed = [one for one in land(story, face_, seen.sights[0], seen, ODDS) if face_ == "9D"]
    costs = [
        one.weight < ODDS.still_there
        for one in landed
        if one.past and one.past.last.source == SOUTH["work 1"]
    ]
    assert costs == [told_twice] * len(costs) and (costs or face_ != "9D")


def test_out_of_the_centre_is_no_taking_back_unless_it_came_from_there() -> None:
    story = table(foundation_1="AH 2H", work_1="3S", nerts="KS", north__nerts="KD")
    looks = (
        view(1.0, CENTRE, [face("AH")]),
        view(1.5, SOUTH["work 1"], column("3S", "2H")),
        view(1.8, SOUTH["work 1"], column("3S", "2H")),
    )
    (event,) = told(story, *looks)
    assert isinstance(event.event, Play) and (event.foul, event.misfit) == ("centre", True)
    first = table(foundation_1="AH", work_1="3S 2H", nerts="KS", north__nerts="KD")
    played = (
        view(0.1, SOUTH["work 1"], column("3S")),
        view(0.4, CENTRE, [face("2H")]),
        view(0.5, CENTRE, [face("2H")]),
    )
    (*_, back) = told(first, *played, *looks)
    assert isinstance(back.event, TakeBack) and (back.foul, back.misfit) == ("centre", True)


def test_whoever_takes_back_one_of_two_tied_cards_breaks_no_rule() -> None:
    """South's 2H went on north's: that one shows still."""
    story = table(foundation_1="AH 2H", work_1="3S", nerts="KS", north__nerts="KD")
    laid = (*story.pile(CENTRE), story.pile(CENTRE)[-1]._replace(deck="north"))
    play = Play(at=0.5, seat="south", cards=("2H",), source="work 1", target="foundation 1")
    tied = story.with_pile(CENTRE, laid).told(Believed(play, SOUTH["work 1"], CENTRE))
    looks = [view(1.0, CENTRE, [face("2H")]), view(1.5, SOUTH["work 1"], column("3S", "2H"))]
    (*_, back) = told(tied, *looks, view(1.8, SOUTH["work 1"], column("3S", "2H")))
    assert isinstance(back.event, TakeBack) and not back.misfit


@pytest.mark.parametrize(
    ("lay", "shows", "sure"),
    [
        ([(0.5, 0.999, None), (0.8, 0.999, None)], "AH", True),
        ([(0.5, 0.999, (0.4, 0.45))], "AH", True),
        # one look, which may have been at a card that a hand held there
        ([(0.5, 0.999, None)], "AH", False),
        # it may have been another card
        ([(0.5, 0.9, None), (0.8, 0.9, None)], "AH", False),
        ([], "AH", False),
        # another one of its face lies there still
        ([(0.5, 0.999, None), (0.8, 0.999, None)], "2H", False),
    ],
)
def test_a_card_that_is_taken_back_was_seen_to_rest_in_the_centre_alone(
    lay: list[tuple[float, float, tuple[float, float] | None]], shows: str, sure: bool
) -> None:
    back = TakeBack(at=2.0, seat="south", cards=("2H",), source="foundation 1", target="work 1")
    event = Believed(back, CENTRE, SOUTH["work 1"], misfit=True, under="3S", foul="centre")
    centre = [view(0.1, CENTRE, [face("AH")])]
    for at, chance, landed in lay:
        centre.append(view(at, CENTRE, [read({"2H": chance}, (0.0, 0.0))]))
        centre[-1].landed = landed
    centre += [view(at, CENTRE, [face(shows)]) for at in (1.6, 2.4)]
    looks = [view(2.1 + 0.1 * n, SOUTH["work 1"], column("3S", "2H")) for n in range(3)]
    assert (trust(event, "3S", looks, centre) > INFERRED) == sure


@pytest.mark.parametrize(("shown", "sure"), [("AH", True), ("2H", False)])
def test_a_card_out_of_the_centre_was_missing_there_before_it_landed(shown: str, sure: bool) -> None:
    """The foundation is not looked at again: what it showed last must have been without the card."""
    play = Play(at=2.0, seat="south", cards=("2H",), source="foundation 1", target="work 1")
    event = Believed(play, CENTRE, SOUTH["work 1"], misfit=True, under="3S", foul="centre")
    centre = [view(0.5, CENTRE, [face("2H")]), view(1.6, CENTRE, [face(shown)])]
    looks = [view(2.1 + 0.1 * n, SOUTH["work 1"], column("3S", "2H")) for n in range(3)]
    assert (trust(event, "3S", looks, centre) > INFERRED) == sure


@pytest.mark.parametrize("place", ["nerts", "waste"])
def test_nothing_is_built_on_the_nerts_pile_or_the_waste(place: str) -> None:
    story = table(nerts="KD", waste="4C", work_1="9H QS")
    before = view(1.0, SOUTH["work 1"], column("9H"))
    events = told(story, before, *(view(1.4 + 0.1 * n, SOUTH[place], [face("QS")]) for n in range(3)))
    assert brief(events) == [f"play QS work 1 → {place}"] and events[0].foul == "onto"


@pytest.mark.parametrize(("empty", "foul"), [("3D", "slid"), ("", None)])
def test_a_card_is_slid_under_a_pile_while_another_is_empty(empty: str, foul: str | None) -> None:
    story = table(work_1="9H 8S", work_2=empty, work_3="5D", work_4="6D", waste="TC")
    slid = [face("TC", 0, -STEP, 0.2), face("9H", 0, 0, 0.2), face("8S", 0, STEP)]
    events = told(story, *(view(1.0 + 0.1 * n, SOUTH["work 1"], slid) for n in range(3)))
    (event,) = events
    assert isinstance(event.event, Play) and event.event.under
    assert brief(events) == ["play TC waste → work 1"] and event.foul == foul
    assert event.misfit == (foul is not None)
    looks = [view(1.0 + 0.1 * n, SOUTH["work 1"], slid) for n in range(3)]
    assert foul is None or trust(event, event.under, looks) > 0.9


@pytest.mark.parametrize(
    ("read_before", "missed", "sure"), [(2, 0, True), (0, 0, False), (2, 1, True), (2, 2, False)]
)
def test_a_slid_card_is_known_by_where_it_lay_whole(read_before: int, missed: int, sure: bool) -> None:
    """Of its strip is read no more than that it may be this card, and now and then it is not made out."""
    story = table(work_1="9H 8S", work_2="3D", work_3="5D", work_4="6D", waste="2C TC")
    strip = read({"TC": 0.7, "JC": 0.2}, (0.0, -STEP), 0.2)
    pile = [face("9H", 0, 0, 0.2), face("8S", 0, STEP)]
    looks = [view(1.0 + 0.1 * n, SOUTH["work 1"], [strip, *pile] if n >= missed else pile) for n in range(3)]
    looks.insert(0, looks.pop(missed))
    gone = [view(0.2 * n, SOUTH["waste"], [face("TC")]) for n in range(read_before)]
    gone.append(view(1.5, SOUTH["waste"], [face("2C")]))
    clear = [face("TC", 0, -STEP, 0.2), *pile]
    (event,) = told(story, *(view(1.0 + 0.1 * n, SOUTH["work 1"], clear) for n in range(3)))
    assert (trust(event, event.under, looks, gone) > 0.9) == sure


def unseen(alike: list[str]) -> list[Believed]:
    """The 8S, that nobody has seen, lands on a work pile; hands were about everywhere. `alike`: what looks as before."""
    story = table(nerts="KD", waste="2D ?? 4C", work_1="9H", north__nerts="KC")
    laid = [
        view(2.5, SOUTH["work 1"], [face("9H", 0, 0, 0.2), face("8S", 0, STEP)], waste=1.0, nerts=1.0)
    ] * 2
    for seen in laid:
        seen.alike = lambda place: place.kind in alike
    return told(story, *laid, view(4.0, SOUTH["stock"], [BACK]))


def test_a_card_does_not_come_from_a_pile_that_looks_as_before() -> None:
    """Its Nerts card or a draw's top went on at once, if either pile looks otherwise since; from beneath the waste's top
    a card may be pulled without a trace.
    """
    (*_, allowed) = unseen([])
    assert allowed.foul is None and allowed.caution < 0.9
    (*_, event) = unseen(["waste", "nerts", "work"])
    assert brief([event])[-1] == "play 8S waste → work 1" and event.foul == "buried"


def test_a_card_from_beneath_others_had_left_before_it_landed() -> None:
    """Its pile is looked at while it is in the air, and lies as it does then from there on."""
    story = table(work_1="KH 5S 4D", work_2="6D", north__nerts="KC")
    left, came = [face("KH", 0, 0, 0.2), face("4D", 0, 2 * STEP)], column("6D", "5S")
    gone = view(2.0, SOUTH["work 1"], left, work=1.0)
    landed = view(2.6, SOUTH["work 2"], came, work=1.0)
    landed.rested, landed.seen = 2.2, lambda place: 2.0
    still = [view(3.0 + 0.2 * n, SOUTH["work 1"], left, 0.0, work=1.0) for n in range(3)]
    for one in still:
        one.seen, one.steady = (lambda place: 2.0), one.at
    (event,) = told(story, gone, landed, *still)
    assert (event.cards, event.foul) == (("5S",), "buried")


def trusted_from_waste(*waste: View) -> float:
    """How far it is believed that the 8S that landed at 5 s came from under the 9D, by looks at the waste."""
    event = Believed(
        Play(at=5.0, seat="south", frames=(150, 150), cards=("8S",), source="waste", target="work 1"),
        SOUTH["waste"],
        SOUTH["work 1"],
        misfit=True,
        under="9H",
        foul="buried",
    )
    laid = [face("9H", 0, 0, 0.2), face("8S", 0, STEP)]
    after = [view(5.2 + 0.1 * n, SOUTH["work 1"], laid) for n in range(2)]
    return trust(event, "9H", after, waste)


@pytest.mark.parametrize(("first", "sure"), [("2C", True), ("8S", False)])
def test_a_card_that_was_seen_on_top_was_not_pulled_from_under_another(first: str, sure: bool) -> None:
    """A draw was missed, so that the 8S is believed to lie under the 9D; it was seen on top of it."""
    looks = [view(3.0, SOUTH["waste"], [face(first)]), *(view(at, SOUTH["waste"], TOP) for at in (4.8, 5.4))]
    assert (trusted_from_waste(*looks) > INFERRED) == sure


@pytest.mark.parametrize(("as_before_s", "sure"), [(5.5, True), (5.1, False)])
def test_a_top_that_a_packet_covers_before_it_is_looked_at_lay_there_until_then(
    as_before_s: float, sure: bool
) -> None:
    drawn = view(6.0, SOUTH["waste"], [face("KS")], 6.0 - as_before_s)
    assert (trusted_from_waste(view(4.8, SOUTH["waste"], TOP), drawn) > INFERRED) == sure


def test_the_draw_tells_the_card_that_showed_on_the_waste_before_one_was_pulled_from_beneath() -> None:
    """Who reads the record alone takes the QH for the card that lay under the 8S."""
    story = table(nerts="KD", waste="", work_1="KS", work_2="9D", north__nerts="KC")
    top, nerts = [face("4S")], [face("KD")]
    gone, came = view(2.0, SOUTH["waste"], top, waste=1.0), column("KS", "QH")
    *_, draw, clean, pulled = told(
        story,
        view(1.0, SOUTH["waste"], [face("8S")]),
        gone,
        view(2.4, SOUTH["work 2"], column("9D", "8S"), waste=1.0),
        *(view(5.0 + 0.1 * n, SOUTH["work 1"], came, waste=1.0) for n in range(3)),
        *(view(5.3 + 0.2 * n, SOUTH["waste"], top) for n in range(3)),
        *(view(5.4 + 0.2 * n, SOUTH["nerts"], nerts) for n in range(3)),
    )
    assert (clean.cards, pulled.cards, pulled.foul) == (("8S",), ("QH",), "buried")
    assert draw.cards == ("??", "4S", "8S")


def test_a_nerts_card_that_was_never_seen_open_comes_from_no_other_pile() -> None:
    """It was turned and played between two looks, and the next one shows its back as it did."""
    story = table(waste="2D ?? 4C", work_1="9H", north__nerts="KC")
    laid = [
        view(2.5, SOUTH["work 1"], [face("9H", 0, 0, 0.2), face("8S", 0, STEP)], nerts=1.0, stock=1.0)
    ] * 2
    for seen in laid:
        seen.alike = lambda place: True
    (*_, event) = told(story, *laid)
    assert event.cards == ("8S",) and event.caution < 0.9


@pytest.mark.parametrize(("began", "sure"), [((1.0, -STEP - 2.0), False), ((1.0, 1.0), True)])
def test_a_card_where_columns_of_that_place_begin_was_not_slid_there(
    began: tuple[float, float], sure: bool
) -> None:
    """It was laid there first, and none of the looks since made it out."""
    story = table(work_1="9H 8S", work_2="3D", work_3="5D", work_4="6D", waste="TC")
    slid = [face("TC", 0, -STEP, 0.2), face("9H", 0, 0, 0.2), face("8S", 0, STEP)]
    looks = [view(1.0 + 0.1 * n, SOUTH["work 1"], slid) for n in range(3)]
    (event,) = told(story, *looks)
    earlier = [view(0.2, SOUTH["work 1"], [face("4D", *began)]), view(0.8, SOUTH["work 1"], slid[1:])]
    assert (trust(event, event.under, [*earlier, *looks]) > 0.9) == sure
