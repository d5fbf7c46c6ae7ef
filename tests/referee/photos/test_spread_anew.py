"""Photos after some cards were spread anew: which are the same cards, and which photo tells of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from test_certify import Laid, lay, photo, states

from referee.photos.mending import Mend
from referee.photos.requests import inside
from referee.photos.scoring import score_photos
from referee.photos.spreads import Shots
from vision.layout import Doubted, Floats, Layout, SeenCard


def taken_out(cards: list[Laid], seen: Layout, area: Floats) -> list[Laid]:
    """The same once the cards of an area were spread further down, 25 mm apart."""
    gone = inside(area, np.array([card.visible.mean(axis=0) for card in seen.cards]))
    left = [card for card, out in zip(cards, gone, strict=True) if not out]
    out = [card for card, out in zip(cards, gone, strict=True) if out]
    return left + [(25.0 * k, 330.0, 0.0, card[3]) for k, card in enumerate(out)]


def followed(turn: float = 0.4) -> tuple[list[Laid], Layout, Layout]:
    """A spread, a photo of it that counts one card too few, and one after what that photo asks for was done."""
    cards = lay("rrrrrrrrrrrr", "bbbbbbbbbbbb")
    before = photo(cards)
    del before.cards[9]  # not seen
    before.doubted = [Doubted(photo(cards).cards[9].visible, 0.3)]
    (request,) = score_photos([before]).requests
    assert request.kind == "spread"
    return cards, before, photo(taken_out(cards, photo(cards), np.array(request.area)), turn=turn)


def test_an_area_spread_anew_replaces_what_was_seen_of_it_before() -> None:
    _, before, after = followed()
    assert {deck.back: deck.centre for deck in score_photos([before]).decks} == {"red": 11, "blue": 12}
    score = score_photos([before, after])
    assert {deck.back: deck.centre for deck in score.decks} == {"red": 12, "blue": 12}
    assert [spread.images for spread in score.spreads] == [(0, 1)]
    assert states(score) == {"red": "sure", "blue": "sure"}


def spread_anew(seen: int, unsure: float = 0.66) -> tuple[Layout, Layout]:
    """A spread of which both photos doubt one blue card that lies still, before and after red ones were spread anew; the
    first sees so many of twelve red ones."""
    cards = lay("rrrrrrrrrrrr", "bbbbbbbbbbbb")
    before = photo(cards)
    before.cards[21].confidence = unsure
    around = np.array([[-40, -90], [145, -90], [145, 90], [-40, 90]])
    after = photo(taken_out(cards, before, before.cards[0].visible.mean(axis=0) + around), turn=0.4)
    still = next(k for k, card in enumerate(c for c in cards if c not in cards[:4]) if card == cards[21])
    after.cards[still].confidence = unsure
    del before.cards[: 12 - seen]
    return before, after


def test_decks_that_are_counted_as_before_once_cards_were_spread_anew_are_surer() -> None:
    same, other = (score_photos(list(spread_anew(seen))).decks for seen in (12, 11))
    assert [(deck.back, deck.centre) for deck in same] == [("blue", 12), ("red", 12)]
    assert [(deck.back, deck.centre) for deck in other] == [("blue", 12), ("red", 12)]
    assert same[0].state == "sure" and other[0].state == "asked"


def test_as_many_cards_as_before_settle_which_are_cards_though_one_deck_proves_to_be_two() -> None:
    before, after = spread_anew(12)
    for card in after.cards[-4:]:
        card.back = "green"
    score = score_photos([before, after])
    assert {deck.back: deck.centre for deck in score.decks} == {"blue": 12, "red": 8, "green": 4}
    assert states(score)["blue"] == "sure"


def test_what_was_seen_as_one_deck_before_it_was_spread_anew_is_one() -> None:
    before, after = spread_anew(12, 0.99)
    for card in after.cards:
        card.back_splits = ((1.0 if card.back == "red" else 6.0, card.order % 2),)
    assert states(score_photos([before, after])) == {"red": "asked", "blue": "sure"}
    for card in before.cards:
        card.back_splits = ((6.0, card.order % 2),)
    assert states(score_photos([before, after])) == {"red": "sure", "blue": "sure"}


def test_a_few_cards_of_a_deck_that_none_shows_whole_are_to_be_spread() -> None:
    seen = photo(lay("rrrrrrrrrrrr", "bbbbbbbgg"))
    score = score_photos([seen])
    assert states(score) == {"red": "sure", "blue": "sure", "green": "asked"}
    (request,) = score.requests
    assert request.kind == "spread"
    greens = np.array([card.visible.mean(axis=0) for card in seen.cards if card.back == "green"])
    assert inside(np.array(request.area), greens).all()


def test_a_photo_from_the_other_side_is_laid_on_what_an_earlier_one_still_says() -> None:
    _, before, after = followed()
    _, _, other = followed(turn=3.3)
    for photos in ([before, after, other], [before, other, after]):
        score = score_photos(photos)
        assert {deck.back: deck.centre for deck in score.decks} == {"red": 12, "blue": 12}
        assert [spread.images for spread in score.spreads] == [(0, 1, 2)]


#: Rows of those that somebody takes up from two places, too far from each other to be next to one another.
BUNCHES = (1, 2, 3, 20, 21, 22)


def two_bunches() -> tuple[list[Laid], Layout]:
    """A spread, and a photo of it once cards from two places of it were spread anew."""
    cards = lay("rrrrrrrrrrrr", "bbbbbbbbbbbb")
    left = [card for row, card in enumerate(cards) if row not in BUNCHES]
    anew = [(25.0 * k, 330.0, 0.0, cards[row][3]) for k, row in enumerate(BUNCHES)]
    return cards, photo(left + anew, turn=0.4)


def test_cards_of_two_places_that_were_spread_anew_count_once() -> None:
    cards, after = two_bunches()
    score = score_photos([photo(cards), after])
    assert {deck.back: deck.centre for deck in score.decks} == {"red": 12, "blue": 12}


def test_what_was_spread_anew_after_two_photos_holds_in_neither_of_them() -> None:
    cards, after = two_bunches()
    other = photo(cards, turn=3.3)
    other.cards = [card for row, card in enumerate(other.cards) if row not in BUNCHES[::2]]
    for photos in ([photo(cards), other, after], [other, photo(cards), after]):
        score = score_photos(photos)
        assert {deck.back: deck.centre for deck in score.decks} == {"red": 12, "blue": 12}
        assert [spread.images for spread in score.spreads] == [(0, 1, 2)]


def two_parts() -> list[Layout]:
    """What the eye saw of the two parts of one centre, spread one after the other on one table by one hand (drawn, decks
    of `tune`): 25 cards and 23 others."""
    seen = []
    for told in json.loads((Path(__file__).parent / "two_parts.json").read_text("utf-8")):
        layout = Layout(*told["size"], told["px_per_mm"], to_table=np.array(told["to_table"]))
        for card in told["cards"]:
            corners, visible = (np.array(card[name]) for name in ("corners", "visible"))
            found = SeenCard(corners, "back", visible, card["fraction"], card["sure"], back=card["back"])
            found.pile, found.order = card["pile"], card["order"]
            layout.cards.append(found)
        seen.append(layout)
    return seen


def test_another_part_of_the_centre_is_not_taken_for_cards_that_were_spread_anew() -> None:
    score = score_photos(two_parts())
    assert score.total_by_backs == 48
    assert [spread.images for spread in score.spreads] == [(0,), (1,)]


def test_photos_between_which_nothing_was_moved_are_not_taken_for_a_request_followed() -> None:
    cards, before, _ = followed()
    score = score_photos([before, photo(cards, turn=0.4)])
    assert {deck.back: deck.centre for deck in score.decks}["blue"] == 12
    assert [spread.images for spread in score.spreads] == [(0, 1)]


def misseen(turn: float, missed: list[int], false: int) -> Layout:
    """The same spread seen from another side, but for cards that are missed, and some that are none."""
    seen = photo(lay("rrrrrrrrrrrr", "bbbbbbbbbbbb"), turn=turn)
    none = photo([(25.0 * k, 330.0, 0.0, "red") for k in range(false)], turn=turn).cards
    seen.cards = [card for row, card in enumerate(seen.cards) if row not in missed] + none
    return seen


def taken_anew(*photos: Layout) -> bool:
    """Was anything spread anew between these photos, as they tell?"""
    return Shots.of(dict(enumerate(photos)), None).followed().whole != {}


def test_what_other_photos_show_where_it_lay_was_not_spread_anew() -> None:
    first, wrong = misseen(0.0, [], 0), misseen(0.4, [1, 2, 3], 3)
    assert taken_anew(first, wrong) and taken_anew(first, wrong, misseen(3.3, [1, 2, 3], 3))
    assert not taken_anew(first, wrong, misseen(3.3, [], 0))


def test_an_area_in_which_a_photo_misses_cards_was_not_spread_anew() -> None:
    before, after = misseen(0.0, [], 0), misseen(0.4, [1, 2], 1)
    before.cards[2].confidence = 0.6
    assert [spread.images for spread in score_photos([before, after]).spreads] == [(0, 1)]
    assert not taken_anew(before, after) and taken_anew(before, misseen(0.4, [1, 2], 2))


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_whatever_is_said_of_cards_every_card_counts_once(data: st.DataObject) -> None:
    photos = [*followed()[1:], followed(turn=3.3)[2]]
    for number, seen in enumerate(photos):
        for card in seen.cards:
            card.back_splits = ((1.2, (card.order + number) % 2), (1.0, card.order % 3 // 2))
    rows = st.integers(0, 2).flatmap(
        lambda k: st.tuples(st.just(k), st.integers(0, len(photos[k].cards) - 1))
    )
    said = st.one_of(
        rows.map(lambda at: Mend(*at, gone="card")),
        rows.map(lambda at: Mend(*at, deck="blue")),
        rows.map(lambda at: Mend(*at, alike="one")),
        rows.map(lambda at: Mend(*at, deck=f"other {at[1]}", alike="two")),
        st.tuples(st.integers(0, 2), st.floats(0, 1900), st.floats(0, 1400)).map(
            lambda at: Mend(at[0], at=(at[1], at[2]), deck="green")
        ),
    )
    mends = data.draw(st.lists(said, max_size=6))
    score = score_photos(photos, mends=mends, playing=data.draw(st.integers(0, 4)))
    assert sum(deck.centre for deck in score.decks) == len(score.counted) == score.total_by_backs
    assert all(0 <= deck.confidence <= 1 for deck in score.decks) and len(score.ask) <= 5
    numbered = [(at["image"], at["card"]) for card in score.cards for at in card["on"] if at["mend"] is None]
    assert len(numbered) == len(set(numbered))
