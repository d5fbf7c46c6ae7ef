"""Mishaps and ties on the table: they change nothing in the record, and what was staged is told."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest

from datasets.film.art import plain_deck
from datasets.film.camera import Camera
from datasets.film.choreography import Choreography, choreograph
from datasets.film.film import FilmedHand, film_hand
from datasets.film.record import record_of
from datasets.film.setting import draw_setting
from datasets.film.staged import staged_in
from datasets.film.table import lay_out
from datasets.play.deeds import PlayedHand
from datasets.play.mishaps import BY_PLAYERS, TO_THE_ROOM, Mishap
from datasets.play.plants import PLANTS, Plant, Tie
from datasets.play.players import find_hand
from referee.record.check import check_lines
from scripts.build.film.staged import clips

DECKS = [plain_deck("blue", (150, 60, 30)), plain_deck("red", (40, 40, 170))]


def on_the_table(*mishaps: str) -> tuple[PlayedHand, Choreography]:
    setting = draw_setting(6)
    table = lay_out(*setting.camera.room(), setting.styles)
    staged = [Mishap(kind, 10) for kind in mishaps]
    hand = find_hand(setting.players, 3, longest=table.longest, latest=250, mishaps=staged)
    return hand, choreograph(hand, table, np.random.default_rng(1))


@pytest.mark.parametrize("kind", sorted(set(BY_PLAYERS) - {"mid-air", "slide"}))
def test_a_mishap_breaks_no_rule_and_is_no_event(kind: str) -> None:
    hand, _ = on_the_table(kind)
    assert hand.mishaps[0].kind == kind
    record = record_of(hand, {"west": "blue", "east": "red"}, 30)
    checked = check_lines([f"{line}\n".encode() for line in record.splitlines()])
    said = [json.loads(line) for line in checked.output]
    assert checked.status == 0
    assert {line["verdict"] for line in said if line.get("event") == "ruling"} == {"legal"}


def test_n16_a_card_in_mid_air_at_the_call_counts() -> None:
    hand, film = on_the_table("mid-air")
    ((kind, play),) = hand.noted
    (call,) = [deed for deed in hand.deeds if deed.kind == "call"]
    assert kind == "mid-air" and play.seat != call.seat
    assert play.lifted + 0.05 < call.landed < play.landed - 0.05
    assert hand.deeds[-1] is play
    record = record_of(hand, {"west": "blue", "east": "red"}, 30)
    said = [json.loads(line) for line in check_lines([f"{n}\n".encode() for n in record.splitlines()]).output]
    rulings = [(r["rule"], r["verdict"], r["seat"]) for r in said if r.get("event") == "ruling"]
    assert sorted(rulings) == [("N15", "legal", call.seat), ("N16", "legal", play.seat)]
    (told,) = staged_in(hand, film, [], 30)
    assert (told.kind, told.cards) == ("mid-air", [f"{play.seat} {play.cards[0]}"])


def test_a_pushed_pile_moves_as_a_whole_and_comes_back() -> None:
    hand, film = on_the_table("bump")
    push, square = (m for m in film.motions if m.deed.kind in ("bump", "square"))
    assert square.deed.lifted > push.deed.landed
    for before, away, back in zip(push.taken, push.put, square.put, strict=True):
        assert before.card == away.card == back.card and before.order == back.order
        assert np.hypot(away.pose.x - before.pose.x, away.pose.y - before.pose.y) > 6
        assert np.hypot(back.pose.x - before.pose.x, back.pose.y - before.pose.y) < 8
    assert hand.mishaps[-1].kind == "square"


def test_a_dropped_card_is_picked_up_from_where_it_fell() -> None:
    hand, film = on_the_table("drop")
    (fall,) = [m for m in film.motions if m.deed.kind == "drop"]
    play = next(m for m in film.motions if m.start > fall.end and m.deed.cards == fall.deed.cards)
    assert play.taken == fall.put and play.deed in hand.plays
    assert (play.deed.source, play.taken[0].place) == (fall.deed.source, f"{fall.deed.seat} dropped")


def test_a_resting_hand_stays_on_the_pile() -> None:
    hand, film = on_the_table("rest")
    (deed,) = hand.mishaps
    times = np.linspace(deed.lifted + 0.01, deed.landed - 0.01, 9)
    hands = [film.hand(deed.seat, float(t)) for t in times]
    assert deed.landed - deed.lifted >= 2.5
    assert len({(round(hand.x, 3), round(hand.y, 3)) for hand in hands if hand is not None}) == 1


def test_a_knocked_camera_sees_everything_moved_and_its_maps_agree() -> None:
    camera = Camera(k1=-0.02, roll=1.0)
    knocked = replace(camera, knock=(12.0, -7.0, 0.5))
    points = np.array([[0.0, 0, 0], [200, 100, 0], [-300, 150, 10]])
    moved = knocked.to_picture(points) - camera.to_picture(points)
    assert moved[0] == pytest.approx([12, -7], abs=1e-6) and np.ptp(moved, axis=0).max() > 1
    column, row = np.floor(knocked.to_picture(points[1:2])[0]).astype(int)
    seen = knocked.lens_maps[0][row, column]
    assert np.abs(seen - knocked.to_canvas(points[1:2])[0]).max() < 1.6


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> FilmedHand:
    setting = draw_setting(7, px_per_mm=1.9, quick=True)
    camera = replace(setting.camera, width=480, height=270, px_per_mm=1.9 / 4, margin=24)
    small = replace(setting, camera=camera, look=replace(setting.look, noise=0.5, surface="plain"))
    room = [Mishap("rest", 4), Mishap("lamp", 3), Mishap("knock", 6), Mishap("lean", 9)]
    folder = tmp_path_factory.mktemp("staged")
    staged: dict[str, Any] = {"ties": [Tie(5, 0.2)], "mishaps": room}
    # in this hand two come to play at once after 18 s
    return film_hand(7, DECKS, folder, fps=10, setting=small, **staged, latest=250, until=24)


def test_what_was_staged_is_told_with_what_the_camera_saw(film: FilmedHand) -> None:
    staged = json.loads(film.staged.read_text())
    record = [json.loads(line) for line in film.record.read_text().splitlines()]
    assert [entry["landed"] for entry in staged] == sorted(entry["landed"] for entry in staged)
    assert {entry["kind"] for entry in staged} == {"lamp", "knock", "rest", "tie", "lean"}
    first, second = [entry for entry in staged if entry["kind"] == "tie"]
    assert second["landed"] - first["landed"] == pytest.approx(0.2)
    for entry in (first, second):
        event = record[entry["of"]]
        assert (event["event"], event["seat"], event["at"]) == ("play", entry["seat"], entry["landed"])
        assert entry["shown"] > 3 and entry["px"] > 100
        assert entry["frames"][0] / 10 == pytest.approx(entry["lifted"], abs=0.06)


def test_the_lamp_makes_the_picture_brighter_from_its_moment_on(film: FilmedHand) -> None:
    with av.open(str(film.video)) as container:
        light = [float(f.to_ndarray(format="gray").mean()) for f in container.decode(video=0)][:40]
    assert np.mean(light[31:36]) > 1.08 * np.mean(light[24:29])


def test_whoever_leans_in_hides_cards_and_is_no_hand(film: FilmedHand) -> None:
    (lean,) = [entry for entry in json.loads(film.staged.read_text()) if entry["kind"] == "lean"]
    truths = [json.loads(line) for line in film.frames.read_text().splitlines()]
    during = [t for t in truths if lean["lifted"] + 1 < t["at"] < lean["landed"] - 1]
    assert during and all(t["others"] for t in during)
    assert not any(t["others"] for t in truths if t["at"] < lean["lifted"] or t["at"] > lean["landed"])
    (head,) = during[0]["others"]
    inside = np.array(head["outline"], np.float32)
    assert cv2.contourArea(inside) > 1000
    whole = [card for card in during[0]["cards"] if card["visible"] > 0.98]
    assert not any(
        cv2.pointPolygonTest(inside, tuple(np.mean(card["corners"], axis=0)), True) > 8 for card in whole
    )


@pytest.mark.parametrize("under", [False, True])
def test_a_clip_shows_what_was_staged_and_a_little_around_it(tmp_path: Path, under: bool) -> None:
    setting = draw_setting(5, px_per_mm=1.9, quick=True)
    camera = replace(setting.camera, width=480, height=270, px_per_mm=1.9 / 4, margin=24)
    small = replace(setting, camera=camera, look=replace(setting.look, noise=0.5, surface="plain"))
    ties = [Tie(5, 0.1, back=False, under=under)]
    clip = film_hand(5, DECKS, tmp_path, fps=10, setting=small, ties=ties, latest=250, around=1.0)
    staged = json.loads(clip.staged.read_text())
    # when the later card lies underneath nobody can say who lost
    assert sorted(entry["kind"] for entry in staged) == ["tie", "tie" if under else "tie-left"]
    # the two cards are two players' and both are seen
    assert len({entry["seat"] for entry in staged}) == 2
    assert all(entry["shown"] > 3 for entry in staged)
    begins = json.loads(clip.facts.read_text())["from_s"]
    assert begins == pytest.approx(min(entry["lifted"] for entry in staged) - 1.0, abs=0.06)
    with av.open(str(clip.video)) as container:
        frames = sum(1 for _ in container.decode(video=0))
    assert begins + frames / 10 == pytest.approx(max(e["landed"] for e in staged) + 1.0, abs=0.11)
    with pytest.raises(ValueError, match="nothing is staged"):
        film_hand(5, DECKS, tmp_path, fps=10, setting=small, latest=250, around=1.0)


def test_every_kind_that_can_be_staged_has_a_clip() -> None:
    every = list(clips())
    assert {c.plant.kind for c in every if c.plant} == set(PLANTS) - {"tie-left"}
    assert {c.mishap.kind for c in every if c.mishap} == {*BY_PLAYERS, *TO_THE_ROOM}
    ties = [c.tie for c in every if c.tie]
    assert {(t.under, t.back) for t in ties} == {(a, b) for a in (True, False) for b in (True, False)}
    assert (min(t.gap for t in ties), max(t.gap for t in ties)) == (0.0, 0.2)
    assert len({c.name for c in every}) == len(every)


def test_what_would_happen_after_the_film_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="earlier"):
        film_hand(5, DECKS, tmp_path, fps=10, mishaps=[Mishap("lamp", 8)], until=6, latest=250)
    with pytest.raises(ValueError, match="single frame"):
        film_hand(5, DECKS, tmp_path, until=0)
    assert not list(tmp_path.iterdir())


def test_an_unknown_mishap_is_named() -> None:
    with pytest.raises(ValueError, match=r"earthquake.*rest, bump"):
        Mishap("earthquake")


@pytest.mark.parametrize("seed", [3, 7])
def test_everything_can_be_staged_in_one_hand(seed: int) -> None:
    """Ties, mishaps and infractions come across each other, and no hand does two things at once."""
    setting = draw_setting(6)
    mishaps = [Mishap(kind, 8) for kind in BY_PLAYERS if kind != "slide"]
    plants = [Plant(kind, 8) for kind in ("two-hands", "wrong-rank", "buried-waste")]
    hand = find_hand(
        setting.players, seed, latest=250, mishaps=mishaps, plants=plants, ties=[Tie(8, 0.1, under=True)]
    )
    for arm in {deed.arm for deed in (*hand.deeds, *hand.mishaps)}:
        own = [d for d in (*hand.deeds, *hand.mishaps) if d.arm == arm and d.kind != "call"]
        own.sort(key=lambda deed: deed.lifted)
        assert all(before.landed <= after.lifted for before, after in pairwise(own))
