"""What a person says of doubtful moments settles counts, and nothing else does."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from referee.commands.dealings import ask
from referee.dealt.count import Count, count_dealt
from referee.dealt.questions import MOST, answer, asked, still
from tests.referee.dealt.test_count_dealt import card, landing
from vision.capture.frames import load_image
from vision.dealt.ending import Ending
from vision.dealt.landings import Second
from vision.dealt.visits import Change

#: A card that may lie under another, and of which nobody can say whose it is.
SOME = Second(0.5, 80.0)


def count_of(beside: dict[int, float], *, gone: dict[int, float] | None = None, cards: int = 20) -> Count:
    landings = [
        landing(
            float(at),
            beside=beside.get(at, 0.0),
            second=SOME if at in beside else None,
            gone=(gone or {}).get(at),
            unlike=0.02,
        )
        for at in range(cards)
    ]
    return count_dealt(
        landings, [card("red" if at < 10 else "blue") for at in range(cards)], Ending(), seats={}
    )


@pytest.mark.parametrize(("yes", "whose", "counts"), [(False, None, (10, 10)), (True, "blue", (10, 11))])
def test_an_answer_settles_every_count(yes: bool, whose: str | None, counts: tuple[int, int]) -> None:
    count = count_of({4: 90.0})
    (doubt,) = asked(count)
    assert not all(deck.sure for deck in count.decks.values())
    answer(count, doubt, yes=yes, whose=whose)
    assert all(deck.sure for deck in count.decks.values()) and not asked(count)
    assert (count.decks["red"].centre, count.decks["blue"].centre) == counts


def test_two_cards_of_which_nobody_knows_the_deck_leave_the_counts_open() -> None:
    count = count_of({4: 90.0})
    answer(count, asked(count)[0], yes=True)
    assert count.total == 20 and not any(deck.sure for deck in count.decks.values())


def test_a_card_that_was_not_taken_away_leaves_the_count_open() -> None:
    # it may lie there, under one more, or it never was one
    count = count_of({}, gone={5: 5.5})
    (doubt,) = asked(count)
    answer(count, doubt, yes=False)
    assert count.decks["red"].centre == 9 and not count.decks["red"].sure


def test_no_more_is_asked_than_people_answer_and_nothing_of_what_is_sure() -> None:
    assert len(asked(count_of(dict.fromkeys((2, 5, 7, 11, 13, 15, 18), 90.0), cards=90))) == MOST
    assert asked(count_of({})) == []


@pytest.mark.parametrize(
    ("typed", "total", "sure"), [("no\n", 20, True), ("blue\n", 21, True), ("", 20, False)]
)
def test_a_person_is_asked_with_a_picture(
    typed: str, total: int, sure: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = count_of({4: 90.0})
    monkeypatch.setattr("sys.stdin", StringIO(typed))
    ask(count, tmp_path / "asked")
    assert load_image(tmp_path / "asked" / "question-1.png").size
    assert count.total == total
    assert all(deck.sure for deck in count.decks.values()) is sure


def test_the_pictures_show_the_place_before_and_after() -> None:
    dark, light = np.full((40, 60, 3), 30, np.uint8), np.full((40, 60, 3), 200, np.uint8)
    place = np.array([[0, 0], [60, 0], [60, 40], [0, 40]], dtype=np.float64)
    unseen = Change(1.0, 1.2, 1.6, place, 0, 0, np.ones((40, 60), bool), dark, light)
    landings = [landing(float(at)) for at in range(4)]
    count = count_dealt(landings, [card("red")] * 4, Ending(), seats={}, unseen=[unseen])
    picture = still(asked(count)[0])
    half = picture.shape[1] // 2
    assert picture[60:, 5 : half - 5].mean() == pytest.approx(30, abs=2)
    assert picture[60:, half + 5 : -5].mean() == pytest.approx(200, abs=2)
