"""Standard input and output, several query files, and how much a command says."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.core import signals
from swgui.jobs import progress
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search import describe

ENDING = """
import atexit, threading, time
from concurrent.futures import ThreadPoolExecutor
from swgui.cli.ending import leave
atexit.register(print, "at the end")
pool = ThreadPoolExecutor(1)  # its thread waits for more work
pool.submit(print, "pool").result()
print("command", end=" ")
threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
try:
    leave(3)
finally:
    print("taken apart")
"""

ROOT = Path(__file__).parents[2]
FAMILY = """>one first of the family
MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQT
>two its cousin
MKVLWAALLVTFLAGCQARVEQAVETEPEPELRQTEWQSGQRWELALGRFWDYLRWVQTL
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress.log, "disabled", False)  # the linter of imports switches off what logs already
    (tmp_path / "d.fasta").write_text(FAMILY)
    (tmp_path / "one.fasta").write_text(FAMILY.split(">two")[0])
    (tmp_path / "two.fasta").write_text(">two" + FAMILY.split(">two")[1])
    (tmp_path / "dna.fasta").write_text(">dna\nACGTACGTACGTACGT\n")
    return tmp_path


def search(*words):
    return main(["search", "-d", "d.fasta", "--engine", "reference", *words])


def printed(capsys):
    return {line.split("\t")[1] for line in capsys.readouterr().out.splitlines()[1:]}


@pytest.fixture
def feed(monkeypatch):
    """Return a function that makes the standard input a pipe with some text."""
    pipes = []

    def fed(text):
        read, write = os.pipe()
        with os.fdopen(write, "wb") as file:
            file.write(text.encode())
        pipes.append(os.fdopen(read, "r"))
        monkeypatch.setattr(sys, "stdin", pipes[-1])

    yield fed
    for pipe in pipes:
        pipe.close()


@pytest.mark.parametrize("words", [["-q", "one.fasta", "two.fasta"], ["-q", "one.fasta", "-q", "two.fasta"]])
def test_several_files_of_queries_are_one_search(folder, capsys, words):
    assert search(*words) == 0
    assert printed(capsys) == {"one", "two"}


def test_a_file_of_another_kind_is_refused(folder, capsys):
    assert search("-q", "one.fasta", "dna.fasta", "--type", "nucleotide") in (1, 2)
    assert "one.fasta" in capsys.readouterr().err


def test_the_standard_input_can_be_queries(folder, capsys, feed):
    feed(FAMILY)
    assert search("-q", "-", "-o", "-") == 0
    assert printed(capsys) == {"one", "two"}
    assert not (folder / "-").exists()
    feed("")
    assert search("-q", "-") == 1
    assert "the standard input is empty" in capsys.readouterr().err.lower()
    assert search("-q", "-", "-") == 2
    assert "can be read once" in capsys.readouterr().err


def test_a_database_is_built_of_the_standard_input(folder, capsys, feed):
    feed(FAMILY)
    assert main(["makedb", "-", "-o", "piped.swdb"]) == 0
    assert "2 protein sequences" in capsys.readouterr().out
    assert main(["info", "piped.swdb", "--check"]) == 0


