"""Clusters, splits, judgements and leaks have what every kind of run has: from the terminal, Python and the queue."""

from __future__ import annotations

import itertools
import json
import signal
import threading

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.core.errors import Stopped
from swgui.io.saved.log import Log
from swgui.jobs.network import edges as job
from swgui.runs import Runs
from tests.runs.life import fasta_of_families, stop_after

KINDS = ["cluster", "split", "judge", "leak"]
BLOCK = 3
LIMITS = {"coverage": 0.5, "evalue": 0.01, "engine": "cpu"}


@pytest.fixture
def fasta(tmp_path):
    return fasta_of_families(tmp_path)


@pytest.fixture
def asked(fasta, tmp_path, user_folders, monkeypatch):
    """The words and the arguments in Python that ask for each kind."""
    monkeypatch.setattr(job, "BLOCK", BLOCK)
    clusters, some = tmp_path / "clusters.tsv", tmp_path / "some.fa"
    records = fasta.read_text().split(">")[1:]
    names = [record.split()[0] for record in records]
    clusters.write_text("".join(f"{names[0]}\t{name}\n" for name in names))
    some.write_text("".join(f">other_{record}" for record in records[::2]))
    more = {"cluster": ("--identity", "0.4"), "judge": ("--identity", "0.4"), "split": ("--bins", "60,40"), "leak": ()}
    options = {"cluster": {"identity": 0.4}, "judge": {"identity": 0.4}, "split": {"bins": [60, 40]}, "leak": {}}
    files = {"cluster": [fasta], "split": [fasta], "judge": [clusters, fasta], "leak": [fasta, some]}
    words = [word for key, value in LIMITS.items() for word in (f"--{key}", str(value))]
    return {
        kind: ([kind, *map(str, files[kind]), *words, *more[kind]], (files[kind], LIMITS | options[kind]))
        for kind in KINDS
    }


def called(asked, kind):
    files, options = asked[kind][1]
    return getattr(swgui, kind)(*files, **options)


def stopping(patch, blocks=2):
    """Have Ctrl+C come once so many blocks are kept."""
    stop_after(patch, lambda: signal.raise_signal(signal.SIGINT), blocks)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_is_kept_in_the_list_and_as_a_file(kind, asked, tmp_path, capsys):
    saved, out = tmp_path / "x.result", tmp_path / "out.csv"
    keep = ["--history", "mine", "--save", str(saved), "-o", str(out), "--format", "csv"]
    assert main([*asked[kind][0], *keep]) == 0
    said = capsys.readouterr().err
    (record,) = Runs().list()
    assert (record.kind, record.state, record.name) == (kind, "done", "mine")
    opened = swgui.load(saved)
    assert record.found == opened.outcome.found > 0
    assert all(f"swgui: {sentence}\n" in said for sentence in opened.sentences)
    opened.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == out.read_text()
    for name in (str(saved), record.id):
        assert main(["verify", name]) == 0
        assert capsys.readouterr().out.endswith("nothing differs.\n")


@pytest.mark.parametrize("kind", KINDS)
def test_the_library_finds_what_the_command_writes(kind, asked, tmp_path):
    found = called(asked, kind)
    assert not found.partial
    for form in ("csv", "json", "xlsx"):
        out, own = tmp_path / f"out.{form}", tmp_path / f"own.{form}"
        assert main([*asked[kind][0], "-o", str(out), "--format", form]) == 0
        found.write(own)
        if form != "xlsx":  # which has the time in it
            assert own.read_bytes() == out.read_bytes()
    frame = pytest.importorskip("pandas") and found.to_pandas()
    assert len(frame) == len(json.loads((tmp_path / "own.json").read_text())) > 1
    found.save(tmp_path / "own.result")
    again = swgui.load(tmp_path / "own.result")
    assert again.sentences == found.sentences
    assert again.to_pandas().equals(frame)
    with pytest.raises(swgui.InvalidParameter, match="would replace it"):
        found.write(asked[kind][1][0][0])


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_as_command_and_as_python_finds_the_same(kind, asked, tmp_path, capsys):
    found = called(asked, kind)
    words = found.command.split()
    assert words[:2] == ["swgui", kind]
    found.write(tmp_path / "own.csv")
    assert main([*words[1:], "--format", "csv", "-o", str(tmp_path / "out.csv")]) == 0
    assert (tmp_path / "out.csv").read_text() == (tmp_path / "own.csv").read_text()
    made = {}
    exec(found.python, made)
    for name, column in found.to_arrays().items():
        np.testing.assert_array_equal(made["found"].to_arrays()[name], column)


