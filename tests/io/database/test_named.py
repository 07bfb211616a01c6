"""Databases of the site: found by name, listed, and only read."""

import json
import os

import pytest

import swgui
from swgui.cli import build_parser, main
from swgui.io.database.build import build_database
from swgui.io.database.library import remember_database, user_databases
from swgui.io.database.named import file_of, user_folder

TEXT = ">one\nMKTAYIAKQRQISFVKSHFSRQ\n>two\nMKTAYWAKQRQISFVKSHFSRQ\n"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Make two folders of a site; the name ``both`` is in either."""
    for name in ("DATA", "CACHE"):
        monkeypatch.setenv(f"SWGUI_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.delenv("BLASTDB", raising=False)
    source = tmp_path / "few.fasta"
    source.write_text(TEXT)
    first, second, own = tmp_path / "first", tmp_path / "second", user_folder()
    for folder, names in ((first, ("central", "both", "v1.2")), (second, ("other", "both")), (own, ("mine", "both"))):
        folder.mkdir(parents=True)
        for name in names:
            build_database([source], folder / f"{name}.swdb", name=name)
    monkeypatch.setenv("SWGUI_DATABASES", os.pathsep.join(map(str, (first, tmp_path / "none", second))))
    monkeypatch.chdir(tmp_path)
    return first, second, own


def test_a_name_stands_for_the_first_file_of_the_site(site):
    first, second, own = site
    assert file_of("central") == file_of("central.swdb") == str(first / "central.swdb")
    assert file_of("both") == str(first / "both.swdb")
    assert file_of("v1.2") == str(first / "v1.2.swdb")
    assert file_of("other") == str(second / "other.swdb")
    assert file_of("mine") == str(own / "mine.swdb")
    for path in ("nowhere", "./central", "first/central", ""):
        assert file_of(path) == path


def test_a_file_here_comes_first(site):
    with open("central", "w", encoding="ascii") as file:
        file.write(TEXT)
    assert file_of("central") == "central"


def test_names_of_blast_are_not_looked_up(site, monkeypatch):
    monkeypatch.setenv("BLASTDB", os.environ["SWGUI_DATABASES"])
    monkeypatch.delenv("SWGUI_DATABASES")
    assert file_of("central") == "central"


@pytest.mark.parametrize(
    "words",
    [
        ("search", "-q", "few.fasta", "-d", "central", "--columns", "sseqid", "--engine", "cpu"),
        ("rule", "peptides", "-q", "few.fasta", "-d", "central", "--engine", "cpu"),
        ("fetch-query", "one", "-d", "central"),
        ("fetch-query", "one"),
        ("info", "central"),
        ("update", "central", "--from", "few.fasta", "-o", "newer.swdb"),
    ],
    ids=" ".join,
)
def test_commands_take_names(site, words, capsys):
    assert main([*words]) == 0
    assert "one" in capsys.readouterr().out or words[0] in ("info", "update")


def test_every_option_of_a_database_and_the_library_take_names(site):
    expected = str(site[0] / "central.swdb")
    parse = build_parser().parse_args
    assert parse(["merge", "1.part", "-d", "central"]).database == [expected]
    assert parse(["serve", "-d", "x", "--pair-database", "central"]).pair_database == expected
    assert parse(["search", "--build-database", "central"]).build_database == expected
    assert str(swgui.Database("central").path) == expected
    assert {hit["sseqid"] for hit in swgui.search("MKTAYIAKQRQISFVKSHFSRQ", "central", engine="cpu")} <= {"one", "two"}


def test_the_list_has_site_and_user(site, capsys):
    first, second, own = site
    remember_database(first / "central.swdb")
    assert main(["databases", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["of"], row["file"]) for row in listed] == [
        ("both", "site", str(first / "both.swdb")),
        ("central", "site", str(first / "central.swdb")),
        ("other", "site", str(second / "other.swdb")),
        ("v1.2", "site", str(first / "v1.2.swdb")),
        ("both", "user", str(own / "both.swdb")),
        ("mine", "user", str(own / "mine.swdb")),
    ]
    assert all(row["sequences"] == 2 and row["kind"] == "protein" for row in listed)
    assert main(["databases"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["name", "of", "kind", "sequences", "residues", "file"]
    assert [row.split()[0] for row in rows] == [row["name"] for row in listed]


def test_damaged_files_of_the_site_are_left_out(site):
    (site[0] / "central.swdb").write_bytes(b"nothing")
    assert "central" not in [entry.path.stem for entry in user_databases()]


def test_without_any_the_list_says_how_to_make_one(tmp_path, monkeypatch, capsys):
    for name in ("DATA", "CACHE"):
        monkeypatch.setenv(f"SWGUI_{name}_DIR", str(tmp_path / name))
    monkeypatch.delenv("SWGUI_DATABASES", raising=False)
    assert main(["databases"]) == 0
    out, err = capsys.readouterr()
    assert (out, err.count("swgui makedb")) == ("", 1)
