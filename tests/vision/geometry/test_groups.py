"""Groups of what hangs together, against another implementation; and what looking at a picture must not load."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from vision.geometry.groups import connected


@pytest.mark.parametrize("seed", range(8))
def test_groups_are_those_of_the_graph(seed: int) -> None:
    rng = np.random.default_rng(seed)
    links = rng.random((60, 60)) < 0.015
    links |= links.T
    assert connected(links).tolist() == connected_components(links, directed=False)[1].tolist()


def test_a_chain_is_one_group_and_nothing_is_none() -> None:
    assert connected(np.eye(50, k=1, dtype=bool) | np.eye(50, k=-1, dtype=bool)).tolist() == [0] * 50
    assert connected(np.zeros((0, 0), dtype=bool)).tolist() == []


@pytest.mark.parametrize("module", ["scene.stacking", "rows", "scene.tabletop", "eye"])
def test_what_every_look_needs_starts_without_scipy(module: str) -> None:
    """It takes a good part of the start of `nerts-referee see`."""
    code = f"import sys, vision.{module}; sys.exit(any(name.partition('.')[0] == 'scipy' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
