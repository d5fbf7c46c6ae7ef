"""Counts the sequences of moves that one player has from a position: `python -m scripts.measure.perft FILE`.

The file has one position a line, as JSON: `state.lake` (foundations) and `state.players` with `nertz`,
`stock`, `waste` and `river`, cards as `12h0` (rank, suit, player), `player` whose moves count, and `perft`,
the counts. The conventions are those of the file alone: nothing is slid under, each empty work pile counts,
turning the waste over is a move, and nobody moves once a Nerts pile is empty.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.games.position import hand_at
from referee.rules.cards import RANKS
from referee.rules.hand import Hand
from referee.rules.header import Header
from referee.rules.places import Place


def _card(written: str) -> tuple[str, str]:
    """Face and deck of a card of the file: "12h0" is the queen of hearts of player 0."""
    digits = written[:2] if written[1].isdigit() else written[:1]
    return RANKS[int(digits) - 1] + written[len(digits)].upper(), f"p{written[len(digits) + 1 :]}"


def read_position(state: Mapping[str, Any]) -> Hand:
    """The hand at a position of the file."""
    lines = []
    for number, foundation in enumerate(state["lake"], 1):
        if foundation:
            lines.append(f"foundation {number}: {' '.join('/'.join(_card(card)) for card in foundation)}")
    for number, player in enumerate(state["players"]):
        piles = {"nerts": player["nertz"], "stock": player["stock"], "waste": player["waste"]}
        piles |= {f"work {n}": pile for n, pile in enumerate(player["river"], 1)}
        for place, pile in piles.items():
            lines.append(f"p{number} {place}: {' '.join(_card(card)[0] for card in pile)}")
    seats = {f"p{number}": f"p{number}" for number in range(len(state["players"]))}
    work_piles = max(len(player["river"]) for player in state["players"])
    header = Header.of("nerts", seats, {"slide_under": False, "work_piles": work_piles})
    return hand_at(header, "\n".join(lines))


def count_moves(hand: Hand, seat: str, depth: int) -> list[int]:
    """The number of sequences of 1 to `depth` moves of a seat while the others hold still."""
    counts = [0] * depth
    if any(not hand.table.pile(Place("nerts", 0, owner)) for owner in hand.game.owner.values()):
        return counts
    moves = hand.legal_plays(seat)
    counts[0] = len(moves)
    if depth > 1:
        for move in moves:
            hand.push(move)
            for level, count in enumerate(count_moves(hand, seat, depth - 1), 1):
                counts[level] += count
            hand.pop()
    return counts


def run(lines: Iterable[str], depth: int = 5) -> Iterable[tuple[str, list[int], Sequence[int]]]:
    """For each position its id, the counts, and the counts that the file gives."""
    for line in lines:
        entry = json.loads(line)
        counts = count_moves(read_position(entry["state"]), f"p{entry['player']}", depth)
        yield entry["id"], counts, entry.get("perft", [])


def main(arguments: Sequence[str]) -> int:
    """Print each position's id and counts; status 1 if a count differs from the file's, 2 for bad input."""
    if len(arguments) != 1:
        print("usage: python -m scripts.measure.perft FILE", file=sys.stderr)
        return 2
    try:
        lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines()
        equal = True
        for name, counts, given in run(lines):
            print(name, *counts, flush=True)
            if given and list(given) != counts:
                print(f"{name}: the file has {list(given)}", file=sys.stderr)
                equal = False
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        print(f"{arguments[0]}: cannot be read as positions ({error})", file=sys.stderr)
        return 2
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
