"""What RECORD.md says of lines, corrections, doubts and bad input, each point with a record of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
import shorthand

from referee.record.check import CheckResult, check_lines
from referee.rules.header import HeaderError, parse_header

HEADER = {
    "record": 1,
    "game": "nerts",
    "settings": {},
    "seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}],
    "source": {"kind": "typed"},
}
PLAIN = shorthand.lines({})
TWO_FROM_NERTS = {"cards": ["2S"], "from": "nerts"}
#: Lines of a record with both deals, then: 3 a legal play, 4 a wrong one, 5 another legal one.
STORY = shorthand.lines(
    {
        "events": [
            "play north AS : work 1 > foundation 1",
            "play north 2D : work 4 > foundation 1",
            "play north 8S : work 3 > work 2",
        ]
    }
)


def raw(*objects: dict[str, Any]) -> list[bytes]:
    return [json.dumps(line).encode() + b"\n" for line in objects]


def check(*lines: bytes) -> tuple[CheckResult, list[str], dict[str, Any] | None]:
    result = check_lines(lines)
    told = [json.loads(line) for line in result.output]
    said = [f"{r['rule']} {r['verdict']} {','.join(map(str, r['of']))}" for r in told if r.get("ruling")]
    score = told[-1] if told and told[-1]["event" if "event" in told[-1] else "record"] == "score" else None
    return result, said, score


def test_the_story_has_one_wrong_play() -> None:
    result, said, score = check(*STORY)
    assert (result.status, said) == (0, ["N9 illegal 4"])
    assert score is not None
    assert score["hand"]["north"]["disputed"] == 1


def test_lines_are_printed_unchanged_then_rulings_then_one_score() -> None:
    odd = STORY[0].replace(b'"record": 1', b'"record" :1,  "mine": [1.50, "\\u00e9"]')
    result = check_lines([odd, *STORY[1:]])
    assert result.output[: len(STORY)] == [line[:-1] for line in [odd, *STORY[1:]]]
    assert [json.loads(line)["event"] for line in result.output[len(STORY) :]] == ["ruling", "score"]


def test_a_ruling_has_all_its_fields() -> None:
    ruling = json.loads(check_lines(STORY).output[-2])
    assert ruling["at"] == 4.0
    assert ruling["seat"] == "north"
    assert ruling["rule"] == "N9"
    assert ruling["of"] == [4]
    assert ruling["verdict"] == "illegal"
    assert ruling["confidence"] == 1.0
    assert ruling["evidence"] == {}
    assert "2D" in ruling["why"]


# -- corrections ------------------------------------------------------------------------------------------


def test_a_correction_replaces_fields_and_indices_stay() -> None:
    fix = raw({"event": "correct", "at": 0, "of": 4, "with": {"cards": ["2S"], "from": "waste"}, "by": "me"})
    drawn = {"event": "draw", "at": 3, "seat": "north", "cards": ["3C", "4C", "2S"]}
    draw = raw({"event": "correct", "at": 0, "of": 4, "insert": [drawn]})
    wrong = {"event": "play", "at": 20, "seat": "north", "cards": ["3C"], "from": "waste", "to": "work 4"}
    result, said, _ = check(*STORY, *fix, *draw, *raw(wrong))
    assert result.status == 0
    assert sorted(said) == ["N12 illegal 8", "N5 illegal 8"]


def test_a_dropped_event_never_happened() -> None:
    _, said, score = check(*STORY, *raw({"event": "correct", "at": 9, "of": 4, "drop": True}))
    assert said == []
    assert score is not None
    assert score["hand"]["north"]["centre"] == 1


def test_dropping_a_correction_undoes_it() -> None:
    drop = raw({"event": "correct", "at": 9, "of": 4, "drop": True})
    undo = raw({"event": "correct", "at": 9, "of": 6, "drop": True})
    redo = raw({"event": "correct", "at": 9, "of": 7, "drop": True})
    assert check(*STORY, *drop, *undo)[1] == ["N9 illegal 4"]
    assert check(*STORY, *drop, *undo, *redo)[1] == []


def test_a_correction_may_be_corrected() -> None:
    wrong = raw({"event": "correct", "at": 9, "of": 4, "with": {"cards": ["3D"]}})
    right = raw({"event": "correct", "at": 9, "of": 6, "with": {"with": {"to": "work 2", "cards": ["2D"]}}})
    assert check(*STORY, *wrong, *right)[1] == ["N5 illegal 4", "N5 illegal 5"]


def test_the_header_is_corrected_too() -> None:
    fix = raw({"event": "correct", "at": 9, "of": 0, "with": {"settings": {"penalty": 1}}})
    _, _, score = check(*STORY, *fix)
    assert score is not None
    assert score["hand"]["south"]["points"] == -13


def test_an_inserted_event_is_cited_by_its_correction() -> None:
    missed = {"event": "play", "at": 3, "seat": "south", "cards": ["9D"], "from": "work 3", "to": "work 4"}
    _, said, _ = check(*STORY, *raw({"event": "correct", "at": 9, "of": 4, "insert": [missed]}))
    assert said == ["N9 illegal 4", "N5 illegal 6"]


def test_an_inserted_event_comes_just_before_its_place() -> None:
    missed = {
        "event": "play",
        "at": 3,
        "seat": "south",
        "cards": ["AS"],
        "from": "work 1",
        "to": "foundation 1",
    }
    _, said, _ = check(*STORY, *raw({"event": "correct", "at": 9, "of": 3, "insert": [missed | {"at": 1}]}))
    # north's ace now comes second, and the wrong two is wrong as before
    assert said == ["N13 undecided 3,6", "N9 illegal 4"] or said == ["N9 illegal 4", "N13 undecided 3,6"]


@pytest.mark.parametrize(
    "line",
    [
        {"event": "correct", "at": 9, "of": 99, "drop": True},
        {"event": "correct", "at": 9, "of": 4, "with": {"cards": ["1X"]}},
        {"event": "correct", "at": 9, "of": 4, "with": {"seat": "nobody"}},
        {"event": "correct", "at": 9, "of": 4, "with": {"to": "work 9"}},
        {"event": "correct", "at": 9, "of": 4, "insert": [{"event": "play", "at": 3, "seat": "north"}]},
        {"event": "correct", "at": 9, "of": 0, "with": {"game": "whist"}},
        {"event": "correct", "at": 9, "of": 0, "drop": True},
        {"event": "correct", "at": 9},
        {"event": "doubt", "at": 9, "of": 99, "candidates": []},
        {"event": "doubt", "at": 9, "of": 4, "candidates": [{"to": "work 9"}]},
    ],
)
def test_a_correction_or_doubt_that_cannot_be(line: dict[str, Any]) -> None:
    result, said, score = check(*STORY, *raw(line))
    assert result.status == 2
    assert "line 7" in result.errors[0]
    assert said == ["N9 illegal 4"]
    assert score is None
    assert result.output[:6] == [one[:-1] for one in STORY]


# -- doubts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "candidates", "wanted"),
    [
        (4, [{"cards": ["3D"]}], ["N9 illegal 4"]),
        (4, [{"to": "foundation 2", "cards": ["AD"]}, TWO_FROM_NERTS], ["N9 undecided 4", "N8 undecided 4"]),
        (5, [{"to": "foundation 1"}], ["N9 illegal 4", "N9 undecided 5"]),
        (5, [{"at": 6}], ["N9 illegal 4"]),
    ],
)
def test_an_event_in_doubt(of: int, candidates: list[dict[str, Any]], wanted: list[str]) -> None:
    doubt = raw({"event": "doubt", "at": 9, "of": of, "candidates": candidates, "asks": "Which?"})
    assert sorted(check(*STORY, *doubt)[1]) == sorted(wanted)


def test_a_correction_settles_a_doubt() -> None:
    doubt = raw({"event": "doubt", "at": 9, "of": 4, "candidates": [{"to": "foundation 2", "cards": ["AD"]}]})
    assert check(*STORY, *doubt)[1] == ["N9 undecided 4"]
    settled = raw({"event": "correct", "at": 9, "of": 4, "with": {"confidence": 1}})
    assert check(*STORY, *doubt, *settled)[1] == ["N9 illegal 4"]


# -- bad lines --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"  \n",
        b"{\n",
        b"[]\n",
        b"7\n",
        b"\xff\xfe\n",
        b'{"event": "end", "at": NaN}\n',
        b'{"at": 9}\n',
        b'{"event": "end", "at": 1e999}\n',
        b'{"event": "end", "at": 9, "seen": [-1e999]}\n',
        b'{"event": "end", "at": 1' + b"0" * 400 + b"}\n",
        b'{"event": "call", "at": 9, "seat": "north", "word": "Stop", "of": 1' + b"0" * 400 + b"}\n",
        *raw(
            {
                "event": "play",
                "at": 9,
                "seat": "west",
                "cards": ["AS"],
                "from": "work 1",
                "to": "foundation 1",
            },
            {
                "event": "play",
                "at": 9,
                "seat": "north",
                "cards": ["AS"],
                "from": "work 5",
                "to": "foundation 1",
            },
            {
                "event": "play",
                "at": 9,
                "seat": "north",
                "cards": ["AS"],
                "from": "work 1",
                "to": "west work 1",
            },
            {
                "event": "play",
                "at": 9,
                "seat": "north",
                "cards": ["AS"],
                "from": "work 1",
                "to": "foundation",
            },
            {"event": "play", "at": 9, "seat": "north", "cards": ["AS"], "from": "reserve", "to": "work 1"},
            {
                "event": "play",
                "at": 9,
                "seat": "north",
                "cards": ["1S"],
                "from": "work 1",
                "to": "foundation 1",
            },
            {"event": "play", "at": 9, "seat": "north", "cards": [], "from": "work 1", "to": "foundation 1"},
            {"event": "play", "at": 9, "seat": "north", "from": "work 1", "to": "foundation 1"},
            {"event": "play", "at": 9, "cards": ["AS"], "from": "work 1", "to": "foundation 1"},
            {
                "event": "play",
                "at": 5.9,
                "seat": "north",
                "cards": ["AS"],
                "from": "work 1",
                "to": "foundation 1",
            },
            {
                "event": "play",
                "at": "9",
                "seat": "north",
                "cards": ["AS"],
                "from": "work 1",
                "to": "foundation 1",
            },
            {
                "event": "play",
                "at": 9,
                "seat": "north",
                "cards": ["AS"],
                "from": "work 1",
                "to": "foundation 1",
                "over": 99,
            },
            {
                "event": "play",
                "at": 9,
                "seat": "north",
                "cards": ["AS"],
                "from": "work 1",
                "to": "foundation 1",
                "confidence": 2,
            },
            {
                "event": "play",
                "at": 9,
                "seat": "north",
                "cards": ["AS"],
                "from": "work 1",
                "to": "foundation 1",
                "landed": [3, 2],
            },
            {"event": "deal", "at": 9, "seat": "north", "piles": {"nerts": 13, "stock": 39}},
            {"event": "call", "at": 9, "seat": "north", "word": "Stop", "of": 99},
            {"event": "turn", "at": 9, "seat": "north", "place": "here"},
            {"event": "end", "at": 9, "why": "tired"},
            {"event": "end", "at": 9, "why": ["stuck"]},
            {"event": "call", "at": 9, "seat": "north", "word": "Stop", "choice": "both"},
            {"event": "touch", "at": 9, "seat": "north", "place": "work 1", "hand": "third"},
            {"event": "set-aside", "at": 9, "place": "here"},
        ),
    ],
)
def test_a_bad_line_ends_the_reading(line: bytes) -> None:
    result, said, score = check(*STORY, line, *PLAIN[3:])
    assert result.status == 2
    assert len(result.errors) == 1
    assert "line 7" in result.errors[0]
    assert "\n" not in result.errors[0]
    assert said == ["N9 illegal 4"]
    assert score is None
    assert result.output[:6] == [one[:-1] for one in STORY]


@pytest.mark.parametrize(
    "piles",
    [
        {"nerts": 13, "stock": 38},
        {"nerts": 13, "stock": 40},
        {"nerts": ["7H", "7H"], "stock": 50},
        {"nerts": ["7X"], "stock": 51},
        {"reserve": 13, "stock": 39},
        {"nerts": -1, "stock": 53},
    ],
)
def test_a_deal_that_is_no_deck(piles: dict[str, Any]) -> None:
    result = check_lines(raw(HEADER, {"event": "deal", "at": 0, "seat": "north", "piles": piles}))
    assert result.status == 2
    assert "line 2" in result.errors[0]
    assert len(result.output) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"record": 2},
        {"game": "whist"},
        {"game": None},
        {"settings": {"speed": 3}},
        {"settings": {"target": 0}},
        {"settings": {"target": True}},
        {"settings": {"draw": 2}},
        {"settings": {"columns": 7}},
        {"settings": {"tie": "first"}},
        {"settings": {"nerts_cards": 48, "work_piles": 5}},
        {"seats": []},
        {"seats": [{"seat": "north", "deck": "blue"}, {"seat": "north", "deck": "red"}]},
        {"seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "blue"}]},
        {"seats": [{"seat": "north"}, {"seat": "south", "deck": "red"}]},
        {"dealer": "west"},
        {"match": {"west": 3}},
        {"match": {"north": 10**400}},
        {"match": {"north": True}},
        {"settings": {"target": 10**400}},
        {"settings": {"penalty": 10**400}},
        {"settings": {"tie_window_s": 10**400}},
        {"source": {"kind": "camera", "fps": 10**400}},
        {"source": {"kind": "camera", "fps": "30"}},
    ],
)
def test_a_header_that_cannot_be(change: dict[str, Any]) -> None:
    result = check_lines(raw(HEADER | change, {"event": "end", "at": 0}))
    assert result.status == 2
    assert result.errors[0].startswith("line 1: ")
    assert result.output == []
    for key in change.get("settings", {}) if isinstance(change.get("settings"), dict) else {}:
        assert (
            repr(key) in result.errors[0]
            or "columns" in result.errors[0]
            or "nerts_cards" in result.errors[0]
        )


@pytest.mark.parametrize(
    ("game", "settings", "named"),
    [
        ("nerts-twelve", {"onto_nuts": True}, ["'onto_nuts'", "'nerts-twelve'"]),
        ("nerts-twelve", {"nerts_face": "up"}, ["'nerts_face'", "'nerts-twelve'"]),
        ("nerts-twelve", {"must_call_when_stuck": True}, ["'must_call_when_stuck'", "'stuck'"]),
        ("nerts", {"must_call_when_stuck": True, "stuck": "none"}, ["'must_call_when_stuck'", "'stuck'"]),
        ("nerts", {"stuck": "bottom-card"}, ["'stuck'", "'nuts'"]),
    ],
)
def test_settings_that_contradict_are_refused_with_both_named(
    game: str, settings: dict[str, Any], named: list[str]
) -> None:
    with pytest.raises(HeaderError) as refused:
        parse_header({**HEADER, "game": game, "settings": settings})
    assert all(name in str(refused.value) for name in named)


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("nerts-twelve", {"must_call_when_stuck": True, "stuck": "bury"}),
        ("nuts", {"onto_nuts": True}),
        ("nerts", {"slide_under": True, "fill": "nuts-top"}),
    ],
)
def test_unusual_settings_that_can_be_played_are_taken(game: str, settings: dict[str, Any]) -> None:
    assert dict(parse_header({**HEADER, "game": game, "settings": settings}).settings.changed) == settings


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        ({"seat": "west"}, "(playing: north, south)"),
        ({"cards": ["10S"]}, "(rank then suit, as TH; ?? if unknown)"),
        ({"from": "pile 3"}, "(as work 3, foundation 7; another's with the seat first)"),
        ({"hand": "third"}, "(write left or right)"),
    ],
)
def test_a_bad_field_is_answered_with_what_may_be_written(change: dict[str, Any], remedy: str) -> None:
    play = {"event": "play", "at": 9, "seat": "north", "cards": ["AS"], "from": "work 1", "to": "work 2"}
    assert check(*STORY, *raw(play | change))[0].errors[0].endswith(remedy)


@pytest.mark.parametrize("field", ["match", "settings", "source"])
def test_a_header_with_a_number_that_is_not_finite(field: str) -> None:
    value = {"match": {"north": 7}, "settings": {"tie_window_s": 7}, "source": {"kind": "camera", "fps": 7}}
    line = raw(HEADER | {field: value[field]})[0].replace(b": 7}", b": 1e999}")
    result = check_lines([line])
    assert result.status == 2
    assert result.errors == ["line 1: 1e999 is no finite number"]


def test_a_header_in_python_takes_no_number_that_is_not_finite() -> None:
    for total in (float("inf"), float("nan")):
        with pytest.raises(HeaderError, match="'match'"):
            parse_header({**HEADER, "match": {"north": total}})


@pytest.mark.parametrize("data", [b"", b"\n", b"garbage", b"{" * 1_000_000, b"\x00" * 10_000_000, b"[1,\n"])
def test_garbage_is_no_record(data: bytes) -> None:
    result = check_lines(data.splitlines(keepends=True))
    assert result.status == 2
    assert "line 1" in result.errors[0]
    assert result.output == []


def test_a_last_line_cut_off_by_a_crash_is_left_out() -> None:
    result, said, score = check(*STORY, b'{"event": "play", "at": 9, "se')
    assert result.status == 0
    assert "cut off" in result.errors[0]
    assert "line 7" in result.errors[0]
    assert said == ["N9 illegal 4"]
    assert score is not None
    assert len(result.output) == 6 + 2


def test_a_last_line_without_a_line_end_counts_if_it_can_be_read() -> None:
    result, said, _ = check(*STORY[:-1], STORY[-1][:-1])
    assert (result.status, result.errors, said) == (0, [], ["N9 illegal 4"])
    assert result.output[5] == STORY[-1][:-1]


def test_a_last_line_without_a_line_end_may_still_be_bad() -> None:
    result, _, score = check(*STORY, b'{"event": "play", "at": 9}')
    assert result.status == 2
    assert score is None


def test_rulings_and_scores_in_the_input_carry_no_weight() -> None:
    old = raw(
        {"event": "ruling", "at": 0, "rule": "N9", "of": [3], "verdict": "illegal", "why": "mistaken"},
        {"event": "score", "at": 0, "hand": {"north": {"points": 99}}},
    )
    result = check_lines([*STORY[:4], *old, *STORY[4:]])
    assert result.status == 0
    rulings = [json.loads(line) for line in result.output[8:-1]]
    assert [ruling["of"] for ruling in rulings] == [[6]]
    assert json.loads(result.output[-1])["hand"]["north"]["centre"] == 2


def test_an_unknown_kind_of_event_is_kept_and_passed_over() -> None:
    strange = raw({"event": "sneeze", "at": -4, "seat": "west"})
    result = check_lines([*STORY[:4], *strange, *STORY[4:]])
    assert result.status == 0
    assert result.output[4] == strange[0][:-1]
    assert json.loads(result.output[-2])["of"] == [5]


def test_without_a_deal_its_piles_are_not_ruled_on() -> None:
    lines = raw(
        HEADER,
        {"event": "play", "at": 1, "seat": "north", "cards": ["AS"], "from": "work 1", "to": "foundation 1"},
        {"event": "play", "at": 2, "seat": "north", "cards": ["8S"], "from": "waste", "to": "work 2"},
        {"event": "draw", "at": 3, "seat": "north", "cards": ["4S"]},
        {"event": "recycle", "at": 4, "seat": "north"},
        {"event": "play", "at": 5, "seat": "north", "cards": ["3S"], "from": "nerts", "to": "foundation 1"},
        {"event": "call", "at": 6, "seat": "north", "word": "Nerts"},
    )
    result, said, score = check(*lines)
    assert result.status == 0
    assert said == ["N9 illegal 5"]
    assert score is not None
    assert score["final"] is True


def test_a_record_of_a_header_alone_has_a_score() -> None:
    _, said, score = check(*raw(HEADER))
    assert said == []
    assert score is not None
    assert score["final"] is False
    assert score["winner"] is None


def test_an_event_without_a_time_has_that_of_the_one_before() -> None:
    untimed = {"event": "play", "seat": "north", "cards": ["9H"], "from": "work 2", "to": "foundation 9"}
    result = check_lines([*STORY, *raw(untimed)])
    assert result.status == 0
    assert [(r.of, r.at) for r in result.rulings] == [((4,), 4.0), ((6,), 6.0)]
