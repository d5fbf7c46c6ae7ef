"""What one look says of one card."""

from __future__ import annotations

import numpy as np
import pytest

from referee.rules.places import FOUNDATION, WORK, Place
from referee.umpire.sights import FACE_INDEX, Sight, View, log_faces, readable
from vision.layout import FACES, SeenCard

QUAD = np.zeros((4, 2))


def seen(chances: dict[str, float] | None, visible: float = 1.0, **told: object) -> SeenCard:
    card = SeenCard(QUAD, "face", QUAD, visible, 0.9, **told)  # type: ignore[arg-type]
    if chances is not None:
        card.face_probabilities = np.zeros(52)
        for face, chance in chances.items():
            card.face_probabilities[FACE_INDEX[face]] = chance
    return card


def sight(face: str, x: float = 0.0, y: float = 0.0, *, up: bool = True) -> Sight:
    return Sight((x, y), up, log_faces(seen({face: 0.99})))


def test_no_reading_is_so_sure_that_another_card_cannot_be() -> None:
    """And a strip of a card, of which little is seen, is trusted less."""
    whole, strip = log_faces(seen({"QS": 1.0})), log_faces(seen({"QS": 1.0}, 0.3))
    assert whole[FACE_INDEX["QS"]] == strip[FACE_INDEX["QS"]] == pytest.approx(0.0)
    assert np.exp(whole).min() == pytest.approx(3e-4)
    assert np.exp(strip).min() == pytest.approx(4e-3)
    assert (log_faces(seen({"QS": 1.0}, 0.5)) == whole).all()


def test_what_is_missing_to_one_is_shared_by_all_faces() -> None:
    half = np.exp(log_faces(seen({"QS": 0.48})))
    assert half[FACE_INDEX["QS"]] == pytest.approx(0.48 + 0.52 / 52)
    assert half[FACE_INDEX["2C"]] == pytest.approx(0.52 / 52)
    nothing = np.exp(log_faces(seen(None)))
    assert nothing == pytest.approx(np.full(52, 1 / 52))


def test_a_face_that_was_named_without_chances_counts_as_it_was_named() -> None:
    named = np.exp(log_faces(seen(None, face="7D", face_confidence=0.9)))
    assert named[FACE_INDEX["7D"]] == pytest.approx(0.9 + 0.1 / 52)
    assert np.argsort(named)[-1] == FACE_INDEX["7D"]


@pytest.mark.parametrize(("sure", "is_readable"), [(0.27, False), (0.32, True), (0.9, True)])
def test_a_card_can_be_read_if_one_face_is_likelier_than_others(sure: float, is_readable: bool) -> None:
    assert readable(log_faces(seen({"QS": sure}))) is is_readable


def test_the_likeliest_faces_come_first_and_few_of_them() -> None:
    look = Sight((0.0, 0.0), True, log_faces(seen({"QS": 0.5, "QC": 0.3, "JS": 0.15, "KS": 0.04})))
    assert look.likely() == ["QS", "QC", "JS"]
    assert look.likely(0.2) == ["QS", "QC"]
    assert look.likely(0.02, 10) == ["QS", "QC", "JS", "KS"]
    assert look.reads("QS") > look.reads("QC") > look.reads("2D")
    assert look.reads("??") == look.reads("QS")


def test_two_sights_show_the_same_if_side_face_and_place_are_the_same() -> None:
    assert sight("QS").like(sight("QS", 2.0, 3.0))
    assert not sight("QS").like(sight("QS", 3.0, 3.0))
    assert not sight("QS").like(sight("QC"))
    assert not sight("QS").like(sight("QS", up=False))
    assert sight("QS", up=False).like(sight("QC", up=False))


def test_two_views_show_the_same_if_all_their_cards_do() -> None:
    def view(*sights: Sight) -> View:
        return View(Place(WORK, 1, "south"), 0.0, 0, 0.0, list(sights))

    assert view().like(view())
    assert view(sight("KH"), sight("QS", 0, 18)).like(view(sight("KH"), sight("QS", 0, 19)))
    assert not view(sight("KH")).like(view(sight("KH"), sight("QS", 0, 18)))
    assert not view(sight("KH"), sight("QS", 0, 18)).like(view(sight("KH"), sight("QC", 0, 18)))
    assert view().top is None
    both = view(sight("KH"), sight("QS"))
    assert both.top is both.sights[1]


def test_sights_and_views_print_themselves() -> None:
    view = View(Place(WORK, 1, "south"), 3.14159, 94, 3.0, [sight("KH", 1.4, -2.6), sight("QS", up=False)])
    assert str(view) == "   3.14 south work 1: KH@1,-3 back@0,0"
    assert str(View(Place(FOUNDATION, 2), 1.0, 30, 1.0)) == "   1.00 foundation 2: nothing"
    view.sights[0].visible = 0.2
    assert "KH-@1,-3" in str(view)
    assert len(FACES) == 52
