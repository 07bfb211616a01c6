"""``--timings``: where the time of a command went."""

from __future__ import annotations

import builtins
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
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


def _is_there(module: ModuleType, _: Any = None, __: Any = None, fromlist: Any = (), level: int = 0) -> bool:
    """Return whether all that is wanted of a module is imported: a part would cost more than the import."""
    return not level and all(hasattr(module, name) for name in fromlist or ())


@contextmanager
def _imports() -> Iterator[None]:
    """Count what is imported meanwhile."""
    plain = builtins.__import__

    def counted(name: str, *arguments: Any, **more: Any) -> Any:
        if name in sys.modules and _is_there(sys.modules[name], *arguments, **more):
            return plain(name, *arguments, **more)
        with part("import"):
            return plain(name, *arguments, **more)

    builtins.__import__ = counted
    try:
        yield
    finally:
        builtins.__import__ = plain
