"""Hands refereed from layouts alone: what the eye is told, how it errs, what comes of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from datasets.play.deeds import Game, House
from referee.rules.places import FOUNDATION, Place
from scripts.building import BuildError
from scripts.here import ROOT
from scripts.measure.layouts import keeping
from scripts.measure.layouts.__main__ import main
from scripts.measure.layouts.eye import FaultyEye
from scripts.measure.layouts.faults import NONE, SHIPPED, Faults, faults_of
from scripts.measure.layouts.hand import FPS, NotPlayedError, Umpired, Wanted, staged, umpired
from scripts.measure.layouts.keeping import kept, key_of, row_of, sources
from scripts.measure.layouts.page import page
from scripts.measure.layouts.report import faults_by_kind, of_hand, play_by_play, totals
from scripts.measure.layouts.scene import Scene
from scripts.measure.layouts.tiles import TrueGate, TrueTiles
from scripts.measure.replays import score_replay
from scripts.measure.rows import Rows, files_of
from vision.capture.video import Frame
from vision.layout import Layout, SeenCard

TWO = Wanted(2, 960329833, until=20.0)
EVERY = (1.0,) * 6


@cache
def seen_whole() -> Umpired:
    return umpired(TWO, NONE)


def look(scene: Scene, faults: Faults, now: float, box: Any = None, seed: int = 0) -> Layout:
    scene.go_to(now)
    eye = FaultyEye(scene, faults, seed, {seat: seat for seat in scene.film.table.styles})
    return eye.look(Frame(round(now * FPS), now, np.zeros((1, 1, 3), np.uint8)), box, None)


def nearest(layout: Layout, at: np.ndarray) -> SeenCard:
    return min(layout.cards, key=lambda card: float(np.linalg.norm(card.centre - at)))


# -- whole hands ---------------------------------------------------------------------------------------------


def test_what_is_seen_without_faults_is_told() -> None:
    hand = seen_whole()
    plays, draws = hand.figures.plays, hand.figures.draws
    assert plays.true >= 5 and draws.true >= 10
    assert (plays.right, plays.invented) == (plays.true, 0), hand.figures.faults
    assert (draws.right, draws.invented) == (draws.true, 0)
    assert hand.figures.false_illegal == hand.withdrawn == hand.undecided == 0
    assert hand.figures.score_equal


@pytest.mark.parametrize(
    ("game", "house", "seed"),
    [
        ("nuts", {}, 1596810411),
        ("nerts-twelve", {}, 1596810411),
        ("nerts", {"work_piles": 5, "draw": 1}, 1596810411),
        ("one-per-suit", {}, 830043460),
    ],
)
def test_games_and_house_rules_are_followed(game: Game, house: House, seed: int) -> None:
    hand = umpired(Wanted(2, seed, game, house, until=16.0), NONE)
    plays = hand.figures.plays
    assert not hand.refused and hand.told[0]["game"] == game and hand.told[0]["settings"] == house
    assert plays.true >= 6 and (plays.right, plays.invented) == (plays.true, 0), hand.figures.faults
    assert hand.figures.false_illegal == hand.withdrawn == hand.undecided == 0
    drawn = {len(line["cards"]) for line in hand.told if line.get("event") == "draw"}
    assert drawn == {house.get("draw", 3)}
    kinds = {line["event"] for line in hand.told[1:]}
    assert ("turn" in kinds) == any(line.get("event") == "turn" for line in hand.truth)


def test_p3_partners_share_an_area_and_each_play_is_told_of_who_made_it() -> None:
    hand = umpired(Wanted(2, 1596810411, "team-nuts", until=20.0), NONE)
    assert [seat.get("role") for seat in hand.told[0]["seats"]] == ["nuts", "cards"] * 2
    plays = hand.figures.plays
    assert plays.true >= 12 and plays.right >= plays.true - 1, hand.figures.faults
    by_place = {(line["seat"], line["from"]) for line in hand.told if line.get("event") == "play"}
    nuts = {seat for seat, place in by_place if place == "nerts"}
    cards = {seat for seat, place in by_place if place == "waste"}
    assert nuts and cards and not nuts & cards
    # both play from the work piles
    assert {seat for seat, place in by_place if place.startswith("work")} & cards
    assert hand.figures.false_illegal == hand.undecided == 0 and hand.figures.score_equal


def test_nobody_is_falsely_accused_where_the_eye_never_errs() -> None:
    hand = umpired(Wanted(4, 1, until=8.0), NONE)
    assert hand.figures.plays.right >= 4
    assert hand.figures.false_illegal == hand.withdrawn == 0


def test_a_planted_infraction_is_found_in_time_and_the_hand_goes_on() -> None:
    hand = umpired(Wanted(2, 1602909953, plants=("wrong-colour",)), NONE)
    (flag,) = hand.flags
    assert (flag.kind, flag.rule, flag.how) == ("wrong-colour", "N5", "found")
    assert flag.at < 20.0 and flag.after_s is not None and flag.after_s <= 5.0
    assert hand.figures.plays.right == hand.figures.plays.true > 5
    assert hand.figures.false_illegal == 0 and hand.truth[-1]["event"] == "end"


def test_the_same_seed_tells_the_same() -> None:
    faults = faults_of()
    short = replace(TWO, until=9.0)
    one, again = umpired(short, faults), umpired(short, faults)
    assert sum(one.erred.values()) > 0
    assert one.told == again.told
    assert one.to_json() == again.to_json()


def test_faults_cost_plays() -> None:
    blurred = NONE.model_copy(update={"steady": 1.0, "misread": (0.15,) * 6, "sure": {"wrong": (0.9,) * 5}})
    hand = umpired(TWO, blurred)
    assert not hand.refused and hand.erred["misread"] > 10
    assert hand.figures.plays.right < seen_whole().figures.plays.right


def test_who_misses_every_card_tells_nothing() -> None:
    hand = umpired(TWO, NONE.model_copy(update={"missed": EVERY}))
    assert hand.told == [] and "no card can be seen" in hand.refused
    assert hand.figures.plays.right == 0 and hand.figures.plays.missed == hand.figures.plays.true > 0


def test_a_hand_that_nobody_calls_in_time_is_refused_in_words() -> None:
    with pytest.raises(NotPlayedError, match="allow more time"):
        umpired(Wanted(2, 1, latest=2.0), NONE)


# -- the eye and what it is told -----------------------------------------------------------------------------


def test_the_deal_is_seen_as_it_lies() -> None:
    hand, scene, _ = staged(Wanted(2, 5))
    layout = look(scene, NONE, 0.0)
    faces = {card.face for card in layout.cards if card.side == "face"}
    for piles in hand.deal.values():
        assert {piles[f"work {n}"][-1] for n in range(1, 5)} | {piles["nerts"][-1]} <= faces
    assert layout.to_table is not None
    for seat in hand.deal:
        spot = scene.film.table.spots[f"{seat} work 1"]
        middle = scene.px(np.array([[spot.x, spot.y]]))[0]
        card = nearest(layout, middle)
        assert card.face == hand.deal[seat]["work 1"][-1]
        assert np.linalg.norm(card.centre - middle) < 10 * scene.px_per_mm
        assert card.visible_fraction > 0.95 and card.face_confidence == 1.0


def test_of_covered_cards_their_strips_are_seen() -> None:
    hand, scene, _ = staged(Wanted(2, 5))
    play = next(d for d in hand.plays if d.target.startswith("work") and d.source == "nerts")
    layout = look(scene, NONE, hand.ends if hand.ends < play.landed + 3 else play.landed + 3.0)
    scene.hands.clear()
    strips = [card for card in layout.cards if card.side == "face" and 0.1 < card.visible_fraction < 0.35]
    assert strips and all(card.face is not None for card in strips)


def test_what_lies_under_a_hand_is_not_seen() -> None:
    hand, scene, _ = staged(Wanted(2, 5))
    deed = next(d for d in hand.plays if d.source == "nerts" and d.target.startswith("work"))
    scene.go_to(deed.landed)
    assert scene.hands
    lying = next(
        one for one in scene.lying() if one.card.face == deed.cards[-1] and one.card.seat == deed.seat
    )
    there = [card for card in look(scene, NONE, deed.landed).cards if card.face == deed.cards[-1]]
    shares = [c.visible_fraction for c in there if np.linalg.norm(c.centre - lying.corners.mean(axis=0)) < 5]
    assert all(share < 0.8 for share in shares)
    scene.hands.clear()
    eye = FaultyEye(scene, NONE, 0, {seat: seat for seat in hand.deal})
    bare = eye.look(Frame(0, 0.0, np.zeros((1, 1, 3), np.uint8)), None, None)
    assert nearest(bare, lying.corners.mean(axis=0)).visible_fraction > 0.95


def test_a_box_shows_what_lies_in_it() -> None:
    _, scene, _ = staged(Wanted(2, 5))
    whole = look(scene, NONE, 0.0)
    middle = whole.cards[0].centre
    x0, y0, x1, y1 = (int(v) for v in (*(middle - 120), *(middle + 120)))
    part = look(scene, NONE, 0.0, (max(0, x0), max(0, y0), x1, y1))
    assert 0 < len(part.cards) < len(whole.cards)
    assert np.allclose(nearest(part, middle).centre, middle)


def test_misread_cards_are_taken_for_others() -> None:
    _, scene, _ = staged(Wanted(2, 5))
    right = look(scene, NONE, 0.0)
    wrong = look(scene, NONE.model_copy(update={"misread": EVERY}), 0.0)
    for one, other in zip(right.cards, wrong.cards, strict=True):
        assert (one.face is None) == (other.face is None)
        assert one.face is None or one.face != other.face
    ranks = {"whole": {"rank": 1.0}, "strip": {"rank": 1.0}, "sliver": {"rank": 1.0}}
    confused = look(scene, NONE.model_copy(update={"misread": EVERY, "confusions": ranks}), 0.0)
    pairs = [(a.face, b.face) for a, b in zip(right.cards, confused.cards, strict=True) if a.face and b.face]
    assert pairs and all(a[0] == b[0] and (a[1] in "HD") == (b[1] in "HD") for a, b in pairs)


def test_a_card_that_lies_as_before_errs_as_before() -> None:
    blurred = {"misread": (0.5,) * 6, "off_mm": (2.0,) * 6}
    for steady, same in ((1.0, True), (0.0, False)):
        _, scene, _ = staged(Wanted(2, 5))
        faults = NONE.model_copy(update={**blurred, "steady": steady})
        one, other = look(scene, faults, 0.0), look(scene, faults, 0.5)
        equal = [
            a.face == b.face and np.allclose(a.centre, b.centre)
            for a, b in zip(one.cards, other.cards, strict=True)
        ]
        assert all(equal) == same


def test_rates_come_out_as_they_are_told() -> None:
    _, scene, _ = staged(Wanted(2, 5))
    cards = len(look(scene, NONE, 0.0).cards)
    faults = NONE.model_copy(update={"missed": (0.2,) * 6})
    seen = sum(len(look(scene, faults, 0.0, seed=seed).cards) for seed in range(40))
    assert 0.75 < seen / (40 * cards) < 0.85


# -- what changed --------------------------------------------------------------------------------------------


def test_tiles_tell_when_a_card_came_to_rest() -> None:
    _, scene, _ = staged(Wanted(2, 5))
    motions = scene.film.motions
    first = next(
        m
        for m in motions
        if m.deed.target.startswith("foundation")
        and not any(o.deed.target == m.deed.target and o is not m and o.start < m.end + 2.0 for o in motions)
    )
    card = scene.px(first.put[0].pose.corners(50.0, 70.0)[:, :2])
    tiles = TrueTiles(scene.width, scene.height)
    gate = TrueGate(tiles, scene.width, scene.height)
    for index in range(round((first.end + 1.2) * FPS)):
        scene.go_to(index / FPS)
        small: Any = scene.tiles()
        tiles.push_small(index / FPS, small)
        if first.end - 0.05 < index / FPS <= first.end:
            assert tiles.moving(card, 0.06) > 0.0
    assert tiles.differs(card)
    rested = tiles.rested(card, first.start)
    assert rested is not None and first.end <= rested <= first.end + 0.6
    tiles.accept(card)
    assert not tiles.differs(card)
    assert tiles.rested(card, tiles.now) is None
    place = Place(FOUNDATION, 1)
    assert not gate.is_familiar(place, card)
    gate.remember(place, card)
    assert gate.is_familiar(place, card)


# -- figures and the command ---------------------------------------------------------------------------------

HEADER = {
    "record": 1,
    "game": "nerts",
    "settings": {},
    "seats": [{"seat": "west", "deck": "blue"}, {"seat": "east", "deck": "red"}],
    "source": {"kind": "simulated", "fps": 30},
}


def play(at: float, card: str, source: str, seat: str = "west") -> dict[str, Any]:
    return {"event": "play", "at": at, "seat": seat, "cards": [card], "from": source, "to": "work 1"}


def made(
    true: list[dict[str, Any]], told: list[dict[str, Any]], refused: str = "", seats: int = 2
) -> Umpired:
    return Umpired(Wanted(seats, 7), true, told, score_replay(told, true), refused)


def test_figures_are_summed_by_players_with_intervals() -> None:
    one = made(
        [play(2.0, "5H", "nerts"), play(4.0, "4S", "waste"), play(6.0, "3H", "nerts")],
        [play(2.0, "5H", "nerts"), play(4.0, "4S", "nerts")],
    )
    lost = made([play(2.0, "5H", "nerts")], [], "no deal", seats=5)
    found = totals([one, one, lost])
    assert found[2]["plays"] == {"true": 6, "right": 2, "wrong": 2, "missed": 2, "invented": 0}
    share, low, high = found[2]["plays_right"]
    assert share == pytest.approx(1 / 3, abs=1e-4) and 0.09 < low < 0.1 and 0.69 < high < 0.71
    assert (found[5]["hands"], found[5]["refused"], found[5]["plays"]["missed"]) == (1, 1, 1)
    # what was not followed says nothing of how the umpire errs
    assert faults_by_kind([row_of(hand.wanted, hand) for hand in (one, lost)]) == {
        "from nerts instead of waste": 1,
        "missed, from nerts to work": 1,
    }
    lines = list(of_hand(one, 1))
    assert lines[0].startswith("2 players, seed 7: 1 of 3 plays")
    assert lines[1].endswith("true: 4.00 west 4S waste → work 1; told: 4.00 west 4S nerts → work 1")
    assert len(lines) == 2
    assert "not followed: no deal" in list(of_hand(lost, 3))[1]


def test_a_play_that_is_told_late_is_missed_and_invented() -> None:
    one = play(2.0, "5H", "nerts")
    late = made([one], [{**one, "at": 4.0}])
    assert faults_by_kind([row_of(late.wanted, late)]) == {
        "missed, from nerts to work": 1,
        "invented, from nerts to work": 1,
    }


def test_a_hand_is_shown_play_by_play() -> None:
    hand = made(
        [play(2.0, "5H", "nerts"), {"event": "draw", "at": 3.0, "seat": "east", "cards": ["2S"]}],
        [play(2.1, "5H", "waste"), play(5.0, "KS", "nerts")],
    )
    shown = list(play_by_play(hand))
    assert shown[0].startswith("2.00 west 5H nerts → work 1") and "told: 2.10 west 5H waste" in shown[0]
    assert shown[1] == "3.00 east draw 2S   <- not told"
    assert shown[2].strip() == "-> told: 5.00 west KS nerts → work 1"


def test_the_shipped_faults_say_where_each_comes_from() -> None:
    told = json.loads(SHIPPED.read_text(encoding="utf-8"))
    entries = [entry for name, entry in told.items() if name != "measured"]
    assert all(entry["from"].startswith(("measured", "assumed", "bounds")) for entry in entries)
    assert faults_of().missed[0] > faults_of().missed[5] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "work_piles=7"], "setting 'work_piles' cannot be 7"),
        (["--set", "draw"], "write a house rule as draw=1"),
        (["--faults", "nowhere.json"], "no faults can be read"),
        (["--json", "nowhere/figures.json"], "make it first"),
        (["--page", "figures.md"], "name a file for them with --rows"),
        (["--plants", "wrong-role"], "breaks a rule of team-nuts only"),
    ],
)
def test_bad_input_is_said_in_a_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--hands", "1", *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err and len(err.splitlines()) == 1


def test_a_rate_beyond_one_is_refused(tmp_path: Path) -> None:
    told = json.loads(SHIPPED.read_text(encoding="utf-8"))
    told["in_air"]["value"] = 1.5
    file = tmp_path / "faults.json"
    file.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(ValueError, match=r"faults\.json: in_air: .*1"):
        faults_of(file)


def test_the_command_tells_hands_and_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    assert main(["--seats", "2", "--hands", "1", "--seed", "3", "--faults", "none", "--json", str(file)]) == 0
    out = capsys.readouterr().out
    assert "2 players" in out and "plays right" in out
    told = json.loads(file.read_text(encoding="utf-8"))
    (hand,) = told["hands"]
    assert not hand["refused"] and hand["plays"]["right"] >= 0.95 * hand["plays"]["true"] > 0
    assert told["presets"]["nerts"]["2"]["refused"] == 0


# -- rows that are kept --------------------------------------------------------------------------------------


class Referees:
    """Referees nothing: every hand comes out as `made` says; breaks off before the hand of a number."""

    def __init__(self, breaks_at: int = 99) -> None:
        self.asked: list[int] = []
        self.breaks_at = breaks_at

    def __call__(self, wanted: Sequence[Wanted]) -> Iterator[Umpired]:
        for one in wanted:
            if len(self.asked) == self.breaks_at:
                raise KeyboardInterrupt
            self.asked.append(one.seed)
            right = [play(2.0, "5H", "nerts"), play(4.0, "4S", "waste")]
            hand = made(right, right[: 1 + one.seed % 2], seats=one.seats)
            hand.wanted = one
            yield hand


HANDS = [Wanted(2, seed, game) for game in ("nerts", "nuts") for seed in (1, 2, 3)]


def test_a_stopped_run_goes_on_and_plays_no_hand_twice(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    broken = Referees(breaks_at=4)
    with pytest.raises(KeyboardInterrupt):
        kept(HANDS, NONE, Rows(file, "hand"), broken)
    with file.open("ab") as cut:
        cut.write(b'{"sources": "half a li')
    rest = Referees()
    rows = kept(HANDS, NONE, Rows(file, "hand"), rest)
    assert broken.asked + rest.asked == [hand.seed for hand in HANDS]
    assert [(row["preset"], row["seed"]) for row in rows] == [(hand.game, hand.seed) for hand in HANDS]
    # another eye sees another hand
    other = Referees()
    assert kept(HANDS[:1], faults_of(), Rows(file, "hand"), other) != rows[:1] and other.asked == [1]
    assert len({key_of(hand, NONE) for hand in HANDS}) == len(HANDS)


def test_rows_of_sources_that_changed_meanwhile_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = iter(["before", "after"])
    monkeypatch.setattr(keeping, "sources", lambda: next(told))
    with pytest.raises(BuildError, match="changed meanwhile"):
        kept(HANDS, NONE, Rows(tmp_path / "rows.jsonl", "hand"), Referees())
    assert not (tmp_path / "rows.jsonl").exists()


def test_rows_are_known_by_all_that_is_loaded_to_make_them() -> None:
    known = {file.relative_to(ROOT).as_posix() for file in files_of(keeping.MATTER, ROOT)}
    loads = "import sys, scripts.measure.layouts.hand"
    tells = "print(*(m.__file__ for m in sys.modules.values() if getattr(m, '__file__', None)), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", f"{loads}; {tells}"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    mine = {Path(line) for line in done.stdout.splitlines() if Path(line).is_relative_to(ROOT)}
    own = {file.relative_to(ROOT).as_posix() for file in mine if ".venv" not in file.as_posix()}
    of_no_matter = re.compile(
        r"referee/(errors|textfiles|report)\.py|.*/__init__\.py|datasets/(decks|surfaces)/.*|vision/(rows|faces|backs|detect)/.*"
    )
    assert len(own & known) > 60
    assert sorted(name for name in own - known if not of_no_matter.fullmatch(name)) == []
    assert len(sources()) == 12


def test_the_page_tells_figures_and_failures_by_preset(tmp_path: Path) -> None:
    told = page(kept(HANDS, NONE, Rows(tmp_path / "rows.jsonl", "hand"), Referees()), seed=7)
    assert "| | nerts | nuts |" in told and "seed 7" in told
    assert "| plays right | 5 of 6: 83.33 % " in told
    assert told.count("What was not right: missed, from waste to work 1.") == 2
    assert "* 2 players, seed 2\n  * true: 4.00 west 4S waste → work 1; told: nothing" in told
