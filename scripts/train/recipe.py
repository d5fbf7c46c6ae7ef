"""Trains networks of models/ by their recipes (scripts/train/recipes): data, training, export, curves, step by step.

    python -m scripts.train.recipe rows --minutes 30     one network
    python -m scripts.train.recipe all                   everything that models/ holds, in an order that works
    python -m scripts.train.recipe all --from placer:4   go on there
    python -m scripts.train.recipe all --dry-run         only tell the steps

Data that are drawn already are not drawn again, and a training goes on from its last checkpoint.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scripts.building import BuildError, ended
from scripts.here import ROOT

RECIPES = Path(__file__).parent / "recipes"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one network comes about."""

    name: str
    title: str
    #: Programs under scripts/ and what they are given; {minutes} stands for how long a training takes.
    steps: tuple[str, ...]
    #: Of each training, unless they are named otherwise.
    minutes: float
    #: Which network of models/ this makes; none of those for a trial.
    network: str = ""
    #: Recipes whose networks this one looks with.
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One program of a recipe, ready to be called."""

    recipe: str
    number: int
    of: int
    #: Its name under scripts/, and what it is given.
    program: str
    given: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.recipe}:{self.number} of {self.of}  {self.program} {shlex.join(self.given)}"

    @property
    def mark(self) -> str:
        """What `--from` calls it."""
        return f"{self.recipe}:{self.number}"


def read(folder: Path = RECIPES) -> dict[str, Recipe]:
    """The recipes of a folder, each after those that it needs; raises BuildError where one cannot be read."""
    found = {path.stem: _recipe(path) for path in sorted(folder.glob("*.toml"))}
    for recipe in found.values():
        if strangers := set(recipe.after) - set(found):
            raise BuildError(
                f"{recipe.name}.toml: after {', '.join(sorted(strangers))}: there is no such recipe"
            )
    try:
        order = list(TopologicalSorter({name: found[name].after for name in found}).static_order())
    except CycleError as circle:
        raise BuildError(f"recipes wait for one another: {' after '.join(circle.args[1])}") from None
    return {name: found[name] for name in order}


def _recipe(path: Path) -> Recipe:
    try:
        said: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        steps, after = tuple(said.pop("steps")), tuple(said.pop("after", ()))
        recipe = Recipe(name=path.stem, steps=steps, after=after, **said)
        if not steps or not all(isinstance(step, str) and step for step in steps):
            raise ValueError("steps: a list of programs and what they are given is wanted")
        if not isinstance(recipe.minutes, int | float):
            raise ValueError("minutes: a number is wanted")
    except KeyError as error:
        raise BuildError(f"{path}: {error.args[0]} is missing") from None
    except (tomllib.TOMLDecodeError, TypeError, ValueError) as error:
        raise BuildError(f"{path}: {error}") from None
    return recipe


def steps_of(recipe: Recipe, minutes: float | None) -> list[Step]:
    """The programs of a recipe in their order."""
    length = f"{recipe.minutes if minutes is None else minutes:g}"
    told = [shlex.split(step.replace("{minutes}", length)) for step in recipe.steps]
    return [
        Step(recipe.name, number, len(told), words[0], tuple(words[1:]))
        for number, words in enumerate(told, 1)
    ]


def wanted(recipes: dict[str, Recipe], names: Sequence[str]) -> list[Recipe]:
    """The recipes that are named, in an order that works; raises BuildError where there is none of a name."""
    for name in names:
        if name != ALL and name not in recipes:
            raise BuildError(f"no recipe is called {name!r}: there are {ALL}, {', '.join(recipes)}")
    return [
        recipe for recipe in recipes.values() if recipe.name in names or (ALL in names and recipe.network)
    ]


def begun_at(steps: list[Step], mark: str) -> list[Step]:
    """The steps from `mark` on: RECIPE:STEP, RECIPE or STEP; raises BuildError where none is called that."""
    for at, step in enumerate(steps):
        if mark in (step.mark, step.recipe) or (
            mark == str(step.number) and steps[0].recipe == steps[-1].recipe
        ):
            return steps[at:]
    raise BuildError(
        f"--from {mark}: no such step; --dry-run tells them, from {steps[0].mark} to {steps[-1].mark}"
    )


def run(steps: Sequence[Step]) -> str:
    """Runs the steps one after the other, tells each, and ends with the first that fails: BuildError."""
    for step in steps:
        print(step, flush=True)
        command = [sys.executable, "-m", f"scripts.{step.program}", *step.given]
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if status:
            raise BuildError(
                f"step {step.mark} ({step.program}) ended with status {status}, why stands above; "
                f"go on with --from {step.mark}"
            )
    return f"{len(steps)} steps done"


def main(arguments: Sequence[str] | None = None, folder: Path = RECIPES) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    return ended("train.recipe", lambda: _follow(options, folder), remedy="go on with --from")


def _follow(options: argparse.Namespace, folder: Path) -> str:
    recipes = read(folder)
    steps = [step for recipe in wanted(recipes, options.names) for step in steps_of(recipe, options.minutes)]
    if options.begin is not None:
        steps = begun_at(steps, options.begin)
    if options.dry_run:
        return "\n".join(map(str, steps))
    if find_spec("torch") is None and any(step.program.startswith("train.") for step in steps):
        raise BuildError("torch is not installed here; .venv-train has it: make train")
    return run(steps)


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("names", nargs="+", metavar="NAME", help=f"a recipe, several of them, or {ALL}")
    parser.add_argument(
        "--minutes", type=_minutes, help="how long each training takes; else as its recipe says"
    )
    parser.add_argument("--from", dest="begin", metavar="STEP", help="go on there: 4, or placer:4, or placer")
    parser.add_argument("--dry-run", action="store_true", help="only tell the steps")
    return parser


def _minutes(text: str) -> float:
    """More than none, for `argparse`."""
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes")
    return minutes


if __name__ == "__main__":
    sys.exit(main())
