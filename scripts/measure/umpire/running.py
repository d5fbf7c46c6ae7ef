"""Makes what rows are missing, film by film: filmed, refereed and deleted, with nothing left but the row."""

from __future__ import annotations

import multiprocessing
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from scripts.building import GOES_ON, BuildError, worker
from scripts.here import commit, processor
from scripts.measure.rows import Row, Rows
from scripts.measure.umpire import strips
from scripts.measure.umpire.digest import sources
from scripts.measure.umpire.filming import Made, NotFilmedError, made
from scripts.measure.umpire.judging import row_of
from scripts.measure.umpire.plan import Film
from scripts.measure.umpire.refereed import refereed

T = TypeVar("T")
#: A film's row, and pictures of what went wrong in it.
Measured = tuple[dict[str, Any], list[bytes]]


@dataclass(frozen=True, slots=True)
class Run:
    """What is to be measured, and where it goes.

    `films`: folder in which films are made; they stay there with `keep`.
    """

    wanted: Sequence[Film]
    rows: Rows
    pictures: Path
    films: Path
    keep: bool = False
    jobs: int = 1
    #: Seconds after which no further film is begun.
    seconds: float | None = None
    measure: Callable[[Film, Path], Measured] | None = None


def run(asked: Run, on_row: Callable[[Row], None], on_word: Callable[[str], None]) -> int:
    """Measure what is not there yet; how many films were. Each row is on the disk before the next film is begun, and
    `on_row` is told of it; `on_word` of what cannot be filmed.

    Raises BuildError where the sources change meanwhile: what is measured then belongs to neither.
    """
    made_of = sources()
    left = iter([film for film in asked.wanted if not asked.rows.has(made_of, film.key)])
    measure = asked.measure or measured
    ends = None if asked.seconds is None else time.monotonic() + asked.seconds
    done = 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        going: set[Future[Measured]] = set()
        try:
            while True:
                while len(going) < asked.jobs and (film := _next(left, ends)) is not None:
                    going.add(pool.submit(_in_its_folder, measure, film, asked.films / film.name, asked.keep))
                if not going:
                    return done
                finished, going = wait(going, return_when=FIRST_COMPLETED)
                for future in finished:
                    try:
                        row, pictures = future.result()
                    except NotFilmedError as why:
                        on_word(str(why))
                        continue
                    if sources() != made_of:
                        raise BuildError(
                            "the sources have changed meanwhile: run it again from what they are now"
                        )
                    row = {"sources": made_of, **row, "commit": commit(), "machine": processor()}
                    row["strips"] = strips.keep(asked.pictures, row, pictures)
                    asked.rows.add(row)
                    done += 1
                    on_row(row)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _next(left: Iterator[Film], ends: float | None) -> Film | None:
    return None if ends is not None and time.monotonic() > ends else next(left, None)


def _in_its_folder(
    measure: Callable[[Film, Path], Measured], film: Film, folder: Path, keep: bool
) -> Measured:
    """Measure it in an empty folder, which goes with the film."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        return measure(film, folder)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def measured(film: Film, folder: Path) -> Measured:
    """Film it and referee it, in a process of its own each, so that memory and time are of the one alone."""
    filmed = alone(made, film, folder)
    return alone(judged, filmed)


def judged(filmed: Made) -> Measured:
    """The row of a film that lies there."""
    row = row_of(filmed, refereed(filmed))
    return row, strips.strips_of(filmed.video, row, filmed.film.since)


def alone(work: Callable[..., T], *told: Any) -> T:
    """Do it in a fresh process, which ends with this one."""
    fresh = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(1, mp_context=fresh, initializer=worker) as pool:
            return pool.submit(work, *told).result()
    except BrokenProcessPool:
        raise BuildError(
            f"the process of a film was killed, for lack of memory perhaps: {GOES_ON}; with --jobs 1 it needs least"
        ) from None
