"""A hand knows the photos or the record that it came from: it is never counted twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from matches import complaint, points, record, said, told
from pretend import PretendEye, picture

from referee.commands.program import run
from vision.capture.frames import save_image

FIELD = Path(__file__).parent / "kept"
FIRST, CORRECTED = str(FIELD / "hand1.jsonl"), str(FIELD / "hand1_corrected.jsonl")
UUID = "3e2c1e5a-7d0f-4c57-9f0a-2f1f6f0b9d11"
DROP = {"event": "correct", "at": 12, "of": 3, "drop": True, "by": "ben"}


@pytest.fixture
def book(tmp_path: Path) -> str:
    path = str(tmp_path / "evening.json")
    assert run(["match", path, "--seats", "north,south"]) == 0
    return path


def appended(to: Path, *lines: dict[str, Any], name: str = "later.jsonl") -> str:
    """A copy of a record with more lines."""
    path = to.with_name(name)
    path.write_text(to.read_text() + "".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_a_corrected_record_takes_the_place_of_the_hand(
    book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, "north=1", "south=2"]) == 0
    assert run(["match", book, FIRST]) == 0
    capsys.readouterr()
    line = said(capsys, "match", book, CORRECTED)
    assert line == "hand 2 is now north -25, south -25 (it was north -25, south -24)"
    assert points(book) == [[1, 2], [-25, -25]]
    assert said(capsys, "match", book, "--undo") == (
        "hand 2 is north -25, south -24 again (it was north -25, south -25)"
    )
    assert points(book) == [[1, 2], [-25, -24]]


def test_the_same_record_is_kept_already(
    book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, FIRST]) == 0
    kept = Path(book).read_bytes(), Path(book).stat().st_mtime_ns
    copy = tmp_path / "copy of it.jsonl"
    copy.write_bytes(Path(FIRST).read_bytes())
    capsys.readouterr()
    assert said(capsys, "match", book, str(copy)) == f"{copy} is kept already as hand 1"
    assert told(capsys, "match", book, str(copy))["told"] == [f"{copy} is kept already as hand 1"]
    assert (Path(book).read_bytes(), Path(book).stat().st_mtime_ns) == kept


def test_a_record_as_it_was_before_its_correction_is_no_step_back(
    book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever adds a folder of records twice meets the older one after the newer one."""
    assert run(["match", book, FIRST, CORRECTED]) == 0
    capsys.readouterr()
    line = said(capsys, "match", book, FIRST, CORRECTED)
    assert "hand1.jsonl is kept already as hand 1, with what was added to it later" in line
    assert points(book) == [[-25, -25]]
    assert "hand 1 is now north -25, south -24" in said(capsys, "match", book, "--edit", "1", FIRST)


def test_records_added_up_without_a_file_are_one_hand_each(capsys: pytest.CaptureFixture[str]) -> None:
    report = told(capsys, "match", FIRST, CORRECTED, FIRST)
    assert report["totals"] == {"north": -25, "south": -25}


