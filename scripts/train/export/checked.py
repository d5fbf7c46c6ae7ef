"""From a training's checkpoint to ONNX, checked against torch, and weights to go on training from."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.matcher import Matcher

#: What an output may differ between torch and ONNX Runtime; half of all, once weights are kept in half precision.
TOLERANCE = 1e-3
#: Weights of fewer numbers stay in single precision.
FEW = 256


def load_average(net: nn.Module, checkpoint: Path) -> int:
    """Puts the averaged weights of a checkpoint into `net`, ready to be used; returns the views behind them."""
    state = torch.load(checkpoint, weights_only=False, map_location="cpu")
    net.load_state_dict(state["average"])
    net.eval()
    return int(state["views"])


def drawn_towards(net: nn.Module, path: Path) -> None:
    """Makes the weights the mean of their own and those that an export kept: surer than either where both are good."""
    own = net.state_dict()
    with np.load(path) as kept:
        for name, value in own.items():
            if value.is_floating_point():
                value.lerp_(torch.from_numpy(kept[name].astype(np.float32)), 0.5)
    net.load_state_dict(own)


def export(
    net: nn.Module,
    example: Tensor | tuple[Tensor, ...],
    free: tuple[Mapping[int, str], ...],
    names: tuple[str, ...],
    out: Path,
    metadata: Mapping[str, str] | None = None,
    *,
    half: bool = False,
) -> float:
    """Writes `out` (opset 17) and the weights in half precision beside it; returns the largest difference to torch.

    `half`: the file holds its weights in half precision, too; what is calculated stays in single precision.
    `example`: an input, or several; `free`: the axes of inputs and output whose length is open, by name; `names`: of
    inputs and output.
    """
    examples = (example,) if isinstance(example, Tensor) else example
    torch.onnx.export(
        net,
        examples,
        str(out),
        input_names=list(names[:-1]),
        output_names=[names[-1]],
        dynamic_axes={name: dict(axes) for name, axes in zip(names, free, strict=True)},
        opset_version=17,
        dynamo=False,
    )
    if metadata:
        model = onnx.load(str(out))
        onnx.helper.set_model_props(model, dict(metadata))
        onnx.save(model, str(out))
    with torch.no_grad():
        ours = net(*examples).numpy()
    inputs = {name: one.numpy() for name, one in zip(names[:-1], examples, strict=True)}
    difference = float(_apart(out, inputs, ours).max())
    if half:
        _halve(out)
        # beside what a network decides either way a number moves much, whatever the precision
        difference = max(difference, float(np.median(_apart(out, inputs, ours))))
    if difference > TOLERANCE:
        raise SystemExit(f"{out}: differs from torch by {difference:.2g}")
    kept = {n: (v.half() if v.is_floating_point() else v).numpy() for n, v in net.state_dict().items()}
    np.savez_compressed(out.with_suffix(".npz"), **kept)
    return difference


def _apart(
    path: Path, inputs: Mapping[str, NDArray[np.float32]], ours: NDArray[np.float32]
) -> NDArray[np.float32]:
    """How far what the file says is from `ours`, number by number."""
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return np.asarray(np.abs(ours - np.asarray(session.run(None, dict(inputs))[0])), dtype=np.float32)


def _halve(path: Path) -> None:
    """Keeps the weights of a file in half precision: ONNX Runtime makes them single when it opens it."""
    model = onnx.load(str(path))
    casts = []
    for kept in model.graph.initializer:
        values = onnx.numpy_helper.to_array(kept)
        if values.dtype != np.float32 or values.size < FEW:
            continue
        name = kept.name
        kept.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(onnx.helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, str(path))


def export_matcher(net: Matcher, run: Path, example: Tensor, name: str, out: Path) -> str:
    """Writes a run's network that matches backs, `name` its input, as `export` does; what to say of it."""
    views = load_average(net, run / "last.pt")
    metadata = {"sharp": f"{float(net.sharp):.4f}", "bias": f"{float(net.bias):.4f}"}
    difference = export(net, example, ({0: "n"}, {0: "n"}), (name, "vectors"), out, metadata)
    return f"{out}: {views} {name}, differs from torch by {difference:.1g}"


def command(
    description: str | None,
    net: nn.Module,
    name: str,
    example: Tensor | tuple[Tensor, ...],
    free: tuple[Mapping[int, str], ...],
    names: tuple[str, ...],
    *,
    half: bool = False,
) -> None:
    """The command line of a script that writes `models/NAME.onnx` from `runs/NAME`; the rest is as for `export`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--run", type=Path, default=Path(f"runs/{name}"))
    parser.add_argument("--out", type=Path, default=Path(f"models/{name}.onnx"))
    parser.add_argument("--mean", type=Path, help="keep the mean with these weights, as models/*.npz")
    options = parser.parse_args()
    views = load_average(net, options.run / "last.pt")
    if options.mean is not None:
        drawn_towards(net, options.mean)
    difference = export(net, example, free, names, options.out, half=half)
    print(f"{options.out}: {views} views, differs from torch by {difference:.1g}")
