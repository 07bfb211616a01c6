"""A Search page on the screen."""

import pytest

from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.search.page import SearchPage
from swgui.settings import Settings


@pytest.fixture
def settings():
    return Settings()


@pytest.fixture
def page(qtbot, theme, engines, settings):
    short = Tasks()
    page = SearchPage(settings, short)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    yield page
    page.shutdown()
    short.shutdown()
