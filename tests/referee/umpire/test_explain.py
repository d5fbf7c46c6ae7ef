"""Single changes on the table, and what the umpire makes of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.rules.cards import UNKNOWN
from referee.rules.events import Play
from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, WORK, Place
from referee.umpire.beam import Beam
from referee.umpire.odds import Odds
from referee.umpire.sights import FACE_INDEX, READING_FLOOR, Sight, View
from referee.umpire.story import Believed, Lying, Story
from referee.umpire.telling.order import in_time
from referee.umpire.trust.witness import trust

SOUTH = {
    place.own_name: place
    for place in [
        *(Place(kind, 0, "south") for kind in (NERTS, STOCK, WASTE)),
        *(Place(WORK, number, "south") for number in range(1, 5)),
    ]
}
CENTRE = Place(FOUNDATION, 1)
STEP = 18.0


def read(chances: dict[str, float], at: tuple[float, float], visible: float = 1.0) -> Sight:
    p = np.full(52, 1e-6)
    for face, chance in chances.items():
        p[FACE_INDEX[face]] = chance
    return Sight(at, True, np.log(np.maximum(p, READING_FLOOR)), visible)


def face(name: str, x: float = 0.0, y: float = 0.0, visible: float = 1.0) -> Sight:
    return read({name: 0.995}, (x, y), visible)


BACK = Sight((0.0, 0.0), False, np.full(52, np.log(1 / 52)))


def column(*names: str) -> list[Sight]:
    return [face(name, 0.0, STEP * i, 1.0 if i == len(names) - 1 else 0.2) for i, name in enumerate(names)]


def table(**piles: str) -> Story:
    """A story from piles as text; `work_1="KH QS"`; everything in south's area but `foundation_1`."""
    lying = {}
    for seat in ("south", "north"):
        lying[Place(NERTS, 0, seat)] = (Lying(UNKNOWN, seat, False),) * 12
        lying[Place(STOCK, 0, seat)] = (Lying(UNKNOWN, seat, False),) * 30
    for name, cards in piles.items():
        seat, _, place = name.rpartition("__")
        place = place.replace("_", " ")
        where = CENTRE if place == CENTRE.own_name else SOUTH[place]._replace(seat=seat or "south")
        faces = cards.split()
        pile = tuple(Lying(f, seat or "south", True, (0.0, STEP * i)) for i, f in enumerate(faces))
        lying[where] = ((Lying(UNKNOWN, seat or "south", False),) * 12 if place == "nerts" else ()) + pile
    return Story(lying)


def told(story: Story, *views: tuple[float, Place, list[Sight]]) -> list[Believed]:
    beam = Beam(story, Odds())
    for at, place, sights in views:
        beam.push(View(place, at, round(at * 30), at, sights))
    return beam.best.events()


def brief(events: list[Believed]) -> list[str]:
    return [
        " ".join(
            [
                e.event.kind,
                *e.cards,
                *([f"{e.source.own_name} → {e.target.own_name}"] if e.source and e.target else []),
            ]
        )
        for e in events
    ]


def test_source_before_target_and_target_before_source_are_one_play() -> None:
    story = table(work_1="KH", work_2="QS")
    left = (1.0, SOUTH["work 2"], list[Sight]())
    came = (1.2, SOUTH["work 1"], column("KH", "QS"))
    for order in ([left, came], [came, (1.4, *left[1:])]):
        assert brief(told(story, *order)) == ["play QS work 2 → work 1"]


def test_a_block_moves_as_one_play() -> None:
    story = table(work_1="KH", work_2="QS JD TC")
    events = told(story, (1.0, SOUTH["work 1"], column("KH", "QS", "JD", "TC")), (1.3, SOUTH["work 2"], []))
    assert brief(events) == ["play QS JD TC work 2 → work 1"]


def test_a_block_with_a_covered_card_that_the_eye_missed() -> None:
    story = table(work_1="KH", work_2="QS JD TC")
    seen = column("KH", "QS", "JD", "TC")
    del seen[2]
    events = told(story, (1.0, SOUTH["work 1"], seen), (1.3, SOUTH["work 2"], []))
    assert brief(events) == ["play QS JD TC work 2 → work 1"]


