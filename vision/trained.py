"""The trained weights: in the package when installed, in `models/` in a checkout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import onnxruntime as ort
from numpy.typing import NDArray

#: What a network is shown that has more values than this is shown seldom.
LARGE = 2_000_000

_GIVING_BACK = ort.RunOptions()
_GIVING_BACK.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")


class Network:
    """A network that keeps the memory it works in, but for what something large took: most that comes is small."""

    def __init__(self, session: ort.InferenceSession) -> None:
        self._session = session
        self.get_modelmeta = session.get_modelmeta

    def run(
        self, outputs: Sequence[str] | None, given: Mapping[str, NDArray[Any]], *, keeps: bool = False
    ) -> Any:
        """The arrays told of these, as `InferenceSession.run` gives them; `keeps`: what is as large will come soon."""
        if not keeps and sum(values.size for values in given.values()) > LARGE:
            return self._session.run(outputs, given, _GIVING_BACK)
        return self._session.run(outputs, given)


def weights_path(name: str) -> Path:
    """Path of one weights file; FileNotFoundError names it and what to do."""
    here = Path(__file__).resolve().parent
    for candidate in (here / "weights" / name, here.parent / "models" / name):
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(f"the weights {name} are missing: install nerts-referee again, or run make train")


def open_later(
    name: str, model: Path | None, threads: int, *, sparing: bool = False
) -> Callable[[], Network]:
    """What opens the network of `open_model` when it is first asked, and gives it; a missing file is told at once."""
    path = weights_path(name) if model is None else model
    return cache(partial(open_model, name, path, threads, sparing=sparing))


def open_model(name: str, model: Path | None, threads: int, *, sparing: bool = False) -> Network:
    """The network in the file `model`, or in the weights file `name` when that is None.

    `sparing`: of memory, a third of which goes where it is planned by the last picture; a little slower.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    # threads that wait busily take the time of whatever else runs: decoding, the rules
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_mem_pattern = not sparing
    options.log_severity_level = 3
    path = weights_path(name) if model is None else model
    return Network(ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]))
