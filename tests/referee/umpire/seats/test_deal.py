"""Finding the deal: seats and places from cards alone, however the table lies in the picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, WORK, Place
from referee.rules.settings import Settings
from referee.umpire.dealing import Dealing
from referee.umpire.seats.area import Area, SeatArea, project
from referee.umpire.seats.deal import find_deal
from referee.umpire.seats.dealt_piles import dealt_piles
from referee.umpire.seats.dealt_row import DealNotFoundError, Found, stocks_of
from vision.layout import FACES, Layout, SeenCard, SeenHand

TURNS = {"south": 0.0, "west": 90.0, "north": 180.0, "east": 270.0}
WIDTH, HEIGHT = 1920, 1080
#: mm to px: a camera that leans a little.
CAMERA = np.array([[1.9, 0.06, WIDTH / 2], [-0.05, 1.85, HEIGHT / 2], [2e-5, 4e-5, 1.0]])


def card(x: float, y: float, turn: float, face: str | None) -> SeenCard:
    angle = np.radians(turn)
    corners = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    quad = project(CAMERA, corners @ rotation.T + np.array([x, y]))
    if quad[:2, 1].mean() > quad[2:, 1].mean():
        quad = quad[[2, 3, 0, 1]]
    if face is None:
        return SeenCard(quad, "back", quad, 1.0, 0.9, back=f"back {turn:.0f}")
    chances = np.full(52, 1e-4)
    chances[FACES.index(face)] = 0.99
    return SeenCard(quad, "face", quad, 1.0, 0.9, face, 0.99, chances)


def row(
    seat: str, *, apart: float = 180.0, stacked: bool = False, left: bool = False, aside: float = 0.0
) -> list[SeenCard]:
    """A seat's deal: the Nerts pile's top is a king, `work 1` to `work 4` ace to 4, all of one suit a seat.

    `aside`: how far to the player's right, mm.
    """
    suit = "SHDC"[list(TURNS).index(seat)]
    turn, mirror = TURNS[seat], -1 if left else 1
    pitch = 66.0 if stacked else 68.0
    names = [f"K{suit}", f"A{suit}", f"2{suit}", f"3{suit}", f"4{suit}", *([] if stacked else [None])]
    spots = [((i - 3) * pitch * mirror + aside, apart) for i in range(len(names))]
    if stacked:
        names, spots = [*names, None], [*spots, (spots[0][0], apart + 90)]
    angle = np.radians(turn)
    return [
        card(x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), turn, name)
        for name, (x, y) in zip(names, spots, strict=True)
    ]


def looks(*cards: list[SeenCard]) -> list[Layout]:
    every = [c for group in cards for c in group]
    return [Layout(WIDTH, HEIGHT, 1.9, every, [], np.linalg.inv(CAMERA))] * 3


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("seats", [("north", "south"), ("west", "east")])
def test_every_place_is_found(seats: tuple[str, str], left: bool, stacked: bool) -> None:
    deal = find_deal(looks(*(row(seat, left=left, stacked=stacked) for seat in seats)))
    assert {area.seat for area in deal.area.seats} == set(seats)
    for seat in seats:
        suit = "SHDC"[list(TURNS).index(seat)]
        named = {place.own_name: found.sight().likely()[0] for place, found in deal.tops[seat].items()}
        assert named == {
            "nerts": f"K{suit}",
            **{f"work {i}": f"{'A234'[i - 1]}{suit}" for i in range(1, 5)},
        }
        assert deal.backs[seat] == f"back {TURNS[seat]:.0f}"


def test_the_waste_is_expected_beyond_the_stock_or_the_last_work_pile() -> None:
    for stacked, steps in ((False, 3), (True, 2)):
        deal = find_deal(looks(row("south", stacked=stacked), row("north", stacked=stacked)))
        south = next(area for area in deal.area.seats if area.seat == "south")
        pitch = 66.0 if stacked else 68.0
        assert south.spots[Place(WASTE, 0, "south")][0] == pytest.approx(steps * pitch, abs=6.0)


def test_points_of_the_table_belong_to_places() -> None:
    deal = find_deal(looks(row("south"), row("north")))
    south = next(area for area in deal.area.seats if area.seat == "south")
    across, near = south.spots[Place(WORK, 2, "south")]
    assert str(deal.area.place(south.table(across + 10, near))) == "south work 2"
    assert str(deal.area.place(south.table(across - 8, near + 130))) == "south work 2"
    first = deal.area.place((0.0, 0.0))
    assert first is not None
    assert first.kind == FOUNDATION
    assert deal.area.place((12.0, -9.0)) == first
    assert deal.area.place((75.0, 0.0)) not in (first, None)
    assert deal.area.place((-80.0, 0.0), face_up=False) is None


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("more", [[], ["west"], ["west", "east"]])
def test_two_players_sit_side_by_side(more: list[str], left: bool, stacked: bool) -> None:
    """Northwest and northeast are told apart by where they lie in the picture, whoever deals from the right."""
    pairs = [
        row(seat, stacked=stacked, left=left, aside=aside, apart=190.0)
        for seat in ("south", "north")
        for aside in (-225.0, 225.0)
    ]
    deal = find_deal(looks(*pairs, *(row(seat, apart=520.0, stacked=True) for seat in more)))
    assert {area.seat for area in deal.area.seats} == {
        "southwest",
        "southeast",
        "northwest",
        "northeast",
        *more,
    }
    for seat, side in (("southwest", -1), ("southeast", 1), ("northwest", -1), ("northeast", 1)):
        tops = deal.tops[seat]
        assert len(tops) == 5
        assert all(found.at[0] * side > 0 for found in tops.values())
        named = {place.own_name: found.sight().likely()[0][0] for place, found in tops.items()}
        assert named == {"nerts": "K", **{f"work {i}": "A234"[i - 1] for i in range(1, 5)}}


def test_a_card_missed_in_one_look_of_three_is_no_matter() -> None:
    whole = looks(row("south"), row("north"))
    whole[1] = Layout(WIDTH, HEIGHT, 1.9, whole[0].cards[3:], [], whole[0].to_table)
    assert len(find_deal(whole).tops["south"]) == 5


@pytest.mark.parametrize("lacks", range(5))
@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_a_card_of_a_row_that_no_look_shows_is_not_known(
    left: bool, stacked: bool, lacks: int, turned: bool
) -> None:
    whole = row("south", left=left, stacked=stacked)
    missed = replace(whole[lacks], side="back", face=None, face_probabilities=None)
    south = [missed if n == lacks else one for n, one in enumerate(whole) if n != lacks or turned]
    seen = looks(row("north"), south)
    asked = []

    def look_again(window: tuple[int, int, int, int], plane: np.ndarray) -> Layout:
        asked.append(window)
        return replace(seen[0], cards=[])

    with pytest.raises(DealNotFoundError):
        find_deal(seen, look_again)
    full = find_deal(looks(row("north"), whole))
    place = next(p for p, c in full.tops["south"].items() if c.sight().likely(0.5, 1) == [whole[lacks].face])
    # a closer look may show it
    near = find_deal(seen, lambda window, plane: replace(seen[0], cards=[whole[lacks]]), fill=True)
    assert dealt_piles(near)[place][-1].face == whole[lacks].face
    if turned and not stacked and not lacks:
        # a back lies at either end: which is the stock cannot be told
        with pytest.raises(DealNotFoundError):
            find_deal(seen, look_again, fill=True)
        return
    deal = find_deal(seen, look_again, fill=True)
    assert deal.tops["south"].keys() == full.tops["south"].keys()
    assert np.allclose(deal.tops["south"][place].at, full.tops["south"][place].at, atol=12.0)
    piles = dealt_piles(deal)
    assert [p for p, pile in piles.items() if pile[-1].up and not pile[-1].known] == [place]
    assert len(asked) == 1


def test_a_row_that_lacks_a_card_is_not_filled_while_anybody_deals_or_plays() -> None:
    south = row("south")
    del south[2]
    ace = card(0.0, 0.0, 0.0, "AD")
    built = replace(card(66.0, 0.0, 0.0, "9D"), visible_fraction=0.3)
    hand = SeenHand(np.array([[0.0, 0.0], [90.0, 0.0], [90.0, 90.0]]), 0.9)
    for played, hands in (([ace], []), ([built], []), ([], [hand])):
        seen = [replace(look, hands=hands) for look in looks(row("north"), south, played)]
        with pytest.raises(DealNotFoundError):
            find_deal(seen, lambda window, plane: looks()[0], fill=True)


def test_a_card_misread_for_sure_in_one_look_of_three_is_read() -> None:
    whole = looks(row("south"), row("north"))
    cards = whole[0].cards
    misread = card(0.0, 0.0, 0.0, "QH").face_probabilities
    wrong = [replace(cards[0], face="QH", face_probabilities=misread), *cards[1:]]
    whole[1] = Layout(WIDTH, HEIGHT, 1.9, wrong, [], whole[0].to_table)
    (nerts,) = [found for place, found in find_deal(whole).tops["south"].items() if place.kind == NERTS]
    assert nerts.sight().likely(0.5, 1) == ["KS"]


@pytest.mark.parametrize(
    ("cards", "says"),
    [
        ([], "no card can be seen"),
        ([row("south")], "one player's cards"),
        ([row("south"), row("north")[1:]], "north has 4 open cards"),
        ([row("south")[:-1], row("north")], "south's stock cannot be seen"),
    ],
)
def test_what_is_missing_is_said(cards: list[list[SeenCard]], says: str) -> None:
    with pytest.raises(DealNotFoundError, match=says):
        find_deal(looks(*cards))


@pytest.mark.parametrize("rests", [3, 2, 0])
def test_a_stock_that_nobody_makes_out_lies_where_a_hand_rests(rests: int) -> None:
    """Its player holds it behind the Nerts pile, and the eye knows no such back."""
    north = row("north", stacked=True)
    whole = looks(row("south"), north[:-1])
    stock = north[-1].corners.mean(axis=0)
    palm = stock + np.array([[-60.0, -190.0], [60.0, -190.0], [60.0, -30.0], [-60.0, -30.0]])
    whole = [replace(look, hands=[SeenHand(palm, 0.9)] * (n < rests)) for n, look in enumerate(whole)]
    if rests < 3:
        with pytest.raises(DealNotFoundError, match="north's stock cannot be seen"):
            find_deal(whole, fill=True)
        return
    with pytest.raises(DealNotFoundError, match="north's stock cannot be seen"):
        # cards may still be dealt
        find_deal(whole)
    deal = find_deal(whole, fill=True)
    area = next(area for area in deal.area.seats if area.seat == "north")
    seen = project(CAMERA, np.array([area.table(*area.spots[Place(STOCK, 0, "north")])]))[0]
    assert np.hypot(*(seen - stock)) < 60.0
    assert deal.tops["north"][Place(NERTS, 0, "north")].sight().likely()[0] == "KD"
    assert deal.backs.keys() == {"south"}


def test_a_first_card_between_two_rows_is_of_the_waste_that_is_supposed_at_that_end() -> None:
    """Northwest's stock lies at its far end, northeast holds it: its waste grows towards northwest's Nerts pile."""
    rows = {
        "northwest": {
            "nerts": -38,
            "work 1": -106,
            "work 2": -179,
            "work 3": -244,
            "work 4": -318,
            "waste": -461,
        },
        "northeast": {"nerts": 466, "work 1": 394, "work 2": 325, "work 3": 255, "work 4": 186, "waste": 117},
    }
    areas = []
    for seat, xs in rows.items():
        places = {Place(*_split(name), seat): (-float(x), 200.0) for name, x in xs.items()}
        areas.append(SeatArea(seat, (-1.0, 0.0), (0.0, -1.0), places))
    area = Area(areas, np.eye(3), unsettled=set(rows))
    # it lies nearer to northwest's row
    assert area.found_waste((44.0, -205.0), 0.0) == Place(WASTE, 0, "northeast")
    assert area.found_waste((-450.0, -205.0), 0.0) == Place(WASTE, 0, "northwest")


def _split(name: str) -> tuple[str, int]:
    kind, _, number = name.partition(" ")
    return kind, int(number or 0)


def unread(x: float, y: float, turn: float) -> SeenCard:
    """A card said to show its face, on which no face can be read."""
    seen = card(x, y, turn, "AS")
    seen.face, seen.face_probabilities, seen.face_confidence = None, np.full(52, 1e-3), 1e-3
    return seen


def spot_of(one: SeenCard, off: float) -> tuple[float, float]:
    """Where a card lies, `off` mm further from its row."""
    ((x, y),) = project(np.linalg.inv(CAMERA), one.corners.mean(axis=0)[None])
    return float(x), float(y) + off


def test_print_on_the_cloth_that_is_read_as_cards_is_no_row() -> None:
    cloth = [card(x, 20.0, 0.0, face) for x, face in ((-320, "TC"), (-90, "TC"), (10, "5S"), (200, "3C"))]
    cloth += [card(x, 95.0, 35.0, None) for x in range(-300, 300, 40)]
    assert {area.seat for area in find_deal(looks(row("south"), row("north"), cloth)).area.seats} == {
        "south",
        "north",
    }


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("court", [0.0, 0.39, 0.8])
@pytest.mark.parametrize("off", [0.0, 6.0])
def test_a_back_that_was_taken_for_a_face_is_the_stock(left: bool, court: float, off: float) -> None:
    """Backs with figures are read as courts, but not as surely as a face (draw-one of seed 574: 0.2 to 0.4)."""
    north, turn = row("north", left=left), TURNS["north"]
    pitch = 68.0 * (-1 if left else 1)
    # the Nerts pile may lie less evenly than the stock
    north[0] = card(*spot_of(north[0], off), turn, "KD")
    stock = unread(-2 * pitch, -180.0, turn)
    stock.face_probabilities[FACES.index("JH")] = max(court, 1e-3)
    deal = find_deal(looks(row("south"), [*north[:-1], stock]))
    area = next(area for area in deal.area.seats if area.seat == "north")
    assert area.back_like_face
    assert deal.tops["north"][Place(NERTS, 0, "north")].sight().likely()[0][0] == "K"


def test_a_card_of_the_row_that_cannot_be_read_still_lies_in_it() -> None:
    south = row("south")
    spot = south[2].corners.mean(axis=0)
    x, y = project(np.linalg.inv(CAMERA), spot[None])[0]
    south[2] = unread(float(x), float(y), TURNS["south"])
    deal = find_deal(looks(south, row("north")))
    assert len(deal.tops["south"]) == 5
    assert not next(area for area in deal.area.seats if area.seat == "south").back_like_face


@pytest.mark.parametrize("stacked", [False, True])
def test_a_stock_that_was_not_seen_is_looked_for_where_it_should_lie(stacked: bool) -> None:
    south = row("south", stacked=stacked)
    hidden = south.pop()
    asked = []

    def look_again(window: tuple[int, int, int, int], plane: np.ndarray) -> Layout:
        asked.append(window)
        x, y = hidden.corners.mean(axis=0)
        there = window[0] < x < window[2] and window[1] < y < window[3]
        return Layout(WIDTH, HEIGHT, 1.9, [hidden] if there else [], [], plane)

    deal = find_deal(looks(south, row("north", stacked=stacked)), look_again)
    nerts = deal.tops["south"][Place(NERTS, 0, "south")].sight().likely()[0]
    assert nerts == "KS"
    assert 1 <= len(asked) <= 4
    assert all(0 <= x0 < x1 <= WIDTH and 0 <= y0 < y1 <= HEIGHT for x0, y0, x1, y1 in asked)
    # each shows the whole of a card and its neighbours' edges, no more of the table
    inside = [box for box in asked if min(box[:2]) > 0 and box[2] < WIDTH and box[3] < HEIGHT]
    assert inside
    assert all(250 < x1 - x0 < 420 and 250 < y1 - y0 < 420 for x0, y0, x1, y1 in inside)


def found(x: float, y: float, face: str | None, *, sideways: bool = False, sure: float = 1.0) -> Found:
    log_face = np.full(52, np.log(1e-4))
    if face is not None:
        log_face[FACES.index(face)] = np.log(0.99)
    return Found((x, y), 90.0 if sideways else 0.0, face is not None, log_face, sure=sure)


def test_a_stock_that_lies_at_a_spot_of_two_rows_belongs_to_that_which_it_fits_best() -> None:
    """At a corner of the table one player's stock lies where the row of another goes on."""
    north = [found(x, -180.0, f"{'KA234'[i]}D") for i, x in enumerate((-198, -132, -66, 0, 66))]
    west = [found(-340.0, y, f"{'KA234'[i]}C", sideways=True) for i, y in enumerate((-60, 6, 72, 138, 204))]
    own = found(-198.0, -268.0, None, sure=0.6)
    other = found(-268.0, -150.0, None, sideways=True)
    behind = found(-430.0, -60.0, None, sideways=True, sure=0.5)
    rows = [(north, (0.0, -1.0)), (west, (-1.0, 0.0))]
    first, second = stocks_of(rows, [*north, *west, own, other, behind], None)
    assert first is not None and first[0] is own and first[1].behind and first[1].end is north[0]
    assert second is not None and second[0] is behind
    (alone, _) = stocks_of(rows, [*north, *west, other, behind], None)
    assert alone is not None and alone[0] is other, "nobody else has it"


