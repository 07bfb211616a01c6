"""The Runs page as the window knows it: help, commands, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Page, PageHelp, PageWidget, Services
from swgui.gui.runs.queue import RunQueue, SearchController

HELP = PageHelp(
    "The Runs page",
    """<p>Runs that use the same device run one after another, of whatever kind; active and waiting runs are above the
history. A run that you start on a page waits, too, before the queue, until the one on its device has ended or is
paused. Each is kept when it ends, a search with its stars and notes, a search by rule with its places and
certificate. Resume continues one that was interrupted, also by a crash; Verify scores a search again and compares
every score; Compare shows new, lost and moved hits of two searches.</p>""",
    "reference/file-formats",
    ("&Search", "&File"),
)


def queue_of(services: Services) -> RunQueue:
    """Return the queue of runs, which the window needs before there is a page of them."""
    return services.shared(RunQueue, lambda: RunQueue(SearchController(search=services.search), services.history))


def make(services: Services) -> PageWidget:
    from swgui.gui.inputs.marks import marks_of
    from swgui.gui.runs.page import RunsPage

    queue, choose = queue_of(services), services.choose_engine
    return RunsPage(queue, services.history, services.tasks, choose_engine=choose, marks=marks_of(services))


PAGE = Page(
    "runs",
    "Runs",
    "R&uns page",
    "The queue, and all runs so far, of every kind",
    "runs",
    make,
    HELP,
)
