"""Where live pictures come from: a camera of this machine, a stream of the network, a film played as if live."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from av.error import FFmpegError

from vision.capture.live.camera.address import Address, is_address, parse_address
from vision.capture.live.camera.connections import Connection, Packets, open_web
from vision.capture.live.camera.devices import Camera, camera_called, list_cameras, open_camera
from vision.capture.live.camera.rtsp import open_rtsp
from vision.capture.live.camera.source import CameraSource
from vision.capture.live.camera.web_stream import STALL_S, WebStream
from vision.capture.live.errors import SourceError, SourceLostError
from vision.capture.live.film import FilmAsLive
from vision.capture.video import Frame

__all__ = [
    "Camera",
    "CameraSource",
    "FilmAsLive",
    "Source",
    "SourceError",
    "SourceLostError",
    "list_cameras",
    "open_source",
]


class Source(Protocol):
    """Something that gives frames as they are taken."""

    #: What people call it; never holds a password.
    name: str
    #: Of its pictures, px; a camera may change it (see each frame).
    width: int
    height: int
    #: Frames a second, as stated; 0 while unknown (`Capture.fps` measures them).
    fps: float

    def frames(self) -> Iterator[Frame]:
        """Frames as they come, `time_s` by a clock that nobody sets, s since the source began; they end with a film.

        Raises SourceLostError when the camera is gone: calling it again opens it again, and numbers and times go on.
        Raises SourceError where nothing more will come, in words.
        """
        ...

    def now(self) -> float:
        """The time of a frame that were taken now, s since the source began."""
        ...

    def close(self) -> None:
        """Let go of it; `frames` ends soon, whichever thread goes through it."""
        ...


def open_source(spec: str, *, as_live: bool = False) -> Source:
    """The source that `spec` names, up to its first picture.

    A camera's number or name (see `list_cameras`), an address (http, https, rtsp; name and password before an @), or
    with `as_live` a film, which is played at its real speed. Raises SourceError, one line with the remedy.
    """
    if as_live:
        return FilmAsLive(Path(spec))
    if is_address(spec):
        return _in_the_network(parse_address(spec))
    if Path(spec).is_file():
        raise SourceError(f"{spec} is a film, not a camera: play it with --as-live {spec}")
    camera = camera_called(spec)
    return CameraSource(f"camera {camera}", camera.device, lambda: Packets(open_camera(camera), STALL_S))


def _in_the_network(address: Address) -> Source:
    def by_web() -> Connection:
        try:
            return open_web(WebStream(address))
        except (FFmpegError, OSError, IndexError, ValueError):
            raise SourceError(
                f"{address.told} sends no pictures that can be read: choose MJPEG or H.264 in its app"
            ) from None

    def by_rtsp() -> Connection:
        return Packets(open_rtsp(address), STALL_S)

    return CameraSource(address.told, address.bare, by_web if address.scheme.startswith("http") else by_rtsp)
