"""``swgui show``, ``swgui verify`` and what ``--save`` writes."""

import argparse

import pytest

from swgui.cli import saved
from swgui.cli.output import save_result
from swgui.commands.table import COMMANDS
from swgui.core.errors import SwguiError
from swgui.core.plain import replace
from swgui.io.database.build import save_database
from swgui.io.saved.search import load_search, save_search
from swgui.runs import Runs
from tests.asking import answer
from tests.io.saved.saved_searches import assert_same, protein_request

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture(scope="module")
def result():
    return answer(protein_request())


@pytest.fixture
def file(tmp_path, result):
    path = tmp_path / "a.swgui"
    save_search(result, path)
    return path


def run(command, *words):
    parser = argparse.ArgumentParser()
    COMMANDS[command].declare(parser)
    parsed = parser.parse_args([str(word) for word in words])
    return parsed.run(parsed)


def show(*words):
    return run("show", *words)


def verify(*words):
    return run("verify", "--engine", "reference", *words)


def test_show_writes_the_hits_without_the_database(file, result, capsys):
    assert show(file, "--columns", "qseqid,sseqid,score,pident") == 0
    out, err = capsys.readouterr()
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == ["qseqid", "sseqid", "score", "pident"]
    assert len(lines) == 1 + sum(len(query.hits) for query in result.queries)
    assert lines[1] == [
        "sp|P00003|PROT3_TEST",
        "sp|P00003|PROT3_TEST",
        str(result.queries[0].hits.scores[0]),
        "100.000",
    ]
    assert "was not found" in err


def test_show_takes_every_format_and_writes_files(file, tmp_path, capsys):
    assert show(file, "--format", "fasta", "-o", tmp_path / "hits.fasta") == 0
    assert (tmp_path / "hits.fasta").read_text().startswith(">sp|P00003|PROT3_TEST")
    assert show(file, "--format", "blast6") == 0
    assert capsys.readouterr().out.startswith("sp|P00003|PROT3_TEST\tsp|P00003|PROT3_TEST\t100.000")


def test_the_database_can_be_named(file, tmp_path, capsys):
    save_database(protein_request().database, tmp_path / "moved.swdb")
    assert show(file, "-d", tmp_path / "moved.swdb", "--format", "csv") == 0
    assert capsys.readouterr().err == ""
    save_database(protein_request(subjects=19).database, tmp_path / "other.swdb")
    with pytest.raises(SwguiError, match="another database"):
        show(file, "-d", tmp_path / "other.swdb")


def test_a_partial_search_says_so(tmp_path, result, capsys):
    save_search(replace(result, state="stopped", cells_done=(result.cells_done + 1) // 2), tmp_path / "b.swgui")
    assert show(tmp_path / "b.swgui") == 3
    assert "stopped: 50 % of the work was done" in capsys.readouterr().err


def test_verify_says_that_all_is_the_same(file, result, capsys):
    assert verify(file) == 0
    out = capsys.readouterr().out
    assert "one core (reference)" in out
    assert "Stated, not verified: E-values" in out


def test_verify_tells_the_differences(tmp_path, result, capsys):
    query = result.queries[0]
    wrong = replace(query, scores=query.scores + 1)
    save_search(replace(result, queries=(wrong, *result.queries[1:])), tmp_path / "b.swgui")
    assert verify(tmp_path / "b.swgui") == 1
    out = capsys.readouterr().out.splitlines()
    assert "scores are different" in out[0]
    assert len(out) > saved.MAX_TOLD / 2
    assert " against " in out[1]


def test_what_save_writes_opens_again(tmp_path, result):
    save_database(protein_request().database, tmp_path / "p.swdb")
    request = replace(protein_request(), database=tmp_path / "p.swdb")
    save_result(result, request, tmp_path / "c.swgui")
    loaded = load_search(tmp_path / "c.swgui")
    assert_same(result, loaded.result)
    assert loaded.database_path == tmp_path / "p.swdb"


@pytest.mark.parametrize("command", [show, verify])
def test_a_file_that_is_none_is_told(tmp_path, command):
    (tmp_path / "no.swgui").write_text("no")
    with pytest.raises(SwguiError, match="is not a saved search"):
        command(tmp_path / "no.swgui")


def test_show_writes_stars_and_notes_and_only_what_was_marked(tmp_path, result, capsys):
    target = int(result.queries[0].hits.db_index[1])
    marks = {"starred": {"0": [target]}, "notes": {"0": {str(target): "look here"}}}
    path = tmp_path / "marked.swgui"
    save_search(result, path, layout={"marks": marks})
    assert show(path, "--columns", "qseqid,rank,star,note", "--only", "starred") == 0
    lines = capsys.readouterr()[0].splitlines()
    assert lines == ["qseqid\trank\tstar\tnote", f"{result.queries[0].query.id}\t2\t1\tlook here"]
    assert show(path, "--columns", "rank", "--only", "ticked") == 0
    assert capsys.readouterr()[0].splitlines() == ["rank"]


@pytest.mark.parametrize(("form", "begins"), [("plain", "Sequences were compared"), ("bibtex", "% Sequences")])
def test_show_writes_the_methods_text(file, result, tmp_path, capsys, form, begins):
    assert show(file, "--methods-text", form) == 0
    text = capsys.readouterr()[0]
    assert text.startswith(begins)
    assert show(file, "--methods-text", form, "--out", tmp_path / "methods") == 0
    assert (tmp_path / "methods").read_text(encoding="utf-8") == text


def test_the_history_is_written_to_only_when_asked(tmp_path):
    database, query = tmp_path / "d.fasta", tmp_path / "q.fasta"
    database.write_text(">a\nMKVLWAALLVTFLAGCQAK\n>b\nGGGGGGGGGG\n")
    query.write_text(">q\nMKVLWAALLVTFLAGCQAK\n")
    words = ["-q", query, "-d", database, "--engine", "reference", "-o", tmp_path / "hits.tsv"]
    assert run("search", *words) == 0
    assert Runs().list() == []
    assert run("search", *words, "--history") == 0
    assert run("search", *words, "--history", "My run") == 0
    records = Runs().list()
    assert [(record.name, record.state) for record in records] == [("My run", "done"), ("q", "done")]
    assert Runs().again(records[0].id).queries[0].id == "q"
