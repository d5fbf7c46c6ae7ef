"""What a dispute needs to know of a hand, wherever it comes from."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from referee.record.account import Account
from referee.service import Said
from vision.capture.frames import Image

Json = dict[str, Any]


class Opened(Protocol):
    """A film that is held open. For one thread at a time; raises VideoError."""

    def numbered(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The numbers of its frames, ascending, and when each is shown, s: as many as there are by now."""

    def frame(self, number: int) -> Image:
        """The very frame of a number."""

    def close(self) -> None:
        """Let go of its files."""


class Film(Protocol):
    """Where the frames of a hand are."""

    @property
    def from_s(self) -> float:
        """Where the hand begins in it, s."""

    @property
    def to_s(self) -> float:
        """Where it ends; infinite while it goes on."""

    def key(self) -> Hashable:
        """The same for the same files; another once they have been replaced. Raises NotHereError."""

    def open(self) -> Opened:
        """Open it. Raises VideoError."""


class KeptHand(Protocol):
    """A hand with its record and its frames."""

    @property
    def id(self) -> str:
        """What it is called in addresses."""

    @property
    def name(self) -> str:
        """What it is called by people."""

    @property
    def record(self) -> Path:
        """Where its record is kept."""

    @property
    def challenges(self) -> Path:
        """Where challenges to it are kept."""

    @property
    def film(self) -> Film:
        """Its frames. Raises NotHereError."""

    @property
    def account(self) -> Account | None:
        """The record in words, as corrected by now; None while there is none."""

    def lines(self) -> list[Json]:
        """The lines of its record, header first; none where there is none."""

    def correct(self, said: Said, by: str, *, insist: bool = False) -> str:
        """Somebody says how it was; what to tell them beside. Raises BadInputError."""

    def summary(self) -> Json:
        """For the shelf."""

    def to_json(self) -> Json:
        """Everything the page shows."""
