"""Scores from photos: counting, agreement of faces and backs, doubts. Layouts as a good eye would report them."""

from dataclasses import replace

import numpy as np
import pytest

from referee.photos.decks import UnknownBackError
from referee.photos.scoring import score_photos
from referee.photos.spreads import Shots, settled, shows_faces
from vision.layout import Layout, SeenCard
from vision.photos.merging import SAME, Compared, compare


def card(
    x: float,
    pile: int,
    *,
    face: str | None = None,
    back: str | None = None,
    order: int = 0,
    sure: float = 0.99,
):
    corners = np.array([[x, 0], [x + 63, 0], [x + 63, 88], [x, 88]], dtype=float)
    return SeenCard(
        corners=corners,
        side="back" if back else "face",
        visible=corners,
        visible_fraction=1.0,
        confidence=sure,
        face=face,
        face_confidence=sure if face else 0.0,
        back=back,
        pile=pile,
        order=order,
    )


def layout(*cards: SeenCard) -> Layout:
    return Layout(1000, 800, 2.0, list(cards))


def faces(*tops: str) -> Layout:
    return layout(*[card(100 * i, i, face=top) for i, top in enumerate(tops)])


def spread(**counts: int) -> Layout:
    cards = [
        card(8 * i, 0, back=back, order=i)
        for i, back in enumerate(b for b, n in counts.items() for _ in range(n))
    ]
    return layout(*cards)


def test_a_foundation_holds_as_many_cards_as_its_top_rank() -> None:
    score = score_photos([faces("AS", "7H", "TD", "KC")])
    assert score.total_by_faces == 1 + 7 + 10 + 13
    assert score.foundations == [("AS", 1), ("7H", 7), ("TD", 10), ("KC", 13)]
    assert score.agrees is None
    assert score.decks == []


def test_only_the_top_of_a_pile_counts() -> None:
    lower, upper = card(0, 0, face="4S", order=0), card(3, 0, face="5S", order=1)
    assert score_photos([layout(upper, lower)]).foundations == [("5S", 5)]


def test_backs_are_counted_by_design_and_left_cards_cost_two() -> None:
    score = score_photos([spread(red=17, blue=9)], left={"north": 3}, seats={"blue": "north", "red": "south"})
    by_seat = {deck.seat: deck for deck in score.decks}
    assert (by_seat["south"].centre, by_seat["south"].points) == (17, 17)
    assert (by_seat["north"].centre, by_seat["north"].left, by_seat["north"].points) == (9, 3, 3)
    assert score.total_by_backs == 26


def test_points_may_be_negative() -> None:
    score = score_photos([spread(red=2)], left={"red": 10})
    assert score.decks[0].points == -18


@pytest.mark.parametrize(("tops", "agrees"), [(("5S", "4H"), True), (("5S", "5H"), False)])
def test_faces_and_backs_must_agree(tops: tuple[str, ...], agrees: bool) -> None:
    score = score_photos([faces(*tops), spread(red=5, blue=4)])
    assert score.agrees is agrees
    assert any("faces give" in doubt.asks for doubt in score.doubts) is not agrees


def test_a_pile_turned_over_among_the_faces_is_thirteen_and_said_so() -> None:
    score = score_photos([layout(card(0, 0, face="3D"), card(200, 1, face="9S"), card(400, 2, back="red"))])
    assert score.total_by_faces == 3 + 9 + 13
    assert any("13" in doubt.asks and doubt.corners for doubt in score.doubts)


def test_an_unread_top_is_asked_for() -> None:
    score = score_photos([layout(card(0, 0, face="3D"), card(200, 1))])
    assert score.total_by_faces == 3
    assert any("Which card" in doubt.asks for doubt in score.doubts)


def test_a_card_that_is_barely_there_is_asked_about() -> None:
    shaky = card(50, 0, back="red", order=1, sure=0.6)
    score = score_photos([layout(card(0, 0, back="red"), shaky)])
    assert score.decks[0].centre == 2
    assert len(score.doubts) == 1
    assert score.decks[0].state == "asked"


def test_a_photo_of_backs_with_one_face_is_still_a_spread() -> None:
    photo = layout(*[card(9 * i, 0, back="blue", order=i) for i in range(8)], card(300, 1, face="2C"))
    assert not shows_faces(photo)
    score = score_photos([photo])
    assert score.total_by_backs == 8
    assert any("face up" in doubt.asks for doubt in score.doubts)


def test_an_unknown_label_is_named_with_those_that_are_known() -> None:
    with pytest.raises(UnknownBackError, match=r"green.*blue, red"):
        score_photos([spread(red=3, blue=2)], seats={"green": "north"})


