"""HEIC, AVIF and TIFF, which phones and scanners write: opened and decoded by Pillow.

JPEG, PNG, WebP and BMP stay with OpenCV (`vision.capture.frames`): other decoders round otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms, ImageOps
from PIL.AvifImagePlugin import AvifImageFile
from PIL.ImageFile import ImageFile
from PIL.TiffImagePlugin import TiffImageFile
from pillow_heif import HeifImageFile

Kind = Literal["HEIC", "AVIF", "TIFF"]

_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_AVIF = {b"avif", b"avis"}
_HEIC = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
#: What opens each kind; not `Image.open`, which would try every format there is and warn of large pictures.
_OPENERS: dict[Kind, Callable[[BytesIO], ImageFile]] = {
    "HEIC": HeifImageFile,
    "AVIF": AvifImageFile,
    "TIFF": TiffImageFile,
}
#: Tags of a TIFF: bits of a pixel, how they are meant (0: white is 0), and what only raw photos have.
_BITS, _MEANT, _RAW = 258, 262, 50706


#: Boxes of a HEIC or AVIF file that hold what a picture is made of.
_BOXES = {b"meta", b"moov", b"mdat"}


class RawPhotoError(ValueError):
    """A TIFF that holds what a camera's sensor measured, and no finished picture but a small one."""


def kind_of(data: bytes) -> Kind | None:
    """What a file that begins like this is; None for what is not read here."""
    if data.startswith(_TIFF):
        return "TIFF"
    if data[4:8] != b"ftyp":
        return None
    end = min(int.from_bytes(data[:4], "big"), 512)
    # the major brand, and behind its version those that it can be read as
    brands = {data[8:12], *(data[at : at + 4] for at in range(16, end, 4))}
    return "AVIF" if brands & _AVIF else "HEIC" if brands & _HEIC else None


def is_whole(data: bytes, kind: Kind) -> bool:
    """Whether a HEIC or AVIF file reaches its own end: tiles that lie behind a cut would be left black in silence."""
    at = 0
    while kind != "TIFF" and at + 16 <= len(data):
        size, name = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        if size == 1:  # it stands behind the name
            size = int.from_bytes(data[at + 8 : at + 16], "big")
        if size < 8:  # 0: to the end of the file
            break
        at += size
        if at > len(data):
            return name not in _BOXES
    return True


def opened(data: bytes, kind: Kind) -> ImageFile:
    """The first (or primary) picture of a file, not decoded yet; `size` is (width, height) px.

    Raises RawPhotoError, and whatever Pillow and its decoders raise for a damaged file.
    """
    picture = _OPENERS[kind](BytesIO(data))
    if isinstance(picture, TiffImageFile) and (_RAW in picture.tag_v2 or data[8:10] == b"CR"):
        raise RawPhotoError
    return picture


def decoded(picture: ImageFile) -> NDArray[np.uint8]:
    """(height, width, 3) BGR: upright, in the colours of screens, what can be seen through lying on white.

    Raises whatever Pillow and its decoders raise for a damaged file.
    """
    picture.load()
    upright = _eight_bits(_upright(picture), picture)
    colours = _on_screens(_on_white(upright), picture.info.get("icc_profile"))
    return np.ascontiguousarray(np.asarray(colours.convert("RGB"))[:, :, ::-1])


def _upright(picture: ImageFile) -> Image.Image:
    """Turned as the container says: HEIC is by its decoder, for AVIF Pillow tells the turn as EXIF, TIFF has a tag.

    What the EXIF and XMP blocks of HEIC and AVIF say beside it is a copy and does not count.
    """
    if isinstance(picture, HeifImageFile):
        return picture
    picture.info.pop("xmp", None)
    return ImageOps.exif_transpose(picture)


def _eight_bits(picture: Image.Image, stored: ImageFile) -> Image.Image:
    """Grey of 16 bits a pixel in 8; Pillow itself reads other deep pictures so."""
    if not picture.mode.startswith("I;16") or not isinstance(stored, TiffImageFile):
        if picture.mode in ("I", "F"):
            raise ValueError(f"pixels of the mode {picture.mode} have no brightest value")
        return picture
    bits = int(stored.tag_v2.get(_BITS, (16,))[0])
    grey = (np.asarray(picture) >> (bits - 8)).astype(np.uint8)
    return Image.fromarray(255 - grey if stored.tag_v2.get(_MEANT) == 0 else grey)


def _on_white(picture: Image.Image) -> Image.Image:
    if not picture.has_transparency_data:
        return picture
    clear = picture.convert("RGBA")
    white = Image.new("RGB", picture.size, "white")
    white.paste(clear, mask=clear.getchannel("A"))
    return white


def _on_screens(picture: Image.Image, profile: bytes | None) -> Image.Image:
    """From the colours of a profile (ICC) to those of screens (sRGB); a profile that cannot be used is passed over."""
    if not profile:
        return picture
    try:
        own = ImageCms.ImageCmsProfile(BytesIO(profile))
        told = ImageCms.profileToProfile(picture, own, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return picture
    return told or picture
