import csv
import json
import shlex
import signal
import threading
from functools import partial

import pytest

from swgui import cli
from swgui.cli.computer import bench
from swgui.cli.computer.bench import table
from swgui.commands.bench import sweep_command, to_be_saved
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.sweep.grid import Axis
from swgui.engines.cuda.streaming.tables import tables_for
from swgui.io.database.build import build_database
from swgui.io.matrices import load_matrix
from swgui.io.tuning import load_in_use
from swgui.jobs import forecast
from swgui.jobs.sweep.request import SweepRequest
from swgui.runs import Runs
from tests.tuning_engine import GPU, few_tiles, found_by_the_registry

SMALL = ["--residues", "4000", "--query", "24", "--repeats", "1"]


def main(words):
    """Exit status of ``swgui bench`` with these words."""
    return cli.main(["bench", *words])


@pytest.fixture(autouse=True)
def fake(monkeypatch, tmp_path):
    for name in ("CONFIG", "DATA"):
        monkeypatch.setenv(f"SWGUI_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setattr(bench, "SweepRequest", partial(SweepRequest, least_seconds=0.0))  # the speed is made up
    return found_by_the_registry(monkeypatch)


def test_a_sweep_in_the_terminal(tmp_path, capsys):
    files = ["--csv", str(tmp_path / "x.csv"), "--json", str(tmp_path / "x.json"), "--keep"]
    words = ["--sweep", "threads=64,128,256,1024", "blocks=1,2", "--method", "simt", *SMALL, *files]
    assert main(words) == 0
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
    runs = Runs()
    (record,) = runs.list()
    assert (record.kind, record.state, record.found) == ("sweep", "done", 6)
    assert "query of 24" in record.name
    kept = runs.open(record.id)
    assert table(kept.outcome) in out
    copied = shlex.split(sweep_command(kept.asked))[2:]
    assert copied[:8] == ["--sweep", words[1], "--sweep", words[2], "--engine", "cuda", "--method", "simt"]
    assert copied[copied.index("-q") + 1] == "24"
    assert copied[copied.index("--matrix") + 1 :][:5] == ["BLOSUM62", "--gap-open", "11", "--gap-extend", "1"]
    assert main(copied) == 0
    assert len(runs.list()) == 2


def test_a_long_sweep_is_foretold(capsys, monkeypatch):
    monkeypatch.setattr(forecast, "LONG", 0.0)
    assert main(["--sweep", "blocks=1,2", "--budget", "5", "--method", "simt", *SMALL]) == 0
    assert "about 5" in capsys.readouterr().err


def test_the_command_of_a_sweep_has_its_own_sequences_and_scoring(tmp_path):
    query, database = tmp_path / "q.fasta", tmp_path / "d.fasta"
    query.write_text(">mine\nMKVLAWWH\n>other\nACDEF\n")
    database.write_text(">a\nMKVLAWWHMKVLAWWH\n")
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM45", PROTEIN), 14, 2)
    axes, mine = (Axis("threads", "Threads", "threads", ("64",)),), EncodedQuery("mine", PROTEIN.encode(b"MKVLAWWH"))
    asked = SweepRequest("cuda", axes, database, scheme, mine, repeats=1, query_file=str(query))
    assert to_be_saved(asked) == ()
    assert main(shlex.split(sweep_command(asked))[2:]) == 0
    again = Runs().open(Runs().list()[0].id).asked
    assert (again.scheme.describe(), again.file, again.query_file) == (scheme.describe(), str(database), str(query))
    assert (again.query.id, again.query.codes.tolist()) == ("mine", mine.codes.tolist())
    memory = replace(asked, query_file="", database=encode_database([SequenceRecord("a", "", b"MKV")], PROTEIN))
    assert to_be_saved(memory) == ("query.fasta", "database.fasta")
    assert "-q query.fasta -d database.fasta" in sweep_command(memory)


def test_a_stopped_sweep_is_kept_and_resumed(fake, capsys):
    def stop():
        if len(fake.made) == 4:  # automatic, the program's own choice, the first cell, the second
            signal.raise_signal(signal.SIGINT)

    fake.on_score = stop
    words = ["--sweep", "threads=64,128,256,512", "blocks=1,2", "--method", "simt", *SMALL, "--keep"]
    assert main(words) == 130
    assert "was stopped" in capsys.readouterr().out
    runs = Runs()
    (record,) = runs.list()
    assert (record.state, record.resumable) == ("partial", True)
    assert "was stopped" in record.reason
    fake.on_score = lambda: None
    *_, last = runs.run("sweep", runs.resume(record.id), threading.Event())
    kept = last.outcome
    assert kept.outcome.complete
    assert runs.record(record.id).state == "done"
    assert kept.run_id == record.id


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
        (["--sweep", "threads", "--method", "simt", "--query", "no.fa"], "neither a number of residues nor a file"),
        (["--sweep", "query", "--engine", "cpu", "--set", "threads=2"], "Give them as --sweep threads=2."),
        (["--sweep", "threads", "--engine", "cpu", "--method", "simt"], "the engine cpu has none"),
    ],
)
def test_wrong_words_are_explained(words, said, capsys):
    assert main([*SMALL, *words]) == 2
    err = capsys.readouterr().err
    assert err.splitlines()[-1].startswith("swgui: ")
    assert said in err.splitlines()[-1]


