"""The Runs page as the window knows it: help, commands, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Page, PageHelp, Services
from swgui.gui.runs.controller import SearchController
from swgui.gui.runs.page import RunsPage
from swgui.gui.runs.queue import RunQueue

HELP = PageHelp(
    "The Runs page",
    """<p>Searches run one after another; those that wait stand above the history. Each run is kept when it
ends, with its stars and notes. Resume continues one that was interrupted, also by a crash; Verify scores a run
again and compares every score; Compare shows new, lost and moved hits of two runs.</p>""",
    "files",
    ("&Search", "&File"),
)


def make(services: Services) -> RunsPage:
    """Return the page."""
    controller = SearchController(search=services.search)
    queue = RunQueue(controller)
    page = RunsPage(queue, services.history, services.tasks, choose_engine=services.choose_engine)
    controller.setParent(page)
    queue.setParent(page)
    return page


PAGE = Page(
    "runs",
    "Runs",
    "R&uns page",
    "The queue, and all runs so far",
    "runs",
    make,
    HELP,
)
