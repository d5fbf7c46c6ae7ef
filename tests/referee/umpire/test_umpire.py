"""Single looks at a dealt table: what is taken in, what is hidden, what is worth another look, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from believed import place_of
from umpire_table import FAN_MM, HEIGHT, PX_PER_MM, WIDTH, Change, Eye, Table, layout_of, window_of

from referee.rules.events import INFERRED
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.still import AllStill
from referee.umpire.tied.contested import Contested
from referee.umpire.umpire import Umpire
from vision.layout import Floats, Layout, SeenHand

SHARP = Eye(0, wrong=0.0, missed=0.0, shift_mm=0.5)
NERTS = ("south", "nerts")
Spot = tuple[str, str]


class Scene:
    """A table that was dealt; south's cards are 13 in the Nerts pile, four columns, and a stock."""

    def __init__(self) -> None:
        self.table = Table(8, seconds=0.0)
        self.umpire = Umpire(Odds())
        dealt = [change for change in self.table.changes if change.at == 0.0]
        self.umpire.deal([layout_of(SHARP, dealt)] * 3)
        self.south = next(player for player in self.table.players if player.seat == "south")

    def pile(self, spot: Spot, *names: str) -> Change:
        """Cards as they lie at a place of south's or on the first foundation."""
        x, y = self.table.home(*spot) if spot[0] else (450.0, 400.0)
        step = FAN_MM if spot[1].startswith("work") else 0.0
        return Change(0.0, spot, [(name, x, y + step * i) for i, name in enumerate(names)])

    def look(self, at: float, change: Change, hands: Sequence[SeenHand] = (), **seen: object) -> list[View]:
        layout = layout_of(SHARP, [change])
        layout.hands = list(hands)
        for card in layout.cards:
            for name, value in seen.items():
                setattr(card, name, value)
        return self.umpire.see(at, round(at * 30), layout, window=self.window(change.place))

    def window(self, spot: Spot) -> tuple[int, int, int, int]:
        return window_of(self.table, spot) if spot[0] else (700, 600, 1100, 1000)

    def told(self) -> list[tuple[str, ...]]:
        return [(event.event.kind, *event.cards) for event, _ in self.umpire.events()]

    @property
    def odd(self) -> str:
        """A column that south's open Nerts card does not fit on."""
        names = [f"work {n}" for n, (card,) in enumerate(self.south.work, 1)]
        return next(
            n
            for n, (card,) in zip(names, self.south.work, strict=True)
            if not Odds.fits(place_of("south", n), card, self.south.nerts[-1])
        )


@pytest.fixture
def scene() -> Scene:
    return Scene()


def blunder(scene: Scene, looks: int) -> float:
    """How sure it is that south laid the open Nerts card where it does not go."""
    spot = ("south", scene.odd)
    under, card = scene.south.work[int(scene.odd[-1]) - 1][0], scene.south.nerts[-1]
    scene.look(1.0, scene.pile(spot, under))
    scene.look(2.0, scene.pile(NERTS, "back"))
    for number in range(looks):
        views = scene.look(2.5 + 0.1 * number, scene.pile(spot, under, card))
        assert scene.umpire.doubts(views[0]) == (number < 2)
    ((event, sure),) = scene.umpire.events()
    assert (event.event.kind, event.cards, event.misfit) == ("play", (card,), True)
    return sure


def test_a_misfit_is_looked_at_three_times_and_then_trusted(scene: Scene) -> None:
    assert blunder(scene, 3) > 0.95


def test_a_misfit_seen_once_is_not_trusted(scene: Scene) -> None:
    assert blunder(scene, 1) == INFERRED


def test_how_far_a_misfit_is_trusted_stays_when_its_views_are_forgotten(scene: Scene) -> None:
    sure = blunder(scene, 3)
    for number in range(40):
        scene.look(10.0 + 4.0 * number, scene.pile(NERTS, "back"))
        if number % 10 == 9:
            scene.look(
                11.0 + 4.0 * number,
                scene.pile(
                    ("south", scene.odd), *(scene.south.work[int(scene.odd[-1]) - 1]), scene.south.nerts[-1]
                ),
            )
        assert scene.umpire.events()[0][1] == pytest.approx(sure, abs=0.01)
    assert sum(len(views) for views in scene.umpire._seen.looks.values()) < 40


