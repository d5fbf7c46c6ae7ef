"""What `see` and `score` draw, and where to: one picture a photo, none in the place of a photo or of another drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from referee.commands.console import same_file
from referee.service import BadInputError
from vision.capture.frames import Image, can_be_drawn
from vision.draw import Tag, draw_area, draw_layout, draw_tags
from vision.layout import Floats, Layout

Json = dict[str, Any]
#: Corners are told to a tenth of a px.
SAME_PX = 1.0


def drawing_targets(draw: Path, photos: Sequence[Path]) -> list[Path]:
    """Where each photo is drawn: OUT.png, or OUT-photo.png for each of several, numbered where names are the same.

    Raises BadInputError for what no picture can be called, and where one would take the place of a photo.
    """
    if draw.name in ("", "..") or _is_folder(draw):
        raise BadInputError(f"--draw {draw} is a folder: name a picture in it, like {draw / 'seen.png'}")
    if not can_be_drawn(draw):
        raise BadInputError(f"--draw {draw} cannot be written: let its name end in .png or .jpg")
    targets = [draw] if len(photos) == 1 else _one_each(draw, photos)
    for target in targets:
        if any(same_file(target, photo) for photo in photos):
            raise BadInputError(f"--draw would put a drawing in the place of {target}: choose another name")
    return targets


def draw_counted(image: Image, layout: Layout, number: int, report: Json) -> Image:
    """Photo `number` of a report: every card that counts with its number, so that a deck's last one is its count, the
    areas to spread, and what is in doubt by the doubt's number."""
    places = [(tag, on) for tag in report.get("cards", []) for on in tag["on"] if on["image"] == number]
    cards = list(layout.cards)
    for tag, on in places:
        if tag["shows"] == "back" and on["card"] is not None:  # photos together may name a deck otherwise
            cards[on["card"]] = replace(cards[on["card"]], back=tag["name"])
    picture = draw_layout(image, replace(layout, cards=cards), named=False)
    for count, doubts in enumerate(doubts_alike(report), 1):
        for doubt in doubts:
            if doubt["image"] == number and doubt["corners"]:
                draw_area(picture, _in_view(layout, doubt["corners"]), f"?{count}", doubt=True)
    for request in report.get("requests", []):
        if request["image"] == number and request["area"]:
            draw_area(picture, np.array(request["area"]), f"spread {request['cards']}")
    legend = {deck["back"]: f"{deck['back']}: {deck['centre']}" for deck in report["decks"]}
    return draw_tags(picture, [_tag(tag, on) for tag, on in places], legend)


def doubts_alike(report: Json) -> list[list[Json]]:
    """A report's doubts, those together that ask the same of several cards of one photo."""
    alike: dict[tuple[str, int], list[Json]] = {}
    for doubt in report.get("doubts", []):
        alike.setdefault((doubt["asks"], doubt["image"]), []).append(doubt)
    return list(alike.values())


def _tag(tag: Json, on: Json) -> Tag:
    by_number = tag["shows"] in ("back", "left") and not tag["face"]
    face = str(tag["face"] or tag["name"]).replace("T", "10")
    text = str(tag["number"]) if by_number else "13" if face == "back" else face
    return Tag(text, np.array(on["at"]), tag["name"] if tag["shows"] == "back" else None)


def _in_view(layout: Layout, corners: Sequence[Sequence[float]]) -> Floats:
    """(n, 2) px of what is seen of the card with these corners; they themselves where none has them."""
    outline = np.array(corners)
    for card in layout.cards:
        if len(card.visible) > 2 and np.abs(card.corners - outline).max() < SAME_PX:
            return card.visible
    return outline


def _one_each(draw: Path, photos: Sequence[Path]) -> list[Path]:
    names: list[str] = []
    for photo in photos:
        stem = f"{draw.stem}-{photo.stem}"
        number = 2
        name = stem
        while name in names:
            name, number = f"{stem}-{number}", number + 1
        names.append(name)
    return [draw.with_name(name + draw.suffix) for name in names]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False  # writing tells why
