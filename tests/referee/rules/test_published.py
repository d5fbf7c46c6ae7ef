"""What is published of the rules: the schema of a record, the rules in plain words, the page made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import shorthand

from referee.record.check import check_lines
from referee.record.schema import record_schema
from referee.rules.settings import Settings, SettingsError, definitions, game_names, load_preset
from referee.rules_text import rules_in_force, rules_json, rules_page, rules_text

from .tables import PRESETS

ROOT = Path(__file__).parents[3]
CASES = [case for case in shorthand.cases() if "refused" not in case]


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value is valid under the keywords that the schema uses."""
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "boolean": bool,
        "integer": int,
        "number": (int, float),
    }
    for key, rule in schema.items():
        if key == "anyOf" and not any(fits(value, option) for option in rule):
            return False
        if key == "const" and (value != rule or type(value) is not type(rule)):
            return False
        if key == "enum" and value not in rule:
            return False
        if key == "type":
            names = [rule] if isinstance(rule, str) else rule
            wanted = [name for name in names if name != "null"]
            number = isinstance(value, bool) and "boolean" not in wanted
            if number or not (
                (value is None and "null" in names) or any(isinstance(value, kinds[name]) for name in wanted)  # type: ignore[arg-type]
            ):
                return False
        if key == "required" and not all(name in value for name in rule):
            return False
        if key == "properties" and not all(fits(value[k], s) for k, s in rule.items() if k in value):
            return False
        if key == "additionalProperties" and not all(fits(v, rule) for v in value.values()):
            return False
        if key == "items" and not all(fits(item, rule) for item in value):
            return False
        if key in ("minItems", "minLength") and len(value) < rule:
            return False
        if key == "maxItems" and len(value) > rule:
            return False
        if key == "minimum" and value < rule:
            return False
        if key == "maximum" and value > rule:
            return False
    return True


def test_every_line_of_the_hand_written_records_fits_the_schema() -> None:
    schema = record_schema()
    for case in CASES:
        for line in check_lines(shorthand.lines(case)).output:
            assert fits(json.loads(line), schema), line


@pytest.mark.parametrize(
    "line",
    [
        {"record": 2, "game": "nerts", "seats": [{"seat": "north"}]},
        {"record": 1, "game": "whist", "seats": [{"seat": "north"}]},
        {"event": "play", "at": 1, "seat": "north", "cards": [], "from": "waste", "to": "work 1"},
        {"event": "play", "at": 1, "seat": "north", "cards": ["1H"], "from": "waste", "to": "work 1"},
        {"event": "play", "at": 1, "seat": "north", "cards": ["AH"], "to": "work 1"},
        {"event": "draw", "at": 1, "cards": ["AH"]},
        {"event": "touch", "at": 1, "seat": "north", "place": "work 1", "landed": [1]},
        {"event": "ruling", "at": 1, "ruling": "x", "rule": "N9", "of": [], "verdict": "illegal", "why": "x"},
        {"event": "ruling", "at": 1, "ruling": "x", "rule": "N9", "of": [1], "verdict": "bad", "why": "x"},
    ],
)
def test_what_is_no_line_of_a_record_does_not_fit(line: dict[str, Any]) -> None:
    assert not fits(line, record_schema())


def test_the_published_schema_is_the_schema() -> None:
    assert json.loads((ROOT / "docs/record.schema.json").read_text()) == record_schema()


def test_the_published_page_is_made_from_the_data() -> None:
    assert (ROOT / "docs/rules.md").read_text() == rules_page()


@pytest.mark.parametrize("game", PRESETS)
def test_a_game_tells_the_rules_that_its_records_cite(game: str) -> None:
    told = {rule.id for rule in rules_in_force(Settings.of(game))}
    for case in CASES:
        if case.get("game", "nerts") != game or case.get("settings"):
            continue
        cited = {ruling.split()[0] for ruling in case["rulings"]}
        assert cited <= told


def test_every_rule_of_the_book_is_told_somewhere() -> None:
    book = {"N": 18, "U": 7, "P": 5, "T": 4, "F": 1, "D": 8, "S": 6, "C": 6, "J": 5}
    wanted = {f"{letter}{number}" for letter, last in book.items() for number in range(1, last + 1)}
    told = {rule.id for game in game_names() for rule in rules_in_force(Settings.of(game))}
    told |= {rule.id for rule in rules_in_force(Settings.of("nerts", {"foundations_a_suit": 1}))}
    assert told == wanted


