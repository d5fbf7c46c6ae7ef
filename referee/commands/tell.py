"""How an account of a hand looks in the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from referee.commands.console import shown
from referee.record.account import Account, Entry, clock
from referee.rules.score import unknown_words

#: Events that are shown beside plays; the rest is in the record.
_SHOWN = frozenset({"begun", "play", "draw", "recycle", "take-back", "call", "end", "bury", "correct"})
#: What is said beside the hand: it takes the room of a ruling.
_ASIDES = frozenset({"doubt", "gap", "state"})
_STYLES = {"illegal": "bold red", "undecided": "yellow", "too-close": "yellow", "legal": "green"}


def tell_account(account: Account, out: Console, *, only_ruled: bool = False) -> None:
    """Print plays with their rulings beside them, then the score."""
    entries = [
        entry
        for entry in account.entries
        if entry.remarks or (not only_ruled and entry.kind in _SHOWN | _ASIDES)
    ]
    if entries:
        out.print(plays_table(entries))
    elif only_ruled:
        whole = account.score is not None
        out.print("no ruling: every play was legal" if whole else "no ruling on what could be read")
    if account.score is not None:
        out.print(score_table(account))
        if account.score.get("unknown"):
            out.print(f"{unknown_words(account.score['unknown'])}: count the cards", markup=False)
        out.print(closing_words(account), markup=False)
    if account.second_pass and not only_ruled:
        out.print(account.second_pass, markup=False)


def plays_table(entries: Iterable[Entry]) -> Table:
    """One row an event."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("time", justify="right", style="dim", no_wrap=True)
    table.add_column("seat", no_wrap=True)
    table.add_column("play", no_wrap=True)
    table.add_column("ruling", ratio=1)
    for entry in entries:
        said = "\n".join(
            f"[{_STYLES.get(remark.verdict, 'cyan')}]{shown(remark)}[/]" for remark in entry.remarks
        )
        style = "red" if entry.illegal else ""
        play, beside = (shown(entry.text), said) if entry.kind not in _ASIDES else ("", shown(entry.text))
        table.add_row(clock(entry.at), shown(entry.seat), play, beside, style=style)
    return table


def score_table(account: Account) -> Table:
    """Cards and points a seat."""
    table = Table(title="score", title_justify="left", box=None, pad_edge=False, header_style="dim")
    table.add_column("seat")
    table.add_column("deck", style="dim")
    for name in ("centre", "left", "bonus", "disputed", "points", "match"):
        table.add_column(name, justify="right", style="bold" if name == "points" else "")
    score = account.score or {}
    for seat, figures in score.get("hand", {}).items():
        numbers = [figures.get(name, 0) for name in ("centre", "left", "bonus", "disputed", "points")]
        total = score.get("match", {}).get(seat, "")
        row = [f"{value:g}" if isinstance(value, int | float) else str(value) for value in (*numbers, total)]
        table.add_row(shown(seat), shown(account.decks.get(seat, "")), *row)
    return table


def closing_words(account: Account) -> str:
    """Whether the hand is over, and who has won the match."""
    score = account.score or {}
    winner = score.get("winner")
    if isinstance(winner, list):
        winner = " and ".join(winner)
    if winner:
        return f"{winner} wins the match"
    return "the hand is over; nobody has won the match yet" if score.get("final") else "the hand goes on"
