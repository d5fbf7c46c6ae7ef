"""The desk where recordings are kept and refereed, one after the other."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from referee.record.account import Account, account_of, clock, give_account
from referee.record.check import check_lines
from referee.record.lines import dump, read_lines
from referee.record.strictjson import JsonError, load_json
from referee.rules.events import BadEventError
from referee.rules.events import read_text as read_words
from referee.rules.settings import SettingsError
from referee.service import BadInputError, RefusedError, Said, Told, Tools, correct_file
from referee.textfiles import read_text
from referee.umpire.seats.dealt_row import NotFollowedError
from referee.web.errors import is_full
from referee.web.names import plain_stem
from vision.capture.apart.footage import ApartVideo
from vision.capture.frames import CutOffError, UnreadableError, VideoError
from vision.wholefile import write_whole

Json = dict[str, Any]
State = Literal["new", "waiting", "refereeing", "done", "failed"]

SAMPLE_ID = "sample"
_log = logging.getLogger("nerts-referee")
_FACTS = "recording.json"
_RECORD = "record.jsonl"
_STOPPED = "The referee was stopped."
_MORE_HANDS = (
    "It holds further hands, not shown here: `nerts-referee replay` tells them all, or cut the recording."
)
_FAILED = (
    "The referee failed at this recording through a fault of its own: what happened stands in its terminal."
)


@dataclass(slots=True)
class Recording:
    """A recording on the desk, what is known about it, and how far its refereeing is."""

    id: str
    name: str
    video: Path
    folder: Path
    game: str = "nerts"
    settings: Mapping[str, Any] = field(default_factory=dict)
    told: Told = field(default_factory=Told)
    state: State = "new"
    done_s: float = 0.0
    total_s: float = 0.0
    #: Why it could not be refereed, or only in part.
    error: str | None = None
    account: Account | None = None

    @property
    def record(self) -> Path:
        """Where its record is kept."""
        return self.folder / _RECORD

    @property
    def progress(self) -> Json:
        """For the page's progress bar."""
        share = min(self.done_s / self.total_s, 1.0) if self.total_s else 0.0
        doing = f"{clock(self.done_s)} of {clock(self.total_s)}" if self.total_s else ""
        return {"state": self.state, "share": round(share, 4), "doing": doing}

    def summary(self) -> Json:
        """For the list of recordings."""
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state,
            "plays": None if self.account is None else len(self.account.plays),
            "illegal": None if self.account is None else len(self.account.illegal),
        }

    def to_json(self) -> Json:
        """Everything the page shows."""
        told = told_of(self.account)
        return {**self.summary(), **self.progress, "error": self.error, **told}


def told_of(account: Account | None) -> Json:
    """`account` as the page shows it, with the house rules that it was played by; null where there is none."""
    if account is None:
        return {"account": None}
    return {"account": {**account.to_json(), "settings": account.header.get("settings", {})}}


