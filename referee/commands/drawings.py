"""Where `see --draw` writes: one picture a photo, none in the place of a photo or of another drawing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.commands.console import same_file
from referee.service import BadInputError
from vision.capture.frames import can_be_drawn


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
