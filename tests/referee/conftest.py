"""What tests of the commands share."""

from __future__ import annotations

from pathlib import Path

import pytest
from pretend import picture

from vision.capture.frames import save_image


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "spread.png"
    save_image(path, picture("red", "red", "red", "blue", "blue"))
    return path
