"""`nerts-referee see`: what the eye sees in pictures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from referee import service
from referee.commands.console import DecksOption, IndicesOption, JsonOption, complain, out, print_json, shown
from referee.commands.drawings import drawing_targets
from referee.commands.known import (
    MarkerOption,
    SizeOption,
    TableOption,
    check_measures,
    lay_known_plane,
    rectangle,
)
from referee.service import BadInputError
from referee.umpire.seats.seating import Seating, propose_seating, seating_to_json
from vision.capture.frames import Image, UnreadableError, fitted, load_image, save_image
from vision.draw import draw_layout, draw_names
from vision.layout import Layout, Plane
from vision.report import layout_to_json

#: Longer side of a drawing, px, unless its photo's own size is asked for: sharp on any screen, and no 40 MB.
DRAWN_PX = 2400


def see(
    images: Annotated[
        list[Path],
        typer.Argument(metavar="IMAGE...", help="Photos (JPEG, HEIC, PNG, WebP and others)."),
    ],
    draw: Annotated[
        Path | None,
        typer.Option(metavar="OUT.png", help="Write the picture with everything seen drawn on it."),
    ] = None,
    full_size: Annotated[
        bool,
        typer.Option("--full-size", help=f"Draw as large as the photo is, not at {DRAWN_PX} px at most."),
    ] = False,
    game: Annotated[
        str | None, typer.Option(metavar="G", help="nerts: propose who sits where, and which place is which.")
    ] = None,
    decks: DecksOption = None,
    indices: IndicesOption = None,
    table: TableOption = None,
    table_size: SizeOption = None,
    marker_size: MarkerOption = None,
    json: JsonOption = False,
) -> int:
    """Say which cards and hands lie in pictures, and where."""
    known = rectangle(table, table_size)
    check_measures(table, marker_size)
    if full_size and not draw:
        raise BadInputError("--full-size is for a drawing: add --draw OUT.png")
    if game not in (None, "nerts"):
        raise BadInputError(f"--game {game}: seats are proposed for nerts only, leave it out")
    targets = drawing_targets(draw, images) if draw else []
    eye = service.tools.eyes.look(service.enrolled_decks(decks), indices)
    status = 0
    for number, path in enumerate(images):
        try:
            image = load_image(path)
            layout = eye.see(image)
            lay_known_plane(layout, image, known, marker_size, str(path))
            seating = propose_seating(layout) if game else None
            if json:
                told = layout_to_json(layout, str(path))
                if seating is not None:
                    seating_to_json(told, seating)
                print_json(told)
            else:
                _tell(path, layout)
                if seating is not None:
                    out.print(f"  seats: {', '.join(seating.seats) or 'no row of cards is seen'}")
            if targets:
                drawn = _drawn(image, layout, seating)
                save_image(targets[number], drawn if full_size else fitted(drawn, DRAWN_PX))
                if not json:
                    out.print(f"  drawn in {shown(targets[number])}")
        except UnreadableError as error:
            status = complain(str(error))
    return status


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(see)


def _tell(path: Path, layout: Layout) -> None:
    """One paragraph a picture for people."""
    out.print(
        f"[bold]{shown(path.name)}[/bold]  {layout.width}×{layout.height} px, {layout.px_per_mm:.2f} px/mm"
    )
    if layout.plane is not None:
        out.print(f"  {_plane(layout.plane)}")
    if not layout.cards:
        out.print("  no card on the table")
        return
    faces = [card for card in layout.cards if card.side == "face"]
    names = [
        f"{card.face}" if card.face_confidence >= 0.8 else f"{card.face or card.partly or '??'}?"
        for card in faces
    ]
    if faces:
        out.print(f"  {len(faces)} face up: {' '.join(names)}")
    backs = Counter(card.back or "unknown back" for card in layout.cards if card.side == "back")
    for label, count in sorted(backs.items()):
        out.print(f"  {count} face down: {shown(label)}")
    if layout.hands:
        out.print(f"  {len(layout.hands)} hand{'s' * (len(layout.hands) > 1)} over the table")


def _plane(plane: Plane) -> str:
    told = {"cards": "the cards", "markers": "four markers", "corners": "the given corners"}[plane.source]
    cards = f", cards of {plane.card_mm[0]:g}×{plane.card_mm[1]:g} mm" if plane.card_mm else ""
    return f"table by {told}, corners {plane.residual_mm:.1f} mm off{cards}"


def _drawn(image: Image, layout: Layout, seating: Seating | None) -> Image:
    """Everything that was seen, and the proposed places."""
    drawn = draw_layout(image, layout)
    places = {} if seating is None else seating.places
    # a place is named once, on its topmost card
    return draw_names(drawn, layout, {str(place): number for number, place in places.items()})
