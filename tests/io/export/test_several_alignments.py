"""Subjects with several alignments in every format, read back; with one alignment the files of before."""

import csv
import io
import json

import jsonschema
import pytest
from Bio import AlignIO, Blast, SearchIO, SeqIO

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.records import SequenceRecord
from swgui.io.export import FORMATS, HIT_COLUMNS, save_hits
from swgui.io.export.columns import DEFAULT_COLUMNS, HSP_COLUMNS
from swgui.io.export.json_format import json_schema
from swgui.io.tables.hits import read_hit_table
from tests.asking import altered
from tests.given_hits import changed, line_of
from tests.io.export.test_formats import written
from tests.io.sequences.by_hand import make_hit, make_result, make_scheme, with_others

QUERY = b"AACCGGTTACGTACCTGATTGA"  # 22 residues
REVERSED = b"TCAATCAGGTACGTAACCGGTT"


@pytest.fixture
def search():
    """A query that stands in one subject three times, once reversed, and in another one once."""
    scheme = make_scheme(NUCLEOTIDE)
    query = SequenceRecord("q", "a query", QUERY)
    many = SequenceRecord("many", "three places", QUERY + b"TTTTT" + REVERSED + b"TTTT" + QUERY[:12])
    once = SequenceRecord("once", "", b"G" + QUERY[2:20] + b"CC")
    best = make_hit(scheme, query, many, 0, 1, 0, 0, "22M", log10_evalue=-9.0)
    minus = make_hit(scheme, query, many, 0, 1, 0, 27, "22M", strand=-1, log10_evalue=-9.0)
    part = make_hit(scheme, query, many, 0, 1, 0, 53, "12M", log10_evalue=-2.0)
    other = make_hit(scheme, query, once, 1, 2, 2, 1, "18M", log10_evalue=-6.0)
    result = altered(make_result(scheme, [query], [many, once], (2,)), max_hsps=100)
    return result, [with_others(best, [minus, part], -19.5), with_others(other, [])]


def test_tables_have_a_row_for_each_alignment(search):
    rows = list(csv.DictReader(io.StringIO(written("tsv", *search)), delimiter="\t"))
    assert tuple(rows[0]) == (*DEFAULT_COLUMNS, *HSP_COLUMNS)
    assert [(row["rank"], row["sseqid"], row["hsp"]) for row in rows] == [
        ("1", "many", "1"), ("1", "many", "2"), ("1", "many", "3"), ("2", "once", "1"),
    ]  # fmt: skip
    assert [(row["sstart"], row["send"], row["sstrand"]) for row in rows] == [
        ("1", "22", "plus"), ("49", "28", "minus"), ("54", "65", "plus"), ("2", "19", "plus"),
    ]  # fmt: skip
    assert [row["score"] for row in rows] == ["44", "44", "24", "36"]
    assert [row["evalue"] for row in rows] == ["1.00e-09", "1.00e-09", "0.0100", "1.00e-06"]
    assert [row["n_hsps"] for row in rows] == ["3", "3", "3", "1"]
    assert [row["total_score"] for row in rows] == ["112", "112", "112", "36"]
    assert [row["sum_evalue"] for row in rows] == ["3.16e-20"] * 3 + ["1.00e-06"]
    assert [row["qcovs"] for row in rows] == ["100.0"] * 3 + ["81.8"]
    assert [row["scovs"] for row in rows] == ["86.2"] * 3 + ["85.7"]  # 56 of 65, 18 of 21
    assert [row["qcovhsp"] for row in rows] == ["100.0", "100.0", "54.5", "81.8"]
    assert list(csv.DictReader(io.StringIO(written("csv", *search)))) == rows


def test_columns_that_need_no_alignment_list_subjects(search):
    result, hits = search
    bare = [changed(hit, lines=[line_of(hit)], alignment=None) for hit in hits]
    assert written("tsv", result, bare, ("sseqid", "evalue")) == "sseqid\tevalue\nmany\t1.00e-09\nonce\t1.00e-06\n"
    assert written("tsv", result, bare, HSP_COLUMNS).splitlines()[1:] == ["\t" * 5] * 2


