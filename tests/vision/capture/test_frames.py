"""Photos and recordings come in whole, upright and on time, or with one line that says what to do."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from vision.capture.frames import CutOffError, PictureError, VideoError, decode_image, load_image, save_image
from vision.capture.headers import is_whole, picture_size
from vision.capture.video import Video

RED, GREEN = (0, 0, 255), (0, 255, 0)


def red_left_green_right(width: int = 80, height: int = 40) -> np.ndarray:
    image = np.empty((height, width, 3), np.uint8)
    image[:, : width // 2] = RED
    image[:, width // 2 :] = GREEN
    return image


def encoded(ending: str, image: np.ndarray | None = None) -> bytes:
    done, data = cv2.imencode(ending, red_left_green_right() if image is None else image)
    assert done
    return bytes(data.tobytes())


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    """The same JPEG with an EXIF block that holds the orientation alone."""
    tiff = (
        b"II*\0" + struct.pack("<IH", 8, 1) + struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0) + bytes(4)
    )
    exif = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


def huge_png(width: int, height: int) -> bytes:
    """A valid PNG header for a picture of that size, with almost no data behind it."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def write_video(path: Path, frames: int = 30, fps: int = 10, **options: str) -> Path:
    """A grey ramp: frame i has the value 8 i, so that a frame can be told by its brightness."""
    with av.open(str(path), "w", options=options) as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for index in range(frames):
            picture = av.VideoFrame.from_ndarray(
                np.full((48, 64, 3), index % 30 * 8, np.uint8), format="bgr24"
            )
            picture.pts, picture.time_base = index, Fraction(1, fps)
            out.mux(stream.encode(picture))
        out.mux(stream.encode())
    return path


@pytest.mark.parametrize("ending", [".jpg", ".png", ".webp", ".bmp"])
def test_size_is_read_from_the_header(ending: str) -> None:
    data = encoded(ending, red_left_green_right(123, 57))
    assert picture_size(data) == (123, 57)
    assert is_whole(data)
    assert decode_image(data, "photo").shape == (57, 123, 3)


@pytest.mark.parametrize("ending", [".jpg", ".png", ".webp", ".bmp"])
def test_a_cut_off_picture_is_refused(ending: str) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (200, 200, 3), np.uint8)
    data = encoded(ending, noise)
    with pytest.raises(PictureError, match=r"shot\.x is cut off: copy or take it again"):
        decode_image(data[: len(data) * 2 // 3], "shot.x")


@pytest.mark.parametrize(
    ("orientation", "top_left", "bottom_left"),
    [(1, RED, RED), (3, GREEN, GREEN), (6, RED, GREEN), (8, GREEN, RED)],
)
def test_exif_orientation_is_applied(
    tmp_path: Path, orientation: int, top_left: tuple[int, ...], bottom_left: tuple[int, ...]
) -> None:
    path = tmp_path / "phone.jpg"
    path.write_bytes(with_orientation(encoded(".jpg"), orientation))
    image = load_image(path)
    assert image.shape[:2] == ((40, 80) if orientation in (1, 3) else (80, 40))
    for pixel, colour in ((image[3, 3], top_left), (image[-4, 3], bottom_left)):
        assert np.abs(pixel.astype(int) - colour).max() < 40


def test_a_picture_of_200_megapixels_is_refused_without_decoding() -> None:
    with pytest.raises(PictureError, match=r"big\.png has 200 megapixels, more than 100: save it smaller"):
        decode_image(huge_png(20_000, 10_000), "big.png")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"The seven of hearts, honest.", "is not a picture that can be read: give a JPEG"),
        (b"\xff\xd8\xff", "is not a picture"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is not a picture"),
        (b"GIF89a" + bytes(40), "give a JPEG, HEIC, PNG"),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(content)
    with pytest.raises(PictureError, match=says) as caught:
        load_image(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_damaged_picture_is_refused_and_the_decoder_does_not_speak(
    capfd: pytest.CaptureFixture[str],
) -> None:
    data = bytearray(encoded(".png"))
    data[45:60] = bytes(15)
    with pytest.raises(PictureError, match="is damaged"):
        decode_image(bytes(data), "photo.png")
    assert capfd.readouterr() == ("", "")


def test_a_folder_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="is a folder: name a picture in it"):
        load_image(tmp_path)
    with pytest.raises(PictureError, match="does not exist: check the name"):
        load_image(tmp_path / "none.jpg")
    with pytest.raises(VideoError, match="is a folder: name a video in it"):
        Video(tmp_path)


def test_save_and_load_agree(tmp_path: Path) -> None:
    image = red_left_green_right()
    save_image(tmp_path / "new" / "copy.png", image)
    assert np.array_equal(load_image(tmp_path / "new" / "copy.png"), image)
    with pytest.raises(PictureError, match=r"end in \.png or \.jpg"):
        save_image(tmp_path / "copy.doc", image)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_picture_that_cannot_be_written_to_its_end_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "copy.png"
    save_image(target, red_left_green_right())
    before = target.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(PictureError, match=r"copy\.png cannot be written \(No space left"):
        save_image(target, red_left_green_right(40, 40))
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_picture_that_fails_while_it_is_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_image(tmp_path / "card.png", red_left_green_right())

    def broken(path: Path) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", broken)
    with pytest.raises(PictureError, match=r"card\.png cannot be read \(Input/output error\)"):
        load_image(tmp_path / "card.png")


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "null.png").symlink_to(os.devnull)
    save_image(tmp_path / "null.png", red_left_green_right())
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize("ending", [".mp4", ".mkv"])
def test_frames_come_in_order_with_their_times(tmp_path: Path, ending: str) -> None:
    with Video(write_video(tmp_path / f"ramp{ending}")) as video:
        assert (video.width, video.height, video.fps) == (64, 48, 10)
        assert video.duration_s == pytest.approx(3, abs=0.11)
        frames = list(video)
    assert [frame.index for frame in frames] == list(range(30))
    assert [frame.time_s for frame in frames] == pytest.approx([i / 10 for i in range(30)], abs=0.002)
    for frame in frames:
        assert frame.image.shape == (48, 64, 3)
        assert abs(int(frame.image.mean()) - frame.index * 8) <= 5


def test_a_recording_in_slow_light_keeps_its_uneven_times(tmp_path: Path) -> None:
    moments = [0, 1, 2, 7, 8, 20]
    path = tmp_path / "uneven.mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for moment in moments:
            picture = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 90, np.uint8), format="bgr24")
            picture.pts, picture.time_base = moment, Fraction(1, 30)
            out.mux(stream.encode(picture))
        out.mux(stream.encode())
    with Video(path) as video:
        assert [round(frame.time_s * 30) for frame in video] == moments


