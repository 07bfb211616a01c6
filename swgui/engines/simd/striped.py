"""parasail (Farrar's striped kernels): one query profile against one subject at a time.

Called through its C functions, because the Python package does not offer position-specific profiles and
spends microseconds per pair on wrapping. The query always goes in as a position-specific profile: for
a plain matrix its rows are looked up beforehand, so asymmetric matrices (which parasail's own lookup
reads transposed) and profiles take the same way.

Found by comparing several hundred thousand pairs with plain dynamic programming (parasail 2.6, SSE2,
SSE4.1 and AVX2 kernels), and kept to here:

* the striped kernels are wrong where extending a gap costs as much as opening it; the scan kernels are
  right there, as long as ``gap_extend`` times the length of a stripe fits the arithmetic;
* both are wrong in 8 or 16 bits where a gap cost or a matrix value is beyond the type, and where no
  value of the profile is above zero;
* within the type, every overflow of a score is reported.
"""

from __future__ import annotations

import ctypes
import sys
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import profile_bound
from swgui.engines.rowscan import LocalEnd
from swgui.engines.simd.installed import installed_version, package_folders
from swgui.engines.simd.opal import SCORE_BOUND

_NEEDED: Final = (
    "parasail_matrix_pssm_create_case_sensitive",
    "parasail_profile_create_sat",
    "parasail_sw_striped_profile_sat",
    "parasail_sw_scan_profile_sat",
)
# Largest gap cost and matrix value given to each arithmetic, with room for their sums, and a score it can
# hardly hold.
_WIDTHS: Final = (("sat", 100, 127), ("16", 16_000, 32_767), ("32", 1 << 29, 1 << 31))
_SHORTEST_VECTOR: Final = 8  # 16-bit lanes of SSE2: the longest stripes
_LETTERS: Final = bytes(range(ord("A"), ord("Z") + 1)) + bytes(range(ord("a"), ord("f") + 1))
TABLE: Final = _LETTERS.ljust(256, b"*")  # translation from codes to what parasail reads


class _Result(ctypes.Structure):
    _fields_ = (("score", ctypes.c_int), ("end_query", ctypes.c_int), ("end_ref", ctypes.c_int))


def problem() -> str:
    """Say why parasail cannot be used, as a clause; empty if it can."""
    return _probe()[1]


def facts() -> dict[str, str]:
    """Return the version, to show; empty if parasail cannot be used."""
    return {} if _probe()[1] else {"parasail": _probe()[2]}


@lru_cache(maxsize=1)
def _probe() -> tuple[Any, str, str]:
    try:
        file, version = _shipped_library()
        library = ctypes.CDLL(file)
        missing = [name for name in _NEEDED if not hasattr(library, name)]
        if missing:
            return None, f"parasail {version} is too old, it lacks {missing[0]}", ""
        _declare(library)
    except Exception as error:
        # The package raises plain Exception where its library is missing.
        return None, f"parasail cannot be used ({type(error).__name__}: {error})", ""
    return library, "", version


def _shipped_library() -> tuple[str, str]:
    """Return the library's file and the package's version.

    The package is not imported where both lie beside it: it declares thousands of functions that are not used here.
    """
    name = {"win32": "parasail.dll", "darwin": "libparasail.dylib"}.get(sys.platform, "libparasail.so")
    version = installed_version("parasail")
    for folder in package_folders("parasail") if version else ():
        if (file := folder / name).is_file():
            return str(file), version
    version = str(import_module("parasail").__version__)
    return import_module("parasail.bindings_v2")._lib._name, version


def _declare(library: Any) -> None:
    """Tell ctypes the types of the functions used."""
    pointer, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    signatures: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "parasail_matrix_pssm_create_case_sensitive": (pointer, (text, pointer, number)),
        "parasail_matrix_free": (None, (pointer,)),
        "parasail_profile_free": (None, (pointer,)),
        "parasail_result_free": (None, (pointer,)),
        "parasail_result_is_saturated": (number, (pointer,)),
    }
    for width, _, _ in _WIDTHS:
        signatures[f"parasail_profile_create_{width}"] = (pointer, (text, number, pointer))
        for kernel in ("striped", "scan"):
            signatures[f"parasail_sw_{kernel}_profile_{width}"] = (pointer, (pointer, pointer, number, number, number))
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


