"""A stream that a camera or a phone serves by HTTP, opened and read so that it can be ended at any time."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any

from vision.capture.live.camera.address import Address
from vision.capture.live.errors import SourceError, SourceLostError

#: How long a camera may take to answer, s, and to send the next picture.
ANSWER_S, STALL_S = 8.0, 5.0
#: The largest picture and the longest line before one that are taken from a stream, bytes.
_MOST_BYTES, _LONGEST_LINE = 64_000_000, 4096
_NOISE_LINES = 100

_Remember = Callable[[socket.socket], None]


class WebStream:
    """What comes from an address, as a file to read from. Raises SourceError where no stream comes, in words."""

    def __init__(self, address: Address) -> None:
        self._address = address
        #: Its address as it may be shown.
        self.told = address.told
        self._socket: socket.socket | None = None
        self._answer: HTTPResponse = self._open()
        self.kind = self._answer.headers.get_content_type()
        #: The pictures are JPEG, one behind the other.
        self.is_pictures = self.kind.startswith("multipart/")
        try:
            self._check_kind()
        except SourceError:
            self.close()
            raise

    def read(self, most: int) -> bytes:
        """The next bytes as they come, `most` of them; none at the end."""
        return self._answer.read1(most)

    def wake(self) -> None:
        """Let whoever reads now come to an end, from any thread."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of it."""
        self.wake()
        with suppress(OSError):
            self._answer.close()

    def pictures(self) -> Iterator[bytes]:
        """Every JPEG picture as a whole, as soon as it has come. Raises SourceLostError where the stream breaks off."""
        while True:
            length = self._part_head()
            yield self._exactly(length) if length else self._up_to_the_end()

    def _open(self) -> HTTPResponse:
        told = self.told
        try:
            answer = self._opener().open(self._address.bare, timeout=ANSWER_S)
        except urllib.error.HTTPError as why:
            why.close()
            raise SourceError(refusal(self._address, why.code)) from None
        except urllib.error.URLError as why:
            raise SourceError(unreachable(told, why.reason)) from None
        except (OSError, HTTPException, ValueError) as why:
            raise SourceError(unreachable(told, why)) from None
        assert isinstance(answer, HTTPResponse)
        if self._socket is not None:
            with suppress(OSError):
                self._socket.settimeout(STALL_S)
        return answer

    def _opener(self) -> urllib.request.OpenerDirector:
        handlers: list[urllib.request.BaseHandler] = [
            # a camera is in the same network
            urllib.request.ProxyHandler({}),
            _Plain(self._remember),
            _Secured(self._remember),
        ]
        if self._address.user is not None:
            known = urllib.request.HTTPPasswordMgrWithDefaultRealm()
            known.add_password(None, self._address.bare, self._address.user, self._address.password or "")
            handlers += [
                urllib.request.HTTPBasicAuthHandler(known),
                urllib.request.HTTPDigestAuthHandler(known),
            ]
        return urllib.request.build_opener(*handlers)

    def _remember(self, connected: socket.socket) -> None:
        self._socket = connected

    def _check_kind(self) -> None:
        told, kind = self.told, self.kind
        if kind in ("text/html", "application/xhtml+xml", "text/plain", "application/json"):
            raise SourceError(
                f"{told} is a page, not a stream: give the stream's own address, often /video behind it"
            )
        if kind.startswith("image/"):
            raise SourceError(f"{told} gives one picture, not a stream: give the address of its video")
        if "mpegurl" in kind or "dash" in kind:
            raise SourceError(
                f"{told} sends pieces that come seconds late: give the address of its MJPEG or RTSP stream"
            )

    def _part_head(self) -> int:
        """Read what stands before a picture: how many bytes it has, 0 where that is not told."""
        length, seen = 0, False
        for _ in range(_NOISE_LINES):
            line = self._answer.readline(_LONGEST_LINE)
            if not line:
                raise self._broken_off()
            name, colon, value = line.decode("latin-1").partition(":")
            if colon:
                seen = True
                if name.strip().lower() == "content-length" and value.strip().isdigit():
                    length = int(value)
            elif seen and not line.strip():
                break
        if not seen or length > _MOST_BYTES:
            raise self._no_pictures()
        return length

    def _exactly(self, length: int) -> bytes:
        data = self._answer.read(length)
        if len(data) < length:
            raise self._broken_off()
        return data

    def _up_to_the_end(self) -> bytes:
        """A picture whose length is not told: up to the mark that ends every JPEG picture, and what parts them."""
        data = bytearray()
        while len(data) < _MOST_BYTES:
            line = self._answer.readline(1 << 16)
            if not line:
                raise self._broken_off()
            data += line
            if line.startswith(b"--") and (end := data.rfind(b"\xff\xd9")) >= 0:
                return bytes(data[: end + 2])
        raise self._no_pictures()

    def _broken_off(self) -> SourceLostError:
        return SourceLostError(f"{self.told} ended the stream: start it again in the camera's app")

    def _no_pictures(self) -> SourceError:
        return SourceError(f"{self.told} sends no pictures that can be read: choose MJPEG in its app")


class _Connection(HTTPConnection):
    """Tells its socket, which urllib keeps to itself: only with it can reading be ended from outside."""

    def __init__(self, host: str, *, remember: _Remember, **given: Any) -> None:
        super().__init__(host, **given)
        self._remember = remember

    def connect(self) -> None:
        super().connect()
        self._remember(self.sock)


class _SecuredConnection(HTTPSConnection):
    def __init__(self, host: str, *, remember: _Remember, **given: Any) -> None:
        super().__init__(host, **given)
        self._remember = remember

    def connect(self) -> None:
        super().connect()
        self._remember(self.sock)


class _Plain(urllib.request.HTTPHandler):
    def __init__(self, remember: _Remember) -> None:
        super().__init__()
        self._connection = partial(_Connection, remember=remember)

    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(self._connection, req)


class _Secured(urllib.request.HTTPSHandler):
    def __init__(self, remember: _Remember) -> None:
        super().__init__()
        self._connection = partial(_SecuredConnection, remember=remember)

    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(self._connection, req)


def refusal(address: Address, status: int) -> str:
    """What an answer with an error means, by its number."""
    if status in (401, 403) and address.user is None:
        return f"{address.told} asks for a name and a password: write the address as {address.scheme}://NAME:PASSWORD@…"
    if status in (401, 403):
        return f"{address.told} does not take this name and password: check them in the camera's app"
    if status == 404:
        return f"{address.told} is not there: check what stands behind the camera's name, often /video"
    return f"{address.told} answers with an error ({status}): restart the camera or its app"


def unreachable(told: str, why: object) -> str:
    """Why no answer comes."""
    if isinstance(why, TimeoutError):
        return f"{told} does not answer: check that the camera is on and in the same network"
    if isinstance(why, ConnectionRefusedError):
        return f"{told} refuses to connect: start the camera's app, and check the number behind the colon"
    if isinstance(why, OSError) and "CERTIFICATE" in str(why).upper():
        return f"{told} cannot be trusted, its certificate is its own: use its http or rtsp address"
    return f"{told} cannot be reached: check the address, and that both are in the same network"
