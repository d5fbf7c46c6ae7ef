"""What somebody says of single cards: it holds in every photo that shows them, and the counts follow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.photos.mending import Mend, MendError, mended
from referee.photos.queue import MOST
from referee.photos.score import PhotoScore
from referee.photos.scoring import score_photos
from vision.layout import Doubted, Layout, SeenCard

DECKS = ("red", "blue")


def card(x: float, y: float, **how: object) -> SeenCard:
    corners = np.array([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]], dtype=float)
    plain = SeenCard(corners, "back", corners, 1.0, 0.99, back="red")
    return replace(plain, **how)  # type: ignore[arg-type]


def spread(backs: str, sure: float = 0.99) -> Layout:
    """Backs in rows of ten, "r" and "b"; each lies alone."""
    cards = [
        card(80 * (n % 10), 100 * (n // 10), back={"r": "red", "b": "blue"}[back], pile=n, confidence=sure)
        for n, back in enumerate(backs)
    ]
    return Layout(1000, 800, 1.0, cards, to_table=np.eye(3))


def faces(*tops: str) -> Layout:
    cards = [
        card(80 * n, 0, side="face", face=top, face_confidence=0.99, pile=n) for n, top in enumerate(tops)
    ]
    return Layout(1000, 800, 1.0, cards, to_table=np.eye(3))


def counts(score: PhotoScore) -> dict[str, int]:
    return {deck.back: deck.centre for deck in score.decks}


@given(st.text("rb", min_size=2, max_size=24), st.data())
@settings(max_examples=60, deadline=None)
def test_each_word_changes_the_count_by_the_card_it_is_about(backs: str, data: st.DataObject) -> None:
    layout = spread(backs)
    right = {"red": backs.count("r"), "blue": backs.count("b")}
    mends = []
    for number in data.draw(st.sets(st.integers(0, len(backs) - 1))):
        was = {"r": "red", "b": "blue"}[backs[number]]
        said = data.draw(st.sampled_from(["gone", "red", "blue", "is"]))
        mends.append(
            Mend(0, number, gone="card")
            if said == "gone"
            else Mend(0, number, deck=None if said == "is" else said)
        )
        right[was] -= said in ("gone", *DECKS)
        if said in DECKS:
            right[said] += 1
    for number in range(data.draw(st.integers(0, 3))):
        mends.append(Mend(0, at=(50.0 + 70 * number, 500.0), deck="blue"))
        right["blue"] += 1
    score = score_photos([layout], mends=mends)
    assert counts(score) == {deck: count for deck, count in right.items() if count}
    numbers = {deck: [c["number"] for c in score.cards if c["name"] == deck] for deck in DECKS}
    assert all(sorted(numbers[deck]) == list(range(1, right[deck] + 1)) for deck in DECKS)


def test_what_is_no_card_is_none_in_any_photo() -> None:
    first = spread("rrrrbbbbrr")
    second = spread("rrrrbbbbrr")
    assert counts(score_photos([first, second])) == {"red": 6, "blue": 4}
    score = score_photos([first, second], mends=[Mend(1, 4, gone="card"), Mend(0, 0, deck="blue")])
    assert counts(score) == {"red": 5, "blue": 4}
    assert all(len(one["on"]) == 2 for one in score.cards)


def test_a_card_that_was_added_is_not_voted_out_by_photos_that_do_not_show_it() -> None:
    photos = [spread("rrrrbbbb") for _ in range(3)]
    score = score_photos(photos, mends=[Mend(2, at=(300, 400), deck="red")])
    assert counts(score) == {"red": 5, "blue": 4}
    (added,) = [one for one in score.cards if one["told"]]
    assert added["on"][0]["mend"] == 0 and added["on"][0]["image"] == 2


def test_a_photo_of_which_nothing_is_said_stays_the_same_object() -> None:
    photos = [spread("rb"), spread("rb")]
    said = mended(photos, [Mend(1, 0, gone="card")])
    assert mended(photos).layouts[0] is photos[0]
    assert len(said.layouts[1].cards) == 1 and len(photos[1].cards) == 2


def test_a_photo_given_twice_counts_once_however_it_is_mended() -> None:
    photo = spread("rrbb")
    score = score_photos([photo, photo], mends=[Mend(0, 0, gone="card")])
    assert counts(score) == {"red": 1, "blue": 2}


def test_a_doubt_is_answered_by_what_is_said() -> None:
    photo = spread("rrrrrrrrrr")
    photo.cards[3].confidence = 0.6
    (asked,) = score_photos([photo]).doubts
    assert asked.kind == "card" and asked.place == {"image": 0, "card": 3, "mend": None}
    yes = score_photos([photo], mends=[Mend(0, 3)])
    assert not yes.doubts and counts(yes) == {"red": 10}
    assert yes.decks[0].confidence > score_photos([photo]).decks[0].confidence
    no = score_photos([photo], mends=[Mend(0, 3, gone="card")])
    assert not no.doubts and counts(no) == {"red": 9}


def test_few_are_asked_first_and_the_most_open_ones() -> None:
    photo = spread("r" * 30)
    for number in range(12):
        photo.cards[number].confidence = 0.7 - 0.01 * number
    score = score_photos([photo])
    assert len(score.doubts) == 12 and len(score.ask) == MOST
    assert [doubt.place["card"] for doubt in score.ask] == [11, 10, 9, 8, 7]  # type: ignore[index]


def test_tops_are_named_taken_away_and_added() -> None:
    photo = faces("AS", "7H", "TD")
    photo.cards[1].face, photo.cards[1].face_confidence = "2H", 0.5
    assert score_photos([photo]).total_by_faces == 1 + 2 + 10
    named = score_photos([photo], mends=[Mend(0, 1, face="7H")])
    assert named.total_by_faces == 18 and not named.doubts
    assert score_photos([photo], mends=[Mend(0, 0, gone="pile")]).total_by_faces == 12
    assert score_photos([photo], mends=[Mend(0, at=(400, 300), face="KC")]).total_by_faces == 26


def test_a_pile_goes_with_all_its_cards_and_a_top_alone_with_itself() -> None:
    lower = card(0, 0, side="face", face="4S", face_confidence=1.0, pile=0)
    upper = card(3, 0, side="face", face="5S", face_confidence=1.0, pile=0, order=1)
    photo = Layout(1000, 800, 1.0, [lower, upper, *faces("7H").cards], to_table=np.eye(3))
    photo.cards[2].pile = 1
    assert score_photos([photo], mends=[Mend(0, 1, gone="card")]).total_by_faces == 4 + 7
    assert score_photos([photo], mends=[Mend(0, 1, gone="pile")]).total_by_faces == 7


def test_a_card_face_up_among_the_backs_can_be_told_whose_it_is() -> None:
    photo = spread("rrrrrrbb")
    photo.cards[0].side, photo.cards[0].face, photo.cards[0].face_confidence = "face", "QS", 0.9
    assert counts(score_photos([photo])) == {"red": 5, "blue": 2}
    assert counts(score_photos([photo], mends=[Mend(0, 0, deck="blue")])) == {"red": 5, "blue": 3}


def test_left_over_piles_are_mended_too() -> None:
    left = faces("AS", "7H", "TD")
    score = score_photos([spread("rrbb")], left_piles={"red": [left]}, mends=[Mend(1, 0, gone="card")])
    assert {deck.back: deck.left for deck in score.decks} == {"red": 2, "blue": 0}


@pytest.mark.parametrize(
    "mend",
    [
        Mend(1, 0),
        Mend(0, 2),
        Mend(0, -1),
        Mend(0),
        Mend(0, at=(1, 1)),
        Mend(0, at=(float("nan"), 1), deck="red"),
        Mend(0, 0, face="1S"),
    ],
)
def test_what_is_said_of_nothing_is_refused(mend: Mend) -> None:
    with pytest.raises(MendError):
        score_photos([spread("rb")], mends=[mend])


def nearly(photo: Layout, x: float, y: float, chance: float) -> None:
    """Something lies there that was nearly taken for a card."""
    corners = card(x, y).corners
    photo.doubted.append(Doubted(corners, chance))


def test_what_was_nearly_a_card_is_asked_about_and_either_answer_settles_it() -> None:
    photo = spread("rrrrrrrrbbbbbb")
    nearly(photo, 400, 300, 0.45)
    before = score_photos([photo])
    (asked,) = before.ask
    assert asked.kind == "left out" and asked.supposed == "blue" and asked not in before.doubts
    assert asked.place == {"image": 0, "card": None, "mend": None}
    at = (431.5, 344.0)
    yes = score_photos([photo], mends=[Mend(0, at=at, deck="blue")])
    no = score_photos([photo], mends=[Mend(0, at=at, gone="card")])
    assert counts(yes) == {"red": 8, "blue": 7} and counts(no) == {"red": 8, "blue": 6}
    sure = {deck.back: deck.confidence for deck in before.decks}
    for after in (yes, no):
        assert not after.ask
        assert all(deck.confidence > sure[deck.back] for deck in after.decks if deck.back == "blue")
    (added,) = [one for one in yes.cards if one["told"]]
    assert added["on"][0]["corners"] == photo.doubted[0].corners.tolist()


def test_cards_of_two_photos_are_not_asked_about_as_further_ones() -> None:
    photos = [spread("rrrrrrrr"), spread("rrrrrrrr")]
    nearly(photos[0], 400, 300, 0.45)
    assert not any(doubt.about is None for doubt in score_photos(photos).ask)
