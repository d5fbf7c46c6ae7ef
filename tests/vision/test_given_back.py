"""Free memory goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vision.memory import _trim

TAKEN = """
import numpy as np
from vision.memory import give_back

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20

# pieces too small to be mapped each by itself, and a last one that keeps the heap from shrinking
held = [np.ones(8000) for _ in range(2000)]
last = np.ones(8000)
del held[:]
before = resident()
give_back()
print(before - resident())
"""


@pytest.mark.skipif(_trim() is None, reason="this C library keeps what is free")
def test_what_is_free_is_given_back() -> None:
    told = subprocess.run([sys.executable, "-c", TAKEN], capture_output=True, text=True, check=True)
    assert float(told.stdout) > 90