@pytest.mark.parametrize("many", [53, 54, 60])
def test_more_than_a_deck_is_asked_about_where_it_is_least_sure_and_stays_counted(many: int) -> None:
    photo = spread(red=many, blue=40)
    doubted = [photo.cards[7], photo.cards[30], photo.cards[11]]
    for sure, of_these in zip((0.9, 0.91, 0.92), doubted, strict=True):
        of_these.confidence = sure
    photo.cards[-1].confidence = 0.8  # of the other deck, which is no deck too large
    score = score_photos([photo])
    assert [deck.centre for deck in score.decks] == [many, 40]
    asked = [
        doubt for doubt in score.doubts if f"{many} cards with the red back: a deck has 52" in doubt.asks
    ]
    surplus = doubted[: min(many - 52, 3)]
    assert [doubt.corners for doubt in asked] == [of_these.corners.tolist() for of_these in surplus]


def doubtful(**of: float) -> Layout:
    """A spread of four backs of which the last is a card with so much."""
    photo = spread(red=2, blue=2)
    photo.cards[-1].confidence = of["sure"]
    return photo


def test_the_faces_settle_a_doubtful_back_and_the_disagreement_is_told() -> None:
    score = score_photos([faces("3S"), doubtful(sure=0.6)])
    assert {deck.back: deck.centre for deck in score.decks} == {"red": 2, "blue": 1}
    assert (score.total_by_faces, score.total_by_backs, score.agrees) == (3, 4, False)
    (doubt,) = score.doubts
    assert doubt.asks.startswith("The faces give 3 cards and the backs 4 with this one, which is not counted")
    assert doubt.image == 1 and doubt.corners == [[24.0, 0.0], [87.0, 0.0], [87.0, 88.0], [24.0, 88.0]]


def test_faces_in_doubt_are_no_witness() -> None:
    unsure = faces("3S")
    unsure.cards[0].face_confidence = 0.6
    score = score_photos([unsure, doubtful(sure=0.6)])
    assert {deck.back: deck.centre for deck in score.decks} == {"red": 2, "blue": 2}
    assert any("faces give 3 cards and the backs 4:" in doubt.asks for doubt in score.doubts)


def test_a_whole_deck_is_no_doubt() -> None:
    assert not score_photos([spread(red=52, blue=40)], left={"blue": 12}).doubts


def test_cards_left_over_are_of_the_deck_too() -> None:
    (doubt,) = score_photos([spread(red=50)], left={"red": 3}).doubts
    assert doubt.asks.startswith("50 cards with the red back and 3 left over: a deck has 52")
    assert doubt.corners is not None


def test_an_empty_picture_is_a_doubt() -> None:
    score = score_photos([Layout(640, 480, 0.0)])
    assert score.decks == [] and len(score.doubts) == 1


PX_PER_MM = 2.0


def taken(lying: list[tuple[float, float, str]], turn: float) -> Layout:
    """A photo of these backs (mm, label), the camera turned."""
    c, s = np.cos(turn), np.sin(turn)
    spin = np.array([[c, s], [-s, c]])
    photo = Layout(1400, 1400, PX_PER_MM, [], to_table=np.diag([1 / PX_PER_MM, 1 / PX_PER_MM, 1.0]))
    for order, (x, y, back) in enumerate(lying):
        flat = np.array([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]]) - 200
        corners = flat @ spin * PX_PER_MM + 700
        photo.cards.append(SeenCard(corners, "back", corners, 0.3, 0.97, back=back, pile=0, order=order))
    return photo


def lying(seed: int, number: int = 24) -> list[tuple[float, float, str]]:
    rng = np.random.default_rng(seed)
    backs = rng.choice(["red", "blue"], number)
    return [
        (float(x), float(y), str(back))
        for (x, y), back in zip(rng.uniform(0, 330, (number, 2)), backs, strict=True)
    ]


def test_photos_of_the_same_cards_are_counted_once_and_those_of_others_are_added() -> None:
    photos = [taken(lying(1), 0.0), taken(lying(2, 20), 0.2), taken(lying(1), 1.9)]
    score = score_photos(photos)
    assert score.total_by_backs == 24 + 20
    assert [spread["images"] for spread in score.to_json()["spreads"]] == [[0, 2], [1]]
    assert score_photos(photos, together=False).total_by_backs == 24 + 20 + 24


TOPS = ("7S", "QH", "2D")


