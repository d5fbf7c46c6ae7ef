"""What a picture file says before it is decoded: its size, and whether the file goes to its end."""

from __future__ import annotations

import struct
from collections.abc import Callable

Size = tuple[int, int]

#: JPEG markers that start a frame and so carry the size (SOF0-15 without DHT, JPG and DAC).
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_START_OF_SCAN = 0xDA
#: Markers without a length behind them: TEM, the restarts, and the start of the picture.
_BARE_MARKERS = frozenset({0x01, *range(0xD0, 0xD9)})


def picture_size(data: bytes) -> Size | None:
    """(width, height) in px as stored, before any EXIF turn; None for what is no picture known here."""
    for magic, reader in _READERS.items():
        if data.startswith(magic):
            try:
                return reader(data)
            except (struct.error, IndexError):
                return None
    return None


def is_whole(data: bytes) -> bool:
    """Whether the file reaches the end that its format asks for (False for a download that was cut off)."""
    if data.startswith(b"\xff\xd8"):
        scan = _scan_offset(data)
        return scan is not None and data.find(b"\xff\xd9", scan) >= 0
    if data.startswith(b"\x89PNG"):
        return data.rfind(b"IEND") >= 0
    if data.startswith(b"RIFF"):
        return len(data) >= 8 + int(struct.unpack_from("<I", data, 4)[0])
    return len(data) >= int(struct.unpack_from("<I", data, 2)[0])  # BMP


def _segments(data: bytes) -> list[tuple[int, int]]:
    """(marker, offset of its content) of a JPEG, up to the first scan."""
    found: list[tuple[int, int]] = []
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker == 0xFF or marker in _BARE_MARKERS:
            at += 1 if marker == 0xFF else 2
            continue
        found.append((marker, at + 4))
        if marker == _START_OF_SCAN:
            break
        at += 2 + int(struct.unpack_from(">H", data, at + 2)[0])
    return found


def _scan_offset(data: bytes) -> int | None:
    return next((at for marker, at in _segments(data) if marker == _START_OF_SCAN), None)


def _jpeg(data: bytes) -> Size | None:
    for marker, at in _segments(data):
        if marker in _FRAME_MARKERS:
            height, width = struct.unpack_from(">HH", data, at + 1)
            return int(width), int(height)
    return None


def _png(data: bytes) -> Size | None:
    width, height = struct.unpack_from(">II", data, 16)
    return int(width), int(height)


def _bmp(data: bytes) -> Size | None:
    width, height = struct.unpack_from("<ii", data, 18)
    return abs(int(width)), abs(int(height))


def _webp(data: bytes) -> Size | None:
    if data[8:12] != b"WEBP":
        return None
    kind = data[12:16]
    if kind == b"VP8X":
        return _three_bytes(data, 24) + 1, _three_bytes(data, 27) + 1
    if kind == b"VP8L":
        bits = int(struct.unpack_from("<I", data, 21)[0])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return int(width) & 0x3FFF, int(height) & 0x3FFF
    return None


def _three_bytes(data: bytes, at: int) -> int:
    return data[at] | data[at + 1] << 8 | data[at + 2] << 16


_READERS: dict[bytes, Callable[[bytes], Size | None]] = {
    b"\xff\xd8\xff": _jpeg,
    b"\x89PNG\r\n\x1a\n": _png,
    b"RIFF": _webp,
    b"BM": _bmp,
}
