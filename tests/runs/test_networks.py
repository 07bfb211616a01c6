"""Networks among the runs: kept when they end, stopped with what was compared, killed, resumed, listed and opened."""

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.control import RunControl
from swgui.core.errors import InvalidParameter, LogError
from swgui.core.network.edges import Edges
from swgui.core.network.measures import EdgeLimit
from swgui.io.network.file import save_network
from swgui.jobs.events import Finished, Progress, run_to_end
from swgui.jobs.network import edges as job
from swgui.jobs.network.grouping import ClusterRequest, SplitRequest, cluster_steps, split_steps
from swgui.jobs.network.request import NetworkRequest
from swgui.runs import Runs
from tests.jobs.network.test_edges import families
from tests.runs.life import fasta_of_families, stop_after

BLOCK = 3


@pytest.fixture
def fasta(tmp_path):
    return fasta_of_families(tmp_path)


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


def test_a_stopped_network_is_partial(runs, fasta):
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
    alone = fasta.with_suffix(".swnet")
    runs.of("network").export(record.id, alone)
    for name in (record.id, record.name, str(runs.path(record.id)), str(alone)):
        assert main(["verify", name]) == 0
        assert capsys.readouterr().out == "All was computed again, and nothing differs.\n"
    fasta.write_text(fasta.read_text().replace("K", "W"))
    assert main(["verify", record.id]) == 1
    assert capsys.readouterr().out.startswith("Different: ")


LIMIT = EdgeLimit(0.4, 0.5)


def test_a_partial_network_is_not_clustered(runs, fasta, tmp_path):
    made = go(runs, asked_of(fasta), blocks=2).outcome.network
    save_network(made, tmp_path / "part.swnet")
    asked = NetworkRequest(tmp_path / "part.swnet", evalue=1e-2)
    for request in (ClusterRequest(asked, LIMIT), SplitRequest(asked, LIMIT, (1.0,), ("all",))):
        steps = cluster_steps if isinstance(request, ClusterRequest) else split_steps
        with pytest.raises(InvalidParameter, match="of the pairs of"):
            run_to_end(steps(request, RunControl()))
