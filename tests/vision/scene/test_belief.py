"""What is believed to be a card: a readable face is, a lone sliver is not, backs are in company."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.layout import FACES, Layout, SeenCard
from vision.scene import belief as belief_module
from vision.scene.belief import BACK, FACE, SPREAD_BACK, Signs, Tells, backs_prevail, belief, doubted, kinds

Floats = NDArray[np.float64]


def card(
    x: float, *, readable: float, fraction: float = 1.0, sure: float = 0.95, pile: int = 0, scale: float = 1.0
) -> SeenCard:
    """A face at x; one name takes all of what can be read."""
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]]) * scale + np.array((x, 0))
    chances = np.zeros(len(FACES))
    chances[3] = readable
    return SeenCard(
        corners=corners,
        side="face",
        visible=corners,
        visible_fraction=fraction,
        confidence=sure,
        face_confidence=readable,
        face_probabilities=chances,
        pile=pile,
    )


def back(x: float, fraction: float = 0.3, pile: int = 1) -> SeenCard:
    seen = card(x, readable=0.0, fraction=fraction, pile=pile)
    seen.side, seen.face_probabilities = "back", None
    return seen


def chances(
    *cards: SeenCard,
    edged: float = 0.9,
    real: float = 0.998,
    given: Floats | None = None,
    seen: float = 1.0,
    doubt: float = 0.02,
    spread: bool = False,
    verifier: Tells | None = None,
    tablelike: Tells | None = None,
) -> Floats:
    layout = Layout(1000, 600, 1.0, list(cards), to_table=np.eye(3))
    own = np.full(len(cards), np.nan) if given is None else given
    count, shown = len(cards), np.array([card.side == "back" for card in cards])
    read = np.zeros((count, len(FACES)))
    told = np.full(count, edged), np.full(count, real), own, shown.astype(np.float64), read
    voted = np.array([card.visible_fraction for card in cards]), np.full(count, seen)
    signs = Signs(*told, *voted, np.full(count, doubt))
    return belief(layout, signs, spread=spread, verifier=verifier, tablelike=tablelike)


def test_a_face_that_is_read_is_a_card_and_a_sliver_beside_it_is_none() -> None:
    whole, sliver = chances(card(100, readable=0.99), card(110, readable=0.01, fraction=0.08, sure=0.6))
    assert whole > 0.9
    assert sliver < 0.3


def test_edges_speak_for_a_card() -> None:
    one = card(100, readable=0.4, fraction=0.5)
    assert chances(one, edged=0.95)[0] > chances(one, edged=0.1)[0] + 0.1


def test_what_the_placer_says_counts() -> None:
    one = card(100, readable=0.4, fraction=0.5)
    assert chances(one, real=0.99)[0] > chances(one, real=0.05)[0] + 0.1


def test_another_size_than_the_others_speaks_against() -> None:
    others = [card(100 + 80 * k, readable=0.99, pile=k) for k in range(4)]
    right = chances(*others, card(600, readable=0.3, pile=9))[-1]
    wrong = chances(*others, card(600, readable=0.3, pile=9, scale=1.5))[-1]
    assert wrong < right - 0.15


def test_backs_are_believed_in_company_and_hardly_alone() -> None:
    alone = chances(card(100, readable=0.99), back(400))[-1]
    # stocks and Nerts piles of a whole table
    many = chances(*[back(100 + 70 * k, 1.0, k) for k in range(25)])[-1]
    assert alone < 0.5 < many


def test_what_was_read_in_a_row_is_as_sure_as_it_was_read() -> None:
    assert chances(back(100), given=np.array([0.83]))[0] == 0.83


def test_a_face_of_a_row_that_is_well_read_is_as_sure_as_by_itself_at_least() -> None:
    one = card(100, readable=0.99)
    alone = chances(one)[0]
    assert chances(one, given=np.array([0.1]))[0] == alone > 0.9
    assert chances(one, given=np.array([0.999]))[0] == 0.999


def test_an_empty_table_has_nothing_to_believe() -> None:
    none = np.zeros(0)
    signs = Signs(none, none, none, none, np.zeros((0, len(FACES))), none, none, none)
    assert len(belief(Layout(10, 10, 0.0), signs)) == 0


def test_a_spread_back_whose_votes_come_from_where_it_is_not_seen_is_doubted() -> None:
    others = [back(100 + 70 * k, 0.4, k) for k in range(12)]
    assert chances(*others, seen=0.05, spread=True)[0] < chances(*others, spread=True)[0] - 0.1


KINDS = np.array([FACE, BACK, SPREAD_BACK])


def test_kinds_are_told_by_the_side_and_by_what_the_picture_shows() -> None:
    layout = Layout(1000, 600, 1.0, [card(100, readable=0.9), back(400)], to_table=np.eye(3))
    assert kinds(layout).tolist() == [FACE, BACK]
    assert kinds(layout, spread=True).tolist() == [FACE, SPREAD_BACK]


def asked_of(
    cards: list[SeenCard], odds: float, spread: bool, edged: float, like: float = 0.0, doubt: float = 0.02
) -> tuple[list[int], Floats]:
    """About which cards the verifier was asked, and what is believed when a closer look tells this of them."""
    asked: list[int] = []

    def verifier(rows: NDArray[np.intp]) -> Floats:
        asked.extend(rows.tolist())
        return np.full(len(rows), odds)

    def tablelike(rows: NDArray[np.intp]) -> Floats:
        assert set(rows.tolist()) <= set(asked)
        return np.full(len(rows), like)

    told = chances(*cards, edged=edged, spread=spread, doubt=doubt, verifier=verifier, tablelike=tablelike)
    return asked, told


@pytest.mark.parametrize(("spread", "face"), [(False, True), (False, False), (True, False)])
def test_what_the_verifier_says_of_a_doubted_card_counts(spread: bool, face: bool) -> None:
    others = [back(100 + 70 * k, 0.4, k) for k in range(12)]
    doubtful = card(2000, readable=0.3, fraction=0.3, pile=99) if face else back(2000, 0.3, 99)
    told = {odds: asked_of([*others, doubtful], odds, spread, 0.7) for odds in (-6.0, 6.0)}
    assert all(12 in asked for asked, _ in told.values())
    assert told[-6.0][1][12] < 0.5 < told[6.0][1][12] - 0.1


def test_a_doubted_back_on_a_table_that_looks_like_the_table_or_that_the_finder_doubts_counts_less() -> None:
    table = [*(card(100 + 70 * k, readable=0.9999, pile=k) for k in range(20)), back(4000, 0.9, 99)]

    def sure(spread: bool = False, like: float = 0.0, doubt: float = 0.02) -> float:
        asked, told = asked_of(table, 1.0, spread, 0.7, like, doubt)
        assert 20 in asked
        return float(told[-1])

    assert sure(like=0.2) < sure() - 0.1 > sure(doubt=0.08)
    # what looks like anything but the table is no surer for it
    assert sure(like=-0.5) == sure()
    # spread backs are told by their votes
    assert sure(True, 0.2, 0.08) == sure(True)


def test_only_backs_that_it_may_refute_are_compared_with_the_table() -> None:
    table = [*(card(100 + 70 * k, readable=0.9999, pile=k) for k in range(20)), back(4000, 0.9, 99)]
    compared: list[int] = []

    def tablelike(rows: NDArray[np.intp]) -> Floats:
        compared.extend(rows.tolist())
        return np.zeros(len(rows))

    for odds, those in ((-6.0, []), (1.0, [20]), (6.0, [])):
        compared.clear()
        chances(*table, edged=0.7, verifier=lambda rows, o=odds: np.full(len(rows), o), tablelike=tablelike)
        assert compared == those


def test_rows_are_not_looked_at_more_closely() -> None:
    asked: list[int] = []

    def verifier(rows: NDArray[np.intp]) -> Floats:
        asked.extend(rows.tolist())
        return np.zeros(len(rows))

    sure = chances(back(100), back(400), given=np.array([0.83, np.nan]), verifier=verifier)
    assert asked == [1] and sure[0] == 0.83


def test_the_verifier_is_asked_where_there_is_a_doubt() -> None:
    for kind in KINDS:
        assert doubted(np.array([0.001, 0.6, 0.9999]), np.full(3, kind)).tolist() == [False, True, False]


def test_a_doubted_back_counts_more_on_a_table_than_by_the_fit_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among many others, not among few, and no spread back or face."""

    def odds(others: int, doubtful: SeenCard, spread: bool) -> float:
        table = [card(100 + 70 * k, readable=0.9999, pile=k) for k in range(others)]
        asked, sure = asked_of([*table, doubtful], 0.0, spread, 0.7)
        assert others in asked
        return float(np.log(sure[-1] / (1 - sure[-1])))

    cases = [
        (40, back(4000, 0.3, 99), False, True),
        (4, back(4000, 0.3, 99), False, False),
        (40, back(4000, 0.3, 99), True, False),
    ]
    told = [odds(*case[:3]) for case in cases]
    monkeypatch.setattr(belief_module, "ON_TABLES", 0.0)
    for case, before in zip(cases, told, strict=True):
        assert before - odds(*case[:3]) == pytest.approx(0.3 if case[3] else 0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("faces", "backs", "prevail"), [(1, 0, False), (1, 1, True), (2, 1, False), (0, 0, True)]
)
def test_backs_lie_spread_only_where_as_many_backs_as_faces_surely_are_cards(
    faces: int, backs: int, prevail: bool
) -> None:
    """However many more are doubted."""
    sides = ["face"] * faces + ["back"] * backs + ["back"] * 5
    layout = Layout(
        800, 600, 0.0, [SeenCard(np.zeros((4, 2)), side, np.zeros((0, 2)), 0.3, 0.9) for side in sides]
    )
    sure = np.array([0.95] * (faces + backs) + [0.7] * 5)
    assert backs_prevail(layout, sure) is prevail


def test_a_face_that_is_read_surely_is_a_card_unless_a_neighbour_shows_it() -> None:
    strip = card(100, readable=0.99, fraction=0.12)
    told = {"edged": 0.3, "real": 0.01, "verifier": lambda rows: np.full(len(rows), -6.0)}
    whole = card(400, readable=0.99)
    strip.face = whole.face = "4S"
    doubted_by_edges, _ = chances(replace(strip, face_confidence=0.9), whole, **told)
    read, _ = chances(strip, whole, **told)
    assert doubted_by_edges < 0.5 < read
    beside = replace(whole, corners=whole.corners - (290, 0))
    assert chances(strip, beside, **told)[0] < 0.5
    assert chances(replace(strip, face="5S"), beside, **told)[0] > 0.5
    # a table that is watched is seen again
    assert chances(strip, whole, edged=0.3, real=0.01)[0] < 0.5