def test_a_pipe_of_two_commands(folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "swgui", "search", "-q", "-", "-d", "d.fasta", "-o", "-", "--engine", "reference"]
    done = subprocess.run(command, input=FAMILY, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") > 2


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["cluster", "-", "--format", "csv"], "sequence,cluster,"),
        (["split", "-", "--drop"], "sequence\tpart"),
        (["leak", "d.fasta", "-"], "qseqid\tsseqid"),
    ],
)
def test_the_standard_input_can_be_sequences_of_all_against_all(folder, words, line):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "swgui", *words, "--engine", "cpu"]
    done = subprocess.run(command, input=FAMILY, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(line)
    assert done.stdout.count("\n") > 2


def test_the_standard_input_is_read_once(folder, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["leak", "-", "-"])
    assert ended.value.code == 2
    assert "the standard input (-) gives one set" in capsys.readouterr().err.replace("The", "the")


def test_quiet_says_nothing_but_errors_and_what_became_of_residues(folder, capsys):
    (folder / "odd.fasta").write_text(FAMILY.replace("MKVLW", "MK-BW"))
    assert search("-q", "odd.fasta") == 0
    assert capsys.readouterr().err.count("odd.fasta: ") == 2
    assert search("-q", "odd.fasta", "--quiet") == 0
    assert capsys.readouterr().err == ""
    (folder / "odd.fasta").write_text(FAMILY.replace("MKVLW", "MK-#W"))
    assert search("-q", "odd.fasta", "--quiet", "--log", "quiet.log") == 0
    said = capsys.readouterr().err
    assert said.startswith("swgui: odd.fasta: Record 1 ")
    assert "line 2, column 4" in said
    assert said.count("\n") == 1
    assert (folder / "quiet.log").read_text().count("replaced by X") == 1
    assert main(["makedb", "odd.fasta", "-o", "odd.swdb", "--quiet"]) == 0
    assert "replaced by X" in capsys.readouterr().err
    assert search("-q", "one.fasta", "-d", "odd.swdb", "--quiet") == 0
    assert "odd.swdb: 2 protein sequences" in capsys.readouterr().err
    assert search("-q", "missing.fasta", "--quiet") == 1
    assert "missing.fasta" in capsys.readouterr().err


def test_verbose_says_in_a_pipe_what_a_terminal_hears(folder, capsys):
    assert search("-q", "one.fasta", "--verbose") == 0
    said = capsys.readouterr().err
    assert "GCUPS" in said
    assert "swgui search" in said
    assert search("-q", "one.fasta", "--verbose", "--quiet") == 2
    assert "ask for opposites" in capsys.readouterr().err


def test_a_log_keeps_what_was_said_with_the_time(folder, capsys):
    assert search("-q", "one.fasta", "--log", "run.log", "--quiet") == 0
    assert capsys.readouterr().err == ""
    assert search("-q", "missing.fasta", "--log", "run.log") == 1
    lines = (folder / "run.log").read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", line) for line in lines)
    assert [line[20:] for line in lines if "search -d" in line].__len__() == 2  # appended
    assert any("GCUPS" in line for line in lines)
    assert "missing.fasta" in lines[-1]


@pytest.mark.parametrize("name", ["d.fasta", "one.fasta", "none/run.log"])
def test_a_log_replaces_nothing(folder, capsys, name):
    assert search("-q", "one.fasta", "--log", name) in (1, 2)
    assert name.split("/")[0] in capsys.readouterr().err
    assert (folder / "d.fasta").read_text() == FAMILY


def test_a_line_a_minute_in_a_file_and_none_before(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    file = io.StringIO()
    line = ProgressLine(file)
    for seconds in (1, 50, 61, 62, 110, 125):
        now[0] = 100.0 + seconds
        line.show(f"at {seconds}")
    assert file.getvalue() == "swgui: at 61\nswgui: at 125\n"


def test_json_goes_to_the_output_that_is_named_by_a_dash(folder, capsys):
    assert search("-q", "one.fasta", "--format", "json", "-o", "-") == 0
    assert json.loads(capsys.readouterr().out)["queries"][0]["qseqid"] == "one"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("rounds", [[], ["--iterations", "2"]])
def test_a_signal_while_alignments_are_listed_leaves_every_hit(rounds, folder, monkeypatch, capsys):
    family = [line for line in FAMILY.splitlines() if line[0] != ">"]
    (folder / "d.fasta").write_text("".join(f">s{at}\n{one * 2}\n" for at, one in enumerate(family)))
    words = ["-q", "one.fasta", "--columns", "sseqid,hsp", *rounds]
    assert search(*words, "-o", "whole.tsv") == 0
    columns = describe.HspFinder.columns

    def interrupted(finder):
        if finder.listed.result.search.max_hsps > 1:
            before = len(signals.RECEIVED)
            os.kill(os.getpid(), signal.SIGTERM)
            while len(signals.RECEIVED) == before:  # until the main thread has seen it
                time.sleep(0.001)
        return columns(finder)

    monkeypatch.setattr(describe.HspFinder, "columns", interrupted)
    capsys.readouterr()
    assert search(*words, "-o", "some.tsv") == 143
    assert "have their best alignment alone" in capsys.readouterr().err
    whole, some = (
        [line.split("\t") for line in Path(name).read_text().splitlines()] for name in ("whole.tsv", "some.tsv")
    )
    assert len(whole) > len(some) == 3
    assert some == [line for line in whole if line[1] in ("hsp", "1")]


def test_threads_and_those_who_asked_are_waited_for_and_output_arrives():
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["pool", "command", "thread", "at", "the", "end"]
    assert (done.returncode, done.stderr) == (3, "")
