"""Processes that import nothing of the script that starts them.

``multiprocessing`` runs the main script of its caller again in every process, unless that asks for ``__main__``; what
reads structures needs none of it, and users of the library should not have to know.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any

_HIDING = threading.Lock()


class _Process(SpawnProcess):
    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 - the name that multiprocessing calls
        with _no_main():
            return SpawnProcess._Popen(process_obj)


class OwnContext(SpawnContext):
    """Starts processes anew, so that no lock of another thread is in them, and without the script of the caller."""

    Process = _Process


@contextmanager
def _no_main() -> Iterator[None]:
    """Let a process that is started now find no main script to run again."""
    with _HIDING:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main
