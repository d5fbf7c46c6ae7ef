"""Which tests reach a line, and whether they notice a mutant: pytest in processes of their own, on sources put otherwise.

A mutant is never written anywhere: the process that tries it imports its text in the place of the file's. Programs that
a test starts read the file, so that they count for nothing here.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
#: Where the tests lie that may notice.
TESTS = (
    "tests/referee/umpire",
    "tests/referee/live",
    "tests/referee/photos",
    "tests/referee/record/test_book.py",
)
#: What is not among them: films seen with the real eye, which take minutes, and shares of many drawn tables.
LEFT_OUT = (
    "tests/referee/live/test_replay_films.py",
    "tests/referee/umpire/test_seating.py::test_seats_and_places_of_drawn_tables",
)
#: A test hangs that takes so many times as long as on the true source and so much longer (s of its processor).
TIMES, MORE_S = 5.0, 10.0
#: The same for whatever is imported before the first test, and for the clock on the wall (s).
IMPORT_S, WALL_S = 60.0, 900.0
#: A mutant that asks for more memory than this has failed (bytes).
MEMORY = 8 << 30
#: Every process begins with what does not depend on what is broken.
PRELOADED = (
    "pytest",
    "hypothesis",
    "scipy.optimize",
    "scipy.ndimage",
    "av",
    "onnxruntime",
    "pydantic",
    "vision.eye",
)
QUIET = ("-q", "-x", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Reach:
    """What a run of all tests on the true source gave."""

    #: By file and line: the tests that ran it.
    lines: Mapping[str, Mapping[int, frozenset[str]]]
    #: By test: how long it takes; by file of tests: how long its import takes (s of a processor).
    seconds: Mapping[str, float]
    imports: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """To keep it."""
        number = {test: count for count, test in enumerate(self.seconds)}
        lines = {
            file: {str(line): sorted(map(number.__getitem__, tests)) for line, tests in of_file.items()}
            for file, of_file in self.lines.items()
        }
        return {"lines": lines, "seconds": dict(self.seconds), "imports": dict(self.imports)}

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Reach:
        """What was kept."""
        tests = list(kept["seconds"])
        lines = {
            file: {int(line): frozenset(tests[n] for n in numbers) for line, numbers in of_file.items()}
            for file, of_file in kept["lines"].items()
        }
        return cls(lines, kept["seconds"], kept["imports"])


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a mutant: "survived", "killed", "hung" (which is killed, too) or "unreached"."""

    end: str
    #: The test that noticed.
    by: str = ""


class _Contexts:
    """A plugin of pytest that tells coverage which test runs, and how long each takes."""

    def __init__(self, measured: Any) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}
        self.imports: dict[str, float] = {}
        self.failed: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, Any]:
        self.measured.switch_context(item.nodeid)
        began = time.process_time()
        done = yield
        self.seconds[item.nodeid] = time.process_time() - began
        return done

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Generator[None, Any, Any]:
        began = time.process_time()
        report = yield
        if collector.nodeid.endswith(".py"):
            self.imports[collector.nodeid] = time.process_time() - began
        return report


def reached(files: Sequence[str], answer: Connection) -> None:
    """Run all tests once and send what they reach of `files` as JSON, or an error in words; in a process of its own."""
    import coverage

    _alone()
    measured = coverage.Coverage(
        data_file=str(Path(tempfile.mkdtemp()) / "reach"),
        include=[str(ROOT / file) for file in files],
        config_file=False,
    )
    measured.start()
    contexts = _Contexts(measured)
    left_out = [f"--deselect={name}" for name in LEFT_OUT] + [f"--ignore={name}" for name in LEFT_OUT]
    pytest.main([*QUIET, *left_out, *TESTS], plugins=[contexts])
    measured.stop()
    if contexts.failed:
        answer.send(f"{contexts.failed[0]} fails on the true source")
        return
    data = measured.get_data()
    lines = {
        str(Path(name).relative_to(ROOT)): {
            line: frozenset(filter(None, tests)) for line, tests in data.contexts_by_lineno(name).items()
        }
        for name in data.measured_files()
    }
    answer.send(json.dumps(Reach(lines, contexts.seconds, contexts.imports).to_json()))


class _Chosen:
    """A plugin of pytest that runs the chosen tests alone, the fastest first, each in its time."""

    def __init__(self, seconds: Mapping[str, float], more_s: float) -> None:
        self.seconds = seconds
        self.more_s = more_s
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        # what a module's tests share is made once
        items[:] = sorted(
            (item for item in items if item.nodeid in self.seconds),
            key=lambda item: self.seconds[item.nodeid],
        )

    def pytest_runtest_protocol(self, item: Any) -> None:
        _limit(self.more_s + TIMES * self.seconds[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = report.nodeid


def try_mutant(
    file: str, source: bytes, tests: Mapping[str, float], more_s: float, answer: Connection
) -> None:
    """Run tests, by name with their seconds, on a source put otherwise; send the one that fails, or none.

    In a process of its own; a test that hangs, for `more_s` s longer than it should, ends it with `SIGPROF`.
    """
    _alone()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.meta_path.insert(0, _PutOtherwise(file, source))
    by_file: dict[str, dict[str, float]] = {}
    for name, seconds in tests.items():
        by_file.setdefault(name.partition("::")[0], {})[name] = seconds
    for test_file, chosen in by_file.items():
        _limit(IMPORT_S)
        plugin = _Chosen(chosen, more_s)
        status = pytest.main([*QUIET, test_file], plugins=[plugin])
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            answer.send(plugin.failed or test_file)
            return
    answer.send("")


def in_its_own(work: Callable[..., None], given: Sequence[object], answer: Connection) -> None:
    """Does `work(*given, answer)` in a process made for it; sends what went wrong there, behind "!"."""
    try:
        work(*given, answer)
    except BaseException:
        answer.send("!" + traceback.format_exc())


def _alone() -> None:
    """What every process does first: silent, where the sources are, and the same in every run."""
    import hypothesis

    os.setsid()
    os.chdir(ROOT)
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutants", derandomize=True, database=None, phases=phases)
    hypothesis.settings.load_profile("mutants")


def _limit(seconds: float) -> None:
    """End this process when it has used so many more seconds of the processor."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


class _PutOtherwise(MetaPathFinder):
    """Finds one module: with the given source."""

    def __init__(self, file: str, source: bytes) -> None:
        self.name = ".".join(Path(file).with_suffix("").parts)
        self.path = str(ROOT / file)
        self.source = source

    def find_spec(
        self, name: str, path: object, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """See `MetaPathFinder`."""
        if name != self.name:
            return None
        loader = _Loader(name, self.path, self.source)
        return importlib.util.spec_from_file_location(name, self.path, loader=loader)


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, source: bytes) -> None:
        super().__init__(name, path)
        self.put = source

    def get_code(self, fullname: str) -> CodeType:
        """The code of the given source, without looking for any that was compiled before."""
        return compile(self.put, self.path, "exec", dont_inherit=True)


def in_order(tests: Iterable[str], reach: Reach) -> dict[str, float]:
    """Tests with their seconds (s): file by file, the one that is through first before the others."""
    by_file: dict[str, list[str]] = {}
    for test in sorted(tests):
        by_file.setdefault(test.partition("::")[0], []).append(test)

    def whole(file: str) -> float:
        return reach.imports.get(file, 0.0) + sum(reach.seconds[test] for test in by_file[file])

    return {test: reach.seconds[test] for file in sorted(by_file, key=whole) for test in by_file[file]}
