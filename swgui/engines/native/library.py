"""The compiled library: its file, its functions, and the reason where it cannot be used.

Compiled from ``kernels/cpu`` by ``packaging/native.py`` (at installation, and in wheels and bundles beforehand). All
scores and alignments of the CPU need it. ``SWGUI_NATIVE`` names another library.
"""

from __future__ import annotations

import ctypes
import logging
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from swgui.core.devices import CPU
from swgui.core.errors import EngineUnavailable
from swgui.engines.native.naming import library_name, this_target
from swgui.paths import kernels_dir

log = logging.getLogger(__name__)
FOLDER: Final = Path(__file__).resolve().parent / "_build"
IN_WHEELS: Final = "_kernels"  # the folder of the sources there: their library was built with them
VARIABLE: Final = "SWGUI_NATIVE"
REMEDY: Final = "Install the program again; in a checkout run python packaging/native.py."
SCORE_BOUND: Final = (1 << 31) - (1 << 25)  # a query that may score more is not given to the library
NARROW_SYMBOLS: Final = 256  # of alphabets whose residues take a byte
WIDE_SYMBOLS: Final = 8192  # as in kernels/cpu/level.h
LANES: Final = {"avx2": 32, "avx512": 64}
LEVELS: Final = {"baseline": "baseline", "avx2": "AVX2", "avx512": "AVX-512"}  # worst first

_Libraries = tuple[ctypes.CDLL, ctypes.PyDLL]
_Found = tuple[_Libraries | None, tuple[str, ...], str]


def problem() -> str:
    """Return the reason why the compiled library is unusable, as a sentence without full stop; empty if it works."""
    return probe()[2]


def levels() -> tuple[str, ...]:
    """Return the instruction sets of the library that this CPU runs, best last; empty without a library."""
    return probe()[1]


def lanes() -> int:
    """Return the number of subjects that `scores` scores side by side; 0 if it scores them one after the other."""
    return LANES.get(levels()[-1], 0) if levels() else 0


def facts() -> dict[str, str]:
    """Return the instruction set in use, to show; empty if the library cannot be used."""
    return {"compiled code": LEVELS[levels()[-1]]} if levels() else {}


@lru_cache(maxsize=1)
def checksum() -> str:
    """Return the SHA-256 of the library's file; empty if the library cannot be used."""
    import hashlib  # here: for certificates

    libraries = probe()[0]
    return hashlib.sha256(Path(libraries[0]._name).read_bytes()).hexdigest() if libraries else ""


@lru_cache(maxsize=128)
def function(name: str, *arguments: Any, level: str = "", symbols: int = 0, brief: bool = False) -> Any:
    """Bind a function of the library, which returns an int.

    Parameters
    ----------
    name : str
        Without the instruction set.
    level : str
        One of `levels`; the best without it.
    symbols : int
        Symbols of the alphabet, if residues are given: beyond 256 they take two bytes.
    brief : bool
        Whether calls take so little time that the interpreter's lock is kept: to get it back may take longer.

    Raises
    ------
    EngineUnavailable
        If there is no library.
    """
    libraries, levels, why = probe()
    if libraries is None:
        raise EngineUnavailable(CPU, f"{why}.", hint=REMEDY)
    width = "_wide" if symbols > NARROW_SYMBOLS else ""
    bound = getattr(libraries[brief], f"{name}_{level or levels[-1]}{width}")
    bound.restype, bound.argtypes = ctypes.c_int, arguments
    return bound


def forget() -> None:
    """Look for the library again on its next use; for tests."""
    probe.cache_clear()
    function.cache_clear()
    checksum.cache_clear()


@lru_cache(maxsize=1)
def probe() -> _Found:
    """Return the loaded library, the instruction sets that this CPU runs, and why there is none."""
    try:
        given = os.environ.get(VARIABLE, "")
        path = Path(given) if given else FOLDER / file_name()
        if not path.is_file():
            return None, (), _missing(path)
        library, keeping_the_lock = ctypes.CDLL(str(path)), ctypes.PyDLL(str(path))
        best = int(library.sw_level())
    except (OSError, AttributeError) as error:
        return None, (), f"The compiled library cannot be loaded ({type(error).__name__}: {error})"
    names = tuple(LEVELS)[: best + 1]
    return (library, keeping_the_lock), tuple(name for name in names if hasattr(library, f"sw_built_{name}")), ""


def file_name() -> str:
    """Return the name of the library: in a wheel the only one, in a checkout that of its sources."""
    kernels, target = kernels_dir(), this_target()
    if kernels.name == IN_WHEELS:
        built = [name for name in os.listdir(FOLDER) if name.startswith(f"swgui-{target[0]}-")]
        if len(built) == 1:
            return built[0]
    return library_name(kernels / "cpu", target)


def _missing(path: Path) -> str:
    """Return the reason for its absence, without full stop; warn of one older than the sources, as after a git pull."""
    if not any(path.parent.glob(f"{path.name.rpartition('-')[0]}-*{path.suffix}")):
        return f"The compiled library has not been built ({path.name} is missing)"
    log.warning("The compiled library is older than its sources, run packaging/native.py.")
    return f"The compiled library was built from other sources ({path.name} is missing)"
