"""``swgui search -d A -d B``: several databases in one ranking, from the terminal to every file and back."""

import json
from pathlib import Path

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.io.saved.score_log import ScoreLog
from swgui.io.saved.search import load_search
from swgui.runs import Runs
from swgui.runs.records import new_id
from tests.core.several.test_joined import records, with_relatives

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
BASES = "ACGT"


def write(path, made):
    path.write_bytes(b"".join(b">%s\n%s\n" % (record.header.encode(), record.residues) for record in made))
    return path


@pytest.fixture
def files(tmp_path):
    """Write two databases, both of them as one, and queries."""
    chance = np.random.default_rng(11)
    queries = [record for record in records(chance, 9, LETTERS, 90) if len(record.residues) > 30][:3]
    made = [
        one
        for one in with_relatives(chance, records(chance, 240, LETTERS, organism=True), queries, LETTERS)
        if one.residues
    ]
    parts = {"a": made[:100], "b": made[100:], "whole": made, "q": queries}
    return {name: str(write(tmp_path / f"{name}.fasta", some)) for name, some in parts.items()} | {"to": tmp_path}


def searched(capsys, *words):
    assert main(["search", "--engine", "cpu", "--quiet", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("form", ["tsv", "csv", "blast6", "fasta"])
def test_hits_are_those_of_one_database(files, capsys, form):
    both = searched(capsys, "-q", files["q"], "-d", files["a"], "-d", files["b"], "--format", form)
    one = searched(capsys, "-q", files["q"], "-d", files["whole"], "--format", form)
    if form in ("tsv", "csv"):
        sign = "\t" if form == "tsv" else ","
        lines = [line.split(sign) for line in both.splitlines()]
        place = lines[0].index("database")
        assert {line[place] for line in lines[1:]} == {"a", "b"}
        both = "".join(sign.join(line[:place] + line[place + 1 :]) + "\n" for line in lines)
        assert "database" not in one.splitlines()[0]
    assert both.replace("a + b", "whole") == one


def test_one_sequence_in_two_databases_is_listed_twice(files, capsys):
    copy = files["to"] / "copy.fasta"
    copy.write_text(">one more\nMKVL\n" + (files["to"] / "a.fasta").read_text())
    lines = searched(capsys, "-q", files["q"], "-d", files["a"], "-d", str(copy), "--columns", "sseqid,database")
    pairs = [tuple(line.split("\t")) for line in lines.splitlines()[1:]]
    assert {name for name, of in pairs if of == "a"} == {name for name, of in pairs if of == "copy"}


def test_saved_searches_say_which_database(files, capsys):
    saved = str(files["to"] / "run.swgui")
    words = "-q", files["q"], "-d", files["a"], "-d", files["b"], "--save", saved
    found = searched(capsys, *words)
    loaded = load_search(saved)
    assert loaded.result.database.names == ("a", "b")
    assert not loaded.remarks
    assert main(["show", saved]) == 0
    assert capsys.readouterr().out == found
    assert main(["verify", saved, "--engine", "cpu"]) == 0
    assert "same" in capsys.readouterr().out
    for name in "ab":
        (files["to"] / f"{name}.fasta").unlink()
    assert load_search(saved).result.database.names == ("a", "b")
    assert main(["show", saved]) == 0  # from the sequences in the file
    assert capsys.readouterr().out == found


@pytest.mark.parametrize("how", [[], ["--iterations", "2", "--organism", "Homo sapiens"]])
def test_runs_are_kept_and_opened_again(files, capsys, how, monkeypatch, user_folders):
    words = "-q", files["q"], "-d", files["a"], "-d", files["b"], *how
    journals, delete = [], ScoreLog.delete
    monkeypatch.setattr(ScoreLog, "delete", lambda self: (journals.append(self.path.read_bytes()), delete(self)))
    found = searched(capsys, *words, "--history", "both")
    assert searched(capsys, *words) == found
    history = Runs()
    (record,) = history.list()
    assert (record.state, record.database.partition(" (")[0]) == ("done", "a + b")
    assert main(["show", "both"]) == 0
    assert capsys.readouterr().out == found
    assert main(["verify", "both", "--engine", "cpu"]) == 0
    assert "same" in capsys.readouterr().out
    assert history.again(record.id).database == (Path(files["a"]), Path(files["b"]))
    history.delete(record.id)
    run_id = new_id()
    (history.folder / f"{run_id}.journal").write_bytes(journals[0][:-300])
    (record,) = history.list()
    assert (record.state, record.database) == ("interrupted", "a + b")
    assert searched(capsys, "--resume", run_id) == found
    with open(files["b"], "a", encoding="ascii") as file:
        file.write(">more\nMKVLAW\n")
    run_id = new_id()
    (history.folder / f"{run_id}.journal").write_bytes(journals[0])
    assert main(["search", "--resume", run_id]) != 0
    assert "has changed since" in capsys.readouterr().err


def test_members_that_moved_can_be_named(files, capsys):
    saved = str(files["to"] / "run.swgui")
    found = searched(capsys, "-q", files["q"], "-d", files["a"], "-d", files["b"], "--save", saved)
    moved = [(files["to"] / name).rename(files["to"] / f"moved_{name}") for name in ("a.fasta", "b.fasta")]
    assert main(["verify", saved, "--engine", "cpu", "-d", str(moved[0]), "-d", str(moved[1])]) == 0
    assert "same" in capsys.readouterr().out
    assert main(["show", saved, "-d", str(moved[0])]) != 0
    assert "another database" in capsys.readouterr().err
    assert found


def test_json_and_xml_and_page_name_them(files, capsys):
    words = "-q", files["q"], "-d", files["a"], "-d", files["b"]
    document = json.loads(searched(capsys, *words, "--format", "json"))
    assert document["search"]["databases"] == ["a", "b"]
    assert {hit["database"] for hit in document["hits"]} == {"a", "b"}
    assert "a + b" in searched(capsys, *words, "--format", "blast-xml")
    assert "a + b" in searched(capsys, *words, "--format", "html")


def test_bad_ones_are_refused(files, capsys, tmp_path):
    dna = tmp_path / "dna.fasta"
    dna.write_text(">x\n" + "ACGTTGCA" * 20 + "\n")
    assert main(["search", "-q", files["q"], "-d", files["a"], "-d", str(dna), "--type", "protein"]) == 2
    built = tmp_path / "dna.swdb"
    assert main(["makedb", str(dna), "-o", str(built), "--type", "nucleotide"]) == 0
    capsys.readouterr()
    assert main(["search", "-q", files["q"], "-d", files["a"], "-d", str(built)]) != 0
    assert "'dna.swdb' is nucleotide, but 'a' protein" in capsys.readouterr().err
    assert main(["search", "-q", files["q"], "-d", files["a"], "-d", files["a"]]) != 0
    assert "each database once" in capsys.readouterr().err
    assert main(["search", "-q", files["q"], "-d", files["a"], "-d", files["b"], "-o", files["b"]]) != 0
    assert "b.fasta" in capsys.readouterr().err


def test_library_takes_a_list(files):
    hits = swgui.search(files["q"], [files["a"], swgui.Database(files["b"])], engine="cpu")
    one = swgui.search(files["q"], files["whole"], engine="cpu")
    keys = ["rank", "sseqid", "score", "evalue"]
    found, wanted = hits.to_arrays([*keys, "database"]), one.to_arrays(keys)
    assert all(np.array_equal(found[key], wanted[key]) for key in keys)
    assert set(found["database"].tolist()) == {"a", "b"}


def test_rounds_are_those_of_one_database(files, capsys):
    words = "--iterations", "2", "--columns", "qseqid,sseqid,score,evalue,first_round,sstart,send"
    both = searched(capsys, "-q", files["q"], "-d", files["a"], "-d", files["b"], *words)
    assert both == searched(capsys, "-q", files["q"], "-d", files["whole"], *words)
    assert both.count("\n") > 3
