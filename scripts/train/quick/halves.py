"""bfloat16 on processors, which ultralytics knows on GPUs only: about twice the pictures a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from scripts.train.loop import has_bfloat16


def hasten(trainer: Any, threads: int) -> None:
    """Before the first picture: as many threads as are asked for, and bfloat16 where the processor has it."""
    # ultralytics leaves a core to others
    torch.set_num_threads(threads)
    if has_bfloat16():
        trainer.model.forward = in_halves(trainer.model.forward)


def in_halves(forward: Callable[..., Any]) -> Callable[..., Any]:
    """The network's `forward` reckoning in bfloat16; what it gives, and the loss of a batch, in single precision."""

    def run(x: Any, *more: Any, **named: Any) -> Any:
        if not isinstance(x, torch.Tensor):
            # a batch: its loss calls this again with the pictures
            return forward(x, *more, **named)
        with torch.autocast("cpu", torch.bfloat16):
            told = forward(x, *more, **named)
        return _single(told)

    return run


def _single(told: Any) -> Any:
    if isinstance(told, torch.Tensor):
        return told.float() if told.is_floating_point() else told
    if isinstance(told, dict):
        return {name: _single(part) for name, part in told.items()}
    if isinstance(told, list | tuple):
        return type(told)(_single(part) for part in told)
    return told
