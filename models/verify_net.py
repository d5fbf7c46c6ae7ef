"""The verifier's network: what may be a card, cut out where it was found, in; whether it is one out."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.blocks import ConvUnit, stages


class VerifyNet(nn.Module):
    """(N, 5, 128, 96): BGR, what is seen of the card and of others, in 0..1, to (N, 1) log odds of a card.

    Its body is as the placer's, so that a training can begin with what that has learned.
    """

    def __init__(self, widths: tuple[int, int, int, int] = (24, 48, 96, 128)) -> None:
        super().__init__()
        self.body = nn.Sequential(*stages(5, widths), ConvUnit(widths[-1], 32, kernel=1))
        self.head = nn.Sequential(
            nn.Dropout(0.3),
            nn.Linear(32 * 8 * 6, 96),
            nn.ReLU(inplace=True),
            nn.Dropout(0.3),
            nn.Linear(96, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        y = self.body((x - 0.5) * 2).flatten(1)
        with torch.autocast(x.device.type, enabled=False):
            return self.head(y.float())  # type: ignore[no-any-return]


def verify_loss(output: Tensor, real: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Loss of a batch: `real` (N,) 1 where a card lies there."""
    loss = functional.binary_cross_entropy_with_logits(output[:, 0], real)
    right = ((output[:, 0] > 0) == (real > 0.5)).float().mean()
    return loss, {"told": float(right.detach())}