# -- deals of other games and house rules ---------------------------------------------------------------------

FAN_MM = 18.0
STAIRS = {"nuts": (1, 2, 3, 4, 5), "team-nuts": (5, 4, 3, 2, 1), "nerts-twelve": (1, 2, 3, 4, 5, 6, 7)}
FACE = "KA23456789TJQ"


def placed(seat: str, across: float, near: float, face: str | None, seen: float = 1.0) -> SeenCard:
    angle = np.radians(TURNS[seat])
    x, y = across * np.cos(angle) - near * np.sin(angle), across * np.sin(angle) + near * np.cos(angle)
    return replace(card(x, y, TURNS[seat], face), visible_fraction=seen)


def staircase(seat: str, game: str, *, left: bool = False, apart: float = 100.0) -> list[SeenCard]:
    """A seat's deal: the Nerts pile or the slots are kings of other suits, columns end in ace, 2, …, face-down cards
    show as strips of their backs.
    """
    suit, mirror = "SHDC"[list(TURNS).index(seat)], -1 if left else 1
    columns, twelve = STAIRS[game], game == "nerts-twelve"
    cards, pitch = [], 70.0 * mirror
    for number, count in enumerate(columns, 1):
        spot = (number - 4) * pitch
        for n in range(count - 1):
            cards.append(placed(seat, spot, apart + FAN_MM * n, None, FAN_MM / 88))
        cards.append(placed(seat, spot, apart + FAN_MM * (count - 1), FACE[number] + suit))
    if not twelve:
        return [
            *cards,
            placed(seat, -4 * pitch, apart, "K" + suit),
            placed(seat, (len(columns) - 3) * pitch, apart, None),
        ]
    below = apart + 6 * FAN_MM + 120.0
    slots = [placed(seat, (n - 3) * pitch, below, FACE[n + 8] + suit) for n in range(1, 5)]
    backs = [placed(seat, spot * pitch, below, None) for spot in (-3, 2)]
    return [*cards, *slots, *backs]