@pytest.mark.parametrize(("name", "found"), [("blast6", 4), ("blast7", 4)])
def test_blast_tables_as_biopython_reads_them(search, name, found):
    text = written(name, *search)
    (query,) = SearchIO.parse(io.StringIO(text), "blast-tab", comments=name == "blast7")
    assert [(hit.id, len(hit)) for hit in query] == [("many", 3), ("once", 1)]
    assert [hsp.hit_strand for hsp in query[0]] == [1, -1, 1]
    assert [hsp.evalue for hsp in query[0]] == [1e-9, 1e-9, 0.01]
    assert name == "blast6" or f"# {found} hits found\n" in text
    coverage = written("blast7", *search, ("qseqid", "sseqid", "qcovs"))
    assert "# Fields: query id, subject id, % query coverage per subject\n" in coverage


def test_what_is_written_is_read_as_a_table(search, tmp_path):
    for name in ("blast6", "blast7", "tsv", "blast-xml"):
        save_hits(tmp_path / name, name, *search)
        table = read_hit_table(tmp_path / name)
        assert table.subjects == ["many", "many", "many", "once"]
        assert table.values["sstart"].tolist() == [1, 49, 54, 2]


def test_json_groups_alignments_under_their_subject(search):
    many, once = json.loads(written("json", *search))["hits"]
    assert (many["n_hsps"], many["total_score"], many["sum_evalue"], many["qcovs"]) == (3, 112, 3.16e-20, 100.0)
    assert [hsp["hsp"] for hsp in many["hsps"]] == [1, 2, 3]
    assert [hsp["score"] for hsp in many["hsps"]] == [44, 44, 24]
    assert [hsp["sstrand"] for hsp in many["hsps"]] == ["plus", "minus", "plus"]
    assert [hsp["cigar"] for hsp in many["hsps"]] == ["22M", "22M", "12M"]
    assert not {"rank", "sseqid", "slen", "n_hsps", "qcovs"} & set(many["hsps"][0])
    assert (len(once["hsps"]), once["score"], once["hsps"][0]["score"]) == (1, 36, 36)
    assert json.loads(written("json", *search, ("sseqid", "qstart")))["hits"][0] == {
        "sseqid": "many", "qstart": 1, "hsps": [{"qstart": 1}, {"qstart": 1}, {"qstart": 1}],
    }  # fmt: skip
    jsonschema.validate(json.loads(written("json", *search)), json_schema())


def test_sam_has_one_primary_line_and_secondary_ones(search, tmp_path):
    lines = [line.split("\t") for line in written("sam", *search).splitlines() if not line.startswith("@")]
    assert [(int(line[1]), line[2], line[3], line[5]) for line in lines] == [
        (0, "many", "1", "22M"), (0x110, "many", "28", "22M"), (0x100, "many", "54", "12M10S"),
        (0x100, "once", "2", "2S18M2S"),
    ]  # fmt: skip
    pysam = pytest.importorskip("pysam")
    save_hits(tmp_path / "hits.sam", "sam", *search)
    with pysam.AlignmentFile(str(tmp_path / "hits.sam"), check_sq=True) as file:
        reads = list(file)
    assert [read.is_secondary for read in reads] == [False, True, True, True]
    assert not any(read.is_supplementary for read in reads)
    assert [read.get_reference_positions()[0] for read in reads] == [0, 27, 53, 1]
    assert reads[1].query_sequence.encode() == REVERSED


def test_paf_is_what_minimap2_writes(search):
    lines = [line.split("\t") for line in written("paf", *search).splitlines()]
    assert [" ".join(line[:12]) for line in lines] == [
        "q 22 0 22 + many 65 0 22 22 22 255",
        "q 22 0 22 - many 65 27 49 22 22 255",
        "q 22 0 12 + many 65 53 65 12 12 255",
        "q 22 2 20 + once 21 1 19 18 18 255",
    ]
    assert [line[12] for line in lines] == ["tp:A:P", "tp:A:S", "tp:A:S", "tp:A:S"]
    assert [line[-1] for line in lines] == ["cg:Z:22M", "cg:Z:22M", "cg:Z:12M", "cg:Z:18M"]
    assert lines[2][13:-1] == ["AS:i:24", "NM:i:0", "ZB:f:10.7", "ZL:f:-2.0000"]


