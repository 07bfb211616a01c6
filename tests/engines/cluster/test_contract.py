"""The contract of all engines, kept by two workers behind a scheduler."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from swgui.engines.base import Engine, EngineOptions
from swgui.engines.cluster import engine as cluster
from tests.engines.test_contract import *  # noqa: F403
from tests.engines.test_positions import (  # noqa: F401
    test_constant_costs_are_those_of_the_scheme,
    test_plain_queries_and_others_in_one_search,
    test_random_costs,
)

pytest.importorskip("distributed", reason="dask and distributed are not installed")
from tests.engines.cluster.processes import Processes


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    processes = Processes(tmp_path_factory.mktemp("contract"))
    try:
        for name in ("one", "two"):
            processes.worker(name)
        # Shards of a few subjects, so that most searches use several and cross their edges.
        settings = {"scheduler": processes.address, "shard-residues": "1500"}
        made = cluster.create(EngineOptions(settings=settings))
        yield made
        made.close()
    finally:
        processes.close()


def test_names_itself_and_its_device(engine):
    assert engine.name == "cluster"
    assert {device.id for device in engine.devices} <= {"one", "two"}
    assert all(device.id and device.name and device.facts["engine"] == "cpu" for device in engine.devices)
