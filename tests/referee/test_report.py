"""The report: one file, a strip for every play, cut to where something happened."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest
from pretend import RECORD

from referee.record.account import Entry, give_account
from referee.report import strip_of, write_report
from vision.capture.filmstrip import Strip, changed_box, film
from vision.capture.frames import decode_image


def entry(starts: float, at: float) -> Entry:
    return Entry(1, at, starts, "play", "north", "A♥  a → b")


def test_a_strip_begins_before_the_card_is_lifted_and_ends_when_the_hand_has_gone() -> None:
    assert strip_of(entry(4.0, 5.0)).moments == (3.75, 4.5, 5.0, 5.5)
    assert strip_of(entry(5.0, 5.0)).moments == (4.05, 4.65, 5.0, 5.5)
    assert strip_of(entry(0.1, 0.1)).moments[0] == 0


def test_a_strip_shows_its_moments(hand_video: Path) -> None:
    """A white card 40 px wide crosses the table by 40 px a second."""
    (pictures,) = film(hand_video, [Strip((0.0, 5.0))], quality=95)
    first, last = (decode_image(picture, "strip") for picture in pictures)
    assert first.shape == last.shape
    assert white_share(first, 0.0, 0.45) > 5 * white_share(last, 0.0, 0.45)
    assert white_share(last, 0.55, 1.0) > 5 * white_share(first, 0.55, 1.0)


def white_share(picture: np.ndarray, left: float, right: float) -> float:
    width = picture.shape[1]
    part = picture[:, int(left * width) : int(right * width)]
    return float((part.min(axis=2) > 180).mean()) + 1e-3


@pytest.mark.parametrize("x", [100, 1500])
def test_a_strip_is_cut_to_what_changed(x: int) -> None:
    before = np.full((1080, 1920, 3), 80, np.uint8)
    after = before.copy()
    after[500:590, x : x + 65] = 240
    left, top, width, height = changed_box(before, after)
    assert 0 <= left <= x < x + 65 <= left + width <= 1920
    assert 0 <= top <= 500 < 590 <= top + height <= 1080
    assert width < 1920 / 2


def test_nothing_changed_shows_the_whole_table() -> None:
    table = np.full((90, 160, 3), 80, np.uint8)
    assert changed_box(table, table) == (0, 0, 160, 90)


def test_the_report_is_one_file(hand_video: Path, tmp_path: Path) -> None:
    path = write_report(tmp_path / "new" / "report.html", hand_video, give_account(RECORD), "Friday <3")
    html = path.read_text("utf-8")
    pictures = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', html)
    assert len(pictures) == 4 * 2
    assert all(decode_image(b64decode(picture), "strip").shape[1] >= 200 for picture in pictures)
    assert not re.search(r'(src|href)="(?!data:|#)', html)
    assert "Friday &lt;3" in html
    assert '<li id="e2" class="illegal">' in html
    assert "illegal · N9" in html
    assert re.search(r'<td class="points">1</td>\s*<td>-26</td>', html)


def test_a_report_of_a_hand_without_plays(hand_video: Path, tmp_path: Path) -> None:
    html = write_report(tmp_path / "r.html", hand_video, give_account(RECORD[:1]), "Empty").read_text("utf-8")
    assert "0 plays" in html


def test_plays_that_were_put_in_have_a_strip_each(hand_video: Path, tmp_path: Path) -> None:
    """One correction puts in two plays: they share its index, not their pictures."""
    missed = [
        {"event": "play", "at": at, "seat": "north", "cards": [card], "from": "waste", "to": "foundation 1"}
        for at, card in ((2.5, "2H"), (4.0, "3H"))
    ]
    record = [*RECORD, {"event": "correct", "at": 9, "of": 3, "insert": missed}]
    html = write_report(tmp_path / "r.html", hand_video, give_account(record), "Mended").read_text("utf-8")
    shown = re.findall(r'<li id="(e\d+)".*?</li>', html, re.S)
    assert len(shown) == len(set(shown)) == 4
    strips = re.findall(r'<div class="strip">(.*?)</div>', html, re.S)
    assert len(set(strips)) == 4