def dealing(game: str, **settings: int) -> Dealing:
    return Dealing.of(Settings.of(game, settings))


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("seats", [("north", "south"), ("west", "east")])
def test_u2_a_staircase_is_found_with_its_nut_pile(seats: tuple[str, str], left: bool) -> None:
    deal = find_deal(looks(*(staircase(seat, "nuts", left=left) for seat in seats)), None, dealing("nuts"))
    for seat in seats:
        suit = "SHDC"[list(TURNS).index(seat)]
        named = {place.own_name: found.sight().likely()[0] for place, found in deal.tops[seat].items()}
        assert named == {"nerts": f"K{suit}"} | {f"work {n}": FACE[n] + suit for n in range(1, 6)}
        area = next(area for area in deal.area.seats if area.seat == seat)
        levels = [near for place, (_, near) in area.spots.items() if place.kind in (WORK, NERTS)]
        # whatever its columns hide, the first cards of a row lie in one line
        assert np.ptp(levels) < 4.0
        piles = {place.own_name: pile for place, pile in dealt_piles(deal).items() if place.seat == seat}
        assert [len(piles[f"work {n}"]) for n in range(1, 6)] == [1, 2, 3, 4, 5]
        assert [card.up for card in piles["work 3"]] == [False, False, True]
        # U1: the whole Nut pile lies face up
        assert len(piles["nerts"]) == 11 and all(card.up for card in piles["nerts"])
        assert len(piles["stock"]) == 26
        across, near = area.spots[Place(WORK, 4, seat)]
        assert str(deal.area.place(area.table(across, near + 3 * FAN_MM))) == f"{seat} work 4"


