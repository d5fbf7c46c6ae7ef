"""What every network of models/ needs to become an ONNX file. Nothing here needs torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vision.backs.strips import STRIP
from vision.rows.band import ROWS

Inputs = Mapping[str, NDArray[Any]]
#: Figures that are kept in the file beside the weights: how a matcher of backs tells odds, how sure a reader is.
Beside = Literal["", "odds", "temperature"]


@dataclass(frozen=True, slots=True)
class Net:
    """How one network is written to models/NAME.onnx."""

    #: Module and class of the network as it is trained.
    made_by: str
    #: What torch and ONNX Runtime are both asked, by the names of the inputs.
    inputs: Inputs
    output: str
    #: Axes of inputs and output whose length is open, with the length's name.
    free: Mapping[str, Mapping[int, str]]
    #: The file holds its weights in half precision, too.
    half: bool = False
    beside: Beside = ""


def _pictures(*shape: int) -> NDArray[np.float32]:
    """Numbers from 0 to 1, as pictures have them; the same ones every time."""
    return np.random.default_rng(1).random(shape, dtype=np.float32)


def _signs(*shape: int) -> NDArray[np.float32]:
    """Numbers about nought."""
    return np.random.default_rng(2).standard_normal(shape, dtype=np.float32)


_EACH, _PAIR = {0: "n"}, {0: "m"}
_FIND = {"image": {2: "height", 3: "width"}, "cells": {2: "rows", 3: "columns"}}

#: By the names of their files in models/.
NETS: Mapping[str, Net] = {
    "backs": Net(
        "models.back_net:BackNet",
        {"backs": _pictures(3, 4, 160, 112)},
        "odds",
        {"backs": _EACH, "odds": {1: "n", 2: "n"}},
    ),
    "designs": Net(
        "models.design_net:DesignNet",
        {"strips": _pictures(2, 3, *STRIP)},
        "vectors",
        {"strips": _EACH, "vectors": _EACH},
        beside="odds",
    ),
    "finder": Net("models.finder_net:FinderNet", {"image": _pictures(1, 3, 128, 160)}, "cells", _FIND),
    "indices": Net(
        "models.index_net:IndexNet",
        {"corners": _pictures(3, 2, 44, 34)},
        "logits",
        {"corners": _EACH, "logits": _EACH},
        beside="temperature",
    ),
    "placer": Net(
        "models.place_net:PlaceNet",
        {"cuts": _pictures(3, 5, 128, 96)},
        "places",
        {"cuts": _EACH, "places": _EACH},
    ),
    "reader": Net(
        "models.reader_net:ReaderNet",
        {"crops": _pictures(3, 4, 160, 112)},
        "logits",
        {"crops": _EACH, "logits": _EACH},
        beside="temperature",
    ),
    "rows": Net(
        "models.row_net:RowNet",
        {"band": _pictures(2, 3, ROWS, 320)},
        "edges",
        {"band": {0: "n", 3: "columns"}, "edges": {0: "n", 2: "steps"}},
    ),
    "sifter": Net(
        "models.sift_net:SiftNet",
        {
            "cards": _signs(3, 18),
            "one": np.array([0, 1, 2, 1]),
            "other": np.array([1, 0, 1, 2]),
            "pairs": _signs(4, 12),
        },
        "odds",
        {"cards": _EACH, "one": _PAIR, "other": _PAIR, "pairs": _PAIR, "odds": _EACH},
    ),
    "spreads": Net(
        "models.second_look:SecondLook", {"image": _pictures(1, 3, 128, 160)}, "cells", _FIND, half=True
    ),
    "verifier": Net(
        "models.verify_net:VerifyNet",
        {"cuts": _pictures(3, 5, 128, 96)},
        "odds",
        {"cuts": _EACH, "odds": _EACH},
    ),
}