@pytest.mark.parametrize("ending", [".mp4", ".mkv"])
def test_a_cut_off_video_gives_its_frames_then_says_so(tmp_path: Path, ending: str) -> None:
    """An index at the start (fast start) or a Matroska file: what lies before the cut can be read."""
    options = {"movflags": "faststart"} if ending == ".mp4" else {}
    path = write_video(tmp_path / f"whole{ending}", frames=60, **options)
    cut = tmp_path / f"cut{ending}"
    data = path.read_bytes()
    cut.write_bytes(data[: len(data) * 3 // 4])
    seen: list[float] = []
    with Video(cut) as video, pytest.raises(CutOffError, match=r"is cut off at \d\.\d s of 6\.0 s"):
        seen.extend(frame.time_s for frame in video)
    assert 5 < len(seen) < 55
    assert seen == sorted(seen)


def test_a_video_without_its_index_is_refused(tmp_path: Path) -> None:
    path = write_video(tmp_path / "hand.mp4")
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(VideoError, match=r"hand\.mp4 is not a video, or is cut off"):
        Video(path)


def test_other_files_are_no_videos(tmp_path: Path) -> None:
    text, empty, photo = tmp_path / "a.mp4", tmp_path / "b.mp4", tmp_path / "c.jpg"
    text.write_text("not a video at all")
    empty.touch()
    photo.write_bytes(encoded(".jpg"))
    for path, says in ((text, "is not a video"), (empty, "is empty"), (photo, "is a picture, not a video")):
        with pytest.raises(VideoError, match=says):
            Video(path)


def test_single_frames_can_be_asked_for(tmp_path: Path) -> None:
    path = write_video(tmp_path / "ramp.mp4")
    with Video(path) as video:
        asked = list(video.at([0.0, 0.45, 0.5, 2.0, 99.0]))
    assert [moment for moment, _ in asked] == [0.0, 0.45, 0.5, 2.0, 99.0]
    assert [round(float(image.mean()) / 8) for _, image in asked] == [0, 5, 5, 20, 29]


def test_a_picture_can_be_written_into_a_pipe(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from vision.capture.frames import save_image; import numpy as np\n"
            "save_image('/dev/stdout', np.full((40, 80, 3), 7, np.uint8))",
        ],
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert decode_image(done.stdout, "the pipe").shape == (40, 80, 3)
