"""Trains the finder's second look, the first one given and left as it is."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import torch

from datasets.window_targets import vote_targets
from models.second_look import SecondLook
from scripts.train_finder import Shards, judge
from scripts.training import Training, options_of, take_weights


def main() -> None:
    """Command line."""
    parser = options_of(__doc__, "runs/second-look", minutes=100, batch=16, lr=1.5e-3)
    parser.add_argument("--crop", type=int, default=256, help="side of the part of a window that is used, px")
    parser.add_argument(
        "--first", type=Path, required=True, help="weights of the first look, as models/*.npz"
    )
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    net = SecondLook()
    take_weights(net.first, options.first)
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(net, options)
    training.run(
        lambda rng: partial(Shards(options.data, rng, options.crop, vote_targets).batch, options.batch), judge
    )


if __name__ == "__main__":
    main()
