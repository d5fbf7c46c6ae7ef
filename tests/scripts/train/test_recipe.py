"""Recipes: every step can be called as it is written, each finds what it needs, and the runner says what it does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.building import BuildError
from scripts.train.recipe import ALL, Step, main, read, steps_of, wanted

ROOT = Path(__file__).parents[3]
RECIPES = read()
KEPT = {file.stem for file in (ROOT / "models").glob("*.onnx")}

# Every step is put to its program's own parser. Torch, where it is missing, is pretended: parsers need none of it.
PARSE = """
import argparse, importlib, importlib.util, json, sys
from unittest.mock import MagicMock

if importlib.util.find_spec("torch") is None:
    class Pretended(MagicMock):
        Module = Tensor = object
    for name in ("torch", "torch.nn", "torch.nn.functional", "torch.onnx"):
        sys.modules[name] = Pretended(name=name)
    sys.modules["torch"].nn = sys.modules["torch.nn"]
    sys.modules["torch"].Tensor = object
if importlib.util.find_spec("matplotlib") is None:
    for name in ("matplotlib", "matplotlib.pyplot"):
        sys.modules[name] = MagicMock(name=name)

class Parsed(Exception):
    pass

plain = argparse.ArgumentParser.parse_args

def parse(parser, given=None, space=None):
    raise Parsed(plain(parser, given, space))

