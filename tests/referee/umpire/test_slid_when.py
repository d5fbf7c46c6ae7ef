"""When a card was slid under a pile: when it was seen there first, though the next card was read late."""

from __future__ import annotations

from math import inf

import pytest
from test_explain import SOUTH, STEP, face, read

from referee.rules.events import Play
from referee.umpire.sights import Sight, View
from referee.umpire.story import Believed
from referee.umpire.telling.slid import FirstSeen
from referee.umpire.trust.remembered import Remembered

PILE = SOUTH["work 1"]
JACK, HALF_READ = face("JD", 0, -STEP, 0.2), read({"JD": 0.6, "QD": 0.4}, (0.0, -STEP), 0.2)
TEN, NINE = face("TC", 0, 0, 0.2), face("9H", 0, STEP)


def seen(*looks: tuple[float, list[Sight]]) -> Remembered:
    """Looks at the pile, each 0.4 s after the last thing moved there."""
    known = Remembered()
    for rested, sights in looks:
        known.add(View(PILE, rested + 0.4, 0, rested, sights))
    return known


def slid(at: float = 17.0, lifted: float | None = 14.1, *, under: bool = True) -> Believed:
    play = Play(at=at, seat="south", cards=("JD",), source="waste", target="work 1", under=under)
    return Believed(play, SOUTH["waste"], PILE, misfit=True, under="TC", lifted=lifted)


@pytest.mark.parametrize(
    ("looks", "at"),
    [
        pytest.param([(14.6, [JACK, NINE]), (15.0, [JACK, NINE])], 14.6, id="the card between was not read"),
        pytest.param([(13.0, [TEN, NINE]), (14.6, [JACK, NINE])], 14.6, id="not before it lay there"),
        pytest.param([(14.6, [JACK, NINE]), (15.2, [TEN, NINE])], 17.0, id="it was gone in between"),
        pytest.param([(13.9, [JACK, NINE])], 17.0, id="before it had left its place"),
        pytest.param([(14.6, [HALF_READ, NINE])], 17.0, id="hardly read"),
    ],
)
def test_a_slid_card_came_when_it_was_seen_there_first(
    looks: list[tuple[float, list[Sight]]], at: float
) -> None:
    event = FirstSeen().told(slid(), seen(*looks, (17.0, [JACK, TEN, NINE])))
    assert event.at == at and event == slid(at)


def test_what_lay_there_at_the_deal_was_not_slid() -> None:
    known = seen((-inf, [JACK, NINE]), (17.0, [JACK, TEN, NINE]))
    assert FirstSeen().told(slid(lifted=None), known).at == 17.0


def test_what_was_not_slid_keeps_its_moment() -> None:
    known = seen((14.6, [JACK, NINE]), (17.0, [JACK, TEN, NINE]))
    assert FirstSeen().told(slid(under=False), known).at == 17.0


def test_its_moment_stays_when_the_views_are_forgotten() -> None:
    known = seen((14.6, [JACK, NINE]), (17.0, [JACK, TEN, NINE]))
    first = FirstSeen()
    assert first.told(slid(), known).at == 14.6
    for number in range(4):
        known.add(View(PILE, 90.0 + number, 0, -inf, [JACK, TEN, NINE]))
    assert all(view.at > 80.0 for view in known.of(PILE)) and first.told(slid(), known).at == 14.6
