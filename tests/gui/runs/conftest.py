"""The Runs page with a queue and a history of its own."""

from __future__ import annotations

import pytest

from swgui.core.engines import EngineOptions
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.runs.page import RunsPage
from swgui.gui.runs.queue import RunQueue, SearchController
from swgui.runs import Runs
from tests.asking import answer
from tests.gui.runs.held import HeldSearch
from tests.io.saved.saved_searches import protein_request_on_disk


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A request whose database is a file, and its result."""
    request = protein_request_on_disk(tmp_path_factory.mktemp("database"))
    return request, answer(request)


@pytest.fixture
def history(tmp_path):
    return Runs(tmp_path / "runs")


@pytest.fixture
def desk(qtbot, theme, history, searched):
    """Return a function that makes page, queue and search; not the page, which pytest would keep alive."""
    made = []

    def make(engine=None):
        held = HeldSearch(history, searched[1])
        controller = SearchController(search=engine or held)
        tasks = Tasks()
        queue = RunQueue(controller, history)
        page = RunsPage(queue, history, tasks, choose_engine=lambda: ("reference", EngineOptions()))
        qtbot.addWidget(page)
        page.faults, page.found = [], []
        page.interrupted_found.connect(page.found.append)
        page.failed.connect(page.faults.append)
        page.resize(1200, 700)
        page.show()
        made.append((page.shutdown, controller.shutdown, tasks.shutdown))
        qtbot.waitUntil(lambda: tasks.idle)
        return page, queue, held, controller

    yield make
    for shut in made:
        for down in shut:
            down()