def centre(turn: float) -> Layout:
    """A photo of three foundations, the camera turned."""
    photo = taken([(0, 0, ""), (160, 20, ""), (40, 190, "")], turn)
    for pile, (seen, face) in enumerate(zip(photo.cards, TOPS, strict=True)):
        seen.side, seen.back, seen.face, seen.face_confidence, seen.pile = "face", None, face, 0.99, pile
    return photo


def test_a_centre_photographed_twice_is_counted_once() -> None:
    score = score_photos([centre(0.0), centre(2.4)])
    assert score.foundations == [("7S", 7), ("QH", 12), ("2D", 2)]
    assert score.total_by_faces == 21


def test_left_over_piles_are_counted_in_their_photos() -> None:
    fan = layout(*[card(15 * i, 0, face=face, order=i) for i, face in enumerate(("4S", "KH", "2C"))])
    score = score_photos([spread(red=9)], seats={"red": "north"}, left_piles={"north": [fan]})
    assert (score.decks[0].left, score.decks[0].points) == (3, 3)
    assert not score.doubts


def test_a_pile_has_no_card_twice() -> None:
    twice = card(12, 0, face="KH", order=1, sure=0.6)
    fan = layout(card(0, 0, face="4S"), twice, card(15, 0, face="KH", order=2))
    assert score_photos([spread(red=9)], left_piles={"red": [fan]}).decks[0].left == 2
    misread = layout(card(0, 0, face="KH"), card(15, 0, face="KH", order=1))
    assert score_photos([spread(red=9)], left_piles={"red": [misread]}).decks[0].left == 2


def test_an_empty_photo_of_a_pile_is_a_doubt_and_no_card() -> None:
    score = score_photos([spread(red=9)], left_piles={"red": [Layout(640, 480, 0.0)]})
    assert score.decks[0].left == 0
    assert [doubt.image for doubt in score.doubts] == [1]


def test_the_faces_say_whether_two_photos_show_the_same_cards() -> None:
    shaken = lying(1)
    moved = [(x + 4 * (i % 3), y, "red" if i % 4 else back) for i, (x, y, back) in enumerate(shaken)]
    photos = [taken(shaken, 0.0), taken(moved, 1.9)]
    alone = score_photos(photos)
    assert alone.total_by_backs == 48
    assert any("show the same cards" in doubt.asks for doubt in alone.doubts)
    both = score_photos([*photos, faces("KS", "JH")])
    assert both.total_by_backs == 24


@pytest.mark.parametrize(("given", "spreads"), [(24, 1), (23, 1), (48, 2), (None, 2)])
def test_photos_that_hardly_fit_show_the_same_cards_where_the_faces_give_so_few(
    given: int | None, spreads: int
) -> None:
    shots = Shots.of({0: taken(lying(1), 0.0), 1: taken(lying(1), 1.9)}, None)
    (pair, compared), *_ = shots.compared.items()
    assert compared.fit > SAME
    shots = replace(shots, compared={pair: replace(compared, fit=0.2)})
    told, doubtful = settled(shots, given)
    assert len(told) == spreads and not doubtful


def test_a_card_that_counts_for_the_faces_sake_is_asked_about_once() -> None:
    first, second = taken(lying(3, 12), 0.0), taken(lying(3, 12), 1.9)
    shaky = first.cards[5]
    shaky.confidence, second.cards[5:6] = 0.3, []
    assert score_photos([first, second]).total_by_backs == 11
    score = score_photos([faces("QS"), first, second])
    assert sum(deck.centre for deck in score.decks) == 12
    (doubt,) = [doubt for doubt in score.doubts if doubt.corners]
    assert doubt.asks.startswith("The faces give 12 cards and the backs 11 without this one")
    assert doubt.image == 1 and doubt.corners == shaky.corners.round(1).tolist()


def test_a_player_without_a_card_in_the_centre_has_what_is_left_against_them() -> None:
    seats = {"blue": "north", "red": "south"}
    score = score_photos([spread(blue=9)], left={"south": 13}, seats=seats)
    (absent,) = [deck for deck in score.decks if deck.seat == "south"]
    assert (absent.back, absent.centre, absent.left, absent.points) == ("red", 0, 13, -26)
    assert absent.confidence == 1.0 and not score.doubts
    untold = score_photos([spread(blue=9)], seats=seats)
    assert [deck.seat for deck in untold.decks] == ["north"]
    assert [doubt.asks for doubt in untold.doubts] == [
        "No back in the photos is called red: how many cards has south left?"
    ]


def test_a_label_that_is_not_shown_is_no_player_without_a_card_while_another_deck_is_nobodys() -> None:
    with pytest.raises(UnknownBackError, match=r"called rde: they show blue, red\..* say whose red are, too"):
        score_photos([spread(red=3, blue=2)], seats={"blue": "north", "rde": "south"})


