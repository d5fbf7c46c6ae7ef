"""Games by whatever people call them; records by their one name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pretend import PretendEye
from said import complaint, lines_of

from referee import service
from referee.commands.program import run
from referee.record.check import check_lines
from referee.rules.header import Header
from referee.rules.settings import Settings, SettingsError, game_named, game_names, load_preset

CALLED = [
    ("pounce", "nerts"),
    ("nertz", "nerts"),
    ("Nertz", "nerts"),
    (" POUNCE ", "nerts"),
    ("Racing Demon", "nerts"),
    ("racing_demon", "nerts"),
    ("peanuts", "nerts"),
    ("squeal", "nerts"),
    ("NERTS", "nerts"),
    ("nuts", "nuts"),
    ("Team Nuts", "team-nuts"),
    ("NNA singles", "nna-singles"),
    ("Double  Solitaire", "double-solitaire"),
    ("pishe_pasha", "pishe-pasha"),
    ("demon", "canfield"),
    ("California Jack", "california-jacks"),
]


@pytest.mark.parametrize(("called", "name"), CALLED)
def test_a_game_is_known_by_what_people_call_it(called: str, name: str) -> None:
    assert game_named(called) == name
    assert load_preset(called).name == name
    assert Settings.of(called).preset is load_preset(name)


def test_no_game_is_called_as_another() -> None:
    names = list(game_names())
    aliases = [alias for name in names for alias in load_preset(name).aliases]
    assert len({*names, *aliases}) == len(names) + len(aliases)
    assert all(game_named(name) == name for name in names)
    assert all(re.fullmatch("[a-z]+(-[a-z]+)*", alias) for alias in aliases)


@pytest.mark.parametrize(
    ("called", "meant"),
    [
        ("nrets", "nerts"),
        ("poounce", "nerts"),
        ("nertz-twelve", "nerts-twelve"),
        ("cannfield", "canfield"),
        ("double-solitare", "double-solitaire"),
    ],
)
def test_a_mistyped_game_gets_the_nearest(called: str, meant: str) -> None:
    with pytest.raises(SettingsError, match=rf"unknown game '{called}': did you mean {meant}\? \(known: "):
        game_named(called)


@pytest.mark.parametrize("called", ["whist", "", "  ", "-", "x" * 1000, "../nerts", "rules", "settings"])
def test_what_is_no_game_is_unknown(called: str) -> None:
    with pytest.raises(SettingsError, match="unknown game"):
        game_named(called)


def test_the_rules_are_told_by_any_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "nerts"]) == 0
    usual = capsys.readouterr().out
    assert usual.startswith("Nerts (nerts; also called nertz, pounce, ")
    assert run(["rules", "Pounce"]) == 0
    assert capsys.readouterr().out == usual
    assert run(["rules", "nertz", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == "nerts"
    assert run(["rules"]) == 0
    assert "pounce" in capsys.readouterr().out


def test_a_header_keeps_the_one_name(
    pretended: PretendEye, hand_video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(hand_video), "--json", "--game", "Pounce", "--out", str(tmp_path / "r")]) == 0
    assert lines_of(capsys.readouterr().out)[0]["game"] == "nerts"
    assert Header.of("nerts", {"a": "x", "b": "y"}).to_json()["game"] == "nerts"


def test_the_umpire_is_asked_for_the_one_name(
    pretended: PretendEye, hand_video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def replay(video: Path, game: str, *rest: Any, **more: Any) -> Iterator[dict[str, Any]]:
        asked.append(game)
        yield from ()

    monkeypatch.setattr(service, "tools", replace(service.tools, replay=replay))
    run(["replay", str(hand_video), "--game", "racing demon"])
    assert asked == ["nerts"]


def test_a_match_keeps_the_one_name(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    assert run(["match", str(file), "--seats", "ann,ben", "--game", "Nertz"]) == 0
    assert json.loads(file.read_text())["game"] == "nerts"


@pytest.mark.parametrize("called", ["pounce", "Nerts", "double solitaire"])
def test_a_record_says_the_one_name(called: str) -> None:
    seats = [{"seat": "a", "deck": "x"}, {"seat": "b", "deck": "y"}]
    result = check_lines([json.dumps({"record": 1, "game": called, "seats": seats}).encode() + b"\n"])
    assert result.status == 2
    name = game_named(called)
    assert result.errors == [
        f"line 1: header: field 'game' calls '{name}' '{called}': write '{name}', as every record does"
    ]


def test_an_unknown_game_of_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["match", str(tmp_path / "m"), "--seats", "ann,ben", "--game", "nutz"]) == 2
    assert "unknown game 'nutz': did you mean nuts?" in complaint(capsys)
