"""The import of the part of CuPy that the engine uses, in a process that is this program's alone.

CuPy as a whole is 360 modules; arrays, streams, kernels and memory are half of them, and a search waits for the import.
CuPy also looks five times for cuTENSOR, which loads cuBLAS where it is installed, as next to PyTorch. Any other name of
CuPy is there as before: its first use imports the rest.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

from swgui.core.later import Later

NAME: Final = "cupy"
KNOWN: Final = "14."  # versions whose parts are the ones below
# Modules that CuPy imports and a search seldom uses: they find packages and libraries.
PACKAGES: Final = "importlib.metadata"
FINDER: Final = "cuda.pathfinder"
LEFT_OUT: Final = "cutensor"
# Names that the engine uses, by the module that has them.
USED: Final = {
    "cupy._core": ("ndarray",),
    "cupy._creation.basic": ("empty", "zeros"),
    "cupy._creation.from_data": ("asarray",),
    "numpy": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
}
_importing = threading.RLock()


class Finder(Later):
    """The module by which CuPy finds libraries: it is imported once a library other than cuTENSOR is to be found."""

    class DynamicLibNotFoundError(RuntimeError):
        """A library is not there."""

    def load_nvidia_dynamic_lib(self, name: str) -> Any:
        """Load a library.

        Raises
        ------
        DynamicLibNotFoundError
            If it is not there, or is cuTENSOR.
        """
        if name == LEFT_OUT:
            raise self.DynamicLibNotFoundError(f"{name} is left out")
        finder: Any = self.imported()
        try:
            return finder.load_nvidia_dynamic_lib(name)
        except finder.DynamicLibNotFoundError as fault:
            raise self.DynamicLibNotFoundError(str(fault)) from fault


def import_lean() -> Any:
    """Import the part of CuPy that the engine uses; a version that is built otherwise as a whole.

    Raises
    ------
    ImportError
        If CuPy is not installed, or damaged.
    """
    with _importing:  # another thread finds the part complete
        spec = None if NAME in sys.modules else importlib.util.find_spec(NAME)
        if spec is None or spec.loader is None:
            return importlib.import_module(NAME)
        module = sys.modules[NAME] = importlib.util.module_from_spec(spec)
        setattr(module, "__getattr__", lambda name: _other(module, spec, name))  # noqa: B010  # a module, to mypy
        try:
            if importlib.import_module(f"{NAME}._version").__version__.startswith(KNOWN):
                _import_part(module)
                return module
        except (ImportError, AttributeError):  # the import of all of it succeeds, or explains the fault
            pass
        _complete(module, spec)
        return module


def _import_part(module: Any) -> None:
    """Import the modules that the engine uses, and set what the package itself sets."""
    importlib.import_module(f"{NAME}._environment")._setup_win32_dll_directory()  # nothing on other systems
    for later in (Later(PACKAGES), Finder(FINDER)):
        if later.__name__ not in sys.modules:
            parent, _, name = later.__name__.rpartition(".")
            setattr(importlib.import_module(parent), name, later)
            sys.modules[later.__name__] = later
    for place, names in USED.items():
        made = importlib.import_module(place)
        for name in names:
            setattr(module, name, getattr(made, name))
    cuda = importlib.import_module(f"{NAME}.cuda")
    memory, pinned = cuda.MemoryPool(), cuda.PinnedMemoryPool()
    cuda.set_allocator(memory.malloc)
    cuda.set_pinned_memory_allocator(pinned.malloc)
    module.get_default_memory_pool, module.get_default_pinned_memory_pool = lambda: memory, lambda: pinned
    module.__version__ = sys.modules[f"{NAME}._version"].__version__


def _other(module: ModuleType, spec: ModuleSpec, name: str) -> Any:
    """Return a name that is not there yet: a module of the package, or one for which all of it is imported."""
    if name.startswith("__"):
        raise AttributeError(f"module '{NAME}' has no attribute '{name}'")
    full = f"{NAME}.{name}"
    if full in sys.modules or importlib.util.find_spec(full) is not None:
        return importlib.import_module(full)
    _complete(module, spec)
    return getattr(module, name)


def _complete(module: ModuleType, spec: ModuleSpec) -> None:
    """Import all of the package, as `import` does."""
    vars(module).pop("__getattr__", None)
    assert spec.loader is not None
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(NAME, None)
        raise