def test_a_look_that_shows_nothing_new_is_no_news(scene: Scene) -> None:
    first = scene.look(1.0, scene.pile(NERTS, "back"))[0]
    assert scene.umpire.news(first)
    again = scene.look(1.2, scene.pile(NERTS, "back"))[0]
    assert not scene.umpire.news(again)
    other = scene.look(1.4, scene.pile(NERTS, scene.south.nerts[-2]))[0]
    assert scene.umpire.news(other)
    moved = scene.pile(NERTS, scene.south.nerts[-2])
    moved.cards = [(name, x + 12.0, y) for name, x, y in moved.cards]
    assert scene.umpire.news(scene.look(1.6, moved)[0])


def test_what_is_read_surely_as_believed_needs_no_other_look(scene: Scene) -> None:
    top = scene.south.nerts[-1]
    (view,) = scene.look(1.0, scene.pile(NERTS, top))
    assert not scene.umpire.doubts(view)
    unsure = np.full(52, 0.2 / 51)
    unsure[int(np.argmax(view.sights[0].log_face))] = 0.8
    (view,) = scene.look(1.2, scene.pile(NERTS, top), face_probabilities=unsure)
    assert scene.umpire.doubts(view)
    (view,) = scene.look(1.4, scene.pile(NERTS))
    assert scene.umpire.doubts(view)
    (view,) = scene.look(1.5, scene.pile(("south", "waste")))
    assert not scene.umpire.doubts(view)


def test_cards_left_of_a_nerts_pile_are_counted_by_moment(scene: Scene) -> None:
    umpire, top = scene.umpire, scene.south.nerts[-1]
    assert umpire.seats == ["north", "south"] or umpire.seats == ["south", "north"]
    assert umpire.nerts_left("south", 99.0, umpire.events()) == 13
    scene.look(2.0, scene.pile(NERTS, "back"))
    scene.look(2.2, scene.pile(("south", "work 1"), scene.south.work[0][0], top))
    scene.look(2.4, scene.pile(("south", "work 1"), scene.south.work[0][0], top))
    assert [umpire.nerts_left("south", at, umpire.events()) for at in (1.0, 3.0)] == [13, 12]
    assert umpire.nerts_left("north", 3.0, umpire.events()) == 13
    assert umpire.likely_empty("south") < 0.01
    for place, pile in list(umpire.story.piles.items()):
        if place == place_of("south", "nerts"):
            for story in umpire.beam.stories:
                story.piles = {**story.piles, place: pile[:0]}
    assert umpire.likely_empty("south") == pytest.approx(1.0)


def test_before_a_deal_there_is_no_story() -> None:
    umpire = Umpire(Odds())
    assert umpire.seats == []
    with pytest.raises(ValueError, match="nothing has been dealt"):
        _ = umpire.story


# -- what is taken in --------------------------------------------------------------------------------------------------


def hand(x: float, y: float, w: float = 60.0, h: float = 60.0, sure: float = 0.9) -> SeenHand:
    return SeenHand(
        PX_PER_MM * np.array([[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h]]), sure
    )


def test_a_place_under_a_hand_is_not_taken_in(scene: Scene) -> None:
    x, y = scene.table.home(*NERTS)
    change = scene.pile(NERTS, scene.south.nerts[-1])
    assert [str(v.place) for v in scene.look(1.0, change)] == ["south nerts"]
    assert scene.look(1.1, change, [hand(x, y)]) == []
    assert [str(v.place) for v in scene.look(1.2, change, [hand(x, y, sure=0.2)])] == ["south nerts"]
    assert [str(v.place) for v in scene.look(1.3, change, [hand(x - 200, y)])] == ["south nerts"]


