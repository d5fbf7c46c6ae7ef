"""A short evening on film, for tests of commands that watch it."""

from __future__ import annotations

from pathlib import Path

import pytest
from evening import Evening, film_of
from umpire_table import Table

from referee.commands import watch


@pytest.fixture(scope="module")
def evening() -> Evening:
    """A hand of seven seconds, which lies there for three more."""
    return Evening([Table(1, 7.0)], still_s=3.0)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory, evening: Evening) -> Path:
    """The same as a file."""
    return film_of(evening, tmp_path_factory.mktemp("film") / "evening.mp4")


@pytest.fixture
def knowing(monkeypatch: pytest.MonkeyPatch, evening: Evening) -> None:
    """Whoever watches has an eye that knows what lies there."""
    monkeypatch.setattr(watch, "eyes_of", lambda eye, table: evening)
