"""A record told for people: in words, and as it holds now."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.commands.console import out
from referee.commands.tell import tell_account
from referee.record.account import Account, account_of, cards_text, clock, give_account
from referee.record.check import check_lines

Line = dict[str, Any]
HEADER: Line = {
    "record": 1,
    "game": "nerts",
    "seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}],
    "source": {"kind": "typed", "fps": 30},
}


def told(*lines: Line, **header: Any) -> Account:
    return give_account([HEADER | header, *lines])


def play(at: float, cards: str = "AH", to: str = "foundation 1", **more: Any) -> Line:
    way = {"from": "waste", "to": to}
    return {"event": "play", "at": at, "seat": "north", "cards": cards.split(), **way, **more}


def correct(of: int, **what: Any) -> Line:
    return {"event": "correct", "at": 90, "of": of, **what}


def said(account: Account) -> list[tuple[str, list[str]]]:
    return [(entry.text, [remark.rule for remark in entry.remarks]) for entry in account.entries]


# -- in words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00.0"), (7.44, "0:07.4"), (59.96, "1:00.0"), (67.4, "1:07.4"), (3600, "60:00.0"), (-1, "0:00.0")],
)
def test_moments_are_written_as_on_a_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_cards_are_written_as_players_do() -> None:
    assert cards_text(["TH", "QS", "??", "7?", "?D"]) == "10♥ Q♠ ? 7? ?♦"


BACK = {"event": "take-back", "cards": ["5H"], "from": "foundation 2", "to": "waste"}
UNDER = {"event": "play", "cards": ["9S"], "from": "nerts", "to": "work 3", "under": True}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ({"event": "deal", "piles": {"nerts": ["??"] * 13, "stock": 39}}, "deals 52 cards"),
        ({"event": "draw", "cards": ["2C", "TD"]}, "draws 2♣ 10♦"),
        ({"event": "play", "cards": ["9S"], "from": "nerts", "to": "work 3"}, "9♠  nerts → work 3"),
        (UNDER, "9♠  nerts → under work 3"),
        ({"event": "turn", "place": "nerts", "card": "AH"}, "turns up A♥ on nerts"),
        ({"event": "turn", "place": "nerts"}, "turns up ? on nerts"),
        ({"event": "recycle"}, "turns the waste over"),
        ({"event": "bury"}, "buries the top card of the stock"),
        (BACK, "takes back 5♥  foundation 2 → waste"),
        ({"event": "touch", "place": "foundation 1"}, "touches foundation 1"),
        ({"event": "call", "word": "Nerts"}, "calls “Nerts”"),
        ({"event": "set-aside", "place": "foundation 4"}, "sets foundation 4 aside"),
        ({"event": "end", "why": "stuck"}, "the hand ends: stuck"),
    ],
)
def test_every_event_has_its_words(line: Line, text: str) -> None:
    (entry,) = told({"at": 3.0, "seat": "north", **line}).entries
    assert (entry.index, entry.at, entry.seat, entry.text) == (1, 3.0, "north", text)


def test_a_play_begins_when_its_card_is_lifted() -> None:
    account = told(play(5, lifted=[4.2, 4.4]), play(6, "2H"), play(7, "3H", lifted=[8.0, 8.0]))
    assert [entry.starts for entry in account.entries] == [4.2, 6.0, 7.0]


def test_unknown_events_are_left_out() -> None:
    account = told({"event": "sneeze", "at": 1}, play(2))
    assert [entry.index for entry in account.entries] == [2]


def test_no_record_gives_an_empty_account() -> None:
    empty = {
        "game": "",
        "decks": {},
        "entries": [],
        "plays": 0,
        "illegal": 0,
        "score": None,
        "second_pass": "",
    }
    assert give_account([]).to_json() == empty
    assert give_account([{"record": 7}]).to_json() == empty


def test_what_comes_before_a_line_that_cannot_be_is_told() -> None:
    account = told(play(1), {"event": "play", "at": 2, "seat": "north"}, play(3, "2H"))
    assert said(account) == [("A♥  waste → foundation 1", [])]
    assert account.score is None


# -- rulings beside what they are about -------------------------------------------------------------------


def test_a_ruling_stands_beside_the_event_that_is_judged() -> None:
    account = told(play(1), play(2, "3H"))
    assert said(account) == [("A♥  waste → foundation 1", []), ("3♥  waste → foundation 1", ["N9"])]
    assert str(account.entries[1].remarks[0]).startswith("illegal (N9): 3H does not go with AH")
    assert account.illegal == account.entries[1:]


def test_a_ruling_that_a_later_event_settles_does_not_stand_beside_that_one() -> None:
    """South turns up what north had played: it is north's play that is illegal."""
    shown = play(3, "??", "work 1", seat="south") | {"from": "foundation 1"}
    account = told(play(1, "??"), shown | {"cards": ["7C"]})
    assert [("N9" in rules) for _, rules in said(account)] == [True, False]
    assert account.entries[0].illegal


