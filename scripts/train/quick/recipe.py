"""How the quick look is trained: what ultralytics is told, and how far a run has come."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from datasets.files import put
from scripts.building import BuildError

#: The network, as ultralytics itself describes it: no weights to begin with, they would have to be fetched.
NET = "yolo26n.yaml"
#: Side of the square that is trained on, px; what is exported looks at its upper part only: films are wide.
SIDE = 320
#: Height and width of what the exported network looks at, px: 16:9, rounded up to its stride of 32.
LOOK = (192, 320)
BATCH = 16
#: What the run begins with as a guess; after an epoch ultralytics knows how many the time is enough for.
EPOCHS = 20


@dataclass(frozen=True, slots=True)
class Spent:
    """How far a run has come."""

    #: Seconds that it has trained for, all starts together, until its last checkpoint.
    seconds: float = 0.0
    epochs: int = 0
    views: int = 0
    done: bool = False


def settings(data: Path, run: Path, minutes: float) -> dict[str, object]:
    """What a run in the folder `run` on the pictures of `data` tells ultralytics."""
    return {
        "data": str(data.resolve() / "data.yaml"),
        "project": str(run.resolve().parent),
        "name": run.name,
        "exist_ok": True,
        "time": minutes / 60,
        "epochs": EPOCHS,
        "imgsz": SIDE,
        "batch": BATCH,
        # every batch is a step: minutes are few
        "nbs": BATCH,
        "optimizer": "AdamW",
        "lr0": 0.002,
        "warmup_epochs": 0.5,
        # the last epoch sees whole pictures
        "close_mosaic": 1,
        # tables are seen from every side
        "flipud": 0.5,
        "fliplr": 0.5,
        # judging takes time off training, and `measure.py` does it
        "val": False,
        "plots": False,
        "cache": "ram",
        "pretrained": False,
        "amp": False,
        "device": "cpu",
        "seed": 1,
        "verbose": False,
    }


def checkpoint(run: Path) -> Path:
    """Where ultralytics keeps the newest weights of a run."""
    return run / "weights" / "last.pt"


def read_spent(run: Path) -> Spent:
    """How far a run has come; raises BuildError where it cannot be told."""
    note = run / "spent.json"
    if not checkpoint(run).exists():
        return Spent()
    try:
        return Spent(**json.loads(note.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise BuildError(f"{note}: does not tell how far the run came; delete {run} and train anew") from None


def write_spent(run: Path, spent: Spent) -> None:
    """Keeps how far a run has come."""
    put(run / "spent.json", json.dumps(asdict(spent)) + "\n")
