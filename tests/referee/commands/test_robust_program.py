"""The program itself, as people start it: sizes that files claim and what they unpack to, closed and full outputs."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from matches import record
from pretend import make_video, picture

from vision.capture.frames import save_image

#: What the program may take while it refuses the files below, MB: with its eye loaded it has some 300.
MOST_MB = 500
_ROOT = Path(__file__).parents[3]
#: Runs commands of a JSON list, each in its turn; prints the status and the peak (kB) of each on standard error.
_RUN_ALL = """
import json, re, sys
from pathlib import Path
from referee.commands.program import run
for arguments in json.loads(sys.stdin.read()):
    status = run(arguments)
    peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
    print("did", status, peak, file=sys.stderr)
"""


def program(*arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    """The program, started anew."""
    command = [sys.executable, "-m", "referee.commands", *arguments]
    return subprocess.run(command, text=True, capture_output="stdout" not in how, timeout=120, **how)  # type: ignore[call-overload,no-any-return]


# -- memory ------------------------------------------------------------------------------------------------


def _png(width: int, height: int, rows: int = 0) -> bytes:
    """A picture of one colour that says how large it is, with so many rows in it."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        sized = struct.pack(">I", len(content)) + kind + content
        return sized + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(bytes((1 + width * 3) * rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def _tiff(width: int, height: int) -> bytes:
    """A picture without pixels that says how large it is."""
    tags = [
        (256, width),
        (257, height),
        (258, 8),
        (259, 1),
        (262, 1),
        (273, 8),
        (277, 1),
        (278, height),
        (279, 9),
    ]
    fields = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", len(tags)) + fields + bytes(4)


def _bmp(width: int, height: int) -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 14 + len(head), 0, 0, 54) + head


def _webp(width: int, height: int) -> bytes:
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<I", 10) + bytes(4) + size
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _array(shape: tuple[int, ...], content: bytes = b"", kind: str = "|u1") -> bytes:
    told = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(told) + 1) + told + b"\n" + content


def _deck(path: Path, backs: bytes, version: bytes = _array((), bytes([1] + [0] * 7), "<i8")) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as held:
        for name, content in (("version", version), ("backs", backs), ("backs_seen", _array((1, 160, 112)))):
            held.writestr(f"{name}.npy", content)


def _lying_films(folder: Path) -> list[str]:
    """Films whose heads claim frames of 30,000 × 30,000 px, or 2^32 - 1 samples."""
    whole = make_video(folder / "whole.mp4", seconds=1).read_bytes()
    lies = {
        "wide.mp4": whole.replace(struct.pack(">HH", 320, 180), struct.pack(">HH", 30_000, 30_000)),
        "many.mp4": whole.replace(b"stsz" + bytes(8), b"stsz" + bytes(8) + b"\xff\xff\xff\xff"),
        "long.mp4": whole.replace(b"mvhd" + bytes(12), b"mvhd" + bytes(12) + b"\0\0\0\1\xff\xff\xff\xff"),
    }
    for name, data in lies.items():
        (folder / name).write_bytes(data)
    return list(lies)


def _sparse(path: Path, head: bytes = b"") -> str:
    """A file of 10 GB that takes no room."""
    path.write_bytes(head)
    os.truncate(path, 10_000_000_000)
    return path.name


def _claims(folder: Path) -> list[list[str]]:
    """Commands with files that claim, or unpack to, more than any memory holds."""
    pictures = {
        "claims.png": _png(60_000, 60_000),
        "claims.tiff": _tiff(2**31, 2**31),
        "claims.bmp": _bmp(2**31 - 1, 2**31 - 1),
        "claims.webp": _webp(2**24, 2**24),
        "claims.jpg": b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\3\1\x22\0\2\x11\1\3\x11\1\xff\xd9",
    }
    for name, data in pictures.items():
        (folder / name).write_bytes(data)
    save_image(folder / "photo.png", picture("red", "blue"))
    decks = {
        "claims": _array((10**12, 160, 112, 3)),
        "unpacks": _array((100_000, 160, 112, 3), bytes(300_000_000)),
        "cut": _array((), b"").replace(b"}", b" "),
        "deep": b"\x93NUMPY\x01\x00" + struct.pack("<H", 9000) + b"(" * 9000,
    }
    commands = [["see", name] for name in [*pictures, _sparse(folder / "10gb.png", _png(9, 9))]]
    for name, backs in decks.items():
        (folder / name).mkdir()
        _deck(folder / name / "red.npz", backs)
        commands.append(["see", "photo.png", "--decks", name])
    (folder / "number").mkdir()
    _deck(folder / "number" / "red.npz", b"", _array((300_000_000,), bytes(300_000_000)))
    commands += [["score", "photo.png", "--decks", "number"]]
    (folder / "sparse").mkdir()
    _sparse(folder / "sparse" / "red.npz")
    commands += [["see", "photo.png", "--decks", "sparse"]]
    commands += [["replay", name] for name in [*_lying_films(folder), _sparse(folder / "10gb.mp4")]]
    record(folder / "hand.jsonl")
    (folder / "match.json").write_text('{"north": 1, "south": 2}')
    for endless in (_sparse(folder / "10gb.jsonl", b'{"record": 1}\n'), "/dev/zero", "/dev/urandom"):
        commands += [
            ["check", endless],
            ["match", "match.json", endless],
            ["match", endless, "north=1", "south=1"],
        ]
        commands += [
            ["score", "photo.png", "--match", endless],
            ["enrol", "red", endless],
            ["replay", endless],
        ]
    return commands


