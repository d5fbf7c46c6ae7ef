"""`nerts-referee doctor`: says whether machine and camera will do."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from referee import service
from referee.commands.console import JsonOption, camera_for, out, print_json, shown
from vision.capture.frames import Image, save_image
from vision.capture.live.sources import SourceError, open_source
from vision.capture.quiet import quiet
from vision.capture.video import Frame
from vision.suitability import Finding, draw_view, judge_view

#: A look at a whole 1080p picture may take this long (s) for a recording to be refereed in reasonable time.
_LOOK_LIMIT_S = 2.0
#: A camera gets so long (s) to find its exposure, then so long it is looked at, by so many pictures at most.
SETTLING_S, TAKEN_S, MOST_FRAMES = 1.0, 2.0, 64


def doctor(
    camera: Annotated[
        str | None,
        typer.Option(
            metavar="CAMERA",
            parser=camera_for("--camera"),
            help="Look through this camera, too: its number (0 = the first), its name, or a URL (rtsp://, http://).",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep what the camera shows, with what is seen in it and where cards are too small.",
        ),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Say whether the machine, and a camera if one is named, will do."""
    findings = [*_machine_checks(), *(_camera_checks(camera, picture) if camera is not None else ())]
    if json:
        print_json({"checks": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            mark = "[green]ok  [/green]" if finding.ok else "[red]poor[/red]"
            out.print(f"{mark} {finding.name}: {shown(finding.figure)}")
            if finding.advice and not finding.ok:
                out.print(f"     {finding.advice}", markup=False)
    return 0 if all(finding.ok for finding in findings) else 1


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(doctor)


def _machine_checks() -> Iterator[Finding]:
    yield _python()
    yield _cores()
    yield from _eye()
    yield _sample()


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding("python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")


def _cores() -> Finding:
    count = os.cpu_count() or 1
    return Finding(
        "processor", count >= 2, f"{count} cores", "two cores are needed to keep up with a live table"
    )


def _eye() -> Iterator[Finding]:
    """The weights can be loaded, and a look is fast enough."""
    eye = service.tools.eyes.look()
    table: Image = np.full((1080, 1920, 3), 90, np.uint8)
    try:
        eye.see(table)
    except Exception as error:  # whatever keeps the weights from loading is what the user has to hear
        yield Finding("weights", False, " ".join(str(error).split()), "install nerts-referee again")
        return
    yield Finding("weights", True, "loaded")
    seconds = _timed(lambda: eye.see(table))
    advice = "recordings will take long: close other programs or use a faster machine"
    yield Finding("eye", seconds <= _LOOK_LIMIT_S, f"{seconds * 1000:.0f} ms a look at 1080p", advice)


def _sample() -> Finding:
    return Finding(
        "sample",
        service.tools.sample.is_file(),
        service.tools.sample.name,
        "install nerts-referee again for the demo",
    )


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _camera_checks(spec: str, picture: Path | None) -> Iterator[Finding]:
    with quiet():  # what is amiss is told below
        try:
            frames = _shown_by(spec)
        except SourceError as error:
            yield Finding("camera", False, str(error))
            return
    if not frames:
        yield Finding("camera", False, f"{spec} gives no picture", "close what else is using it")
        return
    yield Finding("camera", True, f"{len(frames)} pictures in {TAKEN_S:g} s")
    last = frames[-1].image
    layout = service.tools.eyes.look().see(last)
    took = frames[-1].time_s - frames[0].time_s
    fps = (len(frames) - 1) / took if took > 0 else 0.0
    yield from judge_view([frame.image for frame in frames], fps, layout)
    if picture is not None:
        save_image(picture, draw_view(last, layout))


def _shown_by(spec: str) -> list[Frame]:
    """What a camera shows within `TAKEN_S`, of one size; raises SourceError where it cannot be opened."""
    source = open_source(spec)
    frames: list[Frame] = []
    try:
        for frame in source.frames():
            if frames and frame.image.shape != frames[-1].image.shape:
                frames.clear()
            # some pictures are enough to judge light and movement by, and memory is not endless
            frames = [*frames, frame][-MOST_FRAMES:]
            if frame.time_s >= SETTLING_S + TAKEN_S:
                break
    finally:
        source.close()
    return [frame for frame in frames if frame.time_s >= frames[-1].time_s - TAKEN_S]
