"""A kind of run from a package outside has all that runs have, by its declaration alone.

The package is the example of docs/dev/extending.md. What ends the program, stops or pauses it comes at a block that the
test names, so that nothing depends on time.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import swgui
from swgui import packages
from swgui.cli import main
from swgui.core.control import RunControl
from swgui.core.errors import SwguiError
from swgui.jobs import kind as kinds_module
from swgui.jobs.events import Progress
from swgui.library.session import SwguiWarning
from swgui.runs import Runs
from swgui.runs.plain import kind_of_file
from tests.outside_engine import EXAMPLES, install

ROWS = 25
KILLED = """
import os, signal, sys
import residues
from swgui.cli import main
from swgui.io.saved.log import Log

residues.BLOCK, add = 5, Log.add

def killing(log, *what):
    add(log, *what)
    if log.added == 3:
        os.kill(os.getpid(), signal.SIGKILL)

Log.add = killing
main(sys.argv[1:])
"""


@pytest.fixture
def site(tmp_path_factory):
    return install(tmp_path_factory.mktemp("site"), "residues", "residues/pyproject.toml")


@pytest.fixture
def residues(site, monkeypatch, user_folders):
    """The module of the package, installed."""
    monkeypatch.syspath_prepend(site)
    packages.forget()
    kinds_module.kinds.cache_clear()
    module = importlib.import_module("residues")
    monkeypatch.setattr(module, "BLOCK", 5)
    yield module
    kinds_module.kinds.cache_clear()
    del sys.modules["residues"]
    vars(swgui).pop("residues", None)


@pytest.fixture
def proteins(tmp_path):
    path = tmp_path / "proteins.fasta"
    path.write_text("".join(f">p{row}\nMKV{'W' * row}A\n" for row in range(ROWS)))
    return path


def stop_at(monkeypatch, module, done):
    """Have Ctrl+C come when so many sequences are counted."""

    def progress(counted, *rest, **more):
        if counted == done:
            signal.raise_signal(signal.SIGINT)
        return Progress(counted, *rest, **more)

    monkeypatch.setattr(module, "Progress", progress)


def outcome(runs, asked, control=None):
    *_, last = runs.run("residues", asked, control or RunControl())
    return last.outcome


def test_the_example_is_short():
    assert len(EXAMPLES["residues.py"].splitlines()) <= 80


def test_a_command_with_tables_in_every_format(residues, proteins, tmp_path, capsys):
    assert main(["residues", "-d", str(proteins), "--residue", "W"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[:3] == ["sequence\tcount", "p0\t0", "p1\t1"]
    assert err == f"swgui: {sum(range(ROWS))} found.\n"
    for form in ("tsv", "csv", "json", "xlsx"):
        assert main(["residues", "-d", str(proteins), "--format", form, "-o", str(tmp_path / f"t.{form}")]) == 0
    rows = json.loads((tmp_path / "t.json").read_text())
    assert rows[4] == {"sequence": "p4", "count": 1}
    assert (tmp_path / "t.csv").read_text().splitlines()[5] == "p4,1"
    assert (tmp_path / "t.xlsx").read_bytes()[:2] == b"PK"


def test_help_lists_the_command(residues, capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "residues     count a residue in every sequence of a file" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["residues", "--help"])
    said = capsys.readouterr().out
    assert all(name in said for name in ("--residue X", "--checkpoint FILE", "--format", "--history", "--certificate"))


def test_no_output_replaces_an_input(residues, proteins, capsys):
    before = proteins.read_bytes()
    for option in ("-o", "--save", "--checkpoint", "--certificate"):
        assert main(["residues", "-d", str(proteins), option, str(proteins)]) == 2
    assert "would replace it" in capsys.readouterr().err
    assert proteins.read_bytes() == before
    assert main(["residues", "-d", str(proteins), "--table", "other"]) == 2
    assert "There is counts." in capsys.readouterr().err


def test_a_function_of_the_library(residues, proteins, tmp_path):
    found = swgui.residues(proteins, residue="W")
    assert (found.partial, found.outcome.found) == (False, sum(range(ROWS)))
    assert found.to_arrays()["count"].tolist() == list(range(ROWS))
    frame = pytest.importorskip("pandas") and found.to_pandas()
    assert list(frame.columns) == ["sequence", "count"]
    found.write(tmp_path / "counts.csv")
    assert (tmp_path / "counts.csv").read_text().startswith("sequence,count\np0,0\n")
    with pytest.raises(swgui.InvalidParameter, match="Did you mean 'residue'"):
        swgui.residues(proteins, residu="W")
    with pytest.raises(swgui.InvalidParameter, match="needs database"):
        swgui.residues()
    with pytest.raises(swgui.InvalidParameter, match="would replace it"):
        found.save(proteins)


def test_one_file_that_is_opened_and_verified(residues, proteins, tmp_path, capsys):
    found = swgui.residues(proteins, residue="W")
    found.save(tmp_path / "w.result")
    assert main(["residues", "-d", str(proteins), "--residue", "W", "--save", str(tmp_path / "v.result")]) == 0
    for name in ("w.result", "v.result"):
        assert kind_of_file(tmp_path / name) == "residues"
        opened = swgui.load(tmp_path / name)
        assert opened.asked == found.asked
        np.testing.assert_array_equal(opened.outcome.counts, found.outcome.counts)
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "w.result")]) == 0
    assert capsys.readouterr().out.endswith("nothing differs.\n")
    proteins.write_text(proteins.read_text().replace("WWWA", "WWKA", 1))
    assert main(["verify", str(tmp_path / "w.result")]) == 1
    assert capsys.readouterr().out == "Different: found, counts.\n"


def test_a_certificate_is_declared(residues, proteins, tmp_path):
    assert main(["residues", "-d", str(proteins), "--certificate", str(tmp_path / "c.json")]) == 0
    facts = json.loads((tmp_path / "c.json").read_text())
    assert facts == swgui.residues(proteins).certificate()
    assert facts == {"database": str(proteins), "residue": "K", "complete": True}
    assert (residues.CODEC.certified, residues.CODEC.reported) == (True, False)
    with pytest.raises(SwguiError, match="has no page of a report"):
        residues.CODEC.report(None, None, None, None)
    assert "methods" in residues.KIND.without
    with pytest.raises(SwguiError, match="has no paragraph of methods"):
        residues.CODEC.methods(None, None)


def test_a_copy_as_command_and_as_python_finds_the_same(residues, proteins, tmp_path, monkeypatch, capsys):
    found = swgui.residues(proteins, residue="W")
    words = found.command.split()
    assert words[:2] == ["swgui", "residues"]
    assert main(words[1:]) == 0
    assert f"p{ROWS - 1}\t{ROWS - 1}\n" in capsys.readouterr().out
    made = {}
    exec(found.python, made)
    np.testing.assert_array_equal(made["found"].outcome.counts, found.outcome.counts)


def test_stop_keeps_what_was_found_and_the_state_continues(residues, proteins, tmp_path, monkeypatch, capsys):
    words = ["residues", "-d", str(proteins), "--residue", "W", "--checkpoint", str(tmp_path / "state")]
    with monkeypatch.context() as patched:
        stop_at(patched, residues, 10)
        assert main(words) == 130
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "p9\t9"
    assert "45 found.\nswgui: stopped: these are the results so far.\n" in err
    with pytest.raises(swgui.SwguiError, match="is of another request"):
        swgui.residues(proteins, residue="K", checkpoint=tmp_path / "state")
    with monkeypatch.context() as patched:
        stop_at(patched, residues, 15)
        with pytest.warns(SwguiWarning, match="stopped"):
            found = swgui.residues(proteins, residue="W", checkpoint=tmp_path / "state")
    assert found.partial
    assert found.to_arrays()["count"].tolist() == list(range(15))
    assert repr(found).endswith("so far>")
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"p{ROWS - 1}\t{ROWS - 1}"
    assert not (tmp_path / "state").exists()


def test_a_killed_command_continues_from_its_state(residues, site, proteins, tmp_path, capsys):
    words = ["residues", "-d", str(proteins), "--residue", "W", "--checkpoint", str(tmp_path / "state")]
    where = os.pathsep.join([str(site), *sys.path])
    ended = subprocess.run([sys.executable, "-c", KILLED, *words], env={**os.environ, "PYTHONPATH": where}, check=False)
    assert ended.returncode == -signal.SIGKILL
    done = []

    def counting(counted, *rest, **more):
        done.append(counted)
        return Progress(counted, *rest, **more)

    residues.Progress = counting
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"p{ROWS - 1}\t{ROWS - 1}"
    assert done == [20, 25]


def test_it_stands_in_the_list_of_runs(residues, proteins, capsys):
    assert main(["residues", "-d", str(proteins), "--history", "my count"]) == 0
    runs = Runs()
    (record,) = runs.list()
    assert (record.kind, record.state, record.name, record.found) == ("residues", "done", "my count", ROWS)
    assert runs.open(record.id).outcome.counts.tolist() == [1] * ROWS
    again = outcome(runs, runs.again(record.id))
    assert again.run_id != record.id
    runs.delete(again.run_id)
    assert [one.id for one in runs.list()] == [record.id]


@pytest.mark.gui
def test_it_waits_pauses_and_stops_in_the_queue(residues, proteins, monkeypatch, qtbot):
    from swgui.gui.runs.queue import RunQueue, SearchController

    reached, resumed = threading.Event(), threading.Event()

    def progress(counted, *rest, **more):
        if counted == 10:
            reached.set()
            assert resumed.wait(60)
        return Progress(counted, *rest, **more)

    monkeypatch.setattr(residues, "Progress", progress)
    queue = RunQueue(SearchController(), Runs())
    for residue in "WM":
        queue.add(residues.Asked(str(proteins), residue), "residues")
    qtbot.waitUntil(reached.is_set)
    assert [run.kind for run in queue.runs] == ["residues", "residues"]
    assert queue.waiting == 1
    first = queue.runs[0].id
    queue.pause(first, True)
    resumed.set()
    qtbot.waitUntil(lambda: queue.runs[0].state == "paused")
    queue.stop(first)
    qtbot.waitUntil(lambda: queue.runs == ())
    found = {record.name: (record.state, record.found) for record in Runs().list()}
    assert found["M in proteins.fasta"] == ("done", ROWS)
    # Stop comes before or behind the look at the pause, which ends then: two or three blocks are counted
    assert found["W in proteins.fasta"] in [("partial", sum(range(blocks * 5))) for blocks in (2, 3)]


def test_without_the_package_its_runs_say_so(residues, site, proteins, tmp_path, monkeypatch):
    swgui.residues(proteins).save(tmp_path / "k.result")
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(site)])
    kinds_module.kinds.cache_clear()
    vars(swgui).pop("residues", None)
    with pytest.raises(swgui.SwguiError, match="kind of run that is not installed: 'residues'"):
        swgui.load(tmp_path / "k.result")
    with pytest.raises(AttributeError, match="no attribute 'residues'"):
        _ = swgui.residues
