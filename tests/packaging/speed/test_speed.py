"""The benchmarks' own arithmetic and arguments; no time is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import numpy as np
import pytest
from speed import command, data, jobs, main, methods
from speed.measure import Measurement, all_scores
from speed.pairs import command as pairs

from swgui.core.alphabet import PROTEIN
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits
from swgui.engines.base import DeviceInfo, EngineStatus
from tests.engines.conftest import database_of, query_of, random_codes


@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_repeated_database_holds_every_subject_as_often(times):
    rng = np.random.default_rng(2)
    database = database_of([random_codes(rng, n, 20) for n in (5, 3, 0, 9, 3, 3, 1, 5)], PROTEIN)
    repeated = data.repeat(database, times)
    assert len(repeated) == times * len(database)
    assert repeated.residues == times * database.residues
    for index in range(len(repeated)):
        assert np.array_equal(repeated.subject(index), database.subject(index % len(database)))
    assert (np.diff(np.diff(repeated.offsets)) <= 0).all()
    assert (repeated.checksum == database.checksum) == (times == 1)


def test_figures_follow_from_cells_and_seconds():
    measured = Measurement("queries", "q", 100, 5_000_000_000, seconds=2.0, kernel_seconds=1.0)
    assert measured.gcups == pytest.approx(2.5)
    assert measured.kernel_gcups == pytest.approx(5.0)
    assert Measurement("batch", "q", 1, 1, 1.0).kernel_gcups == 0
    assert json.loads(json.dumps(measured.as_json()))["gcups"] == pytest.approx(2.5)


class LengthEngine:
    """Scores subjects by their length."""

    def chunk_limits(self, queries, database):
        return ChunkLimits(residues=10)

    def score(self, queries, database, plans, scheme, cancel):
        assert isinstance(cancel, threading.Event)
        for index in range(len(queries)):
            for plan in plans:
                order = database.order[plan.start : plan.stop]
                yield ChunkScores(index, order, database.lengths[order], 1)


def test_a_batch_is_measured_over_all_queries():
    database = database_of([random_codes(np.random.default_rng(1), n, 20) for n in range(1, 30)], PROTEIN)
    queries = [query_of(np.zeros(n, np.uint8)) for n in (3, 4)]
    measured = all_scores("batch", "two", queries, database, data.protein_scheme(), LengthEngine(), 2)
    assert measured.length == 7
    assert measured.cells == 7 * database.residues
    assert measured.seconds > 0


SOME_GPU = EngineStatus("cuda", available=True, devices=(DeviceInfo("0", "Some GPU"),))


def show(monkeypatch, status):
    for module in (command, methods, pairs):
        monkeypatch.setattr(module, "probe", lambda name: status)


@pytest.fixture
def with_device(monkeypatch):
    show(monkeypatch, SOME_GPU)


def test_no_device_is_said(monkeypatch, capsys):
    status = EngineStatus("cuda", available=False, reason="There is no GPU.", hint="Buy one.")
    show(monkeypatch, status)
    assert main([]) == 1
    assert "There is no GPU. Buy one." in capsys.readouterr().err


def test_missing_data_is_said(with_device, capsys, tmp_path):
    assert main(["queries", "--data", str(tmp_path)]) == 1
    assert "is missing" in capsys.readouterr().err


def test_an_unknown_benchmark_is_refused(with_device, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--", "nonsense"])
    assert ended.value.code == 2
    assert "there is no benchmark 'nonsense'" in capsys.readouterr().err


def test_table_and_file_hold_what_was_measured(with_device, monkeypatch, capsys, tmp_path):
    def two(setting):
        """Measure nothing."""
        assert setting.repeats == 3
        yield Measurement("queries", "first", 10, 4_000_000_000, 2.0, 1.0)
        yield Measurement("queries", "second", 20, 8_000_000_000, 1.0)

    monkeypatch.setattr("speed.command.JOBS", {"queries": two})
    target = tmp_path / "out.json"
    assert main(["--repeats", "3", "--json", str(target)]) == 0
    printed = capsys.readouterr().out
    assert "geometric mean 4 GCUPS, best 8" in printed
    assert [one["label"] for one in json.loads(target.read_text())["measurements"]] == ["first", "second"]


def test_every_job_says_what_it_does():
    assert all(job.__doc__ for job in jobs.JOBS.values())


@pytest.mark.parametrize("words", [[], ["batch"], ["--methods"], ["--pairs"], ["--pairs", "devices"]])
def test_what_needs_a_gpu_says_why_there_is_none_and_what_else_can_be_measured(words, monkeypatch, capsys):
    show(monkeypatch, EngineStatus("cuda", available=False, reason="There is no driver.", hint="Install one."))
    assert main(words) == 1
    err = capsys.readouterr().err
    assert err.startswith("swgui: This measures NVIDIA GPUs. There is no driver. Install one. ")
    assert err.endswith("'swgui bench --engine cpu'.\n")


@pytest.mark.parametrize("words", [["--methods"], ["--pairs"], []])
def test_a_folder_that_is_missing_is_said_before_anything_is_measured(words, tmp_path, monkeypatch, capsys):
    show(monkeypatch, SOME_GPU)
    assert main([*words, "--data", str(tmp_path), "--json", str(tmp_path / "no" / "x.json")]) == 1
    assert "does not exist, so 'x.json' cannot be written." in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--methods"], ["--pairs"]])
def test_benchmarks_leave_their_data_alone(words, tmp_path, monkeypatch, capsys):
    show(monkeypatch, SOME_GPU)
    monkeypatch.setattr(data, "read_sequences", None)
    file = tmp_path / "dna" / "MT-human.fa"
    file.parent.mkdir()
    file.write_text(">m\nACGT\n")
    assert main([*words, "--data", str(tmp_path), "--json", str(file)]) == 2
    assert f"'{file}' is the file" in capsys.readouterr().err
    assert file.read_text() == ">m\nACGT\n"


def test_it_is_started_as_a_folder(repository):
    command = [sys.executable, "packaging/measuring/speed", "--help"]
    told = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout
    assert all(word in told for word in (*jobs.JOBS, "--methods", "--pairs", "--whole"))
