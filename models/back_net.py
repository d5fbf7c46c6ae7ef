"""The network that matches what is seen of whole backs: a crop in, a vector out that backs of one design share."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.matcher import Matcher

#: Length of the vectors.
SIZE = 64


class _Together(nn.Module):
    """Normalises each channel over what is seen of all backs of the picture: what matters is how they differ."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1, width, 1, 1))
        self.shift = nn.Parameter(torch.zeros(1, width, 1, 1))

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """`seen` (n, 1, h, w): how much of each place is the card's own."""
        total = seen.sum(dim=(0, 2, 3), keepdim=True) + 1e-3
        away = x - (x * seen).sum(dim=(0, 2, 3), keepdim=True) / total
        spread = (away**2 * seen).sum(dim=(0, 2, 3), keepdim=True) / total
        return (away * torch.rsqrt(spread + 1e-3) * self.scale + self.shift) * seen.clamp(max=1e-3) * 1e3


class _Unit(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm, self.stride = _Together(outputs), stride

    def forward(self, x: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
        seen = functional.avg_pool2d(seen, self.stride) if self.stride > 1 else seen
        return functional.relu(self.norm(self.conv(x), seen)), seen


class BackNet(Matcher):
    """(N, 4, 80, 56), BGR and the mask of what is seen in 0..1, the backs of one picture, to (N, SIZE) unit vectors.

    Two backs are of one design with the odds exp(`sharp` x cosine + `bias`). Where a place lies on the card it is told by
    its distance from the card's middle lines only: most backs look the same upside down.
    """

    def __init__(self) -> None:
        super().__init__()
        self.units = nn.ModuleList(
            [_Unit(6, 32, 2), _Unit(32, 48, 2), _Unit(48, 64, 1), _Unit(64, 96, 2), _Unit(96, 96, 1)]
        )
        self.head = nn.Sequential(nn.Linear(2 * 96 + 48, 128), nn.ReLU(), nn.Linear(128, SIZE))
        down, right = (torch.linspace(-1, 1, n).abs() for n in (80, 56))
        place = torch.stack([down[:, None].expand(80, 56), right[None].expand(80, 56)])[None]
        self.register_buffer("place", place, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        seen = x[:, 3:]
        place = self.get_buffer("place") * seen
        y = torch.cat([(x[:, :3] - 0.5) * 3 * seen, seen, place], dim=1)
        early = y
        for number, unit in enumerate(self.units):
            y, seen = unit(y, seen)
            if number == 1:
                early = _mean(y, seen)
        return functional.normalize(
            self.head(torch.cat([_mean(y, seen), y.amax(dim=(2, 3)), early], 1)), dim=1
        )


def _mean(y: Tensor, seen: Tensor) -> Tensor:
    """(n, c) means over what is seen."""
    return (y * seen).sum(dim=(2, 3)) / (seen.sum(dim=(2, 3)) + 1e-3)
