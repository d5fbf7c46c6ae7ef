"""Files of strangers are opened apart: what breaks, hangs or takes too much there is one sentence here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import breaking
import numpy as np
import pytest
from PIL import Image as Pillow

from vision.capture.apart import opening
from vision.capture.apart.beside import ApartError, BrokeDownError, TookTooLongError, WorkFailedError
from vision.capture.apart.limits import Limits
from vision.capture.apart.opening import must_be_film, open_photo
from vision.capture.apart.process import Apart, Work
from vision.capture.frames import PictureError, VideoError, decode_image, encode_jpeg

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    opened = Apart()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def strict() -> Iterator[Apart]:
    """One with narrow limits."""
    opened = Apart(Limits(memory_mb=150, cpu_s=1, wall_s=4))
    yield opened
    opened.close()


def photo(width: int = 123, height: int = 57) -> bytes:
    rows = np.random.default_rng(5).integers(0, 255, (height, width, 3), np.uint8)
    return encode_jpeg(rows)


def png(width: int, height: int) -> bytes:
    """A PNG that is all black: of many megapixels in few bytes."""
    file = BytesIO()
    Pillow.new("1", (width, height)).save(file, "PNG")
    return file.getvalue()


def test_a_photo_is_the_same_as_when_it_is_decoded_here(apart: Apart) -> None:
    data = photo()
    image = open_photo(apart, data, "a.jpg")
    assert np.array_equal(image, decode_image(data, "a.jpg"))
    image[0, 0] = 0  # it can be drawn on


@pytest.mark.parametrize("data", [b"", b"hello", photo()[:-300], png(20_000, 10_000)], ids=len)
def test_what_is_no_photo_is_told_as_it_is_here(apart: Apart, data: bytes) -> None:
    with pytest.raises(PictureError) as here:
        decode_image(data, "notes.jpg")
    with pytest.raises(PictureError) as there:
        open_photo(apart, data, "notes.jpg")
    assert str(there.value) == str(here.value)


def test_the_process_is_kept(apart: Apart) -> None:
    numbers = {apart.do(breaking.echo).told["process"] for _ in range(5)}
    assert len(numbers) == 1
    assert numbers != {os.getpid()}


def test_data_of_any_size_comes_whole(apart: Apart) -> None:
    for size in (0, 1, 65_536, 3_000_001):
        assert np.array_equal(apart.do(breaking.counted, size).data, np.arange(size, dtype=np.uint8))


@pytest.mark.parametrize("work", [breaking.leave, breaking.crash])
def test_one_that_breaks_down_is_replaced(apart: Apart, work: Work) -> None:
    with pytest.raises(BrokeDownError):
        apart.do(work)
    assert apart.do(breaking.echo, 1).told["given"] == [1]


def test_one_that_is_killed_between_two_photos_is_replaced(apart: Apart) -> None:
    before = apart.do(breaking.echo).told["process"]
    os.kill(before, signal.SIGKILL)
    time.sleep(0.3)
    assert apart.do(breaking.echo).told["process"] != before


@pytest.mark.parametrize("work", [breaking.hang, breaking.spin])
def test_one_that_takes_too_long_is_ended(strict: Apart, work: Work) -> None:
    began = time.monotonic()
    with pytest.raises(TookTooLongError):
        strict.do(work)
    assert time.monotonic() - began < 12
    assert strict.do(breaking.echo, 2).told["given"] == [2]


def test_computing_counts_for_each_piece_of_work_anew(strict: Apart) -> None:
    """What was computed before does not make the next piece of work too long."""
    began = strict.do(breaking.echo).told["process"]
    for _ in range(4):
        strict.do(breaking.sleep, 0.1)
        assert strict.do(breaking.take, 60).told["sum"] > 0
    assert strict.do(breaking.echo).told["process"] == began


def test_a_fault_is_told_and_the_process_kept(apart: Apart) -> None:
    before = apart.do(breaking.echo).told["process"]
    with pytest.raises(WorkFailedError, match="on purpose"):
        apart.do(breaking.fail)
    assert apart.do(breaking.echo).told["process"] == before


def test_no_more_is_listened_to_than_a_sentence(apart: Apart) -> None:
    with pytest.raises(ApartError):
        apart.do(breaking.tell_much)
    assert apart.do(breaking.echo, 3).told["given"] == [3]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="nothing tells here what a process takes")
def test_memory_is_bound(strict: Apart) -> None:
    assert strict.do(breaking.take, 100).told["sum"] > 0
    with pytest.raises(WorkFailedError, match="MemoryError"):
        strict.do(breaking.take, 400)


@pytest.mark.skipif(sys.platform == "win32", reason="this system binds no process")
def test_nothing_is_written(strict: Apart, tmp_path: Path) -> None:
    with pytest.raises(WorkFailedError, match="OSError"):
        strict.do(breaking.write, str(tmp_path / "left"))
    assert not (tmp_path / "left").read_bytes()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="nothing tells here what a process takes")
@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_a_photo_that_needs_too_much_memory_is_refused_and_the_next_is_not(strict: Apart, kind: str) -> None:
    if kind == "PNG":
        bomb = png(9_000, 9_000)
    else:
        file = BytesIO()
        Pillow.new("RGBA", (5_000, 4_000)).save(file, kind, compression="tiff_deflate")
        bomb = file.getvalue()
    assert len(bomb) < 200_000
    before = strict.do(breaking.echo).told["process"]
    with pytest.raises(PictureError, match=r"bomb\.x.* needs more memory than there is: save it smaller"):
        open_photo(strict, bomb, "bomb.x")
    assert open_photo(strict, photo(), "a.jpg").shape == (57, 123, 3)
    assert strict.do(breaking.echo).told["process"] == before


def test_the_largest_photo_that_is_taken_fits_the_limits() -> None:
    """A photo of 100 megapixels, as the largest phones take, in the memory that is allowed."""
    with_usual = Apart()
    assert open_photo(with_usual, png(11_500, 8_600), "large.png").shape == (8_600, 11_500, 3)
    with_usual.close()


def test_ten_at_once_are_all_opened(apart: Apart) -> None:
    photos = [photo(40 + number, 30) for number in range(10)]
    with ThreadPoolExecutor(10) as people:
        opened = list(people.map(lambda data: open_photo(apart, data, "a.jpg"), photos))
    assert [image.shape[1] for image in opened] == list(range(40, 50))


def test_of_ten_at_once_those_that_break_it_spoil_no_other(apart: Apart) -> None:
    def ask(number: int) -> object:
        try:
            work = breaking.crash if number % 3 == 0 else breaking.echo
            return apart.do(work, number).told["given"]
        except BrokeDownError:
            return "broke"

    with ThreadPoolExecutor(10) as people:
        told = list(people.map(ask, range(10)))
    assert told == ["broke" if number % 3 == 0 else [number] for number in range(10)]


@pytest.mark.parametrize("work", ["echo", "hang"])
def test_it_does_not_outlive_the_program(work: str) -> None:
    """However the program ends, and whatever its process is at."""
    program = (
        "import sys; sys.path.append(sys.argv[1])\n"
        "import breaking\nfrom vision.capture.apart.process import Apart\n"
        "from vision.capture.apart.limits import Limits\n"
        "apart = Apart(); print(apart.do(breaking.echo).told['process'], flush=True)\n"
        f"apart.do(breaking.{work}, limits=Limits(wall_s=1)); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(ROOT / "tests" / "vision")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        beside = int(process.stdout.readline())
        time.sleep(0.5)
        process.kill()
    until = time.monotonic() + 20
    while Path(f"/proc/{beside}").exists() and "Z" not in _state(beside) and time.monotonic() < until:
        time.sleep(0.1)
    assert time.monotonic() < until


def _state(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


# Sentences


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (breaking.crash, "cannot be opened, as it breaks the program that decodes it"),
        (breaking.hang, "takes too long to open"),
        (breaking.fail, "cannot be opened, as it breaks the program that decodes it"),
    ],
)
def test_what_goes_wrong_is_one_sentence_with_a_remedy(
    strict: Apart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Work, says: str
) -> None:
    monkeypatch.setattr(opening, "_photo", work)
    monkeypatch.setattr(opening, "_film", work)
    with pytest.raises(PictureError) as of_photo:
        open_photo(strict, photo(), "IMG_1.jpg")
    assert str(of_photo.value) == (
        f"IMG_1.jpg {says}: save it as JPEG, or smaller (12 megapixels are plenty)"
    )
    with pytest.raises(VideoError) as of_film:
        must_be_film(strict, tmp_path / "video.mp4", "IMG_2.mov")
    assert str(of_film.value) == f"IMG_2.mov {says}: record or copy it again"
