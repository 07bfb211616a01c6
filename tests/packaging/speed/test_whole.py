"""Whole jobs in processes of their own, with small data."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import random
import sys

import pytest
import speed
from speed.whole import measure as measuring
from speed.whole import runner
from speed.whole.child import CommandFailed, Measurement, take
from speed.whole.files import MADE, SOURCES, Files
from speed.whole.measure import Bench
from speed.whole.peers import PEERS
from speed.whole.rows import OUT, ROWS, Row

from swgui.core.plain import replace
from swgui.core.trace import OTHER, PARTS


def residues(count):
    return "".join(random.Random(count).choices("ACDEFGHIKLMNPQRSTVWY", k=count))


@pytest.fixture
def data(tmp_path):
    """A folder of sequences with two of the queries, and a database of a few subjects."""
    folder = tmp_path / "data" / "proteins"
    folder.mkdir(parents=True)
    (folder / "cudasw_20queries.fasta").write_text("".join(f">q{n}\n{residues(n)}\n" for n in (144, 464)))
    subjects = "".join(f">s{n}\n{residues(n)}\n" for n in (140, 144, 200, 464))
    (folder / "swissprot_16species.fasta.gz").write_bytes(gzip.compress(subjects.encode()))
    return folder.parent


def program(folder, name, text):
    """Put a program into a folder that is looked in."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o755)


def measure(data, tmp_path, *words):
    status = speed.main(["--whole", *words, "--data", str(data), "--repeats", "1", "--json", str(tmp_path / "x.json")])
    made = json.loads((tmp_path / "x.json").read_text())
    return status, {one["job"]: one for one in made["measurements"]}


def test_jobs_are_timed_and_taken_apart(data, tmp_path, capsys):
    status, found = measure(data, tmp_path, "cpu-144", "help", "--peers", "none")
    out = capsys.readouterr().out
    assert status == 0
    run = found["cpu-144"]["runs"][0]
    assert set(run["parts"]) <= {*PARTS, OTHER}
    assert 0 < sum(run["parts"].values()) <= run["seconds"] + 0.1  # what the process says lies within what was seen
    assert "--top 10 --engine cpu --timings" in found["cpu-144"]["command"]
    assert found["help"]["beside"][0]["taken"]["seconds"] > 0
    assert "| query of 144 x swissprot_16species, top 10 | " in out
    assert "| swgui --help | " in out
    if hasattr(os, "wait4"):
        assert 1 << 20 < found["help"]["runs"][0]["memory"] <= run["memory"]


def test_what_cannot_be_done_says_why(data, tmp_path, capsys):
    status, found = measure(data, tmp_path, "cpu-5478", "cpu-20", "pair-score-2", "--peers", "none")
    assert status == 0
    assert found["cpu-5478"]["why"] == "cudasw_20queries.fasta has no query of 5478 residues"
    assert "GPU" in found["pair-score-2"]["why"] or "driver" in found["pair-score-2"]["why"]
    assert not found["pair-score-2"]["runs"]
    assert len(found["cpu-20"]["runs"]) == 1
    (data / "proteins" / "swissprot_16species.fasta.gz").unlink()
    _, found = measure(data, tmp_path, "cpu-20", "--peers", "none")
    assert found["cpu-20"]["why"].startswith("swissprot_16species.fasta.gz is not in ")
    assert f"Not measured: 20 queries, the 100 best aligned: {found['cpu-20']['why']}." in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="programs without an ending")
def test_other_programs_do_the_same_job(data, tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder, "ssearch36", "import sys; print(*sys.argv[1:])")
    program(folder, "diamond", "import sys; sys.exit('diamond: no licence')")
    program(folder, "align", "print('aligns images')")
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    _, found = measure(data, tmp_path, "20-small", "--engine", "cpu", "--peers", "ssearch36,diamond,CUDASW++")
    other, failed = found["20-small"]["beside"]
    assert other["name"] == "ssearch36"
    assert other["taken"]["output"].endswith("cudasw_20queries.fasta " + other["taken"]["output"].split()[-1])
    assert "-b 10" in other["taken"]["output"]
    assert failed == {"name": "diamond", "taken": None, "why": "diamond: no licence"}
    assert PEERS["CUDASW++"].find() is None  # it is another program of this name


