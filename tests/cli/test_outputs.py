"""No command writes over a file that it reads, whatever the name; the table below has every output and input."""

import json
import os
import shutil
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.io.database.build import build_database
from swgui.io.database.library import database_files
from swgui.io.outputs import check_outputs, keep_inputs
from swgui.io.saved.search import save_search
from tests.asking import answer
from tests.io.saved.saved_searches import protein_request

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"
MATRIX = Path(__file__).parents[2] / "resources" / "statistics" / "BLOSUM80_half_bits.txt"
SEARCH = "search -q q.fa -d {database} --matrix m.txt --engine reference"
AUDIT = "audit -q q.fa -d s.fa --table t.tsv --matrix m.txt --engine reference"
PAIR = "pair a.fa b.fa --matrix m.txt --method cpu"
SWEEP = "bench --sweep --engine reference --query a.fa --repeats 1 --database"

CASES = [
    *(
        (SEARCH.format(database=database), option, file)
        for option in ("-o", "--save", "--scores", "--statistics")
        for database, file in (("s.fa", "q.fa"), ("s.fa", "s.fa"), ("s.fa", "m.txt"), ("d.swdb", "d.swdb"))
        if (option, file) != ("-o", "d.swdb")  # refused by its ending
    ),
    (SEARCH.format(database="d.swdb"), "-o", "s.fa"),  # what the database was built from
    (f"{SEARCH.format(database='s.fa')} --tls-key key.pem", "-o", "key.pem"),
    ("show r.swgui", "-o", "s.fa"),
    *((AUDIT, "-o", file) for file in ("t.tsv", "q.fa", "s.fa", "m.txt")),
    *((PAIR, option, file) for option in ("-o", "--checkpoint") for file in ("a.fa", "b.fa", "m.txt")),
    ("makedb s.swdb", "-o", "s.swdb"),
    ("makedb q.fa s.swdb --mask", "-o", "s.swdb"),
    *((f"{SWEEP} {database}", option, file) for option in ("--csv", "--json")
      for database, file in (("s.fa", "a.fa"), ("s.fa", "s.fa"), ("d.swdb", "d.swdb"))),
]  # fmt: skip


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """Valid inputs of all commands."""
    folder = tmp_path_factory.mktemp("inputs")
    for file, name in (("queries.fasta", "q.fa"), ("subjects.fasta", "s.fa"), ("blastp_6.tsv", "t.tsv")):
        shutil.copy(FOREIGN / file, folder / name)
    shutil.copy(folder / "s.fa", folder / "s.swdb")  # a misleading name
    shutil.copy(MATRIX, folder / "m.txt")
    (folder / "a.fa").write_text(">a\nMKVLWAALLVTFLAGC\n")
    (folder / "b.fa").write_text(">b\nMKVLWAALTFLAGC\n")
    (folder / "key.pem").write_text("secret")
    return folder


@pytest.fixture(scope="module")
def result(originals, tmp_path_factory):
    """A search in the database that every folder has."""
    database = build_database([originals / "s.fa"], tmp_path_factory.mktemp("database") / "d.swdb")
    return answer(replace(protein_request(), database=database))


@pytest.fixture
def folder(originals, result, tmp_path, monkeypatch):
    """A folder with the inputs, which every test begins and ends in."""
    for name in ("config", "cache", "data"):
        monkeypatch.setenv(f"SWGUI_{name.upper()}_DIR", str(tmp_path / "user" / name))
    place = tmp_path / "work"
    shutil.copytree(originals, place)
    monkeypatch.chdir(place)
    build_database([place / "s.fa"], place / "d.swdb")
    shutil.copy("d.swdb", "copy.swdb")
    save_search(result, place / "r.swgui", database_path=place / "d.swdb")
    return place


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refused(words, folder, capsys):
    """Run a command that must be refused and leave everything as it is; return what it said."""
    before = contents(folder)
    status = main(words)
    said = capsys.readouterr()
    assert contents(folder) == before
    assert (status, said.out) == (2, "")
    assert "would replace it. " in said.err
    return said.err


