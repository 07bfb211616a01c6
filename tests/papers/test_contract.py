"""The contract of all engines, kept by every published method of the cuda engine."""

from __future__ import annotations

from contextlib import closing

import pytest

from swgui.core.engines import EngineOptions
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.engines.registry import make_engine
from tests.engines.test_contract import *  # noqa: F403
from tests.engines.test_positions import (  # noqa: F401
    test_constant_costs_are_those_of_the_scheme,
    test_plain_queries_and_others_in_one_search,
    test_random_costs,
)

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", params=[name for name in SEARCH_METHODS if name != DEFAULT_METHOD])
def engine(request):
    with closing(make_engine("cuda", EngineOptions(settings={"method": request.param}))) as made:
        yield made
