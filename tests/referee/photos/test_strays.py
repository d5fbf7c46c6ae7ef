"""Designs that are nobody's belong to the deck that they look most like, once every player has one."""

import numpy as np
import pytest

from referee.photos.scoring import score_photos
from referee.photos.strays import homes
from tests.referee.photos.test_photos import layout
from vision.layout import SeenCard
from vision.photos.deck_match import GRID
from vision.photos.merging import MergedCard

RED, PINK, BLUE = (45.0, 60.0, 30.0), (50.0, 56.0, 27.0), (45.0, -10.0, -50.0)


def back(label: str, paint: tuple[float, float, float], at: int = 0) -> SeenCard:
    """A back of paper with a field of this paint (L*a*b*)."""
    pattern = np.zeros((*GRID, 3))
    pattern[..., 0] = 88.0
    pattern[4:-4, 3:-3] = paint
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], dtype=float)
    corners[:, 0] += 70 * at
    card = SeenCard(corners, "back", corners, 1.0, 0.99, back=label, pile=at)
    card.back_embedding = pattern.reshape(-1)
    return card


def counted(*labelled: tuple[str, tuple[float, float, float], int]) -> list[tuple[MergedCard, str]]:
    return [(MergedCard(back(name, paint), photo, (photo,)), name) for name, paint, photo in labelled]


SEATS = {"red": "north", "blue": "south"}


def test_a_stray_goes_to_the_deck_it_looks_like() -> None:
    cards = counted(("red", RED, 0), ("blue", BLUE, 0), ("pink", PINK, 0))
    assert homes(cards, SEATS, ["north", "south"]) == {"pink": "red"}


def test_decks_may_be_called_by_their_players_names() -> None:
    cards = counted(("north", RED, 0), ("blue", BLUE, 0), ("pink", PINK, 0))
    assert homes(cards, {"blue": "south"}, ["north", "south"]) == {"pink": "north"}


def test_it_rather_goes_to_a_deck_from_which_it_was_not_told_apart_in_one_photo() -> None:
    alike = (45.0, 55.0, 33.0)
    cards = counted(("red", RED, 0), ("blue", PINK, 1), ("stray", alike, 0))
    assert homes(cards, SEATS, ["north", "south"]) == {"stray": "blue"}


def test_like_none_of_them_it_is_the_only_deck_that_it_does_not_lie_beside() -> None:
    def lit(photo: int, *, stray_beside: str) -> list[tuple[MergedCard, str]]:
        other = {"red": "blue", "blue": "red"}[stray_beside]
        paints = {"red": RED, "blue": BLUE}
        cards = counted(
            (stray_beside, paints[stray_beside], 1), (other, paints[other], photo), ("stray", RED, 1)
        )
        # a plain back without a margin, in so little light that two of its three colours are gone
        shade = np.tile((14.0, 34.0, 22.0), (*GRID, 1)) * np.linspace(0.9, 1.1, GRID[1])[:, None]
        cards[-1][0].card.back_embedding = shade.reshape(-1)
        return cards

    players = ["north", "south"]
    assert homes(lit(0, stray_beside="blue"), SEATS, players) == {"stray": "red"}
    assert homes(lit(0, stray_beside="red"), SEATS, players) == {"stray": "blue"}
    # beside both of them it may be anything
    assert homes(lit(1, stray_beside="blue"), SEATS, players) == {}


@pytest.mark.parametrize(
    ("seats", "players"),
    [
        (SEATS, []),  # nobody knows who plays
        (SEATS, ["north", "south", "east"]),  # it may be east's
        ({"red": "north", "green": "south"}, ["north", "south"]),  # south's deck was not seen
    ],
)
def test_a_design_stays_by_itself_where_it_may_be_somebodys(
    seats: dict[str, str], players: list[str]
) -> None:
    cards = counted(("red", RED, 0), ("blue", BLUE, 0), ("pink", PINK, 0))
    assert homes(cards, seats, players) == {}


def test_what_is_not_described_stays_by_itself() -> None:
    cards = counted(("red", RED, 0), ("blue", BLUE, 0), ("pink", PINK, 0))
    cards[2][0].card.back_embedding = None
    assert homes(cards, SEATS, ["north", "south"]) == {}


def test_a_stray_is_counted_where_it_belongs_and_asked_about() -> None:
    cards = [back("red", RED, n) for n in range(5)] + [back("blue", BLUE, n) for n in range(5, 9)]
    stray = back("pink", PINK, 9)
    photo = layout(*cards, stray)
    score = score_photos([photo], seats=SEATS, players=["north", "south"])
    assert [(deck.seat, deck.centre) for deck in score.decks] == [("north", 6), ("south", 4)]
    (doubt,) = [doubt for doubt in score.doubts if "taken for red" in doubt.asks]
    assert doubt.corners == stray.corners.tolist()
    alone = score_photos([photo], seats=SEATS)
    assert [(deck.back, deck.centre) for deck in alone.decks] == [("red", 5), ("blue", 4), ("pink", 1)]
