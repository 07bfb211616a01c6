"""Networks among the runs: kept when they end, stopped with what was compared, killed, resumed, listed and opened."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.control import RunControl
from swgui.core.errors import InvalidParameter, LogError, Stopped
from swgui.core.network.edges import Edges
from swgui.core.network.measures import EdgeLimit
from swgui.io.network.clusters import ListedClusters
from swgui.io.network.file import save_network
from swgui.io.saved.log import Log
from swgui.jobs.events import Finished, Progress, run_to_end
from swgui.jobs.network import edges as job
from swgui.jobs.network.grouping import ClusterRequest, JudgeRequest, SplitRequest, cluster_steps, split_steps
from swgui.jobs.network.leak import LeakRequest
from swgui.jobs.network.request import NetworkRequest
from swgui.runs import Runs
from tests.jobs.network.test_edges import families

BLOCK = 3


@pytest.fixture
def fasta(tmp_path):
    database = families(5)
    path = tmp_path / "families.fa"
    records = (database.record(index) for index in range(len(database)))
    path.write_text("".join(f">{record.id} of a family\n{record.residues.decode()}\n" for record in records))
    return path


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setattr(job, "BLOCK", BLOCK)
    return Runs(tmp_path / "runs")


def asked_of(fasta):
    return NetworkRequest(fasta, evalue=1e-2, engine="cpu")


def go(runs, asked, blocks=None):
    """Run to the end, or stop once so many blocks are kept."""
    control, kept = RunControl(), None
    with pytest.MonkeyPatch.context() as patch:
        if blocks is not None:
            stop_after(patch, control.set, blocks)
        for event in runs.run("network", asked, control):
            if isinstance(event, Finished):
                kept = event.outcome
            else:
                assert not isinstance(event, Progress) or event.unit == "cells"
    return kept


def stop_after(patch, stop, blocks):
    """Stop once so many blocks are kept; none begins behind them before that."""
    added, edges, add = [], job._Scorer.edges, Log.add
    begun, lock, stopped = [], threading.Lock(), threading.Event()

    def waiting(self, begin, end):
        with lock:
            begun.append(begin)
            number = len(begun)
        if number > blocks:
            assert stopped.wait(60)
        return edges(self, begin, end)

    def adding(self, facts, arrays):
        add(self, facts, arrays)
        added.append(facts)
        if len(added) == blocks:
            stop()
            stopped.set()

    patch.setattr(job._Scorer, "edges", waiting)
    patch.setattr(Log, "add", adding)


def same(made, other):
    assert list(made.ids) == list(other.ids)
    assert list(made.descriptions) == list(other.descriptions)
    for name in Edges.__dataclass_fields__:
        assert np.array_equal(getattr(made.edges, name), getattr(other.edges, name)), name
    assert np.array_equal(made.bits, other.bits)
    assert np.array_equal(made.lengths, other.lengths)
    for name in ("name", "evalue", "source", "checksum", "strand", "compared", "scheme"):
        assert getattr(made, name) == getattr(other, name), name


def test_a_network_is_kept_and_opened(runs, fasta):
    kept = go(runs, asked_of(fasta))
    assert kept.not_kept == ""
    (record,) = runs.list()
    assert (record.kind, record.state, record.name, record.database) == ("network", "done", fasta.name, fasta.name)
    assert record.found == len(kept.outcome.network.edges) > 0
    assert record.about == "All against all, E up to 0.01"
    assert not record.resumable
    opened = runs.open(record.id)
    same(opened.outcome.network, kept.outcome.network)
    assert opened.outcome.complete
    assert opened.outcome.sentence == kept.outcome.sentence
    assert next(iter(runs.of("network").codec.tables(opened.asked, opened.outcome))) == "edges"
    fasta.unlink()
    same(runs.open(record.id).outcome.network, kept.outcome.network)  # without its file, too


def test_stop_keeps_what_was_compared_and_it_is_resumed(runs, fasta):
    whole = go(runs, asked_of(fasta)).outcome.network
    part = go(runs, asked_of(fasta), blocks=2)
    made = part.outcome.network
    assert 0 < made.compared < 1
    assert 0 < len(made.edges) < len(whole.edges)
    assert "Partial: " in part.outcome.sentence
    with pytest.raises(InvalidParameter, match="of the pairs of"):
        made.similar(EdgeLimit(0.5))
    record = runs.record(part.run_id)
    assert (record.state, record.resumable, record.found) == ("partial", True, len(made.edges))
    assert record.fraction == pytest.approx(made.compared)
    assert record.reason.startswith("Stopped by you. Partial: ")
    same(runs.open(part.run_id).outcome.network, made)
    resumed = go(runs, runs.resume(part.run_id))
    assert resumed.run_id == part.run_id
    same(resumed.outcome.network, whole)
    assert runs.record(part.run_id).state == "done"


def test_nothing_is_kept_of_what_was_stopped_at_once(runs, fasta):
    control = RunControl()
    control.set()
    with pytest.raises(Stopped):
        list(runs.run("network", asked_of(fasta), control))
    assert runs.list() == []


KILLED = """
import os, signal, sys
from pathlib import Path
from swgui.cli import main
from swgui.core.control import RunControl
from swgui.io.saved.log import Log
from swgui.jobs.network import edges as job
from swgui.jobs.network.grouping import ClusterRequest, JudgeRequest, SplitRequest, cluster_steps, split_steps
from swgui.jobs.network.leak import LeakRequest
from swgui.jobs.network.request import NetworkRequest
from swgui.runs import Runs
job.BLOCK = int(sys.argv[3])
add, added = Log.add, []
def killed(self, facts, arrays):
    add(self, facts, arrays)
    added.append(facts)
    if len(added) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
