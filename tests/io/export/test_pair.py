"""Exports of a long pair, read back by Biopython, htslib and by hand."""

from __future__ import annotations

import csv
import io
import json
import threading
from pathlib import Path

import numpy as np
import pytest
from Bio import Align, SeqIO

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import InvalidParameter, RunFileError
from swgui.core.pair.problem import PairMode
from swgui.core.pair.result import PairResult
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.io.export import pairs
from swgui.io.export.pairs import PAIR_FORMATS, save_pair, write_pair
from swgui.io.saved.pair import is_pair_file, open_pair_result
from swgui.jobs.events import Finished
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from tests.asking import BLOSUM62, DNA_SCHEME


def aligned(query: bytes, subject: bytes, scheme: ScoringScheme = DNA_SCHEME, **changes) -> PairResult:
    records = SequenceRecord("the query", "of a test", query), SequenceRecord("sub|ject", "", subject)
    request = PairRequest(*records, scheme, method="cpu", **changes)
    last = list(align_pair(request, threading.Event()))[-1]
    assert isinstance(last, Finished)
    return last.outcome


def written(name: str, result: PairResult) -> str:
    file = io.StringIO()
    write_pair(name, result, file)
    return file.getvalue()


@pytest.fixture(scope="module")
def result() -> PairResult:
    """Two alignments, the second on the other strand, with substitutions, gaps on either side and an unclear base."""
    rng = np.random.default_rng(5)
    one, two = (rng.integers(0, 4, length).astype(np.uint8) for length in (300, 200))
    query = np.concatenate([one, rng.integers(0, 4, 20).astype(np.uint8), two])
    changed = one.copy()
    changed[[40, 41, 90, 200]] = (changed[[40, 41, 90, 200]] + 1) % 4
    changed[150] = NUCLEOTIDE.code("R")
    changed = np.delete(np.insert(changed, 120, [0, 1, 2]), [60, 61, 250])
    turned = NUCLEOTIDE.reverse_complement(two)
    turned[100] = (turned[100] + 2) % 4
    turned = np.delete(turned, [50, 51])
    subject = np.concatenate([turned, rng.integers(0, 4, 30).astype(np.uint8), changed])
    made = aligned(NUCLEOTIDE.decode(query), NUCLEOTIDE.decode(subject), strand="both", limit=2)
    assert [one.strand for one in made.alignments] == ["plus", "minus"]
    return made


@pytest.fixture(scope="module")
def proteins() -> PairResult:
    return aligned(b"MKVLAWQRPLMNQQHEDRTYU", b"AMKVIAWQRLMNQQWHEDRTYC", BLOSUM62)


def test_every_format_is_written(result, proteins, tmp_path):
    for name, form in PAIR_FORMATS.items():
        save_pair(tmp_path / f"x{form.suffix}", name, result)
        assert (tmp_path / f"x{form.suffix}").read_text(encoding="utf-8") == written(name, result)
        if not form.nucleotides_only:
            assert written(name, proteins)


def test_blocks_do_not_show(result, monkeypatch):
    before = {name: written(name, result) for name in PAIR_FORMATS}
    monkeypatch.setattr(pairs, "BLOCK_COLUMNS", 60)
    assert {name: written(name, result) for name in PAIR_FORMATS} == before


def test_letters_are_written_block_by_block(result, monkeypatch):
    """Writing a genome at once keeps all other threads waiting, the window's among them."""
    sizes: dict[str, int] = {}
    monkeypatch.setattr(pairs, "BLOCK_COLUMNS", 60)

    class Sizes(io.StringIO):
        def write(self, text: str) -> int:
            sizes[name] = max(sizes.get(name, 0), len(text))
            return super().write(text)

    long = aligned(NUCLEOTIDE.decode(np.arange(20_000) % 4), NUCLEOTIDE.decode(np.arange(20_000) % 4))
    for name in ("text", "json", "fasta", "maf"):
        write_pair(name, long, Sizes())
    assert set(sizes) == {"text", "json", "fasta", "maf"}
    assert max(sizes.values()) < 3_000


