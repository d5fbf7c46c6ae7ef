"""What phones and scanners write besides JPEG is read: upright, in 8 bits, on white, the first picture of several."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pillow_heif
import pytest
from PIL import Image as Pillow
from PIL import ImageCms

from vision.capture.frames import PictureError, as_jpeg, decode_image, load_image

#: Pillow warns of damaged TIFF files, which is told by an error here.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")

#: How a stored picture has to be turned to be upright, by its EXIF orientation.
UPRIGHT: dict[int, Callable[[np.ndarray], np.ndarray]] = {
    1: lambda stored: stored,
    2: np.fliplr,
    3: lambda stored: np.rot90(stored, 2),
    4: np.flipud,
    5: lambda stored: np.swapaxes(stored, 0, 1),
    6: lambda stored: np.rot90(stored, -1),
    7: lambda stored: np.rot90(np.swapaxes(stored, 0, 1), 2),
    8: lambda stored: np.rot90(stored, 1),
}
#: A tag that means nothing here, for Pillow writes no orientation into the EXIF block of AVIF.
_SPARE = 0x0113
KINDS = ["HEIF", "AVIF", "TIFF"]


def quarters(width: int = 192, height: int = 128) -> np.ndarray:
    """An RGB picture that looks different however it is turned: red, green, blue and grey quarters."""
    image = np.empty((height, width, 3), np.uint8)
    image[: height // 2, : width // 2] = (230, 40, 30)
    image[: height // 2, width // 2 :] = (40, 200, 60)
    image[height // 2 :, : width // 2] = (50, 60, 220)
    image[height // 2 :, width // 2 :] = (128, 128, 128)
    return image


def written(kind: str, picture: Pillow.Image | np.ndarray | None = None, **options: object) -> bytes:
    """The bytes of a file of this kind."""
    pillow_heif.register_heif_opener()
    if not isinstance(picture, Pillow.Image):
        picture = Pillow.fromarray(quarters() if picture is None else picture)
    file = BytesIO()
    picture.save(file, kind, **({} if kind == "TIFF" else {"quality": 95}) | options)
    return file.getvalue()


def oriented(orientation: int) -> bytes:
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    exif[_SPARE] = 1
    return exif.tobytes()


def assert_shows(image: np.ndarray, rgb: np.ndarray, off: float = 12.0) -> None:
    """Is this BGR picture that one, but for what a lossy format changes?"""
    assert image.dtype == np.uint8 and image.flags.c_contiguous
    assert image.shape == rgb.shape
    assert np.abs(image[:, :, ::-1].astype(float) - rgb).mean() < off


@pytest.mark.parametrize("kind", KINDS)
def test_what_phones_write_is_read_upright(kind: str, tmp_path: Path) -> None:
    photo = tmp_path / "IMG_0001.HEIC"
    for orientation, turned in UPRIGHT.items():
        options = {"tiffinfo": {0x0112: orientation}} if kind == "TIFF" else {"exif": oriented(orientation)}
        photo.write_bytes(written(kind, **options))
        assert_shows(load_image(photo), turned(quarters()))


def patched_exif(data: bytes, orientation: int) -> bytes:
    """The same file with another orientation in its EXIF block, and the rotation of its container as it was."""
    entry = struct.Struct("<HHIH") if b"II*\0" in data else struct.Struct(">HHIH")
    for tag in (0x0112, _SPARE):
        found = entry.pack(tag, 3, 1, 1)
        if found in data:
            return data.replace(found, entry.pack(0x0112, 3, 1, orientation))
    raise AssertionError("no orientation in the EXIF block")


@pytest.mark.parametrize("kind", ["HEIF", "AVIF"])
def test_a_photo_turned_by_its_container_and_its_exif_is_turned_once(kind: str) -> None:
    """An iPhone writes both; what the container says is what counts."""
    both = patched_exif(written(kind, exif=oriented(6)), 6)
    assert_shows(decode_image(both, "IMG_0001.HEIC"), UPRIGHT[6](quarters()))
    exif_alone = patched_exif(written(kind, exif=oriented(1)), 6)
    assert_shows(decode_image(exif_alone, "IMG_0002.HEIC"), quarters())


@pytest.mark.parametrize("kind", ["HEIF", "AVIF"])
def test_a_photo_turned_by_its_container_alone_is_turned(kind: str) -> None:
    alone = patched_exif(written(kind, exif=oriented(8)), 1)
    assert_shows(decode_image(alone, "IMG_0003.HEIC"), UPRIGHT[8](quarters()))


@pytest.mark.parametrize("kind", KINDS)
def test_transparency_lies_on_white(kind: str) -> None:
    clear = np.dstack([quarters(), np.full((128, 192), 255, np.uint8)])
    clear[:, 96:, 3] = 0
    white = quarters()
    white[:, 96:] = 255
    assert_shows(decode_image(written(kind, clear), "cut out.heic"), white)


@pytest.mark.parametrize("kind", KINDS)
def test_grey_pictures_are_read(kind: str) -> None:
    grey = np.tile(np.linspace(0, 255, 192).astype(np.uint8), (128, 1))
    assert_shows(decode_image(written(kind, grey), "grey.heic"), np.dstack([grey] * 3), 4)


def test_ten_bits_are_read_as_eight() -> None:
    deep = np.ascontiguousarray(quarters()).astype(np.uint16) << 8
    file = BytesIO()
    pillow_heif.from_bytes("RGB;16", (192, 128), deep.tobytes()).save(file, quality=95)
    assert pillow_heif.open_heif(file, convert_hdr_to_8bit=False).mode == "RGB;16"  # it is 10 bits deep
    assert_shows(decode_image(file.getvalue(), "deep.heic"), quarters())


def test_sixteen_bit_scans_are_read_as_eight() -> None:
    done, colours = cv2.imencode(".tiff", quarters()[:, :, ::-1].astype(np.uint16) * 257)
    assert done
    assert_shows(decode_image(colours.tobytes(), "scan.tif"), quarters(), 1)
    ramp = np.tile(np.linspace(0, 255, 192).astype(np.uint8), (128, 1))
    done, grey = cv2.imencode(".tiff", ramp.astype(np.uint16) * 257)
    assert done
    assert_shows(decode_image(grey.tobytes(), "scan.tif"), np.dstack([ramp] * 3), 1)


@pytest.mark.parametrize(("order", "meant"), [(">", 1), ("<", 0)])
def test_big_endian_and_negative_scans_are_read(order: str, meant: int) -> None:
    """Sixteen bits a pixel, the greater byte first, or 0 for white: as some scanners write it."""
    ramp = np.tile(np.linspace(0, 65535, 192).astype(f"{order}u2"), (128, 1))
    fields = [(256, 3, 192), (257, 3, 128), (258, 3, 16), (259, 3, 1), (262, 3, meant), (273, 4, 122)]
    fields += [(277, 3, 1), (278, 3, 128), (279, 4, ramp.nbytes)]
    data = (b"MM\0*" if order == ">" else b"II*\0") + struct.pack(f"{order}IH", 8, len(fields))
    for tag, kind, value in fields:
        told = struct.pack(f"{order}H2x", value) if kind == 3 else struct.pack(f"{order}I", value)
        data += struct.pack(f"{order}HHI", tag, kind, 1) + told
    data += bytes(4)
    assert len(data) == 122
    grey = (ramp >> 8).astype(np.uint8)
    grey = grey if meant else 255 - grey
    assert_shows(decode_image(data + ramp.tobytes(), "scan.tif"), np.dstack([grey] * 3), 1)


@pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "tiff_adobe_deflate", "jpeg", "packbits"])
def test_scans_are_read_however_they_are_packed(compression: str) -> None:
    assert_shows(decode_image(written("TIFF", compression=compression), "scan.tif"), quarters())


def test_pictures_for_printers_are_read() -> None:
    printed = Pillow.fromarray(quarters()).convert("CMYK")
    assert_shows(decode_image(written("TIFF", printed), "print.tif"), quarters(), 1)


@pytest.mark.parametrize("kind", ["HEIF", "TIFF"])
def test_the_first_of_several_pictures_is_read(kind: str) -> None:
    other = Pillow.new("RGB", (96, 64), "yellow")
    several = written(kind, save_all=True, append_images=[other, other])
    assert_shows(decode_image(several, "burst.heic"), quarters())


def test_the_primary_of_several_pictures_is_read() -> None:
    pillow_heif.register_heif_opener()
    file = BytesIO()
    other = Pillow.new("RGB", (96, 64), "yellow")
    other.save(file, "HEIF", save_all=True, append_images=[Pillow.fromarray(quarters())], primary_index=1)
    assert_shows(decode_image(file.getvalue(), "burst.heic"), quarters())


def test_a_photo_in_tiles_is_put_together() -> None:
    """As iPhones store it."""
    tiled = written("HEIF", tile_size=64)
    assert_shows(decode_image(tiled, "IMG_0001.HEIC"), quarters())


@pytest.mark.parametrize("kind", KINDS)
def test_colours_of_a_profile_become_those_of_screens(kind: str) -> None:
    """A profile whose green is the screen's blue, and the other way round."""
    swapped = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    green, blue = swapped.index(b"gXYZ"), swapped.index(b"bXYZ")
    swapped[green : green + 4], swapped[blue : blue + 4] = b"bXYZ", b"gXYZ"
    seen = decode_image(written(kind, icc_profile=bytes(swapped)), "wide.heic")
    assert_shows(seen, quarters()[:, :, [0, 2, 1]], 20)


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_profile_is_passed_over(kind: str) -> None:
    picture = decode_image(written(kind, icc_profile=b"no profile at all"), "odd.heic")
    assert_shows(picture, quarters())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.7, 0.97])