@pytest.mark.parametrize(("option", "value"), [("--repeats", "0"), ("--budget", "-1"), ("--budget", "soon")])
def test_wrong_numbers_are_refused(option, value, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--sweep", "threads=64", "--method", "simt", *SMALL, option, value])
    assert ended.value.code == 2
    assert f"'{value}' is not a" in capsys.readouterr().err


def test_an_engine_with_nothing_to_set_is_swept_over_the_query(capsys):
    assert main(["--sweep", "--engine", "reference", "--residues", "500", "--query", "24", "--repeats", "1"]) == 0
    assert "query length" in capsys.readouterr().out


def test_the_database_may_be_of_either_form(tmp_path, capsys):
    fasta, built = tmp_path / "few.fasta", tmp_path / "few.swdb"
    fasta.write_text(">a\nMKVLAWWH\n>b\nACDEFGHIK\n")
    build_database([fasta], built)
    for path in (fasta, built):
        words = ["--sweep", "threads=1,2", "--engine", "cpu", "--query", "24", "--repeats", "1"]
        assert main([*words, "--database", str(path)]) == 0
        assert "(2 compared in each)" in capsys.readouterr().out


def test_one_that_is_stopped_at_once_says_so(monkeypatch, capsys):
    def stopped(request, cancel, log):
        raise Stopped
        yield

    monkeypatch.setattr("swgui.jobs.sweep.run.sweep_steps", stopped)
    assert main(["--sweep", "threads=64", "--method", "simt", *SMALL]) == 1
    assert capsys.readouterr().err.endswith("swgui: stopped before anything was measured.\n")


def test_a_file_that_cannot_be_written_is_explained(tmp_path, capsys):
    words = ["--sweep", "threads=64", "--method", "simt", *SMALL, "--csv", str(tmp_path / "no" / "x.csv")]
    assert main(words) == 1
    assert "does not exist" in capsys.readouterr().err


def test_the_best_settings_are_used_from_then_on(capsys):
    words = ["--method", "simt", *SMALL, "--use"]
    assert main(["--sweep", "threads=64,256", "blocks=1,2", *words]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    (kept,) = load_in_use()
    assert kept.settings == {"method": "simt", "threads": "256", "blocks": "2"}
    assert said.endswith("1 to 31 residues: method simt, threads 256, blocks 2.")
    assert main(["--sweep", "query=16,24", *words]) == 2  # speeds of different queries: nothing to choose
    assert "finds no settings to use" in capsys.readouterr().err
    assert load_in_use() == (kept,)


def test_automatic_settings_are_used_where_nothing_is_gained(capsys):
    words = ["--sweep", "threads=64,256", "--set", "blocks=2", "--method", "simt", *SMALL, "--use"]
    assert main(words) == 0
    assert len(load_in_use()) == 1
    assert main([*words[:1], "threads=64", *words[2:]]) == 0
    assert capsys.readouterr().out.endswith("automatic settings.\n")
    assert load_in_use() == ()
    assert [record.kind for record in Runs().list()] == ["sweep", "sweep"]


def test_without_anything_the_speed_over_the_query_is_measured(capsys):
    assert main(["--engine", "reference", "--residues", "500", "--repeats", "1"]) == 0
    out = capsys.readouterr().out
    assert "along the bottom: query length" in out
    assert "4096" in out


def test_tiles_are_measured_used_and_forgotten(fake, tmp_path, capsys, monkeypatch):
    few = few_tiles(monkeypatch, (8, 16, 24, 48))
    out = tmp_path / "tiles.json"
    assert main(["--tune", "--repeats", "1", "--residues", "4000", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert "two subjects" in said
    assert "Test GPU" in said
    assert json.loads(out.read_text())["name"] == "Test GPU"
    assert tables_for(GPU)[1].found is not None
    assert main(["--forget-tune"]) == 0
    assert "1 GPU" in capsys.readouterr().out
    assert main(["--forget-tune"]) == 0
    assert tables_for(GPU)[0] is few
    fake.on_time = lambda number: signal.raise_signal(signal.SIGINT)
    assert main(["--tune", "--residues", "4000"]) == 130
    assert tables_for(GPU)[0] is few
    for other in (
        ["--forget-tune"],
        ["--use"],
        ["--sweep", "threads"],
        ["--set", "rows=8"],
        ["--watts"],
        ["--csv", "x"],
    ):
        assert main(["--tune", *other]) == 2


def test_watts_need_a_driver_that_gives_them(capsys):
    assert main(["--sweep", "threads=64", "--set", "blocks=1", "--method", "simt", *SMALL, "--watts", "0.01"]) == 0
    assert "GCUPS per watt" in capsys.readouterr().out
