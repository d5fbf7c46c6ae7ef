"""`nerts-referee score`: the score of a hand from photos."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from referee import service
from referee.commands.console import (
    DecksOption,
    IndicesOption,
    JsonOption,
    is_file,
    out,
    pairs,
    repeated,
    shown,
    user_errors,
    whole_number,
)
from referee.commands.countedhand import keep_and_tell, match_for
from referee.commands.dealings import count_dealing, tell_dealing
from referee.commands.drawings import doubts_alike, draw_counted, drawing_targets
from referee.commands.givenhands import AgainOption, EditOption
from referee.commands.photochecks import check_decks, check_left, check_piles
from referee.commands.sweeps import pictures_of
from referee.matches.names import misleading
from referee.matches.scorebook import Where
from referee.record.account import cards_text
from referee.service import BadInputError
from vision.capture.frames import load_image, save_image

Json = dict[str, Any]
#: Whose cards one centre has at most.
MOST_PLAYERS = 12


def score(
    photos: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PHOTO...",
            help="The centre: faces, or the cards spread backs up; or a film swept over them.",
        ),
    ] = None,
    dealing: Annotated[
        str | None,
        typer.Option(
            metavar="FILM|CAMERA",
            help="Instead of photos: a fixed camera, or its film, under which the cards are dealt out backs up.",
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --dealing: the record of the hand, to compare with."),
    ] = None,
    ask: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="With --dealing: ask about doubtful moments, with pictures of them in FOLDER.",
        ),
    ] = None,
    left: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=N",
            help="Cards left in a Nerts pile, or a photo of them fanned; name the seat or its deck.",
        ),
    ] = None,
    deck: Annotated[
        list[str] | None, typer.Option(metavar="LABEL=SEAT", help="Who plays with the deck of this back.")
    ] = None,
    match: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the hand into this match (see match --help).")
    ] = None,
    call: Annotated[
        str | None, typer.Option(metavar="SEAT", help="Who called, or nobody, where the caller has a bonus.")
    ] = None,
    players: Annotated[
        int, typer.Option(min=0, max=MOST_PLAYERS, help="How many play: as many decks are looked for.")
    ] = 0,
    together: Annotated[
        bool | None,
        typer.Option(
            "--together/--apart",
            help="All photos of one side show the same cards, or each shows others; found out if not said.",
        ),
    ] = None,
    draw: Annotated[
        Path | None,
        typer.Option(metavar="OUT.png", help="Write the photos with what was counted, and what to spread."),
    ] = None,
    edit: EditOption = None,
    again: AgainOption = False,
    decks: DecksOption = None,
    indices: IndicesOption = None,
    json: JsonOption = False,
) -> int:
    """Score a hand from photos of the centre, without a recording.

    Each deck's count is sure, or you are asked for something that makes it so. Photos of the same cards from other sides
    are taken together; between them nothing may be moved but what you were asked to spread.
    """
    photos = photos or []
    _check_what_is_given(photos, dealing, record, ask)
    if ask is not None and json:
        raise BadInputError(f"--ask {ask} asks a person: leave out --json")
    targets = drawing_targets(draw, photos) if draw and photos else []
    seats = pairs(deck or [], "--deck", "blue=north")
    given = pairs(left or [], "--left", "north=4")
    doubt = misleading(list(dict.fromkeys([*seats.values(), *(key for key in given if key not in seats)])))
    if doubt:
        raise BadInputError(doubt)
    told = _by_seat({key: _left(key, text) for key, text in given.items()}, seats)
    piles = {seat: pile for seat, pile in told.items() if isinstance(pile, Path)}
    cards_left = {seat: count for seat, count in told.items() if isinstance(count, int)}
    where = Where(edit, again)
    book = match_for(match, call, where)
    enrolled = service.enrolled_decks(decks)
    if dealing is not None:
        if piles:
            raise BadInputError(
                "--left with --dealing takes numbers: count the left-over cards, like --left north=4"
            )
        counted = count_dealing(dealing, enrolled, indices, seats, cards_left, record, draw, ask, quiet=json)
        check_decks(seats, report := counted.to_json(book.settings.count("penalty") if book else 2))
        check_left(cards_left, report)
        files_of = [Path(dealing)] if is_file(dealing) else []
        return keep_and_tell(match, report, call, files_of, where, book, tell_report, json=json)
    with user_errors():
        images, files, frames = pictures_of(photos)
        pile_images = {seat: load_image(photo) for seat, photo in piles.items()}
        check_piles(images, pile_images, piles)
    eye = service.tools.eyes.look(enrolled, indices)
    rules: Json = {"penalty": book.settings.count("penalty"), "players": book.match.seats} if book else {}
    if players:
        rules["playing"] = players
    if piles:
        rules["left_piles"] = {seat: [eye.see(image)] for seat, image in pile_images.items()}
    if together is None and frames and len(photos) == 1:
        together = True  # nothing is moved while a film is swept over the cards
    if together is not None:
        rules["together"] = together
    with user_errors():
        seen = {id(image): eye.see(image) for image in {id(image): image for image in images}.values()}
        report = service.tools.count(
            [seen[id(image)] for image in images], left=cards_left, seats=seats, **rules
        )
    check_decks(seats, report)
    if frames:
        report["frames"] = frames
    if draw and frames:
        targets = drawing_targets(draw, files)
    for number, target in enumerate(targets):
        with user_errors():
            save_image(target, draw_counted(images[number], seen[id(images[number])], number, report))
    tell = partial(tell_report, drawn=targets)
    return keep_and_tell(match, report, call, [*photos, *piles.values()], where, book, tell, json=json)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(score)


def _check_what_is_given(
    photos: list[Path], dealing: str | None, record: Path | None, ask: Path | None
) -> None:
    """BadInputError for neither photos nor a dealing, or both."""
    if photos and dealing is not None:
        raise BadInputError(f"--dealing {dealing} is counted by itself: leave out {photos[0]}, or --dealing")
    if not photos and dealing is None:
        raise BadInputError("nothing to count: name photos of the centre, or a dealing (--dealing FILM)")
    if record is not None and dealing is None:
        raise BadInputError(f"--record {record} is for a dealing: add --dealing FILM")
    if ask is not None and dealing is None:
        raise BadInputError(f"--ask {ask} is for a dealing: add --dealing FILM")


def _by_seat(left: dict[str, int | Path], seats: dict[str, str]) -> dict[str, int | Path]:
    """What is left by seat, of labels that are somebody's, too; BadInputError for a seat that is named twice."""
    named: dict[str, int | Path] = {}
    for key, told in left.items():
        seat = key if key in seats.values() else seats.get(key, key)
        if seat in named:
            raise BadInputError(
                f"--left tells twice what {seat} has left: give it once, like --left {seat}=4"
            )
        named[seat] = told
    return named