def test_a_card_taken_up_and_put_back_is_no_play() -> None:
    story = table(work_1="KH QS")
    events = told(story, (1.0, SOUTH["work 1"], column("KH")), (2.0, SOUTH["work 1"], column("KH", "QS")))
    assert events == []


def test_a_new_card_on_the_waste_is_a_draw_of_three() -> None:
    beam = Beam(table(waste="4C"), Odds())
    beam.push(View(SOUTH["waste"], 1.0, 30, 1.0, [face("9D")], stirred=True))
    assert brief(beam.best.events()) == ["draw ?? ?? 9D"]
    assert len(beam.best.pile(SOUTH["stock"])) == 27


def test_a_card_played_off_the_waste_is_no_draw() -> None:
    story = table(waste="9D 4C", work_1="5H")
    events = told(story, (1.0, SOUTH["waste"], [face("9D")]), (1.3, SOUTH["work 1"], column("5H", "4C")))
    assert brief(events) == ["play 4C waste → work 1"]


def test_the_next_nerts_card_is_turned() -> None:
    story = table(nerts="4C", work_1="5H")
    events = told(
        story,
        (1.0, SOUTH["nerts"], [BACK]),
        (1.2, SOUTH["work 1"], column("5H", "4C")),
        (1.6, SOUTH["nerts"], [face("JD")]),
    )
    assert brief(events) == ["play 4C nerts → work 1", "turn JD"]


def test_the_owner_is_whoever_no_longer_has_the_card() -> None:
    story = table(foundation_1="AH", waste="2H", north__waste="2H")
    on_foundation = (1.0, CENTRE, [face("2H", 2, 1)])
    gone = (1.3, Place(WASTE, 0, "north"), list[Sight]())
    still = (1.3, SOUTH["waste"], [face("2H")])
    events = told(story, on_foundation, still, gone)
    assert [(e.seat, e.cards) for e in events] == [("north", ("2H",))]


def test_two_cards_on_a_foundation_between_two_looks() -> None:
    story = table(foundation_1="AH", waste="2H", north__work_1="3H")
    events = told(story, (1.0, CENTRE, [face("3H")]))
    assert brief(events) == ["play 2H waste → foundation 1", "play 3H work 1 → foundation 1"]
    assert [e.seat for e in events] == ["south", "north"]


def test_a_complete_foundation_is_turned_over() -> None:
    story = table(foundation_1="QH KH")
    assert brief(told(story, (1.0, CENTRE, [BACK]))) == ["set-aside"]


def test_an_empty_stock_and_the_waste_gone_is_a_recycle() -> None:
    story = table(waste="9D 4C")
    story.piles[SOUTH["stock"]] = ()
    events = told(story, (1.0, SOUTH["waste"], []), (1.0, SOUTH["stock"], [BACK]))
    assert brief(events) == ["recycle"]


def test_a_wrong_card_that_is_read_clearly_stays_where_it_lies() -> None:
    story = table(nerts="4C", work_1="5S")
    events = told(story, (1.0, SOUTH["work 1"], column("5S", "4C")), (1.2, SOUTH["nerts"], [BACK]))
    assert brief(events) == ["play 4C nerts → work 1"]
    assert events[0].misfit


def test_a_doubtful_reading_is_settled_by_what_left_its_place() -> None:
    story = table(nerts="4C", waste="4S", work_1="5H")
    doubtful = [face("5H", visible=0.2), read({"4S": 0.55, "4C": 0.4}, (0.0, STEP))]
    gone = (1.4, SOUTH["nerts"], [BACK])
    still = (1.4, SOUTH["waste"], [face("4S")])
    events = told(story, (1.0, SOUTH["work 1"], doubtful), still, gone)
    assert brief(events) == ["play 4C nerts → work 1"]


def test_a_misread_top_is_no_event() -> None:
    story = table(work_1="KH QS")
    misread = [face("KH", visible=0.2), read({"QC": 0.6, "QS": 0.35}, (0.0, STEP))]
    assert told(story, (1.0, SOUTH["work 1"], misread), (1.2, SOUTH["work 1"], column("KH", "QS"))) == []


def believed(at: float, card: str, source: Place, target: Place, under: str | None = None) -> Believed:
    """South's play; a misfit on what lies `under` it."""
    frame = round(at * 30)
    written = {"source": source.written_by("south"), "target": target.written_by("south")}
    play = Play(at=at, seat="south", frames=(frame, frame), cards=(card,), **written)
    return Believed(play, source, target, misfit=under is not None, under=under)