def test_a_cut_off_photo_of_any_format_is_one_line(
    kind: str, share: float, capfd: pytest.CaptureFixture[str]
) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (256, 256, 3), np.uint8)
    options = {"HEIF": {"tile_size": 64}, "AVIF": {}, "TIFF": {"compression": "tiff_lzw"}}[kind]
    data = written(kind, noise, **options)
    with pytest.raises(PictureError, match=r"^IMG_1\.HEIC is ") as caught:
        decode_image(data[: int(len(data) * share)], "IMG_1.HEIC")
    assert "\n" not in str(caught.value) and ": " in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_photo_of_any_format_is_one_line_or_a_picture(
    kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data = written(kind, **({"compression": "tiff_adobe_deflate"} if kind == "TIFF" else {}))
    random = np.random.default_rng(7)
    refused = 0
    for _ in range(150):
        broken = bytearray(data)
        for at in random.integers(0, min(len(data), 800), 4):
            broken[at] = random.integers(256)
        try:
            decode_image(bytes(broken), "IMG_1.HEIC")
        except PictureError as error:
            refused += 1
            assert "\n" not in str(error) and ": " in str(error)
    assert refused > 20
    assert capfd.readouterr() == ("", "")


def test_a_huge_photo_of_any_format_is_refused_before_it_is_decoded() -> None:
    huge = {
        "TIFF": written("TIFF", Pillow.new("1", (20_000, 10_000)), compression="group4"),
        "HEIF": written("HEIF").replace(struct.pack(">II", 192, 128), struct.pack(">II", 20_000, 10_000)),
        "AVIF": written("AVIF").replace(struct.pack(">II", 192, 128), struct.pack(">II", 20_000, 10_000)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for data in huge.values():
            with pytest.raises(PictureError, match=r"big has 200 megapixels, more than 100: save it smaller"):
                decode_image(data, "big")


def test_raw_photos_are_named() -> None:
    """A DNG is a TIFF whose first picture is a small preview."""
    raw = written("TIFF", tiffinfo={50706: b"\1\4\0\0"})
    with pytest.raises(PictureError, match=r"is a raw photo: export it as JPEG or HEIC"):
        decode_image(raw, "IMG_1.DNG")


def test_jpeg_and_png_keep_their_pixels() -> None:
    """What OpenCV read is read by it still: the eye's figures rest on these very pixels."""
    noise = np.random.default_rng(3).integers(0, 255, (90, 120, 3), np.uint8)
    for ending in (".jpg", ".png", ".webp", ".bmp"):
        data = cv2.imencode(ending, noise)[1]
        assert np.array_equal(decode_image(data.tobytes(), "x"), cv2.imdecode(data, cv2.IMREAD_COLOR))


@pytest.mark.parametrize(("longest", "size"), [(96, (96, 64)), (192, (192, 128)), (4000, (192, 128))])
def test_what_was_seen_can_be_shown_by_any_browser(longest: int, size: tuple[int, int]) -> None:
    seen = decode_image(written("HEIF"), "IMG_1.HEIC")
    shown = Pillow.open(BytesIO(as_jpeg(seen, longest)))
    assert shown.format == "JPEG" and shown.size == size
    expected = cv2.resize(quarters(), size, interpolation=cv2.INTER_AREA)
    assert np.abs(np.asarray(shown).astype(float) - expected).mean() < 12
