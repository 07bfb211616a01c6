"""Translated searches from request to hits, compared with translating first and searching frame by frame."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import AlphabetMismatch, InvalidParameter
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.statistics.stops import RandomDna, stop_gain
from swgui.core.translation import database as database_module
from swgui.core.translation.frames import FRAMES, query_frame, subject_frame, translate
from swgui.core.translation.programs import PROGRAMS, Translation
from swgui.io.export.columns import HIT_COLUMNS
from swgui.io.export.rows import aligned_residues, span
from swgui.jobs.search.describe import describe_list
from swgui.jobs.search.hsps import HspFinder
from tests.asking import BLOSUM62, altered, answer, search_request
from tests.described import describe_hits
from tests.reference import reference_scores

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


def record(name, codes, alphabet=NUCLEOTIDE):
    return SequenceRecord(name, "", alphabet.decode(codes))


@pytest.fixture
def dna(rng):
    """Some DNA: of it the first holds a protein twice, in frames 2 and -1, and the second once in frame 3."""
    subjects = [rng.integers(0, 4, length).astype(np.uint8) for length in (1_500, 700, 300, 5, 2)]
    gene = subjects[0][301:541].copy()
    subjects[0][900:1_140] = NUCLEOTIDE.reverse_complement(gene)
    subjects[1][200:440] = gene
    return subjects, translate(gene, 1)


def request_of(program, dna, **changes):
    """Return a search by one of the programs with the sequences of `dna`."""
    subjects, protein = dna
    kinds = PROGRAMS[program]
    of_dna = [record(f"s{at}", codes) for at, codes in enumerate(subjects)]
    proteins = [record("p", protein, PROTEIN), record("o", protein[::-1], PROTEIN)]
    queries = of_dna[:3] if kinds.translates_query else proteins
    database = (of_dna, NUCLEOTIDE) if kinds.translates_database else (proteins, PROTEIN)
    given = search_request(
        queries=tuple(queries),
        database=encode_database(*database, "given"),
        scheme=BLOSUM62,
        engine="cpu",
        composition="none",
        translation=Translation(program),
    )
    return altered(given, **changes)


def best_frames(request, query, database_records):
    """Return the best score of every subject, by translating first."""
    how = request.translation
    queries = [translate(NUCLEOTIDE.encode(query.residues), f) if f else PROTEIN.encode(query.residues)
               for f in how.of_query]  # fmt: skip
    best = np.zeros(len(database_records), dtype=np.int64)
    for frame in how.of_subject:
        subjects = [
            translate(NUCLEOTIDE.encode(one.residues), frame) if frame else PROTEIN.encode(one.residues)
            for one in database_records
        ]
        for codes in queries:
            profile = BLOSUM62.matrix.scores[codes]
            best = np.maximum(best, reference_scores(profile, subjects, BLOSUM62.gap_first, BLOSUM62.gap_extend))
    return best


@pytest.mark.parametrize("program", ["blastx", "tblastn", "tblastx"])
@pytest.mark.parametrize("frames", [FRAMES, (2, -1)])
@pytest.mark.sampled(3)
def test_scores_are_those_of_the_best_frames(program, frames, dna):
    request = request_of(program, dna, translation=Translation(program, frames=frames))
    result = answer(request)
    records = [request.database.record(at) for at in range(len(request.database))]
    for query in result.queries:
        assert query.scores.tolist() == best_frames(request, query.query, records).tolist()
    assert (result.state, result.cells_done) == ("complete", result.cells_total)


@pytest.mark.parametrize("composition", ["none", "full"])
def test_all_places_of_a_protein_in_one_subject(dna, composition):
    result = answer(request_of("tblastn", dna, composition=composition, max_evalue=1e-5))
    first, second = describe_hits(result, 0, [0, 1])
    assert {first.subject.id, second.subject.id} == {"s0", "s1"}
    twice = first if first.subject.id == "s0" else second
    places = sorted((subject_frame(one.strand), one.alignment.query_start) for one in twice.hsps)
    assert [frame for frame, _ in places] == [-1, 2]
    ends = [span(row) for row in twice.rows()]
    assert {(min(one.subject_start, one.subject_end), max(one.subject_start, one.subject_end)) for one in ends} == {
        (302, 541), (901, 1_140)
    }  # fmt: skip
    assert twice.sum_log10_evalue < twice.log10_evalue
    assert all(aligned_residues(row) == (PROTEIN.decode(dna[1]).decode(),) * 2 for row in twice.rows())
    assert twice.subject_coverage == pytest.approx(100 * 240 / 1_500)


def test_an_operon_of_a_chromosome_is_found_by_looking_around_it_alone(rng, monkeypatch):
    chromosome = rng.integers(0, 4, 630_000).astype(np.uint8)
    gene = rng.integers(0, 4, 240).astype(np.uint8)
    places = {70_001: 1, 70_260: 1, 70_550: 1, 180_003: -1}  # three of an operon in three frames, one elsewhere
    for place, strand in places.items():
        chromosome[place : place + 240] = gene if strand > 0 else NUCLEOTIDE.reverse_complement(gene)
    protein = translate(gene, 1)
    request = search_request(
        queries=(record("p", protein, PROTEIN),),
        database=encode_database([record("c", chromosome)], NUCLEOTIDE, "given"),
        scheme=BLOSUM62,
        engine="cpu",
        translation=Translation("tblastn"),
        max_evalue=1e-3,
    )
    result = answer(request)
    looked_at = []
    given = database_module.translate_open

    def counted(*how):
        looked_at.append(len(given(*how)))
        return given(*how)

    monkeypatch.setattr(database_module, "translate_open", counted)
    (hit,) = describe_hits(result, 0, [0])
    ends = [sorted((one.subject_start, one.subject_end)) for one in map(span, hit.rows())]
    assert sorted(ends) == [[place + 1, place + 240] for place in places]
    assert sum(looked_at) < 40_000  # of 1,260,000 residues
    whole = replace(result, queries=tuple(replace(one, windows={}) for one in result.queries))
    (other,) = describe_hits(whole, 0, [0])
    assert [(one.alignment, one.log10_evalue) for one in other.hsps] == [
        (one.alignment, one.log10_evalue) for one in hit.hsps
    ]


@pytest.mark.parametrize("program", ["blastx", "tblastn"])
@pytest.mark.parametrize("composition", ["none", "lambda"])
def test_scores_of_every_frame_leave_out_nothing(program, composition, dna, monkeypatch):
    result = answer(request_of(program, dna, composition=composition, max_evalue=10))
    alone = replace(result, queries=tuple(replace(one, by_strand=None, windows={}) for one in result.queries))
    assert all(one.by_strand.scores.max(axis=0).tolist() == [
        int(one.scores[at]) for at in one.by_strand.db_index
    ] for one in result.queries)  # fmt: skip
    asked = []
    given = HspFinder.may_reach

    def seen(*how):
        asked.append(given(*how))
        return asked[-1]

    monkeypatch.setattr(HspFinder, "may_reach", seen)
    for index, query in enumerate(result.queries):
        rows = range(len(query.hits))
        with_them, without = (list(describe_hits(one, index, rows)) for one in (result, alone))
        said = [
            [(at, one.alignment, one.strand, one.log10_evalue) for at, hit in enumerate(some) for one in hit.hsps]
            for some in (with_them, without)
        ]
        assert said[0] == said[1]
    assert not all(one.all() for one in asked)
    assert any(one.any() for one in asked)


def test_without_score_vectors_a_search_finds_the_same_alignments(dna):
    def described(**changes):
        result = answer(request_of("tblastn", dna, composition="lambda", max_evalue=0.1, **changes))
        hits = [
            hit
            for index, query in enumerate(result.queries)
            for hit in describe_hits(result, index, range(len(query.hits)))
        ]
        return result, [[(one.alignment, one.strand, one.log10_evalue) for one in hit.hsps] for hit in hits]

    (result, found), (bare, same) = described(), described(keep_scores=False)
    assert found == same
    assert max(map(len, found)) > 1
    assert all(query.scores is None for query in bare.queries)
    for kept, query in zip(result.queries, bare.queries, strict=True):
        (known, scores), (_, most) = (one.by_strand.of(kept.hits.db_index) for one in (kept, query))
        assert known.all()
        assert (most >= scores).all()
        assert (most.max(axis=0) == kept.hits.scores).all()


@pytest.mark.parametrize("program", ["blastx", "tblastn", "tblastx"])
def test_columns_are_in_bases_and_spell_the_residues(program, dna):
    request = request_of(program, dna, max_evalue=1e-5)
    result, seen = answer(request), 0
    for index in range(len(result.queries)):
        for table in describe_list(result.hit_list(index), range(len(result.queries[index].hits))).tables:
            names = (
                "qstart",
                "qend",
                "sstart",
                "send",
                "qseq",
                "sseq",
                "qframe",
                "sframe",
                "sstrand",
                "qcovhsp",
                "frames",
            )
            values = {name: HIT_COLUMNS[name].values(table) for name in names}
            for at, row in enumerate(table.rows):
                seen += 1
                one_by_one = {name: HIT_COLUMNS[name].of(row) for name in names}
                assert {name: values[name][at] for name in names} == pytest.approx(one_by_one, abs=1e-9)
                sides = (row.query_record, "q", query_frame(row.strand)), (row.subject, "s", subject_frame(row.strand))
                for given, side, frame in sides:
                    low, high = sorted((one_by_one[f"{side}start"], one_by_one[f"{side}end"]))
                    part, residues = given.residues[low - 1 : high], one_by_one[f"{side}seq"].replace("-", "")
                    if frame:
                        codes = translate(NUCLEOTIDE.encode(part), 1 if frame > 0 else -1)
                        part = PROTEIN.decode(codes)
                        assert (one_by_one[f"{side}start"] > one_by_one[f"{side}end"]) == (frame < 0)
                    assert part.decode() == residues
                    assert one_by_one[f"{side}frame"] == (frame or None)
    assert seen >= 3


def test_e_counts_every_frame(dna):
    six, one = (
        answer(request_of("tblastn", dna, translation=Translation("tblastn", frames=frames), max_evalue=1e3))
        for frames in (FRAMES, (2,))
    )
    at = one.queries[0].hits.db_index.tolist().index(0)
    hit = one.queries[0].hits
    all_six = six.queries[0].hits
    place = all_six.db_index.tolist().index(0)
    assert hit.scores[at] == all_six.scores[place]
    gain = stop_gain(six.scheme.matrix, None, RandomDna(1, six.translation.subject_gc))
    assert all_six.log10_evalues[place] - hit.log10_evalues[at] == pytest.approx(np.log10(6) * (1 - gain))


def test_a_part_of_a_query_keeps_the_positions_of_the_whole(dna):
    whole = answer(request_of("blastx", dna, max_evalue=1e-5))
    part = answer(
        request_of("blastx", dna, max_evalue=1e-5, query_range=QueryRange(290, 600), queries=whole_query(dna))
    )
    (hit,) = describe_hits(part, 0, [0])
    found = next(span(row) for row in next(iter(describe_hits(whole, 0, [0]))).rows() if span(row).query_start == 302)
    assert span(hit) == found
    with pytest.raises(InvalidParameter, match="2 bases, which is no codon"):
        request_of("blastx", dna, query_range=QueryRange(5, 6))


def whole_query(dna):
    return (record("s0", dna[0][0]),)


def test_what_does_not_fit_is_refused_in_a_sentence(dna):
    with pytest.raises(InvalidParameter, match="no codon to translate"):
        request_of("blastx", dna, queries=(SequenceRecord("short", "", b"AC"),))
    with pytest.raises(AlphabetMismatch):
        answer(request_of("blastx", dna, translation=Translation("tblastx")))
