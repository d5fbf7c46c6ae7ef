"""How sure a reader is: its temperature, fitted on decks held out for tuning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from models.index_net import IndexNet
from scripts.building import BuildError
from scripts.train.indices import corners_and_letters


def temperature(net: nn.Module, tune: Path) -> float:
    """Of a reader of faces or of indices, on the shards of `tune`; raises BuildError where there are none."""
    logits, labels = [], []
    for path in sorted(tune.glob("*.labels.npy")):
        if isinstance(net, IndexNet):
            corners, letters = corners_and_letters(path)
            with torch.no_grad():
                logits.append(net(torch.from_numpy(corners).float() / 255))
            labels.append(torch.from_numpy(letters.astype(np.int64)))
            continue
        images, masks = (
            np.load(path.with_name(path.name.replace("labels", kind))) for kind in ("images", "masks")
        )
        logits.append(both_ways(net, images, masks))
        labels.append(torch.from_numpy(np.load(path).astype(np.int64)))
    if not labels:
        raise BuildError(f"{tune}: no crops; draw some with scripts.build.crops --split tune --out {tune}")
    return fit_temperature(torch.cat(logits), torch.cat(labels))


def both_ways(net: nn.Module, images: NDArray[np.uint8], masks: NDArray[np.uint8]) -> torch.Tensor:
    """(n, 53) logits as `vision.faces.reader.Reader` has them: averaged over both ways round."""
    parts = []
    with torch.no_grad():
        for start in range(0, len(images), 64):
            part = slice(start, start + 64)
            both = np.concatenate([images[part].transpose(0, 3, 1, 2), masks[part][:, None]], axis=1)
            x = torch.from_numpy(both).float() / 255
            parts.append((net(x) + net(x.flip(2, 3))) / 2)
    return torch.cat(parts)


def fit_temperature(logits: torch.Tensor, labels: torch.Tensor) -> float:
    """The temperature with the least cross entropy, of a fine grid."""
    grid = np.exp(np.linspace(np.log(0.3), np.log(4.0), 120))
    losses = [float(functional.cross_entropy(logits / t, labels)) for t in grid]
    return float(grid[int(np.argmin(losses))])
