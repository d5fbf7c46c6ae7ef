"""`nerts-referee match` and `score --match`: a match kept in a file, from its first hand to its winner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from matches import complaint, record, told
from pretend import PretendEye, picture

from referee.commands.program import run
from vision.capture.frames import save_image


@pytest.fixture
def book(tmp_path: Path) -> str:
    return str(tmp_path / "evening.json")


def test_a_match_to_its_winner(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["match", book, "--seats", "anna,ben", "--set", "target=60"]) == 0
    assert run(["match", book, "anna=31/0", "ben=12/8"]) == 0
    assert run(["match", book, "ben=64", "anna=29"]) == 0
    capsys.readouterr()
    assert run(["match", book]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "hand      anna       ben",
        "   1        31        -4",
        "   2        29        64",
        " sum        60        60",
        "anna and ben are level at 60: one more hand",
    ]
    report = told(capsys, "match", book, "anna=1", "ben=0")
    assert (report["totals"], report["winner"]) == ({"anna": 61, "ben": 60}, "anna")
    assert "anna won the match already" in complaint(capsys, "match", book, "anna=1", "ben=0")
    assert told(capsys, "match", book, "--set", "target=100")["winner"] is None
    assert told(capsys, "match", book, "anna=1", "ben=0")["totals"] == {"anna": 62, "ben": 60}


def test_undo_and_redo_live_in_the_file(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["match", book, "--seats", "anna,ben"]) == 0
    assert run(["match", book, "anna=31/0", "ben=12/8"]) == 0
    assert run(["match", book, "anna=-3", "ben=20"]) == 0
    full = Path(book).read_text()
    capsys.readouterr()
    assert run(["match", book, "--undo"]) == 0
    assert capsys.readouterr().out.startswith("taken back: anna -3, ben 20\n")
    assert told(capsys, "match", book, "--undo")["totals"] == {"anna": 0, "ben": 0}
    assert "no hand to take back" in complaint(capsys, "match", book, "--undo")
    assert run(["match", book, "--redo"]) == 0
    assert run(["match", book, "--redo"]) == 0
    assert Path(book).read_text() == full
    capsys.readouterr()
    assert "no hand was taken back" in complaint(capsys, "match", book, "--redo")
    assert run(["match", book, "--undo"]) == 0
    assert run(["match", book, "anna=5", "ben=5"]) == 0
    capsys.readouterr()
    assert "no hand was taken back" in complaint(capsys, "match", book, "--redo")


def test_partners_have_one_total(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["match", book, "--game", "team-nuts", "--seats", "north+east,south+west"]) == 0
    assert run(["match", book, "north+east=25/0", "west=10/11"]) == 0
    capsys.readouterr()
    report = told(capsys, "match", book, "east=230", "south=0")
    assert report["totals"] == {"north": 255, "east": 255, "south": -12, "west": -12}
    assert report["winner"] == ["north", "east"]


def test_the_caller_has_the_bonus_of_the_game(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["match", book, "--seats", "anna,ben", "--game", "nna-singles"]) == 0
    capsys.readouterr()
    counted = ["anna=20/0", "ben=20/0"]
    assert "nna-singles pays the caller 10: say who called" in complaint(capsys, "match", book, *counted)
    assert "unknown seat 'cleo'" in complaint(capsys, "match", book, *counted, "--call", "cleo")
    false_call = complaint(capsys, "match", book, "anna=20/1", "ben=20/0", "--call", "anna")
    assert "anna called with 1 cards left: a false call ends no hand" in false_call
    report = told(capsys, "match", book, *counted, "--call", "ben")
    assert report["totals"] == {"anna": 20, "ben": 30}
    assert report["hands"][0]["hand"]["ben"] == {"centre": 20, "left": 0, "bonus": 10, "points": 30}
    assert told(capsys, "match", book, *counted, "--call", "nobody")["totals"] == {"anna": 40, "ben": 50}


def test_kings_and_the_penalty_of_the_house(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    house = ["--set", "king_points=5", "--set", "penalty=3"]
    assert run(["match", book, "--seats", "anna,ben", *house]) == 0
    capsys.readouterr()
    assert told(capsys, "match", book, "anna=20/2/3", "ben=9/4")["totals"] == {"anna": 29, "ben": -3}


def test_a_record_is_a_hand(book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = record(tmp_path / "one.jsonl"), record(tmp_path / "two.jsonl", at=2.0)
    report = told(capsys, "match", book, str(first), str(second))
    assert report["totals"] == {"north": -52, "south": -50}
    assert [hand["record"] for hand in report["hands"]] == [str(first), str(second)]
    assert report["hands"][0]["hand"]["south"]["centre"] == 1
    kept = Path(book).read_text()
    assert told(capsys, "match", book, str(first))["told"] == [f"{first} is kept already as hand 1"]
    assert Path(book).read_text() == kept
    assert run(["match", book, "--undo"]) == 0
    assert run(["match", book, str(second)]) == 0


def test_the_seats_of_a_record_under_their_players_names(
    book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = str(record(tmp_path / "hand.jsonl"))
    assert run(["match", book, "--seats", "anna,ben"]) == 0
    capsys.readouterr()
    assert "unknown seat 'north' (playing: anna, ben)" in complaint(capsys, "match", book, hand)
    names = ["--as", "north=ben", "--as", "south=anna"]
    assert told(capsys, "match", book, hand, *names)["totals"] == {"anna": -25, "ben": -26}


def test_a_record_that_begins_a_match_says_what_it_is_played_to(
    book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = record(tmp_path / "hand.jsonl", settings={"target": 20}, match={"north": 50})
    report = told(capsys, "match", book, str(hand), "--as", "north=ben")
    assert (report["target"], report["totals"], report["winner"]) == (20, {"ben": 24, "south": -25}, "ben")


@pytest.mark.parametrize("option", [["--set", "target=20"], ["--game", "nuts"]])
def test_rules_beside_the_record_that_begins_a_match_are_not_passed_over(
    option: list[str], book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = str(record(tmp_path / "hand.jsonl"))
    assert "its first record brings its rules: add --seats" in complaint(capsys, "match", book, hand, *option)
    assert not Path(book).exists()


def test_records_are_added_up_without_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hands = [str(record(tmp_path / f"{n}.jsonl", at=n)) for n in (1, 2, 3)]
    assert told(capsys, "match", *hands)["totals"] == {"north": -78, "south": -75}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.jsonl", "2.jsonl", "3.jsonl"]
    assert "is the record of a hand: name the match's file" in complaint(capsys, "match", hands[0], "--undo")


def test_one_bad_record_of_several_adds_none(
    book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = str(record(tmp_path / "good.jsonl"))
    open_end = str(record(tmp_path / "open.jsonl", ended=False))
    (tmp_path / "bad.jsonl").write_text(Path(good).read_text() + '{"event": "play"\n')
    assert run(["match", book, "--seats", "north,south"]) == 0
    kept = Path(book).read_text()
    capsys.readouterr()
    assert "the hand has not ended" in complaint(capsys, "match", book, good, open_end)
    assert "bad.jsonl: line 6" in complaint(capsys, "match", book, good, str(tmp_path / "bad.jsonl"))
    assert "no such file" in complaint(capsys, "match", book, good, str(tmp_path / "none.jsonl")).lower()
    assert Path(book).read_text() == kept


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ({"settings": {"penalty": 1}}, "was played with penalty = 1, the match with 2"),
        ({"game": "nna-singles"}, "was played with caller_bonus = 10, the match with 0"),
    ],
)
def test_hands_counted_otherwise_are_not_mixed(
    header: dict[str, Any], says: str, book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, "--seats", "north,south", "--game", "tournament"]) == 0
    assert run(["match", book, str(record(tmp_path / "same.jsonl"))]) == 0
    capsys.readouterr()
    assert says in complaint(capsys, "match", book, str(record(tmp_path / "other.jsonl", **header)))


def test_a_file_of_plain_totals_goes_on_as_a_match(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(book).write_text('{"anna": 40, "ben": 31.5}')
    assert told(capsys, "match", book)["totals"] == {"anna": 40, "ben": 31.5}
    assert Path(book).read_text() == '{"anna": 40, "ben": 31.5}'
    assert told(capsys, "match", book, "anna=12", "ben=1")["winner"] == "anna"
    assert told(capsys, "match", book, "--undo")["totals"] == {"anna": 40, "ben": 31.5}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["anna=1"], "no points for ben"),
        (["anna=1", "cleo=2"], "unknown seat 'cleo' (playing: anna, ben)"),
        (["anna=1", "anna=2"], "names 'anna' twice"),
        (["anna=1", "ben=many"], "ben=many is no score: north=15 by points, or north=23/4"),
        (["anna=1", "ben=2/-1"], "ben=2/-1 is no score"),
        (["anna=1", "ben=2/3"], "the whole hand as points or the whole hand as CENTRE/LEFT"),
        (["anna=4/23", "ben=2/3"], "anna has 23 cards left, 13 are dealt: centre first, then left"),
        (["anna=48/5", "ben=2/3"], "anna has 53 cards, a deck has 52"),
        (["anna=40/5/5", "ben=2/3"], "anna has 5 kings among 40 cards"),
        (["anna=1", "ben=1", "--call", "anna"], "points hold the bonus already"),
        (["--call", "anna"], "--call anna belongs to a typed hand"),
        (["anna=1", "ben=1", "--undo"], "one thing at a time"),
        (["--undo", "--redo"], "one thing at a time"),
        (["--seats", "a,b"], "keeps a match already: choose another file"),
        (["--set", "penalty=-1"], "setting 'penalty' cannot be -1"),
        (["hand.jsonl"], "hand.jsonl cannot be read"),
        (["/"], "/ is a folder: name the record in it"),
    ],
)
def test_what_cannot_be_written_down_changes_nothing(
    arguments: list[str], says: str, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, "--seats", "anna,ben"]) == 0
    kept = Path(book).read_text()
    capsys.readouterr()
    assert says in complaint(capsys, "match", book, *arguments)
    assert Path(book).read_text() == kept


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "cannot be read (no such file): start one with: nerts-referee match "),
        (["anna=1"], "cannot be read (no such file): start one with: nerts-referee match "),
        (["--seats", "anna"], "a match needs two players or more"),
        (["--seats", "anna,,ben"], "leaves a seat without a name"),
        (["--seats", "anna,ben+anna"], "seat 'anna' is named twice"),
        (["--seats", "anna,ben", "--game", "whist"], "unknown game 'whist'"),
        (["--seats", "anna,ben", "--game", "canfield"], "canfield is not played to a target"),
        (["--seats", "anna,ben", "--game", "team-nuts"], "team-nuts is played by two and two partners"),
        (["--seats", "anna,ben", "anna=1"], "no points for ben"),
    ],
)
def test_a_match_that_cannot_begin_leaves_no_file(
    options: list[str], says: str, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in complaint(capsys, "match", book, *options)
    assert list(Path(book).parent.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is not JSON"),
        ("[" * 100_000, "it is nested too deep"),
        ("[]", "it holds no match"),
        ("{}", "it holds no match"),
        ('{"anna": "4"}', "field 'match' must be 1"),
        ('{"match": 1}', "field 'game' or 'settings' is missing"),
        ('{"match": 1, "game": "nerts", "sides": ["a", "b"]}', "field 'sides' must list"),
        ('{"match": 1, "game": "nerts", "sides": [["a"], ["b"]], "hands": 3}', "field 'hands' is no list"),
        ('{"match": 1, "game": "nerts", "sides": [["a"], ["b"]], "hands": [{}]}', "holds no points by seat"),
        (
            '{"match": 1, "game": "nerts", "sides": [["a"], ["b"]], "hands": [{"points": {"a": 1}}]}',
            "no points for b",
        ),
        (
            '{"match": 1, "game": "nerts", "sides": [["a"], ["b"]], "undone": [{"points": {"a": 1}}]}',
            "'undone' holds points of other seats",
        ),
        ('{"match": 1, "game": "nerts", "sides": [["a"], ["b"]], "before": {"c": 1}}', "unknown seat 'c'"),
        (
            '{"match": 1, "game": "nerts", "settings": {"x": 1}, "sides": [["a"], ["b"]]}',
            "unknown setting 'x'",
        ),
    ],
)
def test_a_file_that_is_no_match(text: str, says: str, book: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(book).write_text(text)
    said = complaint(capsys, "match", book, "--undo")
    assert says in said
    assert "is no match file" in said
    assert Path(book).read_text() == text


def test_a_file_that_cannot_be_written_stays_as_it_was(
    book: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, "--seats", "anna,ben"]) == 0
    kept = Path(book).read_text()
    capsys.readouterr()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert "cannot be written (No space left" in complaint(capsys, "match", book, "anna=1", "ben=2")
    assert Path(book).read_text() == kept
    assert [path.name for path in Path(book).parent.iterdir()] == ["evening.json"]


# -- photos --------------------------------------------------------------------------------------------------


@pytest.fixture
def photo(tmp_path: Path, pretended: PretendEye) -> str:
    """Three red backs and two blue ones."""
    path = tmp_path / "spread.png"
    save_image(path, picture("red", "red", "red", "blue", "blue"))
    return str(path)


def test_score_writes_the_hand_into_the_match(
    photo: str, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, "--seats", "anna,ben", "--set", "penalty=1"]) == 0
    capsys.readouterr()
    hand = ["score", photo, "--match", book, "--deck", "red=anna", "--deck", "blue=ben", "--left", "ben=7"]
    report = told(capsys, *hand)
    assert report["match"] == {"anna": 3, "ben": -5}
    assert [deck["points"] for deck in report["decks"]] == [3, -5]
    assert run([*hand, "--again"]) == 0
    assert "   2         3        -5\n sum         6       -10\n" in capsys.readouterr().out
    assert told(capsys, "match", book, "--undo")["totals"] == {"anna": 3, "ben": -5}


def test_both_labels_of_a_players_deck_count_in_the_match(
    photo: str, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, "--seats", "anna,ben"]) == 0
    capsys.readouterr()
    hand = ["score", photo, "--match", book, "--deck", "red=anna", "--deck", "blue=anna"]
    assert told(capsys, *hand, "--left", "anna=1", "--left", "ben=13")["match"] == {"anna": 3, "ben": -26}


def test_score_asks_for_a_player_without_a_card_in_the_centre(
    photo: str, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, "--seats", "anna,ben,cleo"]) == 0
    hand = ["score", photo, "--match", book, "--deck", "red=anna", "--deck", "blue=ben"]
    assert run(hand) == 2
    assert "no card of cleo is in the photos: add --left cleo=N" in capsys.readouterr().err
    assert told(capsys, *hand, "--left", "cleo=13")["match"] == {"anna": 3, "ben": 2, "cleo": -26}


@pytest.mark.parametrize(
    ("start", "options", "says"),
    [
        (["--seats", "anna,ben"], ["--deck", "red=anna"], "the blue deck is nobody's: add --deck blue=SEAT"),
        (["--seats", "red,blue", "--game", "nna-singles"], [], "pays the caller 10: say who called"),
        (["--seats", "red,blue", "--set", "king_points=1"], [], "backs do not show kings"),
    ],
)
def test_score_is_told_but_not_added(
    start: list[str],
    options: list[str],
    says: str,
    photo: str,
    book: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["match", book, *start]) == 0
    kept = Path(book).read_text()
    capsys.readouterr()
    assert run(["score", photo, "--match", book, *options]) == 2
    said = capsys.readouterr()
    assert "5 cards by the backs" in said.out
    assert "the hand is not added to" in said.err and says in said.err
    assert Path(book).read_text() == kept


def test_faces_alone_add_nothing(
    pretended: PretendEye, book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_image(tmp_path / "faces.png", picture("ace", "ace"))
    assert run(["match", book, "--seats", "anna,ben"]) == 0
    capsys.readouterr()
    assert run(["score", str(tmp_path / "faces.png"), "--match", book]) == 2
    assert "add a photo of them spread backs up" in capsys.readouterr().err


def test_the_page_about_matches_shows_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[3] / "docs/match.md").read_text("utf-8")
    block = [line.split("#")[0].split() for line in page.splitlines() if line.startswith("    nerts-referee")]
    assert len(block) == 7
    monkeypatch.chdir(tmp_path)
    record(tmp_path / "hand3.jsonl")
    for _, *arguments in block:
        names = ["--as", "north=anna", "--as", "south=ben"] if "hand3.jsonl" in arguments else []
        capsys.readouterr()
        assert run([*arguments, *names]) == 0
    assert capsys.readouterr().out == page.split("```\n")[1]
