"""What the path tracer needs of the machine: Mitsuba, and an LLVM that is new enough.

One that is too old ends the process without a word, so it is looked for before anything is loaded.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
from functools import cache
from pathlib import Path

from datasets.renderers import RendererError

#: Variable that names LLVM's library, read by Dr.Jit too.
LIBRARY = "DRJIT_LIBLLVM_PATH"
#: Older ones lack instructions that Dr.Jit asks for.
LEAST_LLVM = 17
REMEDY = f"pip install '.[path]', apt-get install libllvm19 (or name LLVM's library in {LIBRARY})"


def check() -> None:
    """Raises RendererError where Mitsuba or its LLVM is missing; loads neither Mitsuba nor Dr.Jit."""
    for module in ("mitsuba", "pyoidn"):
        if importlib.util.find_spec(module) is None:
            raise RendererError(f"the path tracer needs {module}: {REMEDY}")
    llvm()


@cache
def llvm() -> str:
    """Path of a library that is new enough; raises RendererError."""
    named = os.environ.get(LIBRARY)
    candidates = [named] if named else _installed()
    for path in candidates:
        version = _version(path)
        if version >= LEAST_LLVM:
            return path
    found = f"{named} is none" if named else f"found {', '.join(candidates) or 'none'}"
    raise RendererError(f"the path tracer needs LLVM {LEAST_LLVM} or newer ({found}): {REMEDY}")


def _installed() -> list[str]:
    """Libraries of LLVM, the newest first."""
    found: dict[str, int] = {}
    for pattern in ("/usr/lib/*/libLLVM*.so*", "/usr/lib/llvm-*/lib/libLLVM*.so*", "/usr/lib64/libLLVM*.so*"):
        for path in Path("/").glob(pattern[1:]):
            number = re.search(r"libLLVM(?:-|\.so\.)(\d+)", path.name)
            if number:
                found[str(path.resolve())] = int(number[1])
    return sorted(found, key=lambda path: -found[path])


def _version(path: str) -> int:
    """The major version; 0 for what is no LLVM, or so old that it does not say."""
    try:
        library = ctypes.CDLL(path)
        major, minor, patch = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        library.LLVMGetVersion(ctypes.byref(major), ctypes.byref(minor), ctypes.byref(patch))
    except (OSError, AttributeError):
        return 0
    return major.value
