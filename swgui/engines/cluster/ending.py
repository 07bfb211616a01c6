"""The end of an event loop in which Dask worked.

Dask's own senders wait with timers for messages that may never come. At the end of the loop, or of a stopped search,
some of these fail after their waiter has gone, and asyncio would print that it "was never retrieved".
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Any, Final

_log: Final = logging.getLogger(__name__)


async def end(tasks: Iterable[asyncio.Task[Any]], seconds: float) -> None:
    """Cancel tasks, and wait for their end, at most some seconds."""
    if tasks := set(tasks):
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=seconds)


def pass_over_abandoned(loop: asyncio.AbstractEventLoop) -> None:
    """Make a loop note, and not print, faults of tasks, finished or not, that no caller waits for any more."""
    loop.set_exception_handler(_heard)


def _heard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    if "future" in context or "task" in context:
        _log.debug("%s", context["message"], exc_info=context.get("exception"))
    else:
        loop.default_exception_handler(context)