@pytest.mark.parametrize(
    ("photo", "asks"),
    [
        (faces("5S"), "How many cards of north are in the centre"),
        (spread(red=3), "Which deck is north's? The photos show red"),
    ],
)
def test_what_is_left_alone_makes_no_sure_score(photo: Layout, asks: str) -> None:
    score = score_photos([photo], left={"north": 4})
    (north,) = [deck for deck in score.decks if deck.seat == "north"]
    assert (north.points, north.confidence) == (-8, 0.0)
    assert any(doubt.asks.startswith(asks) for doubt in score.doubts)
    known = score_photos([spread(red=3)], left={"north": 4}, players=["red", "north"])
    assert known.decks[1].confidence == 1.0 and not known.doubts
    stray = score_photos([spread(red=3, pink=2)], left={"north": 4}, players=["red", "north", "east"])
    assert stray.decks[-1].confidence == 0.0
    assert [doubt.asks for doubt in stray.doubts] == ["Which deck is north's? The photos show pink, red"]


@pytest.mark.parametrize("photo", [faces("KS"), spread(red=2), spread(red=9)])
def test_a_photo_given_twice_is_looked_at_once_and_said_so(photo: Layout) -> None:
    once, twice = score_photos([photo]), score_photos([photo, photo])
    assert (once.total_by_faces, once.total_by_backs) == (twice.total_by_faces, twice.total_by_backs)
    assert [deck.confidence for deck in once.decks] == [deck.confidence for deck in twice.decks]
    (doubt,) = twice.doubts
    assert doubt.asks.startswith("This is photo 1 once more") and doubt.image == 1


def test_faces_that_may_be_counted_twice_are_asked_about_and_settle_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hardly(layouts: list[Layout]) -> dict[tuple[int, int], Compared]:
        return {pair: replace(two, fit=0.4) for pair, two in compare(layouts).items()}

    monkeypatch.setattr("referee.photos.spreads.compare", hardly)
    # 21 cards of which the faces would be 42, and so would the backs
    score = score_photos([centre(0.0), centre(2.4), taken(lying(1, 21), 0.0), taken(lying(1, 21), 1.9)])
    assert (score.total_by_faces, score.total_by_backs) == (42, 42)
    asked = [doubt.asks for doubt in score.doubts]
    assert any("photos 1 and 2 show the same foundations?" in asks for asks in asked)
    assert any("photos 3 and 4 show the same cards?" in asks for asks in asked)
    (only,) = score_photos([centre(0.0), centre(2.4), taken(lying(1, 21), 0.0)]).doubts
    assert "show the same foundations?" in only.asks


@pytest.mark.parametrize(("shown", "asked"), [(0.03, True), (0.05, False)])
def test_a_sliver_of_a_card_is_asked_about_however_sure_it_is(shown: float, asked: bool) -> None:
    photo = spread(red=4)
    photo.cards[1].visible_fraction = shown
    score = score_photos([photo])
    assert score.decks[0].centre == 4
    assert [doubt.asks for doubt in score.doubts] == (["Is this one red card?"] if asked else [])
    pile = layout(*(card(30 * i, 0, face=face, order=i) for i, face in enumerate(("4C", "9D"))))
    pile.cards[0].visible_fraction = shown
    left = score_photos([spread(red=4)], left_piles={"north": [pile]}, seats={"red": "north"})
    assert left.decks[0].left == 2
    assert ["left-over pile" in doubt.asks for doubt in left.doubts] == ([True] if asked else [])


@pytest.mark.parametrize(("sure", "asked"), [(0.74, True), (0.76, False)])
def test_a_card_is_asked_about_up_to_a_bar(sure: float, asked: bool) -> None:
    photo = spread(red=4)
    photo.cards[2].confidence = sure
    assert bool(score_photos([photo]).doubts) is asked
    centre = faces("5S", "7H")
    centre.cards[0].confidence = sure
    assert [doubt.asks for doubt in score_photos([centre]).doubts] == (["Is this the 5♠?"] if asked else [])


@pytest.mark.parametrize(("sure", "asked"), [(0.89, True), (0.91, False)])
def test_a_top_that_is_hardly_read_is_asked_about(sure: float, asked: bool) -> None:
    centre = faces("5S", "7H")
    centre.cards[0].face_confidence = sure
    score = score_photos([centre])
    assert bool(score.doubts) is asked
    assert [one["sure"] for one in score.to_json()["foundations"]] == [not asked, True]


