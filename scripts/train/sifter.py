"""Trains the sifter on what the eye found in photos of spread backs (scripts/build/cases.py); checkpoints, log, resume.

python -m scripts.train.sifter --data cache/cases
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from models.sift_net import SiftNet, sift_loss
from scripts.build.cases import Arrays, cases_of
from scripts.train.loop import Batch, Forward, Training, options_of

#: Standard deviation of what is added to every figure of a thing, and of a pair, so that none is known too well.
BLUR, BLUR_OF_PAIR = 0.05, 0.02
#: How often as much as this share of the things of a picture is left out at random.
THINNED, LEFT_OUT = 0.6, 0.3


class Cases:
    """All cases of some folders."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator) -> None:
        self._rng = rng
        self._cases = [
            case for folder in folders for path in sorted(folder.glob("*.npz")) for case in cases_of(path)
        ]
        self._order: list[int] = []

    def batch(self, count: int) -> Batch:
        """Of `count` pictures together: cards, one, other, pairs, right, as in `models/sift_net.py`."""
        parts = []
        for _ in range(count):
            if not self._order:
                self._order = self._rng.permutation(len(self._cases)).tolist()
            parts.append(varied(self._cases[self._order.pop()], self._rng))
        first = np.cumsum([0, *(len(part["cards"]) for part in parts)])
        for part, number in zip(parts, first, strict=False):
            part["one"], part["other"] = part["one"] + number, part["other"] + number
        told = {name: torch.from_numpy(np.concatenate([part[name] for part in parts])) for name in parts[0]}
        return told["cards"], told["one"], told["other"], told["pairs"], told["right"].float()


def varied(case: Arrays, rng: np.random.Generator) -> Arrays:
    """The same, a little blurred, and now and then without some of the things."""
    kept = np.ones(len(case["cards"]), dtype=bool)
    if rng.random() < THINNED:
        kept = rng.random(len(kept)) > LEFT_OUT * rng.random()
    number = np.cumsum(kept) - 1
    both = kept[case["one"]] & kept[case["other"]]
    made = {"right": case["right"][kept]}
    for name, rows, blur in (("cards", kept, BLUR), ("pairs", both, BLUR_OF_PAIR)):
        values = case[name][rows]
        made[name] = (values + rng.normal(0, blur, values.shape)).astype(np.float32)
    return made | {name: number[case[name][both]] for name in ("one", "other")}


def tell(net: Forward, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    """Loss and figures of one batch of `Cases`."""
    *told, right = batch
    run: Callable[..., Tensor] = net
    return sift_loss(run(*told), right)


def main() -> None:
    """Command line."""
    options = options_of(__doc__, "runs/sifter", minutes=10, batch=4, lr=3e-3).parse_args()
    torch.manual_seed(options.seed)
    training = Training(SiftNet(), options, steady=False)
    training.run(lambda rng: partial(Cases(options.data, rng).batch, options.batch), tell)


if __name__ == "__main__":
    main()