@pytest.mark.parametrize("left", [False, True])
def test_p2_partners_are_named_by_who_has_the_nut_pile(left: bool) -> None:
    rows = [staircase(seat, "team-nuts", left=left) for seat in ("north", "south")]
    deal = find_deal(looks(*rows), None, dealing("team-nuts"))
    # at the left end of the row, as its players see it, if they are not left-handed
    partners = {"southeast": "southwest", "northwest": "northeast"}
    if not left:
        partners = {nuts: cards for cards, nuts in partners.items()}
    assert {area.seat: area.partner for area in deal.area.seats} == partners
    for area in deal.area.seats:
        sizes = [len(pile) for place, pile in dealt_piles(deal).items() if place[::2] == (WORK, area.seat)]
        assert sizes == [5, 4, 3, 2, 1]
        assert deal.tops[area.seat][Place(WORK, 5, area.seat)].sight().likely()[0][0] == "5"


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("seats", [("north", "south"), ("west", "east")])
def test_t1_columns_are_found_with_the_open_nerts_below_them(seats: tuple[str, str], left: bool) -> None:
    rows = [staircase(seat, "nerts-twelve", left=left) for seat in seats]
    deal = find_deal(looks(*rows), None, dealing("nerts-twelve"))
    for seat in seats:
        suit = "SHDC"[list(TURNS).index(seat)]
        named = {place.own_name: found.sight().likely()[0] for place, found in deal.tops[seat].items()}
        assert named == {f"work {n}": FACE[n] + suit for n in range(1, 8)} | {
            f"nerts {n}": FACE[n + 8] + suit for n in range(1, 5)
        }
        piles = {place.own_name: pile for place, pile in dealt_piles(deal).items() if place.seat == seat}
        assert len(piles["nerts"]) == 8 and not any(card.up for card in piles["nerts"])
        assert len(piles["stock"]) == 12
        area = next(area for area in deal.area.seats if area.seat == seat)
        first, stack = area.spots[Place(NERTS, 1, seat)], area.spots[Place(NERTS, 0, seat)]
        stock, waste = area.spots[Place(STOCK, 0, seat)], area.spots[Place(WASTE, 0, seat)]
        pitch = first[0] - stack[0]
        assert abs(pitch) == pytest.approx(70.0, abs=4.0)
        assert waste[0] - stock[0] == pytest.approx(pitch, abs=4.0)
        # a long column ends before what lies below it
        across, near = area.spots[Place(WORK, 3, seat)]
        assert str(deal.area.place(area.table(across, near + 150.0))) == f"{seat} work 3"
        assert str(deal.area.place(area.table(across, near + 6 * FAN_MM + 115.0))) == f"{seat} nerts 2"


