"""Counts that are sure, and what is asked for where they are not: areas and other photos.
Layouts as a good eye would report them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.photos.certain import models
from referee.photos.evidence import FIGURES, evidence_of
from referee.photos.mending import Mend
from referee.photos.requests import inside
from referee.photos.score import PhotoScore
from referee.photos.scoring import score_photos
from vision.geometry.plane import apply
from vision.layout import Doubted, Layout, Plane, SeenCard, SeenHand
from vision.photos.merging import MergedCard

WIDTH, HEIGHT = 2000, 1500
#: Where a card lies: middle, mm, and turn, radians; and the label of its deck.
Laid = tuple[float, float, float, str]


def lay(*rows: str, seed: int = 1) -> list[Laid]:
    """Rows of overlapped cards, a letter a card: r for red, b for blue."""
    rng = np.random.default_rng(seed)
    names = {"r": "red", "b": "blue", "g": "green"}
    return [
        (
            14.0 * k + float(rng.normal(0, 2)),
            110.0 * n + float(rng.normal(0, 3)),
            float(rng.normal(0, 0.08)),
            names[c],
        )
        for n, row in enumerate(rows)
        for k, c in enumerate(row)
    ]


def photo(
    cards: list[Laid],
    px_per_mm: float = 3.0,
    turn: float = 0.0,
    slant: float = 1.0,
    margin: float | None = 6.0,
) -> Layout:
    """These cards seen by a camera: `slant` shortens the picture across the table."""
    c, s = np.cos(turn) * px_per_mm, np.sin(turn) * px_per_mm
    to_px = np.array([[c, -s, 300.0], [s * slant, c * slant, 300.0], [0, 0, 1]])
    seen = []
    for order, (x, y, angle, label) in enumerate(cards):
        local = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
        cos, sin = np.cos(angle), np.sin(angle)
        mm = local @ np.array([[cos, sin], [-sin, cos]]) + (x, y)
        strip = mm[[0, 0, 3, 3]] + np.array([[0, 0], [12, 0], [12, 0], [0, 0]])
        seen.append(
            SeenCard(
                apply(to_px, mm), "back", apply(to_px, strip), 0.19, 0.995, back=label, pile=0, order=order
            )
        )
        seen[-1].back_margin = margin
    return Layout(WIDTH, HEIGHT, px_per_mm, seen, to_table=np.linalg.inv(to_px))


def states(score: PhotoScore) -> dict[str, str]:
    return {deck.back: deck.state for deck in score.decks}


def test_what_is_seen_well_is_sure_and_nothing_is_asked() -> None:
    score = score_photos([photo(lay("rrrrrr", "bbbbb"))])
    assert states(score) == {"red": "sure", "blue": "sure"}
    assert score.requests == [] and score.to_json()["requests"] == []
    assert all(deck.to_json()["state"] == "sure" for deck in score.decks)


def test_a_card_that_may_be_none_is_asked_about_by_an_area_around_it() -> None:
    seen = photo(lay("rrrrrrrr", "bbbbbbbb"))
    seen.cards[6].confidence = 0.55
    score = score_photos([seen])
    assert states(score)["red"] == "asked"
    (request,) = score.requests
    assert (request.kind, request.image) == ("spread", 0)
    area = np.array(request.area)
    assert inside(area, seen.cards[6].visible.mean(axis=0)[None])[0]
    held = inside(area, np.array([card.visible.mean(axis=0) for card in seen.cards])).sum()
    assert held == request.cards <= len(seen.cards) / 4


def test_less_is_asked_of_each_deck_where_all_are_as_sure() -> None:
    seen = photo(lay("rrrrrrrrrrrr", "bbbbbbbbbbbb"))
    seen.cards[5].confidence = 0.95
    assert states(score_photos([seen])) == {"red": "sure", "blue": "sure"}
    seen.cards[20].confidence = 0.6
    assert states(score_photos([seen])) == {"red": "asked", "blue": "asked"}


def test_what_nearly_was_a_card_is_asked_about_where_it_lies() -> None:
    seen = photo(lay("rrrrrrrr", "bbbbbbbb"))
    at = seen.cards[12].corners + 9.0
    seen.doubted = [Doubted(at, 0.45)]
    score = score_photos([seen])
    assert states(score)["blue"] == "asked"
    assert inside(np.array(score.requests[0].area), at.mean(axis=0)[None])[0]


def test_a_back_that_may_be_of_either_deck_leaves_neither_sure() -> None:
    seen = photo(lay("rrrrrrrr", "bbbbbbbb"))
    seen.cards[3].back_margin = 0.0
    assert states(score_photos([seen])) == {"red": "asked", "blue": "asked"}


@pytest.mark.parametrize(
    ("seen", "kind", "says"),
    [
        (photo(lay("rrrrrr", "bbbbb"), slant=0.5), "above", "hold the phone above the table"),
        (photo(lay("rrrrrr", "bbbbb"), px_per_mm=1.1), "closer", "half closer"),
    ],
)
def test_a_photo_that_is_itself_at_fault_is_to_be_taken_anew(seen: Layout, kind: str, says: str) -> None:
    seen.cards[2].confidence = 0.5
    (request,) = score_photos([seen]).requests
    assert request.kind == kind and says in request.asks and request.area is None


def test_doubts_all_over_are_settled_by_a_photo_from_another_side() -> None:
    seen = photo(lay(*["rrrrrrrrrrrr", "bbbbbbbbbbbb"] * 2))
    for card in seen.cards:
        card.confidence = 0.8
    (request,) = score_photos([seen]).requests
    assert request.kind == "again" and "other side" in request.asks


def test_photos_that_say_the_same_are_surer_than_one() -> None:
    cards = lay("rrrrrrrrrr", "bbbbbbbbbb")
    one, two = photo(cards), photo(cards, turn=0.4)
    for seen in (one, two):
        seen.cards[4].confidence = 0.8
    alone, both = score_photos([one]), score_photos([one, two])
    assert [deck.confidence for deck in both.decks] > [deck.confidence for deck in alone.decks]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 15), st.floats(0.5, 0.99))
def test_no_count_is_surer_for_a_card_that_is_less_sure(row: int, less: float) -> None:
    seen = photo(lay("rrrrrrrr", "bbbbbbbb"))
    before = {deck.back: deck.confidence for deck in score_photos([seen]).decks}
    seen.cards[row] = replace(seen.cards[row], confidence=less)
    after = {deck.back: deck.confidence for deck in score_photos([seen]).decks}
    assert all(after[back] <= before[back] for back in before)


def test_a_photo_that_took_two_decks_for_one_does_not_tell_whose_a_card_is() -> None:
    def mixed(name: str) -> float:
        """How far it is open of which deck red cards are, where the first photo calls them so."""
        cards = lay("rrrrrrrr", "bbbbbbbb")
        first, second = photo(cards), photo(cards, turn=0.4)
        for card in first.cards:
            card.back = name if card.back == "red" else "blue"
        second.cards[3].back_margin = 0.0
        both = [
            (MergedCard(one, 0, (0, 1), of=(one, two)), two.back or "")
            for one, two in zip(first.cards, second.cards, strict=True)
        ]
        told = evidence_of(both, (0, 1), {0: first, 1: second})
        return float(told["red"].figures[FIGURES.index("of two designs")])

    assert mixed("red") < 0.1 and mixed("blue") > 0.4


def rimmed(seen: Layout, **clear: float) -> Layout:
    """With how clearly the backs of each label show a rim."""
    for card in seen.cards:
        card.rim = clear.get(card.back or "", 30.0)
    return seen


def test_overlapped_cards_of_a_design_without_a_rim_are_never_sure() -> None:
    seen = rimmed(photo(lay("rrrrrr", "bbbbb")), red=1.0)
    assert states(score_photos([seen])) == {"red": "asked", "blue": "sure"}
    again = rimmed(photo(lay("rrrrrr", "bbbbb"), turn=0.4), red=1.0)
    assert states(score_photos([seen, again])) == {"red": "asked", "blue": "sure"}


def test_a_rim_that_one_of_two_photos_shows_is_there() -> None:
    cards = lay("rrrrrr", "bbbbb")
    clear, blunt = rimmed(photo(cards)), rimmed(photo(cards, turn=0.4), red=3.0)
    assert states(score_photos([blunt]))["red"] == "asked"
    assert states(score_photos([clear, blunt])) == {"red": "sure", "blue": "sure"}


def test_cards_without_a_rim_that_lie_each_for_itself_are_sure() -> None:
    seen = rimmed(photo(lay("rrrrrr", "bbbbb")), red=1.0)
    assert states(score_photos([seen]))["red"] == "asked"
    for number, card in enumerate(seen.cards):
        card.pile = number if card.back == "red" else 99
    assert states(score_photos([seen])) == {"red": "sure", "blue": "sure"}


def test_cards_without_a_rim_are_what_is_asked_to_be_spread() -> None:
    seen = rimmed(photo(lay("rrrrrrrrrrrrr", "bbb")), blue=1.0)
    (request,) = score_photos([seen]).requests
    blues = np.array([card.visible.mean(axis=0) for card in seen.cards if card.back == "blue"])
    assert request.kind == "spread" and inside(np.array(request.area), blues).all()
    assert request.asks.endswith("Lay those with the blue back side by side, none on another: it has no rim")
    (both,) = score_photos([rimmed(photo(lay("rrrrr", "bbb")), blue=1.0, red=1.0)]).requests
    assert both.asks.endswith("the blue and red backs side by side, none on another: they have no rim")


def test_nothing_is_missing_from_a_deck_of_which_every_card_is_counted() -> None:
    def sure(cards: int) -> str:
        seen = photo(lay("r" * cards))
        at = seen.cards[3].corners + 9.0
        seen.doubted = [Doubted(at, 0.3)]
        return states(score_photos([seen]))["red"]

    assert (sure(51), sure(52)) == ("asked", "sure")


def test_more_cards_than_a_deck_has_are_never_sure() -> None:
    assert states(score_photos([photo(lay("r" * 30, "r" * 23))])) == {"red": "asked"}


def test_every_figure_has_its_weight_and_doubts_speak_against_a_count() -> None:
    against = [FIGURES.index(name) for name in ("hardly cards", "hardly none", "of two designs")]
    for model in models():
        assert len(model.weights) == len(FIGURES) and 0.9 <= model.bound <= model.alone < 1
        assert (model.weights[against] > 0.05).all() and (model.weights >= 0).all()


def test_where_light_burns_out_the_doubtful_cards_the_flash_is_to_be_turned_off() -> None:
    seen = photo(lay("rrrrrrrr", "bbbbbbbb"))
    seen.cards[5].confidence = 0.5
    at = seen.cards[5].visible.mean(axis=0)
    seen.glare = [at + 20.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])]
    (request,) = score_photos([seen]).requests
    assert request.kind == "glare" and "flash" in request.asks
    seen.glare = [at + 600.0 + 20.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])]
    assert score_photos([seen]).requests[0].kind == "spread"


def test_a_design_that_may_be_two_decks_is_asked_about() -> None:
    seen = photo(lay("rrrrrrrr", "bbbbbbbb"))
    for card in seen.cards:
        card.back_splits = ((1.2 if card.back == "red" else 6.0, card.order % 2),)
    score = score_photos([seen])
    assert states(score) == {"red": "asked", "blue": "sure"}
    assert [doubt.asks for doubt in score.doubts] == [
        "The cards that are called red may be of two decks: are they all of one?"
    ]


def test_two_decks_told_apart_in_one_photo_are_two_in_the_other() -> None:
    cards = lay("rrrrrrrr", "bbbbbbbb")
    photos = [photo(cards), photo(cards, turn=np.pi)]
    for seen in photos:
        for card in seen.cards[:8]:
            card.back_splits = ((1.2, card.order % 2),)
    assert {deck.back: deck.centre for deck in score_photos(photos).decks} == {"red": 8, "blue": 8}
    score = score_photos(photos, mends=[Mend(0, 1, deck="red 2", alike="two")])
    assert score.spreads[0].images == (0, 1)
    assert {deck.back: deck.centre for deck in score.decks} == {"blue": 8, "red": 4, "red 2": 4}
    assert not [doubt for doubt in score.ask if doubt.kind == "design"]


def test_faces_taken_too_flat_are_to_be_taken_anew() -> None:
    seen = photo(lay("rrr"))
    for card in seen.cards:
        card.side, card.face, card.face_confidence, card.back = "face", "TH", 0.9, None
    assert score_photos([seen]).requests == []
    for flat in (
        replace(seen, plane=Plane(np.eye(3), 0.0, (WIDTH, HEIGHT), "cards", (63, 88), residual_mm=2.6)),
        replace(photo(lay("rrr"), slant=0.5), cards=seen.cards),
    ):
        (request,) = score_photos([flat]).requests
        assert request.kind == "above" and "too flat" in request.asks


def test_faces_that_give_as_many_cards_make_counts_surer() -> None:
    seen = photo(lay("rrrr", "bbb"))
    seen.cards[2].confidence = 0.8
    tops = Layout(WIDTH, HEIGHT, 2.0)
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], dtype=float)
    tops.cards = [SeenCard(corners, "face", corners, 1.0, 0.99, face="7S", face_confidence=0.99, pile=0)]
    alone, agreed = score_photos([seen]), score_photos([tops, seen])
    assert agreed.agrees
    for bare, deck in zip(alone.decks, agreed.decks, strict=True):
        assert deck.confidence > bare.confidence


def test_a_total_that_settles_a_card_leaves_more_doubt_than_one_that_agrees_and_less_than_one_at_odds() -> (
    None
):
    def score(top: str, *odd: float) -> PhotoScore:
        tops, seen = Layout(WIDTH, HEIGHT, 2.0), photo(lay("rrrr", "bbbb"))
        for card, confidence in zip(seen.cards[4:], odd, strict=False):
            card.confidence = confidence
        for card in seen.cards:
            card.confidence = min(card.confidence, 0.97)
        corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], dtype=float)
        tops.cards = [SeenCard(corners, "face", corners, 1.0, 0.99, face=top, face_confidence=0.99, pile=0)]
        return score_photos([tops, seen])

    agrees, settled, at_odds = score("8S"), score("7S", 0.6), score("4S", 0.6)
    assert (agrees.settled, settled.settled, at_odds.settled) == (False, True, False)
    assert (agrees.agrees, settled.agrees, at_odds.agrees) == (True, False, False)
    assert [deck.centre for deck in settled.decks] == [4, 3]
    red = [next(d for d in one.decks if d.back == "red").confidence for one in (agrees, settled, at_odds)]
    assert red[0] > red[1] > 0.9 and red[2] <= 0.5


def test_backs_that_are_seen_well_send_who_took_other_tops_back_to_these() -> None:
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], dtype=float)
    tops = Layout(WIDTH, HEIGHT, 2.0)
    tops.cards = [SeenCard(corners, "face", corners, 1.0, 0.99, face="4S", face_confidence=0.99, pile=0)]
    backs = [photo(lay("rrrr", "bbbb"), turn=turn) for turn in (0.0, 0.3)]
    score = score_photos([tops, *backs])
    (request,) = score.requests
    assert (score.agrees, request.kind, request.image) == (False, "again", 0)
    assert "tops give 4" in request.asks and set(states(score).values()) == {"asked"}
    again = replace(tops, cards=[replace(card) for card in tops.cards])
    assert all(request.image > 1 for request in score_photos([tops, again, *backs]).requests)
    for seen in backs:
        seen.cards[2].confidence = 0.7
    (request,) = score_photos([tops, *backs]).requests
    assert request.image == 2


def test_as_many_players_as_designs_speak_for_these() -> None:
    seen = photo(lay("rrrr", "bbb"))
    for card in seen.cards:
        card.back_splits = ((1.8, card.order % 2),)
    alone, played = score_photos([seen]), score_photos([seen], players=["anna", "ben"])
    three = score_photos([seen], players=["anna", "ben", "cleo"])
    assert played.decks[0].confidence > alone.decks[0].confidence
    assert three.decks[0].confidence == alone.decks[0].confidence


@pytest.mark.parametrize(("playing", "asked"), [(0, False), (2, True), (3, False)])
def test_more_decks_than_players_are_asked_about(playing: int, asked: bool) -> None:
    score = score_photos([photo(lay("rrrrrr", "bbbbb", "ggg"))], playing=playing)
    asks = "The backs look like 3 decks, but 2 play: whose are those called green?"
    assert (asks in [doubt.asks for doubt in score.doubts]) == asked


def test_strips_twice_as_wide_as_the_others_may_be_two_cards() -> None:
    seen = photo(lay("rrrrrrrrr"))
    for card in seen.cards[3:6]:
        card.visible_fraction *= 2
    score = score_photos([seen])
    assert states(score) == {"red": "asked"}
    at = seen.cards[4].visible.mean(axis=0)
    assert inside(np.array(score.requests[0].area), at[None])[0]
    evenly = photo(lay("rrrrrrrr"))
    for card in evenly.cards:
        card.visible_fraction *= 2
    assert states(score_photos([evenly])) == {"red": "sure"}


def test_what_a_hand_hides_is_asked_for_unless_another_photo_shows_it() -> None:
    cards = lay("rrrrrrrrrrrr", "bbbbbbbbbbbb")
    free, hidden = photo(cards), photo(cards, turn=0.4)
    assert set(states(score_photos([free])).values()) == {"sure"}
    middle = np.mean([card.centre for card in hidden.cards], axis=0)
    square = 150.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    hidden.hands = [SeenHand(middle + square, 0.9)]
    score = score_photos([hidden])
    assert set(states(score).values()) == {"asked"}
    (request,) = score.requests
    assert request.kind == "again" and "hand" in request.asks
    assert set(states(score_photos([hidden, free])).values()) == {"sure"}


def test_totals_that_agree_settle_no_design_on_which_photos_disagree() -> None:
    tops = Layout(WIDTH, HEIGHT, 3.0, [], to_table=np.eye(3))
    for k, face in enumerate(("TH", "9S")):
        seen = photo([(100.0 * k, 0.0, 0.0, "red")]).cards[0]
        tops.cards.append(replace(seen, side="face", back=None, face=face, face_confidence=0.999, pile=k))
    cards = lay("rrrrrrrrrr", "bbbbbbbbb")
    photos = [photo(cards, turn=turn) for turn in (0.0, 0.4, 3.3)]
    assert states(score_photos([tops, *photos])) == {"red": "sure", "blue": "sure"}
    for number in range(4):
        photos[1].cards[number].back = "green"
    score = score_photos([tops, *photos])
    assert score.agrees and {deck.back: deck.centre for deck in score.decks} == {"red": 10, "blue": 9}
    assert states(score)["red"] == "asked"


def test_with_a_total_that_agrees_all_decks_must_be_sure_together() -> None:
    """What one deck lost another may have won: the total does not tell."""
    tops, seen = Layout(WIDTH, HEIGHT, 2.0), photo(lay("rrrr", "bbbb"))
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], dtype=float)
    tops.cards = [SeenCard(corners, "face", corners, 1.0, 0.99, face="8S", face_confidence=0.99, pile=0)]
    found = set()
    for doubt in np.arange(0.01, 0.3, 0.01):
        for card in seen.cards:
            card.confidence = 1.0 - doubt
        score = score_photos([tops, seen])
        chances = [deck.confidence for deck in score.decks]
        if score.agrees and min(chances) >= 0.92 and max(chances) < 0.96:
            sure = set(states(score).values()) == {"sure"}
            assert sure == (np.prod(chances) >= 0.9)
            found.add(sure)
    assert found == {False, True}
