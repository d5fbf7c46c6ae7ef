"""`nerts-referee rules`: the rules in force in plain words."""

from __future__ import annotations

import json
import re

import pytest

from referee.commands.program import run
from referee.rules.settings import game_names


def test_the_rules_name_every_id_and_the_house_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "nuts", "--set", "target=120", "--set", "penalty=1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Nuts, the family version (nuts)"
    ids = {line.split()[0] for line in lines if line}
    assert {"U1", "U2", "U3", "U4", "U5", "U6", "N3", "N9", "N18"} <= ids
    assert "N2" not in ids
    assert any(line.startswith("N18") and "until somebody has 120" in line for line in lines)
    assert any(line.startswith("penalty = 1 ") and line.endswith("house rule") for line in lines)


def test_the_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "canfield", "--set", "tableau_wrap=false", "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)
    assert (rules["game"], rules["settings"]["tableau_wrap"]) == ("canfield", False)
    assert [rule["id"] for rule in rules["rules"]] == ["C1", "C2", "C3", "C4", "C5", "C6"]


@pytest.mark.parametrize("game", game_names())
def test_every_sign_of_a_source_is_explained(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Just those that stand behind a rule or setting are in the legend, one line each."""
    assert run(["rules", game, "--set", "call_threshold=0.8"]) == 0
    told, _, legend = capsys.readouterr().out.partition("\nSources\n")
    explained = {line.split("  ")[0] for line in legend.splitlines()}
    behind = set(re.findall(r"\[\d\]", told)) | {"house rule"}
    behind |= {sign for sign in ("ours", "tournament players") if re.search(rf"\b{sign}\b", told)}
    assert explained == behind
    assert all(line.split("  ")[1] for line in legend.splitlines())
    assert run(["rules", game, "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)
    assert behind - set(rules["sources"]) == {"house rule"}
    assert {sign for rule in rules["rules"] for sign in re.findall(r"\[\d\]", rule["source"])} <= set(
        rules["sources"]
    )


def test_without_a_game_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(game_names())
    assert run(["rules", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["game"] for entry in listed] == list(game_names())
    assert all(entry["title"] and entry["about"] for entry in listed)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["whist"], "unknown game 'whist' (known: california-jacks, "),
        (["nerts", "--set", "magic=1"], "unknown setting 'magic' of game 'nerts' (it has: "),
        (["nerts", "--set", "draw=2"], "setting 'draw' cannot be 2 (allowed: 1, 3)"),
        (["nerts-twelve", "--set", "columns=9"], "'columns' and 'nerts_cards' need 57 cards, a deck has 52"),
        (["nerts", "--set", "target"], "--set 'target' is not KEY=VALUE"),
        (["--set", "target=9"], "--set target=9 is for one game: name it"),
    ],
)
def test_bad_input(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert says in said.err
