"""Runs of kinds without a class of their own: kept, stopped, killed, resumed, listed and opened."""

import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.core.errors import RunFileError
from swgui.io.saved.log import Log
from swgui.jobs.events import Finished
from swgui.runs import RunError, Runs
from tests.runs import counted
from tests.runs.counted import Sums, SumsAsked

pytestmark = pytest.mark.usefixtures("counting")


@pytest.fixture
def counting(monkeypatch):
    counted.declare(monkeypatch)


@pytest.fixture
def runs(tmp_path):
    return Runs(tmp_path / "runs")


ASKED = SumsAsked("first sums", 6, np.arange(6) * 2.5)


def go(runs, asked, stop_after=None):
    """Run to the end, or stop after so many pieces; returns what is kept, and how many pieces were summed."""
    cancel = threading.Event()
    for pieces, event in enumerate(runs.run("sums", asked, cancel)):
        if isinstance(event, Finished):
            return event.outcome, pieces
        if pieces + 1 == stop_after:
            cancel.set()
    raise AssertionError("a run ends with its outcome")


def test_a_run_is_listed_and_opened_again(runs):
    kept, pieces = go(runs, ASKED)
    assert (pieces, kept.outcome.complete, kept.not_kept) == (6, True, "")
    (record,) = runs.list()
    assert (record.id, record.kind, record.state, record.name) == (kept.run_id, "sums", "done", "first sums")
    assert (record.found, record.fraction, record.resumable) == (6, 1.0, False)
    opened = runs.open(record.id)
    assert opened.asked.number == 6
    np.testing.assert_array_equal(opened.asked.weights, ASKED.weights)
    np.testing.assert_array_equal(opened.outcome.sums, kept.outcome.sums)
    again, _ = go(runs, runs.again(record.id))
    np.testing.assert_array_equal(again.outcome.sums, kept.outcome.sums)
    assert len(runs.list()) == 2


def test_one_program_at_a_time_works_on_a_run(runs):
    kept, _ = go(runs, ASKED, stop_after=1)
    log = Log(runs.files.place(kept.run_id, ".run"), "sums")
    for act in (runs.resume, runs.delete):
        with pytest.raises(RunError, match="active"):
            act(kept.run_id)
    log.close()
    runs.delete(kept.run_id)
    assert list(runs.folder.iterdir()) == []


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b"x" * 100])
def test_a_damaged_result_is_listed_as_such_and_refused_with_a_sentence(runs, damage):
    kept, _ = go(runs, ASKED)
    path = runs.path(kept.run_id)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(RunFileError):
        runs.open(kept.run_id)
    runs.files.place(kept.run_id, ".json").unlink()
    (record,) = runs.list()
    assert record.state == "damaged"


def test_a_full_disk_ends_no_run(runs, monkeypatch):
    def full(path, write):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("swgui.runs.plain.save_bytes", full)
    kept, _ = go(runs, ASKED)
    assert kept.outcome.complete
    assert "not be kept" in kept.not_kept


def test_a_run_is_saved_as_one_file(runs, tmp_path):
    kept, _ = go(runs, ASKED)
    runs.of("sums").export(kept.run_id, tmp_path / "sums.swrun")
    opened = runs.of("sums").open_file(Path(tmp_path / "sums.swrun"))
    assert isinstance(opened.outcome, Sums)
    np.testing.assert_array_equal(opened.outcome.sums, kept.outcome.sums)
