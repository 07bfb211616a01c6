"""SAM, A3M, Stockholm, HTML and workbooks, read back."""

import html.parser
import importlib
import io
import math
import re
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest
from Bio import Align, AlignIO, Blast, SeqIO
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.io import workbook
from swgui.io.export import FORMATS, HIT_COLUMNS, ExportOptions, save_hits
from swgui.io.export.rows import aligned_residues, span
from tests.io.export.test_formats import written
from tests.io.sequences.by_hand import make_hit, make_result, make_scheme


@st.composite
def searches(draw):
    """A random query with random alignments to three random subjects, on random strands."""
    alphabet = draw(st.sampled_from([PROTEIN, NUCLEOTIDE]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    scheme = make_scheme(alphabet)

    def letters(size):
        plain = 20 if alphabet is PROTEIN else 4
        return alphabet.decode(random.integers(0, plain, size, dtype=np.uint8))

    query = SequenceRecord("the query", "described", letters(60))
    subjects, hits = [], []
    for number in range(3):
        runs = [(op, int(random.integers(1, 6))) for op in draw(st.lists(st.sampled_from("MID"), max_size=6))]
        cigar = "2M" + "".join(f"{n}{op}" for op, n in runs) + "2M"
        spans = [4 + sum(n for op, n in runs if op != gap) for gap in ("D", "I")]
        query_start = int(random.integers(0, 61 - spans[0]))
        subject_start = int(random.integers(0, 5))
        subjects.append(SequenceRecord(f"s {number}|x", "one\tsubject", letters(subject_start + spans[1] + 3)))
        strand = draw(st.sampled_from([1, -1])) if alphabet is NUCLEOTIDE else 1
        place = (query, subjects[-1], number, number + 1, query_start, subject_start, cigar, strand)
        hits.append(make_hit(scheme, *place))
    return make_result(scheme, [query], subjects, (3,)), hits


@given(searches())
def test_sam_as_biopython_reads_it(search):
    result, hits = search
    text = written("sam", result, hits)
    found = list(Align.parse(io.StringIO(text), "sam"))
    assert len(found) == len(hits)
    for alignment, hit in zip(found, hits, strict=True):
        path = hit.alignment
        assert alignment.target.id == f"s_{hit.db_index}|x"
        assert alignment.query.id == "the_query"
        assert len(alignment.target.seq) == len(hit.subject.residues)
        assert alignment.coordinates[0][0] == path.subject_start
        assert alignment.coordinates[0][-1] == path.subject_end
        ends = sorted((alignment.coordinates[1][0], alignment.coordinates[1][-1]))
        place = span(hit)
        assert ends == [place.query_start - 1, place.query_end]
        assert (alignment.coordinates[1][0] > alignment.coordinates[1][-1]) == (hit.strand < 0)
        assert alignment.score == hit.score
    flags = [int(line.split("\t")[1]) for line in text.splitlines() if not line.startswith("@")]
    assert [flag & 0x100 for flag in flags] == [0, 0x100, 0x100]
    assert f"database_checksum: {result.database.checksum};" in text


def test_sam_as_htslib_reads_it(proteins, nucleotides, tmp_path):
    pysam = pytest.importorskip("pysam")
    for number, (result, hits) in enumerate((proteins, nucleotides)):
        path = tmp_path / f"{number}.sam"
        save_hits(path, "sam", result, hits)
        with pysam.AlignmentFile(str(path), check_sq=True) as file:
            reads = list(file)
        assert [read.get_tag("AS") for read in reads] == [hit.score for hit in hits if hit.alignment]


def test_sam_names_stay_different(proteins):
    result = proteins[0]
    scheme, query = result.scheme, result.queries[0].query
    twins = [SequenceRecord("a b", "", b"MKVLW"), SequenceRecord("a*b", "", b"MKVLWA")]
    made = [make_hit(scheme, query, twin, n, n + 1, 0, 0, "5M") for n, twin in enumerate(twins)]
    references = re.findall(r"@SQ\tSN:(\S+)\tLN:(\d+)", written("sam", result, made))
    assert references == [("a_b", "5"), ("a_b_2", "6")]


@given(searches())
def test_stacked_rows_are_the_alignments(search):
    result, hits = search
    query = result.queries[0].query
    a3m = list(SeqIO.parse(io.StringIO(written("a3m", result, hits)), "fasta"))
    stockholm = AlignIO.read(io.StringIO(written("stockholm", result, hits)), "stockholm")
    rf = stockholm.column_annotations["reference_annotation"]
    assert str(a3m[0].seq).encode() == query.residues
    assert len(a3m) == len(stockholm) == 4
    for row, stacked, hit in zip(a3m[1:], stockholm[1:], hits, strict=True):
        letters = str(row.seq)
        place = span(hit)
        assert row.id == stacked.id == f"s_{hit.db_index}|x/{place.subject_start}-{place.subject_end}"
        match_columns = re.sub("[a-z]", "", letters)
        assert len(match_columns) == len(query.residues)
        # Laid side by side with the query it is the pairwise alignment again.
        pairs, at = [], 0
        for letter in letters:
            if letter.islower():
                pairs.append(("-", letter.upper()))
            else:
                pairs.append((chr(query.residues[at]), letter))
                at += 1
        inside = pairs[place.query_start - 1 : len(pairs) - (len(query.residues) - place.query_end)]
        assert ("".join(q for q, _ in inside), "".join(s for _, s in inside)) == aligned_residues(hit)
        wide = str(stacked.seq)
        assert "".join(c for c, mark in zip(wide, rf, strict=True) if mark == "x") == match_columns
        assert wide.replace(".", "").replace("-", "") == letters.replace("-", "")
    whole = str(stockholm[0].seq)
    assert whole.replace(".", "").replace("-", "").encode() == query.residues


@given(searches())
def test_clustal_has_the_columns_of_stockholm(search):
    result, hits = search
    clustal = AlignIO.read(io.StringIO(written("clustal", result, hits)), "clustal")
    stockholm = AlignIO.read(io.StringIO(written("stockholm", result, hits)), "stockholm")
    assert [row.id for row in clustal] == [row.id for row in stockholm]
    for one, other in zip(clustal, stockholm, strict=True):
        assert str(one.seq) == str(other.seq).upper().replace(".", "-")
    stars = clustal.column_annotations["clustal_consensus"]
    for column, star in enumerate(stars):
        letters = set(clustal[:, column])
        assert (star == "*") == (len(letters) == 1 and letters != {"-"})


@given(searches())
def test_blast_xml_as_biopython_reads_it(search):
    result, hits = search
    records = Blast.parse(io.BytesIO(written("blast-xml", result, hits).encode()))
    with records:
        (record,) = list(records)
    assert record.query.description == "the query described"
    assert len(record.query.seq) == 60
    assert records.param["gap-open"] == result.scheme.gap_open
    assert records.db == result.database.name
    assert len(record) == len(hits)
    for found, hit in zip(record, hits, strict=True):
        (alignment,) = found
        place, path = span(hit), hit.alignment
        rows = aligned_residues(hit)
        assert (alignment[1], alignment[0]) == rows
        assert found.target.id == hit.subject.id
        assert alignment.score == hit.score
        assert math.isclose(alignment.annotations["evalue"], 0.001)
        assert alignment.annotations["identity"] == hit.counts.nident
        assert sorted(alignment.coordinates[0][[0, -1]]) == [path.subject_start, path.subject_end]
        assert list(alignment.coordinates[1][[0, -1]]) == [place.query_start - 1, place.query_end]


def test_blast_xml_of_several_queries(proteins):
    text = written("blast-xml", *proteins)
    space = "{http://www.ncbi.nlm.nih.gov}"
    reports = ElementTree.fromstring(text).findall(f"{space}BlastOutput2")
    assert [len(list(report.iter(f"{space}Hit"))) for report in reports] == [2, 0, 1]
    titles = [next(report.iter(f"{space}query-title")).text for report in reports]
    assert titles == ["q1 first query", "q2", "q 3 with controls"]
    assert "+formula, " in text
    assert "&quot;" not in re.sub(r"<title>.*?</title>", "", text)
    assert "<evalue>3.16228e-1235</evalue>" in text
    assert re.search(r"[\x00-\x08\ufffe]", text) is None


def test_a3m_and_clustal_hold_one_query_and_stockholm_many(proteins):
    result, hits = proteins
    for name in ("a3m", "clustal"):
        with pytest.raises(InvalidParameter, match="one query"):
            written(name, result, hits)
    assert written("a3m", result, hits[:3]).count(">") == 3  # the query and two alignments
    blocks = list(AlignIO.parse(io.StringIO(written("stockholm", result, hits)), "stockholm"))
    assert [len(block) for block in blocks] == [3, 2]
    twice = AlignIO.read(io.StringIO(written("stockholm", result, [hits[0], hits[0]])), "stockholm")
    assert [row.id for row in twice] == ["q1", "s1/1-63", "s1/1-63_2"]


class Reader(html.parser.HTMLParser):
    """Collects tags, ids and text, and checks that every tag is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.texts = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in ("meta", "input"):
            self.open.append(tag)
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        if "href" in values:
            self.links.append(values["href"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_html_shows_texts_and_runs_nothing(proteins):
    result, hits = proteins
    scheme, query = result.scheme, result.queries[0].query
    evil = SequenceRecord('x"><script>alert(1)</script>', "<b>&amp;</b>\u202e", b"MKVLW")
    text = written("html", result, [*hits[:3], make_hit(scheme, query, evil, 0, 4, 0, 0, "5M"), hits[3]])
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    assert not {"script", "b", "img", "link", "iframe"} & set(reader.tags)
    assert "<script>" not in text
    assert 'x"><script>alert(1)</script>' in "".join(reader.texts)
    assert {link.removeprefix("#") for link in reader.links} == set(reader.ids)
    assert sum(name.startswith("hit") for name in reader.ids) == 5
    assert result.database.checksum in text
    assert "0 hits" in "".join(reader.texts)


def test_html_draws_every_alignment_along_the_query(proteins):
    result, hits = proteins
    text = written("html", result, hits)
    pictures = ElementTree.fromstring(f"<all>{''.join(re.findall(r'<svg.*?</svg>', text, re.DOTALL))}</all>")
    first, last = pictures  # of two queries; the second has no hits
    bars = [row.findall("rect") for row in first.findall("a")]
    assert [len(bar) for bar in bars] == [1, 1]  # the third hit of the query has no alignment
    (whole,), (part,) = bars
    assert float(whole.attrib["x"]) == pytest.approx(170)
    assert float(whole.attrib["width"]) == pytest.approx(830)  # 63 of 63 residues
    assert float(part.attrib["x"]) == pytest.approx(170)
    assert float(part.attrib["width"]) == pytest.approx(830 * 15 / 63, abs=0.1)  # 5M1I9M
    assert len(last.findall("a")) == 1


def test_the_table_of_a_report_can_be_sorted_by_every_column_without_a_script(proteins):
    result, hits = proteins
    text = written("html", result, hits[:3])
    heads = re.findall(r'<input type="radio" name="sort0" value="(\w+)"( checked)?>', text)
    assert [key for key, pressed in heads if pressed] == ["rank"]
    rows = [dict(re.findall(r"--(\w+):(\d+);", row)) for row in re.findall(r'<tr style="([^"]*)">', text)]
    for key, _ in heads:
        assert f'input[value="{key}"]:checked) tbody tr {{ order: var(--{key}); }}' in text
        assert sorted(int(row[key]) for row in rows) == [0, 1, 2]
    assert [row["score"] for row in rows] == ["0", "1", "2"]  # the most first
    assert [row["evalue"] for row in rows] == ["0", "1", "2"]  # the least first, unknown last
    names = [hit.subject.id for hit in hits[:3]]
    assert [int(row["sseqid"]) for row in rows] == [sorted(names).index(name) for name in names]


HBA = SequenceRecord("sp|P69905|HBA_HUMAN", "Hemoglobin subunit alpha", b"MKVLW")
PAGE = "https://www.uniprot.org/uniprotkb/P69905/entry"


def test_html_leads_to_the_pages_of_a_subject(proteins):
    result, hits = proteins
    known = make_hit(result.scheme, result.queries[0].query, HBA, 0, 4, 0, 0, "5M")
    reader = Reader()
    reader.feed(written("html", result, [hits[0], known]))
    pages = [link for link in reader.links if not link.startswith("#")]
    assert pages[:2] == [PAGE, "https://www.ebi.ac.uk/interpro/protein/UniProt/P69905/"]
    assert "AlphaFold DB" in reader.texts


def test_workbooks_lead_to_the_page_of_a_subject(proteins, tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    monkeypatch.setattr(workbook, "_LINKS_PER_SHEET", 1)
    result, hits = proteins
    known = make_hit(result.scheme, result.queries[0].query, HBA, 0, 4, 0, 0, "5M")
    save_hits(tmp_path / "x.xlsx", "xlsx", result, [hits[0], known, known], ExportOptions(("sseqid", "score")))
    cells = [row[0] for row in openpyxl.load_workbook(tmp_path / "x.xlsx")["Hits"].iter_rows()]
    assert [cell.value for cell in cells[2:]] == [HBA.id, HBA.id]
    targets = [cell.hyperlink.target if cell.hyperlink else "" for cell in cells]
    assert targets == ["", "", PAGE, ""]  # the second one would be more than a sheet can hold


def test_workbooks_hold_typed_cells(proteins, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    result, hits = proteins
    path = tmp_path / "hits.xlsx"
    save_hits(path, "xlsx", result, hits, ExportOptions(tuple(HIT_COLUMNS)))
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Hits", "Search"]
    rows = [list(row) for row in book["Hits"].iter_rows()]
    names = [cell.value for cell in rows[0]]
    assert names == list(HIT_COLUMNS)
    second = dict(zip(names, rows[2], strict=True))
    assert second["score"].value == 58
    assert second["score"].data_type == "n"
    assert second["pident"].value == pytest.approx(1400 / 15)
    assert second["evalue"].value == pytest.approx(10**-0.42)
    assert second["sseqid"].value == "=cmd()"
    assert second["sseqid"].data_type == "s"
    assert second["stitle"].data_type == "s"
    first, third = (dict(zip(names, row, strict=True)) for row in (rows[1], rows[3]))
    assert first["evalue"].value == "3.16e-1235"  # too small for a number
    assert first["log10_evalue"].value == -1234.5
    assert third["evalue"].value is None
    about = {row[0].value: row[1].value for row in book["Search"].iter_rows()}
    assert about["database_checksum"] == result.database.checksum
    assert about["gap_open"] == 11
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet


def test_workbooks_cut_long_texts_and_begin_new_sheets(proteins, tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    monkeypatch.setattr(workbook, "_ROWS_PER_SHEET", 3)
    monkeypatch.setattr(workbook, "_LONGEST_TEXT", 40)
    result, hits = proteins
    save_hits(tmp_path / "x.xlsx", "xlsx", result, hits, ExportOptions(("rank", "qseq")))
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert book.sheetnames == ["Hits", "Hits 2", "Search"]
    values = [[cell.value for cell in row] for name in book.sheetnames[:2] for row in book[name].iter_rows()]
    assert [row[0] for row in values] == ["rank", 1, 2, "rank", 3, 1]
    assert values[1][1].endswith("(cut: a cell holds no more)")
    assert len(values[1][1]) == 40


def test_a_workbook_without_its_library_is_refused(proteins, tmp_path, monkeypatch):
    real = importlib.import_module

    def missing(name, package=None):
        if package is None:
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(InvalidParameter, match="XlsxWriter") as caught:
        save_hits(tmp_path / "x.xlsx", "xlsx", *proteins)
    assert "pip install XlsxWriter" in caught.value.hint
    assert list(tmp_path.iterdir()) == []
    assert [name for name, form in FORMATS.items() if form.write_bytes] == ["pdf", "xlsx"]
