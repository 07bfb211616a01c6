"""A search whose code is loaded when it begins: for those that are there long before, as the window."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from swgui.jobs.search.events import SearchEvent
from swgui.jobs.search.request import SearchRequest


def run_search(request: SearchRequest, cancel: threading.Event) -> Iterator[SearchEvent]:
    """Search as `swgui.jobs.search.run.run_search` does."""
    from swgui.jobs.search import run

    return run.run_search(request, cancel)
