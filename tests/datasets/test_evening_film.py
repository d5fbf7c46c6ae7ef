"""A filmed evening: its truth is what can be seen, its records hold, a stopped run goes on to the very same film."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.evening import film as filming
from datasets.evening.film import FilmedEvening, film_evening
from datasets.film.art import DeckArt, plain_deck
from datasets.film.setting import Setting, draw_setting, scaled
from referee.record.check import check_lines
from scripts.build.film.evening import main

DECKS = [plain_deck("blue", (150, 60, 30)), plain_deck("red", (40, 40, 170))]
FPS = 5
#: Frames between two layout truths.
EVERY = 3


def small(seed: int, width: int = 480) -> Setting:
    setting = scaled(draw_setting(seed, quick=True, px_per_mm=2.0), width, width * 9 // 16 // 2 * 2)
    return replace(
        setting, worn={}, bent={}, look=replace(setting.look, noise=0.5, blur=0.3, surface="plain")
    )


def filmed(folder: Path, seed: int, width: int = 480, **asked: Any) -> FilmedEvening:
    setting = small(seed, width)
    return film_evening(seed, DECKS, folder, setting, fps=FPS, nerts_cards=1, truth_every=EVERY, **asked)


@dataclass
class Short:
    """A short evening of two hands: one called, one that ends with cards gathered up."""

    made: FilmedEvening
    told: dict[str, Any]
    truths: list[dict[str, Any]]
    pictures: NDArray[np.uint8]
    times: list[float]

    def state(self, at: float) -> str:
        return str(next(s["state"] for s in self.told["states"] if s["from"] <= at < s["to"]))


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Short:
    made = filmed(tmp_path_factory.mktemp("short"), 8, hands=2, latest=15.0)
    with av.open(str(made.video)) as container:
        frames = list(container.decode(video=0))
    pictures = np.stack([frame.to_ndarray(format="bgr24") for frame in frames])
    times = [float(frame.time or 0) for frame in frames]
    truths = [json.loads(line) for line in made.frames.read_text().splitlines()]
    return Short(made, json.loads(made.evening.read_text()), truths, pictures, times)


def test_the_film_is_as_long_as_its_states(short: Short) -> None:
    told = short.told
    # the parts that it was filmed in are put together without a gap
    assert told["seconds"] > 3 * filming.PART
    assert short.times == pytest.approx([index / FPS for index in range(told["frames"])], abs=1e-3)
    assert len(short.pictures) == told["frames"] == round(told["states"][-1]["to"] * FPS)
    assert [truth["frame"] for truth in short.truths] == list(range(0, told["frames"], EVERY))
    assert [state["state"] for state in told["states"]].count("dealing") == 2
    assert not short.made.video.parent.joinpath("evening.parts").exists()


def test_cards_are_seen_when_and_only_when_the_state_says_so(short: Short) -> None:
    for truth in short.truths:
        state, cards = short.state(truth["at"]), truth["cards"]
        assert len({(card["seat"], card["face"]) for card in cards}) == len(cards) <= 104
        if state in ("empty", "waiting"):
            assert cards == []
        elif state in ("ready", "playing", "called"):
            assert len({card["place"] for card in cards if card["place"]}) >= 8
    sizes = [len(truth["cards"]) for truth in short.truths if short.state(truth["at"]) == "dealing"]
    assert sizes[0] < 3 < max(sizes)


def likeness(picture: NDArray[np.uint8], corners: list[list[float]], art: NDArray[np.uint8]) -> float:
    """How well what is seen within four corners goes with a card's picture, -1 to 1."""
    to = np.array([[0, 0], [32, 0], [32, 44], [0, 44]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(corners, dtype=np.float32) - 0.5, to - 0.5)
    seen = cv2.warpPerspective(picture, matrix, (32, 44))[4:-4, 4:-4].astype(np.float32)
    drawn = cv2.resize(art, (32, 44), interpolation=cv2.INTER_AREA)[4:-4, 4:-4].astype(np.float32)
    return float(np.corrcoef(seen.ravel(), drawn.ravel())[0, 1])


@pytest.mark.parametrize("state", ["dealing", "ready", "called", "gathering"])
def test_what_is_said_to_be_seen_is_seen(short: Short, state: str) -> None:
    decks: dict[str, DeckArt] = dict(zip(small(8).styles, DECKS, strict=True))
    found = []
    for truth in short.truths:
        if short.state(truth["at"]) != state:
            continue
        for card in truth["cards"]:
            if card["visible"] > 0.97 and card["speed"] == [0, 0]:
                deck = decks[card["seat"]]
                art = deck.faces[card["face"]] if card["side"] == "face" else deck.back
                found.append(likeness(short.pictures[truth["frame"]], card["corners"], art[..., :3]))
    assert len(found) > 20
    # the encoder is a frame or so late where something has just come to lie
    assert np.mean(np.array(found) > 0.5) > 0.95, sorted(found)[:10]


def test_an_empty_table_looks_the_same_before_and_after_a_hand(short: Short) -> None:
    h, w = short.pictures.shape[1:3]
    middle = np.s_[h // 3 : -h // 3, w // 3 : -w // 3]
    still: dict[str, list[NDArray[np.int64]]] = {"empty": [], "waiting": []}
    for truth in short.truths:
        over = [point for thing in truth["hands"] + truth["others"] for point in thing["outline"]]
        state = short.state(truth["at"])
        if state in still and not any(w / 4 < x < 3 * w / 4 for x, _ in over):
            still[state].append(short.pictures[truth["frame"]][middle].astype(np.int64))
    assert len(still["empty"]) > 2 and len(still["waiting"]) > 4
    first = still["empty"][0]
    assert all(np.abs(picture - first).mean() < 3 for pictures in still.values() for picture in pictures)


def test_every_record_holds_and_its_score_is_what_lies_there(short: Short) -> None:
    totals = dict.fromkeys(small(8).styles, 0)
    for hand, path in zip(short.told["hands"], short.made.records, strict=True):
        result = check_lines(path.read_bytes().splitlines(keepends=True))
        assert (result.status, result.errors) == (0, [])
        lines = [json.loads(line) for line in result.output]
        header, score = lines[0], lines[-1]
        assert header["settings"] == {"nerts_cards": 1}
        assert header["match"] == totals
        assert {line["verdict"] for line in lines if line.get("event") == "ruling"} <= {"legal"}
        assert score["final"]
        for seat, points in hand["score"].items():
            assert {key: score["hand"][seat][key] for key in points} == points
        totals = hand["match"]
        assert score["match"] == totals
        moments = [
            line["at"] for line in lines if line.get("event") in ("deal", "play", "draw", "call", "end")
        ]
        mine = [state for state in short.told["states"] if state.get("hand") == hand["hand"]]
        assert moments[0] == hand["dealt"] == mine[0]["to"]
        assert mine[0]["from"] < min(moments) and max(moments) < mine[-1]["to"]


def test_one_hand_is_called_and_the_last_ends_with_cards_gathered_up(short: Short) -> None:
    called, silent = short.told["hands"]
    kinds = [[json.loads(line).get("event") for line in path.open()] for path in short.made.records]
    assert called["how"] == "called" and kinds[0].count("call") == 1 and "end" not in kinds[0]
    assert silent["how"] == "gathered up" and "call" not in kinds[1] and kinds[1][-1] == "end"
    assert silent["call"] is None and silent["emptied"]["at"] < silent["ends"]
    facts = json.loads(short.made.facts.read_text())
    assert facts["calls"] == [{"at": called["call"]["at"], "seat": called["call"]["seat"]}]
    for hand in (called, silent):
        # whoever it was, that Nerts pile is empty
        assert hand["score"][hand["emptied"]["seat"]]["left"] == 0


def test_a_stopped_run_goes_on_to_the_very_same_film(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filming, "PART", 9.0)
    asked: dict[str, Any] = {"hands": 1, "latest": 15.0, "width": 256}

    def stop(done: int, of: int) -> None:
        if done > of // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        filmed(tmp_path / "stopped", 3, progress=stop, **asked)
    parts = sorted((tmp_path / "stopped" / "evening.parts").glob("*.mp4"))
    assert len(parts) >= 2 and not (tmp_path / "stopped" / "evening.mp4").exists()
    with pytest.raises(ValueError, match="another evening"):
        filmed(tmp_path / "stopped", 4, **asked)
    done: list[int] = []
    one = filmed(tmp_path / "stopped", 3, progress=lambda now, of: done.append(now), **asked)
    assert done[0] == round(9.0 * FPS)
    two = filmed(tmp_path / "whole", 3, **asked)
    for kind in ("video", "frames", "evening", "facts", "scene"):
        assert getattr(one, kind).read_bytes() == getattr(two, kind).read_bytes(), kind


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (["--latest", "0.2"], "allow more time"),
        (["--uncalled", "9"], "hand 9"),
        (["--size", "640x360", "--px-per-mm", "2"], "too small"),
        (["--fps", "90"], "5 to 60"),
    ],
)
def test_what_cannot_be_filmed_is_one_line_and_status_2(
    wrong: list[str],
    named: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scripts.build.film.evening.committable_decks", lambda rng, number: DECKS[:number])
    asked = ["--out", str(tmp_path / "film"), "--committable", "--hands", "1", "--nerts-cards", "1"]
    assert main([*asked, *wrong]) == 2
    (line,) = [text for text in capsys.readouterr().err.splitlines() if text.startswith("evening: ")]
    assert named in line
    assert not list(tmp_path.rglob("*.mp4"))