def placed(
    at: float, under: str, card: str, step: float = STEP, looks: int = 3
) -> tuple[Believed, list[View]]:
    """A misfit on a column and the views of it, the card underneath seen on top before."""
    event = believed(at, card, SOUTH["nerts"], SOUTH["work 1"], under)
    before = [View(SOUTH["work 1"], at - 2.0, 0, at - 2.0, [face(under)])]
    after = [
        View(SOUTH["work 1"], at + 0.1 * i, 30, at, [face(under, 0, 0, 0.2), face(card, 0, step)])
        for i in range(looks)
    ]
    return event, before + after


def test_a_misfit_seen_twice_a_step_from_what_lay_there_is_trusted() -> None:
    event, views = placed(5.0, "5S", "4C")
    assert trust(event, event.under, views) >= 0.95


@pytest.mark.parametrize(
    ("step", "looks"),
    [(0.0, 3), (2 * STEP, 3), (STEP, 1)],
    ids=["nothing lies under it", "another card may lie between", "only one look"],
)
def test_a_misfit_without_witnesses_is_not_trusted(step: float, looks: int) -> None:
    event, views = placed(5.0, "5S", "4C", step, looks)
    assert trust(event, event.under, views) < 0.9


def test_a_misfit_on_a_card_never_seen_there_is_not_trusted() -> None:
    event, views = placed(5.0, "5S", "4C")
    assert trust(event, event.under, views[1:]) < 0.9


@pytest.mark.parametrize(
    ("under", "card", "held"),
    [("AH", "3H", False), ("AH", "4H", False), ("AH", "2D", True), ("4D", "4D", False)],
)
def test_a_foundation_may_have_grown_unseen_but_only_in_its_suit_or_not_at_all(
    under: str, card: str, held: bool
) -> None:
    event = believed(5.0, card, SOUTH["waste"], CENTRE, under)
    views = [View(CENTRE, at, 0, at, [face(under if at < 5 else card)]) for at in (3.0, 5.0, 5.2)]
    assert (trust(event, event.under, views) >= 0.9) == held


def test_one_play_seen_late_does_not_delay_all_that_rest_on_it() -> None:
    late = believed(10.0, "AS", SOUTH["waste"], CENTRE)
    rest = [
        believed(at, card, SOUTH["waste"], CENTRE) for at, card in ((2.0, "2S"), (3.0, "3S"), (4.0, "4S"))
    ]
    told = in_time([late, *rest])
    assert [event.cards[0] for event, _ in told] == ["AS", "2S", "3S", "4S"]
    assert [moment for _, moment in told] == [2.0, 2.0, 3.0, 4.0]


def test_what_lay_on_the_waste_before_is_not_what_is_drawn_and_still_in_hand() -> None:
    """The stock's last card is known from the round before; the stock is seen to be gone before it is laid."""
    story = table(waste="JC QH").with_pile(SOUTH["stock"], (Lying("8S", "south", False),))
    gone = [(at, SOUTH["stock"], []) for at in (10.0, 10.05)]
    (drawn,) = told(story, *gone, (10.1, SOUTH["waste"], [face("QH", 0.0, STEP)]))
    assert (drawn.event.kind, drawn.cards) == ("draw", (UNKNOWN,))


@pytest.mark.parametrize(("landed", "kinds"), [((13.33, 13.4), ["play", "draw"]), ((11.6, 11.7), ["play"])])
def test_a_card_that_came_to_rest_long_after_another_had_left_was_drawn(
    landed: tuple[float, float], kinds: list[str]
) -> None:
    """AD goes to the centre; nobody looks at the waste until a packet was drawn, or a card lay beneath AD."""
    beam = Beam(table(waste="9C ?? AD"), Odds())
    beam.push(View(CENTRE, 12.2, 366, 12.1, [face("AD")]))
    shown = View(SOUTH["waste"], 13.5, 405, landed[1], [face("AC")], stirred=True, untouched=11.4)
    beam.push(replace(shown, left=("AD", (11.4, 11.5)), landed=landed, seen=lambda _: 11.0))
    assert [event.event.kind for event in beam.best.events()] == kinds
