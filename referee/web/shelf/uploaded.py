"""A recording on the desk, as a hand that can be looked at again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from referee.record.account import Account
from referee.service import Said
from referee.web.desk import Desk, Recording
from referee.web.errors import NotHereError
from referee.web.shelf.films import VideoFilm
from referee.web.shelf.kept import Json


def film_of(recording: Recording) -> Path:
    """The video of a recording. Raises NotHereError."""
    if not recording.video.is_file():
        raise NotHereError(f"The video of {recording.name} is no longer here: choose another recording.")
    return recording.video


@dataclass(frozen=True, slots=True)
class UploadedHand:
    """See `KeptHand`."""

    desk: Desk
    recording: Recording

    @property
    def id(self) -> str:
        """The recording's."""
        return self.recording.id

    @property
    def name(self) -> str:
        """What its file was called."""
        return self.recording.name

    @property
    def record(self) -> Path:
        """Beside the video."""
        return self.recording.record

    @property
    def challenges(self) -> Path:
        """Beside the video."""
        return self.recording.folder / "challenges.json"

    @property
    def film(self) -> VideoFilm:
        """The whole video."""
        return VideoFilm(film_of(self.recording), self.recording.name)

    @property
    def account(self) -> Account | None:
        """As the desk has it."""
        return self.recording.account

    def lines(self) -> list[Json]:
        """Its record as it is kept."""
        return self.desk.lines(self.recording)

    def correct(self, said: Said, by: str, *, insist: bool = False) -> str:
        """Correct its record, unless it is being refereed."""
        self.desk.correct(self.recording, said, by, insist=insist)
        return ""

    def summary(self) -> Json:
        """For the shelf."""
        return self.recording.summary()

    def to_json(self) -> Json:
        """With its progress while it is refereed."""
        return self.recording.to_json()