def _left(key: str, text: str) -> int | Path:
    """How many cards are left, or the photo that shows them."""
    count = whole_number(text)
    if count is None and is_file(text):
        return Path(text)
    if count is None or not 0 <= count <= 52:
        raise BadInputError(
            f"--left {key}={repeated(text)}: give the number of cards left, like --left {key}=4, or a photo of them"
        )
    return count


def tell_report(report: Json, drawn: Sequence[Path] = ()) -> None:
    """The scores as a table, the two counts, and what is in doubt; `drawn`: the pictures that show it."""
    decks, foundations = report.get("decks", []), report.get("foundations", [])
    for frame in report.get("frames", []):
        out.print(f"photo {frame['image'] + 1}: {shown(frame['film'])} at {frame['at']:.2f} s")
    for spread in report.get("spreads", []):
        if len(spread["images"]) > 1:
            images = ", ".join(str(image + 1) for image in spread["images"])
            out.print(f"photos {images} show the same {spread['cards']} cards: counted once")
    if decks:
        out.print(_table(decks))
    if "dealing" in report:
        tell_dealing(report)
        return
    unsure = not all(pile.get("sure", True) for pile in foundations)
    if foundations:
        piles = ", ".join(map(_pile, foundations))
        out.print(f"{_number(len(foundations), 'pile' if unsure else 'foundation')}: {piles}")
    faces = "faces, in doubt" if unsure else "faces"
    for total, what in ((report.get("total_by_faces"), faces), (report.get("total_by_backs"), "backs")):
        if total is not None:
            out.print(f"{_number(total, 'card')} by the {what}")
    if report.get("agrees") is not None:
        out.print("they agree" if report["agrees"] else "[yellow]they disagree[/yellow]")
    if not decks and not foundations:
        out.print("no card of the centre can be seen: take the photo from above, with all cards in it")
    elif report.get("total_by_backs") is None:
        out.print("whose cards they are shows on the backs: spread them backs up, and add that photo")
    if any("?" in pile["top"] for pile in foundations):
        out.print("to do: if courts are German, French or Dutch, add --indices KDB, RDV or KVB", style="cyan")
    _tell_what_is_open(report, drawn)


def _tell_what_is_open(report: Json, drawn: Sequence[Path]) -> None:
    """What is to be done, what is in doubt (by the numbers that `drawn` pictures mark it with), and where to answer."""
    requests, doubts = report.get("requests", []), doubts_alike(report)
    for request in requests:
        out.print(f"to do, photo {request['image'] + 1}: {shown(request['asks'])}", style="cyan")
    for number, alike in enumerate(doubts, 1):
        cards = f" ({len(alike)} cards)" if len(alike) > 1 else ""
        out.print(
            f"doubt {number}, photo {alike[0]['image'] + 1}: {shown(alike[0]['asks'])}{cards}", style="yellow"
        )
    if drawn:
        out.print(f"drawn in {', '.join(shown(target) for target in drawn)}")
    elif any(request["area"] for request in requests) or any(doubt["corners"] for doubt, *_ in doubts):
        out.print("to see which cards are meant, add --draw OUT.png", style="dim")
    if any(doubt.get("kind") for doubt, *_ in doubts):
        out.print("a tap answers such doubts on the page: nerts-referee serve", style="dim")


def _number(count: int, noun: str) -> str:
    """How many there are, as people say it: 1 pile, 3 piles."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _pile(pile: Json) -> str:
    """A foundation's top and its number of cards, with a question mark where it is asked about."""
    return f"{_top(pile['top'])} ({pile['cards']}{'' if pile.get('sure', True) else '?'})"


def _top(card: str) -> str:
    """The top card of a foundation as players write it."""
    return "turned over" if card == "back" else cards_text([card])


def _table(decks: list[Json]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("deck")
    table.add_column("seat")
    for name in ("centre", "left", "points", "count"):
        table.add_column(name, justify="right", style="bold" if name == "points" else "")
    for deck in decks:
        cells = [
            str(deck.get(key)) if deck.get(key) is not None else "" for key in ("centre", "left", "points")
        ]
        if deck.get("left_state") not in {None, "sure"}:
            cells[1] += " ?"
        table.add_row(shown(deck.get("back") or ""), shown(deck.get("seat") or ""), *cells, _sureness(deck))
    return table


def _sureness(deck: Json) -> str:
    """Is a deck's count certified, and how likely is it exact?"""
    confidence, state = deck.get("confidence"), deck.get("state")
    chance = f"{confidence:.0%}" if isinstance(confidence, int | float) else ""
    return {"sure": "sure", "asked": f"{chance}, not sure", "refused": "cannot be said"}.get(
        str(state), chance
    )
