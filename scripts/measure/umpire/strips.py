"""Pictures of plays that were not told right, cut out of the film before it is deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.files import put
from vision.capture.filmstrip import Strip, film

#: Plays of a film that are shown, seconds around the landing, and the quality of the JPEG.
A_FILM, MOMENTS, QUALITY = 2, (-0.7, -0.25, 0.1, 0.8), 55
#: All of them together take no more than this, bytes.
MOST = 1_800_000


def strips_of(video: Path, row: Mapping[str, Any], since: float) -> list[bytes]:
    """A JPEG of each of the first failures of a row, as far as they fell into the film, which begins at `since` (s)."""
    moments = [_moment(pair) - since for pair in row["failures"][:A_FILM]]
    strips = [Strip(tuple(max(0.0, at + by) for by in MOMENTS)) for at in moments]
    return [_joined(pictures) for pictures in film(video, strips)] if strips else []


def _moment(pair: Sequence[Mapping[str, Any] | None]) -> float:
    """When it happened; when it was told to have happened, if it did not."""
    line = pair[0] or pair[1]
    assert line is not None
    return float(line["at"])


def _joined(pictures: Sequence[bytes]) -> bytes:
    decoded = [np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)) for data in pictures]
    done, data = cv2.imencode(".jpg", np.hstack(decoded), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    assert done
    return data.tobytes()


def keep(folder: Path, row: Mapping[str, Any], pictures: Sequence[bytes]) -> list[str]:
    """Put them beside the page as far as there is room; their names."""
    names = []
    room = MOST - sum(path.stat().st_size for path in folder.glob("*.jpg"))
    for number, picture in enumerate(pictures, 1):
        if len(picture) > room:
            break
        room -= len(picture)
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{row['name']}-{number}.jpg"
        put(folder / name, picture)
        names.append(name)
    return names


def sweep(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Take away what no row shows any more."""
    shown = {name for row in rows for name in row.get("strips", ())}
    for path in list(folder.glob("*.jpg")):
        if path.name not in shown:
            path.unlink()


def shown(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str, list[Any]]]:
    """Each picture with its row and the play that it shows."""
    for row in rows:
        for name, pair in zip(row.get("strips", ()), row["failures"], strict=False):
            yield row, name, pair
