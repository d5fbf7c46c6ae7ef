"""A deal that is read when play had begun, as it lay before; and rows that lack a card then."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_deal import CAMERA, HEIGHT, WIDTH, card, row, spot_of

from referee.rules.cards import UNKNOWN
from referee.rules.places import NERTS, WORK, Place
from referee.umpire.dealing import Dealing
from referee.umpire.seats.area import project
from referee.umpire.seats.deal import find_deal
from referee.umpire.seats.dealt_piles import dealt_piles
from referee.umpire.seats.dealt_row import DealNotFoundError
from referee.umpire.seats.hindsight import Dealt, Taken, as_dealt
from vision.layout import Layout, SeenCard, SeenHand

NORTH = row("north")
TOPS = {"nerts": "KS", "work 1": "AS", "work 2": "2S", "work 3": "3S", "work 4": "4S"}


def look(*cards: list[SeenCard], hands: tuple[SeenHand, ...] = ()) -> Layout:
    every = [one for group in cards for one in group]
    return Layout(WIDTH, HEIGHT, 1.9, every, list(hands), np.linalg.inv(CAMERA))


def palm(over: SeenCard, wide: float = 30.0) -> SeenHand:
    """A hand over a card."""
    (x, y), turn = spot_of(over, 0.0), np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    return SeenHand(project(CAMERA, np.array([x, y]) + wide * turn), 0.9)


def of(face: str, cards: list[SeenCard]) -> SeenCard:
    return next(one for one in cards if one.face == face)


def later(south: list[SeenCard]) -> Layout:
    """The ace was played, the king moved to its space, and another card turned."""
    moved = card(*spot_of(of("AS", south), 0.0), 0.0, "KS")
    turned = card(*spot_of(of("KS", south), 0.0), 0.0, "9D")
    left = [one for one in south if one.face not in ("AS", "KS")]
    return look([*left, moved, turned], NORTH, [card(0.0, 0.0, 0.0, "AS")])


def read_late(first: list[Layout], south: list[SeenCard]) -> Dealt | None:
    """The deal as the first looks, a quarter second apart, show it that was read from three looks 3 s later."""
    late = [later(south)] * 3
    looks = [Taken(0.25 * n, one) for n, one in enumerate(first)]
    return as_dealt(
        find_deal(late), [*looks, *(Taken(3.0 + n, one) for n, one in enumerate(late))], Dealing()
    )


def tops(dealt: Dealt, seat: str = "south") -> dict[str, str]:
    piles = dealt_piles(dealt.deal)
    return {
        str(p)[len(seat) + 1 :]: pile[-1].face for p, pile in piles.items() if p.seat == seat and pile[-1].up
    }


@pytest.mark.parametrize("hidden", [None, "AS", "3S"])
def test_what_lay_open_before_the_first_card_moved_is_dealt(hidden: str | None) -> None:
    south = row("south")
    shown = [one for one in south if one.face != hidden]
    hands = () if hidden is None else (palm(of(hidden, south)),)
    dealt = read_late([look(shown, NORTH, hands=hands)] * 3, south)
    assert dealt is not None and dealt.at == 0.0 and dealt.deal.begun is None
    assert tops(dealt) == {place: UNKNOWN if face == hidden else face for place, face in TOPS.items()}
    assert len(dealt_piles(dealt.deal)[Place(NERTS, 0, "south")]) == 13


def test_a_card_that_was_lifted_as_the_recording_began_is_not_known() -> None:
    south = row("south")
    left = [one for one in south if one.face != "2S"]
    # its player carries it, and somebody else another one: neither lies in the centre
    carried = card(0.0, 40.0, 10.0, "2S")
    dealt = read_late([look(left, NORTH, [carried], hands=(palm(carried),))] * 3, south)
    assert dealt is not None and tops(dealt)["work 2"] == UNKNOWN


def test_cards_count_from_when_all_lie_there() -> None:
    south = row("south")
    few = look([south[0], south[1]], NORTH, hands=(palm(south[3]),))
    dealt = read_late([few, few, few, *[look(south, NORTH)] * 3], south)
    assert dealt is not None and dealt.at == 0.75 and tops(dealt) == TOPS


@pytest.mark.parametrize(
    "begun", [[card(0.0, 0.0, 0.0, "AD")], [card(0.0, 0.0, 0.0, "AD"), card(80.0, 0.0, 0.0, "AC")]]
)
def test_where_play_had_begun_before_nobody_knows_the_deal(begun: list[SeenCard]) -> None:
    assert read_late([look(row("south"), NORTH, begun)] * 3, row("south")) is None


@pytest.mark.parametrize("lacks", [1, 2])
def test_a_row_that_lacks_cards_with_no_hand_about_was_not_dealt(lacks: int) -> None:
    south = row("south")
    assert read_late([look(south[lacks:], NORTH)] * 3, south) is None


# -- rows that lack a card ----------------------------------------------------------------------------------

WEST = row("west", apart=330.0)


@pytest.mark.parametrize("covered", range(5))
def test_a_row_with_a_card_under_a_hand_is_waited_for_where_others_are_whole(covered: int) -> None:
    """Else its player would be left out of the whole hand."""
    shown = [one for number, one in enumerate(WEST) if number != covered]
    seen = [look(row("south"), NORTH, shown, hands=(palm(WEST[covered]),))] * 3
    assert len(find_deal(seen).tops) == 2
    with pytest.raises(DealNotFoundError, match="lacks"):
        find_deal(seen, patient=True)
    assert len(find_deal([look(row("south"), NORTH, WEST)] * 3, patient=True).tops) == 3


def test_what_is_no_row_is_not_waited_for() -> None:
    cloth = [card(x, 20.0, 0.0, face) for x, face in ((-320, "TC"), (-90, "TC"), (10, "5S"), (200, "3C"))]
    cloth += [card(x, 95.0, 35.0, None) for x in range(-300, 300, 40)]
    assert len(find_deal([look(row("south"), NORTH, cloth)] * 3, patient=True).tops) == 2


@pytest.mark.parametrize("rests", [3, 2])
@pytest.mark.parametrize("covered", range(5))
@pytest.mark.parametrize("more", [[], WEST])
def test_a_card_under_a_hand_that_rests_is_not_known(covered: int, rests: int, more: list[SeenCard]) -> None:
    south = row("south")
    shown = look([one for number, one in enumerate(south) if number != covered], NORTH, more)
    seen = [replace(shown, hands=[palm(south[covered])] * (n < rests)) for n in range(3)]

    def nothing(window: tuple[int, int, int, int], plane: np.ndarray) -> Layout:
        return replace(shown, cards=[])

    if rests < 3:
        with pytest.raises(DealNotFoundError):
            find_deal(seen, nothing, fill=True, patient=True)
        return
    deal = find_deal(seen, nothing, fill=True, patient=True)
    piles = {
        p: pile[-1] for p, pile in dealt_piles(deal).items() if p.seat == "south" and p.kind in (NERTS, WORK)
    }
    known = {str(p)[6:]: top.face for p, top in piles.items()}
    faces = list(TOPS.values())
    assert known == {place: UNKNOWN if n == covered else faces[n] for n, place in enumerate(TOPS)}
