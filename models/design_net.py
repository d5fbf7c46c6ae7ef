"""The back matcher's network: the outer strip of a back in, a vector out that backs of one design share."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.matcher import Matcher

#: Length of the vectors.
SIZE = 48


class _Together(nn.Module):
    """Normalises each channel over all strips of the picture: what matters is how its backs differ from each other."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1, width, 1, 1))
        self.shift = nn.Parameter(torch.zeros(1, width, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        away = x - x.mean(dim=(0, 2, 3), keepdim=True)
        spread = (away**2).mean(dim=(0, 2, 3), keepdim=True)
        return away * torch.rsqrt(spread + 1e-3) * self.scale + self.shift


def _unit(inputs: int, outputs: int, stride: tuple[int, int]) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), _Together(outputs), nn.ReLU(inplace=True)
    )


class DesignNet(Matcher):
    """(N, 3, 48, 12) BGR in 0..1, the strips of one picture, to (N, SIZE) unit vectors.

    Two strips are of one design with the odds exp(`sharp` x cosine + `bias`).
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _unit(3, 32, (1, 1)),
            _unit(32, 48, (2, 2)),
            _unit(48, 64, (2, 1)),
            _unit(64, 64, (2, 2)),
        )
        self.head = nn.Linear(64 * 6 + 64, SIZE)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        y = self.body((x - 0.5) * 3)
        along, all_over = y.mean(dim=3).flatten(1), y.amax(dim=(2, 3))
        return functional.normalize(self.head(torch.cat([along, all_over], 1)), dim=1)
