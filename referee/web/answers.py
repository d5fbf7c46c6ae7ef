"""What the page is answered with."""

from __future__ import annotations

import json
from typing import Any

from fastapi.responses import JSONResponse


class Answer(JSONResponse):
    """JSON, whatever it tells of: a record may hold half a character, which UTF-8 cannot say."""

    def render(self, content: Any) -> bytes:
        """The bytes of the answer."""
        try:
            return super().render(content)
        except UnicodeEncodeError:
            return json.dumps(content, allow_nan=False).encode()