argparse.ArgumentParser.parse_args = parse
answers = []
for program, given in json.load(sys.stdin):
    try:
        module = importlib.import_module(f"scripts.{program}")
        if hasattr(module, "__path__"):
            module = importlib.import_module(f"scripts.{program}.__main__")
        sys.argv = [program, *given]
        module.main()
        answers.append("does not parse what it is given")
    except Parsed as parsed:
        told = vars(parsed.args[0])
        lists = {key: value if isinstance(value, list) else [value] for key, value in told.items()}
        answers.append({key: [str(one) for one in many if one is not None] for key, many in lists.items()})
    except ModuleNotFoundError as error:
        answers.append(str(error))
    except SystemExit:
        answers.append("refuses what it is given")
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module")
def parsed() -> dict[str, list[tuple[Step, Any]]]:
    """The steps of every recipe, each with what its program's parser made of it, or why it could not."""
    steps = [step for recipe in RECIPES.values() for step in steps_of(recipe, None)]
    asked = json.dumps([[step.program, step.given] for step in steps])
    done = subprocess.run(
        [sys.executable, "-c", PARSE], cwd=ROOT, input=asked, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = zip(steps, json.loads(done.stdout), strict=True)
    told: dict[str, list[tuple[Step, Any]]] = {name: [] for name in RECIPES}
    for step, answer in answers:
        told[step.recipe].append((step, answer))
    return told


def test_every_network_that_is_kept_has_a_recipe() -> None:
    assert {recipe.network for recipe in RECIPES.values() if recipe.network} == KEPT
    assert [recipe.name for recipe in RECIPES.values() if not recipe.network] == ["quick"]


@pytest.mark.parametrize("name", RECIPES)
def test_every_step_is_a_program_that_takes_what_it_is_given(
    parsed: dict[str, list[tuple[Step, Any]]], name: str
) -> None:
    assert parsed[name]
    for step, answer in parsed[name]:
        assert isinstance(answer, dict), f"{step}: {answer}"


@pytest.mark.parametrize("name", RECIPES)
def test_every_step_finds_what_it_needs(parsed: dict[str, list[tuple[Step, Any]]], name: str) -> None:
    """What a step reads was made by a step before it, or is kept in models/."""
    made = {f"models/{kept.name}" for kept in (ROOT / "models").iterdir()}
    for step, answer in parsed[name]:
        needs = [
            path
            for key in ("data", "windows", "tune", "init", "first", "runs")
            for path in answer.get(key, [])
            if "/" in path
        ]
        if step.program == "train.export":
            needs += answer["run"] or [f"runs/{step.given[0]}"]
        if step.program == "train.quick.measure":
            needs += [str(Path(answer["net"][0]).parent)]
        assert set(needs) <= made, f"{step}: nothing makes {sorted(set(needs) - made)}"
        made |= set(answer.get("out", [])) | set(answer.get("run", []))


@pytest.mark.parametrize("name", [recipe.name for recipe in RECIPES.values() if recipe.network])
def test_every_training_is_exported_to_its_network_and_drawn(
    parsed: dict[str, list[tuple[Step, Any]]], name: str
) -> None:
    told = parsed[name]
    trained = [answer["run"] for step, answer in told if step.program == f"train.{name}"]
    exported = [answer for step, answer in told if step.program == "train.export"]
    assert trained and [answer["run"] or [f"runs/{name}"] for answer in exported] == trained
    assert all(answer["net"] == [RECIPES[name].network] and not answer["out"] for answer in exported)
    last, answer = told[-1]
    assert last.program == "train.curves" and answer["runs"] == [run for (run,) in trained]


def test_data_are_drawn_alike_wherever_they_are_drawn() -> None:
    """Two recipes may draw the same folder: the second finds it drawn, if it asks for the same."""
    drawn: dict[str, str] = {}
    for recipe in RECIPES.values():
        for step in recipe.steps:
            if step.startswith("build.") and "--out" in step.split():
                folder = step.split()[step.split().index("--out") + 1]
                assert drawn.setdefault(folder, step) == step


def test_recipes_come_after_those_whose_networks_they_look_with() -> None:
    names = list(RECIPES)
    for recipe in RECIPES.values():
        assert all(names.index(before) < names.index(recipe.name) for before in recipe.after)
    assert [recipe.name for recipe in wanted(RECIPES, [ALL])] == [name for name in names if name != "quick"]


def test_minutes_are_those_of_the_recipe_or_those_asked_for() -> None:
    assert "--minutes 10 " in f"{steps_of(RECIPES['quick'], None)[1]} "
    assert "--minutes 0.5 " in f"{steps_of(RECIPES['quick'], 0.5)[1]} "


def recipe(folder: Path, name: str, steps: list[str], more: str = "") -> None:
    text = f'title = "{name}"\nnetwork = "{name}"\nminutes = 3\nsteps = {json.dumps(steps)}\n{more}'
    (folder / f"{name}.toml").write_text(text)


def test_the_first_step_that_fails_ends_the_run_and_it_can_go_on_from_there(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    recipe(tmp_path, "one", ["build.found --help", "measure.rivals.nonesuch x", "build.found --help"])
    assert main(["one"], tmp_path) == 2
    out, err = capfd.readouterr()
    assert [line for line in out.splitlines() if line.startswith("one:")] == [
        "one:1 of 3  build.found --help",
        "one:2 of 3  measure.rivals.nonesuch x",
    ]
    assert err.splitlines()[-1].startswith(
        "train.recipe: step one:2 (measure.rivals.nonesuch) ended with status 1"
    )
    assert err.splitlines()[-1].endswith("go on with --from one:2")
    assert main(["one", "--from", "3"], tmp_path) == 0
    assert [line for line in capfd.readouterr().out.splitlines() if line.startswith("one:")] == [
        "one:3 of 3  build.found --help"
    ]


def test_a_dry_run_tells_the_steps_and_runs_none(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    recipe(tmp_path, "one", ["train.finder --minutes {minutes}", "build.found nothing"])
    recipe(tmp_path, "another", ["build.found x"], 'after = ["one"]\n')
    assert main(["all", "--dry-run"], tmp_path) == 0
    told = [
        "one:1 of 2  train.finder --minutes 3",
        "one:2 of 2  build.found nothing",
        "another:1 of 1  build.found x",
    ]
    assert capfd.readouterr().out.splitlines() == told
    assert main(["all", "--dry-run", "--from", "one:2", "--minutes", "7"], tmp_path) == 0
    assert capfd.readouterr().out.splitlines() == told[1:]
    assert main(["all", "--dry-run", "--from", "another"], tmp_path) == 0
    assert capfd.readouterr().out.splitlines() == told[2:]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["nonesuch"], "there are all, "),
        (["finder", "--from", "77"], "--from 77: no such step"),
        (["all", "--from", "2"], "--from 2: no such step"),
    ],
)
def test_what_is_not_there_is_refused_in_one_line(
    given: list[str], says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(given) == 2
    out, err = capfd.readouterr()
    assert not out and len(err.splitlines()) == 1 and says in err


@pytest.mark.parametrize("minutes", ["0", "-3", "many", "nan", "inf"])
def test_no_time_is_no_training(minutes: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["finder", "--minutes", minutes])
    assert ended.value.code == 2
    assert "minutes" in capfd.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("steps = [", "one.toml: "),
        ('title = "a"\nminutes = 3\n', "steps is missing"),
        ('title = "a"\nminutes = 3\nsteps = []\n', "steps: a list"),
        ('title = "a"\nminutes = 3\nsteps = [7]\n', "steps: a list"),
        ('title = "a"\nsteps = ["b"]\n', "minutes"),
        ('title = "a"\nminutes = "3"\nsteps = ["b"]\n', "minutes: a number"),
        ('title = "a"\nminutes = 3\nsteps = ["b"]\nwhat = 1\n', "what"),
        ('title = "a"\nminutes = 3\nsteps = ["b"]\nafter = ["two"]\n', "no such recipe"),
        ('title = "a"\nminutes = 3\nsteps = ["b"]\nafter = ["one"]\n', "wait for one another"),
    ],
)
def test_a_recipe_that_cannot_be_read_is_told_in_one_line(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(text)
    with pytest.raises(BuildError) as refused:
        read(tmp_path)
    assert says in str(refused.value)


def test_without_torch_nothing_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("scripts.train.recipe.find_spec", lambda name: None)
    assert main(["finder"]) == 2
    out, err = capfd.readouterr()
    assert not out and "make train" in err


@pytest.mark.parametrize(("told", "given"), [([], "all"), (["NET=rows", "MINUTES=7"], "rows --minutes 7")])
def test_make_train_follows_the_recipes(told: list[str], given: str) -> None:
    lines = subprocess.run(
        ["make", "--dry-run", "train", *told, "ARGS=--dry-run"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    (line,) = [line for line in lines if "scripts.train" in line]
    assert line.split("-m ")[1].split() == ["scripts.train.recipe", *given.split(), "--dry-run"]
