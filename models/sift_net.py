"""The sifter's network: what is known of the things found among spread backs, and of pairs of them, in; which are cards
out."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class SiftNet(nn.Module):
    """`cards` (n, 18), `one` and `other` (m,) rows of pairs, and `pairs` (m, 12) to (n,) log odds of a card.

    Message passing: a pair tells the one what the other is and how it lies, more or less of it as it thinks fit.
    """

    def __init__(self, of_one: int = 18, of_pair: int = 12, width: int = 48, rounds: int = 3) -> None:
        super().__init__()
        self.taken_in = _two(of_one, width, width)
        self.said = nn.ModuleList(_two(2 * width + of_pair, width, width) for _ in range(rounds))
        self.heeded = nn.ModuleList(_two(2 * width + of_pair, width, 1) for _ in range(rounds))
        self.thought = nn.ModuleList(_two(2 * width, width, width) for _ in range(rounds))
        self.levelled = nn.ModuleList(nn.LayerNorm(width) for _ in range(rounds))
        self.judged = _two(width, width, 1)
        self.at_once = nn.Linear(of_one, 1)

    def forward(self, cards: Tensor, one: Tensor, other: Tensor, pairs: Tensor) -> Tensor:
        """See the class."""
        known = self.taken_in(cards)
        # (n, m) who hears what: a sum by rows that every runtime adds up alike
        hears = (torch.arange(cards.shape[0], device=one.device)[:, None] == one[None]).to(cards.dtype)
        for said, heeded, thought, levelled in zip(
            self.said, self.heeded, self.thought, self.levelled, strict=True
        ):
            both = torch.cat([known[one], known[other], pairs], dim=1)
            told = said(both) * torch.sigmoid(heeded(both))
            known = levelled(known + thought(torch.cat([known, hears @ told], dim=1)))
        return (self.judged(known) + self.at_once(cards))[:, 0]  # type: ignore[no-any-return]


def _two(enters: int, width: int, leaves: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(enters, width), nn.GELU(), nn.Linear(width, leaves))


def sift_loss(odds: Tensor, right: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Loss of a batch; `right` (n,): 1 where it is a card."""
    # nobody is ever quite sure
    softer = right * 0.98 + 0.01
    loss = functional.binary_cross_entropy_with_logits(odds, softer)
    return loss, {"told": float(((odds > 0) == (right > 0.5)).float().mean().detach())}