@pytest.mark.parametrize(("spot", "taken"), [(NERTS, True), (("south", "work 1"), False)])
def test_a_hand_that_touches_a_resting_pile_hides_it_only_where_its_end_may_be_hidden(
    scene: Scene, spot: Spot, taken: bool
) -> None:
    x, y = scene.table.home(*spot)
    name = scene.south.nerts[-1] if spot == NERTS else scene.south.work[0][0]
    views = scene.look(1.0, scene.pile(spot, name), [hand(x + 40, y, w=20, h=50)])
    assert bool(views) == taken


def test_only_places_that_lie_in_the_window_are_taken_in(scene: Scene) -> None:
    layout = layout_of(SHARP, [scene.pile(NERTS, scene.south.nerts[-1])])
    x0, y0, x1, y1 = scene.window(NERTS)
    cut = [(x0 + 40, y0, x1, y1), (x0, y0 + 60, x1, y1), (x0, y0, x1 - 40, y1), (x0, y0, x1, y1 - 60)]
    for window in cut:
        assert scene.umpire.see(1.0, 30, layout, window=window) == []
    every = scene.umpire.see(1.1, 33, Layout(WIDTH, HEIGHT, PX_PER_MM, [], [], layout.to_table))
    assert len(every) == 14
    assert {view.place.seat for view in every} == {"north", "south"}


def test_what_is_hardly_a_card_is_none(scene: Scene) -> None:
    change = scene.pile(NERTS, "back")
    (view,) = scene.look(1.0, change, confidence=0.3)
    assert view.sights == []
    (view,) = scene.look(1.1, change, confidence=0.4)
    assert [sight.face_up for sight in view.sights] == [False]


@pytest.mark.parametrize(
    ("visible", "readable", "counts"),
    [(0.1, True, False), (0.2, True, True), (0.2, False, False), (0.35, False, True)],
)
def test_a_strip_of_a_column_is_a_card_if_it_says_something(
    scene: Scene, visible: float, readable: bool, counts: bool
) -> None:
    change = scene.pile(("south", "work 1"), "KH", scene.south.work[0][0])
    layout = layout_of(SHARP, [change])
    layout.cards[0].visible_fraction = visible
    if not readable:
        layout.cards[0].face_probabilities = np.full(52, 1 / 52)
    (view,) = scene.umpire.see(1.0, 30, layout, window=scene.window(change.place))
    assert len(view.sights) == 1 + counts


def test_a_column_is_read_from_its_far_end_to_the_player_whatever_the_eye_lists_first(scene: Scene) -> None:
    change = scene.pile(("south", "work 1"), "KH", "QS", "JD")
    layout = layout_of(SHARP, [change])
    layout.cards.reverse()
    (view,) = scene.umpire.see(1.0, 30, layout, window=scene.window(change.place))
    assert [sight.likely()[0] for sight in view.sights] == ["KH", "QS", "JD"]


def test_a_foundation_begins_where_an_open_card_lies_free_in_the_centre(scene: Scene) -> None:
    under_hand = scene.look(1.0, scene.pile(("", "centre"), "AS"), [hand(450.0, 400.0)])
    assert under_hand == [] and not scene.umpire.dealt.area.foundations  # type: ignore[union-attr]
    scene.look(1.1, scene.pile(("", "centre"), "back"))
    assert not scene.umpire.dealt.area.foundations  # type: ignore[union-attr]
    scene.look(1.2, scene.pile(("", "centre"), "AS"), visible_fraction=0.4)
    assert not scene.umpire.dealt.area.foundations  # type: ignore[union-attr]
    (view,) = scene.look(1.3, scene.pile(("", "centre"), "AS"))
    assert str(view.place) == "foundation 1"
    (again,) = scene.look(1.4, scene.pile(("", "centre"), "AS"))
    assert again.place == view.place


def test_a_new_foundation_takes_no_place_from_another_where_one_was_set_aside_before(scene: Scene) -> None:
    """Gone on with later, nobody knows where foundation 1 lay."""
    assert scene.umpire.dealt is not None
    area, second = scene.umpire.dealt.area, place_of("", "foundation 2")
    area.foundations[second] = (300.0, 400.0)
    (view,) = scene.look(1.0, scene.pile(("", "centre"), "AS"))
    assert str(view.place) == "foundation 3" and area.foundations[second] == (300.0, 400.0)


