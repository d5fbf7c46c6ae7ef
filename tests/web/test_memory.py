"""What many large photos at once cost: one is in memory at a time, and none is kept."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import numpy as np
import pytest

TESTS = Path(__file__).resolve().parent.parent
#: A photo as BMP: (height, width), MB in the file and decoded alike, and how many come at once.
SIZE, PHOTO_MB, PHOTOS = (3000, 4000), 36, 12
#: The page with a pretended eye that takes its time, on a port that it prints.
SERVER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import uvicorn
from pretend import PretendEye, pretend_tools
from referee.commands.serve import listen
from referee.web import create_app

class SlowEye(PretendEye):
    def see(self, image):
        time.sleep(0.2)
        return super().see(image)

listener = listen("127.0.0.1", 0)
print(listener.getsockname()[1], flush=True)
app = create_app(pretend_tools(SlowEye(), Path("none.mp4")), Path(sys.argv[2]))
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Its address and its process."""
    command = [sys.executable, "-c", textwrap.dedent(SERVER), str(TESTS), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=TESTS.parent) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}", process.pid
        process.terminate()


def most_mb(pid: int) -> float:
    """The most memory that a process has had, MB."""
    (line,) = [
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")
    ]
    return int(line.split()[1]) / 1000


def bitmap(shade: int) -> Iterator[bytes]:
    """A form with a BMP of its own, made as it is sent."""
    height, width = SIZE
    head = b"BM" + np.array([54 + 3 * height * width, 0, 54, 40, width, height], "<i4").tobytes()
    head += np.array([1, 24], "<i2").tobytes() + np.zeros(6, "<i4").tobytes()
    yield b'--b\r\nContent-Disposition: form-data; name="photos"; filename="a.bmp"\r\n\r\n' + head
    for _ in range(height):
        yield bytes([shade]) * (3 * width)
    yield b"\r\n--b--\r\n"


def test_of_many_large_photos_one_is_in_memory_at_a_time(server: tuple[str, int]) -> None:
    address, pid = server

    def send(shade: int) -> int:
        headers = {"Content-Type": "multipart/form-data; boundary=b"}
        return httpx2.post(
            f"{address}/api/photos", content=bitmap(shade), headers=headers, timeout=120
        ).status_code

    assert send(0) == 200
    with_one = most_mb(pid)
    with ThreadPoolExecutor(PHOTOS) as people:
        assert set(people.map(send, range(1, PHOTOS + 1))) == {200}
    assert most_mb(pid) - with_one < 2 * PHOTO_MB