def check_coordinates(found, result: PairResult) -> None:
    assert len(found) == len(result.alignments)
    for alignment, one in zip(found, result.alignments, strict=True):
        target, query = alignment.coordinates[0], alignment.coordinates[1]
        assert (target[0], target[-1]) == (one.alignment.subject_start, one.alignment.subject_end)
        assert tuple(sorted((query[0], query[-1]))) == one.query_range(len(result.query.residues))
        assert (query[0] > query[-1]) == (one.strand == "minus")


def test_sam_as_biopython_reads_it(result):
    text = written("sam", result)
    found = list(Align.parse(io.StringIO(text), "sam"))
    check_coordinates(found, result)
    assert [alignment.score for alignment in found] == [one.score for one in result.alignments]
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("@")]
    assert [int(fields[1]) for fields in lines] == [0, 0x10 | 0x800]
    assert lines[0][9].encode() == result.query.residues
    assert lines[0][0] == "the_query"
    assert lines[1][9] == "*"


def test_sam_as_htslib_reads_it(result, tmp_path):
    pysam = pytest.importorskip("pysam")
    save_pair(tmp_path / "x.sam", "sam", result)
    with pysam.AlignmentFile(str(tmp_path / "x.sam"), check_sq=True) as file:
        reads = list(file)
    assert [read.get_tag("AS") for read in reads] == [one.score for one in result.alignments]
    assert [read.get_tag("NM") for read in reads] == [
        one.counts.mismatch + one.counts.gaps for one in result.alignments
    ]


def test_vcf_as_htslib_reads_it(result, tmp_path):
    pysam = pytest.importorskip("pysam")
    save_pair(tmp_path / "x.vcf", "vcf", result)
    with pysam.VariantFile(str(tmp_path / "x.vcf")) as file:
        rows = list(file)
    assert [row.pos for row in rows] == sorted(row.pos for row in rows)
    assert {row.info["ALN"] for row in rows} == {1, 2}


def test_paf_has_coordinates_counts_and_cigar(result):
    text = written("paf", result)
    for line, one in zip(text.splitlines(), result.alignments, strict=True):
        fields = line.split("\t")
        tags = {tag[:2]: tag[5:] for tag in fields[12:]}
        assert (int(fields[2]), int(fields[3])) == one.query_range(int(fields[1]))
        assert fields[4] == ("+" if one.strand == "plus" else "-")
        assert (int(fields[7]), int(fields[8])) == (one.alignment.subject_start, one.alignment.subject_end)
        assert (int(fields[9]), int(fields[10])) == (one.counts.nident, one.counts.length)
        assert int(tags["AS"]) == one.score
        assert tags["cg"] == one.alignment.cigar


def test_maf_as_biopython_reads_it(result):
    found = list(Align.parse(io.StringIO(written("maf", result)), "maf"))
    check_coordinates(found, result)
    for alignment, one in zip(found, result.alignments, strict=True):
        assert alignment.score == one.score
        assert alignment.length == one.counts.length
        assert len(alignment.target.seq) == len(result.subject.residues)


def test_fasta_rows_are_the_alignment(result):
    records = list(SeqIO.parse(io.StringIO(written("fasta", result)), "fasta"))
    for number, one in enumerate(result.alignments):
        query, subject = (str(record.seq) for record in records[2 * number : 2 * number + 2])
        assert len(query) == len(subject) == one.counts.length
        start, end = one.query_range(len(result.query.residues))
        letters = NUCLEOTIDE.encode(result.query.residues[start:end])
        if one.strand == "minus":
            letters = NUCLEOTIDE.reverse_complement(letters)
        assert query.replace("-", "").encode() == NUCLEOTIDE.decode(letters)
        part = result.subject.residues[one.alignment.subject_start : one.alignment.subject_end]
        assert subject.replace("-", "").encode() == part


