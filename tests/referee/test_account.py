"""A record told for people."""

from __future__ import annotations

from typing import Any

import pytest

from referee.account import cards_text, clock, give_account


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00.0"), (7.44, "0:07.4"), (59.96, "1:00.0"), (67.4, "1:07.4"), (3600, "60:00.0"), (-1, "0:00.0")],
)
def test_moments_are_written_as_on_a_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


BACK = {"event": "take-back", "cards": ["5H"], "from": "foundation 2", "to": "waste"}


def test_cards_are_written_as_players_do() -> None:
    assert cards_text(["TH", "QS", "??", "7?", "?D"]) == "10♥ Q♠ ? 7? ?♦"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ({"event": "deal", "seat": "north", "piles": {"nerts": ["??"] * 13, "stock": 35}}, "deals 48 cards"),
        ({"event": "draw", "cards": ["2C", "TD"]}, "draws 2♣ 10♦"),
        ({"event": "play", "cards": ["9S"], "from": "nerts", "to": "work 3"}, "9♠  nerts → work 3"),
        ({"event": "play", "cards": ["9S"], "from": "nerts", "to": "work 3", "under": True}, "9♠  nerts → under work 3"),
        ({"event": "turn", "place": "nerts", "card": "AH"}, "turns up A♥ on nerts"),
        ({"event": "turn", "place": "nerts"}, "turns up ? on nerts"),
        ({"event": "recycle"}, "turns the waste over"),
        ({"event": "bury"}, "buries the top card of the stock"),
        (BACK, "takes back 5♥  foundation 2 → waste"),
        ({"event": "touch", "place": "foundation 1"}, "touches foundation 1"),
        ({"event": "call", "word": "Nerts"}, "calls “Nerts”"),
        ({"event": "set-aside", "place": "foundation 4"}, "sets foundation 4 aside"),
        ({"event": "end", "why": "stuck"}, "the hand ends: stuck"),
        ({"event": "correct", "of": 3, "by": "Ann"}, "corrects entry 3, by Ann"),
        ({"event": "doubt", "of": 3, "asks": "Was it the 6 or the 9?"}, "doubt about entry 3: Was it the 6 or the 9?"),
    ],
)  # fmt: skip
def test_every_event_has_its_words(line: dict[str, Any], text: str) -> None:
    (entry,) = give_account([{"record": 1}, {"at": 3.0, **line}]).entries
    assert (entry.index, entry.at, entry.text) == (1, 3.0, text)


def ruling(verdict: str, *of: int) -> dict[str, Any]:
    return {"event": "ruling", "at": 9, "rule": "N3", "of": list(of), "verdict": verdict, "why": "Because."}


def play(at: float, **more: Any) -> dict[str, Any]:
    return {"event": "play", "at": at, "seat": "north", "cards": ["AH"], "from": "a", "to": "b", **more}


def test_a_ruling_stands_beside_the_last_event_it_is_about() -> None:
    account = give_account([{"record": 1}, play(1), play(2), ruling("illegal", 1, 2)])
    assert [entry.illegal for entry in account.entries] == [False, True]
    assert str(account.entries[1].remarks[0]) == "illegal (N3): Because."
    assert account.illegal == account.entries[1:]


@pytest.mark.parametrize("verdict", ["first", "too-close", "both-stay"])
def test_a_tie_stands_beside_all_its_plays(verdict: str) -> None:
    account = give_account([{"record": 1}, play(1), play(2), ruling(verdict, 1, 2)])
    assert [len(entry.remarks) for entry in account.entries] == [1, 1]
    assert account.illegal == ()


def test_a_play_begins_when_its_card_is_lifted() -> None:
    account = give_account(
        [{"record": 1}, play(5.0, lifted=[4.2, 4.4]), play(6.0), play(7.0, lifted=[8.0, 8.0])]
    )
    assert [entry.starts for entry in account.entries] == [4.2, 6.0, 7.0]


def test_the_last_score_counts_and_unknown_events_are_left_out() -> None:
    scores = [{"event": "score", "hand": {}, "final": final} for final in (False, True)]
    account = give_account([{"record": 1}, scores[0], {"event": "sneeze", "at": 1}, scores[1]])
    assert account.score == scores[1]
    assert account.entries == ()


def test_no_record_gives_an_empty_account() -> None:
    assert give_account([]).to_json() == {
        "game": "",
        "decks": {},
        "entries": [],
        "plays": 0,
        "illegal": 0,
        "score": None,
    }
