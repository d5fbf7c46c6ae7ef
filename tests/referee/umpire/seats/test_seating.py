"""Seats and places proposed from one picture."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from datasets.photos.layouts import lay_table
from referee.umpire.cover import Cover, hands_of
from referee.umpire.seats.seating import propose_seating, seating_to_json
from vision.layout import Layout, SeenCard, SeenHand

SCALE, WIDTH, HEIGHT = 1.6, 2400, 2000


def pictured(seed: int, played: float) -> tuple[Layout, list[str]]:
    """A laid table as a perfect eye sees it, and the place of every card."""
    laid = lay_table(np.random.default_rng(seed), "nerts", played)
    cards, places = [], []
    for number, card in enumerate(laid.cards):
        above = [other for other in laid.cards[number + 1 :] if other.pile == card.pile]
        hidden = any(np.hypot(card.x - o.x, card.y - o.y) < 5 for o in above)
        if hidden:
            continue
        corners = card.corners_mm() * SCALE + (WIDTH / 2, HEIGHT / 2)
        seen = SeenCard(corners, "face" if card.face_up else "back", corners, 0.3 if above else 1.0, 0.99)
        seen.face_probabilities = np.eye(52)[0]
        seen.pile = card.pile
        cards.append(seen)
        places.append(laid.names[card.pile])
    to_table = np.diag([1 / SCALE, 1 / SCALE, 1.0])
    return Layout(WIDTH, HEIGHT, SCALE, cards, to_table=to_table), places


def kind(place: str) -> str:
    return "foundation" if place.startswith("foundation") else place


@pytest.mark.parametrize(("played", "least", "wholly"), [(0.0, 0.7, 0.4), (0.25, 0.85, 0.55)])
def test_seats_and_places_of_drawn_tables(played: float, least: float, wholly: float) -> None:
    right, seats_right, number = 0, 0, 0
    for seed in range(14):
        layout, places = pictured(seed, played)
        if len({place.split()[0] for place in places if "foundation" not in place}) < 2:
            continue
        seating = propose_seating(layout)
        number += 1
        seats = {place.split()[0] for place in places if "foundation" not in place}
        seats_right += set(seating.seats) == seats
        got = [kind(str(seating.places.get(row, "none"))) for row in range(len(places))]
        right += got == [kind(place) for place in places]
    assert number >= 7
    assert seats_right >= least * number
    assert right >= wholly * number


def test_a_table_without_cards_or_plane_has_no_seats() -> None:
    assert propose_seating(Layout(100, 100, 0.0)).seats == []
    layout, _ = pictured(1, 0.2)
    layout.to_table = None
    assert propose_seating(layout).seats == []


def test_cards_strewn_about_are_nobodys() -> None:
    rng = np.random.default_rng(4)
    layout, _ = pictured(2, 0.0)
    for card in layout.cards:
        turn = float(rng.uniform(0.5, 1.1))
        c, s = np.cos(turn), np.sin(turn)
        around = (card.corners - card.centre) @ np.array([[c, s], [-s, c]])
        card.corners = around + rng.uniform((0, 0), (WIDTH, HEIGHT))
    assert len(propose_seating(layout).seats) <= 1


def test_the_json_names_every_cards_place() -> None:
    layout, places = pictured(3, 0.0)
    seating = propose_seating(layout)
    told = {"cards": [{} for _ in places]}
    seating_to_json(told, seating)
    assert told["seats"] == seating.seats
    assert all(card["place"] is None or isinstance(card["place"], str) for card in told["cards"])
    for one, other in pairwise(sorted(seating.places)):
        assert one != other


def laid_rows(*rows: tuple[float, float, str]) -> Layout:
    """Rows of seven heaps, as a south player lays them: (mm to the right, mm towards the player, sides from the left)."""
    cards = []
    for x, y, sides in rows:
        for number, side in enumerate(sides):
            card = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
            corners = (card + np.array((x + 68 * number, y))) * SCALE + (WIDTH / 2, HEIGHT / 2)
            seen = SeenCard(corners, "back" if side == "b" else "face", corners, 1.0, 0.99, pile=len(cards))
            seen.face_probabilities = np.eye(52)[0]
            cards.append(seen)
    return Layout(WIDTH, HEIGHT, SCALE, cards, to_table=np.diag([1 / SCALE, 1 / SCALE, 1.0]))


def test_nobody_sits_behind_somebody() -> None:
    """Foundations in a row before a player's own cards are no second player's."""
    layout = laid_rows((-200, 300, "fffffbf"), (-190, 180, "ffffff"), (-200, -300, "fbfffff"))
    seating = propose_seating(layout)
    assert seating.seats == ["south", "north"]
    assert {str(seating.places[row]).split()[0] for row in range(7)} == {"south"}
    assert {str(seating.places[row]).split()[0] for row in range(7, 13)} == {"foundation"}


def test_two_players_sit_side_by_side() -> None:
    seating = propose_seating(laid_rows((-560, 300, "fffffbf"), (20, 300, "fffffbf")))
    assert seating.seats == ["southwest", "southeast"]


def test_a_fanned_waste_begins_where_it_lies() -> None:
    layout = laid_rows((-200, 300, "fffffbf"))
    waste = layout.cards[-1]
    for number in (1, 2):
        corners = waste.corners + np.array((18.0, 10.0)) * number * SCALE
        seen = SeenCard(corners, "face", corners, 1.0, 0.99, pile=waste.pile, order=number)
        seen.face_probabilities = np.eye(52)[0]
        layout.cards.append(seen)
    waste.visible_fraction = 0.3
    seating = propose_seating(layout)
    assert [str(seating.places[row]) for row in (6, 7, 8)] == ["south waste"] * 3


def laid(spots: list[tuple[float, float, int, str]]) -> Layout:
    """Upright cards as (x, y) mm, pile and side, as a perfect eye sees them."""
    cards = []
    for x, y, pile, side in spots:
        corners = SCALE * np.add([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]], (700 + x, 600 + y))
        card = SeenCard(corners, side, corners, 1.0, 0.99)
        card.face_probabilities = np.eye(52)[0] if side == "face" else None
        card.pile = pile
        cards.append(card)
    return Layout(WIDTH, HEIGHT, SCALE, cards, to_table=np.diag([1 / SCALE, 1 / SCALE, 1.0]))


#: The other side of the table, so that the middle is where it should be.
NORTH = [(-70.0 * k, -300.0, 100 + k, "back" if k == 5 else "face") for k in range(6)]


def test_a_waste_fanned_over_its_stock_is_another_heap() -> None:
    row = [(70.0 * k, 300.0, k, "face") for k in range(5)]
    waste = [(x, 300.0, 5, "back" if x == 350 else "face") for x in (350.0, 420.0, 397.0, 374.0)]
    seating = propose_seating(laid([*row, *waste, *NORTH]))
    assert str(seating.places[5]) == "south stock"
    assert {str(seating.places[number]) for number in (6, 7, 8)} == {"south waste"}


@pytest.mark.parametrize("off", [(18.0, 12.0), (-20.0, -16.0), (4.0, 34.0)])
def test_a_stock_that_was_found_twice_is_one(off: tuple[float, float]) -> None:
    row = [(70.0 * k, 300.0, k, "back" if k == 5 else "face") for k in range(7)]
    again = (350 + off[0], 300 + off[1], 20, "back")
    seating = propose_seating(laid([*row, again, *NORTH]))
    assert seating.seats == ["south", "north"]
    assert str(seating.places[5]) == str(seating.places[7]) == "south stock"
    assert str(seating.places[6]) == "south waste"


def test_nothing_behind_a_row_lies_in_the_centre() -> None:
    # foundations in a line before the row, of which one pile lies under a hand that looks like a back
    centre = [(70.0 * k, 160.0, 20 + k, "face") for k in range(5)]
    row = [(70.0 * k, 300.0, k, "back" if k in (2, 5) else "face") for k in range(7)]
    seating = propose_seating(laid([*centre, *row, *NORTH]))
    told = [str(seating.places[number]) for number in range(12)]
    assert [kind(place) for place in told[:5]] == ["foundation"] * 5
    assert [told[5], told[10], told[11]] == ["south nerts", "south stock", "south waste"]


def box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


def test_what_a_hand_hides_may_be_there() -> None:
    """Nerts pile and three work piles are seen; of the others nothing, which a hand explains."""
    row = [(-400.0 + 70 * k, 300.0, k, "face") for k in (0, 1, 2, 4)]
    layout = laid([*row, (-300.0, -100.0, 20, "face"), (-100.0, -100.0, 21, "face")])
    assert propose_seating(layout).seats == []
    hand, arm = box(475, 800, 545, 1100), box(615, 800, 790, 1100)
    layout.hands = [SeenHand(outline * SCALE, 0.9) for outline in (hand, arm)]
    seating = propose_seating(layout)
    assert seating.seats == ["south"]
    works = [f"south work {number}" for number in (1, 2, 4)]
    assert [str(seating.places[number]) for number in range(4)] == ["south nerts", *works]


def test_a_face_that_is_hardly_read_may_be_a_stock_whose_back_shows_a_figure() -> None:
    def places(sure: float) -> list[str]:
        layout = laid(
            [*((-400.0 + 70 * k, 300.0, k, "face") for k in range(7)), (-200.0, -100.0, 20, "face")]
        )
        layout.cards[5].name_face(np.full(52, (1 - sure) / 52) + np.eye(52)[0] * sure)
        seating = propose_seating(layout)
        return [str(seating.places[number]) for number in (5, 6)]

    assert places(0.6) == ["south stock", "south waste"]
    assert places(1.0) != ["south stock", "south waste"]


def test_hands_hide_what_lies_under_them_wherever_they_reach() -> None:
    cards = [np.array([[0.0, 0.0], [400.0, 200.0]])]
    cover = Cover.of([box(100, -50, 1e9, 60)], cards)
    assert cover.hides([-100, 90, 250, 1e7], 0.0) == [0.0, pytest.approx(0.85, abs=0.2), 1.0, 0.0]
    assert cover.hides([250.0], 190.0) == [0.0]
    assert Cover.of([], cards).hides([0.0, 1.0], 0.0) == [0.0, 0.0]
    assert hands_of(Layout(10, 10, 1.0, hands=[SeenHand(box(0, 0, 1, 1), 0.9)])) == []


#: Rows as people lay them: by place its spot, in pitches along the row and card heights behind it.
LAYS: dict[str, dict[str, tuple[float, float]]] = {
    "in one line": {"nerts": (0, 0), "stock": (5, 0), "waste": (6, 0)},
    "the stock behind the waste": {"nerts": (0, 0), "stock": (5, 1.3), "waste": (5, 0)},
    "behind the Nerts pile": {"nerts": (0, 0), "stock": (0, 1.3), "waste": (1, 1.3)},
    "behind the last columns": {"nerts": (0, 0), "stock": (3, 1.3), "waste": (4, 1.3)},
}


def seated(sides: tuple[str, ...], lay: str, mirrored: bool) -> tuple[Layout, list[str]]:
    """The same row at some sides of a table, and the place of every card."""
    spots = LAYS[lay] | {f"work {number}": (number, 0) for number in range(1, 5)}
    cards, places = [], []
    for side in sides:
        turn = np.pi / 2 * ["south", "west", "north", "east"].index(side)
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        for place, (along, behind) in spots.items():
            x = (along - 2.5) * 70.0 * (-1 if mirrored else 1)
            quad = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
            corners = SCALE * (
                (quad + np.array([x, 330.0 + 88.0 * behind])) @ rotation.T + np.array([750, 625])
            )
            card = SeenCard(
                corners, "back" if place == "stock" else "face", corners, 1.0, 0.99, pile=len(cards)
            )
            card.face_probabilities = None if place == "stock" else np.eye(52)[0]
            cards.append(card)
            places.append(f"{side} {place}")
    return Layout(WIDTH, HEIGHT, SCALE, cards, to_table=np.diag([1 / SCALE, 1 / SCALE, 1.0])), places


@pytest.mark.parametrize("lay", LAYS)
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("sides", [("south", "north"), ("west", "east")])
def test_a_row_is_known_however_people_lay_it_and_wherever_they_sit(
    sides: tuple[str, ...], mirrored: bool, lay: str
) -> None:
    layout, places = seated(sides, lay, mirrored)
    seating = propose_seating(layout)
    assert set(seating.seats) == set(sides)
    assert [str(seating.places[number]) for number in range(len(places))] == places
