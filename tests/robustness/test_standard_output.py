"""A standard output that is full, closed, gone, or lacks the letters of a name."""

import os
import subprocess
import sys

import pytest

from tests.robustness.command import begin, environment, sentences, swgui

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no /dev/full")

COMMANDS = {
    "search": ("search", "-q", "a.fa", "-d", "a.fa", "--engine", "reference"),
    "makedb": ("makedb", "a.fa", "-o", "b.swdb"),
    "info": ("info", "a.swdb"),
    "pair": ("pair", "n.fa", "n.fa"),
    "help": ("--help",),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.fa").write_text(">näme\nMKTAYIAKQRQISFVKSHFSRQLEERLG\n", encoding="utf-8")
    (tmp_path / "n.fa").write_text(">n\nACGTACGATCGATCGATCGACTAGCTAGCATCGACTACGATC\n")
    assert swgui(tmp_path, "makedb", "a.fa", "-o", "a.swdb").returncode == 0
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_output_is_said(folder, command):
    with open("/dev/full", "wb") as full:
        ended = swgui(folder, *COMMANDS[command], capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode == 1
    assert "The standard output" in sentences(ended)


@pytest.mark.parametrize("command", ["search", "info"])
def test_a_closed_output_is_said(folder, command):
    line = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "swgui", *COMMANDS[command]]
    ended = subprocess.run(line, cwd=folder, env=environment(folder), stderr=subprocess.PIPE, timeout=120, check=False)
    assert ended.returncode == 1
    assert "The standard output cannot be written (bad file descriptor)" in sentences(ended)


def test_what_writes_nothing_to_a_closed_output_needs_none(folder):
    line = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "swgui", *COMMANDS["search"], "-o", "hits.tsv"]
    ended = subprocess.run(line, cwd=folder, env=environment(folder), stderr=subprocess.PIPE, timeout=120, check=False)
    assert (ended.returncode, sentences(ended)) == (0, "")
    assert (folder / "hits.tsv").exists()


def test_a_reader_that_goes_away_ends_the_program_silently(folder):
    with begin(folder, *COMMANDS["search"]) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(120) == 141


def test_letters_that_the_output_lacks_are_escaped(folder):
    ended = swgui(folder, *COMMANDS["search"], env=environment(folder, PYTHONUTF8="0", PYTHONIOENCODING="ascii"))
    assert (ended.returncode, sentences(ended)) == (0, "")
    assert b"n\\xe4me" in ended.stdout
