"""Films of the umpire's measure: planned, made one by one, resumed, held against their truth. Nothing is rendered."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from datasets.play.plants import PLANTS
from scripts.building import BuildError
from scripts.measure.rows import Rows, files_of
from scripts.measure.staged.entered import Clip
from scripts.measure.umpire import digest, refereed, running
from scripts.measure.umpire.__main__ import PAGE, ROWS, main
from scripts.measure.umpire.filming import Made, NotFilmedError
from scripts.measure.umpire.judging import row_of, shifted
from scripts.measure.umpire.page import page
from scripts.measure.umpire.plan import Film, planned
from scripts.measure.umpire.refereed import Refereed
from scripts.measure.umpire.running import Measured, Run, run

ROOT = Path(__file__).resolve().parents[3]
Line = dict[str, Any]

FILM = Film("two-01", "two", 7)
FILMS = [replace(FILM, name=f"two-{number:02d}") for number in range(1, 5)]


# -- the plan ----------------------------------------------------------------------------------------------


def test_the_plan_holds_what_a_report_needs() -> None:
    films = planned(7)
    hands = [film for film in films if film.group not in ("plants", "ties")]
    by_players = Counter(film.group for film in hands)
    assert len(hands) >= 40
    assert min(by_players[group] for group in ("two", "three and four", "five and six")) >= 12
    assert {film.fps for film in hands} == {30, 60}
    assert {film.game for film in hands} == {
        "nerts",
        "nerts-minus-one",
        "one-per-suit",
        "nuts",
        "team-nuts",
        "nerts-twelve",
    }
    assert {kind for film in hands for kind in film.mishaps} >= {
        "knock",
        "lamp",
        "lean",
        "rest",
        "bump",
        "drop",
    }
    kinds = Counter(kind for film in films if film.group == "plants" for kind in film.plants)
    assert set(kinds) == set(PLANTS) - {"tie-left"} and min(kinds.values()) >= 3
    ties = [film for film in films if film.tie is not None]
    assert len(ties) >= 200 and Counter(film.fps for film in ties)[60] == len(ties) // 2


def test_no_two_films_are_alike_and_another_seed_draws_all_afresh() -> None:
    films, others = planned(7), planned(8)
    assert len({film.key for film in (*films, *others)}) == len(films) + len(others)
    assert [film.name for film in films] == [film.name for film in others]
    assert len({film.seed() for film in (*films, *others)}) == len(films) + len(others)
    assert [film.key for film in planned(7)] == [film.key for film in films]
    assert films[0].seed(0) != films[0].seed(1)


def test_whoever_stops_early_has_some_of_each_group() -> None:
    films = planned(7)
    assert len({film.group for film in films[:8]}) == 8


# -- rows --------------------------------------------------------------------------------------------------


def row(film: Film = FILM, made_of: str = "aaaa", **more: Any) -> Line:
    return {"sources": made_of, "film": film.key, "name": film.name, **more}


def test_rows_of_one_state_of_the_sources_are_merged_and_none_is_added_twice(tmp_path: Path) -> None:
    rows = Rows(tmp_path / "deep" / "rows.jsonl")
    for one in (row(FILMS[0]), row(FILMS[1], "bbbb"), row(FILMS[2]), row(FILMS[0], seconds=9)):
        rows.add(one)
    again = Rows(rows.path)
    assert [one["film"] for one in again.of("aaaa")] == [FILMS[0].key, FILMS[2].key]
    assert again.of("aaaa")[0] == row(FILMS[0]) and again.newest == "aaaa"
    assert again.has("bbbb", FILMS[1].key) and not again.has("bbbb", FILMS[0].key)
    assert again.forget(["aaaa"]) == 1 and len(Rows(rows.path)) == 2


def test_a_row_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = Rows(path)
    rows.add(row(FILMS[0]))
    whole = path.read_bytes()
    for cut in (1, 20, 50):
        path.write_bytes(whole + whole[:cut])
        again = Rows(path)
        assert len(again) == 1
        again.add(row(FILMS[1]))
        assert [json.loads(line) for line in path.read_text().splitlines()] == [row(FILMS[0]), row(FILMS[1])]
    # of a whole row only the line's end may be missing
    path.write_bytes(whole.rstrip(b"\n"))
    again = Rows(path)
    again.add(row(FILMS[1]))
    assert len(Rows(path)) == 2


def test_what_is_no_row_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row()) + "\n<<<<<<< HEAD\n" + json.dumps(row(FILMS[1])) + "\n")
    assert main(["--rows", str(path), "--page", "--out", str(tmp_path / "u.md")]) == 2
    said = capsys.readouterr().err
    assert f"{path}, line 2: this is no row" in said and said.count("\n") == 1
    assert not (tmp_path / "u.md").exists()


# -- the sources -------------------------------------------------------------------------------------------


def test_rows_are_known_by_the_sources_that_matter_and_by_no_others(tmp_path: Path) -> None:
    for name in ("referee/umpire", "vision/capture", "scripts/measure/umpire", "referee/web"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "static"))
    before = digest.sources(tmp_path)
    for name in ("scripts/measure/umpire/page.py", "scripts/measure/umpire/plan.toml", "referee/web/x.py"):
        (tmp_path / name).write_text("# otherwise\n")
        assert digest.sources(tmp_path) == before, name
    seen = {before}
    for name in (
        "referee/umpire/beam.py",
        "vision/capture/video.py",
        "scripts/measure/umpire/judging.py",
        "vision/new.py",
    ):
        (tmp_path / name).write_text("# otherwise\n")
        seen.add(digest.sources(tmp_path))
    assert len(seen) == 5


#: What is loaded besides, and changes no figure: errors, matches, and how rows are kept.
OF_NO_MATTER = re.compile(
    r"referee/(errors|textfiles|matches/.*|__init__)\.py|scripts/(building|here)\.py|.*/__init__\.py"
    r"|scripts/measure/(rows|umpire/(digest|running|strips))\.py|scripts/measure/layouts/(eye|faults)\.py|models/.*"
)


def test_all_that_films_and_referees_matters() -> None:
    """What is loaded on the way to a row, and is forgotten in the digest, would let rows of two states be merged."""
    loads = "import sys, scripts.measure.umpire.running, vision.eye"
    tells = "print(*(m.__file__ for m in sys.modules.values() if getattr(m, '__file__', None)), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", f"{loads}; {tells}"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    mine = {Path(line) for line in done.stdout.splitlines() if Path(line).is_relative_to(ROOT)}
    own = {file.relative_to(ROOT).as_posix() for file in mine if ".venv" not in file.as_posix()}
    known = {file.relative_to(ROOT).as_posix() for file in files_of(digest.MATTER, ROOT)}
    assert len(own & known) > 100
    assert sorted(name for name in own - known if not OF_NO_MATTER.fullmatch(name)) == []


# -- one film after the other ------------------------------------------------------------------------------


class Counting:
    """Measures without a film, and notes where it would lie; breaks where it is told to."""

    def __init__(self, breaks_at: str = "", refuses: str = "") -> None:
        self.made: list[str] = []
        self.breaks_at, self.refuses = breaks_at, refuses

    def __call__(self, film: Film, folder: Path) -> Measured:
        assert list(folder.iterdir()) == []
        (folder / "film.mp4").write_bytes(b"film")
        if film.name == self.breaks_at:
            raise KeyboardInterrupt
        if film.name == self.refuses:
            raise NotFilmedError(f"{film.name}: no such hand")
        self.made.append(film.name)
        return {"film": film.key, "name": film.name, "failures": []}, []


def asked(tmp_path: Path, measure: Counting, **more: Any) -> Run:
    rows = Rows(tmp_path / "rows.jsonl")
    return Run(FILMS, rows, tmp_path / "pictures", tmp_path / "films", measure=measure, **more)


def ignored(_: object) -> None:
    pass


@pytest.fixture(autouse=True)
def same_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "sources", lambda: "aaaa")


def test_a_run_that_was_stopped_goes_on_and_leaves_no_film(tmp_path: Path) -> None:
    first = Counting(breaks_at="two-03")
    with pytest.raises(KeyboardInterrupt):
        run(asked(tmp_path, first), ignored, ignored)
    assert first.made == ["two-01", "two-02"] and len(Rows(tmp_path / "rows.jsonl")) == 2
    again = Counting()
    told: list[str] = []
    assert run(asked(tmp_path, again), lambda one: told.append(one["name"]), ignored) == 2
    assert again.made == told == ["two-03", "two-04"]
    assert len(Rows(tmp_path / "rows.jsonl").of("aaaa")) == 4
    assert list((tmp_path / "films").iterdir()) == []
    assert run(asked(tmp_path, Counting()), ignored, ignored) == 0


def test_other_sources_make_every_row_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(asked(tmp_path, Counting()), ignored, ignored)
    monkeypatch.setattr(running, "sources", lambda: "bbbb")
    assert run(asked(tmp_path, Counting()), ignored, ignored) == 4
    assert len(Rows(tmp_path / "rows.jsonl").of("bbbb")) == 4


def test_what_is_measured_while_the_sources_change_is_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = iter(["aaaa", "aaaa", "bbbb"])
    monkeypatch.setattr(running, "sources", lambda: next(states))
    with pytest.raises(BuildError, match="have changed meanwhile"):
        run(asked(tmp_path, Counting()), ignored, ignored)
    assert len(Rows(tmp_path / "rows.jsonl")) == 1


def test_no_film_is_begun_after_the_time_that_there_is(tmp_path: Path) -> None:
    assert run(asked(tmp_path, Counting(), seconds=-1.0), ignored, ignored) == 0


def test_what_cannot_be_filmed_is_said_and_passed_over(tmp_path: Path) -> None:
    said: list[str] = []
    assert run(asked(tmp_path, Counting(refuses="two-02")), ignored, said.append) == 3
    assert said == ["two-02: no such hand"] and len(Rows(tmp_path / "rows.jsonl")) == 3


def test_films_are_made_side_by_side_and_each_once(tmp_path: Path) -> None:
    measure = Counting()
    assert run(asked(tmp_path, measure, jobs=3), ignored, ignored) == 4
    assert sorted(measure.made) == [film.name for film in FILMS]


# -- held against the truth --------------------------------------------------------------------------------

SAMPLE = [json.loads(line) for line in (ROOT / "referee/sample/hand.truth.jsonl").read_text().splitlines()]
PLAYS, DRAWS = (sum(line.get("event") == kind for line in SAMPLE) for kind in ("play", "draw"))
#: The planted play of the sample.
OF = next(
    number for number, line in enumerate(SAMPLE) if line.get("event") == "play" and 12 < line["at"] < 20
)


def made(film: Film = FILM, truths: list[list[Line]] | None = None, **entry: Any) -> Made:
    staged = [{"kind": "wrong-colour", "rule": "N5", "of": OF, "cards": ["west 4H"], "shown": 9, **entry}]
    return Made(film, Path("film.mp4"), truths or [SAMPLE], staged if entry else [], 2.0, [], 60.0, 100.0)


def plays_of(found: Line) -> list[Line]:
    return [hand["plays"] for hand in found["hands"]]


def test_the_truth_is_right_in_everything() -> None:
    found = row_of(made(), Refereed([SAMPLE], looks=100))
    assert plays_of(found) == [{"true": PLAYS, "right": PLAYS, "wrong": 0, "missed": 0, "invented": 0}]
    assert found["hands"][0]["draws"]["right"] == DRAWS and found["hands"][0]["score_right"]
    assert (found["failures"], found["false_illegal"], found["refused"]) == ([], 0, "")
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    "found", [Refereed(refused="no cards are seen"), Refereed([SAMPLE], refused="broke: KeyError")]
)
def test_a_film_that_is_refused_or_lost_counts_all_its_plays_as_missed(found: Refereed) -> None:
    one = row_of(made(shown=9), found)
    assert plays_of(one) == [{"true": PLAYS, "right": 0, "wrong": 0, "missed": PLAYS, "invented": 0}]
    assert one["hands"][0]["draws"]["missed"] == DRAWS and not one["hands"][0]["score_right"]
    assert one["planted"][0]["how"] == "missed" and len(one["failures"]) > 0


def test_a_play_that_was_not_made_is_invented_and_so_is_a_hand_that_was_not_played() -> None:
    last = max(n for n, line in enumerate(SAMPLE) if line.get("event") == "play")
    without = [*SAMPLE[:last], *SAMPLE[last + 1 :]]
    assert plays_of(row_of(made(truths=[without]), Refereed([SAMPLE])))[0]["invented"] == 1
    two = row_of(made(), Refereed([SAMPLE, SAMPLE]))
    assert [plays["invented"] for plays in plays_of(two)] == [0, PLAYS]
    lost = row_of(made(truths=[SAMPLE, SAMPLE]), Refereed([SAMPLE]))
    assert [plays["missed"] for plays in plays_of(lost)] == [0, PLAYS]


@pytest.mark.parametrize(("shown", "asked_for"), [(5, 1), (4, 0)])
def test_what_hardly_shows_is_asked_of_nobody(shown: int, asked_for: int) -> None:
    true = SAMPLE[OF]
    found = row_of(made(shown=shown, cards=[f"{true['seat']} {true['cards'][0]}"]), Refereed([SAMPLE]))
    assert len(found["planted"]) == asked_for
    assert all(flag["kind"] == "wrong-colour" and flag["at"] == true["at"] for flag in found["planted"])


TIE_TRUTH: list[Line] = [
    {
        "record": 1,
        "game": "nerts",
        "settings": {},
        "seats": [{"seat": "south", "deck": "a"}, {"seat": "north", "deck": "b"}],
    },
    *(
        {"event": "play", "at": at, "seat": seat, "cards": ["2H"], "from": "work 1", "to": "foundation 1"}
        for at, seat in ((10.0, "south"), (10.2, "north"))
    ),
]


def test_a_tie_that_is_lost_has_no_winner_and_no_landing() -> None:
    film = replace(FILM, name="tie-004", group="ties", tie=4)
    # what is filmed is of no matter once it was refereed
    clip: Any = Clip(Path("film.mp4"), None, None, TIE_TRUTH, 30, 5.0)  # type: ignore[arg-type]
    one = replace(made(film, [TIE_TRUTH]), clip=clip)
    found = row_of(one, Refereed(refused="broke: KeyError: 'south'"))
    assert found["hands"] == [] and found["tie"]["number"] == 4
    assert (found["tie"]["said"], found["tie"]["plays"], found["tie"]["landings"]) == ("", 0, 0)
    said = page([{**found, "sources": "aaaa", "commit": "abc", "machine": "a machine", "strips": []}], [film])
    assert (
        "| ties by time alone, from 200 ms (30 frames a second), 100 ms (60) on: first right | ≥ 90 % | 0.0 %"
        in said
    )


def test_a_film_of_the_middle_of_a_hand_is_held_against_its_seconds_of_the_hand() -> None:
    later = replace(FILM, since=20.0)
    early = [line for line in SAMPLE if line.get("at", 0.0) <= 20.0]
    told = [shifted(line, -20.0) for line in SAMPLE if line not in early or "record" in line]
    assert shifted(shifted(SAMPLE[OF], -20.0), 20.0) == SAMPLE[OF]
    found = row_of(made(later), Refereed([told]))
    # what lands in the first 3 s is asked of nobody
    before = sum(line.get("event") == "play" and line["at"] < 23.0 for line in SAMPLE)
    assert plays_of(found)[0]["true"] == PLAYS - before
    assert row_of(made(later), Refereed())["hands"][0]["plays"]["missed"] == PLAYS - before


def test_a_correction_is_moved_with_what_it_puts_in() -> None:
    line = {
        "event": "correct",
        "at": 4.0,
        "of": 3,
        "insert": [{"event": "play", "at": 3.0, "landed": [2.9, 3.1]}],
    }
    moved = shifted(line, 10.0)
    assert (moved["at"], moved["insert"][0]["at"], moved["insert"][0]["landed"]) == (14.0, 13.0, [12.9, 13.1])
    assert line["at"] == 4.0 and line["insert"] == [{"event": "play", "at": 3.0, "landed": [2.9, 3.1]}]


# -- the page ----------------------------------------------------------------------------------------------


def rows_for_the_page() -> list[Line]:
    more = {"sources": "aaaa", "commit": "abc", "machine": "a machine", "strips": []}
    cost = {"looks": 160, "look_cpu_s": 4.8, "whole_looks": 3, "whole_cpu_s": 2.0, "cpu_s": 30.0}
    right = row_of(made(FILMS[0], shown=9), Refereed([SAMPLE], **cost))  # type: ignore[arg-type]
    refused = row_of(made(FILMS[1]), Refereed(refused="no cards are seen: light the table"))
    return [{**right, **more, "strips": ["two-01-1.jpg"]}, {**refused, **more}]


def test_the_page_says_what_is_asked_and_what_is_so() -> None:
    said = page(rows_for_the_page(), FILMS)
    assert "**So far 2 of 4** films" in said
    assert f"{PLAYS} of {2 * PLAYS}" in said
    assert "| plays right, two players | ≥ 99.5 % | 50.0 %" in said
    assert "* two-02: no cards are seen: light the table" in said
    assert "| hands of two with the exact score and no false flag | ≥ 85 % | 50.0 %" in said
    assert "{" not in said and "None" not in said


def test_a_look_at_a_place_is_told_apart_from_those_at_whole_tables() -> None:
    rows = rows_for_the_page()
    said = page(rows, FILMS)
    assert "| CPU a look, ms, and at a place alone |" in said and "| 30, 18 |" in said
    before = [{name: told for name, told in row.items() if "whole" not in name} for row in rows]
    said = page(before, FILMS)
    assert "| CPU a look, ms |" in said and "| 30 |" in said


def test_looks_at_whole_tables_are_counted_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    class Eye:
        def __init__(self, threads: int) -> None:
            pass

        def see(self, image: str, **_: Any) -> str:
            return image

    monkeypatch.setattr(refereed, "Eye", Eye)
    eye = refereed.CountingEye()
    assert eye.see("deal", to_follow=True) == "deal"
    assert eye.see("place", to_table="known") == "place" == eye.see("place", to_table="known")
    assert (eye.looks, eye.whole_looks) == (3, 1)
    assert 0 < eye.whole_cpu_s < eye.cpu_s


def test_the_page_of_this_project_is_made_of_its_rows() -> None:
    rows = Rows(ROOT / ROWS)
    newest = rows.of(rows.newest or "")
    films = planned(newest[0]["seed"], newest[0]["split"])
    shown = [one for one in newest if one["film"] in {film.key for film in films}]
    assert (ROOT / PAGE).read_text(encoding="utf-8") == page(shown, films)
    pictures = {name for one in shown for name in one["strips"]}
    folder = (ROOT / PAGE).with_suffix("")
    assert pictures == {path.name for path in folder.glob("*.jpg")}
    assert sum(path.stat().st_size for path in folder.glob("*.jpg")) < 2_000_000