@pytest.mark.parametrize(("gap", "verdict"), [(1.0, "first"), (0.01, "both-stay")])
def test_a_tie_stands_beside_all_its_plays(gap: float, verdict: str) -> None:
    second = 5 + gap
    account = told(
        play(5, landed=[5, 5]),
        play(second, seat="south", landed=[second, second]),
        settings={"tie_window_s": 2.0},
    )
    assert [[r.verdict for r in entry.remarks] for entry in account.entries] == [[verdict], [verdict]]


# -- what holds now ---------------------------------------------------------------------------------------

WRONG = [play(1), play(2, "3H")]


def stored(*lines: Line) -> list[Line]:
    """A record with the rulings and the score that check prints behind it."""
    result = check_lines([json.dumps(line).encode() + b"\n" for line in [HEADER, *lines]])
    return [json.loads(line) for line in result.output]


def test_stored_rulings_are_not_told_again() -> None:
    once = told(*WRONG)
    twice = give_account(stored(*stored(*WRONG)[1:]))
    assert said(twice) == said(once)
    assert twice.to_json() == once.to_json()


def test_after_a_correction_the_old_accusation_does_not_stand() -> None:
    lines = [*stored(*WRONG), correct(2, **{"with": {"cards": ["2H"]}, "by": "Ann"})]
    account = give_account(lines)
    assert said(account) == [
        ("A♥  waste → foundation 1", []),
        ("2♥  waste → foundation 1 (corrected by Ann)", []),
    ]
    assert account.illegal == ()
    assert account.score is not None and account.score["hand"]["north"]["disputed"] == 0


def test_a_stored_score_is_not_told() -> None:
    false = {"event": "score", "at": 1, "hand": {}, "match": {}, "winner": "north", "final": True}
    account = told(*WRONG, false)
    assert account.score is not None
    assert (account.score["winner"], account.score["final"]) == (None, False)
    assert set(account.score["hand"]) == {"north", "south"}


def test_an_event_that_was_taken_out_is_told_as_such_without_its_ruling() -> None:
    account = told(*WRONG, correct(2, drop=True, by="Ann"))
    assert said(account) == [
        ("A♥  waste → foundation 1", []),
        ("3♥  waste → foundation 1 (taken out by Ann)", []),
    ]
    assert [entry.kind for entry in account.entries] == ["play", "correct"]
    assert len(account.plays) == 1


def test_an_event_that_was_put_in_stands_in_its_place() -> None:
    account = told(*WRONG, correct(2, insert=[play(1.5, "2H"), play(1.6, "9S")]))
    assert said(account) == [
        ("A♥  waste → foundation 1", []),
        ("2♥  waste → foundation 1 (put in)", []),
        ("9♠  waste → foundation 1 (put in)", ["N9"]),
        ("3♥  waste → foundation 1", ["N9"]),
    ]
    assert [entry.index for entry in account.entries] == [1, 3, 3, 2]
    assert [entry.number for entry in account.entries] == [0, 1, 2, 3]


def test_a_correction_that_was_undone_leaves_nothing() -> None:
    account = told(*WRONG, correct(2, drop=True, by="Ann"), correct(3, drop=True))
    assert said(account) == said(told(*WRONG))


def test_what_the_umpire_corrects_by_itself_is_told_as_it_holds_now() -> None:
    account = told(
        *WRONG,
        correct(1, drop=True, by="umpire"),
        correct(2, by="umpire", **{"with": {"cards": ["AH"]}}),
    )
    assert said(account) == [("A♥  waste → foundation 1", [])]


def test_a_ruling_that_was_withdrawn_is_not_told() -> None:
    ruling = {"event": "ruling", "at": 2, "rule": "N9", "of": [1], "verdict": "illegal", "why": "Because."}
    assert said(told(play(1), ruling, correct(2, drop=True, by="umpire"))) == said(told(play(1)))


def test_a_doubt_is_told_with_what_it_is_about_until_it_is_settled() -> None:
    doubt = {"event": "doubt", "at": 2, "of": 1, "candidates": [{"cards": ["AD"]}], "asks": "Which ace?"}
    asked = ("in doubt: A♥  waste → foundation 1: Which ace?", [])
    assert said(told(play(1), doubt))[1] == asked
    for settled in (correct(1, **{"with": {"cards": ["AD"]}}), correct(1, drop=True), correct(2, drop=True)):
        assert not any(text.startswith("in doubt") for text, _ in said(told(play(1), doubt, settled)))


def test_a_corrected_header_is_told_as_it_holds_now() -> None:
    seats = [{"seat": "north", "deck": "green"}, {"seat": "south", "deck": "red"}]
    account = told(play(1), correct(0, **{"with": {"seats": seats, "game": "nuts"}}))
    assert account.to_json()["game"] == "nuts"
    assert account.decks == {"north": "green", "south": "red"}


def test_the_terminal_tells_each_ruling_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.dumps(line).encode() + b"\n" for line in stored(*stored(*WRONG)[1:])]
    with out.capture() as said_now:
        tell_account(account_of(check_lines(lines)), out, only_ruled=True)
    assert said_now.get().count("N9") == 1
    assert said_now.get().count("score") == 1
