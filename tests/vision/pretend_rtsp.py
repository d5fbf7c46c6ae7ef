"""A network camera that speaks as much RTSP (RFC 2326) as one listener by TCP needs: numbered pictures in H.264."""

from __future__ import annotations

import base64
import re
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from threading import Event, Thread

import av
from numbered import HEIGHT, WIDTH, numbered

FPS = 30
#: A key frame every so many frames.
KEYS = 10
#: What decoders must know first: told in the description alone, as most cameras do.
_PARAMETERS = (7, 8)


class NetworkCamera:
    """What it does is changed while it serves."""

    def __init__(self) -> None:
        self.who: str | None = None
        self.stalls = self.hangs_up = False
        self.address = ""
        self.over = Event()
        self.encoder = av.CodecContext.create("libx264", "w")
        self.encoder.width, self.encoder.height, self.encoder.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        self.encoder.time_base = Fraction(1, FPS)
        self.encoder.options = {"preset": "ultrafast", "tune": "zerolatency", "g": str(KEYS)}
        self.number = 0
        self.parameters = [unit for unit in self.units() if unit[0] & 31 in _PARAMETERS]

    def units(self) -> list[bytes]:
        """The next picture, by units (ITU-T H.264, 7.3.1)."""
        frame = av.VideoFrame.from_ndarray(numbered(self.number), format="bgr24")
        frame.pts, frame.time_base = self.number, Fraction(1, FPS)
        self.number += 1
        data = b"".join(bytes(packet) for packet in self.encoder.encode(frame))
        return [unit for unit in re.split(b"\0\0\0\1|\0\0\1", data) if unit]

    def description(self) -> str:
        sets = ",".join(base64.b64encode(unit).decode() for unit in self.parameters)
        return (
            "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=camera\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\n"
            "m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n"
            f"a=fmtp:96 packetization-mode=1;sprop-parameter-sets={sets}\r\na=control:track1\r\n"
        )

    def serve(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while not self.over.is_set():
                connection, _ = listener.accept()
                with connection, suppress(OSError, StopIteration):
                    self.answer(connection)

    def answer(self, connection: socket.socket) -> None:
        heads = _heads(connection)
        while True:
            head = next(heads)
            method, number = head.split(" ", 1)[0], re.search(r"CSeq: *(\d+)", head)
            assert number is not None
            status, extra, body = self.reply(method, head)
            lines = [f"RTSP/1.0 {status}", f"CSeq: {number[1]}", *extra, f"Content-Length: {len(body)}"]
            connection.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
            if method == "PLAY":
                self.stream(connection)
                return

    def reply(self, method: str, head: str) -> tuple[str, list[str], str]:
        if method == "OPTIONS":
            return "200 OK", ["Public: DESCRIBE, SETUP, PLAY, TEARDOWN"], ""
        if self.who and base64.b64encode(self.who.encode()).decode() not in head:
            return "401 Unauthorized", ['WWW-Authenticate: Basic realm="camera"'], ""
        if "/video" not in head.split("\r\n")[0]:
            return "404 Not Found", [], ""
        if method == "DESCRIBE":
            return "200 OK", ["Content-Type: application/sdp"], self.description()
        if method == "SETUP":
            return "200 OK", ["Transport: RTP/AVP/TCP;unicast;interleaved=0-1", "Session: 1"], ""
        return "200 OK", ["Session: 1"], ""

    def stream(self, connection: socket.socket) -> None:
        sent = 0
        while not self.over.wait(1 / FPS) and not self.hangs_up:
            if self.stalls:
                continue
            units = [unit for unit in self.units() if unit[0] & 31 not in _PARAMETERS]
            stamp = round(time.monotonic() * 90_000) & 0xFFFFFFFF
            for unit in units:
                marks = 0x80 if unit is units[-1] else 0
                head = struct.pack(">BBHII", 0x80, 96 | marks, sent & 0xFFFF, stamp, 7)
                connection.sendall(b"$\0" + struct.pack(">H", len(head + unit)) + head + unit)
                sent += 1


def _heads(connection: socket.socket) -> Iterator[str]:
    waiting = b""
    while data := connection.recv(4096):
        waiting += data
        while b"\r\n\r\n" in waiting:
            head, waiting = waiting.split(b"\r\n\r\n", 1)
            yield head.decode("latin-1")


@contextmanager
def serving_rtsp(camera: NetworkCamera) -> Iterator[NetworkCamera]:
    """The camera, while it serves at `address`."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        camera.address = f"rtsp://127.0.0.1:{listener.getsockname()[1]}/video"
        thread = Thread(target=camera.serve, args=(listener,), daemon=True)
        thread.start()
        try:
            yield camera
        finally:
            camera.over.set()
            with suppress(OSError), socket.create_connection(listener.getsockname(), timeout=1):
                pass
            thread.join(5)
