"""The reader's network: a rectified crop and the mask of its visible part in, 52 faces and "no face" out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.blocks import stages

#: Faces in the order of `vision.layout.FACES`: suit by suit, rank by rank; reject comes last.
SUITS, RANKS = 4, 13


class ReaderNet(nn.Module):
    """(N, 4, 160, 112): BGR and mask in 0..1, to (N, 53) logits.

    The card's own pixels are kept and the rest is dimmed, not removed: a misplaced mask must not hide
    an index.
    Places are pooled by their maximum and their mean, so that an index counts wherever it is seen.
    A face's logit is its rank's plus its suit's plus a little of its own, so that every card teaches all cards
    of its rank and of its suit.
    """

    def __init__(self, widths: tuple[int, int, int, int] = (32, 64, 128, 192)) -> None:
        super().__init__()
        self.body = nn.Sequential(*stages(4, widths))
        d = widths[-1]
        self.drop = nn.Dropout(0.15)
        self.parts = nn.Linear(2 * d, RANKS + SUITS + 1)
        self.own = nn.Linear(2 * d, RANKS * SUITS)
        nn.init.zeros_(self.own.weight)
        nn.init.zeros_(self.own.bias)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        mask = x[:, 3:4]
        pixels = (x[:, :3] - 0.5) * (0.25 + 0.75 * mask)
        y = self.body(torch.cat([pixels * 3, mask - 0.5], 1))
        pooled = torch.cat([y.amax(dim=(2, 3)), y.mean(dim=(2, 3))], 1)
        pooled = self.drop(pooled)
        rank, suit, reject = self.parts(pooled).split((RANKS, SUITS, 1), dim=1)
        faces = (suit[:, :, None] + rank[:, None, :]).flatten(1) + self.own(pooled)
        return torch.cat([faces, reject], 1)