@pytest.mark.parametrize("wrong", "9TJQ")
@pytest.mark.parametrize("left", [False, True])
def test_an_open_nert_that_is_taken_for_a_back_is_still_one(wrong: str, left: bool) -> None:
    north = [
        replace(one, side="back", face=None, face_probabilities=None) if one.face == f"{wrong}D" else one
        for one in staircase("north", "nerts-twelve", left=left)
    ]
    assert [one.face for one in north].count(None) == 21 + 2 + 1
    seen = looks(staircase("south", "nerts-twelve", left=left), north)
    deal = find_deal(seen, None, dealing("nerts-twelve"))
    named = {place.own_name: found.sight().likely(0.5) for place, found in deal.tops["north"].items()}
    assert [named[f"nerts {n}"] for n in range(1, 5)] == [[] if f == wrong else [f"{f}D"] for f in "9TJQ"]


def test_what_is_missing_of_a_staircase_is_said() -> None:
    south, north = staircase("south", "nerts-twelve"), staircase("north", "nerts-twelve")
    closed = [
        one if one.face is None or one.face[0] not in "9TJQ" else replace(one, side="back") for one in north
    ]
    with pytest.raises(DealNotFoundError, match="north's 4 open nerts cannot be seen side by side"):
        find_deal(looks(south, closed), None, dealing("nerts-twelve"))
    with pytest.raises(DealNotFoundError, match="north's stack cannot be seen"):
        find_deal(looks(south, [*north[:-2], north[-1]]), None, dealing("nerts-twelve"))
    with pytest.raises(DealNotFoundError, match="north's 6 open cards lie in no staircase"):
        flat = [placed("north", (n - 4) * 70.0, 150.0, FACE[n] + "D") for n in range(1, 7)]
        find_deal(looks(staircase("south", "nuts"), flat), None, dealing("nuts"))


@pytest.mark.parametrize("piles", [4, 5, 6])
def test_as_many_work_piles_are_found_as_the_settings_say(piles: int) -> None:
    rows = [
        [placed(seat, (n - 4) * 68.0, 180.0, None if n > piles else FACE[n] + suit) for n in range(piles + 2)]
        for seat, suit in (("south", "S"), ("north", "D"))
    ]
    deal = find_deal(looks(*rows), None, dealing("nerts", work_piles=piles, nerts_cards=9))
    south = {place.own_name: pile for place, pile in dealt_piles(deal).items() if place.seat == "south"}
    assert [south[f"work {n}"][0].face for n in range(1, piles + 1)] == [
        f"{FACE[n]}S" for n in range(1, piles + 1)
    ]
    assert (len(south["nerts"]), len(south["stock"])) == (9, 52 - 9 - piles)
    with pytest.raises(
        DealNotFoundError, match=rf"not {6 + piles % 2}: the Nerts pile's top and .* work piles"
    ):
        find_deal(looks(*rows), None, dealing("nerts", work_piles=5 + piles % 2))
