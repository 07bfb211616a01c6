"""Of which organism each subject is: by a list, by its header, by its accession; and kept in database files."""

import bz2
import gzip
import lzma
import threading

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.errors import DatabaseError, InvalidParameter, Stopped
from swgui.core.organisms.chosen import chosen_subjects
from swgui.core.organisms.limit import limit_of
from swgui.core.organisms.tree import NOWHERE
from swgui.io.database import format as database_format
from swgui.io.database import organisms as sections
from swgui.io.database.build import build_database, save_database, update_database
from swgui.io.database.file import check_database, database_facts, open_database
from swgui.io.organism_files import OrganismFiles
from swgui.io.organisms.assign import TaxonomyError, read_table
from tests.conftest import real_data
from tests.core.organisms.made import write_dump

FASTA = """>sp|P1AAA1|A_HUMAN first OS=Homo sapiens OX=99999 GN=a
MKVLAW
>NP_000002.1 second [Escherichia coli (strain K12)]
MKVLAWGH
>NP_000003.1 third [Mus musculus]
MKV
>NP_000004.1 of no organism
MKVLA
>mine
MKVLAWG
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.fasta"
    path.write_text(FASTA)
    return path


@pytest.fixture
def dump(tmp_path):
    return write_dump(tmp_path / "taxdump")


def build(source, organisms=None, **given):
    return build_database([source], source.with_suffix(".swdb"), organisms=organisms, **given)


def said(database):
    return [(database.organism(at).name, database.organism(at).taxid) for at in range(len(database))]


def test_without_files_headers_are_asked_and_nothing_is_stored(source):
    database = build(source)
    assert database.stored_organisms is None
    assert said(database)[0] == ("Homo sapiens", 99999)


def test_a_taxonomy_gives_taxids_and_lineages(source, dump):
    database = build(source, OrganismFiles(taxonomy=str(dump)))
    assert said(database) == [
        ("Homo sapiens", 9606), ("Escherichia coli (strain K12)", 562), ("Mus musculus", 10090), ("", 0), ("", 0)
    ]  # fmt: skip
    assert database.organism(1).lineage == {
        "superkingdom": "Bacteria", "phylum": "Pseudomonadota", "genus": "Escherichia", "species": "Escherichia coli"
    }  # fmt: skip
    assert len(database.stored_organisms.tree) == 11
    mammals = chosen_subjects(database.organisms, limit_of(["Mammalia"], ()), "x")
    assert np.flatnonzero(mammals).tolist() == [0, 2]
    check_database(source.with_suffix(".swdb"))


@pytest.mark.parametrize("packed", [False, True])
def test_accessions_are_looked_up(source, dump, packed):
    text = "accession\taccession.version\ttaxid\tgi\nNP_000002\tNP_000002.1\t9606\t1\nNP_000004\tNP_000004.1\t564\t0\n"
    name = "prot.accession2taxid"
    (dump / f"{name}.gz").write_bytes(gzip.compress(text.encode())) if packed else (dump / name).write_text(text)
    database = build(source, OrganismFiles(taxonomy=str(dump)))
    assert said(database)[3] == ("Escherichia fergusonii", 564)
    assert said(database)[1][1] == 562  # its header says so already


FULL = [
    "accession.version\ttaxid\nNP_000002.1\t9606\nNP_000004.1\t564\n",
    "NP_000002.1\t9606\nNP_000004.1\t564\n",
    "NP_000002\t9606\r\nNP_000004.1\t564\r\n",
    "taxid\taccession.version\n9606\tNP_000002.1\n564\tNP_000004.1",
    "NP_000002\tNP_000002.1\t9606\t1\nNP_000004\tNP_000004.1\t564\t0\n",
    "accession\taccession.version\ttaxid\tgi\nNP_000002\tNP_000002.1\t9606\t1\nNP_000004\tNP_000004.1\t564\t0\n",
]


@pytest.mark.parametrize("text", FULL)
@pytest.mark.parametrize(
    "name", ["prot.accession2taxid", "prot.accession2taxid.FULL", "prot.accession2taxid.FULL.gz", "mine.txt", "list"]
)
def test_a_list_of_accessions_may_have_two_columns_and_any_name(source, dump, text, name):
    (dump / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    (dump / "readme.txt").write_text("General information.\n\nnodes.dmp\n---------\n")
    (dump / f"{name}.md5").write_text("0123456789abcdef  list\n")
    (dump / "picture.png").write_bytes(bytes(range(256)))
    (dump / "broken.gz").write_bytes(gzip.compress(text.encode())[:20])
    database = build(source, OrganismFiles(taxonomy=str(dump)))
    assert said(database)[3] == ("Escherichia fergusonii", 564)
    assert said(database)[1][1] == 562  # its header says so already


def test_a_list_of_accessions_speaks_of_all_sequences_with_them(tmp_path, dump):
    source = tmp_path / "two.fasta"
    source.write_text(">NP_000004.1\nMKVL\n>NP_000004.1 again\nMKVLA\n>NP_000005\nMKVLAW\n>AB0005\nMKV\n")
    (dump / "dead_prot.accession2taxid").write_text("NP_000004.1\t562\nAB0005.2\t562\n")
    (dump / "prot.accession2taxid.FULL").write_text("NP_000004.1\t564\nNP_000005.7\t9606\n")
    database = build(source, OrganismFiles(taxonomy=str(dump)))
    assert [taxid for _, taxid in said(database)] == [564, 564, 9606, 562]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("NP_000002.1\t9606\nNP_000004.1\n", "Line 2 of 'prot.accession2taxid' has 1 column, not 2"),
        (
            "accession\taccession.version\ttaxid\tgi\nNP\tNP.1\n",
            "Line 2 of 'prot.accession2taxid' has 2 columns, not 3",
        ),
        ("something else\n", "'prot.accession2taxid' does not begin as a list of accessions does"),
        ("", "'prot.accession2taxid' does not begin as a list of accessions does"),
        ("a\tb\tc\td\n", "'prot.accession2taxid' does not begin as a list of accessions does"),
    ],
)
def test_a_list_of_accessions_that_is_none_is_refused(source, dump, capsys, text, sentence):
    (dump / "prot.accession2taxid").write_text(text)
    out = source.with_suffix(".swdb")
    assert main(["makedb", str(source), "-o", str(out), "--taxonomy", str(dump)]) == 1
    assert sentence in capsys.readouterr().err
    assert not out.exists()


def test_taxids_beyond_all_are_passed_over(source, dump):
    (dump / "prot.accession2taxid").write_text("NP_000004.1\t99999999999999999999\nNP_000004.1\t\nNP_000004.1\t564\n")
    assert said(build(source, OrganismFiles(taxonomy=str(dump))))[3][1] == 564


@pytest.mark.parametrize("text", FULL)
def test_a_list_in_the_form_of_ncbi_is_one_of_organisms_too(tmp_path, text):
    table = tmp_path / "list"
    table.write_text(text)
    found = {name.partition(".")[0]: taxid for name, taxid in read_table(table).items()}
    assert found == {"NP_000002": "9606", "NP_000004": "564"}


def test_a_list_stands_above_the_headers(source, dump, tmp_path):
    table = tmp_path / "list.tsv"
    table.write_text("\ufeff# id\torganism\nmine\tMus musculus\tmore\n\nNP_000004.1 \t564\nP1AAA1\tEscherichia coli\n")
    database = build(source, OrganismFiles(str(table)))
    assert said(database) == [
        ("Escherichia coli", 0), ("Escherichia coli (strain K12)", 0), ("Mus musculus", 0), ("taxid 564", 564),
        ("Mus musculus", 0),
    ]  # fmt: skip
    database = build(source, OrganismFiles(str(table), str(dump)))
    assert said(database)[3:] == [("Escherichia fergusonii", 564), ("Mus musculus", 10090)]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_list_may_be_packed(source, tmp_path, pack):
    table = tmp_path / "list.tsv.packed"
    table.write_bytes(pack(b"mine\tMus musculus\n"))
    assert ("Mus musculus", 0) in said(build(source, OrganismFiles(str(table))))
    table.write_bytes(pack(b"mine\tMus musculus\n")[:-6])
    with pytest.raises(TaxonomyError, match="ends in the middle"):
        build(source, OrganismFiles(str(table)))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no organism"),
        ("# nothing\n", "names no organism"),
        ("mine\tHomo sapiens\nlonely\n", "Line 2 of 'list.tsv' lacks a column: 'lonely'"),
        ("mine\t\n", "Line 1 of 'list.tsv' lacks a column"),
        ("mine\tHomo sapiens\nmine\tMus musculus\n", "Line 2 of 'list.tsv' says 'Mus musculus' of 'mine'"),
        ("other\tHomo sapiens\n", "'list.tsv' names no sequence of the database"),
    ],
)
def test_a_bad_list_builds_nothing(source, tmp_path, text, sentence):
    table = tmp_path / "list.tsv"
    table.write_text(text)
    with pytest.raises(TaxonomyError, match=sentence):
        build(source, OrganismFiles(str(table)))
    assert not source.with_suffix(".swdb").exists()


def test_a_bad_dump_builds_nothing(source, dump):
    (dump / "nodes.dmp").write_text("1 1\n")
    with pytest.raises(TaxonomyError):
        build(source, OrganismFiles(taxonomy=str(dump)))
    with pytest.raises(TaxonomyError, match="There is no list of organisms"):
        build(source, OrganismFiles(str(dump / "gone")))
    assert not source.with_suffix(".swdb").exists()


def test_blanks_separate_columns_where_no_tab_does(tmp_path):
    table = tmp_path / "list.txt"
    table.write_text("a Homo sapiens\nb\tMus musculus\n")
    assert read_table(table) == {"a": "Homo sapiens", "b": "Mus musculus"}


def test_stop_is_heard(source, dump):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Stopped):
        build(source, OrganismFiles(taxonomy=str(dump)), cancel=cancel)


def test_the_database_may_not_replace_the_list(source):
    table = source.with_suffix(".tsv")
    table.write_text("mine\tHomo sapiens\n")
    with pytest.raises(InvalidParameter, match="list of organisms"):
        build_database([source], table, organisms=OrganismFiles(str(table)))
    assert table.read_text() == "mine\tHomo sapiens\n"


def test_a_copy_and_an_update_keep_them(source, dump, tmp_path):
    database = build(source, OrganismFiles(taxonomy=str(dump)))
    save_database(database, tmp_path / "copy.swdb")
    assert said(open_database(tmp_path / "copy.swdb")) == said(database)
    assert database_facts(source.with_suffix(".swdb")).organism_files == OrganismFiles(taxonomy=str(dump))
    source.write_text(FASTA + ">sp|P1AAA2|B_MOUSE last OS=Mus musculus OX=10090\nMKV\n")
    updated = update_database(source.with_suffix(".swdb"))
    assert said(updated)[-1] == ("Mus musculus", 10090)
    assert updated.organism(5).lineage["superkingdom"] == "Eukaryota"
    (dump / "nodes.dmp").unlink()
    with pytest.raises(TaxonomyError):
        update_database(source.with_suffix(".swdb"))
    assert said(open_database(source.with_suffix(".swdb"))) == said(updated)


def test_older_programs_pass_the_sections_over(source, dump, monkeypatch):
    plain = build(source)
    path = source.with_suffix(".swdb")
    build(source, OrganismFiles(taxonomy=str(dump)))
    monkeypatch.setattr(database_format, "KNOWN", dict(database_format.SECTIONS))
    monkeypatch.setattr(database_format, "OPTIONAL", {})
    old = open_database(path)
    assert old.stored_organisms is None
    assert old.checksum == plain.checksum


def spoiled(database, name, array):
    arrays = sections.sections_of(database.stored_organisms)
    assert name in arrays
    return {**arrays, name: np.array(array, dtype=arrays[name].dtype)}


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("organism_of", [0, 1, 2, 3, 0]),
        ("organism_of", [0, 1, 2, -2, 0]),
        ("organism_of", [0]),
        ("organism_name_offsets", [0, 5, 3, 9]),
        ("organism_name_offsets", [0]),
        ("taxon_parents", [0] * 10 + [11]),
        ("taxon_parents", [1, 2, 0] + [0] * 8),
        ("taxon_ranks", [0]),
        ("taxon_named", [0, 99]),
        ("taxon_merged", [1]),
        ("taxon_ids", [5] * 11),
    ],
)
def test_sections_that_lead_astray_are_refused(source, dump, name, array):
    database = build(source, OrganismFiles(taxonomy=str(dump)))
    whole = sections.sections_of(database.stored_organisms)
    assert sections.organisms_of(whole, 5).of.tolist() == database.organisms.of.tolist()
    with pytest.raises(ValueError, match=name):
        sections.organisms_of(spoiled(database, name, array), 5)
    del whole[name]
    with pytest.raises(ValueError, match=name):
        sections.organisms_of(whole, 5)


def test_damage_is_noticed(source, dump):
    build(source, OrganismFiles(taxonomy=str(dump)))
    path = source.with_suffix(".swdb")
    with open(path, "rb") as file:
        header = database_format.read_header(file, str(path))
    for name in ("organism_of", "taxon_names", "taxon_parents"):
        data = bytearray(path.read_bytes())
        data[header.sections[name].offset] ^= 0x7F
        (path.parent / "bad.swdb").write_bytes(data)
        with pytest.raises(DatabaseError, match="damaged"):
            check_database(path.parent / "bad.swdb")


def test_the_command_line(source, dump, capsys):
    out = source.with_suffix(".swdb")
    assert main(["makedb", str(source), "-o", str(out), "--taxonomy", str(dump)]) == 0
    assert "3 of 5 subjects" in capsys.readouterr().out
    assert main(["info", str(out), "--organisms"]) == 0
    assert "1\t562\tEscherichia coli (strain K12)" in capsys.readouterr().out
    (dump / "names.dmp").unlink()
    out.unlink()
    assert main(["makedb", str(source), "-o", str(out), "--taxonomy", str(dump)]) == 1
    assert "holds no 'names.dmp'" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.data
def test_real_proteins_without_taxids_in_the_dump(tmp_path, dump):
    source = real_data() / "proteins" / "swissprot_16species.fasta.gz"
    database = build_database([source], tmp_path / "sp.swdb", organisms=OrganismFiles(taxonomy=str(dump)))
    organisms = database.organisms
    placed = [organisms.names[at] for at in organisms.by_count() if organisms.nodes[at] != NOWHERE]
    assert placed == ["Escherichia coli (strain K12)"]
    assert int(chosen_subjects(organisms, limit_of(["Bacteria"], ()), "sp").sum()) == 4361
    assert int(chosen_subjects(organisms, limit_of(["Escherichia", "Salmonella"], ()), "sp").sum()) == 4361 + 1801 + 48


@pytest.mark.data
def test_entries_of_swiss_prot_name_their_organism_and_its_number(tmp_path):
    source = real_data() / "messy" / "biopython" / "SwissProt__O95832.txt"
    database = build_database([source], tmp_path / "one.swdb")
    assert said(database) == [("Homo sapiens (Human)", 9606)]
