"""The import of CuPy without cuTENSOR, which this program does not use.

As it is imported, CuPy looks five times for cuTENSOR, and loads what that needs first: cuBLAS, where it is installed,
as next to PyTorch. A search waits for the import, and a process that is this program's alone does without.
"""

from __future__ import annotations

import importlib
from typing import Any, Final

LEFT_OUT: Final = "cutensor"


def import_lean() -> Any:
    """Import CuPy without looking for cuTENSOR; a version that finds libraries in another way as it is."""
    try:
        finder = importlib.import_module("cuda.pathfinder")
        missing, load = finder.DynamicLibNotFoundError, finder.load_nvidia_dynamic_lib
    except (ImportError, AttributeError):
        return importlib.import_module("cupy")

    def load_others(name: str, *arguments: Any, **more: Any) -> Any:
        if name == LEFT_OUT:
            raise missing(f"{name} is left out")
        return load(name, *arguments, **more)

    setattr(finder, "load_nvidia_dynamic_lib", load_others)  # noqa: B010  # a module, to mypy
    try:
        return importlib.import_module("cupy")
    finally:
        setattr(finder, "load_nvidia_dynamic_lib", load)  # noqa: B010
