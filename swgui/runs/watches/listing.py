"""The watches of a folder, as lists show them; a damaged one is listed with its fault."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from swgui.core.errors import SwguiError
from swgui.runs.watches.record import PassFacts, WatchState
from swgui.runs.watches.telling import news_in_words
from swgui.runs.watches.watch import Watch, watch_names


class ListedWatch(NamedTuple):
    """One watch: what can be read of it, and the fault of the last pass or of its files; empty without one."""

    name: str
    watch: Watch | None = None
    state: WatchState | None = None
    last: PassFacts | None = None
    news: str = ""  # the outcome of the last pass that was finished, in a few words
    fault: str = ""

    @property
    def about(self) -> str:
        """Queries and databases; empty of a damaged one."""
        return self.watch.about if self.watch is not None else ""


def listed_watches(root: Path) -> list[ListedWatch]:
    """Return the watches in a folder, by name."""
    return [_listed(root, name) for name in watch_names(root)]


def _listed(root: Path, name: str) -> ListedWatch:
    found = ListedWatch(name)
    try:
        found = found._replace(watch=(watch := Watch(root, name)))
        found = found._replace(state=(state := watch.state), fault=state.fault)
        if not state.last:
            return found._replace(news="no pass yet")
        last = watch.made_pass(state.last)
        return found._replace(last=last, news="baseline" if last.number == 1 else news_in_words(last))
    except SwguiError as fault:
        return found._replace(fault=str(fault))
