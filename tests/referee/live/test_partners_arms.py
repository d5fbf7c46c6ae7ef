"""Of two partners who play with the same cards: whose arm it was."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from believed import believed
from test_reaches import CENTRE
from test_reaches import SOUTH as SEAT
from test_reaches import watched as lying

from referee.live.arms import MEMORY_S, Arms, shoulders
from referee.live.reaching.reaches import shoulder
from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, WORK, Place
from referee.umpire.seats.area import SeatArea, project
from referee.umpire.telling.partners import Hands, Partners
from vision.capture.change import ChangeMap
from vision.layout import Floats

WIDTH, HEIGHT, PX_PER_MM = 1920, 1080, 1.3
TO_PX = np.array([[PX_PER_MM, 0.0, WIDTH / 2], [0.0, PX_PER_MM, HEIGHT / 2], [0.0, 0.0, 1.0]])
#: Along the lower side: the Nut pile at the left end, the stock at the right one.
SPOTS = {Place(NERTS, 0, "southwest"): -255.0, Place(STOCK, 0, "southwest"): 255.0} | {
    Place(WORK, n, "southwest"): -240.0 + 80.0 * n for n in range(1, 6)
}
SOUTH = SeatArea(
    "southwest",
    (1.0, 0.0),
    (0.0, 1.0),
    {place: (across, 120.0) for place, across in SPOTS.items()},
    partner="southeast",
)
COLUMN = (0.0, 210.0)
COLUMNS = [Place(WORK, number, "southwest") for number in (4, 1)]


def gone(_play: object) -> bool:
    """Every card was seen to leave its place."""
    return True


def watched(*moving: tuple[float, float, tuple[float, float]]) -> Arms:
    """Arms that move from one moment (s) to another, each between a shoulder (mm) and the middle column."""
    change = ChangeMap(WIDTH, HEIGHT)
    arms = Arms(change)
    for frame in range(60):
        now, small = frame / 30, np.full((change.size[1], change.size[0]), 90, np.uint8)
        for number, (since, until, end) in enumerate(moving):
            if since <= now <= until:
                ends = project(TO_PX, np.array([COLUMN, end])) * change.scale
                shade = 160 + 60 * (frame % 2) + 10 * number
                cv2.line(small, *np.round(ends).astype(int).tolist(), shade, 12)
        change.push_small(now, small)
        arms.note()
    return arms


@pytest.mark.parametrize("partner", [False, True])
def test_the_arm_that_moved_when_the_card_came_to_rest_is_whose_play_it_was(partner: bool) -> None:
    own, other = shoulders(SOUTH)
    arms = watched((0.9, 1.1, other if partner else own))
    chance = arms.partner_did(SOUTH, [(COLUMN, 1.0)], TO_PX)
    assert chance > 0.95 if partner else chance < 0.05


def test_an_arm_that_moved_at_another_moment_says_nothing() -> None:
    _, other = shoulders(SOUTH)
    arms = watched((0.2, 0.5, other))
    assert arms.partner_did(SOUTH, [(COLUMN, 1.5)], TO_PX) == pytest.approx(0.5)


def test_both_arms_at_once_leave_it_open() -> None:
    arms = watched(*((0.9, 1.1, shoulder) for shoulder in shoulders(SOUTH)))
    assert 0.1 < arms.partner_did(SOUTH, [(COLUMN, 1.0)], TO_PX) < 0.9


def test_who_sits_at_the_nut_pile_has_the_near_shoulder() -> None:
    (own, _), (other, _) = shoulders(SOUTH)
    assert own < -150 and other > 150
    mirrored = {place: (-across, near) for place, (across, near) in SOUTH.spots.items()}
    (own, _), (other, _) = shoulders(
        SeatArea(
            "southeast",
            (1.0, 0.0),
            (0.0, 1.0),
            {place._replace(seat="southeast"): spot for place, spot in mirrored.items()},
        )
    )
    assert own > 150 and other < -150


def test_what_moved_long_ago_is_forgotten() -> None:
    own, _ = shoulders(SOUTH)
    arms = watched((0.9, 1.1, own))
    blank: Floats = np.full((arms.change.size[1], arms.change.size[0]), 90, np.uint8)  # type: ignore[assignment]
    arms.change.push_small(2.0 + MEMORY_S, blank)  # type: ignore[arg-type]
    arms.note()
    assert arms.partner_did(SOUTH, [(COLUMN, 1.0)], TO_PX) == pytest.approx(0.5)


@pytest.mark.parametrize("partner", [False, True])
def test_the_whole_arm_tells_where_nothing_moved(partner: bool) -> None:
    """Where the card was taken the other one's arm lay just then."""
    aside = 200.0 if partner else -200.0
    taken = (-80.0, 10.0)
    reaches = lying((2.6, 3.0, CENTRE, shoulder(SEAT, aside)), (1.8, 2.2, taken, shoulder(SEAT, -aside)))
    hands = [(taken, 2.0), (CENTRE, 2.8)]
    chance = Arms(reaches.change).partner_did(SEAT, hands, TO_PX, reaches)
    assert chance > 0.8 if partner else chance < 0.2
    left, right = reaches.sides(CENTRE, 2.8, SEAT, TO_PX)
    assert (right - left > 0.3) == partner
    assert reaches.sides(CENTRE, 200.0, SEAT, TO_PX) == (0.0, 0.0)


