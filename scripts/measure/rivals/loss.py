"""The rivals' loss: focal for the peaks, and the finder's own measures for the rectangles."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from scripts.measure.rivals.peaks import SIDES
from scripts.train.loop import Batch, Forward


def peak_loss(
    output: Tensor, peaks: Tensor, boxes: Tensor, weights: Tensor
) -> tuple[Tensor, dict[str, float]]:
    """Loss of a batch: focal for the peaks (as Zhou et al.), and the finder's own measures for the rectangles."""
    logits = output[:, :SIDES].float()
    chance = torch.sigmoid(logits).clamp(1e-4, 1 - 1e-4)
    hit = (peaks >= 1.0).float()
    found = -hit * (1 - chance) ** 2 * torch.log(chance)
    missed = -(1 - hit) * (1 - peaks) ** 4 * chance**2 * torch.log(1 - chance)
    peak = (found + missed).sum() / hit.sum().clamp(min=1.0)
    total = weights.sum().clamp(min=1.0)

    def mean(values: Tensor) -> Tensor:
        return (values * weights).sum() / total

    box = output[:, SIDES:].float()
    off = (box[:, 0:2] - boxes[:, 0:2]) / torch.exp(boxes[:, 7:8])
    middle = mean(functional.smooth_l1_loss(off, torch.zeros_like(off), beta=0.05, reduction="none").sum(1))
    turn = mean(
        (box[:, 2:6] - boxes[:, 2:6]).square().sum(1) + (box[:, 8:12] - boxes[:, 8:12]).square().sum(1)
    )
    size = mean((box[:, 6:8] - boxes[:, 6:8]).abs().sum(1))
    loss = peak + middle + 0.5 * (turn + size)
    told = {"peak": peak, "middle": middle, "turn": turn, "size": size}
    return loss, {name: float(value.detach()) for name, value in told.items()}


def judge(net: Forward, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    """Loss and figures of one batch of `scripts.train.finder.Shards` with `peak_targets`."""
    images, *truth = batch
    return peak_loss(net(images.to(memory_format=torch.channels_last).float() / 255), *truth)
