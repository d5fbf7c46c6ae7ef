"""Of what sources a row of figures was made: rows of other sources are another report's."""

from __future__ import annotations

from pathlib import Path

from scripts.here import ROOT
from scripts.measure.rows import digest_of, files_of

#: What films, what is seen in them and how it is counted hang on. How the page is written changes no figure.
MATTER = (
    "vision/**/*.py",
    "vision/**/*.json",
    *(
        f"referee/{room}/**/*.{end}"
        for room in ("games", "live", "presets", "record", "rules", "service", "umpire")
        for end in ("py", "toml", "json")
    ),
    "models/*.onnx",
    "datasets/*.py",
    *(f"datasets/{room}/**/*.py" for room in ("decks", "evening", "film", "play", "surfaces")),
    "requirements/runtime.txt",
    "scripts/measure/evening/truth.py",
    "scripts/measure/planted.py",
    "scripts/measure/replays.py",
    "scripts/measure/staged/*.py",
    "scripts/measure/layouts/scene.py",
    "scripts/measure/umpire/filming.py",
    "scripts/measure/umpire/judging.py",
    "scripts/measure/umpire/plan.py",
    "scripts/measure/umpire/refereed.py",
)


def sources(root: Path = ROOT) -> str:
    """A digest of all that matters."""
    return digest_of(files_of(MATTER, root), root)
