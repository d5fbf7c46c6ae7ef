"""Figures on certified counts: what is certified, from how many photos, and what is exact of that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts.calibrate.counts import Counted, Deck
from scripts.measure.eyes import certified
from scripts.measure.eyes.certified import Certified, LayRecord
from scripts.measure.eyes.records import CardRecord, PictureRecord
from scripts.measure.eyes.report import Report, Seen
from scripts.measure.eyes.shares import Share


def count(sure: bool, exact: bool = True, photos: str = "one") -> Counted:
    return Counted("few", photos, [Deck(np.zeros(1), int(not exact), "sure" if sure else "asked")], exact)


def test_shares_are_of_photos_and_of_what_is_certified() -> None:
    settled = LayRecord("few", [count(False), count(True)], count(True), count(True), count(True))
    wrong = LayRecord(
        "few", [count(False, False), count(False)], count(True, False), count(False), count(False)
    )
    printed = LayRecord("printed", [count(False), count(False)], count(False), count(True), count(False))
    rows = Certified([settled, wrong, printed]).rows()
    told = {f"{number} {point}": measured for number, (point, _, measured) in enumerate(rows)}
    shares = [measured for measured in told.values() if isinstance(measured, Share)]
    assert shares[:3] == [Share(1, 4), Share(2, 2), Share(1, 2)]
    assert shares[3] == Share(1, 2)
    assert shares[4:8] == [Share(0, 2), Share(0, 1), Share(1, 1), Share(0, 1)]
    assert shares[8] == Share(4, 5)


def test_an_empty_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certified.main([str(tmp_path)]) == 2
    assert "holds no lays" in capsys.readouterr().err


def test_the_page_tells_what_is_asked_of_printed_backs_and_of_certified_counts() -> None:
    back = CardRecord(0, "drawn", 2.0, "AS", False, 0.3, True, False, found=True)
    missed = CardRecord(0, "drawn", 2.0, "2S", False, 0.3, True, False, found=False)
    picture = PictureRecord(0, 2.0, 1.0, false=[0.01])
    report = Report("here", {"printed": Seen([picture], [back, back, back, missed])})
    report.certified = Certified(
        [LayRecord("few", [count(True), count(False)], count(True), count(True), count(True))]
    )
    page = report.page()
    assert "as printers print them: recall | >= 0.96 | 0.750" in page
    assert "| ... precision | >= 0.985 | 0.750" in page
    assert "certified: from one photo | >= 0.30 | 0.500" in page
    assert "| exact among certified | >= 0.98 | 1.000" in page