def test_text_rows_join_to_the_alignment(result, proteins):
    for made in (result, proteins):
        text = written("text", made)
        rows = [line.split() for line in text.splitlines() if line.startswith(("Query  ", "Sbjct  "))]
        joined = "".join(row[2] for row in rows if row[0] == "Sbjct")
        assert len(joined) == sum(one.counts.length for one in made.alignments)
        plus = [row for row in rows if row[0] == "Query"][: -(-made.alignments[0].counts.length // 60)]
        assert int(plus[0][1]) == made.alignments[0].alignment.query_start + 1
        assert int(plus[-1][3]) == made.alignments[0].alignment.query_end
        for one in made.alignments:
            assert f"({one.score})" in text
    last = [line.split() for line in written("text", result).splitlines() if line.startswith("Query  ")][-1]
    assert int(last[3]) == result.alignments[1].query_range(len(result.query.residues))[0] + 1


def test_differences_in_csv_name_the_letters_of_both(result):
    rows = list(csv.DictReader(io.StringIO(written("csv", result))))
    for row in rows:
        at, letters = int(row["subject_position"]), row["subject_letters"]
        if row["kind"] != "insertion":
            assert result.subject.residues[at - 1 : at - 1 + len(letters)].decode() == letters
        at, letters = int(row["query_position"]), row["query_letters"]
        if row["kind"] == "deletion":
            continue
        if row["strand"] == "plus":
            assert result.query.residues[at - 1 : at - 1 + len(letters)].decode() == letters
        else:  # positions fall
            part = NUCLEOTIDE.encode(result.query.residues[at - len(letters) : at])
            assert NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(part)).decode() == letters
    for one in result.alignments:
        mine = [row for row in rows if row["alignment"] == str(one.index)]
        assert sum(row["kind"] == "substitution" for row in mine) == one.counts.mismatch
        assert sum(int(row["length"]) for row in mine if row["kind"] != "substitution") == one.counts.gaps


def applied(text: str, result: PairResult, index: int) -> bytes:
    """Return the subject's aligned part with the variants of an alignment put in."""
    one = result.alignments[index - 1].alignment
    letters = NUCLEOTIDE.decode(result.subject_codes).translate(bytes.maketrans(b"R", b"A"))
    at, end = one.subject_start, one.subject_end
    built = b""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        _, pos, _, ref, alt, *_, info = line.split("\t")
        if f"ALN={index};" not in info:
            continue
        start = int(pos) - 1
        assert letters[start : start + len(ref)] == ref.encode(), "REF is the reference"
        assert at <= start, "variants do not overlap"
        assert ref != alt
        built += letters[at:start] + alt.encode()
        at = start + len(ref)
    return built + letters[at : max(end, at)]


def test_variants_turn_the_subject_into_the_query(result):
    text = written("vcf", result)
    assert text.startswith("##fileformat=VCFv4.3\n")
    assert "left out: 1 place where" in text  # R against A
    for one in result.alignments:
        codes = result.encoded_query(one.strand).codes
        want = NUCLEOTIDE.decode(codes[one.alignment.query_start : one.alignment.query_end])
        assert applied(text, result, one.index) == want


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        (b"GGACGTACGTACGT", b"ACGTACGTACGT"),  # letters before the first base of the subject
        (b"ACGTACGTACGTGG", b"ACGTACGTACGT"),
        (b"ACGTACGTACGT", b"GGACGTACGTACGT"),
        (b"ACGTACGTACGT", b"ACGTACGTACGTTTT"),
        (b"ACGTAACGT", b"TTTTTTTTT"),
        (b"A", b"C"),
    ],
)
def test_variants_at_the_ends_of_global_alignments(query, subject):
    made = aligned(query, subject, mode=PairMode.GLOBAL)
    text = written("vcf", made)
    one = made.alignments[0].alignment
    assert (one.query_end, one.subject_end) == (len(query), len(subject))
    assert applied(text, made, 1) == query
    for line in text.splitlines():
        if not line.startswith("#"):
            assert all(set(field) <= set("ACGTN") and field for field in line.split("\t")[3:5])


def test_vcf_is_for_nucleotides_only(proteins):
    with pytest.raises(InvalidParameter, match="nucleotides"):
        written("vcf", proteins)


def test_a_score_alone_goes_into_text_and_json_only():
    made = aligned(b"ACGTACGT", b"ACGTACGT", score_only=True)
    assert json.loads(written("json", made))["score"] == 16
    assert "Best score: 16" in written("text", made)
    with pytest.raises(InvalidParameter, match="only the score"):
        written("sam", made)
    with pytest.raises(InvalidParameter, match="no format"):
        written("bmp", made)


