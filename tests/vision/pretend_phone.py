"""A phone as a camera: it serves pictures that carry their numbers, and whatever else phones serve."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import cv2
from numbered import HEIGHT, WIDTH, numbered

#: How long anything may take on a busy machine, s.
PATIENCE_S = 30.0


class Phone:
    """What it serves is changed while it serves."""

    def __init__(self) -> None:
        self.fps = 50.0
        self.size = (WIDTH, HEIGHT)
        self.number = 0
        #: The same picture over and over; nothing more; hang up; how lengths are told.
        self.frozen = self.stalls = self.hangs_up = False
        self.tells_length = True
        #: Hang up in the middle of a picture; leave out a part of each.
        self.breaks = self.spoils = False
        #: Name and password that it wants, and the page that it shows instead of pictures: status, kind, text.
        self.who: str | None = None
        #: Asks for the password so that it does not go over the line (RFC 7616).
        self.digest = False
        self.page: tuple[int, str, str] | None = None
        self.address = ""
        self.over = Event()

    def picture(self) -> bytes:
        self.number += not self.frozen
        image = numbered(self.number % 4096, *self.size)
        data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
        return data[: len(data) // 3] if self.spoils and self.number % 2 else data

    def part(self) -> bytes:
        data = self.picture()
        length = f"Content-Length: {len(data)}\r\n" if self.tells_length else ""
        head = f"--pictures\r\nContent-Type: image/jpeg\r\n{length}\r\n".encode()
        return head + (data[:100] if self.breaks else data + b"\r\n")


class _Handler(BaseHTTPRequestHandler):
    phone: Phone

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        phone = self.phone
        if phone.who is not None and not self._knows(phone.who):
            return
        if phone.page is not None:
            status, kind, text = phone.page
            self._head(status, kind)
            self.wfile.write(text.encode())
            return
        self._head(200, "multipart/x-mixed-replace; boundary=pictures")
        with suppress(OSError):  # nobody listens any more
            self._stream(phone)

    def _stream(self, phone: Phone) -> None:
        due = time.monotonic()
        while not phone.over.is_set() and not phone.hangs_up:
            if phone.stalls:
                phone.over.wait(0.02)
                continue
            self.wfile.write(phone.part())
            if phone.breaks:
                return
            due = max(due, time.monotonic() - 0.2) + 1 / phone.fps
            phone.over.wait(max(0.0, due - time.monotonic()))

    def _knows(self, who: str) -> bool:
        given = self.headers.get("Authorization", "")
        if self.phone.digest:
            asks, known = 'Digest realm="camera", nonce="abc", qop="auth"', _proves(given, who, self.path)
        else:
            asks = 'Basic realm="camera"'
            known = given == "Basic " + base64.b64encode(who.encode()).decode()
        if not known:
            self.send_response(401)
            self.send_header("WWW-Authenticate", asks)
            self.end_headers()
        return known

    def _head(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()


def _proves(given: str, who: str, path: str) -> bool:
    """Whether an answer to what a digest asks can only be given by who knows the password."""
    told = dict(re.findall(r'(\w+)="?([^",]+)"?', given))
    user, password = who.split(":", 1)
    parts = [_md5(f"{user}:camera:{password}"), "abc", told.get("nc", ""), told.get("cnonce", ""), "auth"]
    return told.get("response") == _md5(":".join([*parts, _md5(f"GET:{path}")]))


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@contextmanager
def serving(phone: Phone) -> Iterator[Phone]:
    """The phone, while it serves at `address`."""
    handler = type("Handler", (_Handler,), {"phone": phone})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    phone.address = f"http://127.0.0.1:{server.server_address[1]}/video"
    try:
        yield phone
    finally:
        phone.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def wait_for(what: Callable[[], object]) -> None:
    """Until it is so; fails when it never is."""
    until = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < until, "it never comes"
        time.sleep(0.01)
