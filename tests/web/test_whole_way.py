"""The whole way with the real eye and umpire: the demo from its pixels against its truth, and what the page shows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from serving import serve

from referee.record.account import give_account
from referee.record.check import check_lines
from referee.service import SAMPLE, tools
from scripts.measure.replays import ReplayFigures, score_replay
from vision.capture.frames import save_image
from vision.capture.video import Video
from vision.trained import weights_path


@dataclass(frozen=True)
class Demo:
    """What `nerts-referee demo --json` printed and left."""

    record: list[dict[str, Any]]
    folder: Path


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The sample refereed once, in a process of its own."""
    try:
        for name in (
            "finder.onnx",
            "spreads.onnx",
            "placer.onnx",
            "reader.onnx",
            "rows.onnx",
            "designs.onnx",
            "backs.onnx",
            "verifier.onnx",
            "sifter.onnx",
        ):
            weights_path(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "referee.commands", "demo", "--json", "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stderr
    return Demo([json.loads(line) for line in done.stdout.splitlines()], folder)


@pytest.fixture(scope="session")
def figures(demo: Demo) -> ReplayFigures:
    """The demo's record held against the truth."""
    lines = SAMPLE.with_name("hand.truth.jsonl").read_bytes().splitlines(keepends=True)
    truth = check_lines(lines)
    assert truth.status == 0
    return score_replay(demo.record, [json.loads(line) for line in truth.output])


def test_the_plays_of_the_sample(figures: ReplayFigures) -> None:
    assert figures.plays.true >= 20
    assert figures.plays.share >= 0.95, f"{figures}\n{figures.faults}"


def test_the_planted_illegal_play_and_no_other(figures: ReplayFigures, demo: Demo) -> None:
    assert (figures.illegal_found, figures.illegal_true, figures.false_illegal) == (1, 1, 0)
    (ruling,) = (line for line in demo.record if line.get("verdict") == "illegal")
    assert ruling["rule"] == "N5"


def test_the_score_of_the_sample(figures: ReplayFigures) -> None:
    assert figures.score_equal


def test_the_report_shows_every_play(demo: Demo) -> None:
    report = (demo.folder / "report.html").read_text("utf-8")
    plays = len(give_account(demo.record).plays)
    assert report.count('<li id="e') >= plays
    assert report.count("data:image/jpeg;base64,") >= 4 * plays


@pytest.fixture
def whole_address(demo: Demo, tmp_path: Path) -> Iterator[str]:
    """The page with the real eye, and the record that the real umpire gave for the sample."""
    yield from serve(replace(tools, replay=lambda *_, **__: demo.record), tmp_path / "recordings")


def test_the_page_shows_the_plays_of_the_sample(page: Page, whole_address: str, demo: Demo) -> None:
    page.goto(f"{whole_address}/#recording/sample")
    illegal = page.locator("#plays li.illegal")
    expect(illegal).to_have_count(1, timeout=30_000)
    expect(illegal).to_contain_text("illegal · N5")
    plays = len(give_account(demo.record).plays)
    expect(page.locator("#plays-count")).to_have_text(f"{plays} plays, 1 illegal")
    illegal.get_by_role("button").click()
    at = float(illegal.get_by_role("button").get_attribute("data-at") or "nan")
    assert at - 1 < float(page.evaluate("document.getElementById('video').currentTime")) <= at


def test_the_page_sees_the_cards_of_a_photo(page: Page, whole_address: str, tmp_path: Path) -> None:
    """The table at the deal: two players with five face-up piles and a stock each."""
    with Video(SAMPLE) as video:
        ((_, frame),) = video.at([0.5])
    save_image(tmp_path / "deal.png", frame)
    page.goto(whole_address)
    page.set_input_files("#photo-files", tmp_path / "deal.png")
    expect(page.locator("#photo-pictures polygon.face")).to_have_count(10, timeout=60_000)
    expect(page.locator("#photo-pictures polygon.back")).to_have_count(2)
    expect(page.locator("#photo-foundations li")).to_have_count(12)