def test_where_a_tie_is_likely_a_look_may_miss_the_card(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    (view,) = scene.look(1.3, scene.pile(("", "centre"), "AS"))
    tied = Contested({view.place: 1.3})
    monkeypatch.setattr("referee.umpire.umpire.contested", lambda _: tied)
    (missed,) = scene.look(1.6, scene.pile(("", "centre")))
    assert (missed.place, missed.sights, missed.landed) == (view.place, [], None)


def test_places_reach_as_far_as_their_cards(scene: Scene) -> None:
    """A column that has grown takes more of the picture; every box holds its cards."""
    spot = ("south", "work 1")
    place = place_of(*spot)
    before = scene.umpire.regions()[place]
    scene.look(1.0, scene.pile(("south", "work 1"), scene.south.work[0][0], scene.south.nerts[-1]))
    scene.look(1.1, scene.pile(NERTS, "back"))
    after = scene.umpire.regions()[place]
    grown = np.ptp(after[:, 1]) - np.ptp(before[:, 1])
    assert grown == pytest.approx(FAN_MM * PX_PER_MM, abs=4.0)
    assert np.ptp(after[:, 0]) == pytest.approx(np.ptp(before[:, 0]))
    x, y = scene.table.home(*spot)
    wide = scene.umpire.regions(margin_mm=20.0)[place]
    assert np.ptp(wide[:, 0]) - np.ptp(after[:, 0]) == pytest.approx(2 * 12.0 * PX_PER_MM)
    assert after[:, 0].min() < (x - 31.5) * PX_PER_MM and after[:, 0].max() > (x + 31.5) * PX_PER_MM
    assert (y + FAN_MM + 44.0) * PX_PER_MM < after[:, 1].max() < (y + FAN_MM + 44.0 + 60.0) * PX_PER_MM


def test_every_point_of_a_place_belongs_to_it(scene: Scene) -> None:
    assert scene.umpire.dealt is not None
    area = scene.umpire.dealt.area
    for place in area.own_places():
        middle = np.array(next(s for s in area.seats if s.seat == place.seat).spots[place])
        seat = next(s for s in area.seats if s.seat == place.seat)
        assert area.place(seat.table(*middle)) == place
        assert area.box(place).mean(axis=0) == pytest.approx(seat.table(*middle))
        assert seat.local(seat.table(*middle)) == pytest.approx(tuple(middle))
        for side in (-25.0, 25.0):
            assert area.place(seat.table(middle[0] + side, middle[1])) == place
        inside = area.at(area.seen(np.array([seat.table(*middle)])))
        assert inside[0] == pytest.approx(seat.table(*middle))
    for seat in area.seats:
        across, near = seat.spots[place_of(seat.seat, "work 3")]
        assert area.place(seat.table(across, near + 280.0)) == place_of(seat.seat, "work 3")
        for name in ("nerts", "stock", "waste"):
            across, near = seat.spots[place_of(seat.seat, name)]
            assert area.place(seat.table(across, near + 44.0)) == place_of(seat.seat, name)
            assert area.place(seat.table(across, near + 60.0)) is None


def test_a_foundation_is_a_square_around_its_first_card(scene: Scene) -> None:
    """Its cards may lie any way round."""
    scene.look(1.0, scene.pile(("", "centre"), "AS"))
    assert scene.umpire.dealt is not None
    area = scene.umpire.dealt.area
    place = place_of("", "foundation 1")
    box = area.box(place, margin_mm=5.0)
    assert box.mean(axis=0) == pytest.approx(area.foundations[place])
    assert np.ptp(box, axis=0) == pytest.approx((98.0, 98.0))
    region = scene.umpire.regions()[place]
    assert region.mean(axis=0) == pytest.approx((900.0, 800.0), abs=4.0)


def test_a_back_that_looks_like_a_face_lies_face_down_on_its_pile() -> None:
    """South's stock was read as a face of no name at the deal; so is the back on its Nerts pile later."""
    scene = Scene()
    umpire = Umpire(Odds())
    dealt = [change for change in scene.table.changes if change.at == 0.0]
    layout = layout_of(SHARP, dealt)
    x, y = scene.table.home("south", "stock")
    for card in layout.cards:
        if np.hypot(*(card.corners.mean(axis=0) / PX_PER_MM - (x, y))) < 10:
            card.side, card.back, card.face_probabilities = "face", None, np.full(52, 1 / 52)
    umpire.deal([layout] * 3)
    scene.umpire = umpire
    unread = np.full(52, 1 / 52)
    (view,) = scene.look(1.0, scene.pile(NERTS, scene.south.nerts[-1]), face_probabilities=unread)
    assert [sight.face_up for sight in view.sights] == [False]
    (view,) = scene.look(1.1, scene.pile(("south", "waste"), "KD"), face_probabilities=unread)
    assert [sight.face_up for sight in view.sights] == [True]
    (view,) = scene.look(1.2, scene.pile(NERTS, scene.south.nerts[-1]))
    assert [sight.face_up for sight in view.sights] == [True]


def test_the_centre_is_what_lies_between_the_rows(scene: Scene) -> None:
    assert scene.umpire.dealt is not None
    area = scene.umpire.dealt.area
    corners = area.centre(WIDTH, HEIGHT)
    low, high = corners.min(axis=0), corners.max(axis=0)
    assert low[0] == pytest.approx(0.0, abs=1) and high[0] == pytest.approx(WIDTH, abs=1)
    rows = sorted(scene.table.home(seat, "work 1")[1] for seat in ("north", "south"))
    assert low[1] == pytest.approx((rows[0] + 44.0) * PX_PER_MM, abs=3)
    assert high[1] == pytest.approx((rows[1] - 44.0) * PX_PER_MM, abs=3)


class NeverMoved(AllStill):
    """As the picture has it nothing has ever moved."""

    def last_moved(self, region: Floats) -> float:
        return -np.inf

    def rested(self, region: Floats, since: float) -> float | None:
        return None


def test_what_changed_though_nothing_was_seen_to_move_happened_when_it_is_seen(scene: Scene) -> None:
    """A card is told at a moment, whatever was amiss with the picture: a record knows no other."""
    spot, card = ("south", scene.odd), scene.south.nerts[-1]
    under = scene.south.work[int(scene.odd[-1]) - 1][0]
    for at in (5.0, 5.2, 5.4):
        for change in (scene.pile(spot, under, card), scene.pile(NERTS, "back")):
            layout = layout_of(SHARP, [change])
            still = NeverMoved(at)
            scene.umpire.see(at, round(at * 30), layout, window=scene.window(change.place), still=still)
    plays = [event for event, _ in scene.umpire.events() if event.event.kind == "play"]
    assert [event.cards for event in plays] == [(card,)]
    assert 5.0 <= plays[0].at <= 5.4


class Deceived(AllStill):
    """A print alike passes for the card at 3.0 s already; looked for from then on it is found when it came."""

    def landed(self, corners: Floats, since: float) -> tuple[float, float]:
        return (2.95, 3.05) if since < 3.0 else (4.65, 4.75)


@pytest.mark.parametrize(("seen_there", "told"), [(4.0, 4.7), (2.0, 3.0)])
def test_a_card_did_not_land_before_it_was_last_seen_where_it_came_from(
    scene: Scene, seen_there: float, told: float
) -> None:
    spot, card = ("south", scene.odd), scene.south.nerts[-1]
    under = scene.south.work[int(scene.odd[-1]) - 1][0]
    scene.look(1.0, scene.pile(spot, under))
    scene.look(seen_there, scene.pile(NERTS, card))
    for at in (5.0, 5.2, 5.4):
        for change in (scene.pile(spot, under, card), scene.pile(NERTS, "back")):
            layout = layout_of(SHARP, [change])
            still = Deceived(at)
            scene.umpire.see(at, round(at * 30), layout, window=scene.window(change.place), still=still)
    (play,) = [event.event for event, _ in scene.umpire.events() if event.event.kind == "play"]
    assert play.at == pytest.approx(told) and play.landed == pytest.approx((told - 0.05, told + 0.05))
