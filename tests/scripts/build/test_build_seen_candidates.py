"""What the verifier is trained on of whole pictures: which of the things that the eye looks at are cards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from datasets.stills import Still
from datasets.truth import CardTruth
from scripts.build.seen.candidates import candidates
from vision.detect.placing import CUT
from vision.layout import SeenCard


def corners(x: float) -> list[list[float]]:
    return [[x, 100], [x + 126, 100], [x + 126, 276], [x, 276]]


def truth(x: float) -> CardTruth:
    return CardTruth(corners(x), "QS", False, 0, 0, 0, 1.0, None, [0, 0, 0, 63, 88], False)


def seen(x: float, share: float) -> SeenCard:
    return SeenCard(np.array(corners(x)), "back", np.zeros((0, 2)), share, 0.9)


def test_what_lies_where_a_card_does_is_right_once_and_the_rest_is_wrong() -> None:
    still = Still(np.zeros((400, 1000, 3), np.uint8), [truth(100), truth(400)], 2.0)
    found = [seen(800, 0.5), seen(402, 1.0), seen(390, 0.1)]
    eye = SimpleNamespace(cuts=lambda _: (found, np.zeros((3, *CUT, 5), np.uint8)))
    told = candidates(eye, still)  # type: ignore[arg-type]
    assert told["right"].tolist() == [False, True, False]
    assert told["back"].all() and len(told["cuts"]) == 3
    assert np.allclose(told["visible"], [0.5, 1.0, 0.1])


def test_a_folder_of_other_pictures_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "candidates.json").write_text('{"split": "tune", "per_shard": 25, "seed": 1}')
    (tmp_path / "0000.npz").touch()
    command = [sys.executable, "-m", "scripts.build.seen.candidates", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert str(tmp_path) in done.stderr and "Traceback" not in done.stderr
