import csv
import json

import pytest

from swgui import bench
from swgui.bench.sweep import main, table
from swgui.engines import cpu, reference, registry
from swgui.io.tuning import load_tuned
from tests.tuning_engine import FakeGpu

SMALL = ["--residues", "4000", "--query", "24", "--repeats", "1"]


@pytest.fixture(autouse=True)
def fake(monkeypatch, tmp_path):
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path / "config"))
    adapter = FakeGpu()
    others = {"cpu": cpu, "reference": reference}
    monkeypatch.setattr(registry, "_adapter", lambda name: adapter if name == "cuda" else others[name])
    monkeypatch.setattr(registry, "_probed", {})
    return adapter


def test_a_sweep_in_the_terminal(tmp_path, capsys):
    files = ["--csv", str(tmp_path / "x.csv"), "--json", str(tmp_path / "x.json"), "--keep"]
    words = ["--sweep", "threads=64,128,256,1024", "blocks=1,2", "--method", "simt", *SMALL, *files]
    assert bench.main(words) == 0
    out = capsys.readouterr().out
    assert "240*" in out
    assert "n/a" in out
    assert "Best: 256 threads per block, 2 blocks per multiprocessor" in out
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    assert [row["state"] for row in rows].count("impossible") == 2
    assert len(rows) == 11
    stored = json.loads((tmp_path / "x.json").read_text())
    assert stored["best"] == ["256", "2"]
    assert stored["base"] == {"method": "simt"}
    assert table(load_tuned()[0].result) in out


def test_a_wrong_score_makes_it_fail(fake, capsys):
    fake.wrong = {("64", "1")}
    assert main(["--sweep", "threads=64,128", "--set", "blocks=1", "--method", "simt", *SMALL]) == 1
    assert "WRONG" in capsys.readouterr().out


def test_the_cpu_can_be_swept_and_quick_is_the_default(capsys):
    assert main(["--sweep", "--engine", "cpu", "--residues", "4000", "--query", "24", "--repeats", "1"]) == 0
    assert "residues per chunk" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sweep", "speed"], "no axis 'speed'"),
        (["--method", "simt", "--sweep", "threads=33"], "cannot be '33'"),
        (["--sweep", "threads", "--method", "simt", "--set", "blocks"], "NAME=VALUE"),
        (["--sweep", "threads", "--method", "simt", "--query", "0"], "at least one residue"),
        (["--sweep", "threads", "--method", "simt", "--residues", "-1"], "at least one residue"),
        (["--sweep", "threads", "--engine", "gpu"], "no engine 'gpu'"),
        (["--sweep", "threads", "--method", "simt", "--device", "3"], "no device '3'"),
    ],
)
def test_wrong_words_are_explained(words, said, capsys):
    assert main([*SMALL, *words]) == 2
    assert said in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_explained(tmp_path, capsys):
    words = ["--sweep", "threads=64", "--method", "simt", *SMALL, "--csv", str(tmp_path / "no" / "x.csv")]
    assert main(words) == 1
    assert "does not exist" in capsys.readouterr().err
