"""``--infernal``: columns of Infernal's score, with a program in its place that writes what cmsearch writes."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from swgui.cli import main

MODEL = "INFERNAL1/a [1.1.4 | Dec 2020]\nNAME     tRNA\nCLEN     12\nECMLI    0.5 -3 1 2 3 4\n//\n"
# Scores a stretch by its G, twice on the first line of a name to show that the best one counts; notes its arguments.
FAKE = """#!{python}
import sys
if "-h" in sys.argv:
    print("# INFERNAL 1.1.4 (Dec 2020)")
    sys.exit()
open({notes!r}, "w").write(" ".join(sys.argv[1:]))
records = open(sys.argv[-1]).read().split(">")[1:]
with open(sys.argv[sys.argv.index("--tblout") + 1], "w") as table:
    table.write("#target name\\n")
    for record in records:
        name, bases = record.split()
        for score in (1.0, bases.count("G")) if bases.count("G") > 8 else ():
            table.write(f"{{name}} - tRNA RF5 cm 1 71 1 71 + no 1 0.5 0.0 {{score}} 1e-{{bases.count('G')}} ! -\\n")
"""
# As Debian's cmsearch: a script that starts another program, which notes its number and would run for long.
SLOW = """#!/bin/sh
if [ "$1" = -h ]; then echo "# INFERNAL 1.1.4"; exit; fi
sh -c 'echo $$ > {notes}.new; mv {notes}.new {notes}; sleep 600'
"""
RNA = "GGGCUAUUAGCUCAGUUGGUUAGAGCGCACCCCUGAUAAGGGUGAGG"
OTHER = "ACUUCAUUCACCUAUACCAUUUCA"


@pytest.fixture
def files(tmp_path, monkeypatch):
    comp = RNA[::-1].translate(str.maketrans("ACGU", "UGCA"))
    (tmp_path / "q.fa").write_text(f">q\n{RNA}\n")
    (tmp_path / "d.fa").write_text(
        f">plus\n{OTHER}{RNA}{OTHER}\n>minus\n{OTHER}{comp}\n>poor\n{RNA[20:32]}{OTHER * 3}\n"
    )
    (tmp_path / "m.cm").write_text(MODEL)
    program = tmp_path / "bin" / "cmsearch"
    program.parent.mkdir()
    program.write_text(FAKE.format(python=sys.executable, notes=str(tmp_path / "notes")))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def search(*words):
    columns = "--columns", "sseqid,sstrand"
    return main(["search", "-q", "q.fa", "-d", "d.fa", "--engine", "cpu", "--max-hsps", "1", *columns, *words])


@pytest.mark.skipif(sys.platform == "win32", reason="the program in place of cmsearch is a script")
def test_hits_have_the_score_of_the_model_on_their_strand(files, capsys):
    assert search("--infernal", "m.cm", "-o", "h.tsv") == 0
    head, *lines = [line.split("\t") for line in (files / "h.tsv").read_text().splitlines()]
    assert head == ["sseqid", "sstrand", "infernal_bits", "infernal_evalue"]
    bases = RNA + OTHER[:12]
    bits = f"{(OTHER[-12:] + bases).count('G'):.1f}"
    found = {line[0]: line[1:] for line in lines}
    assert found["plus"][:2] == ["plus", bits]
    behind = OTHER[-12:].count("C")  # on the other strand
    assert found["minus"][:2] == ["minus", f"{RNA.count('G') + behind:.1f}"]
    assert float(found["plus"][2]) == pytest.approx(10.0 ** -int(float(bits)))
    assert "Infernal 1.1.4 scored 2 of " in capsys.readouterr().err
    given = (files / "notes").read_text().split()
    letters = sum(len(line) for line in (files / "d.fa").read_text().splitlines() if line[0] != ">")
    assert float(given[given.index("-Z") + 1]) == pytest.approx(2 * letters / 1e6, abs=1e-6)
    assert "--nohmm" in given


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("none.cm", "cannot be read"),
        ("q.fa", "no covariance model"),
        ("raw.cm", "not calibrated"),
        ("odd.cm", "no number of columns"),
    ],
)
def test_models_that_cannot_score_are_refused_before_the_search(files, capsys, model, said):
    (files / "raw.cm").write_text(MODEL.replace("ECMLI", "OTHER"))
    (files / "odd.cm").write_text(MODEL.replace("12", "many"))
    assert search("--infernal", model, "-o", "h.tsv") == 2
    assert said in capsys.readouterr().err
    assert not (files / "h.tsv").exists()


def test_without_infernal_it_is_refused(files, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(files))
    assert search("--infernal", "m.cm") == 1
    assert "cmsearch of Infernal is not on the search path" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="the program in place of cmsearch is a script")
def test_a_program_that_cannot_run_is_named(files, capsys):
    (files / "bin" / "cmsearch").write_text("#!/no/such/program\n")
    assert search("--infernal", "m.cm", "-o", "h.tsv") == 1
    assert "cmsearch cannot be run" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="the program in place of cmsearch is a script")
def test_what_infernal_says_is_passed_on(files, capsys):
    (files / "bin" / "cmsearch").write_text(f"#!{sys.executable}\nimport sys\nsys.exit('Error: no such luck')\n")
    assert search("--infernal", "m.cm", "-o", "h.tsv") == 1
    assert "no such luck" in capsys.readouterr().err
    assert not (files / "h.tsv").exists()


def runs(pid):
    """Return whether a process runs; one that has ended and waits for its parent's look does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path("/proc", str(pid), "stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform == "win32", reason="the program in place of cmsearch is a script")
def test_stop_ends_infernal_and_all_that_it_started(files):
    notes = files / "slow"
    (files / "bin" / "cmsearch").write_text(SLOW.format(notes=notes))
    words = ["search", "-q", "q.fa", "-d", "d.fa", "--engine", "cpu", "--infernal", "m.cm", "-o", "h.tsv"]
    run = "from swgui.cli import run; run()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", run, *words], stderr=pipe, text=True) as process:
        while not notes.exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + signal.SIGINT
    assert "Infernal 1.1.4 scored 0 of " in said
    assert "it was stopped before it had scored " in said
    end = time.monotonic() + 30  # the system may need a moment for a process that was killed
    while runs(int(notes.read_text())) and time.monotonic() < end:
        time.sleep(0.05)
    assert not runs(int(notes.read_text()))
    head, *lines = (files / "h.tsv").read_text().splitlines()
    assert lines
    assert {line.count("\t") for line in lines} == {head.count("\t")}
