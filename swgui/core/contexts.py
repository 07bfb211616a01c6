"""The names of libraries of contexts in requests: none, that of the program, or a file."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

NO_CONTEXT: Final = "none"
OWN_CONTEXT: Final = "own"


def context_said(context: str) -> str:
    """Return how pairs that have context scores are scored, in words."""
    library = "the program" if context == OWN_CONTEXT else f"'{PurePath(context).name}'"
    return f"context scores in both directions, library of {library}"
