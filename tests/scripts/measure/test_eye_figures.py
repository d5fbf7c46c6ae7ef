"""Figures of the eye: made of known records they come out as counted by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.render import HAND
from datasets.stills import Still
from datasets.truth import CardTruth
from scripts.measure.eyes import failures, figures
from scripts.measure.eyes.__main__ import left_out, main
from scripts.measure.eyes.measuring import measured_at_once
from scripts.measure.eyes.records import CardRecord, Named, PictureRecord, named_faces, told
from scripts.measure.eyes.report import Report, Seen, save
from scripts.measure.eyes.shares import Share
from scripts.measure.eyes.table import TableRecord
from vision.layout import Layout, SeenCard, SeenHand

GOOD = CardRecord(0, "orell", 2.0, "AS", True, 0.9, True, False, True, "face", "AS", 0.995, 0.01)
MISSED = replace(GOOD, found=False, side=None, read=None, confidence=0.0, off=None)
WRONG = replace(GOOD, read="4S", confidence=0.5)
STRIP = replace(GOOD, top=False, strip=True, visible=0.2)


def test_shares_count_what_was_missed_as_wrong() -> None:
    cards = [GOOD, GOOD, MISSED, WRONG, STRIP, replace(MISSED, visible=0.1)]
    assert figures.recall(cards) == Share(4, 5)
    assert figures.right(figures.tops(cards)) == Share(2, 4)
    assert figures.right(figures.strips(cards)) == Share(1, 1)
    pictures = [PictureRecord(0, 2.0, 0.1, false=[0.5, 0.05])]
    assert figures.precision(cards, pictures) == Share(4, 5)
    sure, wrong = figures.named(cards)
    assert sure == Share(3, 5) and wrong == Share(0, 3)
    assert figures.confusions([*cards, WRONG]) == [("AS", "4S", 2)]


def test_a_table_is_right_when_all_of_its_tops_are_or_are_doubted() -> None:
    cards = [GOOD, WRONG, replace(GOOD, picture=1), replace(WRONG, picture=2, confidence=0.99)]
    assert figures.tables(cards, doubts=False) == Share(1, 3)
    assert figures.tables(cards, doubts=True) == Share(2, 3)
    assert figures.doubtful(cards) == Share(1, 4)


def test_who_says_a_half_and_is_right_half_of_the_time_errs_by_nothing() -> None:
    even = [replace(WRONG, confidence=0.55), replace(GOOD, confidence=0.55)] * 10
    assert figures.calibration_error(even) == pytest.approx(0.05)
    boasting = [replace(WRONG, confidence=0.95)] * 10
    assert figures.calibration_error(boasting) == pytest.approx(0.95)


def test_counts_are_exact_or_off_by_so_many_a_deck() -> None:
    pictures = [
        PictureRecord(0, 2.0, 0.1, counts=[10, 12], counted=[10, 12]),
        PictureRecord(1, 2.0, 0.1, counts=[10, 12], counted=[9, 12]),
        PictureRecord(2, 2.0, 0.1, counts=[10, 12], counted=[2, 10, 12]),
        PictureRecord(3, 2.0, 0.1, counts=[40, 12], counted=[1]),
    ]
    exact, error = figures.counts(pictures, 12, 41)
    assert exact == Share(1, 3)
    assert error == pytest.approx((0.5 + 1.0) / 2)


def corners(x: float, y: float) -> list[list[float]]:
    return [[x, y], [x + 126, y], [x + 126, y + 176], [x, y + 176]]


def truth(x: float, y: float, face: str, pile: int, **more: float) -> CardTruth:
    return CardTruth(
        corners(x, y), face, True, 0, pile, 0, more.get("visible", 1.0), None, [x / 2, y / 2, 0, 63, 88], True
    )


@pytest.fixture
def pictured() -> tuple[Still, Layout]:
    """A column of two, a card alone that is missed, a hand; seen: the column, something that is nothing, the hand."""
    cards = [truth(100, 100, "9H", 0, visible=0.2), truth(100, 136, "8S", 0), truth(500, 100, "KD", 1)]
    cards[0].place = "south work 2"
    ids = np.zeros((600, 800), np.int16)
    ids[400:600, 300:500] = HAND
    still = Still(np.zeros((600, 800, 3), np.uint8), cards, 2.0, ids=ids)
    seen = [
        SeenCard(np.array(corners(104, 100)), "face", np.zeros((0, 2)), 0.2, 0.9, "9H", 0.9),
        SeenCard(np.array(corners(100, 136)), "face", np.zeros((0, 2)), 1.0, 0.9, "8C", 0.6),
        SeenCard(np.array(corners(300, 300)), "back", np.zeros((0, 2)), 0.8, 0.9, back="a"),
    ]
    hand = SeenHand(np.array([[300.0, 400], [500, 400], [500, 600], [300, 600]]), 0.9)
    return still, Layout(800, 600, 2.0, seen, [hand], np.diag([0.5, 0.5, 1.0]))


def test_records_tell_what_was_found_and_read(pictured: tuple[Still, Layout]) -> None:
    picture, cards = told(*pictured, 7, 0.2)
    assert [card.found for card in cards] == [True, True, False]
    assert [card.right for card in cards] == [True, False, False]
    assert [card.top for card in cards] == [False, True, True]
    # 36 px at 2 px/mm: a strip of 18 mm
    assert [card.strip for card in cards] == [True, False, False]
    assert not any(card.askew for card in cards)
    assert cards[0].off == pytest.approx(4 / 126) and cards[0].px_per_mm == pytest.approx(2.0)
    assert picture.false == [0.8] and picture.counted == [1] and picture.counts == [3]
    assert (picture.hands, picture.hands_found, picture.hands_seen) == (1, 1, 1)


def test_faces_of_one_deck_count_wherever_they_are_named(pictured: tuple[Still, Layout]) -> None:
    still, layout = pictured
    # 9H and 8S are there and named as 9H and 8C; of KD the index does not show
    still.cards[2].index_visible = False
    assert named_faces(still, layout) == Named(indices=2, found=1, told=2, wrong=1)
    still.cards[2].face, still.cards[2].visible_fraction = "8C", 0.05
    assert named_faces(still, layout).wrong == 0


@pytest.mark.parametrize(
    ("place", "visible", "next_at"),
    [("centre 3", 0.2, (100, 136)), ("south work 2", 0.1, (100, 136)), ("south work 2", 0.35, (122, 128))],
    ids=["a foundation", "beneath a hand", "askew"],
)
def test_a_strip_is_one_of_a_column_that_nothing_else_hides(
    place: str, visible: float, next_at: tuple[int, int]
) -> None:
    cards = [truth(100, 100, "9H", 0, visible=visible), truth(*next_at, "8S", 0)]
    cards[0].place = place
    still = Still(np.zeros((600, 800, 3), np.uint8), cards, 2.0)
    _, records = told(still, Layout(800, 600, 2.0), 0, 0.1)
    assert [card.strip for card in records] == [False, False]
    assert [card.askew for card in records] == [True, False]


def test_faults_are_what_was_missed_read_wrong_and_is_none(pictured: tuple[Still, Layout]) -> None:
    still, layout = pictured
    faults = failures.Faults.of(still, layout, told(still, layout, 0, 0.2)[1])
    assert (faults.missed, faults.misread, faults.none) == ([2], [1], [2])
    drawn = faults.drawn(still, layout)
    for (x, y), colour in (
        ((500, 180), failures.MISSED),
        ((100, 200), failures.MISREAD),
        ((300, 380), failures.NONE),
    ):
        assert (drawn[y - 3 : y + 4, x - 3 : x + 4] == colour).all(axis=2).any()
    assert (drawn[100, 100:140] == 0).all()


def test_the_worst_pictures_are_kept_those_with_only_false_cards_too(
    pictured: tuple[Still, Layout],
) -> None:
    still, layout = pictured
    worst = failures.Worst(2)

    def look(seen: list[SeenCard]) -> None:
        found = replace(layout, cards=seen)
        worst.add(still, found, told(still, found, 0, 0.2)[1])

    right = [*layout.cards[:2], SeenCard(np.array(corners(500, 100)), "face", np.zeros((0, 2)), 1, 0.9, "KD")]
    right[1] = replace(right[1], face="8S")
    false = [replace(layout.cards[2], corners=np.array(corners(x, 380))) for x in (100, 250, 400)]
    look(right)
    assert not worst.pictures()
    for seen in (layout.cards, [*right, false[0]], [*right, *false[:2]], []):
        look(seen)
    assert [faults for faults, _ in worst.kept] == [3, 3]
    assert (worst.pictures()[0] == failures.NONE).all(axis=2).any()


def test_seats_in_bad_light_are_told_apart() -> None:
    right = TableRecord((0.5, 1.0), "cards", 40, 63.0, 63.0, 0.3, seats=True, places=True)
    wrong = replace(right, places=False)
    drawn = {
        name: Seen([PictureRecord(i, 2.0, 0.1, table=one) for i, one in enumerate(tables)], [], [])
        for name, tables in {
            "tables": [right, wrong],
            "far": [right],
            "stress": [wrong, wrong, right],
        }.items()
    }
    page = Report("somewhere", drawn).page().splitlines()
    asked, stressed = [i for i, line in enumerate(page) if "every seat and place right" in line]
    assert f">= 0.95 | {Share(2, 3)} |" in page[asked] and str(Share(3, 3)) in page[asked + 1]
    assert "bad light" in page[stressed] and f"| - | {Share(1, 3)} |" in page[stressed]


def test_a_report_says_what_is_in_its_records(pictured: tuple[Still, Layout], tmp_path: Path) -> None:
    picture, cards = told(*pictured, 0, 0.2)
    failure = np.full((60, 80, 3), 90, np.uint8)
    report = Report("somewhere", {"tables": Seen([picture], cards, [failure])})
    save(report, tmp_path / "eyes.md")
    page = (tmp_path / "eyes.md").read_text()
    assert "0.667" in page and "8S as 8C (1)" in page and "somewhere" in page
    for name in ("eyes/tables-reliability.png", "eyes/tables-failures.jpg"):
        assert name in page
        assert cv2.imread(str(tmp_path / name)) is not None


def test_a_report_says_the_worst_of_the_families_that_were_left_out(tmp_path: Path) -> None:
    shares = {"tops, 1.6 px/mm and more": [9, 10], "strips of columns, 1.6 and more": [1, 10]}
    better = {**shares, "tops, 1.6 px/mm and more": [10, 10]}
    kept = tmp_path / "left-out.json"
    kept.write_text(json.dumps({"right and all": {"A": better, "G": shares}}))
    report = Report("somewhere", {}, left_out=left_out(kept))
    assert f"the worst, G | >= 0.98 | {Share(9, 10)} |" in report.page()


def test_the_light_on_a_card_is_that_of_its_paper_where_it_is_seen() -> None:
    image = np.full((400, 400, 3), 20, np.uint8)
    image[50:150, 50:120] = (150, 140, 153)
    image[60:140, 60:110] = 10
    image[250:350, 250:320] = 255
    seen = [corners_of(50, 50), corners_of(250, 250), corners_of(200, 20)]
    boxes = [[50, 50, 70, 100], [250, 250, 70, 100], None]
    cards = [
        CardTruth(quad, "AS", False, 0, pile, 0, 1.0 if box else 0.0, box, [0, 0, 0, 63, 88], False)
        for pile, (quad, box) in enumerate(zip(seen, boxes, strict=True))
    ]
    _, records = told(Still(image, cards, 1.0), Layout(400, 400, 1.0), 0, 0.1)
    assert [record.light for record in records] == [pytest.approx(0.6), pytest.approx(1.0), None]


def corners_of(x: float, y: float) -> list[list[float]]:
    return [[x, y], [x + 70, y], [x + 70, y + 100], [x, y + 100]]


@pytest.mark.parametrize(
    "written", [None, "", "{}", "[1]", '{"right and all": {"A": {}}}', '{"right and all": 3}']
)
def test_figures_of_families_that_cannot_be_read_are_named_before_anything_is_measured(
    written: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, page = tmp_path / "left-out.json", tmp_path / "eyes.md"
    if written is not None:
        kept.write_text(written)
    assert main(["--left-out", str(kept), "--out", str(page)]) == 2
    said = capsys.readouterr().err
    assert str(kept) in said and "measure.leave_one_out" in said and "Traceback" not in said
    assert not page.exists()


def test_what_is_measured_at_once_is_what_is_measured_in_turn() -> None:
    asked: dict[str, Callable[[], object]] = {"three": partial(int, "3"), "word": partial(str, "four")}
    assert measured_at_once(asked, 2) == measured_at_once(asked, 1) == {"three": 3, "word": "four"}
