"""The life of a run of every kind: stopped, paused, killed, resumed. Kinds from packages have the same.

What a kind does not do it declares (`Kind.without`), and is skipped for that reason. Stop, pause and SIGKILL come once
some pieces of work are kept, so that nothing depends on time.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys

import pytest

import swgui
from swgui import packages
from swgui.core.control import RunControl
from swgui.jobs import kind as kinds_module
from swgui.jobs.kind import kinds
from swgui.runs import Runs
from tests.outside_engine import install
from tests.runs.life import CASES, OUTSIDE, PIECES, Ended, go, prepare

KINDS = [*kinds(), OUTSIDE]
WHOLE: dict[str, Ended] = {}  # a run of each kind that nothing ended early


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return install(tmp_path_factory.mktemp("site"), OUTSIDE, f"{OUTSIDE}/pyproject.toml")


@pytest.fixture
def case(request, site, user_folders, monkeypatch):
    """The kind, with small pieces; skipped where it declares that it lacks the ability of the test."""
    kind, ability = request.param
    if kind == OUTSIDE:
        monkeypatch.syspath_prepend(str(site))
        packages.forget()
        kinds_module.kinds.cache_clear()
        importlib.import_module(OUTSIDE)
    try:
        if reason := kinds()[kind].without.get(ability):
            pytest.skip(reason)
        prepare(kind, monkeypatch)
        yield kind
    finally:
        if kind == OUTSIDE:
            packages.forget()
            kinds_module.kinds.cache_clear()
            sys.modules.pop(OUTSIDE, None)
            vars(swgui).pop(OUTSIDE, None)


def every_kind(ability):
    """Run a test for each kind that declares an ability."""
    return pytest.mark.parametrize("case", [(kind, ability) for kind in KINDS], indirect=True, ids=KINDS)


@pytest.fixture
def runs(tmp_path):
    return Runs(tmp_path / "runs")


@pytest.fixture
def asked(case, tmp_path):
    return CASES[case].asked(tmp_path)


@pytest.fixture
def whole(case, tmp_path_factory):
    """Values of a run of the kind that nothing ends early, and the number of pieces it keeps."""
    if case not in WHOLE:
        folder = tmp_path_factory.mktemp(case)
        made = go(Runs(folder / "runs"), case, CASES[case].asked(folder))
        WHOLE[case] = made._replace(outcome=CASES[case].values(made.outcome))
    return WHOLE[case]


@pytest.fixture(scope="module")
def killed(site, tmp_path_factory, repository):
    """The folders of runs that were killed, by kind."""
    if sys.platform == "win32":
        pytest.skip("Windows has no SIGKILL")
    folder = tmp_path_factory.mktemp("killed")
    words = [sys.executable, "-m", "tests.runs.life", str(folder), str(site)]
    ended = subprocess.run(words, cwd=repository, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == dict.fromkeys(CASES, -signal.SIGKILL), ended.stderr
    return folder


def is_whole(runs, run_id, kind, whole):
    """Assert that a run is done, and opens with what one finds that nothing ended early."""
    record = runs.record(run_id)
    assert (record.kind, record.state, record.resumable, record.fraction) == (kind, "done", False, 1.0)
    assert CASES[kind].values(runs.open(run_id)) == whole.outcome


def test_every_kind_has_a_run_here():
    assert set(CASES) == set(KINDS)


@every_kind("stop")
def test_stop_keeps_what_is_done_and_resume_does_the_rest(case, runs, asked, whole, tmp_path):
    part = go(runs, case, asked, stop=PIECES)
    (record,) = runs.list()
    # From some of the pairs no cluster follows: those kinds keep the work, and have no outcome yet.
    assert record.state == ("interrupted" if part.outcome is None else "partial")
    assert (record.kind, record.resumable) == (case, True)
    if part.outcome is not None:
        assert 0 < record.fraction < 1
        assert CASES[case].values(runs.open(record.id)) == CASES[case].values(part.outcome) != whole.outcome
        runs.rename(record.id, "  My  own ")
    rest = go(runs, case, runs.resume(record.id))
    assert CASES[case].values(rest.outcome) == whole.outcome
    assert 0 < rest.pieces < whole.pieces
    assert [one.id for one in runs.list()] == [record.id]
    is_whole(runs, record.id, case, whole)
    assert part.outcome is None or runs.record(record.id).name == "My own"
    file, others = tmp_path / f"saved{kinds()[case].file[0]}", Runs(tmp_path / "others")
    runs.of(case).export(record.id, file)
    is_whole(others, others.of(case).take_file(file), case, whole)  # a file becomes a run of another list


@every_kind("stop")
def test_a_run_that_is_stopped_before_anything_leaves_nothing(case, runs, asked):
    control = RunControl()
    control.set()
    ended = go(runs, case, asked, control)
    assert ended.pieces == 0
    assert runs.list() == []
    assert list(runs.folder.iterdir()) == []


@every_kind("resume")
def test_a_killed_run_is_listed_and_resumed(case, killed, whole):
    runs = Runs(killed / case / "runs")
    (record,) = runs.list()
    assert (record.kind, record.state, record.resumable) == (case, "interrupted", True)
    assert not runs.has_result(record.id)
    rest = go(runs, case, runs.resume(record.id))
    assert CASES[case].values(rest.outcome) == whole.outcome
    assert 0 < rest.pieces < whole.pieces, "it began anew"
    assert [one.id for one in runs.list()] == [record.id]
    is_whole(runs, record.id, case, whole)


@every_kind("history")
def test_a_run_that_is_active_is_left_alone(case, runs, asked):
    others, events = Runs(runs.folder), runs.run(case, asked, RunControl())
    next(events)
    assert others.list() == []
    events.close()
    for record in others.list():  # something was kept before that
        assert record.state == "interrupted"
        others.delete(record.id)
    assert list(runs.folder.iterdir()) == []


class Watched(RunControl):
    """Notes that the run rests, and lets it continue then."""

    def __init__(self):
        super().__init__()
        self.rests = 0

    def wait(self, timeout=None):
        if self.paused:
            self.rests += 1
            self.resume()
        return super().wait(0 if timeout is None else min(timeout, 0.001))


@every_kind("pause")
def test_a_paused_run_rests_and_ends_as_one_that_was_not(case, runs, asked, whole):
    control = Watched()
    ended = go(runs, case, asked, control, pause=PIECES)
    assert control.rests > 0
    assert CASES[case].values(ended.outcome) == whole.outcome
    assert [record.state for record in runs.list()] == ["done"]
