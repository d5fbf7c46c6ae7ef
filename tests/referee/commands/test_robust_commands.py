"""Whatever is given to whichever command: status 0 or 2, one line where 2, nothing half-written; memory stays.

Files of every kind come whole, cut, with bytes changed, mixed with others, and as noise, to the real readers; eye and
umpire are pretended. Records are changed line by line, command lines word by word. `spoilt.py` says how many cases
are tried. A case that fails names itself and the folder with its files; `-k "[N]"` runs its batch again.
"""

from __future__ import annotations

import faulthandler
import io
import json
import os
import random
import resource
import shlex
import shutil
import sys
import time
import traceback
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import uvicorn
from fastapi.testclient import TestClient
from pretend import PretendEye, pretend_tools
from robust_cases import CASES, Box
from spoilt import Files, batches, whole_files

from referee import service
from referee.commands.program import run
from referee.record.strictjson import load_json
from referee.web.auth import Role
from referee.web.private import kept_keys, private_folder
from vision.backs.deckfile import EnrolledDeck
from vision.backs.enrolment import enrolled

#: What a case may take, s, on a machine that does other things besides.
SLOWEST_S = 30
#: After so long a case hangs in a library, s: then all tests end, and `hang.txt` beside its folder says where.
HANGS_S = 900
#: What a batch may add to the memory in use, and what one case may take for a while, MB (OpenCV: 2,100 for a
#: PNG that says it has 100 megapixels, the most that is decoded).
MOST_MB, PEAK_MB = 150, 2500

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    # told by errors, and kept off the terminal
    pytest.mark.filterwarnings("ignore::UserWarning:PIL"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return whole_files(tmp_path_factory.mktemp("whole"))


def enrol(name: str, photos: list[np.ndarray]) -> EnrolledDeck:
    layouts = [PretendEye().see(photo) for photo in photos]
    return enrolled(name, list(zip(photos, layouts, strict=True)), layouts)


@pytest.fixture
def pretended(hand_video: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands with a pretended eye that may know decks, and a server that serves nobody."""
    kit = pretend_tools(PretendEye(), hand_video)
    monkeypatch.setattr(service, "tools", replace(kit, open_eye=lambda *_: PretendEye(), enrol=enrol))
    monkeypatch.setattr(uvicorn.Server, "run", _look_at_all)


def _look_at_all(server: uvicorn.Server, sockets: object = None) -> None:
    """In the place of serving: ask for everything that stands on the page's shelf."""
    master = kept_keys(private_folder()).by_role[Role.MASTER]
    with TestClient(server.config.app, base_url="http://localhost") as client:
        client.headers["Authorization"] = f"Bearer {master}"
        for each in client.get("/api/recordings").json()["recordings"]:
            for what in ("", "/record", "/video", "/frames?around=1"):
                assert client.get(f"/api/recordings/{each['id']}{what}").status_code in (200, 404, 422)


def in_use_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


@pytest.mark.parametrize("batch", batches(5), ids=lambda batch: str(batch.start))
def test_nothing_that_is_given_ends_in_a_fault(
    batch: range,
    files: Files,
    pretended: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    record_property: Any,
) -> None:
    faults: list[str] = []
    hang = tmp_path.joinpath("hang.txt").open("w")
    faulthandler.dump_traceback_later(HANGS_S, exit=True, file=hang)
    before, highest = in_use_mb(), peak_mb()
    for number in batch:
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
        chance = random.Random(number)
        box = Box(chance, files, folder, careful=chance.random() < 0.7)
        arguments = chance.choice(CASES)(box)
        try:
            _try(box, arguments, monkeypatch, capfd)
        except (Exception, SystemExit) as fault:
            faults.append(_told(number, folder, arguments, fault))
        else:
            shutil.rmtree(folder)
    faulthandler.cancel_dump_traceback_later()
    hang.close()
    record_property("cases", len(batch))
    assert faults == [], "\n".join(faults)
    assert in_use_mb() - before < MOST_MB
    # the highest so far may be another test's
    assert peak_mb() == highest or peak_mb() - before < PEAK_MB


def _try(
    box: Box, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Run a case and look at what it did."""
    if box.sample is not None:
        monkeypatch.setattr(service, "tools", replace(service.tools, sample=box.sample))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(box.typed)))
    there = _tree(box.folder)
    capfd.readouterr()
    begun = time.monotonic()
    status = run(arguments)
    took = time.monotonic() - begun
    told = capfd.readouterr()
    assert took < SLOWEST_S, f"{took:.0f} s"
    _check_words(arguments, status, told.out, told.err)
    _check_files(box, arguments, status, there)


def _told(number: int, folder: Path, arguments: list[str], fault: BaseException) -> str:
    """A fault with all that is needed to see it again."""
    last = traceback.extract_tb(fault.__traceback__)[-1]
    given = " ".join(map(shlex.quote, arguments))
    return f"case {number}: nerts-referee {given[:600]}\n  in {folder}\n  {fault!r:.900} at {last.filename}:{last.lineno}"


def _check_words(arguments: list[str], status: int, out: str, err: str) -> None:
    assert status in ((0, 1, 2) if arguments[0] == "doctor" else (0, 2)), status
    lines = err.splitlines()
    assert all(line.startswith("nerts-referee: ") and line.isprintable() for line in lines), err
    assert all(20 < len(line) < 2500 for line in lines), err
    assert "Traceback" not in err + out and "Errno" not in err, err
    if status == 2:
        # of several pictures each bad one has a line; what a recording did not show is told besides
        most = len(arguments) if arguments[0] in ("see", "replay") else 1
        assert 1 <= len(lines) <= most, err
    if "--json" in arguments and status == 0 and arguments[0] != "check" and "-h" not in arguments:
        for line in out.splitlines() if "--help" not in arguments else ():
            load_json(line)


def _check_files(box: Box, arguments: list[str], status: int, there: dict[Path, bytes]) -> None:
    after = _tree(box.folder)
    left = [path for path in after if path.suffix in (".part", ".lock") and path not in there]
    assert left == [], "nothing unfinished is left"
    kept = {path for path in there if path.is_file() and there[path] != after.get(path)}
    writes = _may_write(arguments)
    assert kept <= writes, f"{kept - writes} changed"
    if status != 2:
        assert all(_is_match(after[path]) for path in kept if arguments[0] in ("match", "score"))
        return
    if arguments[0] in ("see", "replay", "demo"):  # what could be read is written
        return
    assert kept == set(), "what was refused changed nothing"
    assert set(after) - set(there) == set(), "what was refused leaves nothing"


def _may_write(arguments: list[str]) -> set[Path]:
    """What a command is told to write to."""
    command, options = arguments[0], pairwise(arguments)
    named = {
        Path(word).resolve() for option, word in options if option in ("--out", "--draw", "--match") and word
    }
    if command == "match":
        named |= {Path(word).resolve() for word in arguments[1:2]}
    if command == "enrol":
        folder = dict(pairwise(arguments)).get("--decks", "decks")
        named |= {Path(folder, f"{word}.npz").resolve() for word in arguments[1:2]}
    if command == "demo":
        named |= {path / name for path in named for name in ("demo.jsonl", "report.html")}
    return named - {Path(word).resolve() for word in arguments[1:2] if command in ("see", "score", "replay")}


def _is_match(data: bytes) -> bool:
    return b'"sides"' in data and isinstance(json.loads(data), dict)


def _tree(folder: Path) -> dict[Path, bytes]:
    """Every file and folder below one, with what it holds."""
    return {path: path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}
