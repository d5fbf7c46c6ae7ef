"""Streams by RTSP, as network cameras and phones give them."""

from __future__ import annotations

import av
from av.container import InputContainer
from av.error import (
    FFmpegError,
    HTTPForbiddenError,
    HTTPNotFoundError,
    HTTPUnauthorizedError,
)

from vision.capture.live import clock
from vision.capture.live.camera.address import Address
from vision.capture.live.camera.connections import LIVE
from vision.capture.live.camera.web_stream import ANSWER_S, STALL_S, refusal, unreachable
from vision.capture.live.errors import SourceError
from vision.capture.quiet import quiet


def open_rtsp(address: Address) -> InputContainer:
    """Open a stream, by TCP: nothing of a picture is lost on the way. Raises SourceError, in words."""
    patience = str(int(STALL_S * 1e6))
    options = {**LIVE, "rtsp_transport": "tcp", "timeout": patience, "allowed_media_types": "video"}
    began = clock.now()
    try:
        with quiet():
            container = av.open(
                address.whole(), "r", format="rtsp", options=options, timeout=(ANSWER_S, STALL_S)
            )
    except (HTTPUnauthorizedError, HTTPForbiddenError):
        raise SourceError(refusal(address, 401)) from None
    except HTTPNotFoundError:
        raise SourceError(refusal(address, 404)) from None
    except OSError as why:
        raise SourceError(unreachable(address.told, why)) from None
    except (FFmpegError, ValueError):
        # FFmpeg does not tell that its time was up
        if clock.now() - began >= ANSWER_S:
            raise SourceError(unreachable(address.told, TimeoutError())) from None
        raise SourceError(
            f"{address.told} sends no pictures that can be read: choose H.264 in its app"
        ) from None
    if not container.streams.video:
        container.close()
        raise SourceError(f"{address.told} has no pictures: choose the address of its video")
    return container
