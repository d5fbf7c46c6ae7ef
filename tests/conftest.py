"""Fixtures that several folders of tests share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from pretend import PretendEye, make_video, pretend_tools

from referee import service

#: Counts the tests.
_TEST = count()


@pytest.fixture(autouse=True)
def own_config(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes what the user keeps (keys, certificates, the table), nor what another test kept."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "config" / str(next(_TEST))))


@pytest.fixture(scope="session")
def hand_video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six seconds of a pretended hand."""
    return make_video(tmp_path_factory.mktemp("video") / "hand.mp4")


@pytest.fixture
def pretended(hand_video: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PretendEye]:
    """The commands with a pretended eye and umpire; gives the eye."""
    eye = PretendEye()
    monkeypatch.setattr(service, "tools", pretend_tools(eye, hand_video))
    yield eye
