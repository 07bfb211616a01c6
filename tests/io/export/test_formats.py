"""Exports, read back: every number against what can be counted on paper, every file with other people's readers."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from itertools import permutations

import numpy as np
import pytest
from Bio import SearchIO, SeqIO
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.words import format_evalue
from swgui.io.cells import clean_text
from swgui.io.export import DEFAULT_COLUMNS, FORMATS, HIT_COLUMNS, ExportOptions, columns_need_alignment, write_hits
from swgui.io.export.columns import FRAME_COLUMNS, HSP_COLUMNS, SHIFT_COLUMNS
from swgui.io.export.text import pairwise_text
from swgui.io.whole_file import FileNotWritten, save_bytes, save_text
from tests.asking import answer
from tests.described import describe_hits
from tests.io.saved.saved_searches import protein_request
from tests.io.sequences.by_hand import make_hit, make_result, make_scheme


def written(name, result, hits, columns=None, **options):
    file = io.StringIO(newline="")
    options = ExportOptions(None if columns is None else tuple(columns), **options)
    write_hits(name, result, iter(hits), file, options)
    text = file.getvalue()
    assert text.endswith("\n")
    assert "\r" not in text
    return text


def table(text, delimiter):
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


# --- values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("log10", "text"),
    [
        (-1234.5, "3.2e-1235"),
        (-180.0, "1.0e-180"),
        (-5.0, "1.0e-05"),
        (math.log10(0.00038), "0.00038"),
        (-3.0, "0.0010"),
        (math.log10(0.0021), "0.0021"),
        (math.log10(0.999), "1.0"),
        (0.0, "1.0"),
        (math.log10(9.96), "10"),
        (math.log10(38), "38"),
        (math.log10(1234), "1200"),
        (math.log10(200_000), "200000"),
        (6.0, "1.0e+06"),
        (math.nan, ""),
        (-math.inf, "0"),
    ],
)
def test_evalues_are_written_from_their_logarithm(log10, text):
    assert format_evalue(log10) == text


@given(st.floats(-300, 300))
def test_written_evalues_are_the_evalues(log10):
    for digits in (2, 3):
        assert math.isclose(float(format_evalue(log10, digits)), 10.0**log10, rel_tol=0.51 * 10.0 ** (1 - digits))
        assert float(format_evalue(log10, digits)) > 0


@given(st.floats(-1e6, -5))
def test_no_evalue_becomes_zero(log10):
    mantissa, exponent = format_evalue(log10, 3).split("e")
    assert 1 <= float(mantissa) < 10
    assert abs(int(exponent) + math.log10(float(mantissa)) - log10) < 0.003


@given(st.text())
def test_cleaned_texts_stay_on_one_line(text):
    cleaned = clean_text(text)
    assert len(cleaned.splitlines()) <= 1
    assert not re.search(r"[\t\x00-\x1f\x7f\u202e]", cleaned)


# --- tables ---------------------------------------------------------------------------------------------------


def test_every_column_of_the_brief_is_there():
    names = [
        "rank", "qseqid", "sseqid", "stitle", "score", "bitscore", "evalue", "log10_evalue", "pident", "ppos",
        "nident", "positive", "mismatch", "gaps", "gapopen", "length", "qstart", "qend", "sstart", "send",
        "qlen", "slen", "qcovhsp", "scovhsp", "sstrand", "cigar",
    ]  # fmt: skip
    assert list(DEFAULT_COLUMNS) == names
    for key, column in HIT_COLUMNS.items():
        assert column.key == key
        assert column.title
        assert column.description.endswith(".")
        assert len(column.description) > 20
        assert column.decimals or column.kind != "real"


def test_what_headers_say_is_exported(proteins):
    result, _ = proteins
    query = result.queries[0].query
    subject = SequenceRecord("sp|P02769|ALBU_BOVIN", "Albumin OS=Bos taurus OX=9913 GN=ALB PE=1 SV=4", b"MKV")
    hit = make_hit(make_scheme(PROTEIN), query, subject, 0, 1, 0, 0, "3M")
    rows = json.loads(written("json", result, [hit]))["hits"]
    found = {key: rows[0][key] for key in ("organism", "accession", "gene", "taxid", "link")}
    assert found == {
        "organism": "Bos taurus", "accession": "P02769", "gene": "ALB", "taxid": "9913",
        "link": "https://www.uniprot.org/uniprotkb/P02769/entry",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "delimiter"), [("tsv", "\t"), ("csv", ",")])
def test_tables(proteins, name, delimiter):
    rows = table(written(name, *proteins), delimiter)
    assert [tuple(row) for row in rows] == [DEFAULT_COLUMNS] * 4
    first, second, third, fourth = rows
    assert first["evalue"] == "3.16e-1235"
    assert float(first["log10_evalue"]) == -1234.5
    assert (first["pident"], first["qcovhsp"], first["cigar"]) == ("100.000", "100.0", "63M")
    # MKVLWAALLVTFLAG / MKVLW-ALLVTFLAG
    expected = {
        "rank": "2", "qseqid": "q1", "score": str(5 + 5 + 4 + 4 + 11 - 12 + 4 + 4 + 4 + 4 + 5 + 6 + 4 + 4 + 6),
        "pident": "93.333", "ppos": "93.33", "nident": "14", "positive": "14", "mismatch": "0", "gaps": "1",
        "gapopen": "1", "length": "15", "qstart": "1", "qend": "15", "sstart": "3", "send": "16", "qlen": "63",
        "slen": "18", "qcovhsp": "23.8", "scovhsp": "77.8", "sstrand": "plus", "cigar": "5M1I9M", "evalue": "0.380",
    }  # fmt: skip
    assert {key: second[key] for key in expected} == expected
    assert float(second["bitscore"]) == round(int(second["score"]) / 2.25, 1)
    assert (third["score"], third["evalue"], third["bitscore"], third["qstart"], third["cigar"]) == (
        "0",
        "",
        "",
        "",
        "",
    )
    assert (fourth["gapopen"], fourth["gaps"], fourth["length"]) == ("1", "3", "6")


@pytest.mark.parametrize(("name", "delimiter"), [("tsv", "\t"), ("csv", ",")])
def test_no_cell_runs_as_a_formula_and_no_name_breaks_a_line(proteins, name, delimiter):
    text = written(name, *proteins, columns=["sseqid", "stitle", "qtitle", "log10_evalue"])
    rows = table(text, delimiter)
    assert len(rows) == 4
    assert [row["sseqid"] for row in rows] == ["s1", "'=cmd()", "'@s4", "'-s3"]
    assert rows[1]["stitle"] == '\'+formula, "quoted"'
    assert rows[3]["stitle"] == "right to left שלום"
    assert rows[3]["qtitle"] == "with controls"
    assert rows[0]["log10_evalue"] == "-1234.5000"  # a number stays a number
    assert not re.search(r"(^|[\t,\n])\"?[=+@]", text)


def test_where_tables_come_from_is_said_if_asked_for(proteins):
    plain, commented = written("tsv", *proteins), written("tsv", *proteins, comments=True)
    lines = commented.splitlines()
    comments = [line for line in lines if line.startswith("# ")]
    assert "\n".join(lines[len(comments) :]) + "\n" == plain
    said = "\n".join(comments)
    result = proteins[0]
    for part in ("swgui 0.1.0", "BLOSUM62", "a gap of length k costs 11 + 1 x k", result.database.checksum):
        assert part in said


def test_blast6_as_biopython_reads_it(proteins):
    result, hits = proteins
    text = written("blast6", result, hits)
    assert all(line.count("\t") == 11 for line in text.splitlines())
    assert len(text.splitlines()) == len(hits)
    queries = list(SearchIO.parse(io.StringIO(text), "blast-tab"))
    assert [query.id for query in queries] == ["q1", "q_3"]
    second = queries[0].hits[1][0]
    assert (second.query_start, second.query_end, second.hit_start, second.hit_end) == (0, 15, 2, 16)
    assert (second.aln_span, second.mismatch_num, second.gapopen_num) == (15, 0, 1)
    assert math.isclose(second.ident_pct, 93.333)
    assert math.isclose(second.evalue, 10**-0.42, rel_tol=0.005)


def test_blast7_as_biopython_reads_it(proteins):
    result, hits = proteins
    text = written("blast7", result, hits)
    queries = list(SearchIO.parse(io.StringIO(text), "blast-tab", comments=True))
    assert [(query.id, len(query)) for query in queries] == [("q1", 3), ("q2", 0), ("q", 1)]
    assert queries[0].hits[1][0].query_end == 15
    assert "# 0 hits found" in text
    assert text.endswith("# BLAST processed 3 queries\n")
    assert result.database.checksum in text


def test_minus_strand_as_blast_shows_it(nucleotides):
    result, hits = nucleotides
    plus, minus = table(written("tsv", result, hits), "\t")
    # The reverse complement TACGTAACCGGTT aligns with TACGTACCGGTT, which is its columns 13 to 24.
    assert (plus["qstart"], plus["qend"], plus["sstart"], plus["send"]) == ("1", "12", "3", "13")
    assert (minus["qstart"], minus["qend"], minus["sstart"], minus["send"]) == ("1", "13", "24", "13")
    assert (minus["sstrand"], minus["cigar"], minus["nident"]) == ("minus", "7M1I5M", "12")
    rows = json.loads(written("json", result, hits))["hits"]
    assert rows[1]["qseq"] == "AACCGGTTACGTA"
    assert rows[1]["sseq"] == "AACCGGT-ACGTA"
    queries = list(SearchIO.parse(io.StringIO(written("blast6", result, hits)), "blast-tab"))
    found = queries[0].hits[0][1]
    assert (found.hit_start, found.hit_end, found.hit_strand) == (12, 24, -1)


def test_rna_against_dna_on_both_strands():
    scheme = make_scheme(NUCLEOTIDE)
    query, subject = SequenceRecord("q", "rna", b"AUGGCAUUC"), SequenceRecord("s", "dna", b"ATGGCATTCGAAUGCCAT")
    result = make_result(scheme, [query], [subject], (2,))
    hits = [
        make_hit(scheme, query, subject, 0, 1, 0, 0, "9M"),
        make_hit(scheme, query, subject, 0, 2, 0, 9, "9M", strand=-1),
    ]
    assert [hit.score for hit in hits] == [18, 18]
    rows = json.loads(written("json", result, hits))["hits"]
    assert [row["qseq"] for row in rows] == ["AUGGCAUUC"] * 2  # as it was given, on the minus strand too
    assert [row["sseq"] for row in rows] == ["ATGGCATTC"] * 2
    assert [(row["nident"], row["mismatch"], row["pident"]) for row in rows] == [(9, 0, 100.0)] * 2
    text = written("text", result, hits)
    assert text.count("|||||||||") == 2
    assert text.count("Identities = 9/9 (100%)") == 2


# --- JSON, FASTA, text ----------------------------------------------------------------------------------------


def test_json(proteins):
    result, hits = proteins
    text = written("json", result, hits)
    data = json.loads(text)
    assert data["format_version"] == 1
    assert data["search"]["gap_open"] == 11
    assert data["search"]["database_checksum"] == result.database.checksum
    assert [query["hits_found"] for query in data["queries"]] == [3, 0, 1]
    assert len(data["hits"]) == 4
    second, third = data["hits"][1:3]
    assert (second["score"], second["qseq"], second["sseq"]) == (58, "MKVLWAALLVTFLAG", "MKVLW-ALLVTFLAG")
    assert second["stitle"] == '+formula, "quoted"'
    assert (third["evalue"], third["bitscore"], third["pident"], third["cigar"]) == (None, None, None, None)
    assert '"evalue": 3.16e-1235' in text
    assert set(data["hits"][0]) == set(HIT_COLUMNS) - {*HSP_COLUMNS, *FRAME_COLUMNS, *SHIFT_COLUMNS} | {
        "verdict_sentence"
    }  # one alignment each
    assert [hit["verdict"] for hit in data["hits"]] == ["significant", "chance", "unknown", "chance"]
    said = "Significant: expected by chance less than once in 10²⁰ searches"
    assert data["hits"][0]["verdict_sentence"].startswith(said)
    assert data["queries"][1]["verdict"] == "No hits, so none is significant."
    assert sum(data["queries"][0]["verdicts"].values()) == 3
    assert json.loads(written("json", result, [], ["rank"]))["hits"] == []


def test_fasta_of_whole_subjects_has_each_once(proteins):
    result, hits = proteins
    records = list(SeqIO.parse(io.StringIO(written("fasta", result, [*hits, hits[0]])), "fasta"))
    assert [record.id for record in records] == ["s1", "=cmd()", "@s4", "-s3"]
    assert [str(record.seq).encode() for record in records] == [hit.subject.residues for hit in hits]


def test_fasta_of_aligned_parts(proteins, nucleotides):
    records = list(SeqIO.parse(io.StringIO(written("fasta-aligned", *proteins)), "fasta"))
    assert [record.id for record in records] == ["s1/1-63", "=cmd()/3-16", "-s3/3-8"]
    assert str(records[1].seq) == "MKVLWALLVTFLAG"
    assert "[query=q1 score=58 E=0.38]" in records[1].description
    minus = list(SeqIO.parse(io.StringIO(written("fasta-aligned", *nucleotides)), "fasta"))[1]
    assert (minus.id, str(minus.seq)) == ("s/24-13", "AACCGGTACGTA")


def test_aligned_parts_with_flanks_and_gap_signs(proteins, nucleotides):
    def parts(search, **options):
        file = io.StringIO()
        write_hits("fasta-aligned", *search, file, ExportOptions(**options))
        return [(r.id, str(r.seq)) for r in SeqIO.parse(io.StringIO(file.getvalue()), "fasta")]

    assert parts(proteins, flank=1)[1] == ("=cmd()/2-17", "AMKVLWALLVTFLAGW")
    assert parts(proteins, flank=100)[1] == ("=cmd()/1-18", "AAMKVLWALLVTFLAGWW")  # no more than there is
    assert parts(proteins, flank=1, gaps=True)[1] == ("=cmd()/2-17", "AMKVLW-ALLVTFLAGW")
    assert parts(nucleotides, flank=2)[1] == ("s/24-11", "AACCGGTACGTACG")
    assert parts(nucleotides, gaps=True)[1] == ("s/24-13", "AACCGGT-ACGTA")
    with pytest.raises(InvalidParameter, match="not possible"):
        parts(proteins, flank=-1)
    for options in ({"flank": 3}, {"gaps": True}):
        with pytest.raises(InvalidParameter, match="no flanking residues"):
            write_hits("fasta", *proteins, io.StringIO(), ExportOptions(**options))


def test_text(proteins, nucleotides):
    result, hits = proteins
    text = written("text", result, hits)
    assert "Query= q1 first query\nLength=63" in text
    assert "Query= q2\nLength=5\n\n***** No hits found *****" in text
    assert " Score = 25.8 bits (58),  Expect = 0.38" in text
    assert " Identities = 14/15 (93%), Positives = 14/15 (93%), Gaps = 1/15 (7%)" in text
    assert ("Query  1   MKVLWAALLVTFLAG  15\n           MKVLW ALLVTFLAG\nSbjct  3   MKVLW-ALLVTFLAG  16\n") in text
    assert "(no alignment)" in text
    assert ("Query  1   AACCGGTTACGTA  13\n           ||||||| |||||\nSbjct  24  AACCGGT-ACGTA  13\n") in written(
        "text", *nucleotides
    )
    assert "Strand=Plus/Minus" in written("text", *nucleotides)


ROW = re.compile(r"^(Query|Sbjct)  (\d+) +([A-Z*-]+)  (\d+)$")


@given(
    st.sampled_from([PROTEIN, NUCLEOTIDE]),
    st.lists(st.tuples(st.sampled_from("MID"), st.integers(1, 90)), min_size=1, max_size=6),
    st.integers(0, 2**32),
    st.tuples(*[st.integers(0, 1000)] * 4),
    st.booleans(),
)
def test_pairwise_text_says_where_every_letter_stands(alphabet, runs, seed, flanks, minus):
    runs = [("M", 3), *runs, ("M", 2)]
    random = np.random.default_rng(seed)
    lengths = [sum(n for op, n in runs if op != gap) for gap in ("D", "I")]
    totals = [lengths[0] + flanks[0] + flanks[1], lengths[1] + flanks[2] + flanks[3]]
    query, subject = (
        SequenceRecord("a", "", alphabet.decode(random.integers(0, len(alphabet) - 1, size, dtype=np.uint8)))
        for size in totals
    )
    strand = -1 if minus and alphabet is NUCLEOTIDE else 1
    scheme = make_scheme(alphabet)
    cigar = "".join(f"{n}{op}" for op, n in runs)
    hit = make_hit(scheme, query, subject, 0, 1, flanks[0], flanks[2], cigar, strand)
    seen = {"Query": {}, "Sbjct": {}}
    order = {"Query": [], "Sbjct": []}
    lines = pairwise_text(hit, scheme).splitlines()
    for line in lines:
        if not (found := ROW.match(line)):
            continue
        name, start, letters, end = found[1], int(found[2]), found[3], int(found[4])
        residues = letters.replace("-", "")
        if not residues:
            assert start == end
            continue
        step = -1 if name == "Sbjct" and strand < 0 else 1
        assert end == start + step * (len(residues) - 1)
        for offset, letter in enumerate(residues):
            seen[name][start + step * offset] = letter
            order[name].append(start + step * offset)
    complement = str.maketrans(NUCLEOTIDE.letters, "".join(NUCLEOTIDE.complements[c] for c in NUCLEOTIDE.letters))
    for position, letter in seen["Query"].items():
        # A letter that is its own complement's complement: U comes back as T.
        given_letter = chr(query.residues[position - 1])
        assert letter == given_letter or (strand < 0 and letter == given_letter.replace("U", "T"))
    for position, letter in seen["Sbjct"].items():
        given_letter = chr(subject.residues[position - 1])
        assert letter == (given_letter.translate(complement) if strand < 0 else given_letter)
    assert len(order["Query"]) == len(seen["Query"]) == lengths[0]
    assert len(order["Sbjct"]) == len(seen["Sbjct"]) == lengths[1]
    assert order["Query"] == sorted(order["Query"])
    assert order["Sbjct"] == sorted(order["Sbjct"], reverse=strand < 0)


# --- the door -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.is_text])
def test_every_format_writes_nothing_and_everything(proteins, nucleotides, name):
    form = FORMATS[name]
    assert form.name == name
    assert form.suffix.startswith(".")
    assert form.description
    for result, hits in (proteins, nucleotides):
        write_hits(name, result, iter(()), io.StringIO())
        of_one_query = [hit for hit in hits if hit.query_record is hits[0].query_record]
        assert written(name, result, of_one_query)
        if "columns" not in form.takes:
            with pytest.raises(InvalidParameter, match="no columns to choose"):
                form.check(ExportOptions(("rank",)))


def test_unknown_formats_and_columns(proteins):
    with pytest.raises(InvalidParameter, match="no format 'docx'"):
        written("docx", *proteins)
    with pytest.raises(InvalidParameter, match="no column 'nonsense'") as caught:
        written("tsv", *proteins, columns=["rank", "nonsense"])
    assert "qseqid" in caught.value.hint
    assert written("tsv", *proteins, columns=["qaccver", "saccver"]).splitlines()[0] == "qaccver\tsaccver"
    assert columns_need_alignment(["rank", "pident"])
    assert not columns_need_alignment(["rank", "sseqid", "evalue"])


def test_files_are_written_whole(tmp_path):
    path = tmp_path / "результат.txt"
    save_text(path, lambda file: file.write("één\nzwei\n"))
    assert path.read_bytes() == "één\nzwei\n".encode()

    def fail(file):
        file.write("half")
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        save_text(path, fail)
    assert path.read_bytes() == "één\nzwei\n".encode()
    save_bytes(path, lambda file: file.write(b"\0\1"))
    assert path.read_bytes() == b"\0\1"
    assert [p.name for p in tmp_path.iterdir()] == ["результат.txt"]


@pytest.mark.usefixtures("links")
def test_writing_follows_links_and_writes_to_devices(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    save_text(link, lambda file: file.write("new"))
    assert link.is_symlink()
    assert real.read_text() == "new"
    save_text(os.devnull, lambda file: file.write("gone"))
    assert os.path.exists(os.devnull)


@pytest.mark.parametrize("place", ["missing/out.tsv", "file/out.tsv", ".", "n" * 300, "a\0b"])
def test_places_that_cannot_be_written(tmp_path, place):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileNotWritten) as caught:
        save_text(place if "\0" in place else tmp_path / place, lambda file: file.write("x"))
    assert caught.value.message.endswith(".")
    assert caught.value.hint
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_csv_can_name_its_columns_for_people(proteins):
    named = written("csv", *proteins, headings=True).splitlines()
    plain = written("csv", *proteins).splitlines()
    assert named[0].startswith("Rank,Query,Subject,Description,Score,Bit score,E-value")
    assert named[1:] == plain[1:]
    assert written("tsv", *proteins, headings=True) == written("tsv", *proteins), "TSV is for programs"


# Names of references in SAM: each its own, whatever the subjects are called


@pytest.mark.parametrize("names", sorted(set(permutations(["x", "x_3", "x", "x_4"]))), ids="-".join)
@pytest.mark.usefixtures("user_folders", "trusted_engines")
def test_every_reference_has_a_name_of_its_own(tmp_path, names):
    pysam = pytest.importorskip("pysam")
    residues = b"MKVLAWWHCDEFGHIKLMNPQRSTVWY"
    records = [SequenceRecord(name, "", residues + b"A" * at) for at, name in enumerate(names)]
    database = encode_database(records, PROTEIN, "names")
    result = answer(
        protein_request(queries=(SequenceRecord("q", "", residues),), database=database, top=9, max_evalue=1e9)
    )
    assert len(result.queries[0].hits) == len(names)
    text = io.StringIO()
    write_hits("sam", result, describe_hits(result, 0, range(len(names))), text)
    path = tmp_path / "x.sam"
    path.write_text(text.getvalue())
    with pysam.AlignmentFile(str(path), check_sq=True) as file:
        lengths = dict(zip(file.references, file.lengths, strict=True))
        assert len(lengths) == len(names)
        assert sorted(lengths[read.reference_name] for read in file) == sorted(
            len(record.residues) for record in records
        )