def test_which_of_two_it_was_is_asked_until_a_second_has_passed() -> None:
    asked: list[SeatArea] = []

    def whose(area: SeatArea, hands: Hands) -> float:
        asked.append(area)
        return float(len(asked) > 1)

    partners = Partners(whose)
    play = believed("play", 9.0, "southwest", 270, ["3D"], COLUMNS[0], COLUMNS[1])
    events = [(play, play, 1.0)]
    told = [
        partners.told(events, [SOUTH], lambda _: [], now, gone)[0][0].seat for now in (9.4, 9.9, 10.4, 12.0)
    ]
    assert told == ["southwest", "southeast", "southeast", "southeast"]
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("source", "later", "seat"),
    [
        (Place(NERTS, 0, "southwest"), 0.1, "southeast"),
        (Place(WASTE, 0, "southwest"), 0.1, "southwest"),
        (Place(NERTS, 0, "southwest"), 0.6, "southwest"),
        (Place(WASTE, 0, "southwest"), 0.6, "southwest"),
    ],
)
def test_nobody_lays_two_cards_in_one_moment(source: Place, later: float, seat: str) -> None:
    """Both arms lay there, and a little more tells of the one: the other event is the one's who plays from there."""
    partners = Partners(lambda *_: 0.1)
    column = believed("play", 9.0, "southwest", 270, ["3D"], COLUMNS[0], COLUMNS[1])
    other = believed("play", 9.0 + later, "southwest", 280, ["AS"], source, Place(FOUNDATION, 1))
    told = partners.told([(one, one, 1.0) for one in (column, other)], [SOUTH], lambda _: [], 12.0, gone)
    assert [one.seat for one, _ in told] == [seat, "southwest" if source.kind == NERTS else "southeast"]


def test_of_two_from_columns_in_one_moment_each_is_one_players() -> None:
    plays = [
        believed("play", at, "southwest", 270, [card], COLUMNS[number], COLUMNS[1 - number])
        for number, (at, card) in enumerate([(9.0, "8C"), (9.1, "7S")])
    ]
    events = [(play, play, 1.0) for play in plays]
    partners = Partners(known=dict(zip(plays, (0.02, 0.3), strict=True)))
    told = partners.told(events, [SOUTH], lambda _: [], 12.0, gone)
    assert [one.seat for one, _ in told] == ["southwest", "southeast"]


def by_role(pile: str, chance: float, *, left: bool = True, busy_s: float = 5.0) -> tuple[str, str | None]:
    """Who played from the Nut pile or the waste, and what is held against them. `chance`: how likely the partner's arm
    did it; `busy_s`: so long (s) after it both do something else.
    """
    play = believed("play", 9.0, "southwest", 270, ["3D"], Place(pile, 0, "southwest"), Place(FOUNDATION, 1))
    draw = believed("draw", 9.0 + busy_s, "southwest", 400, ["4D"])
    nuts = believed(
        "play",
        9.0 + busy_s,
        "southwest",
        400,
        ["5D"],
        Place(NERTS, 0, "southwest"),
        Place(WORK, 1, "southwest"),
    )
    events = [(one, one, 1.0) for one in (play, draw, nuts)]
    partners = Partners(known={play: chance, nuts: 0.0})
    (event, sure), *others = partners.told(events, [SOUTH], lambda _: [], 20.0, lambda _: left)
    assert [one.seat for one, _ in others] == ["southeast", "southwest"] and sure == 1.0
    assert event.misfit == (event.foul is not None)
    return event.seat, event.foul


def test_whose_arm_alone_played_from_the_partners_pile_breaks_a_rule() -> None:
    assert by_role(WASTE, 1e-7) == ("southwest", "role")
    assert by_role(NERTS, 1.0 - 1e-7) == ("southeast", "role")


@pytest.mark.parametrize(
    ("chance", "left", "busy_s"), [(1e-3, True, 5.0), (1e-7, False, 5.0), (1e-7, True, 0.6), (0.5, True, 5.0)]
)
def test_a_role_is_kept_where_less_was_seen(chance: float, left: bool, busy_s: float) -> None:
    """The arm may be the other one's; the card was not seen to leave; whose arm it was did something else there."""
    assert by_role(WASTE, chance, left=left, busy_s=busy_s) == ("southeast", None)
    assert by_role(NERTS, 1 - chance, left=left, busy_s=busy_s) == ("southwest", None)


@pytest.mark.parametrize("pile", [WASTE, NERTS])
def test_a_role_is_kept_where_nobody_was_asked_whose_arm_it_was(pile: str) -> None:
    play = believed("play", 9.0, "southwest", 270, ["3D"], Place(pile, 0, "southwest"), Place(FOUNDATION, 1))
    ((event, _),) = Partners().told([(play, play, 1.0)], [SOUTH], lambda _: [], 9.5, gone)
    assert event.foul is None


def test_what_was_seen_of_a_role_is_recalled() -> None:
    """The second pass sees no arms, and another umpire's views are forgotten."""
    play = believed("play", 9.0, "southwest", 270, ["3D"], Place(WASTE, 0, "southwest"), Place(FOUNDATION, 1))
    first, second = Partners(lambda *_: 1e-7), Partners()
    for now in (9.5, 30.0):
        ((event, _),) = first.told(
            [(play, play, 1.0)], [SOUTH], lambda _: [], now, lambda _, now=now: now < 10.0
        )
        assert event.foul == "role"
    second.recall(first)
    moved = play.moved_to(9.05)
    ((event, _),) = second.told([(moved, moved, 1.0)], [SOUTH], lambda _: [], 40.0, lambda _: False)
    assert (event.foul, event.seat) == ("role", "southwest")
