"""``swgui rule`` and ``swgui verify`` of its certificate."""

import argparse
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from swgui.commands.table import COMMANDS
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import Stopped, SwguiError
from swgui.jobs.rules import blocks
from swgui.jobs.rules import run as job
from swgui.jobs.rules.run import checksum_of

pytestmark = pytest.mark.usefixtures("user_folders")


def run(command, *words):
    parser = argparse.ArgumentParser()
    COMMANDS[command].declare(parser)
    parsed = parser.parse_args([str(word) for word in words])
    return parsed.run(parsed)


def verify(*words):
    return run("verify", "--engine", "cpu", *words)


def rule(*words):
    return run("rule", *words, "--engine", "cpu")


def fasta(path, sequences, prefix):
    path.write_text("".join(f">{prefix}{number}\n{one}\n" for number, one in enumerate(sequences, start=1)))
    return path


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "SMALLEST", 300)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(5)
    letters = np.array(list(PROTEIN.plain))
    subjects = ["".join(letters[rng.integers(0, 20, size)]) for size in rng.integers(30, 90, 60)]
    queries = [subjects[3][5:14], subjects[40][2:11], subjects[59][-9:], "WWWWWWWWW"]
    return fasta(tmp_path / "q.fasta", queries, "pep"), fasta(tmp_path / "d.fasta", subjects, "s")


@pytest.fixture
def certificate(files, tmp_path):
    query, database = files
    path = tmp_path / "C.json"
    words = "--mismatches", 4, "-o", tmp_path / "T.tsv", "--certificate", path
    assert rule("peptides", "-q", query, "-d", database, *words) == 0
    return path


def test_a_certificate_holds(certificate, tmp_path, capsys):
    facts = json.loads(certificate.read_text())
    assert facts["expected"] == facts["tested"] > 0
    assert facts["found"] >= 3
    assert facts["left_out"] == 0
    assert len(facts["blocks"]) > 4
    table = (tmp_path / "T.tsv").read_text().splitlines()
    assert len(table) == 1 + facts["found"]
    assert table[0].split("\t")[:7] == ["query", "sequence", "start", "end", "strand", "differences", "identity"]
    capsys.readouterr()
    assert verify(certificate) == 0
    assert "4 of" in capsys.readouterr().out
    assert verify(certificate, "--full") == 0
    assert f"{len(facts['blocks'])} of {len(facts['blocks'])} blocks" in capsys.readouterr().out


CHANGES = {
    "found": lambda facts: facts.update(found=facts["found"] + 1),
    "expected": lambda facts: facts.update(expected=facts["expected"] + 1, tested=facts["tested"] + 1),
    "digest": lambda facts: facts["blocks"][0].update(digest="0" * 64),
    "rule": lambda facts: facts["rule"]["parameters"].update(mismatches=1),
    "sentence": lambda facts: facts["rule"].update(sentence="Everything."),
    "queries": lambda facts: facts["queries"]["sequences"].pop(),
    "result": lambda facts: facts.update(result_sha256="1" * 64),
    "a block less": lambda facts: facts["blocks"].pop(),
    "a block's count": lambda facts: facts["blocks"][1].update(found=7),
    "longest": lambda facts: facts["database"].update(longest=1),
    "complete": lambda facts: facts.update(complete=False),
}


