"""The end of an event loop in which Dask worked.

Dask's own senders wait with timers for messages that may never come. Where the loop ends, or a search is stopped, some
of what they wait for fails with nobody left to hear of it, and asyncio would print that it "was never retrieved".
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Any, Final

_log: Final = logging.getLogger(__name__)


async def end(tasks: Iterable[asyncio.Task[Any]], seconds: float) -> None:
    """Cancel tasks, and wait until they have ended, but no longer than some seconds."""
    if tasks := set(tasks):
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=seconds)


def pass_over_abandoned(loop: asyncio.AbstractEventLoop) -> None:
    """Have a loop note, and not print, what fails or is still under way when nobody waits for it any more."""
    loop.set_exception_handler(_heard)


def _heard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    if "future" in context or "task" in context:
        _log.debug("%s", context["message"], exc_info=context.get("exception"))
    else:
        loop.default_exception_handler(context)