@pytest.mark.parametrize("kind", KINDS)
def test_the_methods_say_what_was_compared_and_found(kind, asked):
    found = called(asked, kind)
    said = found.methods()
    names = "'some.fa' and 'families.fa'" if kind == "leak" else "'families.fa'"
    assert said.startswith(f"The sequences of {names} were compared with swgui")
    assert "BLOSUM62, gap 11/1" in said
    assert all(sentence in said for sentence in found.sentences)


@pytest.mark.parametrize("kind", KINDS)
def test_stop_keeps_what_was_compared_and_the_same_command_continues(kind, asked, tmp_path, monkeypatch, capsys):
    out, whole = tmp_path / "out.csv", tmp_path / "whole.csv"
    words = [*asked[kind][0], "--format", "csv", "-o"]
    assert main([*words, str(whole)]) == 0
    capsys.readouterr()
    with monkeypatch.context() as patch:
        stopping(patch)
        assert main([*words, str(out)]) == 130
    said = capsys.readouterr().err
    assert "Stopped when" in said
    assert "Nothing was written: the output follows from all pairs." in said
    assert "out.csv.part; the same command continues from there." in said
    assert not out.exists()
    scored, edges = [], job._Scorer.edges
    monkeypatch.setattr(job._Scorer, "edges", lambda self, *ends: (scored.append(ends), edges(self, *ends))[1])
    assert main([*words, str(out)]) == 0
    blocks, scored[:] = len(scored), []
    assert main([*words, str(out)]) == 0
    assert blocks == len(scored) - 2
    assert out.read_text() == whole.read_text()


@pytest.mark.parametrize("kind", ["leak", "network"])
def test_a_stopped_command_says_that_the_list_of_runs_keeps_it(kind, asked, tmp_path, monkeypatch, capsys):
    words = asked.get(kind, (["network", asked["cluster"][0][1], "--engine", "cpu", "--evalue", "0.01"],))[0]
    out = tmp_path / ("out.swnet" if kind == "network" else "out.tsv")
    with monkeypatch.context() as patch:
        stopping(patch)
        assert main([*words, "--history", "-o", str(out)]) == 130
    said = capsys.readouterr().err
    assert "The finished part is kept in the list of runs, where Resume continues it." in said
    assert not list(tmp_path.glob("out*"))
    runs = Runs()
    (record,) = runs.list()
    assert (record.kind, record.resumable) == (kind, True)
    assert record.state == ("partial" if kind == "network" else "interrupted")


def test_nothing_is_said_to_be_kept_where_nothing_was_compared(asked, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Log, "add", lambda *_: pytest.fail("a block was compared"))

    def interrupted(scorer, *_):
        signal.raise_signal(signal.SIGINT)
        scorer.cancel.wait(60)
        raise Stopped

    monkeypatch.setattr(job._Scorer, "edges", interrupted)
    assert main([*asked["cluster"][0], "--history"]) in (1, 130)
    assert "kept" not in capsys.readouterr().err
    assert Runs().list() == []


@pytest.mark.gui
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_again_waits_pauses_and_stops_in_the_queue(kind, asked, monkeypatch, qtbot):
    from swgui.gui.runs.queue import RunQueue, SearchController

    assert main([*asked[kind][0], "--history"]) == 0
    runs = Runs()
    (first,) = runs.list()
    reached, resumed, add = threading.Event(), threading.Event(), Log.add
    begun, edges = itertools.count(), job._Scorer.edges

    def scoring(self, *ends):
        if next(begun) >= 2:  # the others begin behind the pause
            assert resumed.wait(60)
        return edges(self, *ends)

    def adding(self, *what):
        add(self, *what)
        if self.added == 2:
            reached.set()
            assert resumed.wait(60)

    monkeypatch.setattr(job._Scorer, "edges", scoring)
    monkeypatch.setattr(Log, "add", adding)
    queue = RunQueue(SearchController(), runs)
    for _ in range(2):
        queue.add(runs.again(first.id), kind)
    qtbot.waitUntil(reached.is_set)
    assert queue.waiting == 1
    running = queue.runs[0].id
    queue.pause(running, True)
    resumed.set()
    qtbot.waitUntil(lambda: queue.runs[0].state == "paused")
    queue.stop(running)
    qtbot.waitUntil(lambda: queue.runs == (), timeout=60_000)
    states = sorted((record.state, record.resumable) for record in runs.list())
    assert states == [("done", False), ("done", False), ("interrupted", True)]
