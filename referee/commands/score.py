"""`nerts-referee score`: the score of a hand from photos."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from referee.account import cards_text
from referee.commands import tools
from referee.commands.console import BadInputError, JsonOption, out, pairs, print_json, user_errors
from vision.frames import load_image

Json = dict[str, Any]


def score(
    photos: Annotated[
        list[Path],
        typer.Argument(metavar="PHOTO...", help="The centre: faces, or the cards spread backs up."),
    ],
    left: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT=N", help="Cards left in a Nerts pile; name the seat or its deck."),
    ] = None,
    deck: Annotated[
        list[str] | None, typer.Option(metavar="LABEL=SEAT", help="Who plays with the deck of this back.")
    ] = None,
    match: Annotated[
        Path | None, typer.Option(metavar="FILE", help='Totals before this hand: {"north": 40, "south": 31}.')
    ] = None,
    json: JsonOption = False,
) -> int:
    """Score a hand from photos of the centre, without a recording."""
    cards_left = {seat: _count(seat, text) for seat, text in pairs(left or [], "--left", "north=4").items()}
    seats = pairs(deck or [], "--deck", "blue=north")
    totals = read_match(match) if match else {}
    with user_errors():
        images = [load_image(photo) for photo in photos]
    eye = tools.tools.open_eye()
    with user_errors():
        report = tools.tools.count([eye.see(image) for image in images], left=cards_left, seats=seats)
    if match:
        report["match"] = add_hand(totals, report)
    print_json(report) if json else tell_report(report)
    return 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(score)


def read_match(path: Path) -> dict[str, float]:
    """The totals of a match so far, from a JSON file of numbers by seat."""
    if path.is_dir():
        raise BadInputError(f"{path} is a folder: name the file with the match's totals")
    try:
        totals = json_format.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadInputError(f"{path} cannot be read ({error.strerror}): check its name") from error
    except ValueError as error:
        raise BadInputError(f'{path} is no match file: write it like {{"north": 40, "south": 31}}') from error
    numbers = isinstance(totals, dict) and all(
        isinstance(total, int | float) and not isinstance(total, bool) for total in totals.values()
    )
    if not numbers:
        raise BadInputError(f'{path} is no match file: write it like {{"north": 40, "south": 31}}')
    return {str(seat): float(total) for seat, total in totals.items()}


def add_hand(totals: dict[str, float], report: Json) -> dict[str, float]:
    """The match's totals with this hand's points added; a deck without a seat counts by its back."""
    after = dict(totals)
    for deck in report.get("decks", []):
        seat = deck.get("seat") or deck.get("back")
        if seat is not None and deck.get("points") is not None:
            after[seat] = after.get(seat, 0) + deck["points"]
    return after


def _count(seat: str, text: str) -> int:
    if not text.isdecimal() or int(text) > 52:
        raise BadInputError(f"--left {seat}={text}: give the number of cards left, like --left {seat}=4")
    return int(text)


def tell_report(report: Json) -> None:
    """The scores as a table, the two counts, and what is in doubt."""
    decks, foundations = report.get("decks", []), report.get("foundations", [])
    if decks:
        out.print(_table(decks))
    if foundations:
        piles = ", ".join(f"{_top(pile['top'])} ({pile['cards']})" for pile in foundations)
        out.print(f"{len(foundations)} foundations: {piles}")
    for total, what in ((report.get("total_by_faces"), "faces"), (report.get("total_by_backs"), "backs")):
        if total is not None:
            out.print(f"{total} cards by the {what}")
    if report.get("agrees") is not None:
        out.print("they agree" if report["agrees"] else "[yellow]they disagree[/yellow]")
    if not decks and not foundations:
        out.print("no card of the centre can be seen: take the photo from above, with all cards in it")
    elif not decks:
        out.print("whose cards they are shows on the backs: spread them backs up, and add that photo")
    for seat, total in report.get("match", {}).items():
        out.print(f"match: {seat} {total:g}", markup=False)
    for doubt in report.get("doubts", []):
        out.print("doubt: " + _doubt(doubt), style="yellow", markup=False)


def _top(card: str) -> str:
    """The top card of a foundation as players write it."""
    return "turned over" if card == "back" else cards_text([card])


def _table(decks: list[Json]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("deck")
    table.add_column("seat")
    for name in ("centre", "left", "points", "confidence"):
        table.add_column(name, justify="right", style="bold" if name == "points" else "")
    for deck in decks:
        confidence = deck.get("confidence")
        cells = [
            str(deck.get(key)) if deck.get(key) is not None else "" for key in ("centre", "left", "points")
        ]
        sure = f"{confidence:.0%}" if isinstance(confidence, int | float) else ""
        table.add_row(str(deck.get("back") or ""), str(deck.get("seat") or ""), *cells, sure)
    return table


def _doubt(doubt: Any) -> str:
    """A doubt as a sentence, whether it comes as text or with fields."""
    return str(doubt.get("asks") or doubt.get("why") or doubt) if isinstance(doubt, dict) else str(doubt)
