"""Events that say in how many parts the time goes."""

from __future__ import annotations

from types import SimpleNamespace

from swgui.core.trace import part
from swgui.jobs.events import Finished, Progress, Stage
from swgui.jobs.search.events import Parted
from swgui.jobs.search.timed import timed


def test_parts_are_told_behind_progress_and_before_the_end():
    progress = Progress(1, 2, 0.1, {}, {})
    finished = Finished(SimpleNamespace())

    def events():
        yield Stage("Scoring")
        with part("scan"):
            pass
        yield progress
        yield finished

    stage, first, told, last, end = timed(events())
    assert (stage.name, first, end) == ("Scoring", progress, finished)
    assert isinstance(told, Parted)
    assert 0 < told.seconds["scan"] <= last.seconds["scan"] < sum(last.seconds.values())
