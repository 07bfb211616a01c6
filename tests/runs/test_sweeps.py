"""Sweeps among the runs: one file, tables, and the request that is made again."""

import json
import threading

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.core.sweep.grid import Axis
from swgui.core.sweep.report import as_json
from swgui.jobs.sweep.request import SweepRequest
from swgui.runs import Runs
from swgui.runs.plain import kind_of_file
from swgui.runs.sweeps import CODEC
from tests.asking import BLOSUM62
from tests.tuning_engine import found_by_the_registry

AXES = (Axis("threads", "Threads per block", "threads", ("64", "256")),)
NAME = "Sweep of threads per block, query of 24 residues"


@pytest.fixture
def kept(monkeypatch, user_folders):
    """A sweep among the runs: its request, outcome and id."""
    found_by_the_registry(monkeypatch)
    options = EngineOptions(settings={"method": "simt"})
    asked = SweepRequest("cuda", AXES, 4_000, BLOSUM62, 24, options, repeats=1, least_seconds=0.0)
    *_, last = Runs().run("sweep", asked, threading.Event())
    return last.outcome


@pytest.mark.parametrize("place", ["made up", "file", "memory"])
def test_a_request_is_made_again(place, tmp_path):
    (tmp_path / "few.fasta").write_text(">a\nMKVLAWWH\n")
    records = [SequenceRecord("a", "", b"MKVLAWWH"), SequenceRecord("b", "", b"ACDEF")]
    database = {"made up": 500, "file": tmp_path / "few.fasta", "memory": encode_database(records, PROTEIN)}[place]
    query = 24 if place == "made up" else EncodedQuery("q", PROTEIN.encode(b"MKVLA"))
    asked = SweepRequest("cpu", AXES, database, BLOSUM62, query, EngineOptions(("cpu",)), budget=3.0, name="mine")
    again = CODEC.request(CODEC.pack_request(asked))
    for name in ("engine", "axes", "options", "repeats", "budget", "name", "length", "file"):
        assert getattr(again, name) == getattr(asked, name), name
    for first, second in zip(asked.sequences(threading.Event()), again.sequences(threading.Event()), strict=True):
        np.testing.assert_array_equal(first.codes, second.codes)


def test_a_sweep_is_one_file(kept, tmp_path, capsys):
    runs, path = Runs(), tmp_path / "s.result"
    runs.of("sweep").export(kept.run_id, path)
    assert kind_of_file(path) == "sweep"
    opened = swgui.load(path)
    assert as_json(opened.outcome) == as_json(kept.outcome)
    assert opened.to_arrays()["axis_threads"].tolist() == ["64", "256", "auto", "auto", "auto"]
    assert main(["verify", str(path)]) == 1
    assert "cannot be verified: times differ" in capsys.readouterr().err


def test_cells_are_a_table_in_every_format(kept, tmp_path, capsys):
    for form in ("tsv", "csv", "json", "xlsx"):
        assert main(["show", kept.run_id, "--format", form, "-o", str(tmp_path / f"t.{form}")]) == 0
    rows = json.loads((tmp_path / "t.json").read_text())
    assert [row["row"] for row in rows] == ["cell", "cell", "default", "default again", "own"]
    assert rows[1]["axis_threads"] == "256"
    assert rows[1]["gcups_median"] == pytest.approx(240)
    assert (tmp_path / "t.xlsx").read_bytes()[:2] == b"PK"
    assert main(["show", kept.run_id, "--columns", "axis_threads,state"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["axis_threads\tstate", "64\tmeasured"]
    assert main(["show", kept.run_id, "--format", "blast6"]) == 2
    assert "is a format of hits; a sweep has tables" in capsys.readouterr().err
    assert main(["show", NAME]) == 0
    Runs().of("sweep").keep(kept.asked, kept.outcome, "20260101-000000-00000000", "2026-01-01T00:00:00+00:00")
    assert main(["show", NAME]) == 1
    assert f"2 runs are called '{NAME}'." in capsys.readouterr().err
    assert main(["show", kept.run_id, "--methods-text", "plain"]) == 1
    assert "no paragraph of" in capsys.readouterr().err
