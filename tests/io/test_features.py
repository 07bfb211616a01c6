"""Features of entries: read, kept by databases and saved searches, written as JSON; and what is not read."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import DatabaseError
from swgui.core.features import Feature, as_text, from_text
from swgui.core.hits.results import SearchResult
from swgui.core.organisms.limit import limit_of
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.several.part import restricted
from swgui.io.database import format as database_format
from swgui.io.database.build import build_database, save_database
from swgui.io.database.file import check_database, open_database
from swgui.io.export import write_hits
from swgui.io.saved.search import load_search, save_search
from swgui.io.sequences.reader import ReadReport, read_text
from swgui.runs.search_facts import RequestFacts
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits

RESIDUES = "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSH"
UNIPROT = f"""ID   HBA_TEST                Reviewed;          {len(RESIDUES)} AA.
AC   P69905;
DE   RecName: Full=Hemoglobin subunit alpha;
OS   Homo sapiens (Human).
FT   SIGNAL          1..12
FT   CHAIN           2..{len(RESIDUES)}
FT                   /note="Hemoglobin subunit alpha"
FT   DOMAIN          3..40
FT                   /note="Globin"
FT                   /evidence="ECO:0000255"
FT   DISULFID        5..30
FT   BINDING         45
FT                   /ligand="heme b"
FT   ACT_SITE        ?
FT   VARIANT         7
FT                   /note="in some"
SQ   SEQUENCE   {len(RESIDUES)} AA;  15257 MW;  15E13666573BBBAE CRC64;
     {RESIDUES}
//
"""
GENBANK = """LOCUS       TEST                      60 bp    DNA     linear   BCT 01-JAN-2020
DEFINITION  made.
ACCESSION   TEST
VERSION     TEST.1
FEATURES             Location/Qualifiers
     source          1..60
                     /organism="made"
     gene            4..30
                     /gene="abc"
     CDS             4..30
                     /gene="abc"
     CDS             complement(join(35..40,45..50))
                     /product="split one"
     tRNA            nonsense
                     /gene="bad"
     repeat_region   52..60
ORIGIN
        1 acgtacgtac gtacgtacgt acgtacgtac gtacgtacgt acgtacgtac gtacgtacgt
//
"""
EMBL = """ID   X1; SV 1; linear; genomic DNA; STD; PRO; 20 BP.
AC   X1;
DE   made
FH   Key             Location/Qualifiers
FT   CDS             <2..>13
FT                   /gene="xyz"
SQ   Sequence 20 BP; 5 A; 5 C; 5 G; 5 T; 0 other;
     acgtacgtac gtacgtacgt                                                    20