class StripedQuery:
    """One query, or position-specific profile, ready to be scored by parasail.

    May be used by several threads at once.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
        At least one row and at most 32 letters.
    gap_first, gap_extend : int
        Gap costs, ``gap_extend <= gap_first``.
    expected : int
        A score to come, if one is known: arithmetic too narrow for it is not tried.

    Raises
    ------
    ValueError
        If `can_score` says no.
    MemoryError
        If parasail cannot make its profile.
    """

    def __init__(self, profile: NDArray[np.int16], gap_first: int, gap_extend: int, expected: int = 0) -> None:
        if not can_score(profile, gap_first, gap_extend):
            raise ValueError("These scores do not fit parasail's arithmetic.")
        self._library = _probe()[0]
        self._handles: list[tuple[Any, int]] = []
        kernel, gap_first, gap_extend, needed = _arithmetic(profile, gap_first, gap_extend)
        self._costs = gap_first, gap_extend
        self._bound = profile_bound(profile)
        self._stages: list[tuple[Any, int]] = []
        if self._bound == 0:  # every score is 0, and parasail would not find that
            return
        rows, letters = profile.shape
        values = np.ascontiguousarray(profile, dtype=np.int32)
        matrix = self._keep(
            self._library.parasail_matrix_pssm_create_case_sensitive(_LETTERS[:letters], values.ctypes.data, rows),
            self._library.parasail_matrix_free,
        )
        query = b"A" * rows  # never looked at: the scores come from the matrix
        for width, largest, overflow in _WIDTHS:
            if needed > largest or (expected >= overflow and width != _WIDTHS[-1][0]):
                continue
            create = getattr(self._library, f"parasail_profile_create_{width}")
            handle = self._keep(create(query, rows, matrix), self._library.parasail_profile_free)
            self._stages.append((getattr(self._library, f"parasail_sw_{kernel}_profile_{width}"), handle))
            if width == "sat":
                break  # it widens by itself, up to 32 bits

    def _keep(self, handle: int | None, free: Any) -> int:
        if not handle:
            raise MemoryError("parasail has no memory for a query profile.")
        self._handles.append((free, handle))
        return handle

    def __del__(self) -> None:
        for free, handle in reversed(getattr(self, "_handles", [])):
            free(handle)

    def score(self, address: int, length: int) -> int:
        """Score one subject; the GIL is released meanwhile.

        Parameters
        ----------
        address : int
            Where the subject's letters (codes translated with `TABLE`) are in memory.
        length : int
            At least 1.
        """
        return self._run(address, length).score

    def end(self, subject: NDArray[np.uint8]) -> LocalEnd:
        """Find the last cell of a best local alignment with one subject.

        Parameters
        ----------
        subject : ndarray, shape=(n,), dtype=uint8
            At least one residue.
        """
        letters = ctypes.create_string_buffer(subject.tobytes().translate(TABLE), len(subject))
        return self._run(ctypes.addressof(letters), len(subject))

    def _run(self, address: int, length: int) -> LocalEnd:
        for function, profile in self._stages:
            pointer = function(profile, address, length, *self._costs)
            if not pointer:
                raise MemoryError("parasail has no memory for its rows.")
            found = _Result.from_address(pointer)
            score, query_end, subject_end = found.score, found.end_query + 1, found.end_ref + 1
            saturated = self._library.parasail_result_is_saturated(pointer)
            self._library.parasail_result_free(pointer)
            if not saturated:
                return LocalEnd(score, query_end, subject_end) if score else LocalEnd(0, 0, 0)
        if self._stages:
            raise OverflowError("A score went beyond 32 bits.")  # `can_score` keeps this from happening
        return LocalEnd(0, 0, 0)


def can_score(profile: NDArray[np.int16], gap_first: int, gap_extend: int) -> bool:
    """Tell whether `StripedQuery` is exact for a profile and gap costs."""
    if profile_bound(profile) > SCORE_BOUND:
        return False
    return _arithmetic(profile, gap_first, gap_extend)[3] <= _WIDTHS[-1][1]


def _arithmetic(profile: NDArray[np.int16], gap_first: int, gap_extend: int) -> tuple[str, int, int, int]:
    """Choose the kernel, the gap costs it is given, and the largest value it must hold.

    A gap that costs more than any score is never in an alignment, however much more it costs.
    """
    bound = profile_bound(profile)
    gap_first, gap_extend = min(gap_first, bound + 2), min(gap_extend, bound + 1)
    needed = max(gap_first, int(np.abs(profile.astype(np.int32)).max(initial=0)))
    if gap_first > gap_extend:
        return "striped", gap_first, gap_extend, needed
    stripe = -(-len(profile) // _SHORTEST_VECTOR) + 1
    return "scan", gap_first, gap_extend, max(needed, gap_extend * stripe)
