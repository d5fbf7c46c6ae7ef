"""What the rules may hold against a player of what the umpire believes."""

from __future__ import annotations

from written import written

from referee.record.book import WITNESSED

HEADER = {
    "record": 1,
    "game": "nerts",
    "settings": {},
    "seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}],
    "source": {"kind": "video", "fps": 30},
}
DEAL = {
    "event": "deal",
    "at": 0.0,
    "seat": "north",
    "piles": {
        "nerts": ["??"] * 12 + ["5H"],
        **{f"work {i}": [card] for i, card in enumerate(("AS", "9H", "8S", "2D"), 1)},
        "stock": 35,
    },
}
BEGUN = {
    "event": "play",
    "at": 1.0,
    "seat": "north",
    "cards": ["AS"],
    "from": "work 1",
    "to": "foundation 1",
}


def verdicts(card: str) -> list[str]:
    """The verdicts when `card`, well seen, comes out of the stock's packet onto the ace of spades."""
    draw = {"event": "draw", "at": 2.0, "seat": "north", "cards": ["??", "??", card]}
    play = {
        "event": "play",
        "at": 3.0,
        "seat": "north",
        "cards": [card],
        "from": "waste",
        "to": "foundation 1",
        "confidence": 0.97,
        WITNESSED: True,
    }
    lines = written([HEADER, DEAL, BEGUN, draw, play])
    return [line["verdict"] for line in lines if line["event" if "event" in line else "record"] == "ruling"]


def test_a_misfit_that_was_seen_well_is_held_against_the_player() -> None:
    assert "illegal" in verdicts("7C")


def test_a_card_that_was_seen_elsewhere_is_not() -> None:
    found = verdicts("9H")
    assert "illegal" not in found
    assert "undecided" in found