def test_settings_change_what_is_told() -> None:
    assert "100 at the end" in rules_text("nerts", {"target": 100})
    slides = [
        rule for rule in rules_in_force(Settings.of("nerts", {"slide_under": False})) if rule.id == "N7"
    ]
    assert [rule.title for rule in slides] == ["No slide-under"]
    assert "F1" in {rule["id"] for rule in rules_json("nerts", {"foundations_a_suit": 1})["rules"]}
    assert "F1" not in {rule["id"] for rule in rules_json("nerts")["rules"]}


@pytest.mark.parametrize(
    ("game", "rule"), [("nerts", "N15"), ("nuts", "U6"), ("team-nuts", "P5"), ("nerts-twelve", "T4")]
)
def test_the_duty_to_call_is_told_where_it_holds(game: str, rule: str) -> None:
    told = rules_in_force(Settings.of(game, {"stuck": "bury", "must_call_when_stuck": True}))
    assert [one.id for one in told if one.title == "Duty to call"] == [rule]
    assert "Duty to call" not in rules_text(game)


def test_every_setting_of_every_game_is_described_and_has_a_source() -> None:
    for game in game_names():
        preset = load_preset(game)
        assert set(preset.values) == set(preset.sources)
        for key, value in preset.values.items():
            assert definitions()[key].check(value) == value
            assert definitions()[key].title
            assert definitions()[key].description.endswith(".")


@pytest.mark.parametrize(
    ("game", "changed", "named"),
    [
        ("whist", {}, "whist"),
        ("nerts", {"speed": 1}, "speed"),
        ("nerts", {"work_piles": 7}, "work_piles"),
        ("nerts", {"work_piles": 4.0}, "work_piles"),
        ("nerts", {"slide_under": 1}, "slide_under"),
        ("nerts", {"foundations_a_suit": True}, "foundations_a_suit"),
        ("nerts", {"call_threshold": 1.1}, "call_threshold"),
        ("nerts", {"nerts_cards": 49}, "nerts_cards"),
        ("nerts", {"nerts_cards": 47, "work_piles": 6}, "nerts_cards"),
        ("nerts", {"stuck": "bottom-card"}, "stuck"),
        ("nerts-twelve", {"columns": 9}, "columns"),
        ("nuts", {"pass": "up"}, "pass"),
    ],
)
def test_settings_that_cannot_be_are_named(game: str, changed: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        Settings.of(game, changed)


def test_the_book_s_table_of_presets() -> None:
    table = {
        "nerts": (13, 2, 0, True, "any", "both-stay", "redeal-then-score", 50),
        "nerts-minus-one": (13, 1, 0, False, "any", "both-stay", "redeal", 50),
        "one-per-suit": (13, 2, 0, True, 1, "both-stay", "redeal-then-score", 50),
        "nerts-twelve": (12, 1, 10, False, "any", "underneath", "none", 50),
        "nuts": (11, 2, 0, False, "any", "quickest", "none", 50),
        "team-nuts": (11, 2, 0, False, "any", "quickest", "none", 250),
        "tournament": (13, 2, 0, True, "any", "both-stay", "redeal-then-score", 100),
        "nna-singles": (13, 2, 10, True, "any", "both-stay", "redeal-then-score", 150),
    }
    keys = (
        "nerts_cards",
        "penalty",
        "caller_bonus",
        "slide_under",
        "foundations_a_suit",
        "tie",
        "stuck",
        "target",
    )
    for game, wanted in table.items():
        settings = Settings.of(game)
        assert tuple(settings[key] for key in keys) == wanted


@pytest.mark.parametrize(
    ("changed", "told", "not_told"),
    [
        ({}, "less 2 for each card left", "bonus"),
        ({"caller_bonus": 10}, "The caller has a bonus of 10.", "king"),
        ({"king_points": 5}, "Each own king in the centre brings 5 more.", "bonus"),
    ],
)
def test_only_what_is_scored_is_told(changed: dict[str, int], told: str, not_told: str) -> None:
    (rule,) = [rule for rule in rules_in_force(Settings.of("nerts", changed)) if rule.id == "N17"]
    assert told in rule.text
    assert not_told not in rule.text
