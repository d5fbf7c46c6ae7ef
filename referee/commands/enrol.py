"""`nerts-referee enrol`: show a deck once, and its cards are known by name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee import service
from referee.commands.console import JsonOption, out, print_json, user_errors
from referee.service import BadInputError
from vision.backs.deckfile import DeckError, check_name, save_deck
from vision.capture.frames import load_image


def enrol(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the deck is called from now on.")],
    photos: Annotated[
        list[Path],
        typer.Argument(metavar="PHOTO...", help="Some of its cards backs up, from above, no other deck."),
    ],
    decks: Annotated[Path, typer.Option(metavar="FOLDER", help="Where decks are kept.")] = Path("decks"),
    json: JsonOption = False,
) -> int:
    """Keep what a deck looks like, for see and score --decks FOLDER."""
    try:
        check_name(name)
        with user_errors():
            images = [load_image(photo) for photo in photos]
        deck = service.tools.enrol(name, images)
        path = save_deck(deck, decks)
    except DeckError as error:
        raise BadInputError(str(error)) from error
    if json:
        print_json({"name": name, "file": str(path), "backs": len(deck.backs)})
        return 0
    views = f"{len(deck.backs)} view{'s' * (len(deck.backs) > 1)}"
    out.print(f"{name}: {views} of its back, kept in {path}", markup=False)
    return 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(enrol)