@pytest.mark.parametrize(
    "lines",
    [
        [
            {
                "event": "ruling",
                "at": 1,
                "rule": "N3",
                "of": [3],
                "verdict": "legal",
                "why": "-",
                "ruling": "x",
            }
        ],
        [{"event": "score", "at": 9, "hand": {}, "match": {}, "winner": None, "final": True}],
        [{"event": "doubt", "at": 9, "of": 3, "candidates": [{"cards": ["AS"]}], "asks": "AS?"}],
        [{"event": "gap", "at": 9, "from": 1, "to": 2, "why": "dark"}],
        [DROP, {"event": "correct", "at": 13, "of": 5, "drop": True, "by": "anna"}],
    ],
    ids=["ruling", "score", "doubt", "gap", "correction and its withdrawal"],
)
def test_what_is_appended_leaves_it_the_same_hand(
    lines: list[dict[str, Any]], book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = record(tmp_path / "hand.jsonl")
    assert run(["match", book, str(first)]) == 0
    assert run(["match", book, appended(first, *lines)]) == 0
    assert points(book) == [[-26, -25]]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_record_written_in_another_way_is_the_same_hand(mark: str, book: str, tmp_path: Path) -> None:
    first = record(tmp_path / "hand.jsonl")
    lines = [json.loads(line) for line in first.read_text().splitlines()]
    other = tmp_path / "other.jsonl"
    other.write_text(mark + "".join(json.dumps(dict(reversed(line.items()))) + "\r\n" for line in lines))
    assert run(["match", book, str(first)]) == 0
    assert run(["match", book, str(other)]) == 0
    assert points(book) == [[-26, -25]]


@pytest.mark.parametrize("other", [UUID.upper(), UUID])
def test_the_id_of_the_header_is_the_hand(
    other: str, book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even where the lines were written anew; and a record that got its id later is known by its lines."""
    assert run(["match", book, str(record(tmp_path / "one.jsonl", id=UUID))]) == 0
    assert run(["match", book, str(record(tmp_path / "two.jsonl", id=other, at=2.5))]) == 0
    assert run(["match", book, str(record(tmp_path / "three.jsonl", at=2.5))]) == 0
    assert points(book) == [[-26, -25]]
    assert run(["match", book, str(record(tmp_path / "four.jsonl", at=3.5, id=UUID.replace("3", "4")))]) == 0
    assert points(book) == [[-26, -25]] * 2


def test_an_id_that_stands_for_none_makes_no_two_hands_one(book: str, tmp_path: Path) -> None:
    none = "00000000-0000-0000-0000-000000000000"
    for number in (1.0, 2.0):
        assert run(["match", book, str(record(tmp_path / f"{number}.jsonl", id=none, at=number))]) == 0
    assert points(book) == [[-26, -25]] * 2


def test_a_record_may_be_counted_as_a_hand_more_where_that_is_said(
    book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = record(tmp_path / "hand.jsonl")
    assert run(["match", book, str(first)]) == 0
    assert run(["match", book, str(first), "--again"]) == 0
    assert points(book) == [[-26, -25]] * 2
    capsys.readouterr()
    assert "is kept already as hand 1" in said(capsys, "match", book, str(first))
    later = appended(first, DROP)
    assert "is in the match as hands 1 and 2: say which it is" in complaint(capsys, "match", book, later)
    assert "is hand 1 already: add --edit 1" in complaint(capsys, "match", book, later, "--edit", "2")
    assert run(["match", book, later, "--edit", "2", "--again"]) == 0
    assert points(book) == [[-26, -25], [-26, -26]]


def test_the_same_record_with_its_seats_told_otherwise_is_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book, hand = str(tmp_path / "evening.json"), str(record(tmp_path / "hand.jsonl"))
    assert run(["match", book, "--seats", "anna,ben"]) == 0
    assert run(["match", book, hand, "--as", "north=anna", "--as", "south=ben"]) == 0
    assert run(["match", book, hand, "--as", "north=ben", "--as", "south=anna"]) == 0
    assert points(book) == [[-25, -26]]


def test_a_record_that_won_the_match_is_known_after_it(
    book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = str(record(tmp_path / "hand.jsonl"))
    assert run(["match", book, "north=90", "south=70"]) == 0
    assert run(["match", book, "--set", "target=200"]) == 0
    assert run(["match", book, hand]) == 0
    assert run(["match", book, "--set", "target=60"]) == 0
    capsys.readouterr()
    assert "is kept already as hand 2" in said(capsys, "match", book, hand)


def test_a_hand_that_was_taken_back_may_be_added_again(book: str) -> None:
    assert run(["match", book, FIRST]) == 0
    assert run(["match", book, "--undo"]) == 0
    assert run(["match", book, CORRECTED]) == 0
    assert points(book) == [[-25, -25]]


# -- photos --------------------------------------------------------------------------------------------------


@pytest.fixture
def photos(tmp_path: Path, pretended: PretendEye) -> list[str]:
    """Three photos of other cards each: 3 red and 2 blue backs, one of each, 4 blue ones."""
    shown = [["red"] * 3 + ["blue"] * 2, ["red", "blue"], ["blue"] * 4]
    paths = [tmp_path / f"photo{number}.png" for number in range(3)]
    for path, backs in zip(paths, shown, strict=True):
        save_image(path, picture(*backs))
    return [str(path) for path in paths]


def score(book: str, *photos: str, left: int = 7) -> list[str]:
    """The command that counts photos into a match."""
    decks = ["--deck", "red=north", "--deck", "blue=south", "--left", f"south={left}"]
    return ["score", *photos, "--apart", "--match", book, *decks]


def test_the_same_photos_are_one_hand_in_any_order(
    photos: list[str], book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(score(book, *photos[:2])) == 0
    kept = Path(book).read_bytes()
    copy = tmp_path / "IMG_0001.png"
    copy.write_bytes(Path(photos[0]).read_bytes())
    capsys.readouterr()
    assert run(score(book, photos[1], str(copy))) == 0
    assert "the hand in these photos is kept already as hand 1\n" in capsys.readouterr().out
    report = told(capsys, *score(book, *photos[:2]))
    assert report["match_told"] == "the hand in these photos is kept already as hand 1"
    assert report["match"] == {"north": 4, "south": -11}
    assert Path(book).read_bytes() == kept


def test_the_same_photos_counted_otherwise_take_the_place_of_the_hand(
    photos: list[str], book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(score(book, photos[0])) == 0
    capsys.readouterr()
    assert run(score(book, photos[0], left=1)) == 0
    out = capsys.readouterr().out
    assert "hand 1 is now north 3, south 0 (it was north 3, south -12)\n" in out
    assert points(book) == [[3, 0]]


@pytest.mark.parametrize("now", [(0, 1, 2), (0,), (0, 2)], ids=["one more", "one less", "another one"])
def test_photos_of_which_some_are_kept_are_asked_about(
    now: tuple[int, ...], photos: list[str], book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(score(book, *photos[:2])) == 0
    kept, given = Path(book).read_bytes(), [photos[number] for number in now]
    capsys.readouterr()
    assert run(score(book, *given)) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"of the {len(now)} photos" in err and "add --edit 1 to put this hand in its place" in err
    assert Path(book).read_bytes() == kept
    assert run([*score(book, *given), "--edit", "1"]) == 0
    assert len(points(book)) == 1
    assert run([*score(book, *photos[:2]), "--again"]) == 0
    assert len(points(book)) == 2


def test_the_photo_of_a_left_over_pile_belongs_to_its_hand(
    photos: list[str], book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pile = tmp_path / "pile.png"
    save_image(pile, picture("blue", "blue", "blue"))
    hand = [*score(book, photos[0])[:-1], f"south={pile}"]
    assert run(hand) == 0
    capsys.readouterr()
    assert run([*score(book, photos[1])[:-1], f"south={pile}"]) == 2
    assert "1 of the 2 photos is of hand 1 already" in capsys.readouterr().err


def test_other_photos_of_as_many_cards_are_another_hand(photos: list[str], book: str, tmp_path: Path) -> None:
    other = tmp_path / "other.png"
    save_image(other, picture(*["red"] * 3 + ["blue"] * 2, height=130))
    assert run(score(book, photos[0])) == 0
    assert run(score(book, str(other))) == 0
    assert points(book) == [[3, -12], [3, -12]]
