"""``--timings``: where the time of a command went."""

from __future__ import annotations

import builtins
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from swgui.core.trace import part, tracing


def timed(work: Callable[[], int]) -> int:
    """Run a command, say where its time went, and return its exit status."""
    with tracing(before=time.process_time()) as trace:  # so far the program has done nothing but start
        with _imports():
            status = work()
        sys.stdout.flush()
        print(f"swgui: {trace.text()}", file=sys.stderr)
    return status


@contextmanager
def _imports() -> Iterator[None]:
    """Count what is imported meanwhile."""
    plain = builtins.__import__

    def counted(name: str, *arguments: Any, **more: Any) -> Any:
        with part("import"):
            return plain(name, *arguments, **more)

    builtins.__import__ = counted
    try:
        yield
    finally:
        builtins.__import__ = plain
