"""The comparison of old and new training data: every run once, going on where it stopped, a table of all."""

from __future__ import annotations

import json
import subprocess
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from scripts.measure import compare_data


def counts(found: int) -> dict[str, Any]:
    edje = {"pictures": 9, "cards": 100, "found": found, "reported": 100, "rank_right": found // 2}
    return {"edje": edje, "bridge": {"pictures": 3, "present": 50, "found": 10, "named": 20}}


def command(out: Path) -> list[str]:
    data = [f"--{which}-{kind}" for which in ("old", "new") for kind in ("windows", "crops")]
    given = [part for option in data for part in (option, str(out))]
    return [
        "--real",
        str(out),
        "--out",
        str(out / "compare"),
        "--tune-crops",
        str(out),
        "--seeds",
        "2",
        *given,
    ]


def test_a_stopped_comparison_goes_on_and_tells_every_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trained: list[str] = []
    broken = {"old-2"}

    def train(options: Namespace, which: str, seed: int) -> Path:
        trained.append(f"{which}-{seed}")
        if trained[-1] in broken:
            raise subprocess.CalledProcessError(1, "train.finder")
        return tmp_path / trained[-1]

    monkeypatch.setattr(compare_data, "train", train)
    monkeypatch.setattr(compare_data, "measure", lambda models, _: counts(80 if "new" in models.name else 60))
    assert compare_data.main(command(tmp_path)) == 2
    assert "goes on from there" in capsys.readouterr().err
    assert trained == ["old-1", "new-1", "old-2"]
    broken.clear()
    assert compare_data.main(command(tmp_path)) == 0
    # what was measured already is not done again
    assert trained[3:] == ["old-2", "new-2"]
    table = (tmp_path / "compare" / "compare.md").read_text()
    assert "| edje recall | 0.600, 0.600 | 0.800, 0.800 |" in table
    assert "| bridge wrong among named | 0.500, 0.500 | 0.500, 0.500 |" in table
    assert len(json.loads((tmp_path / "compare" / "compare.json").read_text())) == 4
    assert (tmp_path / "compare" / "compare.png").stat().st_size > 2000
