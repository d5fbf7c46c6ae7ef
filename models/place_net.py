"""The placer's network: a card cut out as it was found in, how far its corners are off out."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.blocks import ConvUnit, stages

#: Outputs: offsets of four corners, x and y; logarithms of how far off each is expected to be; log odds of a card.
OFFSETS, OUTPUTS = 8, 17


class PlaceNet(nn.Module):
    """(N, 5, 128, 96): BGR, what is seen of the card and of others, in 0..1, to (N, 17)."""

    def __init__(self, widths: tuple[int, int, int, int] = (24, 48, 96, 128)) -> None:
        super().__init__()
        self.body = nn.Sequential(*stages(5, widths), ConvUnit(widths[-1], 32, kernel=1))
        self.last = nn.Sequential(nn.Linear(32 * 8 * 6, 192), nn.ReLU(inplace=True), nn.Linear(192, OUTPUTS))

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        y = self.body((x - 0.5) * 2).flatten(1)
        # places are finer than half precision
        with torch.autocast(x.device.type, enabled=False):
            return self.last(y.float())  # type: ignore[no-any-return]


def place_loss(output: Tensor, offsets: Tensor, real: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Loss of a batch: `offsets` (N, 8) in units of the cut, `real` (N,) 1 where a card lies there."""
    off = (output[:, :OFFSETS] - offsets).abs()
    spread = output[:, OFFSETS : 2 * OFFSETS].clamp(-6, 3)
    # what is seen well is worth being exact; what cannot be known should say so (Kendall and Gal, 2017)
    told = (off * torch.exp(-spread) + spread).mean(1)
    plain = functional.smooth_l1_loss(output[:, :OFFSETS], offsets, beta=0.05, reduction="none").mean(1)
    there = functional.binary_cross_entropy_with_logits(output[:, 2 * OFFSETS], real)
    number = real.sum().clamp(min=1.0)
    loss = ((plain + 0.2 * told) * real).sum() / number + 0.3 * there
    right = ((output[:, 2 * OFFSETS] > 0) == (real > 0.5)).float().mean()
    figures = {"off": float((off.mean(1) * real).sum().detach() / number), "told": float(right.detach())}
    return loss, figures
