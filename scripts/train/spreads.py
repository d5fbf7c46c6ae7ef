"""Trains the finder of spread backs, both its looks together, on windows that are held in the memory of the device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch

from models.finder_net import CHANNELS, finder_loss
from models.second_look import SecondLook
from scripts.train.finder import options_of_windows
from scripts.train.held_windows import HeldWindows
from scripts.train.loop import Batch, Forward, Training, take_weights


def judge(net: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss of both looks, and the figures of the second."""
    images, *truth = batch
    said = net(images.to(memory_format=torch.channels_last).float() / 255)
    first, _ = finder_loss(said[:, :CHANNELS], *truth)
    second, figures = finder_loss(said[:, CHANNELS:], *truth)
    return first + second, figures | {"first": float(first.detach()), "second": float(second.detach())}


def main() -> None:
    """Command line."""
    parser = options_of_windows(__doc__, "runs/spreads", batch=64)
    parser.set_defaults(crop=288)
    parser.add_argument(
        "--first", type=Path, help="weights that the first look begins with, as models/finder.npz"
    )
    options = parser.parse_args()
    for folder in options.data:
        # its shards may still be on their way
        if not folder.is_dir():
            parser.error(f"{folder}: no such folder; python -m scripts.build.windows --spread makes one")
    torch.manual_seed(options.seed)
    net = SecondLook()
    if options.first is not None:
        take_weights(net.first, options.first)
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(net, options)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def loader(rng: np.random.Generator) -> Callable[[], Batch]:
        return partial(HeldWindows(options.data, rng, options.crop, device).batch, options.batch)

    training.run(loader, judge)


if __name__ == "__main__":
    main()