@pytest.mark.parametrize("renewed", [False, True], ids=["checksum kept", "checksum made again"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_certificate_is_found_out(certificate, change, renewed, capsys):
    facts = json.loads(certificate.read_text())
    CHANGES[change](facts)
    if renewed:
        facts["certificate_sha256"] = checksum_of(facts)
    certificate.write_text(json.dumps(facts))
    assert verify(certificate, "--full") == 1
    out = capsys.readouterr().out
    assert "does not hold" in out
    assert ("another checksum than it says" in out) != renewed


def test_another_database_is_refused(certificate, files, tmp_path, capsys):
    other = fasta(tmp_path / "other.fasta", ["MKVLAAGICC" * 4], "t")
    with pytest.raises(SwguiError, match="another checksum"):
        verify(certificate, "-d", other)
    (moved := tmp_path / "moved.fasta").write_bytes(files[1].read_bytes())
    files[1].unlink()
    with pytest.raises(SwguiError, match="Name it with -d"):
        verify(certificate)
    assert verify(certificate, "-d", moved) == 0


def test_what_is_no_certificate_is_refused(tmp_path):
    (tmp_path / "broken.json").write_text('{"format": "swgui rule certificate 1", ')
    with pytest.raises(SwguiError, match="damaged certificate"):
        verify(tmp_path / "broken.json")
    (tmp_path / "newer.json").write_text('{"format": "swgui rule certificate 9"}')
    with pytest.raises(SwguiError, match="another version"):
        verify(tmp_path / "newer.json")
    (tmp_path / "poor.json").write_text('{"format": "swgui rule certificate 1"}')
    with pytest.raises(SwguiError):
        verify(tmp_path / "poor.json")


def test_a_stopped_run_says_so_and_goes_on(files, tmp_path, monkeypatch, capsys):
    query, database = files
    state = tmp_path / "state"

    def peptides(name, *words):
        out, written = tmp_path / f"{name}.tsv", tmp_path / f"{name}.json"
        words = "-q", query, "-d", database, "--mismatches", 4, "-o", out, "--certificate", written, *words
        return rule("peptides", *words), out.read_bytes(), json.loads(written.read_text())

    status, table, whole = peptides("whole")
    assert status == 0
    scan = job.scan_block

    def stopped(scanned, database, block):
        if block.first > 20:
            raise Stopped
        return scan(scanned, database, block)

    monkeypatch.setattr(job, "scan_block", stopped)
    status, part, facts = peptides("part", "--state", state)
    assert status == 1
    assert table.startswith(b"".join(part.splitlines(keepends=True)[:1]))
    assert not facts["complete"]
    assert facts["left_out"] == len(facts["left_out_sequences"]) > 0
    assert "where it was stopped" in capsys.readouterr().err
    assert verify(tmp_path / "part.json") == 1
    assert "not complete" in capsys.readouterr().out
    monkeypatch.setattr(job, "scan_block", scan)
    with pytest.raises(SwguiError, match="is of another rule"):
        rule("peptides", "-q", query, "-d", database, "--mismatches", 3, "--state", state)
    status, resumed, facts = peptides("resumed", "--state", state)
    assert (status, resumed) == (0, table)
    assert facts["resumed"]
    assert facts["result_sha256"] == whole["result_sha256"]
    assert facts["tested"] == facts["expected"] == whole["tested"]
    assert not state.exists()
    assert verify(tmp_path / "resumed.json", "--full") == 0


def texts_of(page):
    root = ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta[^>]*>", "", page))
    return " ".join(" ".join(root.itertext()).split())


def test_the_page_says_what_the_certificate_says(files, tmp_path):
    query, database = files
    query.write_text(">a<b>&c\nWWWWWWWWW\n")
    path, written = tmp_path / "C.html", tmp_path / "C.json"
    words = "-q", query, "-d", database, "--certificate-page", path, "--certificate", written
    assert rule("peptides", *words, "-o", tmp_path / "T.tsv") == 0
    page, facts = path.read_text("utf-8"), json.loads(written.read_text())
    text = texts_of(page)
    for said in ("None. No place in 60 sequences", "a<b>&c", f"{facts['expected']:,}", facts["result_sha256"]):
        assert said in text
    for said in (facts["rule"]["sentence"], facts["database"]["checksum"], facts["not_said"], "--full"):
        assert said in text
    assert not re.search(r"https?:|<script|<link|@import|url\(", page)
    for word in ("signed", "certified by", "safe"):
        assert word not in page.lower()
