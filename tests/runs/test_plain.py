"""Runs of kinds without a class of their own: kept, stopped, killed, resumed, listed and opened."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.core.errors import RunFileError, Stopped
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


def test_a_stopped_run_keeps_what_it_has_and_continues(runs):
    whole, _ = go(runs, ASKED)
    kept, _ = go(runs, ASKED, stop_after=2)
    assert not kept.outcome.complete
    record = runs.record(kept.run_id)
    assert (record.state, record.resumable, record.found, record.reason) == ("partial", True, 2, "Stopped by you.")
    assert runs.open(record.id).outcome.sums.tolist() == whole.outcome.sums[:2].tolist()
    resumed, pieces = go(runs, runs.resume(record.id))
    assert (resumed.run_id, pieces) == (record.id, 4)
    np.testing.assert_array_equal(resumed.outcome.sums, whole.outcome.sums)
    assert (runs.record(record.id).state, len(runs.list())) == ("done", 2)


def test_a_run_that_is_stopped_before_anything_leaves_nothing(runs):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Stopped):
        list(runs.run("sums", ASKED, cancel))
    assert runs.list() == []
    assert list(runs.folder.iterdir()) == []


KILLED = """
import os, signal, sys, threading
from pathlib import Path
import pytest
from swgui.runs import Runs
from tests.runs import counted
from tests.runs.test_plain import ASKED
counted.declare(pytest.MonkeyPatch())
for number, event in enumerate(Runs(Path(sys.argv[1])).run("sums", ASKED, threading.Event()), start=1):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_run_is_listed_and_continues(runs, repository):
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(runs.folder)],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": "."},
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    (record,) = runs.list()
    assert (record.state, record.resumable, record.reason) == (
        "interrupted", True, "The sum of pieces was stopped, or the program ended, before there was a result."
    )  # fmt: skip
    resumed, pieces = go(runs, runs.resume(record.id))
    assert pieces == 3
    np.testing.assert_array_equal(resumed.outcome.sums, ASKED.weights)


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
    assert "could not be kept" in kept.not_kept


def test_a_run_is_saved_as_one_file(runs, tmp_path):
    kept, _ = go(runs, ASKED)
    runs.of("sums").export(kept.run_id, tmp_path / "sums.swrun")
    opened = runs.of("sums").open_file(Path(tmp_path / "sums.swrun"))
    assert isinstance(opened.outcome, Sums)
    np.testing.assert_array_equal(opened.outcome.sums, kept.outcome.sums)