def test_nothing_found_is_written_too():
    made = aligned(b"AAAA", b"CCCC")
    for name in PAIR_FORMATS:
        assert isinstance(written(name, made), str)
    assert json.loads(written("json", made))["alignments"] == []


def same(a: PairResult, b: PairResult) -> None:
    for one, two in zip(a.alignments, b.alignments, strict=True):
        assert one.alignment == two.alignment
        assert (one.index, one.strand, one.counts) == (two.index, two.strand, two.counts)
        assert round(one.bit_score, 3) == two.bit_score
        assert round(one.log10_evalue, 4) == two.log10_evalue
    if a.score_only:  # names, but no letters
        query, subject = (replace(record, residues=b"") for record in (a.query, a.subject))
        a = replace(a, query=query, subject=subject)
    for name in ("query", "subject", "mode", "strand", "state", "best", "best_strand", "cells", "pruned", "method"):
        assert getattr(a, name) == getattr(b, name)
    for name in ("settings", "devices", "version", "finished_at", "query_checksum", "memory_bytes", "limit", "remarks"):
        assert getattr(a, name) == getattr(b, name)
    assert a.scheme == b.scheme


def test_json_is_opened_again(result, tmp_path):
    path = tmp_path / "pair.json"
    save_pair(path, "json", result)
    assert is_pair_file(path)
    same(result, open_pair_result(path))
    document = json.loads(path.read_text())
    assert document["score"] == result.score
    assert (
        document["alignments"][1]["query_start"] == result.alignments[1].query_range(len(result.query.residues))[0] + 1
    )


def test_json_of_a_score_has_no_letters_and_is_opened_again(tmp_path):
    query, subject = b"ACGTACGTTTGCA", b"GGACGTACGTTTGCATT"
    score_only = aligned(query, subject, score_only=True, strand="minus")
    path = tmp_path / "pair.json"
    save_pair(path, "json", score_only)
    text = path.read_text()
    assert query.decode() not in text
    assert subject.decode() not in text
    document = json.loads(text)
    assert document["query"] == {"id": "the query", "description": "of a test", "length": 13}
    assert document["subject"] == {"id": "sub|ject", "description": "", "length": 17}
    assert document["run"]["subject_sha256"] == score_only.subject_checksum
    opened = open_pair_result(path)
    same(score_only, opened)
    assert (opened.query_length, opened.subject_length) == (13, 17)
    assert not opened.has_residues
    assert written("json", opened) == text
    assert written("text", opened) == written("text", score_only)
    for change in (
        {"end": [14, 3]},
        {"query": {}},
        {"run": document["run"] | {"query_length": 0}},
        {"alignments": json.loads(written("json", aligned(query, subject)))["alignments"]},
    ):
        path.write_text(json.dumps(document | change))
        with pytest.raises(RunFileError, match="damaged"):
            open_pair_result(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(format="other"), "no exported pair"),
        (lambda d: d.update(format_version=99), "newer version"),
        (lambda d: d["alignments"][0].update(score=1), "adds up to"),
        (lambda d: d["alignments"][0].update(cigar="10M3"), "CIGAR"),
        (lambda d: d["alignments"][0].update(query_start=400), "leaves the sequences"),
        (lambda d: d["alignments"][0].update(strand="up"), "strand"),
        (lambda d: d["query"].update(residues="ACGT"), "checksums"),
        (lambda d: d.pop("run"), "missing or wrong"),
        (lambda d: d["matrix"].update(scores=["1 2"]), "damaged"),
        (lambda d: d.update(alignments=5), "damaged"),
    ],
)
def test_a_file_that_was_changed_is_refused(result, tmp_path, change, said):
    document = json.loads(written("json", result))
    change(document)
    path = tmp_path / "pair.json"
    path.write_text(json.dumps(document))
    with pytest.raises(RunFileError, match=said):
        open_pair_result(path)


def test_files_that_are_none_are_refused(tmp_path):
    path = tmp_path / "x.json"
    assert not is_pair_file(path)
    with pytest.raises(RunFileError, match="cannot be read"):
        open_pair_result(path)
    for content in (b"", b"[1, 2]", b"\xff\x00", b'{"format": "swgui pair"', b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(RunFileError):
            open_pair_result(Path(path))
