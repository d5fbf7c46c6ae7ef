"""Challenges: a player doubts a play of a recording, the referee answers, and it is accepted or left open."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from referee.record.account import Account, Entry
from referee.record.strictjson import JsonError, load_json
from referee.rules.events import BadEventError, read_index, read_text
from referee.web.errors import NotHereError, SizeError
from vision.wholefile import write_whole

Json = dict[str, Any]
State = Literal["asked", "accepted", "open"]
_STATES: dict[str, State] = {"asked": "asked", "accepted": "accepted", "open": "open"}
#: Challenges of one recording.
_MOST = 200


@dataclass(frozen=True, slots=True)
class Challenge:
    """Somebody (`by`) doubts the event at an index; `answer` is what the referee said to it then."""

    number: int
    of: int
    by: str
    says: str
    answer: str
    state: State = "asked"
    settled_by: str = ""

    def to_json(self) -> Json:
        """For the page and the file."""
        return asdict(self)


class Challenges:
    """Those of one hand, kept in a file."""

    _lock = Lock()

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[Challenge]:
        """All, in the order in which they were made; none where the file is none."""
        try:
            return [_challenge(each) for each in load_json(self._path.read_bytes())]
        except (OSError, JsonError, BadEventError, KeyError, TypeError):
            return []

    def ask(self, of: int, by: str, says: str, answer: str) -> Challenge:
        """Note a challenge. Raises OSError."""
        with self._lock:
            known = self.read()
            if len(known) >= _MOST:
                raise SizeError(
                    f"A recording takes {_MOST} challenges, and this one has them: settle by word."
                )
            challenge = Challenge(len(known) + 1, of, by, says, answer)
            self._write([*known, challenge])
            return challenge

    def settle(self, number: int, state: State, by: str, answer: str) -> Challenge:
        """Accept the answer as it is now, or leave the challenge open. Raises NotHereError, OSError."""
        with self._lock:
            known = self.read()
            if not 1 <= number <= len(known):
                raise NotHereError(f"There is no challenge {number} here: reload the page.")
            was = known[number - 1]
            settled = Challenge(number, was.of, was.by, was.says, answer or was.answer, state, by)
            known[number - 1] = settled
            self._write(known)
            return settled

    def _write(self, challenges: list[Challenge]) -> None:
        data = [each.to_json() for each in challenges]
        write_whole(self._path, json.dumps(data, ensure_ascii=False).encode(errors="replace"))


def _challenge(told: Json) -> Challenge:
    state = _STATES.get(read_text(told["state"]))
    if state is None:
        raise BadEventError("is no state")
    words = {name: str(told[name]) for name in ("by", "says", "answer", "settled_by")}
    return Challenge(read_index(told["number"]), read_index(told["of"]), state=state, **words)


def answer_to(account: Account, of: int) -> str:
    """What the referee says of the event at an index. Raises NotHereError."""
    entries = [entry for entry in account.entries if entry.index == of]
    if not entries:
        raise NotHereError(f"The record tells of no event {of}: reload the page.")
    return " ".join(map(_said, entries))


def _said(entry: Entry) -> str:
    if entry.remarks:
        return " ".join(
            f"{remark.said.capitalize()} ({remark.rule}): {remark.why}" for remark in entry.remarks
        )
    sure = f"{round(entry.confidence * 100)} % sure of what it saw"
    return f"{entry.seat} {entry.text.strip()}: nothing was found against it. The referee is {sure}.".strip()