def test_no_claim_of_a_file_fills_the_memory(tmp_path: Path) -> None:
    commands = _claims(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", _RUN_ALL], input=json.dumps(commands), cwd=tmp_path, text=True, capture_output=True,
        env=os.environ | {"PYTHONPATH": str(_ROOT)}, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    said = iter(done.stderr.splitlines())
    for command in commands:
        line, told = next(said), next(said)
        assert line.startswith("nerts-referee: ") and len(line) < 2100, (command, line)
        status, peak = map(int, told.split()[1:])
        assert status == 2, (command, line)
        assert peak / 1e3 < MOST_MB, (command, line)
    assert list(said) == []


def test_the_largest_photo_takes_its_room_and_no_more(tmp_path: Path) -> None:
    """81 megapixels, told and there."""
    (tmp_path / "large.png").write_bytes(_png(9_000, 9_000, 9_000))
    code = "import sys; from vision.capture.frames import load_image; print(load_image(sys.argv[1]).shape)"
    done = subprocess.run(
        [sys.executable, "-c", f"import resource\nresource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n{code}",
         str(tmp_path / "large.png")], text=True, capture_output=True, timeout=120,
    )  # fmt: skip
    assert done.stdout == "(9000, 9000, 3)\n", done.stderr


# -- pipes and devices -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "pipe"],
        ["match", "pipe"],
        ["match", "pipe", "north=1", "south=2"],
        ["match", "new.json", "pipe"],
        ["see", "pipe"],
        ["score", "pipe"],
        ["score", "photo.png", "--left", "north=pipe"],
        ["score", "photo.png", "--match", "pipe"],
        ["enrol", "red", "pipe"],
        ["replay", "pipe"],
        ["see", "photo.png", "--decks", "decks"],
    ],
    ids=" ".join,
)
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "decks").mkdir()
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "decks" / "red.npz")
    save_image(tmp_path / "photo.png", picture("red", "blue"))
    done = subprocess.run(
        [sys.executable, "-m", "referee.commands", *arguments], cwd=tmp_path, text=True, capture_output=True,
        env=os.environ | {"PYTHONPATH": str(_ROOT)}, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "pipe" in done.stderr or "red.npz" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["decks", "photo.png", "pipe"]


# -- what is printed ---------------------------------------------------------------------------------------

PRINTS: dict[str, Callable[[Path], list[str]]] = {
    "rules": lambda folder: ["rules", "nerts"],
    "rules as JSON": lambda folder: ["rules", "nerts", "--json"],
    "check": lambda folder: ["check", str(record(folder / "hand.jsonl"))],
    "check as JSON": lambda folder: ["check", str(record(folder / "hand.jsonl")), "--json"],
    "match": lambda folder: ["match", str(record(folder / "hand.jsonl"))],
    "help": lambda folder: ["match", "--help"],
    "version": lambda folder: ["version"],
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
@pytest.mark.parametrize("what", PRINTS)
def test_a_full_disk_behind_the_output_is_one_line(what: str, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = program(*PRINTS[what](tmp_path), stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "No space left on device" in done.stderr, done.stderr


@pytest.mark.parametrize("what", PRINTS)
def test_a_reader_that_has_seen_enough_is_told_nothing(what: str, tmp_path: Path) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "w") as closed:
        done = program(*PRINTS[what](tmp_path), stdout=closed, stderr=subprocess.PIPE)
    assert done.stderr == ""
    assert done.returncode == 1


@pytest.mark.parametrize("coding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_that_knows_few_letters_shows_the_others_escaped(coding: str, tmp_path: Path) -> None:
    done = program(
        *("match", str(tmp_path / "match.json"), "--seats", "zoë,王"),
        env=os.environ | {"PYTHONIOENCODING": coding},
        encoding=coding,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u738b" in done.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_no_fault(closed: str, tmp_path: Path) -> None:
    shell = shutil.which("sh") or pytest.skip("no shell")
    for arguments in (["check", str(record(tmp_path / "hand.jsonl")), "--json"], ["rules"], ["check", "-"]):
        command = " ".join([sys.executable, "-m", "referee.commands", *arguments, closed])
        done = subprocess.run(
            [shell, "-c", command], stdin=subprocess.DEVNULL, text=True, capture_output=True
        )
        assert "Traceback" not in done.stderr and "Exception" not in done.stderr, done.stderr
        assert done.returncode == (2 if arguments[-1] == "-" else 0), (arguments, done.stderr)
