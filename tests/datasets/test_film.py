"""Whole films, small: same seed same film, pictures and record on one clock, cards within the picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest

from datasets.film.art import plain_deck
from datasets.film.camera import Camera
from datasets.film.choreography import choreograph
from datasets.film.film import FilmedHand, film_hand
from datasets.film.setting import Setting, draw_setting
from datasets.film.table import lay_out
from datasets.play.plants import Plant
from datasets.play.players import play_hand

DECKS = [plain_deck("blue", (150, 60, 30)), plain_deck("red", (40, 40, 170))]
FPS = 10


def small(seed: int) -> Setting:
    setting = draw_setting(seed, px_per_mm=1.9, quick=True)
    camera = replace(setting.camera, width=480, height=270, px_per_mm=1.9 / 4, margin=24)
    return replace(setting, camera=camera, look=replace(setting.look, noise=0.5, surface="plain"))


def filmed(folder: Path, seed: int = 5, until: float = 6.0) -> FilmedHand:
    return film_hand(seed, DECKS, folder, fps=FPS, setting=small(seed), until=until, truth_every=5)


def frames_of(video: Path) -> tuple[list[float], np.ndarray]:
    with av.open(str(video)) as container:
        frames = list(container.decode(video=0))
    return [float(f.time or 0) for f in frames], np.stack([f.to_ndarray(format="bgr24") for f in frames])


def test_the_same_seed_makes_the_same_film(tmp_path: Path) -> None:
    one, two = (filmed(tmp_path / name, until=3.0) for name in "ab")
    other = filmed(tmp_path / "c", seed=6, until=3.0)
    for kind in ("video", "record", "facts", "scene", "frames"):
        assert getattr(one, kind).read_bytes() == getattr(two, kind).read_bytes()
        assert getattr(one, kind).read_bytes() != getattr(other, kind).read_bytes() or kind == "facts"


def test_players_who_leave_off_leave_a_hand_that_is_over(tmp_path: Path) -> None:
    """The record ends with what landed last, and the camera goes on until everybody has withdrawn."""
    whole = film_hand(5, DECKS, tmp_path / "a", fps=FPS, setting=small(5), until=0.1)
    cut = film_hand(5, DECKS, tmp_path / "b", fps=FPS, setting=small(5), stop=5.0, since=2.0, truth_every=5)
    true, told = (
        [json.loads(line) for line in film.record.read_text().splitlines()] for film in (whole, cut)
    )
    assert told[:-1] == [line for line in true if line.get("at", 0.0) <= 5.0]
    assert told[-1] == {"event": "end", "at": told[-2]["at"], "why": "finished"} and told[-2]["at"] > 4.0
    assert true[-1]["event"] == "call"
    times, _ = frames_of(cut.video)
    assert len(times) == round((cut.hand.ends + 3.0) * FPS) - 2 * FPS
    facts = json.loads(cut.facts.read_text())
    assert facts["from_s"] == 2.0 and "call" not in facts
    assert json.loads(cut.frames.read_text().splitlines()[0])["frame"] == 2 * FPS
    with pytest.raises(ValueError, match="begin sooner"):
        film_hand(5, DECKS, tmp_path / "c", fps=FPS, setting=small(5), stop=5.0, since=9.0)


def test_the_scene_that_is_kept_makes_the_same_film_again(tmp_path: Path) -> None:
    one = filmed(tmp_path / "a", until=3.0)
    setting = Setting.from_json(one.scene.read_text())
    assert setting == small(5)
    two = film_hand(5, DECKS, tmp_path / "b", fps=FPS, setting=setting, until=3.0, truth_every=5)
    assert one.video.read_bytes() == two.video.read_bytes()
    tilted = replace(setting, camera=replace(setting.camera, tilt=setting.camera.tilt + 5))
    other = film_hand(5, DECKS, tmp_path / "c", fps=FPS, setting=tilted, until=3.0, truth_every=5)
    assert one.video.read_bytes() != other.video.read_bytes()


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (lambda scene: scene["camera"].update(tilt="steep"), "camera.tilt"),
        (lambda scene: scene.pop("look"), "look"),
        (lambda scene: scene["styles"].pop("west"), "styles"),
        (
            lambda scene: (
                scene["players"][0].update(seat="attic")
                or scene["styles"].update(attic=scene["styles"].pop("west"))
            ),
            "attic",
        ),
    ],
)
def test_a_wrong_scene_is_refused_by_name(wrong: Callable[[dict[str, Any]], object], named: str) -> None:
    scene = json.loads(json.dumps(replace(small(5), order="row").to_json()))
    assert {player["seat"] for player in scene["players"]} == {"west", "east"}
    scene["players"].sort(key=lambda player: player["seat"] != "west")
    wrong(scene)
    with pytest.raises(ValueError, match=named):
        Setting.from_json(json.dumps(scene))


def test_frames_that_no_camera_takes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="5 to 60"):
        film_hand(5, DECKS, tmp_path, fps=200, setting=small(5))


def test_pictures_and_record_run_on_one_clock(tmp_path: Path) -> None:
    made = filmed(tmp_path, until=8.0)
    times, pictures = frames_of(made.video)
    assert times == pytest.approx([i / FPS for i in range(80)], abs=1e-3)
    truths = [json.loads(line) for line in made.frames.read_text().splitlines()]
    assert [truth["frame"] for truth in truths] == list(range(0, 80, 5))
    # Nothing moves before the first hand sets off; then the place of the first card changes.
    begins = min(deed.reached for deed in made.hand.deeds)
    quiet = pictures[: int(begins * FPS)].astype(int)
    assert np.abs(quiet[1:] - quiet[:1]).mean() < 2
    assert truths[0]["hands"] == []
    deed = next(deed for deed in made.hand.deeds if deed.kind in ("play", "draw"))
    card = next(
        card
        for truth in truths
        if truth["at"] > deed.landed
        for card in truth["cards"]
        if (card["seat"], card["face"]) == (deed.seat, deed.cards[-1])
    )
    x, y = np.mean(card["corners"], axis=0).astype(int)
    place = pictures[:, y - 8 : y + 8, x - 8 : x + 8].astype(int)
    change = np.abs(place - place[0]).mean(axis=(1, 2, 3))
    assert change[: int(deed.reached * FPS) + 1].max() < 4
    assert change[int(deed.landed * FPS) + 1 :].max() > 12


def test_truth_places_every_card_that_the_record_puts_down(tmp_path: Path) -> None:
    made = filmed(tmp_path, until=7.0)
    last = json.loads(made.frames.read_text().splitlines()[-1])
    done = [deed for deed in made.hand.deeds if deed.landed < last["at"] and deed.kind == "play"]
    places = {(card["seat"], card["face"]): card["place"] for card in last["cards"]}
    assert done
    for deed in done:
        moved_on = any(
            d.seat == deed.seat and deed.cards[-1] in d.cards for d in done if d.landed > deed.landed
        )
        place = places.get((deed.seat, deed.cards[-1]))
        if place is not None and not moved_on:
            assert place == (
                deed.target if deed.target.startswith("foundation") else f"{deed.seat} {deed.target}"
            )


@pytest.mark.parametrize("players", [2, 4, 5, 6])
@pytest.mark.parametrize("seed", range(10))
def test_cards_stay_within_the_picture(seed: int, players: int) -> None:
    setting = draw_setting(seed, players=players)
    camera = setting.camera
    table = lay_out(*camera.room(), setting.styles)
    film = choreograph(
        play_hand(setting.players, seed, longest=table.longest), table, np.random.default_rng(seed)
    )
    lying = [*film.start, *(card for motion in film.motions for card in motion.put)]
    corners = np.concatenate([camera.to_picture(card.pose.corners(63, 88)) for card in lying])
    assert corners.min() >= 0
    assert (corners <= (camera.width, camera.height)).all()


@pytest.mark.parametrize("seed", range(6))
def test_foundations_lie_apart_and_columns_fan_towards_the_player(seed: int) -> None:
    setting = draw_setting(seed)
    table = lay_out(*setting.camera.room(), setting.styles)
    film = choreograph(
        play_hand(setting.players, seed, longest=table.longest), table, np.random.default_rng(seed)
    )
    for seat in setting.styles:
        first, second = table.on_column(seat, 2, 0), table.on_column(seat, 2, 1)
        shoulder = np.array(table.shoulders[seat])
        near = [np.linalg.norm(shoulder - (pose.x, pose.y)) for pose in (first, second)]
        assert 9 < near[0] - near[1] < 23
    bases = [
        m.put[0] for m in film.motions if m.put[0].place.startswith("foundation") and m.put[0].order == 0
    ]
    for a in bases:
        for b in bases:
            if a is not b:
                assert max(abs(a.pose.x - b.pose.x) - 63, abs(a.pose.y - b.pose.y) - 63) > 0


def test_a_table_too_small_for_the_cards_is_refused(tmp_path: Path) -> None:
    setting = replace(small(1), camera=Camera(width=480, height=270, px_per_mm=0.9))
    with pytest.raises(ValueError, match="too small"):
        film_hand(1, DECKS, tmp_path, setting=setting)


def test_a_seed_without_a_fitting_hand_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="called within 10 s"):
        film_hand(1, DECKS, tmp_path, setting=small(1), latest=10.0, plant=[Plant("no-ace")])


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(4))
def test_no_two_places_of_a_table_lie_on_each_other(seed: int, players: int) -> None:
    setting = draw_setting(seed, players=players)
    table = lay_out(*setting.camera.room(), setting.styles)
    assert len(table.styles) == players
    spots = {**table.spots, **{f"centre {i}": spot for i, spot in enumerate([*table.centre, *table.aside])}}
    boxes = {
        name: cv2.boxPoints(((spot.x, spot.y), (table.card_width - 1, table.card_height - 1), spot.angle))
        for name, spot in spots.items()
    }
    for (one, a), (two, b) in combinations(boxes.items(), 2):
        assert not cv2.intersectConvexConvex(a, b)[0], f"{one} and {two}"


@pytest.mark.parametrize("kind", ["recycle", "draw"])
def test_a_packet_shows_its_top_card_until_it_is_turned_over(kind: str) -> None:
    setting = draw_setting(3)
    table = lay_out(*setting.camera.room(), setting.styles)
    film = choreograph(play_hand(setting.players, 3, longest=table.longest), table, np.random.default_rng(3))
    lying = {each.card: each for each in film.start}
    seen = 0
    for motion in sorted(film.motions, key=lambda motion: motion.start):
        if motion.deed.kind == kind and len(motion.put) > 1:
            # before it is lifted the highest card is the one with most below it, afterwards the one put down last
            highest = max(motion.taken, key=lambda each: lying[each.card].pose.z)
            assert motion.poses(motion.start + 0.01)[-1][0] == highest.card
            assert motion.poses(motion.end - 0.01)[-1][0] == motion.put[-1].card
            seen += 1
        lying |= {each.card: each for each in motion.put}
    assert seen > 1