@pytest.mark.parametrize(("command", "option", "file"), CASES)
def test_no_output_replaces_an_input(folder, capsys, command, option, file):
    said = refused([*command.split(), option, file], folder, capsys)
    assert f"{file}' is the file" in said
    assert "Name another file with --" in said or "Choose another name" in said


@pytest.mark.parametrize("file", ["r.swgui", "d.swdb", "copy.swdb"])
@pytest.mark.parametrize("command", ["show r.swgui", "show r.swgui --methods-text plain", "show r.swgui -d copy.swdb"])
def test_no_table_has_the_name_of_a_file_of_another_kind(folder, capsys, command, file):
    before = contents(folder)
    assert main([*command.split(), "-o", file]) == 2
    assert f"'{file}' has the ending" in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize(
    ("command", "option", "file"),
    [
        (SEARCH.format(database="s.fa"), "-o", "q.fa"),
        (SEARCH.format(database="d.swdb"), "--save", "d.swdb"),
        ("show r.swgui", "-o", "s.fa"),
        (AUDIT, "-o", "t.tsv"),
        (PAIR, "--checkpoint", "a.fa"),
        ("makedb s.fa", "-o", "s.fa"),
        (f"{SWEEP} s.fa", "--csv", "s.fa"),
    ],
)
def test_a_link_to_an_input_is_that_input(folder, capsys, link, command, option, file):
    other = f"{folder}/link.swdb" if command.startswith("makedb") else f"{folder}/link"
    link(file, other)
    said = refused([*command.split(), option, other], folder, capsys)
    assert f"'{other}' and '" in said
    assert f"{file}' is the file" in said


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_two_outputs_that_are_links_to_one_file_are_refused(folder, capsys, link):
    (folder / "old").write_text("old")
    link("old", "other")
    assert main([*SEARCH.format(database="s.fa").split(), "-o", "old", "--scores", "other"]) == 2
    assert "both name 'other'" in capsys.readouterr().err
    assert (folder / "old").read_text() == (folder / "other").read_text() == "old"


def test_other_files_are_replaced_as_ever(folder, capsys):
    (folder / "hits").write_text("old")
    assert main([*SEARCH.format(database="s.fa").split(), "-o", "hits"]) == 0
    assert main(["show", "r.swgui", "-o", "hits", "--format", "json"]) in (0, 1)
    assert json.loads((folder / "hits").read_text())
    assert main(["makedb", "s.fa", "-o", "d.swdb"]) == 0


@pytest.mark.usefixtures("links")
def test_the_parts_of_a_blast_database_are_its_files(tmp_path):
    parts = [tmp_path / name for name in ("x.00.pin", "x.00.psq", "x.01.pin", "x.01.psq", "x.pal", "x.pdb")]
    for part in [*parts, tmp_path / "x.fa", tmp_path / "y.pin"]:
        part.write_text("part")
    assert set(database_files(tmp_path / "x")) == {tmp_path / "x", *parts}
    out = tmp_path / "new.swdb"
    out.symlink_to(tmp_path / "x.01.psq")
    with pytest.raises(InvalidParameter, match=r"x\.01\.psq' is the file of the sequences"):
        build_database([tmp_path / "x"], out)
    assert parts[3].read_text() == "part"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes with names of files")
def test_pipes_and_devices_are_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    keep_inputs(pipe, [("query", pipe)])
    check_outputs({"out": os.devnull, "save": None}, [("query", os.devnull), ("matrix", None)])


def test_names_that_are_the_same_in_another_case_are_one_file(tmp_path, monkeypatch):
    """As on a file system that does not tell case apart, where both names lead to one inode."""
    file = tmp_path / "Query.fa"
    file.write_text(">q\nMK\n")
    stat = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **more: stat(str(path).replace("query.fa", "Query.fa"), **more))
    with pytest.raises(InvalidParameter, match=r"Query\.fa' is the file of the query"):
        keep_inputs(tmp_path / "query.fa", [("query", file)])
