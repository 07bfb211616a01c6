"""The ways of searching a database on a GPU: names and settings. Facts only; the engine does the work."""

from __future__ import annotations

from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import AUTO, TRANSFER, Method, Setting, by_name, method_sets

DEFAULT_METHOD: Final = "streaming"

_LANES = Setting(
    "lanes", "Lanes per group", "threads", "Threads that hold the query together.", (4, 8, 16, 32), 4, 32, listed=True
)
_ROWS_PER_LANE = Setting(
    "rows",
    "Rows per lane",
    "rows",
    "Query residues that a thread keeps in registers.",
    (4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60),
    2,
    60,
)
_GROUP_THREADS = Setting(
    "threads",
    "Threads per block",
    "threads",
    "One block runs on each multiprocessor.",
    (128, 192, 256, 384, 512),
    64,
    512,
    step=32,
)

_STREAMING: Final = Method(
    DEFAULT_METHOD,
    "Streaming",
    "",
    "The program's own kernel: two alignments per register, subjects without a gap between them.",
    (_LANES, _ROWS_PER_LANE, _GROUP_THREADS, *TRANSFER),
)
SEARCH_METHODS: Final = by_name(_STREAMING, *(method for brought in method_sets() for method in brought.search))


def search_method(name: str) -> Method:
    """Return a method by name; ``auto`` is the program's own.

    Raises
    ------
    InvalidParameter
        If there is no such method.
    """
    chosen = DEFAULT_METHOD if name == AUTO else name
    if chosen not in SEARCH_METHODS:
        raise InvalidParameter(
            "method",
            name,
            f"There is no search method '{name}'.",
            hint=f"Choose {', '.join((AUTO, *SEARCH_METHODS))}.",
        )
    return SEARCH_METHODS[chosen]
