"""Breaks the code that follows a table, one small fault at a time, and counts how many faults the tests notice.

    python -m scripts.measure.mutants --mutants 400 --seed 1 --out docs/mutants.json

A stopped run goes on where it was, as long as sources and tests are the same. mutmut, cosmic-ray and mutatest draw no
fixed number by a seed, or choose no tests by line, which together is what keeps this short; hence these three files.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tqdm import tqdm

from scripts.measure import mutant_tests
from scripts.measure.mutant_tests import ROOT, Reach, Tried, in_order
from scripts.measure.mutations import Mutant, draw, mutants_of

#: What is broken.
ROOMS = ("referee/umpire", "referee/live", "referee/photos", "referee/record/book.py")
#: What the outcome depends on.
SOURCES = ("referee", "vision", "datasets", "tests", "scripts/measure")
KEPT = ROOT / "out" / "mutants"
WORKERS = 2


class MutantsError(Exception):
    """No figure can be given; the message says why and what to do."""


def sources_of(rooms: Sequence[str] = ROOMS) -> dict[str, bytes]:
    """By name the files of some rooms."""
    found = [ROOT / room for room in rooms if room.endswith(".py")]
    found += [file for room in rooms for file in (ROOT / room).glob("*.py")]
    return {str(file.relative_to(ROOT)): file.read_bytes() for file in sorted(found)}


def digest() -> str:
    """A name for all that the outcome depends on, as it is now."""
    told = sha256()
    for file in sorted(file for top in SOURCES for file in (ROOT / top).rglob("*.py")):
        told.update(str(file).encode() + b"\0" + file.read_bytes())
    return told.hexdigest()[:16]


@dataclass(slots=True)
class Finder:
    """Knows which tests reach a mutant."""

    reach: Reach
    sources: Mapping[str, bytes]
    #: Tests that take longer (s) are not tried.
    longest: float = math.inf
    #: By name that is read somewhere: the files and lines, and what is given a name there when the module is imported.
    _read: dict[str, list[tuple[str, int, tuple[str, ...]]]] = field(init=False)

    def __post_init__(self) -> None:
        self._read = {}
        for file, source in self.sources.items():
            for name, line, gives in _reads(ast.parse(source)):
                self._read.setdefault(name, []).append((file, line, gives))

    def tests(self, mutant: Mutant) -> dict[str, float]:
        """The tests that reach it with their seconds, in the order in which they are tried."""
        if mutant.at_import:
            tests = self._using(mutant.names, set()) or self._of_file(mutant.file)
        else:
            lines = self.reach.lines.get(mutant.file, {})
            tests = {test for n in range(mutant.first, mutant.last + 1) for test in lines.get(n, ())}
        return in_order((t for t in tests if self.reach.seconds[t] <= self.longest), self.reach)

    def _of_file(self, file: str) -> set[str]:
        return {test for tests in self.reach.lines.get(file, {}).values() for test in tests}

    def _using(self, names: Sequence[str], known: set[str]) -> set[str]:
        """The tests that reach a line that reads one of these names, or one made of them."""
        tests: set[str] = set()
        for name in set(names) - known:
            known.add(name)
            for file, line, gives in self._read.get(name, ()):
                tests |= self.reach.lines.get(file, {}).get(line, frozenset())
                tests |= self._using(gives, known)
        return tests


def _reads(tree: ast.Module) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        gives = tuple(
            node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
        )
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield node.id, node.lineno, gives
            elif isinstance(node, ast.Attribute):
                yield node.attr, node.lineno, gives


# -- trying ------------------------------------------------------------------------------------------------------------


class Processes:
    """Runs things in processes of their own, which begin with all that is slow to import."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(mutant_tests.PRELOADED))
        self._running: set[BaseProcess] = set()

    def ask(self, work: Callable[..., None], *given: object) -> tuple[str | None, int]:
        """What `work(*given, answer)` sends, None if nothing; and the status with which its process ended."""
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(target=mutant_tests.in_its_own, args=(work, given, sender))
        process.start()
        self._running.add(process)
        sender.close()
        # a long answer fits into no pipe: it is read while it is written
        answer = None
        if receiver.poll(mutant_tests.WALL_S):
            try:
                answer = receiver.recv()
            except EOFError:
                answer = None
        process.join(1.0)
        self._end(process)
        if answer is not None and answer.startswith("!"):
            raise MutantsError(f"a process failed by itself:\n{answer[1:]}")
        return answer, process.exitcode or 0

    def _end(self, process: BaseProcess) -> None:
        """End a process and all that it started."""
        if process.pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.join()
        self._running.discard(process)

    def end(self) -> None:
        """End all that is running."""
        for process in list(self._running):
            self._end(process)


def reach_of(files: Sequence[str], kept: Path, processes: Processes) -> Reach:
    """Which tests reach which lines: as kept in a file, or found out and kept there."""
    if not kept.exists():
        print("running every test once, to see what it reaches", file=sys.stderr)
        answer, _ = processes.ask(mutant_tests.reached, files)
        if answer is None or not answer.startswith("{"):
            raise MutantsError(f"{answer or 'the tests ended in the middle'}: see to it first")
        _put(kept, answer)
    return Reach.of(json.loads(kept.read_text()))


def tried(mutant: Mutant, source: bytes, tests: Mapping[str, float], processes: Processes) -> Tried:
    """Whether any of the tests notices the mutant."""
    if not tests:
        return Tried("unreached")
    given = mutant.file, mutant.applied(source), tests, mutant_tests.MORE_S
    answer, status = processes.ask(mutant_tests.try_mutant, *given)
    if answer is not None:
        return Tried("killed", answer) if answer else Tried("survived")
    return Tried("hung" if status in (-signal.SIGPROF, -signal.SIGKILL) else "killed")


