"""A search that the test holds in its hand, and what the table of runs shows."""

from __future__ import annotations

import threading

from swgui.core.plain import replace
from swgui.gui.runs.table import COLUMNS
from swgui.jobs.events import Finished, Progress, Stage
from swgui.jobs.search.events import Started

TITLES = [column.title for column in COLUMNS]


class HeldSearch:
    """A search that advances step by step as the test wants, and is kept by a history."""

    def __init__(self, history, result):
        self.history = history
        self.result = result
        self.go = threading.Semaphore(0)
        self.ran = []
        self.error = None

    def __call__(self, request, cancel):
        self.ran.append(request)
        yield Stage("Preparing the engine")
        yield Started(2, 40, 2000, 1000, "cpu", ("CPU",))
        yield Progress(430, 1000, 1.0, {}, {})
        while not self.go.acquire(timeout=0.01):
            if cancel.is_set():
                break
        if self.error is not None:
            raise self.error
        state = "stopped" if cancel.is_set() else "complete"
        result = replace(self.result, state=state)
        self.history.of("search").save(result, request)
        yield Finished(result)


def cell(page, row, title):
    return page.model.index(row, TITLES.index(title)).data()


def column(page, title):
    return [cell(page, row, title) for row in range(page.model.rowCount())]


def choose(page, *rows):
    page.table.clearSelection()
    for row in rows:
        index = page.table.index_of(page.model.rows[row].key, 0)
        page.table.selectionModel().select(
            index, page.table.selectionModel().SelectionFlag.Select | page.table.selectionModel().SelectionFlag.Rows
        )


def enabled(page):
    return {name for name, button in page.buttons.items() if button.isEnabled()}