class Desk:
    """Recordings in a folder, each with its record beside it; a single worker referees them in turn."""

    def __init__(self, tools: Tools, folder: Path) -> None:
        self._tools = tools
        #: Where recordings are kept.
        self.folder = folder
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="umpire")
        #: No recording is begun any more, and nobody told how far one is.
        self.closing = False
        #: What is being gone through.
        self._film: ApartVideo | None = None
        self._lock = Lock()
        self._recordings: dict[str, Recording] = {}
        if tools.sample.is_file():
            told = Told.beside(tools.sample)
            sample = Recording(SAMPLE_ID, "Sample hand", tools.sample, folder / SAMPLE_ID, told=told)
            self._recordings[SAMPLE_ID] = sample
            _read_record(sample, tools.sample.stat().st_mtime)
        for facts in sorted(folder.glob(f"*/{_FACTS}")):
            recording = _kept(facts)
            if recording is not None:
                self._recordings[recording.id] = recording

    def __iter__(self) -> Iterator[Recording]:
        return iter(list(self._recordings.values()))

    def __getitem__(self, id: str) -> Recording:
        return self._recordings[id]

    def room_for(self, name: str) -> Path:
        """A new, empty folder for an uploaded recording."""
        folder = self.folder / f"{plain_stem(name)}-{secrets.token_hex(8)}"
        folder.mkdir(parents=True)
        return folder

    def keep(self, name: str, video: Path, game: str) -> Recording:
        """Keep a recording that lies in a folder made by `room_for`, and referee it."""
        facts = {"name": name, "video": video.name, "game": game}
        write_whole(video.parent / _FACTS, json.dumps(facts, ensure_ascii=False).encode())
        recording = Recording(video.parent.name, name, video, video.parent, game)
        self._recordings[recording.id] = recording
        return self.referee(recording)

    def referee(self, recording: Recording) -> Recording:
        """Put a recording in the queue, unless it is there already."""
        with self._lock:
            if recording.state not in ("waiting", "refereeing"):
                recording.state, recording.error = "waiting", None
                recording.done_s = recording.total_s = 0.0
                self._worker.submit(self._work, recording)
        return recording

    def lines(self, recording: Recording) -> list[Json]:
        """The record of a recording as it is kept; none where there is none."""
        try:
            return list(read_lines(BytesIO(recording.record.read_bytes())).objects)
        except OSError:
            return []

    def correct(self, recording: Recording, said: Said, by: str, *, insist: bool = False) -> None:
        """Correct the record of a recording as a person says. Raises BadInputError."""
        with self._lock:
            if recording.state in ("waiting", "refereeing"):
                raise RefusedError(f"{recording.name} is being refereed: correct it when that is done")
            if not recording.record.is_file():
                raise RefusedError(f"{recording.name} has no record yet: referee it first")
            recording.account = correct_file(recording.record, said, by, insist=insist).account

    def close(self) -> None:
        """Stop after what is under way; what waits is left undone."""
        self.closing = True
        film = self._film
        if film is not None:
            film.stop()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _work(self, recording: Recording) -> None:
        recording.state = "refereeing"
        lines: list[Json] = []
        troubles: list[str] = []
        try:
            troubles += filter(None, [self._replay(recording, lines, troubles.append)])
        except (UnreadableError, NotFollowedError, SettingsError) as error:
            if isinstance(error, VideoError) and not isinstance(error, CutOffError):
                lines.clear()  # a hand without its end, of which nothing is ruled
            stopped = self.closing and not lines
            troubles.append(_STOPPED if stopped else str(error).replace(str(recording.video), recording.name))
        except _StoppedError:
            troubles.append(_STOPPED)
        except Exception:  # a fault of the program: the page says so, and the next recording goes on
            _log.exception("the referee failed at %s", recording.video)
            troubles.append(_FAILED)
        if lines:
            troubles += _keep_record(recording, lines)
            recording.account = give_account(lines)
        else:
            del troubles[:-1]  # the last word says why nothing could be followed
        recording.error = " ".join(troubles) or None
        recording.state = "done" if lines else "failed"

    def _replay(self, recording: Recording, lines: list[Json], say: Callable[[str], None]) -> str:
        """Referee into `lines`; what there is to say of it, in a sentence. `say`: what is seen on the way."""

        def on_notice(text: str) -> None:
            say(f"{text[0].upper()}{text[1:]}.")

        def on_progress(done_s: float, total_s: float) -> None:
            recording.done_s, recording.total_s = done_s, total_s
            if self.closing:
                raise _StoppedError

        with self._opened(recording) as film:
            told = recording.told
            for line in self._tools.referee(
                film,
                recording.game,
                recording.settings,
                told,
                on_progress=on_progress,
                on_notice=on_notice,
            ):
                if "record" in line and lines:
                    return _MORE_HANDS
                lines.append(line)
        return ""

    @contextmanager
    def _opened(self, recording: Recording) -> Iterator[ApartVideo]:
        """Its film, which a stranger may have sent: what breaks over it is not this program."""
        with ApartVideo(recording.video, recording.name) as film:
            self._film = film
            try:
                if self.closing:
                    raise _StoppedError
                yield film
            finally:
                self._film = None


def _keep_record(recording: Recording, lines: list[Json]) -> list[str]:
    """Write the record, whole or not at all; what hindered that, in a sentence."""
    try:
        write_whole(recording.record, b"".join(dump(line) + b"\n" for line in lines))
    except OSError as error:
        why = "the disk is full" if is_full(error) else f"{error.strerror or 'the disk failed'}"
        return [f"The record could not be kept ({why}): make room, and referee again."]
    return []


class _StoppedError(Exception):
    """The page is closing while a recording is being refereed."""


def _kept(facts_file: Path) -> Recording | None:
    """A recording kept by an earlier run; None when its folder is damaged."""
    folder = facts_file.parent
    try:
        facts = load_json(read_text(facts_file, "facts"))
        name, video, game = (read_words(facts[key]) for key in ("name", "video", "game"))
    except (BadInputError, JsonError, BadEventError, KeyError, TypeError):
        return None
    recording = Recording(folder.name, name, folder / video, folder, game)
    if recording.video.parent != folder or not recording.video.is_file():
        return None
    _read_record(recording, recording.video.stat().st_mtime)
    return recording


def _read_record(recording: Recording, not_before: float) -> None:
    """Take up the record of an earlier run, if it is of this very video."""
    try:
        if recording.record.stat().st_mtime < not_before:
            return
        account = account_of(check_lines(BytesIO(read_text(recording.record, "record"))))
    except (OSError, BadInputError):
        return
    if account.header:
        recording.account, recording.state = account, "done"
