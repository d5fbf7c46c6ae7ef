"""Files as they may come: whole ones of every kind, and what accidents and strangers make of them.

Everything is drawn from a `random.Random` of the case's number, so that a case can be run again. How many cases are
tried, NERTS_ROBUST_CASES says, for routes and commands together: two of seven are routes'.
"""

from __future__ import annotations

import json
import os
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import numpy as np
import pillow_heif
from PIL import Image as Pillow
from pretend import RECORD, make_video, picture

Files = dict[str, bytes]
#: Cases of routes and commands together.
ALL_CASES = int(os.environ.get("NERTS_ROBUST_CASES", "2100"))
#: Cases a test, so that one that fails can be run again alone.
BATCH = 50
#: Kinds of files by what they hold.
PICTURES = ("jpeg", "png", "webp", "bmp", "heif", "avif", "tiff", "gif")
FILMS = ("mp4", "mkv", "avi", "ts", "mov")
#: What a number in a file's head may be made of.
_SIZES = (
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\0\0\0\0",
    b"\0\0\x7f\xff",
    b"\xff\x7f\0\0",
    b"\0\1\0\0",
)


def batches(sevenths: int) -> list[range]:
    """The numbers of so many sevenths of the cases, by tests."""
    count = -(-ALL_CASES * sevenths // 7)
    return [range(first, min(first + BATCH, count)) for first in range(0, count, BATCH)]


def whole_files(folder: Path) -> Files:
    """One small file of every kind, by what its name would end in."""
    record = b"".join(json.dumps(line).encode() + b"\n" for line in RECORD)
    return {
        **_pictures(),
        **_films(folder),
        "PNG": _one_deck(),
        "npz": _deck(),
        "jsonl": record,
        "json": b'{"match": 1, "game": "nerts", "sides": [["north"], ["south"]]}',
        "txt": b"hello\n" * 40,
        "m3u8": b"#EXTM3U\n#EXTINF:9,\nfile:///etc/hostname\n",
        "": b"",
    }


def _pictures() -> Files:
    pillow_heif.register_heif_opener()
    image = Pillow.fromarray(picture("red", "ace", "blue")[:, :, ::-1])
    exif = Pillow.Exif()
    exif[0x0112] = 6
    found = {}
    for kind in PICTURES:
        file = BytesIO()
        image.save(file, kind, **({"exif": exif} if kind in ("jpeg", "webp") else {}))
        found[kind] = file.getvalue()
    return found


def _one_deck() -> bytes:
    """A picture of the backs of one deck."""
    file = BytesIO()
    Pillow.fromarray(picture("red", "red")[:, :, ::-1]).save(file, "png")
    return file.getvalue()


def _films(folder: Path) -> Files:
    """A second of film of every common kind."""
    found = {"mp4": make_video(folder / "a.mp4", seconds=1).read_bytes()}
    for kind in FILMS[1:]:
        with av.open(str(folder / f"a.{kind}"), "w") as out, av.open(str(folder / "a.mp4")) as source:
            track = source.streams.video[0]
            stream = out.add_stream("mpeg4", rate=10)
            stream.width, stream.height, stream.pix_fmt = track.width, track.height, "yuv420p"
            for frame in source.decode(track):
                out.mux(stream.encode(frame))
            out.mux(stream.encode())
        found[kind] = (folder / f"a.{kind}").read_bytes()
    return found


def _deck() -> bytes:
    """An enrolled deck as its format is described, by numpy alone."""
    held = BytesIO()
    views = np.random.default_rng(7).integers(0, 256, (2, 160, 112, 3), np.uint8)
    np.savez_compressed(
        held, version=np.array(1), backs=views, backs_seen=np.full((2, 160, 112), 255, np.uint8)
    )
    return held.getvalue()


def spoilt(chance: random.Random, files: Files, data: bytes | None = None) -> bytes:
    """A file as it may come: whole, cut, with bytes changed, in the middle of another, or noise."""
    if data is None:
        data = files[chance.choice(list(files))]
    other = files[chance.choice(list(files))]
    at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return chance.choice(
        [
            data,
            _changed(chance, data),
            _changed(chance, data),
            _with_sizes(chance, data),
            data[:at],
            data[at:],
            data[:at] + data[to:],
            data[:at] + bytes(to - at) + data[to:],
            data[to:] + data[at:to] + data[:at],
            data[:at] + other[at:],
            data[:at] + other[: chance.randrange(len(other) + 1)] + data[at:],
            data + other,
            other + data,
            chance.randbytes(chance.choice([1, 40, 5000])),
            data[:16] + chance.randbytes(3000),
        ]
    )


def _changed(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 8, 200]) if data else 0):
        # the head of a file says most of what a reader believes
        changed[min(int(len(data) * chance.random() ** 3), len(data) - 1)] = chance.randrange(256)
    return bytes(changed)


def _with_sizes(chance: random.Random, data: bytes) -> bytes:
    """Numbers near the beginning or the end made huge, or nothing: sizes, counts and offsets stand there."""
    for _ in range(chance.choice([1, 1, 3])):
        near = min(len(data), 600)
        at = chance.choice([chance.randrange(near + 1), len(data) - chance.randrange(near + 1)])
        data = data[:at] + chance.choice(_SIZES) + data[at + 4 :]
    return data


def words(chance: random.Random) -> str:
    """A name, a key or a number as it may come."""
    odd = [
        "",
        " ",
        "sample",
        "nerts",
        "pishe-pasha",
        "red",
        "../../etc/passwd",
        "a\0b.mp4",
        "\x1b[31m",
        "‮.mp4",
    ]
    odd += [
        "nan",
        "-1",
        "0",
        "1e999",
        "1_0",
        "x" * 300,
        "%00",
        "🃏.heic",
        "a.mkv",
        "b.JPG",
        "0" * 64,
        "[/b]",
        "=",
        "@",
    ]
    return chance.choice(
        [*odd, "".join(chr(chance.randrange(1, 0x2FF)) for _ in range(chance.randrange(12)))]
    )


def value(chance: random.Random, depth: int = 0) -> Any:
    """Something that JSON can say."""
    simple = [None, True, -1, 3, 99, 1e300, 0.5, [], {}, words(chance), "\ud800"]
    if depth > 2:
        return chance.choice(simple)
    several = [value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return chance.choice([*simple, several, {words(chance): each for each in several}])
