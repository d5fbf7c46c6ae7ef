"""Trains the finder's second look, the first one given and left as it is."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from models.second_look import SecondLook
from scripts.train_finder import learn, options_of_windows
from scripts.training import take_weights


def _demand_first_look(parser: argparse.ArgumentParser, options: argparse.Namespace, net: SecondLook) -> None:
    """Ends with an error where no weights of the first look are given: it would stay as it is by chance, for good."""
    path, before = (options.init, "first.") if options.first is None else (options.first, "")
    if path is None:
        parser.error("give --first, what export_finder wrote, or --init, what export_second_look wrote")
    with np.load(path) as kept:
        missing = {before + name for name in net.first.state_dict()} - set(kept.files)
    if missing:
        parser.error(
            f"{path} has no {min(missing)}: --first is of export_finder, --init of export_second_look"
        )


def main() -> None:
    """Command line."""
    parser = options_of_windows(__doc__, "runs/spreads", batch=16)
    parser.add_argument("--first", type=Path, help="weights of the first look alone, as models/finder.npz")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    net = SecondLook()
    _demand_first_look(parser, options, net)
    if options.first is not None:
        take_weights(net.first, options.first)
    learn(net, options)


if __name__ == "__main__":
    main()
