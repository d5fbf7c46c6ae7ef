"""Pictures of ties: what they show, of which ties, and where they are left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import pytest
from pretend import HEADER, RECORD, SCORE, PretendEye
from said import complaint

from referee import service
from referee.commands.program import run
from referee.tie_strips import ties_of


def play(at: float, seat: str, landed: list[float] | None, **more: Any) -> dict[str, Any]:
    told = {"event": "play", "at": at, "seat": seat, "cards": ["2H"], "from": "work 1", "to": "foundation 1"}
    return told | ({} if landed is None else {"landed": landed}) | more


def tied(
    verdict: str = "first", *, second: list[float] | None = None, dropped: bool = False
) -> list[dict[str, Any]]:
    """A hand with a tie: north lands first at 2.0 s, south at 2.2 s."""
    ruling = {"event": "ruling", "at": 2.2, "seat": "north", "ruling": "tie", "rule": "N13", "of": [1, 2]}
    ruling |= {"verdict": verdict, "why": "north was first.", "seat": "north" if verdict == "first" else None}
    plays = [play(2.0, "north", [1.97, 2.03]), play(2.2, "south", second)]
    return [
        HEADER,
        *plays,
        ruling,
        *([{"event": "correct", "at": 3.0, "of": 3, "drop": True}] if dropped else []),
    ]


def test_a_tie_shows_both_landings_in_order_and_what_was_ruled() -> None:
    (tie,) = ties_of(tied(second=[2.17, 2.23]))
    assert tie.moments == (1.47, 1.97, 2.03, 2.17, 2.23, 3.03)
    words = [caption.partition(": ")[2] for caption in tie.captions]
    north, south = ["north 2H comes", "north 2H lies"], ["south 2H comes", "south 2H lies"]
    assert words == ["before", *north, *south, "first, north"]
    assert ties_of(tied("both-stay", second=[2.17, 2.23]))[0].captions[-1].endswith(": both-stay")


def test_what_was_withdrawn_or_not_seen_is_not_shown() -> None:
    assert ties_of(tied(second=None)) == []
    assert ties_of(tied(second=[2.17, 2.23], dropped=True)) == []
    assert ties_of(RECORD) == []


def test_replay_leaves_a_picture_of_every_tie(
    pretended: PretendEye,
    hand_video: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def with_a_tie(*_: Any, **__: Any) -> Any:
        yield from [*tied(second=[2.17, 2.23]), SCORE]

    monkeypatch.setattr(service, "tools", replace(service.tools, replay=with_a_tie))
    assert run(["replay", str(hand_video), "--ties", str(tmp_path / "new" / "ties")]) == 0
    (kept,) = (tmp_path / "new" / "ties").iterdir()
    assert kept.name == "hand-tie-2.2s.png"
    assert str(kept) in capsys.readouterr().out.replace("\n", "")
    picture = cv2.imread(str(kept))
    assert picture is not None
    assert picture.shape[1] == 3 * 320


def test_ties_need_a_folder(
    pretended: PretendEye, hand_video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    assert run(["replay", str(hand_video), "--ties", str(taken)]) == 2
    assert "name a folder" in complaint(capsys)
    assert taken.read_text() == "mine"
