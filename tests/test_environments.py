"""What the environments hold: one OpenCV, and what trains with all that it needs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "requirements").glob("*.txt"))
TRAIN = ROOT / "requirements" / "train.txt"
#: What a Python says of the distributions that wrote its cv2/.
ASK = """
import cv2, importlib.metadata as installed
print(*sorted(set(installed.packages_distributions()["cv2"])))
"""


def pins(file: Path) -> dict[str, str]:
    """Name to version."""
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    pairs = [line.split("==") for line in lines]
    return {canonicalize_name(name): version for name, version in pairs}


def extra(name: str) -> list[Requirement]:
    """What pyproject.toml asks for in an extra, the project's own other extras left out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [Requirement(line) for line in project["optional-dependencies"][name]]
    return [one for one in asked if one.name != project["name"]]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_environment_is_given_one_opencv(file: Path) -> None:
    assert {name for name in pins(file) if name.startswith("opencv")} == {"opencv-python-headless"}


@pytest.mark.parametrize("name", [".venv", ".venv-test", ".venv-train", ".venv-path", "this"])
def test_one_cv2_is_there(name: str) -> None:
    python = Path(sys.executable) if name == "this" else ROOT / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{name} is not set up")
    told = subprocess.run([python, "-c", ASK], check=True, capture_output=True, text=True, cwd=ROOT / "docs")
    assert told.stdout.split() == ["opencv-python-headless"]


def test_what_trains_is_pinned_as_it_is_asked_for() -> None:
    pinned = pins(TRAIN)
    asked = {canonicalize_name(one.name): one for one in extra("train")}
    assert {"torch", "torchvision", "ultralytics-opencv-headless"} <= set(asked)
    assert [name for name, one in asked.items() if not one.specifier.contains(pinned[name])] == []


def test_what_trains_misses_nothing_that_it_needs() -> None:
    """Of ultralytics' own needs none is left out, as it would be by `pip install --no-deps`."""
    python = ROOT / ".venv-train" / "bin" / "python"
    if not python.exists():
        pytest.skip(".venv-train is not set up")
    told = subprocess.run([python, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout


def test_only_training_needs_what_trains() -> None:
    for file in FILES:
        named = {name for name in pins(file) if name.startswith(("torch", "ultralytics", "nvidia"))}
        assert bool(named) == (file == TRAIN), (file, named)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_plays_is_the_same_version_everywhere(file: Path) -> None:
    ours, theirs = pins(ROOT / "requirements" / "runtime.txt"), pins(file)
    assert {name: theirs.get(name) for name in ours} == ours
