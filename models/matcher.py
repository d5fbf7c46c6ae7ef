"""What networks that match backs share: vectors whose cosine is the odds of one design, and the loss over pairs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class Matcher(nn.Module):
    """Makes unit vectors; two things are of one design with the odds exp(`sharp` x cosine + `bias`)."""

    def __init__(self) -> None:
        super().__init__()
        self.sharp = nn.Parameter(torch.tensor(8.0))
        self.bias = nn.Parameter(torch.tensor(-4.0))

    def odds(self, one: Tensor, two: Tensor) -> Tensor:
        """(n, m) log odds that things with these vectors are of one design."""
        return self.sharp * one @ two.T + self.bias


def pair_loss(odds: Tensor, same: Tensor) -> Tensor:
    """Logistic loss over the pairs of one picture, same and different ones weighing alike; the diagonal is left out."""
    other = ~torch.eye(len(odds), dtype=torch.bool, device=odds.device)
    parts = [
        functional.softplus(-sign * odds[chosen]).mean()
        for sign, chosen in ((1, same & other), (-1, ~same))
        if bool(chosen.any())
    ]
    return torch.stack(parts).mean()