def test_a_score_as_json_says_all_that_it_says_to_people() -> None:
    score = score_photos([faces("5S", "4H"), spread(red=5, blue=4)], left={"red": 2}, penalty=3)
    told = score.to_json()
    assert 0.9 < score.decks[0].confidence <= 1.0
    assert told["decks"][0] == {
        "back": "red",
        "seat": None,
        "centre": 5,
        "left": 2,
        "points": -1,
        "confidence": round(score.decks[0].confidence, 4),
        "state": "sure",
        "left_confidence": None,
        "left_state": None,
    }
    assert told["requests"] == []
    assert told["foundations"] == [
        {"top": "5S", "cards": 5, "sure": True},
        {"top": "4H", "cards": 4, "sure": True},
    ]
    assert (told["total_by_faces"], told["total_by_backs"], told["agrees"]) == (9, 9, True)
    assert told["spreads"] == [
        {"images": [0], "shows": "face", "cards": 2},
        {"images": [1], "shows": "back", "cards": 9},
    ]
    assert told["doubts"] == []
    asked = score_photos([layout()]).doubts[0]
    assert asked.to_json() == {"asks": str(asked), "image": 0, "corners": None}


def test_a_photo_given_twice_counts_once_and_is_asked_about() -> None:
    photo = spread(red=5)
    score = score_photos([photo, photo])
    assert score.total_by_backs == 5
    (doubt,) = score.doubts
    assert doubt.asks.startswith("This is photo 1 once more") and doubt.image == 1


def test_cards_left_are_numbered_behind_the_photos_of_the_centre() -> None:
    pile = layout(card(0, 0, face="4C"))
    score = score_photos(
        [faces("5S"), spread(red=5)], left_piles={"south": [pile, layout()], "north": [layout()]}
    )
    empty = [doubt.image for doubt in score.doubts if "left-over pile in this picture" in doubt.asks]
    assert empty == [3, 4]
    assert [spread.images for spread in score.spreads if spread.shows == "left"] == [(2,)]


def test_who_has_no_card_in_the_centre_is_counted_by_what_is_left() -> None:
    photos = [spread(red=6)]
    sure = score_photos(photos, seats={"red": "south", "blue": "north"}, left={"north": 4})
    assert [(deck.seat, deck.centre, deck.points, deck.confidence) for deck in sure.decks][1] == (
        "north",
        0,
        -8,
        1.0,
    )
    assert sure.doubts == []
    unsaid = score_photos(photos, seats={"red": "south", "blue": "north"})
    assert [doubt.asks for doubt in unsaid.doubts] == [
        "No back in the photos is called blue: how many cards has north left?"
    ]
    nobody = score_photos(photos, left={"north": 4})
    assert nobody.decks[1].confidence == 0.0
    assert [doubt.asks for doubt in nobody.doubts] == ["Which deck is north's? The photos show red"]
    with pytest.raises(UnknownBackError, match="--left names west, whose back is not given"):
        score_photos(photos, seats={"red": "south"}, left={"west": 4})
    alone = score_photos([], left={"north": 4})
    assert [doubt.asks for doubt in alone.doubts] == [
        "How many cards of north are in the centre? Spread them backs up, and add that photo"
    ]


def seen(whole: float, *cards: SeenCard) -> list[SeenCard]:
    return [replace(card, visible_fraction=whole) for card in cards]


@pytest.mark.parametrize(
    ("many", "few", "shows", "asked"),
    [(12, 1, 0.3, 1), (12, 2, 0.3, 2), (12, 1, 0.9, 0), (12, 3, 0.3, 0), (5, 1, 0.3, 0)],
)
def test_a_deck_of_a_strip_or_two_beside_a_large_one_is_asked_about(
    many: int, few: int, shows: float, asked: int
) -> None:
    strips = seen(shows, *(card(300 + 20 * k, 1, back="green 2", order=k) for k in range(few)))
    photo = layout(*spread(green=many).cards, *strips)
    score = score_photos([photo])
    about = [doubt for doubt in score.doubts if "such a deck" in doubt.asks]
    assert len(about) == asked
    assert all(doubt.corners is not None for doubt in about)
    (little,) = (deck for deck in score.decks if deck.back == "green 2")
    assert (little.confidence < 0.6) is bool(asked)


def test_a_deck_that_is_somebodys_is_not_asked_away() -> None:
    photo = layout(*spread(green=12).cards, *seen(0.3, card(300, 1, back="blue")))
    told = score_photos([photo], seats={"green": "north", "blue": "south"})
    assert not any("such a deck" in doubt.asks for doubt in told.doubts)
