"""Photos as arrays, from a file or a browser, with errors a user can act on.

Every error of this module and of `vision.capture.video` is one line that names the file and the remedy:

    UnreadableError
    ├── PictureError
    └── VideoError
        └── CutOffError   raised after the last frame that could be read
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture import other_formats
from vision.capture.headers import is_whole, picture_size
from vision.capture.quiet import quiet
from vision.capture.shrink import shrunk
from vision.wholefile import write_whole

Image = NDArray[np.uint8]

#: The largest picture that is decoded, in millions of pixels; more would fill the memory.
MAX_MEGAPIXELS = 100
#: The largest picture file that is read, in millions of bytes.
MAX_PICTURE_MB = 200
#: One of more megapixels than this may fail for want of memory, and not every decoder tells why it did.
_LARGE_MEGAPIXELS = 24
_SMALLER = "save it smaller (12 megapixels are plenty)"


class UnreadableError(ValueError):
    """A file that cannot be used; the message names it and what to do."""


class PictureError(UnreadableError):
    """Not a picture, empty, cut off or too large."""


class VideoError(UnreadableError):
    """Not a video, empty or damaged."""


class CutOffError(VideoError):
    """A video that ends before its stated length; every frame before was handed out."""


def readable_file(path: Path, error: type[UnreadableError], wanted: str) -> None:
    """Raise `error` unless `path` is a file with something in it; `wanted` is "a picture" or "a video"."""
    try:
        if path.is_dir():
            raise error(f"{path} is a folder: name {wanted} in it")
        if not path.exists():
            raise error(f"{path} does not exist: check the name")
        if not path.is_file():  # opening a pipe waits for its other end
            raise error(f"{path} is a device or a pipe: name a file with {wanted}")
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except OSError as why:
        raise error(f"{path} cannot be read ({why.strerror or why}): check its name and permissions") from why
    if size == 0:
        raise error(f"{path} is empty: copy or take it again")


def load_image(path: str | Path) -> Image:
    """Read a photo as (height, width, 3) uint8 BGR, turned upright by its EXIF orientation.

    Raises PictureError for a folder, for an empty or cut-off file, for more than `MAX_MEGAPIXELS`, and for
    what is no picture.
    """
    path = Path(path)
    readable_file(path, PictureError, "a picture")
    try:
        size_mb = path.stat().st_size / 1e6
        if size_mb > MAX_PICTURE_MB:
            raise PictureError(f"{path} has {size_mb:.0f} MB, more than {MAX_PICTURE_MB}: save it smaller")
        data = path.read_bytes()
    except OSError as why:
        raise PictureError(f"{path} cannot be read ({why.strerror or why}): copy or take it again") from why
    return decode_image(data, str(path))


def decode_image(data: bytes, name: str) -> Image:
    """Decode a photo held in memory; `name` stands in the error. Same result and errors as `load_image`."""
    if not data:
        raise PictureError(f"{name} is empty: copy or take it again")
    kind = other_formats.kind_of(data)
    if kind is not None:
        return _decode_other(data, kind, name)
    size = picture_size(data)
    if size is None:
        raise PictureError(
            f"{name} is not a picture that can be read: give a JPEG, HEIC, PNG, WebP, AVIF, TIFF or BMP file"
        )
    _check_size(size, name)
    if not is_whole(data):
        raise PictureError(f"{name} is cut off: copy or take it again")
    try:
        with quiet():
            image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # longer than it takes
        image = None
    if image is None or image.size == 0:
        if size[0] * size[1] > _LARGE_MEGAPIXELS * 1e6:
            raise PictureError(f"{name} is damaged, or needs more memory than there is: {_SMALLER}")
        raise PictureError(f"{name} is damaged and cannot be decoded: copy or take it again")
    return np.asarray(image, dtype=np.uint8)


def _check_size(size: tuple[int, int], name: str) -> None:
    megapixels = size[0] * size[1] / 1e6
    if megapixels > MAX_MEGAPIXELS:
        raise PictureError(f"{name} has {megapixels:.0f} megapixels, more than {MAX_MEGAPIXELS}: {_SMALLER}")


def _decode_other(data: bytes, kind: other_formats.Kind, name: str) -> Image:
    if not other_formats.is_whole(data, kind):
        raise PictureError(f"{name} is cut off: copy or take it again")
    try:
        with quiet():
            picture = other_formats.opened(data, kind)
            _check_size(picture.size, name)
            return other_formats.decoded(picture)
    except PictureError:
        raise
    except other_formats.RawPhotoError:
        raise PictureError(f"{name} is a raw photo: export it as JPEG or HEIC") from None
    except MemoryError as why:
        raise PictureError(f"{name} needs more memory than there is: {_SMALLER}") from why
    except Exception as why:  # what decoders raise for damaged files has no common class
        raise PictureError(
            f"{name} is cut off, damaged, or of a rare kind of {kind}: copy or take it again, or save it as JPEG"
        ) from why


def as_jpeg(image: Image, max_side: int, quality: int = 85) -> bytes:
    """What was seen as the bytes of a JPEG file, which every browser shows: its longer side has `max_side` px at most."""
    return encode_jpeg(fitted(image, max_side), quality)


def fitted(image: Image, max_side: int) -> Image:
    """The picture with a longer side of `max_side` px at most: smaller, or as it is."""
    height, width = image.shape[:2]
    scale = max_side / max(height, width)
    if scale >= 1:
        return image
    return shrunk(image, (max(1, round(width * scale)), max(1, round(height * scale))))


def encode_jpeg(image: Image, quality: int = 85) -> bytes:
    """The picture as the bytes of a JPEG file."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise PictureError("this picture cannot be written as JPEG: it is empty or too large")
    return data.tobytes()


def can_be_drawn(path: Path) -> bool:
    """Does the ending of this name stand for a kind of picture that can be written? None stands for PNG."""
    return bool(cv2.haveImageWriter(f"picture{path.suffix or '.png'}"))


def save_image(path: str | Path, image: Image) -> None:
    """Write the picture, whole or not at all; the ending of the name chooses the format. Raises PictureError."""
    path = Path(path)
    try:
        done, data = cv2.imencode(path.suffix or ".png", image)
    except cv2.error:
        done = False
    if not done:
        raise PictureError(f"{path} cannot be written: let its name end in .png or .jpg")
    try:
        write_whole(path, data.tobytes())
    except OSError as why:
        raise PictureError(f"{path} cannot be written ({why.strerror or why}): choose another place") from why
