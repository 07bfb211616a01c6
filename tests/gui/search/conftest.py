"""A Search page on the screen."""

import pytest

from swgui.gui.search.page import SearchPage
from swgui.settings import Settings


@pytest.fixture
def settings():
    return Settings()


@pytest.fixture
def page(theme, engines, settings, tasks, shown):
    return shown(SearchPage(settings, tasks), 1200, 800)
