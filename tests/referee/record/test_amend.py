"""What a person says of a record becomes one correction, or is refused in words with nothing written."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import shorthand

from referee.record import amend
from referee.record.account import Account, account_of
from referee.record.amend import ContradictedError, correct
from referee.record.check import CheckResult, check_lines
from referee.record.said import Answer, Change, Drop, Insert, RefusedError, Said, Undo, said_of

Json = dict[str, Any]
TESTS = Path(__file__).parent.parent
HANDS = sorted([*TESTS.glob("*/hands/*.jsonl"), *TESTS.glob("commands/kept/*.jsonl")])
#: Header, both deals, then: 3 a legal play, 4 a wrong one (N9), 5 another legal one, 6 the end.
STORY = [
    json.loads(line)
    for line in shorthand.lines(
        {
            "events": [
                "play north AS : work 1 > foundation 1 | at=1.0",
                "play north 2D : work 4 > foundation 1 | at=2.0",
                "play north 8S : work 3 > work 2 | at=3.0",
                "end | at=9.0",
            ]
        }
    )
]
MISSED = {"event": "play", "seat": "north", "cards": ["8S"], "from": "work 3", "to": "work 2"}


def checked(lines: list[Json]) -> CheckResult:
    return check_lines(json.dumps(line) + "\n" for line in lines)


def account(lines: list[Json]) -> Json:
    result = checked(lines)
    assert result.errors == []
    return account_of(result).to_json()


def said_by(account: Account) -> list[str]:
    return [str(entry) for entry in account.entries]


def ruled(lines: list[Json]) -> list[str]:
    return [f"{ruling.rule} {ruling.verdict} {ruling.of[0]}" for ruling in checked(lines).rulings]


def after(lines: list[Json], *said: Said, by: str = "Ann", insist: bool = False) -> list[Json]:
    """The record with these corrections, each made and written."""
    for each in said:
        made = correct(lines, each, by, insist=insist)
        assert made.index == len(lines)
        lines = [*lines, made.line]
        assert account(lines) == made.account.to_json()
    return lines


def refusal(lines: list[Json], said: Said, *, by: str = "Ann") -> str:
    with pytest.raises(RefusedError) as refused:
        correct(lines, said, by)
    text = str(refused.value)
    assert "\n" not in text and ": " in text and "line" not in text.split(":")[0]
    return text


def test_a_wrong_card_is_corrected_and_what_rested_on_it_is_ruled_anew() -> None:
    assert ruled(STORY) == ["N9 illegal 4"]
    lines = after(STORY, Change(4, {"to": "work 2"}))
    assert lines[-1] == {
        "event": "correct",
        "at": 9.0,
        "of": 4,
        "with": {"to": "work 2", "confidence": 1.0},
        "by": "Ann",
    }
    assert not any(rule.startswith("N9") for rule in ruled(lines))
    assert "0:02.0 north 2♦  work 4 → work 2 (corrected by Ann)" in said_by(correct_account(lines))


def correct_account(lines: list[Json]) -> Account:
    return account_of(checked(lines))


@pytest.mark.parametrize(
    ("fields", "shows"),
    [
        ({"seat": "south"}, "0:01.0 south A♠  work 1 → foundation 1"),
        ({"cards": ["??"]}, "0:01.0 north ?  work 1 → foundation 1"),
        ({"from": "waste"}, "0:01.0 north A♠  waste → foundation 1"),
        ({"to": "foundation 7"}, "0:01.0 north A♠  work 1 → foundation 7"),
        ({"at": 1.5}, "0:01.5 north A♠  work 1 → foundation 1"),
        (
            {"event": "take-back", "from": "work 1", "to": "nerts"},
            "0:01.0 north takes back A♠  work 1 → nerts",
        ),
        ({"event": "touch", "place": "foundation 1"}, "0:01.0 north touches foundation 1"),
    ],
)
def test_who_which_where_when_and_what(fields: Json, shows: str) -> None:
    lines = after(STORY, Change(3, fields), insist=True)
    assert f"{shows} (corrected by Ann)" in said_by(correct_account(lines))
    touched = [standing for standing in checked(lines).record.lines if standing.index == 3]  # type: ignore[union-attr]
    assert not touched[0].event.extra
    assert account(after(lines, Undo())) == account(STORY)


def test_what_a_person_says_is_certain() -> None:
    unsure = [*STORY[:4], {**STORY[4], "confidence": 0.5}, *STORY[5:]]
    assert ruled(unsure) == ["N9 undecided 4"]
    assert ruled(after(unsure, Change(4))) == ["N9 illegal 4"]


def test_another_moment_takes_away_what_was_measured_of_the_old_one() -> None:
    timed = [*STORY[:3], {**STORY[3], "lifted": [0.7, 0.8], "landed": [0.9, 1.1]}, *STORY[4:]]
    assert after(timed, Change(3, {"at": 1.05}))[-1]["with"] == {"at": 1.05, "confidence": 1.0}
    assert after(timed, Change(3, {"at": 1.5}))[-1]["with"] == {"at": 1.5, "landed": None, "confidence": 1.0}
    assert after(timed, Change(3, {"at": 0.5}))[-1]["with"]["lifted"] is None


def test_what_was_missed_goes_where_its_moment_belongs() -> None:
    lines = after(STORY[:5] + STORY[6:], Insert(({**MISSED, "at": 1.5},)))
    assert (lines[-1]["of"], lines[-1]["insert"]) == (4, [{**MISSED, "at": 1.5}])
    told = [text.partition(" (")[0] for text in said_by(correct_account(lines))]
    assert told[2:5] == [
        "0:01.0 north A♠  work 1 → foundation 1",
        "0:01.5 north 8♠  work 3 → work 2",
        "0:02.0 north 2♦  work 4 → foundation 1",
    ]


@pytest.mark.parametrize(
    "behind", [[], [{"event": "score"}], [{"event": "gap", "at": 1, "from": 1, "to": 2, "why": "dark"}]]
)
def test_what_was_missed_at_the_end_comes_last(behind: list[Json]) -> None:
    lines = after([*STORY[:5], *behind], Insert(({**MISSED, "at": 5.0},)))
    happened = [str(each.event) for each in checked(lines).record.events[2:]]  # type: ignore[union-attr]
    assert happened == [
        "north AS work 1 → foundation 1",
        "north 2D work 4 → foundation 1",
        "north 8S work 3 → work 2",
    ]
    assert ("drop" in lines[-1]) is not behind
    assert account(after(lines, Undo())) == account([*STORY[:5], *behind])
    again = after(lines, Insert(({"event": "call", "seat": "north", "word": "Nerts", "at": 6.0},)))
    assert [each.event.kind for each in checked(again).record.events[-2:]] == ["play", "call"]  # type: ignore[union-attr]


def test_what_was_missed_first_of_all_comes_first() -> None:
    deal = STORY[1]
    lines = after([STORY[0]], Insert(({**deal, "at": 0.0},)))
    assert [each.event.kind for each in checked(lines).record.events] == ["deal"]  # type: ignore[union-attr]
    lines = after([STORY[0], STORY[2]], Insert((deal,), before=1))
    assert [each.event.seat for each in checked(lines).record.events] == ["north", "south"]  # type: ignore[union-attr]


def test_events_put_in_together_are_corrected_each_by_itself() -> None:
    turned = {"event": "touch", "seat": "north", "place": "work 3", "at": 2.4}
    lines = after(STORY[:5] + STORY[6:], Insert((turned, {**MISSED, "at": 2.5}), before=5))
    entries = [(entry.index, entry.part) for entry in correct_account(lines).entries if entry.index == 6]
    assert entries == [(6, 0), (6, 1)]
    changed = after(lines, Change(6, {"cards": ["??"]}, part=1), by="Bob", insist=True)
    assert "0:02.5 north ?  work 3 → work 2 (put in by Bob)" in said_by(correct_account(changed))
    assert account(after(changed, Undo())) == account(lines)
    one_less = after(lines, Drop(6, part=0))
    assert [entry.kind for entry in correct_account(one_less).entries if entry.index == 6] == ["play"]
    none = after(one_less, Drop(6, part=0))
    assert account(none) == account(STORY[:5] + STORY[6:])
    between = after(lines, Insert(({**turned, "place": "work 4"},), before=6, part=1))
    texts = [entry.text for entry in correct_account(between).entries if entry.index == 6]
    assert [text.split(" (")[0] for text in texts] == [
        "touches work 3",
        "touches work 4",
        "8♠  work 3 → work 2",
    ]


def test_undo_goes_back_step_by_step() -> None:
    states = [STORY]
    for said in (
        Drop(4),
        Change(5, {"at": 3.5}),
        Insert(({**MISSED, "cards": ["??"], "from": "nerts"},), before=5),
    ):
        states.append(after(states[-1], said, insist=True))
    lines = states[-1]
    for state in reversed(states[:-1]):
        lines = after(lines, Undo(), by="Bob")
        assert account(lines) == account(state)
    assert "nothing to undo" in refusal(lines, Undo())


def test_one_correction_is_undone_and_made_again() -> None:
    lines = after(STORY, Drop(4), Change(5, {"at": 3.5}))
    undone = after(lines, Undo(7))
    assert account(undone) == account(after(STORY, Change(5, {"at": 3.5})))
    assert account(after(undone, Undo(9))) == account(lines)
    assert "undone already" in refusal(undone, Undo(7))


def test_the_cameras_own_corrections_are_not_undone_by_the_way() -> None:
    camera = {"event": "correct", "at": 4.0, "of": 5, "insert": [{**MISSED, "at": 2.5}], "by": "umpire"}
    lines = [*STORY[:5], STORY[6], camera]
    assert "nothing to undo" in refusal(lines, Undo())
    dropped = after(lines, Drop(6))
    assert account(dropped) == account(lines[:-1])
    assert account(after(dropped, Undo())) == account(lines)
    assert account(after(lines, Undo(6))) == account(lines[:-1])


DOUBT = {
    "event": "doubt",
    "at": 5.0,
    "of": 4,
    "candidates": [{"to": "work 2", "confidence": 0.4}, {"cards": ["2S"]}],
    "asks": "where did it go?",
}


def test_a_doubt_is_answered_by_a_candidate_or_as_it_is_told() -> None:
    lines = [*STORY, DOUBT]
    assert any("in doubt" in text for text in said_by(correct_account(lines)))
    assert "N9 undecided 4" in ruled(lines)
    other = after(lines, Answer(7, 0))
    assert other[-1]["with"] == {"to": "work 2", "confidence": 1.0}
    told = after(lines, Answer(7))
    assert ruled(told) == ["N9 illegal 4"]
    for answered in (other, told, after(lines, Drop(4)), after(lines, Change(4))):
        assert not any("in doubt" in text for text in said_by(correct_account(answered)))
        assert "answered already" in refusal(answered, Answer(7, 0))
        assert account(after(answered, Undo())) == account(lines)
    assert "2 candidates" in refusal(lines, Answer(7, 2))
    assert "asks nothing" in refusal(lines, Answer(4, 0))


def test_a_candidate_replaces_what_was_corrected_before() -> None:
    lines = after(
        [*STORY, {**DOUBT, "of": 3, "candidates": [{"to": "foundation 5"}]}], Change(5, {"at": 3.5})
    )
    camera = {
        "event": "correct",
        "at": 4.0,
        "of": 3,
        "with": {"from": "waste", "hand": "left"},
        "by": "umpire",
    }
    lines = [STORY[0], *STORY[1:], camera, {**DOUBT, "of": 3, "candidates": [{"to": "foundation 5"}]}]
    (play,) = [each.event for each in checked(after(lines, Answer(8, 0))).record.events if each.index == 3]  # type: ignore[union-attr]
    assert str(play) == "north AS work 1 → foundation 5"
    assert getattr(play, "hand", "") is None


def test_a_doubt_about_what_was_put_in_is_settled_by_correcting_it() -> None:
    camera = {
        "event": "correct",
        "at": 4.0,
        "of": 5,
        "insert": [{**MISSED, "at": 2.5, "confidence": 0.5}],
        "by": "umpire",
    }
    lines = [*STORY[:5], STORY[6], camera, {**DOUBT, "of": 6, "candidates": []}]
    for said in (Answer(7), Change(6, {"at": 2.6}), Drop(7)):
        answered = after(lines, said)
        assert not any("in doubt" in text for text in said_by(correct_account(answered)))


def test_rules_and_players_are_corrected_at_the_header() -> None:
    lines = after(STORY, Change(0, {"settings": {"penalty": 1}, "match": {"north": 7}}))
    score = correct_account(lines).score
    assert score is not None and score["match"]["north"] - score["hand"]["north"]["points"] == 7
    assert "cannot be changed" in refusal(STORY, Change(0, {"id": "x"}))
    assert "penalty" in refusal(STORY, Change(0, {"settings": {"penalty": "much"}}))
    assert "says already" in refusal(STORY, Change(0, {"game": "nerts"}))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (Change(99, {"at": 1}), "no event 99"),
        (Drop(99), "no event 99"),
        (Change(4, {"cards": ["1Z"]}), "'1Z', which is no card"),
        (Change(4, {"cards": []}), "'cards' is empty"),
        (Change(4, {"to": "work 17"}), "unknown place 'work 17'"),
        (Change(4, {"to": "the floor"}), "unknown place 'the floor'"),
        (Change(4, {"seat": "west"}), "playing: north, south"),
        (Change(4, {"colour": "red"}), "a play has no 'colour'"),
        (Change(4, {"confidence": 0.2}), "a play has no 'confidence'"),
        (Change(4, {"event": "dance"}), "nothing that happens at a table"),
        (Change(4, {"event": "correct", "of": 3}), "nothing that happens at a table"),
        (Change(4, {"event": 7}), "nothing that happens at a table"),
        (Change(4, {"at": "noon"}), "'at' is no number"),
        (Change(4, {"at": 5.0}), "change places with event 5"),
        (Change(4, {"at": 0.5}), "change places with event 3"),
        (Change(4), "says already"),
        (Change(4, {"to": "foundation 1"}), "says already"),
        (Change(4, {"at": 2.5}, part=1), "no part 1"),
        (Change(1, {"piles": {}}), "a deck has 52"),
        (Drop(0), "header cannot be taken out"),
        (Insert(()), "nothing is put in"),
        (Insert((MISSED,)), "say at which moment"),
        (Insert((MISSED,), before=0), "header is no event"),
        (Insert(({"event": "doubt", "of": 3},), before=4), "nothing that happens at a table"),
        (Insert(({"event": "dance"},), before=4), "nothing that happens at a table"),
        (
            Insert(
                ({"at": 4.0},),
            ),
            "no field 'event'",
        ),
        (Insert((STORY[1],), before=4), "a second deal"),
        (Insert(({**MISSED, "over": 99},), before=4), "names event 99"),
        (Answer(3), "asks nothing"),
        (Undo(3), "no correction"),
        (Undo(99), "no correction"),
    ],
)
def test_what_cannot_be_is_refused(said: Said, words: str) -> None:
    assert words in refusal(STORY, said)


def test_a_card_that_lies_elsewhere_is_refused_unless_they_insist() -> None:
    lines = [*STORY[:4], {**STORY[4], "cards": ["??"]}, *STORY[5:]]
    with pytest.raises(ContradictedError, match="AS of the blue deck was seen in another place") as refused:
        correct(lines, Change(4, {"cards": ["AS"]}), "Ann")
    assert "say that it was so" in str(refused.value)
    assert "N1 undecided" in "".join(ruled(after(lines, Change(4, {"cards": ["AS"]}), insist=True)))


@pytest.mark.parametrize("name", ["", "  ", "Umpire", "a\x07b", "x" * 61])
def test_a_correction_needs_a_name(name: str) -> None:
    assert "name" in refusal(STORY, Drop(4), by=name)


def test_what_was_taken_out_cannot_be_corrected_and_rulings_never_are() -> None:
    lines = after([*STORY, {"event": "ruling", "of": [4]}], Drop(4))
    assert "taken out already" in refusal(lines, Drop(4))
    assert "taken out already" in refusal(lines, Change(4, {"at": 2.1}))
    assert "made anew" in refusal(lines, Drop(7))
    assert "is a correction" in refusal(lines, Change(8, {"at": 3.0}))
    assert "is a question" in refusal([*STORY, DOUBT], Change(7, {"at": 3.0}))


def test_a_record_that_cannot_be_read_is_not_corrected() -> None:
    assert "cannot be read (line 5" in _unreadable([*STORY[:4], {"event": "play"}, *STORY[5:]], Drop(3))
    # a line that only the rules refuse can be mended
    broken = [*STORY[:4], {**STORY[4], "to": "work 77"}, *STORY[5:]]
    assert "cannot be read (line 5" in _unreadable(broken, Drop(3))
    assert checked(after(broken, Drop(4))).status == 0


def _unreadable(lines: list[Json], said: Said) -> str:
    with pytest.raises(RefusedError) as refused:
        correct(lines, said, "Ann")
    return str(refused.value)


@pytest.mark.parametrize(
    "said",
    [
        Change(4, {"at": 3.0}, 2),
        Change(4),
        Drop(3),
        Drop(3, 1),
        Insert((MISSED,)),
        Insert((MISSED,), 4, 1),
        Answer(7),
        Answer(7, 0),
        Undo(),
        Undo(9),
    ],
)
def test_what_is_said_goes_to_json_and_back(said: Said) -> None:
    assert said_of(json.loads(json.dumps(said.to_json()))) == said


NOTHING: list[Any] = [None, [], "undo", {}, {"of": 4}, {"of": "4", "drop": True}, {"of": 4, "drop": False}]
NOTHING += [{"of": 4, "drop": 1}, {"of": 4, "drop": True, "by": "x"}, {"drop": True}, {"of": 4, "with": []}]
NOTHING += [{"with": {}}, {"undo": False}, {"undo": -1}, {"doubt": 4}, {"doubt": 4, "candidate": "x"}]
NOTHING += [
    {"insert": [3]},
    {"insert": {}},
    {"of": 4, "part": -1, "drop": True},
    {"of": 4, "with": {}, "drop": True},
]


@pytest.mark.parametrize("sent", NOTHING)
def test_what_says_nothing_is_refused(sent: Any) -> None:
    with pytest.raises(RefusedError, match="that is no correction: say"):
        said_of(sent)


# -- any sequence of corrections ------------------------------------------------------------------------------

CARDS = ["AS", "7H", "TD", "KC", "??", "7?", "?S", "1Z"]
PLACES = [
    "work 1",
    "work 4",
    "nerts",
    "waste",
    "foundation 1",
    "foundation 9",
    "stock",
    "south work 2",
    "moon",
]


def any_said(chance: random.Random, lines: list[Json]) -> Said:
    """Something that somebody may say of a record, sensible or not."""
    of = chance.randrange(len(lines) + 1)
    seats = [*(seat["seat"] for seat in lines[0]["seats"]), "nobody"]
    event = {
        "event": chance.choice(["play", "draw", "take-back", "touch", "turn", "end", "call", "deal"]),
        "seat": chance.choice(seats),
        "cards": chance.choices(CARDS, k=chance.randint(0, 3)),
        "from": chance.choice(PLACES),
        "to": chance.choice(PLACES),
        "place": chance.choice(PLACES),
        "word": "Nerts",
        "at": chance.choice([0.0, 3.0, 17.0, 99.5, 1e4]),
        "piles": {},
    }
    fields = dict(chance.sample(sorted(event.items()), chance.randint(0, 3)))
    some = {
        name: event[name] for name in ("event", "seat", "at", "cards", "from", "to") if chance.random() < 0.95
    }
    part = int(chance.random() < 0.2)
    return chance.choices(
        [
            Change(of, fields, part),
            Change(of, {"cards": ["??"]}),
            Insert((some,) * chance.randint(1, 2), chance.choice([of, None]), part),
            Drop(of, part),
            Answer(of, chance.choice([None, 0, 1])),
            Undo(),
            Undo(of),
        ],
        [3, 4, 4, 4, 1, 3, 2],
    )[0]


@pytest.mark.parametrize("file", HANDS, ids=lambda file: file.stem)
def test_any_corrections_leave_a_record_that_can_be_read(file: Path) -> None:
    chance = random.Random(file.stem)
    lines = [json.loads(line) for line in file.read_text().splitlines()][:40]
    made = 0
    for _ in range(10):
        before, said = account(lines), any_said(chance, lines)
        try:
            written = correct(lines, said, chance.choice(["Ann", "Bob"]), insist=chance.random() < 0.7)
        except RefusedError as refused:
            assert str(refused) and "\n" not in str(refused) and ": " in str(refused)
            continue
        made += 1
        lines = [*lines, json.loads(json.dumps(written.line))]
        assert account(lines) == written.account.to_json()
        back = correct(lines, Undo(written.index), "Ann")
        assert account([*lines, back.line]) == before
    assert made


def test_a_correction_derives_the_record_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as nothing contradicts: a person waits for it at the table."""
    derived: list[int] = []

    def counted(lines: Any) -> CheckResult:
        derived.append(1)
        return check_lines(lines)

    monkeypatch.setattr(amend, "check_lines", counted)
    assert correct(STORY, Drop(4), "Ann").account.score
    assert len(derived) == 1
