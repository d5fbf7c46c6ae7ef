"""The cameras of this machine: which there are, how each is opened best, and that one session has it alone."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import av
from av.container import InputContainer
from av.error import FFmpegError
from filelock import FileLock, Timeout

from vision.capture.live.errors import SourceError
from vision.capture.quiet import quiet

#: What FFmpeg calls the way to cameras, by platform.
_WAYS = {"linux": "v4l2", "darwin": "avfoundation", "win32": "dshow"}
#: What a camera is asked for, best first: its own H.264, else pictures that a cable carries 30 times a second.
_WISHES: dict[str, list[dict[str, str]]] = {
    "v4l2": [
        {"input_format": "h264", "video_size": "1920x1080", "framerate": "30"},
        {"input_format": "mjpeg", "video_size": "1920x1080", "framerate": "30"},
        {"input_format": "mjpeg", "video_size": "1280x720", "framerate": "30"},
        {},
    ],
    "avfoundation": [
        {"video_size": "1920x1080", "framerate": "30"},
        {"video_size": "1280x720", "framerate": "30"},
        {},
    ],
    "dshow": [
        {"vcodec": "mjpeg", "video_size": "1920x1080", "framerate": "30"},
        {"video_size": "1280x720", "framerate": "30"},
        {},
    ],
}


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera of this machine: its number, what its maker calls it, and what FFmpeg opens."""

    number: int
    name: str
    device: str

    def __str__(self) -> str:
        return f"{self.number} ({self.name})"


def way() -> str:
    """What FFmpeg calls the way to the cameras of this platform."""
    return _WAYS.get(sys.platform, "v4l2")


def list_cameras() -> list[Camera]:
    """The cameras that are plugged in, by number."""
    try:
        with quiet():
            found = av.enumerate_input_devices(way())
    except (FFmpegError, ValueError, OSError, AttributeError):  # FFmpeg cannot list them here
        return []
    cameras = [
        _listed(place, device) for place, device in enumerate(found) if "audio" not in device.media_types
    ]
    return sorted(cameras, key=lambda camera: camera.number)


def _listed(place: int, device: av.device.DeviceInfo) -> Camera:
    name = device.description or device.name
    if way() == "v4l2":
        digits = device.name.removeprefix("/dev/video")
        return Camera(int(digits) if digits.isdigit() else place, name, device.name)
    if way() == "avfoundation":
        return Camera(place, name, f"{place}:none")
    return Camera(place, name, f"video={name}")


def camera_called(spec: str) -> Camera:
    """The camera of this number or name, or whose name alone holds it. Raises SourceError, which lists those there."""
    cameras = list_cameras()
    wanted = spec.strip().casefold()
    for camera in cameras:
        if wanted in (str(camera.number), camera.name.casefold(), camera.device):
            return camera
    alike = [camera for camera in cameras if wanted and wanted in camera.name.casefold()]
    if len(alike) == 1 and not wanted.isdigit():
        return alike[0]
    if not cameras:
        raise SourceError(
            f"there is no camera {spec}, nor any other: plug one in, or give the address of a phone's camera"
        )
    there = ", ".join(map(str, alike or cameras))
    raise SourceError(f"there is {'more than one' if alike else 'no'} camera {spec}: choose of {there}")


def open_camera(camera: Camera) -> InputContainer:
    """Open it as well as it can be. Raises SourceError."""
    failed: Exception | None = None
    for wish in _WISHES.get(way(), [{}]):
        try:
            with quiet():
                return av.open(camera.device, "r", format=way(), options=wish)
        except (FFmpegError, OSError, ValueError) as why:
            failed = why
            if isinstance(why, PermissionError | FileNotFoundError) or getattr(why, "errno", 0) in _BUSY:
                break
    raise SourceError(_words(camera, failed)) from None


#: EBUSY, ENODEV
_BUSY = (16, 19)


def _words(camera: Camera, why: Exception | None) -> str:
    if isinstance(why, PermissionError):
        return f"camera {camera} may not be used by you: allow it in the settings, or join the group that may (video)"
    if getattr(why, "errno", 0) == _BUSY[0]:
        return f"camera {camera} is in use by another program: end that one, or choose another camera"
    return f"camera {camera} cannot be opened: unplug it and plug it in again, or choose another camera"


class OneSession:
    """Holds a camera for one session of this program; another one is refused. Let go of when the process ends."""

    def __init__(self, key: str, told: str) -> None:
        name = f"camera-{hashlib.sha256(key.encode()).hexdigest()[:16]}.lock"
        folder = Path(tempfile.gettempdir()) / f"nerts-referee-{_whoever()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        self._lock = FileLock(folder / name, timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise SourceError(
                f"{told} is in use by another session: end that one, or choose another camera"
            ) from None

    def release(self) -> None:
        """Let another session have it."""
        with suppress(OSError):
            self._lock.release()


def _whoever() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
