"""Numbers that people type: plain digits, a minus before them where that has a sense, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pretend import PretendEye
from said import complaint

from referee.commands import serve
from referee.commands.program import run
from referee.commands.watch import Page

#: What Python reads as a number and no player writes: 10, 10, 5, 10, 10, 1000, not a number, without end.
ODD = ["1_0", "١٠", "+5", "1٠", "１０", "1e3", "nan", "inf", "0x1", "1 0", "9" * 5000]


@pytest.fixture
def book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    path = str(tmp_path / "evening.json")
    assert run(["match", path, "--seats", "anna,ben"]) == 0
    capsys.readouterr()
    return path


def refused(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """The one line about a number that is none; nothing else is said or done."""
    assert run(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    return said.err


@pytest.mark.parametrize("hand", ["anna={}", "anna={}/3", "anna=31/{}", "anna=31/0/{}"])
@pytest.mark.parametrize("odd", ODD)
def test_points_and_cards_of_a_hand(
    hand: str, odd: str, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Path(book).read_text()
    typed = hand.format(odd)
    assert "is no score: north=15 by points" in refused(capsys, ["match", book, typed, "ben=2/3"])
    assert Path(book).read_text() == kept


@pytest.mark.parametrize("odd", [*ODD, "10.0", "-0x1"])
def test_a_setting_of_the_house(odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "evening.json"
    said = refused(capsys, ["match", str(path), "--seats", "anna,ben", "--set", f"target={odd}"])
    assert "setting 'target' cannot be" in said
    assert not path.exists()


@pytest.mark.parametrize("odd", [*ODD, "1e-1", "-0.5"])
def test_a_setting_that_is_a_share(odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = ["match", str(tmp_path / "evening.json"), "--seats", "anna,ben"]
    assert "setting 'call_threshold' cannot be" in refused(capsys, [*start, "--set", f"call_threshold={odd}"])
    assert run([*start, "--set", "call_threshold=0.5"]) == 0


@pytest.mark.parametrize("odd", [*ODD, "-1", "4.0"])
def test_cards_left(odd: str, pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, ["score", str(photo), "--left", f"red={odd}"])
    assert f"--left red={odd[:40]}" in said


@pytest.mark.parametrize("odd", [*ODD, "-3", ""])
def test_the_second_of_a_call(
    odd: str, pretended: PretendEye, hand_video: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, ["replay", str(hand_video), "--call", f"north@{odd}"])
    assert "has no time: write it like --call north@61.5" in said


@pytest.mark.parametrize("odd", ODD)
def test_a_rectangle_on_the_table(
    odd: str, pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corners = [arg for corner in ("80,60", "1830,70", "1850,1010", "70,1000") for arg in ("--table", corner)]
    see = ["see", str(photo)]
    assert "is not two numbers" in refused(capsys, [*see, *corners, "--table-size", f"{odd},700"])
    corners[1] = f"80,{odd}"
    assert "is not two numbers" in refused(capsys, [*see, *corners, "--table-size", "1200,700"])


@pytest.mark.parametrize("odd", [*ODD, "-30", "0"])
def test_the_size_of_printed_markers(
    odd: str, pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--marker-size" in refused(capsys, ["see", str(photo), "--marker-size", odd])
    sheet = tmp_path / "sheet.png"
    assert "--size" in refused(capsys, ["markers", "--out", str(sheet), "--size", odd])
    assert not sheet.exists()


@pytest.mark.parametrize("odd", [*ODD, "-1", "65536", "80.0"])
@pytest.mark.parametrize("command", [["serve"], ["demo", "--serve"]])
def test_a_port(
    command: list[str], odd: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    served: list[Any] = []
    monkeypatch.setattr(serve, "run_server", lambda *given, **more: served.append(given))

    def as_live(sample: Any, told: Any, folder: Any, page: Page, *, json: bool) -> int:
        served.append((page.host, page.port))
        return 0

    monkeypatch.setattr("referee.commands.demo._as_live", as_live)
    assert "--port" in refused(capsys, [*command, "--port", odd])
    assert not served
    assert run([*command, "--port", "0"]) == 0
    assert served[0][1] == 0


@pytest.mark.parametrize("odd", [*ODD, "-1"])
def test_the_number_of_a_camera(odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr("referee.commands.doctor._machine_checks", list)
    monkeypatch.setattr("referee.commands.doctor._camera_checks", lambda spec, _: looked.append(spec) or [])
    assert run(["doctor", "--camera", odd]) == 2
    assert not looked
    assert run(["doctor", "--camera", "1"]) == 0
    assert looked == ["1"]


def test_plain_numbers_are_read(
    book: str, pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, "anna=-10", "ben=007", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["totals"] == {"anna": -10, "ben": 7}
    assert run(["score", str(photo), "--left", "red=04", "--json"]) == 0
    assert {"back": "red", "left": 4}.items() <= json.loads(capsys.readouterr().out)["decks"][0].items()


def test_a_number_too_long_to_show_is_cut(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["match", book, f"anna={'9' * 5000}", "ben=1"]) == 2
    assert len(complaint(capsys)) < 300
