"""The commands: help, versions, mistyped ones, what starts them, and what they answer to a broken installation."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pretend import PretendEye
from said import RECORD_LINES, complaint

from referee import service
from referee.commands.program import main, run


@pytest.mark.parametrize(
    "command", ["check", "see", "score", "enrol", "replay", "serve", "demo", "doctor", "version"]
)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert f"nerts-referee {command}" in said
    if command != "serve":
        assert "--json" in said


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["version", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"version"}


def test_numpy_gets_one_thread_before_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, told in ((None, "1"), ("3", "3")):
        # set first: what was not there is taken away again in the end
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given or "")
        if given is None:
            monkeypatch.delenv("OPENBLAS_NUM_THREADS")
        with pytest.raises(SystemExit) as ended:
            main(["version"])
        assert ended.value.code == 0
        assert os.environ["OPENBLAS_NUM_THREADS"] == told
    loaded = "import sys, referee.commands; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0


@pytest.mark.parametrize("command", ["see", "score", "replay", "check", "match"])
def test_a_file_that_may_not_even_be_asked_for_is_named(
    command: str, pretended: PretendEye, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "n" * 300]) == 2
    assert "n" * 300 in complaint(capsys)


def test_a_folder_that_is_closed_to_us_is_named(
    pretended: PretendEye, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = Path.is_dir

    def closed(path: Path) -> bool:
        if path.parts[0] == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(Path, "is_dir", closed)
    assert run(["replay", "hand.mp4", "--out", "closed/hand.jsonl"]) == 2
    said = complaint(capsys)
    assert said == "closed/hand.jsonl cannot be used (Permission denied): check its name and permissions"


def test_a_port_in_use(pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["serve", "--port", str(port), "--recordings", str(tmp_path)]) == 2
    said = complaint(capsys)
    assert f"port {port} on 127.0.0.1 cannot be used" in said
    assert "--port" in said


def test_recordings_in_a_file(pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--port", "0", "--recordings", str(photo)]) == 2
    assert f"{photo} is a file: name a folder" in complaint(capsys)


def test_doctor_names_what_will_not_do(
    pretended: PretendEye, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_weights() -> Any:
        raise service.BrokenInstallError("the weights finder.onnx are missing")

    monkeypatch.setattr(
        service, "tools", replace(service.tools, open_eye=no_weights, sample=tmp_path / "gone.mp4")
    )
    assert run(["doctor", "--json"]) == 1
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["python"]["ok"]
    assert not checks["weights"]["ok"]
    assert "finder.onnx" in checks["weights"]["figure"]
    assert checks["weights"]["advice"]
    assert not checks["sample"]["ok"]


def test_missing_weights_are_a_failure_not_bad_input(
    pretended: PretendEye, photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_weights() -> Any:
        raise service.BrokenInstallError("the weights finder.onnx are missing: install nerts-referee again")

    monkeypatch.setattr(service, "tools", replace(service.tools, open_eye=no_weights))
    assert run(["see", str(photo)]) == 1
    assert "finder.onnx" in complaint(capsys)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["shuffle"], "No such command 'shuffle'"),
        (["see"], "Missing argument 'IMAGE...': see nerts-referee see --help"),
        (["check", "--colour", "x"], "--colour"),
        (["serve", "--port", "99999"], "--port 99999: give a number from 0 to 65535"),
    ],
)
def test_a_mistyped_command_line_is_one_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert says in complaint(capsys)


def test_as_a_program(tmp_path: Path) -> None:
    """Through a real process: the exit status, one line, no traceback, and an end when nobody reads on."""
    program = [sys.executable, "-m", "referee.commands"]
    done = subprocess.run([*program, "check", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"nerts-referee: {tmp_path} is a folder: name the record in it\n"
    record = tmp_path / "long.jsonl"
    record.write_bytes(b"".join([*RECORD_LINES, b'{"event": "note", "at": 3}\n' * 20_000]))
    piped = subprocess.Popen(
        [*program, "check", "--json", str(record)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert piped.stdout is not None and piped.stderr is not None
    assert piped.stdout.readline() == RECORD_LINES[0]
    piped.stdout.close()
    assert piped.stderr.read() == b""
    assert piped.wait(60) == 1
