"""The functions that run on workers: nothing else is ever submitted. Dask sends them by name.

Each finds the worker's `Scorer`, which `ScorerPlugin` put there when the worker was started.
"""

from __future__ import annotations

from typing import Final

from distributed import Worker, WorkerPlugin, get_worker

from swgui.core.plain import replace
from swgui.engines.cluster.scorer import Scorer, UnitRequest, UnitScores, WorkerFacts
from swgui.engines.cluster.shards import ShardData, ShardName

PLUGIN: Final = "swgui"


class ScorerPlugin(WorkerPlugin):  # type: ignore[misc, unused-ignore]
    """Ties a `Scorer` to the life of a Dask worker."""

    name = PLUGIN

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer

    def teardown(self, worker: Worker) -> None:
        self.scorer.close()


def worker_version() -> str:
    """Return the version of the program on the worker; empty if the worker has no scorer."""
    import swgui

    return swgui.__version__ if PLUGIN in get_worker().plugins else ""


def worker_facts() -> WorkerFacts:
    """Describe the worker; the first call makes its engine and checks it."""
    worker = get_worker()
    return replace(_scorer(worker).facts(), name=str(worker.name))


def open_shard(name: ShardName) -> bool:
    """Return True if the worker has a shard, or a file of it."""
    return _scorer(get_worker()).open_shard(name)


def keep_shard(name: ShardName, data: ShardData) -> None:
    """Keep a shard that was sent."""
    _scorer(get_worker()).keep_shard(name, data)


def score_unit(request: UnitRequest) -> UnitScores:
    """Score a unit."""
    return _scorer(get_worker()).score(request)


def stop_run(run: str, dask_worker: Worker) -> None:
    """Stop a run. Called during the running task, with `Client.run`, which supplies `dask_worker`."""
    _scorer(dask_worker).stop(run)


def _scorer(worker: Worker) -> Scorer:
    plugin = worker.plugins[PLUGIN]
    assert isinstance(plugin, ScorerPlugin)
    return plugin.scorer
