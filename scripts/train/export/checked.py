"""From a training's checkpoint to ONNX, checked against torch, and weights to go on training from."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import onnx
import onnxruntime as ort
import torch
from numpy.typing import NDArray
from torch import nn

from datasets.files import whole
from scripts.building import BuildError
from scripts.train.export.nets import Inputs

#: What an output may differ between torch and ONNX Runtime; half of all, once weights are kept in half precision.
TOLERANCE = 1e-3
#: Weights of fewer numbers stay in single precision.
FEW = 256


def load_average(net: nn.Module, checkpoint: Path) -> int:
    """Puts the averaged weights of a checkpoint into `net`, ready to be used; returns the views behind them.

    Raises BuildError where the file is no checkpoint of such a network.
    """
    try:
        state = torch.load(checkpoint, weights_only=False, map_location="cpu")
        net.load_state_dict(state["average"])
        views = int(state["views"])
    except FileNotFoundError:
        raise BuildError(
            f"{checkpoint}: no such checkpoint; train first, or name the run with --run"
        ) from None
    except (RuntimeError, KeyError, TypeError, EOFError, pickle.UnpicklingError) as error:
        said = str(error).strip().split("\n")[0]
        raise BuildError(f"{checkpoint}: no checkpoint of a {type(net).__name__} ({said})") from None
    net.eval()
    return views


def drawn_towards(net: nn.Module, path: Path) -> None:
    """Makes the weights the mean of their own and those that an export kept: surer than either where both are good.

    Raises BuildError where `path` does not hold weights of such a network.
    """
    own = net.state_dict()
    try:
        with np.load(path) as kept:
            for name, value in own.items():
                if value.is_floating_point():
                    value.lerp_(torch.from_numpy(kept[name].astype(np.float32)), 0.5)
    except (ValueError, KeyError, RuntimeError, BadZipFile, TypeError) as error:
        raise BuildError(f"{path}: no weights of a {type(net).__name__} ({error}); see --mean") from None
    net.load_state_dict(own)


def export(
    net: nn.Module,
    inputs: Inputs,
    output: str,
    free: Mapping[str, Mapping[int, str]],
    out: Path,
    beside: Mapping[str, str] | None = None,
    *,
    half: bool = False,
) -> float:
    """Writes `out` (opset 17) and the weights in half precision beside it; returns the largest difference to torch.

    `inputs`: what both are asked; `free`: the axes of inputs and output whose length is open, by name; `beside`: figures
    kept in the file; `half`: the file holds its weights in half precision, too; what is calculated stays in single
    precision. Raises BuildError where the two differ: then no file is written.
    """
    examples = tuple(torch.from_numpy(values) for values in inputs.values())
    with torch.no_grad():
        ours = net(*examples).numpy()
    with whole(out) as part:
        torch.onnx.export(
            net,
            examples,
            str(part),
            input_names=list(inputs),
            output_names=[output],
            dynamic_axes={name: dict(axes) for name, axes in free.items()},
            opset_version=17,
            dynamo=False,
        )
        if beside:
            model = onnx.load(str(part))
            onnx.helper.set_model_props(model, dict(beside))
            onnx.save(model, str(part))
        difference = float(_apart(part, inputs, ours).max())
        if half:
            _halve(part)
            # beside what a network decides either way a number moves much, whatever the precision
            difference = max(difference, float(np.median(_apart(part, inputs, ours))))
        if not difference <= TOLERANCE:
            raise BuildError(f"{out}: differs from torch by {difference:.2g}; nothing was written")
        _keep(net, out.with_suffix(".npz"))
    return difference


def _keep(net: nn.Module, path: Path) -> None:
    kept = {n: (v.half() if v.is_floating_point() else v).numpy() for n, v in net.state_dict().items()}
    with whole(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **kept)


def _apart(path: Path, inputs: Inputs, ours: NDArray[np.float32]) -> NDArray[np.float32]:
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