def test_paf_of_an_unequal_alignment_on_the_minus_strand():
    scheme, query = make_scheme(NUCLEOTIDE), SequenceRecord("a b", "", QUERY)
    subject = SequenceRecord("s", "", b"CC" + REVERSED[4:10] + REVERSED[13:])
    hit = make_hit(scheme, query, subject, 0, 1, 4, 2, "6M3I9M", strand=-1)
    (line,) = written("paf", make_result(scheme, [query], [subject], (1,)), [hit]).splitlines()
    assert line.startswith("a_b 22 0 18 - s 17 2 17 15 18 ".replace(" ", "\t"))
    assert line.endswith("cg:Z:6M3I9M")


def test_blast_xml_has_several_hsps_in_a_hit(search):
    with Blast.parse(io.BytesIO(written("blast-xml", *search).encode())) as records:
        (record,) = records
    assert [len(hit) for hit in record] == [3, 1]
    assert [hsp.score for hsp in record[0]] == [44, 44, 24]
    text = written("blast-xml", *search)
    assert text.count("<Hsp>\n<num>1</num>") == 2
    assert "<Hsp>\n<num>3</num>" in text
    assert text.count("<hit-strand>Minus</hit-strand>") == 1


def test_sequences_have_a_record_for_each_alignment(search):
    records = list(SeqIO.parse(io.StringIO(written("fasta-aligned", *search)), "fasta"))
    assert [record.id for record in records] == ["many/1-22", "many/49-28", "many/54-65", "once/2-19"]
    assert [str(record.seq).encode() for record in records[:3]] == [QUERY, QUERY, QUERY[:12]]
    assert [record.id for record in SeqIO.parse(io.StringIO(written("fasta", *search)), "fasta")] == ["many", "once"]
    for name in ("stockholm", "clustal"):
        stacked = AlignIO.read(io.StringIO(written(name, *search)), name)
        assert [row.id for row in stacked] == ["q", *(record.id for record in records)]
    assert written("a3m", *search).count(">") == 5


def test_reports_list_alignments_under_their_subject(search):
    text = written("text", *search)
    assert text.count("\n>many three places\n") == 1
    assert text.count(" Score = ") == 4
    assert text.count("Strand=Plus/Minus") == 1
    assert "1.0e-09  3 alignments\n" in text
    html = written("html", *search)
    assert html.count('<section class="hit" id="hit') == 2
    assert html.count(" Score = ") == 4
    assert "2 hits. <strong>" in html
    assert f">{HIT_COLUMNS['n_hsps'].title}</label></th>" in html


def test_workbooks_have_a_row_for_each_alignment(search, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    save_hits(tmp_path / "hits.xlsx", "xlsx", *search)
    rows = [[cell.value for cell in row] for row in openpyxl.load_workbook(tmp_path / "hits.xlsx")["Hits"].iter_rows()]
    at = rows[0].index("hsp")
    assert [row[at] for row in rows[1:]] == [1, 2, 3, 1]


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.is_text])
@pytest.mark.parametrize("alphabet", [PROTEIN, NUCLEOTIDE])
@pytest.mark.sampled
def test_with_one_alignment_of_a_subject_files_are_those_of_before(name, alphabet):
    scheme = make_scheme(alphabet)
    query, subject = SequenceRecord("q", "", QUERY[:8] + b"GATG"), SequenceRecord("s", "", b"CC" + QUERY + b"A")
    hit = make_hit(scheme, query, subject, 0, 1, 0, 2, "8M")
    result = make_result(scheme, [query], [subject], (1,))
    assert written(name, result, [with_others(hit, [])]) == written(name, result, [hit])
    assert written("tsv", result, [hit]).splitlines()[0].split("\t") == list(DEFAULT_COLUMNS)
    assert not {"hsps", *HSP_COLUMNS} & set(json.loads(written("json", result, [hit]))["hits"][0])


def test_what_belongs_to_the_best_score_is_not_said_of_the_others(search):
    result, (many, _) = search
    many = changed(many, z_score=120.0, fitted_log10_evalue=-8.0)
    rows = written("tsv", result, [many], ("zscore", "evalue_fit", "hsp")).splitlines()
    assert rows[1:] == ["120.0\t1.00e-08\t1", "\t\t2", "\t\t3"]


def test_coverage_counts_what_overlaps_once(search):
    _, (many, once) = search
    assert [HIT_COLUMNS[key].of(many) for key in ("qcovs", "scovs")] == pytest.approx([100.0, 100 * 56 / 65])
    assert HIT_COLUMNS["qcovs"].of(changed(once, alignment=None)) is None
