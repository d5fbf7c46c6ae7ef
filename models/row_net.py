"""The row reader's network: a straightened row of cards in, for every mm the long edges that lie there out."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.blocks import ConvUnit, Residual

#: Pixels of a band for one column of the output.
STRIDE = 2
#: Per column: two logits, "the edge of a card that lies to the right of it" and "to the left of it"; then for each
#: of the two: mm from the column's middle to the edge, its slant, its shift across the row, and by how much it is longer
#: than the band takes a card to be, in `SCALES` mm.
CHANNELS = 10
SCALES = (1.0, 4.0, 4.0, 4.0)


class _Along(nn.Module):
    """Looks further along the row."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation, bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(inplace=True),
            nn.Conv1d(width, width, 1, bias=False),
            nn.BatchNorm1d(width),
        )

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.body(x))


class RowNet(nn.Module):
    """(N, 3, 64, L) BGR in 0..1 to (N, 10, L / 2), see `CHANNELS`; L a multiple of 8."""

    def __init__(self, width: int = 96) -> None:
        super().__init__()
        self.body = nn.Sequential(
            ConvUnit(3, 16, (2, 1)),
            ConvUnit(16, 32, (2, 2)),
            Residual(32),
            ConvUnit(32, 64, (2, 1)),
            Residual(64),
            ConvUnit(64, 64, (2, 1)),
        )
        self.fold = nn.Sequential(
            nn.Conv1d(4 * 64, width, 1, bias=False), nn.BatchNorm1d(width), nn.ReLU(inplace=True)
        )
        self.along = nn.Sequential(*(_Along(width, dilation) for dilation in (1, 2, 4, 8, 16)))
        self.head = nn.Conv1d(width, CHANNELS, 1)
        nn.init.zeros_(self.head.bias)
        with torch.no_grad():
            self.head.bias[:2] = -3.0

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        y = self.body((x - 0.5) * 3)
        return self.head(self.along(self.fold(y.flatten(1, 2))))  # type: ignore[no-any-return]


def row_loss(output: Tensor, heat: Tensor, shape: Tensor, known: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Penalty-reduced focal loss (Law and Deng, 2018) on where edges lie, smooth errors on how.

    `heat` (N, 2, L) 1 at an edge, falling off beside it; `shape` (N, 8, L) in units of `SCALES` where `known`
    (N, 2, L) is 1; -1 in `heat` where nothing is to be learned.
    """
    chance = output[:, :2].float().sigmoid().clamp(1e-4, 1 - 1e-4)
    edge = (heat > 0.999).float()
    learned = (heat >= 0).float()
    at = -((1 - chance) ** 2) * torch.log(chance) * edge
    off = -((1 - heat.clamp(min=0)) ** 4) * chance**2 * torch.log(1 - chance) * (1 - edge)
    count = edge.sum().clamp(min=1)
    where = ((at + off) * learned).sum() / count
    error = functional.smooth_l1_loss(output[:, 2:], shape, beta=0.3, reduction="none")
    how = (error * known.repeat_interleave(len(SCALES), dim=1)).sum() / known.sum().clamp(min=1)
    return where + 0.5 * how, {"where": float(where.detach()), "how": float(how.detach())}