def _found_before(kept: Path, longest: float) -> dict[str, Tried]:
    """What was found already: who was noticed by fewer tests is noticed, who was not has to face the others, too."""
    lines = kept.read_text().splitlines() if kept.exists() else []
    return {
        told["name"]: Tried(told["end"], told["by"])
        for told in map(json.loads, lines)
        if told["longest"] >= longest or told["end"] in ("killed", "hung")
    }


def try_all(
    drawn: Sequence[Mutant], finder: Finder, kept: Path, processes: Processes, workers: int
) -> dict[str, Tried]:
    """What came of each mutant, by its name; what a stopped run found is in the file `kept`."""
    found = _found_before(kept, finder.longest)
    left = [mutant for mutant in drawn if mutant.name not in found]

    def one(mutant: Mutant) -> tuple[str, Tried]:
        return mutant.name, tried(mutant, finder.sources[mutant.file], finder.tests(mutant), processes)

    with kept.open("a") as out, ThreadPoolExecutor(workers) as pool:
        try:
            for name, outcome in tqdm(pool.map(one, left), total=len(drawn), initial=len(drawn) - len(left)):
                found[name] = outcome
                told = {"name": name, **asdict(outcome), "longest": finder.longest}
                out.write(json.dumps(told) + "\n")
                out.flush()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            processes.end()
            raise
    return found


# -- telling -----------------------------------------------------------------------------------------------------------


def room_of(file: str) -> str:
    """The room that a file belongs to, as `ROOMS` names it."""
    return next(room for room in ROOMS if file.startswith(room))


def figures(drawn: Sequence[Mutant], found: Mapping[str, Tried]) -> dict[str, Any]:
    """How many were drawn and noticed, in all and by room; those that were not noticed, one by one."""
    alive = [mutant for mutant in drawn if found[mutant.name].end in ("survived", "unreached")]
    return {
        **_share(drawn, alive),
        "hung": sum(found[mutant.name].end == "hung" for mutant in drawn),
        "unreached": sum(found[mutant.name].end == "unreached" for mutant in drawn),
        "rooms": {
            room: _share(
                [m for m in drawn if room_of(m.file) == room], [m for m in alive if room_of(m.file) == room]
            )
            for room in ROOMS
        },
        "survivors": [
            {
                "file": mutant.file,
                "line": mutant.line,
                "kind": mutant.kind,
                "before": mutant.before,
                "after": mutant.after,
                "reached": found[mutant.name].end == "survived",
            }
            for mutant in sorted(alive, key=lambda mutant: (mutant.file, mutant.line))
        ],
    }


def _share(drawn: Sequence[Mutant], alive: Sequence[Mutant]) -> dict[str, float]:
    killed = len(drawn) - len(alive)
    return {"mutants": len(drawn), "killed": killed, "share": round(killed / max(1, len(drawn)), 4)}


def said(told: Mapping[str, Any]) -> str:
    """The figures for people."""
    lines = [
        f"{one['file']}:{one['line']} {'survives' if one['reached'] else 'is not reached'}: "
        f"{one['before']}  →  {one['after']}"
        for one in told["survivors"]
    ]
    for room, own in [*told["rooms"].items(), ("in all", told)]:
        lines.append(f"{room}: {own['killed']} of {own['mutants']} noticed ({own['share']:.1%})")
    return "\n".join(lines)


def measure(count: int, seed: int, workers: int, longest: float = math.inf) -> dict[str, Any]:
    """Draw mutants, try them, and tell what came of it. Raises `MutantsError`."""
    sources, began = sources_of(), digest()
    every = [mutant for file, source in sources.items() for mutant in mutants_of(file, source)]
    drawn = draw(every, count, seed)
    KEPT.mkdir(parents=True, exist_ok=True)
    processes = Processes()
    reach = reach_of(list(sources), KEPT / f"{began}.reach.json", processes)
    finder = Finder(reach, sources, longest)
    found = try_all(drawn, finder, KEPT / f"{began}.jsonl", processes, workers)
    if digest() != began:
        raise MutantsError("sources or tests were changed meanwhile: run it again, and leave them alone")
    possible = {"seed": seed, "possible": len(every), "lines": len({(m.file, m.line) for m in every})}
    tests = sum(seconds <= longest for seconds in reach.seconds.values())
    return {**possible, "tests": tests, "longest_test_s": _or_none(longest), **figures(drawn, found)}


def _or_none(longest: float) -> float | None:
    return longest if math.isfinite(longest) else None


def _put(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def main() -> int:
    """Print the figures and write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=_positive, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=_positive, default=WORKERS, help="processes side by side")
    parser.add_argument(
        "--longest", type=float, default=math.inf, help="leave out tests that take longer (s)"
    )
    parser.add_argument("--out", type=Path, help="where to write the figures, as JSON")
    chosen = parser.parse_args()
    try:
        if chosen.out is not None and not chosen.out.absolute().parent.is_dir():
            raise MutantsError(f"{chosen.out.parent} is no folder: make it first")
        told = measure(chosen.mutants, chosen.seed, chosen.workers, chosen.longest)
        if chosen.out is not None:
            _put(chosen.out, json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    except (MutantsError, OSError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mutants: stopped; the same command goes on from there", file=sys.stderr)
        return 2
    print(said(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
