"""`nerts-referee doctor`: says whether machine and camera will do."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
import typer

from referee import service
from referee.commands.console import JsonOption, out, print_json, shown, whole_number_for
from vision.capture.frames import Image
from vision.capture.quiet import quiet

#: A look at a whole 1080p picture may take this long (s) for a recording to be refereed in reasonable time.
_LOOK_LIMIT_S = 2.0
_LEAST_HEIGHT = 720
_LEAST_FPS = 24.0
#: Mean brightness (0 to 255) between which a table is neither too dark nor burnt out.
_LIGHT = (50.0, 215.0)


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was measured, and what to do if it will not do."""

    name: str
    ok: bool
    figure: str
    advice: str = ""


def doctor(
    camera: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole_number_for("--camera", 0, 99, 0),
            help="Look through this camera, too (0 = the first).",
        ),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Say whether the machine, and a camera if one is named, will do."""
    findings = [*_machine_checks(), *(_camera_checks(camera) if camera is not None else ())]
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


def _camera_checks(number: int) -> Iterator[Finding]:
    with quiet():  # what is amiss is told below
        taken = _shown_by(number)
    if taken is None:
        figure = (
            f"camera {number} is not there, or may not be opened: plug it in, or name another with --camera"
        )
        yield Finding("camera", False, figure)
        return
    frames, fps = taken
    if not frames:
        yield Finding("camera", False, f"camera {number} gives no picture", "close what else is using it")
        return
    height, width = frames[-1].shape[:2]
    yield Finding("camera", True, f"camera {number} gives pictures")
    yield Finding(
        "resolution", height >= _LEAST_HEIGHT, f"{width}x{height}", "choose 1920x1080 in its settings"
    )
    yield Finding(
        "frame rate", fps >= _LEAST_FPS, f"{fps:.0f} fps", "choose 30 fps or more; more light helps"
    )
    light = float(frames[-1].mean())
    yield Finding(
        "light",
        _LIGHT[0] <= light <= _LIGHT[1],
        f"{light / 2.55:.0f} %",
        "light the table evenly, without glare",
    )


def _shown_by(number: int) -> tuple[list[Image], float] | None:
    """Some pictures of a camera and how many a second it gives; None where it cannot be opened."""
    import cv2

    camera = cv2.VideoCapture(number)
    try:
        if not camera.isOpened():
            return None
        frames = [np.asarray(frame, np.uint8) for done, frame in (camera.read() for _ in range(30)) if done]
        return frames, float(camera.get(cv2.CAP_PROP_FPS))
    finally:
        camera.release()
