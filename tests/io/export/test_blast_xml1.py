"""BLAST XML 1 as three readers of Biopython read it: each alignment of each query is the one that was found."""

import io
import math

import pytest
from Bio import Blast, SearchIO
from Bio.Blast import NCBIXML
from hypothesis import given

from swgui.cli import main
from swgui.io.export.grouping import UniqueNames
from swgui.io.export.rows import aligned_residues, span
from swgui.paths import resources_dir
from tests.io.export.test_formats import written
from tests.io.export.test_stacked import searches
from tests.io.export.test_translated import search as translated
from tests.io.export.test_translated import sequences as sequences
from tests.io.export.test_translated import written as written_of

EXAMPLES = resources_dir() / "examples"


def in_ncbixml(text):
    """Return of each query its name and (subject, score, bits, E, ends, rows, identities) of each alignment."""
    return [
        (
            record.query.split()[0],
            [
                (
                    alignment.hit_id, hsp.score, hsp.bits, hsp.expect, sorted((hsp.query_start, hsp.query_end)),
                    sorted((hsp.sbjct_start, hsp.sbjct_end)), (hsp.query, hsp.sbjct), hsp.identities,
                )
                for alignment in record.alignments for hsp in alignment.hsps
            ],
        )
        for record in NCBIXML.parse(io.StringIO(text))
    ]  # fmt: skip


def in_search_io(text):
    return [
        (
            record.id,
            [
                (
                    hit.id, hsp.bitscore_raw, hsp.bitscore, hsp.evalue, [hsp.query_start + 1, hsp.query_end],
                    [hsp.hit_start + 1, hsp.hit_end], (str(hsp.query.seq), str(hsp.hit.seq)), hsp.ident_num,
                )
                for hit in record for hsp in hit
            ],
        )
        for record in SearchIO.parse(io.StringIO(text), "blast-xml")
    ]  # fmt: skip


def in_blast(text):
    found = []
    with Blast.parse(io.BytesIO(text.encode())) as records:
        for record in records:
            rows = []
            for hit in record:
                for hsp in hit:
                    about = hsp.annotations
                    ends = [sorted(hsp.coordinates[side][[0, -1]].tolist()) for side in (1, 0)]
                    query, subject = ([first + 1, last] for first, last in ends)
                    letters = (hsp[1], hsp[0])
                    numbers = (hsp.score, about["bit score"], about["evalue"])
                    rows.append((hit.target.id, *numbers, query, subject, letters, about["identity"]))
            found.append((record.query.description.split()[0], rows))
    return found


READERS = (in_ncbixml, in_search_io, in_blast)


def expected(result, hits):
    """Return the results that each of the readers should find."""
    found = {of_query.query.id: [] for of_query in result.queries}
    names = UniqueNames(result, lambda name: "_".join(name.split()))
    for hit in hits:
        for row in hit.rows():
            if (ends := span(row)) is None:
                continue
            numbers = (row.score, round(row.bit_score, 3), float(f"{10**row.log10_evalue:.6g}"))
            query, subject = sorted((ends.query_start, ends.query_end)), sorted((ends.subject_start, ends.subject_end))
            found[row.query_record.id].append(
                (names.subject(row), *numbers, query, subject, aligned_residues(row), row.counts.nident)
            )
    return [(name.split()[0], rows) for name, rows in found.items()]


def assert_same(found, wanted):
    assert [name for name, _ in found] == [name for name, _ in wanted]
    for (_, rows), (_, others) in zip(found, wanted, strict=True):
        for row, other in zip(rows, others, strict=True):
            assert row[0] == other[0]
            assert row[1] == other[1]
            assert row[2:4] == pytest.approx(other[2:4], rel=1e-4, nan_ok=True)
            assert row[4:] == other[4:]


@pytest.mark.parametrize("reader", READERS)
def test_several_queries_one_of_them_without_hits(proteins, reader):
    text = written("blast-xml1", *proteins)
    found = reader(text)
    assert [(name, len(rows)) for name, rows in found] == [("q1", 2), ("q2", 0), ("q", 1)]
    assert_same(found, expected(*proteins))
    assert text.count("<Iteration>") == 3
    assert text.count("No hits found") == 1


@pytest.mark.parametrize("reader", READERS)
def test_nucleotides_on_both_strands(nucleotides, reader):
    result, hits = nucleotides
    for hit in hits:  # each is of one strand, two are of one subject
        assert_same(reader(written("blast-xml1", result, [hit])), expected(result, [hit]))
    strands = {hit.strand for hit in hits if hit.alignment}
    record = next(NCBIXML.parse(io.StringIO(written("blast-xml1", result, hits))))
    assert {hsp.frame[1] for one in record.alignments for hsp in one.hsps} == strands


@given(searches())
def test_random_alignments(search):
    result, hits = search
    text = written("blast-xml1", result, hits)
    for reader in READERS:
        assert_same(reader(text), [(name, rows) for name, rows in expected(result, hits)])


@pytest.mark.parametrize("program", ["blastx", "tblastn"])
def test_translated_searches_have_frames(program, sequences):
    result = translated(program, sequences)
    text = written_of("blast-xml1", result)
    assert f"<BlastOutput_program>{program}</BlastOutput_program>" in text
    (record,) = NCBIXML.parse(io.StringIO(text))
    frames = {hsp.frame for one in record.alignments for hsp in one.hsps}
    side = 0 if program == "blastx" else 1
    assert {frame[side] for frame in frames} >= {2}
    assert {frame[1 - side] for frame in frames} == {0}
    (query,) = SearchIO.parse(io.StringIO(text), "blast-xml")
    assert {hsp.query_frame if program == "blastx" else hsp.hit_frame for hit in query for hsp in hit} >= {2}
    with Blast.parse(io.BytesIO(text.encode())) as records:
        (found,) = list(records)
    assert len(found) == len(query)


@pytest.mark.parametrize("name", ["blast-xml1", "5"])
def test_many_queries_of_the_command_line(tmp_path, capsys, name):
    words = ["search", "-q", str(EXAMPLES / "sample_queries.fasta"), "-d", str(EXAMPLES / "sample_database.fasta.gz")]
    words += ["--engine", "cpu", "--top", "20"]
    assert main([*words, "--format", name, "-o", str(tmp_path / "hits.xml")]) == 0
    columns = "qseqid,sseqid,score,bitscore,evalue,qstart,qend,sstart,send,qseq,sseq,nident"
    assert main([*words, "--format", "blast6", "--columns", columns, "-o", str(tmp_path / "hits.tsv")]) == 0
    wanted = {}
    for line in (tmp_path / "hits.tsv").read_text().splitlines():
        query, subject, score, bits, evalue, *places, qseq, sseq, nident = line.split("\t")
        first, last, begin, end = map(int, places)
        row = (subject, int(score), float(bits), float(evalue), [first, last], [begin, end], (qseq, sseq), int(nident))
        wanted.setdefault(query, []).append(row)
    text = (tmp_path / "hits.xml").read_text()
    queries = (EXAMPLES / "sample_queries.fasta").read_text().count(">")
    assert queries > 2
    for reader in READERS:
        found = reader(text)
        assert len(found) == queries
        for query, rows in found:
            for row, other in zip(rows, wanted.get(query, []), strict=True):
                assert row[:2] == other[:2]
                assert row[2] == pytest.approx(other[2], abs=0.051)
                assert math.isclose(row[3], other[3], rel_tol=0.01) or row[3] < 1e-300
                assert row[4:] == other[4:]