//
"""
SIGNAL = Feature("SIGNAL", ((0, 12),))
DOMAIN = Feature("DOMAIN", ((2, 40),), "Globin")
BOND = Feature("DISULFID", ((4, 5), (29, 30)))
HEME = Feature("BINDING", ((44, 45),), "heme b")


def search(database: EncodedDatabase) -> SearchResult:
    query = SequenceRecord("part", "", RESIDUES[10:].encode(), (Feature("REPEAT", ((0, 5),), "own"),))
    return answer(search_request(queries=(query,), database=database, scheme=BLOSUM62, max_evalue=1e9, engine="cpu"))  # type: ignore[union-attr]


def test_features_of_uniprot_entries() -> None:
    (record,) = read_text(UNIPROT)
    assert record.features == (SIGNAL, DOMAIN, BOND, HEME)
    assert [one.describe() for one in record.features] == [
        "Signal peptide, 1 to 12", "Domain Globin, 3 to 40", "Disulfide bond, 5 to 30 in 2 parts",
        "Binding site heme b, 45",
    ]  # fmt: skip


def test_features_of_genbank_and_embl_entries() -> None:
    report = ReadReport()
    (record,) = read_text(GENBANK, report=report)
    assert record.features == (
        Feature("CDS", ((3, 30),), "abc"),  # its gene lies on the same stretch
        Feature("CDS", ((34, 40), (44, 50)), "split one", -1),
        Feature("repeat_region", ((51, 60),)),
    )
    assert any("feature" in remark.message.lower() for remark in report.remarks)  # the one that cannot be read
    (embl,) = read_text(EMBL)
    assert embl.features == (Feature("CDS", ((1, 13),), "xyz"),)


@pytest.mark.parametrize("text", [GENBANK, EMBL])
def test_whatever_features_say_the_sequence_is_read(text: str, rng: np.random.Generator) -> None:
    (whole,) = read_text(text)
    lines = text.splitlines()
    table = [at for at, line in enumerate(lines) if line.startswith(("     ", "FT   ")) and "acgt" not in line.lower()]
    assert len(table) > 1
    for at in table:
        damaged = [*lines]
        cut = int(rng.integers(22, 40))
        damaged[at] = damaged[at][:cut] + "".join(rng.choice(list("().<>^?,x9"), 6))
        (again,) = read_text("\n".join(damaged))
        assert again.residues == whole.residues


def test_text_of_features_comes_back() -> None:
    made = (SIGNAL, BOND, Feature("CDS", ((3, 9), (20, 30)), "a b -1", -1))
    assert as_text(made) == "SIGNAL 1..12\nDISULFID 5..5,30..30\nCDS -4..9,21..30 a b -1"
    assert from_text(as_text(made)) == made
    assert from_text("NEWER 1..3\nDOMAIN x\nDOMAIN 9..3\n\nDOMAIN 1..3 kept") == (Feature("DOMAIN", ((0, 3),), "kept"),)


def test_a_database_keeps_features_and_is_the_same_without(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text(UNIPROT)
    (tmp_path / "b.fasta").write_text(f">plain\n{RESIDUES}{RESIDUES}\n")
    sources = [tmp_path / "b.fasta", tmp_path / "a.dat"]
    database = build_database(sources, tmp_path / "both.swdb", alphabet=PROTEIN)
    assert (database.features(0), database.features(1)) == ((), (SIGNAL, DOMAIN, BOND, HEME))
    assert database.record(1).features == database.features(1)
    assert check_database(tmp_path / "both.swdb").sequences == 2
    records = [database.record(at) for at in range(2)]
    bare = encode_database([replace(record, features=()) for record in records], PROTEIN)
    assert (bare.checksum, bare.feature_texts) == (database.checksum, None)
    save_database(bare, tmp_path / "bare.swdb")
    with (tmp_path / "bare.swdb").open("rb") as file:
        header = database_format.read_header(file, "bare.swdb")
    assert not {"features", "feature_offsets"} & set(header.sections)
    save_database(encode_database(records, PROTEIN), tmp_path / "again.swdb")
    assert open_database(tmp_path / "again.swdb").features(1) == database.features(1)
    part = restricted(database, limit_of(["Homo sapiens"], []))
    assert [part.features(at) for at in range(len(part))] == [(SIGNAL, DOMAIN, BOND, HEME)]


def test_a_damaged_index_of_features_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.swdb"
    save_database(encode_database(read_text(UNIPROT), PROTEIN), path)
    with path.open("rb") as file:
        sections = database_format.read_header(file, str(path)).sections
    whole = path.read_bytes()
    for name, opening in (("feature_offsets", True), ("features", False)):
        damaged = bytearray(whole)
        damaged[sections[name].offset] ^= 0x40
        path.write_bytes(damaged)
        with pytest.raises(DatabaseError, match="damaged"):
            (open_database if opening else check_database)(path)


def test_a_saved_search_has_the_features_of_query_and_hits(tmp_path: Path) -> None:
    database = encode_database([*read_text(UNIPROT), SequenceRecord("other", "", b"W" * 60)], PROTEIN, "made")
    result = search(database)
    save_search(result, tmp_path / "made.swgui")
    loaded = load_search(tmp_path / "made.swgui").result  # no database is there
    assert loaded.database.features(0) == (SIGNAL, DOMAIN, BOND, HEME)
    assert loaded.queries[0].query == result.queries[0].query
    request = search_request(queries=(result.queries[0].query,), database=tmp_path, scheme=BLOSUM62)
    assert RequestFacts.begun(request).queries[0].record() == result.queries[0].query


def test_json_has_features_where_there_are_some() -> None:
    result = search(encode_database(read_text(UNIPROT), PROTEIN, "made"))
    file = io.StringIO()
    write_hits("json", result, describe_hits(result, 0, [0]), file)
    read = json.loads(file.getvalue())
    assert read["queries"][0]["features"] == [{"kind": "REPEAT", "title": "Repeat", "name": "own", "spans": [[1, 5]]}]
    listed = read["hits"][0]["subject_features"]  # the alignment begins at residue 11
    assert [one["title"] for one in listed] == ["Signal peptide", "Domain", "Disulfide bond", "Binding site"]
    assert listed[1] == {"kind": "DOMAIN", "title": "Domain", "name": "Globin", "spans": [[3, 40]]}
    plain = search(encode_database([SequenceRecord("bare", "", RESIDUES.encode())], PROTEIN))
    file = io.StringIO()
    write_hits("json", plain, describe_hits(plain, 0, [0]), file)
    assert "subject_features" not in file.getvalue()


def test_features_of_nucleotides_are_kept_by_databases(tmp_path: Path) -> None:
    (tmp_path / "a.gb").write_text(GENBANK)
    database = build_database([tmp_path / "a.gb"], tmp_path / "a.swdb")
    assert database.alphabet is NUCLEOTIDE
    assert [one.title for one in database.features(0)] == [
        "Coding region abc", "Coding region split one", "Repeat region",
    ]  # fmt: skip
