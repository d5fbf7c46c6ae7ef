"""Writes a trained network as ONNX, checks that it says the same as torch, and keeps weights to go on training from.

    python -m scripts.train.export finder
    python -m scripts.train.export rows --run runs/rows-leftovers
    python -m scripts.train.export reader --tune cache/crops-tune

Where the two differ nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from scripts.building import BuildError, ended
from scripts.train.export.nets import NETS


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    return ended("train.export", lambda: _export(options), remedy="export again")


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("net", choices=sorted(NETS), metavar="NET", help=f"one of {', '.join(sorted(NETS))}")
    parser.add_argument("--run", type=Path, help="where its training kept the checkpoint; runs/NET")
    parser.add_argument("--out", type=Path, help="models/NET.onnx; the weights go beside it, as *.npz")
    parser.add_argument("--mean", type=Path, help="keep the mean with these weights, as models/*.npz")
    parser.add_argument("--tune", type=Path, help="shards of the tuning decks, for the reader's temperature")
    return parser


def _export(options: argparse.Namespace) -> str:
    name: str = options.net
    asked = NETS[name]
    if (options.tune is not None) != (asked.beside == "temperature"):
        wants = "wants" if options.tune is None else "has no use for"
        raise BuildError(
            f"{name} {wants} --tune: shards of the tuning decks, which the reader's temperature needs"
        )
    try:
        from scripts.train.export.checked import drawn_towards, export, load_average

        net = network(name)
    except ModuleNotFoundError as error:
        raise BuildError(f"{error.name} is not installed here; .venv-train has it: make train") from None
    views = load_average(net, (options.run or Path("runs") / name) / "last.pt")
    if options.mean is not None:
        drawn_towards(net, options.mean)
    beside = _beside(net, name, options.tune)
    out: Path = options.out or Path("models") / f"{name}.onnx"
    difference = export(net, asked.inputs, asked.output, asked.free, out, beside, half=asked.half)
    said = "".join(f"{figure} {value}, " for figure, value in beside.items())
    return f"{out}: {views} views, {said}differs from torch by {difference:.1g}"


def network(name: str) -> Any:
    """A network as it is trained, its weights by chance."""
    module, _, kind = NETS[name].made_by.partition(":")
    return getattr(import_module(module), kind)()


def _beside(net: Any, name: str, tune: Path | None) -> dict[str, str]:
    """The figures that are kept in the file."""
    if NETS[name].beside == "odds":
        return {"sharp": f"{net.sharp.item():.4f}", "bias": f"{net.bias.item():.4f}"}
    if tune is None:
        return {}
    from scripts.train.export.temperature import temperature

    return {"temperature": f"{temperature(net, tune):.4f}"}


if __name__ == "__main__":
    sys.exit(main())
