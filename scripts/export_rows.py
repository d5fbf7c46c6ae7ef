"""Writes the trained row reader as ONNX, checks that it says the same, and keeps weights to go on training from."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from models.row_net import RowNet
from vision.band import ROWS


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("runs/rows"))
    parser.add_argument("--out", type=Path, default=Path("models/rows.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    net = RowNet()
    state = torch.load(options.run / "last.pt", weights_only=False)
    net.load_state_dict(state["average"])
    net.eval()
    example = torch.rand(1, 3, ROWS, 320)
    torch.onnx.export(
        net,
        (example,),
        str(options.out),
        input_names=["band"],
        output_names=["edges"],
        dynamic_axes={"band": {3: "columns"}, "edges": {2: "steps"}},
        opset_version=17,
        dynamo=False,
    )
    session = onnxruntime.InferenceSession(str(options.out), providers=["CPUExecutionProvider"])
    with torch.no_grad():
        wanted = net(example).numpy()
    (got,) = session.run(None, {"band": example.numpy()})
    # half precision is enough to go on from, and small enough to be kept with the project
    kept = {name: value.numpy().astype(np.float16) for name, value in state["average"].items() if value.ndim}
    np.savez_compressed(options.out.with_suffix(".npz"), **kept)
    print(f"{options.out}: {state['views']} views, largest difference {np.abs(got - wanted).max():.2e}")


if __name__ == "__main__":
    main()
