"""The contract of all engines, kept by every published method of the cuda engine."""

from __future__ import annotations

from contextlib import closing

import pytest

from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.engines.base import EngineOptions
from swgui.engines.registry import make_engine
from tests.engines.test_contract import *  # noqa: F403

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", params=[name for name in SEARCH_METHODS if name != DEFAULT_METHOD])
def engine(request):
    with closing(make_engine("cuda", EngineOptions(settings={"method": request.param}))) as made:
        yield made
