"""One picture for all who look: encoded once, when somebody asks, and never older than the newest one."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from referee.web.live.table import Newest
from vision.capture.frames import Image, as_jpeg

#: The longer side of the live picture, and of a still, px.
LIVE_PX, STILL_PX = 1280, 1600
#: Stills that are kept.
_STILLS = 60

Key = tuple[int, int]


class Pictures:
    """The newest picture as JPEG, and stills of moments. Threads may ask together: one encodes, the others wait."""

    def __init__(self, newest: Newest) -> None:
        self._newest = newest
        self._lock = Lock()
        self._number = -1
        self._jpeg = b""
        #: How often a picture was encoded.
        self.encoded = 0
        self._stills: OrderedDict[Key, bytes] = OrderedDict()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="stills")

    def close(self) -> None:
        """Keep no more stills."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def after(self, number: int) -> tuple[int, bytes] | None:
        """The newest picture and its number, if that is another than `number`."""
        with self._lock:
            newest = self._newest()
            if newest is None or newest[0] == number:
                return None
            if newest[0] != self._number:
                self._number, self._jpeg = newest[0], as_jpeg(newest[1], LIVE_PX)
                self.encoded += 1
            return self._number, self._jpeg

    def keep_still(self, key: Key) -> None:
        """Keep the picture of now as the still of a line (hand, index)."""
        newest = self._newest()
        if newest is not None:
            self._worker.submit(self._keep, key, newest[1])

    def _keep(self, key: Key, image: Image) -> None:
        self._stills[key] = as_jpeg(image, STILL_PX)
        while len(self._stills) > _STILLS:
            self._stills.popitem(last=False)

    def still(self, key: Key) -> bytes | None:
        """The still of a line; None where none was kept."""
        return self._stills.get(key)