Log.add = killed
asked = NetworkRequest(Path(sys.argv[2]), evalue=1e-2, engine="cpu")
list(Runs(Path(sys.argv[1])).run("network", asked, RunControl()))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_network_is_listed_and_resumed(runs, fasta, repository, monkeypatch):
    scored, edges = [], job._Scorer.edges
    monkeypatch.setattr(job._Scorer, "edges", lambda self, *ends: (scored.append(ends), edges(self, *ends))[1])
    whole, blocks = go(runs, asked_of(fasta)).outcome.network, len(scored)
    (finished,) = runs.list()
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    words = [sys.executable, "-c", KILLED, str(runs.folder), str(fasta), str(BLOCK)]
    assert subprocess.run(words, env=environment, check=False).returncode == -signal.SIGKILL
    (record,) = [one for one in runs.list() if one.id != finished.id]
    assert (record.state, record.resumable, record.kind) == ("interrupted", True, "network")
    assert record.reason == "The network was stopped, or the program ended, before there was a result."
    scored.clear()
    resumed = go(runs, runs.resume(record.id))
    assert len(scored) == blocks - 2
    same(resumed.outcome.network, whole)
    assert runs.record(record.id).state == "done"


def test_a_file_that_changed_is_not_resumed(runs, fasta):
    part = go(runs, asked_of(fasta), blocks=1)
    fasta.write_text(fasta.read_text() + ">one more\nMKVLAAGIVGLLLAQPWERT\n")
    with pytest.raises(LogError, match="is of other sequences"):
        go(runs, runs.resume(part.run_id))
    same(runs.open(part.run_id).outcome.network, part.outcome.network)


def test_sequences_without_a_file_are_kept_with_the_run(runs, fasta):
    asked = NetworkRequest(families(7), evalue=1e-2, engine="cpu", name="Hits")
    whole = go(runs, asked).outcome.network
    part = go(runs, asked, blocks=2)
    assert runs.record(part.run_id).name == "Hits"
    resumed = go(runs, runs.resume(part.run_id))
    same(resumed.outcome.network, whole)
    again = runs.again(part.run_id).sequences
    assert again.checksum == asked.sequences.checksum


def test_a_network_is_computed_again_and_compared(user_folders, fasta, capsys):
    runs = Runs()
    record = runs.record(go(runs, asked_of(fasta)).run_id)
    for name in (record.id, record.name, str(runs.path(record.id))):
        assert main(["verify", name]) == 0
        assert capsys.readouterr().out == "All was computed again, and nothing differs.\n"
    fasta.write_text(fasta.read_text().replace("K", "W"))
    assert main(["verify", record.id]) == 1
    assert capsys.readouterr().out.startswith("Different: ")


LIMIT = EdgeLimit(0.4, 0.5)


def of_kinds(fasta):
    """Return a request of each kind of run that follows from all pairs."""
    asked = asked_of(fasta)
    names = [record.split()[0] for record in fasta.read_text().split(">")[1:]]
    all_in_one = ListedClusters("", dict.fromkeys(names, "one"))
    return {
        "cluster": ClusterRequest(asked, LIMIT, "greedy"),
        "split": SplitRequest(asked, EdgeLimit(0.3, 0.5, sure=1e-3), (80.0, 20.0), ("train", "test")),
        "judge": JudgeRequest(asked, LIMIT, all_in_one, "clusters.tsv"),
        "leak": LeakRequest(fasta, families(6), LIMIT, engine="cpu"),
    }


def cells(table):
    return [[str(cell) for cell in row] for row in table.rows()]


@pytest.mark.parametrize("kind", ["cluster", "split", "judge", "leak"])
def test_what_follows_from_all_pairs_is_kept_and_resumed(kind, runs, fasta, tmp_path):
    asked = of_kinds(fasta)[kind]

    def run(asked, blocks=None):
        control = RunControl()
        with pytest.MonkeyPatch.context() as patch:
            if blocks:
                stop_after(patch, control.set, blocks)
            (kept,) = [event.outcome for event in runs.run(kind, asked, control) if isinstance(event, Finished)]
        return kept

    whole = run(asked)
    (record,) = runs.list()
    assert (record.kind, record.state, record.found) == (kind, "done", whole.outcome.found)
    opened = runs.open(record.id)
    codec = runs.of(kind).codec
    (table,), (again,) = (codec.tables(one.asked, one.outcome).values() for one in (whole, opened))
    assert cells(again) == cells(table)
    assert len(cells(table)) > 1
    if kind != "leak":
        assert opened.outcome.sentences == whole.outcome.sentences
    with pytest.raises(Stopped, match="Stopped when"):  # nothing follows from some of the pairs
        run(asked, blocks=2)
    (stopped,) = [one for one in runs.list() if one.id != record.id]
    assert (stopped.state, stopped.resumable) == ("interrupted", True)
    resumed = run(runs.resume(stopped.id))
    assert cells(next(iter(codec.tables(resumed.asked, resumed.outcome).values()))) == cells(table)
    assert runs.record(stopped.id).state == "done"


def test_a_partial_network_is_not_clustered(runs, fasta, tmp_path):
    made = go(runs, asked_of(fasta), blocks=2).outcome.network
    save_network(made, tmp_path / "part.swnet")
    asked = NetworkRequest(tmp_path / "part.swnet", evalue=1e-2)
    for request in (ClusterRequest(asked, LIMIT), SplitRequest(asked, LIMIT, (1.0,), ("all",))):
        steps = cluster_steps if isinstance(request, ClusterRequest) else split_steps
        with pytest.raises(InvalidParameter, match="of the pairs of"):
            run_to_end(steps(request, RunControl()))