def test_a_command_that_takes_too_long_is_ended(tmp_path):
    words = [sys.executable, "-c", "import time; time.sleep(600)"]
    figures = runner.run(words, str(tmp_path / "out"), str(tmp_path / "err"), 0.2)
    assert figures["late"]
    assert figures["status"] != 0
    with pytest.raises(CommandFailed, match=r"^not done after 0.2 s$"):
        take(words, tmp_path, 0.2)


def test_a_command_that_fails_is_quoted(tmp_path):
    with pytest.raises(CommandFailed, match=r"^it broke$"):
        take([sys.executable, "-c", "raise SystemExit('it broke')"], tmp_path, 60)


def test_every_job_reads_files_that_are_known_and_has_a_name_of_its_own():
    assert len({row.key for row in ROWS}) == len(ROWS)
    for row in ROWS:
        for name in row.files:
            stem = name.removesuffix(".swdb").removesuffix(".fasta")
            known = {name, stem, f"{stem}.fasta"} & {*SOURCES, *MADE}
            assert known or name.startswith("query-"), name
        assert any(word.startswith(OUT) for word in row.words) or not row.files


@pytest.mark.parametrize(
    ("words", "said"),
    [(["no-job"], "'no-job' is not measured here."), (["help", "--peers", "water"], "'water' is not measured here.")],
)
def test_wrong_words_are_explained(words, said, capsys):
    assert speed.main(["--whole", *words]) == 2
    assert capsys.readouterr().err.startswith(f"swgui: {said} Choose ")


def test_a_long_job_is_run_once_and_a_short_one_as_often_as_asked(data, tmp_path, monkeypatch):
    took = iter([50.0, 40.0, 3.0, 1.0, 2.0])
    made = Bench(Files(data, tmp_path), repeats=3, limit=60, gpus=0)
    monkeypatch.setattr(measuring, "take", lambda *words: Measurement(next(took), 0.1, 1, {}))
    long = Row("long", "a long job", "", ("search", "@queries-20"))
    assert [run.seconds for run in made.measure(long).runs] == [40.0]  # 50 s filled the caches
    again = made.measure(replace(long, key="again"))  # of the same files: they are warm
    assert [run.seconds for run in again.runs] == [1.0, 2.0, 3.0]
    assert again.median.seconds == 2.0


@pytest.mark.nightly
def test_domains_are_searched_with_their_symbols_and_in_rounds(data, tmp_path):
    (scop := data / "scop").mkdir()
    lengths = {f"d{n}": 30 + n for n in range(40)}
    domains = "".join(f">{name} a.1.1\n{residues(length)}\n" for name, length in lengths.items())
    shorter = {name: length - (name == "d3") for name, length in lengths.items()}  # of one they do not fit
    symbols = "".join(f">{name}\n{'ABa' * length}"[: len(name) + 2 + length] + "\n" for name, length in shorter.items())
    for name, text in (("dev_domains", domains), ("dev_domains.mu", symbols)):
        (scop / f"{name}.fasta.xz").write_bytes(lzma.compress(text.encode()))
    (scop / "mu_matrix.txt").write_text("  A B a\nA 3 -2 -4\nB -2 3 -4\na -4 -4 3\n")
    proteins = data / "proteins"
    (proteins / "uniprot_16proteomes.fasta.gz").write_bytes((proteins / "swissprot_16species.fasta.gz").read_bytes())
    bench = Bench(Files(data, tmp_path), 1, 60.0, 0)
    for row in (row for row in ROWS if row.key in ("rounds", "rounds-464", "tracks", "tracks-default")):
        found = bench.measure(replace(row, engine="cpu", devices=0))
        assert found.runs, found.why
        assert " --engine cpu " in found.command
    counts = [bench.files.path(name).read_text().count(">") for name in ("domains-400", "proteomes-4.fasta", "tracks")]
    assert counts == [5, 16, 39]
