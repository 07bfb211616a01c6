"""The compiled recurrence with frameshifts against its reference, in all instruction sets and both directions."""

import numpy as np
import pytest

from swgui.core.alignment import spell_out
from swgui.core.alphabet import PROTEIN
from swgui.core.frameshift import best_end, oriented, rescored, shifted_alignment
from swgui.core.stretches import Subjects
from swgui.engines.native import library, shifting
from swgui.engines.native.shifting import (
    ShiftQuery,
    shift_paths,
    shift_paths_each,
    shift_reached,
    shift_reached_each,
    shift_scores,
    shifted_at,
)

SYMBOLS = 24


def drawn(rng, by_codons, rows, lengths, costs, wide=1):
    """Return a query and subjects that resemble it here and there."""
    matrix = rng.integers(-4, 3, size=(SYMBOLS, SYMBOLS)) * wide
    matrix[np.arange(SYMBOLS), np.arange(SYMBOLS)] = 6 * wide
    own = rng.integers(0, SYMBOLS, size=rows)
    parts = []
    for length in lengths:
        codes = rng.integers(0, SYMBOLS, size=length)
        at, k = int(rng.integers(0, 3)), 0
        while by_codons and k < length and at < rows:  # a protein of codons that lie three apart, with shifts
            codes[k], k, at = own[at], k + 1, at + 3 + int(rng.choice([0, 0, 0, 0, 0, 1, -1, 2, -2]))
        while not by_codons and at < length and k < rows:
            codes[at], k, at = own[k], k + 1, max(at + 1, at + 3 + int(rng.choice([0, 0, 0, 0, 0, 1, -1, 2, -2])))
        parts.append(codes.astype(np.uint8))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    query = ShiftQuery(np.ascontiguousarray(matrix[own].astype(np.int16)), *costs, by_codons=by_codons)
    return query, Subjects.packed(np.concatenate([np.zeros(0, np.uint8), *parts]), offsets)


def all_of(paths):
    return [shifted_at(paths, number) for number in range(len(paths))]


def expected(query, subjects):
    found = [best_end(*query.against(subjects[k])) for k in range(len(subjects))]
    return [[one.score, one.protein_end, one.dna_end] for one in found]


@pytest.mark.parametrize("by_codons", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 31, 64])
@pytest.mark.sampled
def test_ends_are_those_of_the_reference(way, by_codons, rows):
    rng = np.random.default_rng(rows)
    lengths = [0, 1, 2, 3, 4, 5, 6, *rng.integers(1, 90, size=30), 150]
    query, subjects = drawn(rng, by_codons, rows, lengths, (int(rng.integers(1, 9)), 1, int(rng.integers(0, 9))))
    found = expected(query, subjects)
    assert shift_reached(query, subjects, None, threads=1)[0].tolist() == found
    assert shift_scores(query, subjects, threads=1).tolist() == [score for score, *_ in found]


@pytest.mark.parametrize("wide", [1, 1200])
def test_scores_alone_need_no_numbers_of_columns(way, wide):
    costs = (12 * wide, wide, 8 * wide)
    query, subjects = drawn(np.random.default_rng(4), False, 30, [33_000, 70_000], costs, wide)
    second = subjects[1]
    second[60_000:60_200], second[:200] = second[:200].copy(), 0  # what resembles stands behind what 16 bits number
    found = shift_scores(query, subjects, threads=1).tolist()
    assert found == [score for score, *_ in expected(query, subjects)]
    assert (max(found) > np.iinfo(np.int16).max) == (wide > 1)


@pytest.mark.parametrize("by_codons", [False, True])
def test_blocks_of_columns_join(way, by_codons):
    rng = np.random.default_rng(5)
    rows, lengths = (1541, [9, 30]) if by_codons else (20, [1533, 1534, 1535, 1536, 1537, 1538, 1541, 3080])
    query, subjects = drawn(rng, by_codons, rows, lengths, (12, 1, 8))
    assert shift_reached(query, subjects, None, threads=1)[0].tolist() == expected(query, subjects)


@pytest.mark.parametrize("by_codons", [False, True])
def test_scores_beyond_16_bits_are_computed_in_32(way, by_codons):
    rng = np.random.default_rng(6)
    query, subjects = drawn(rng, by_codons, 40, [60] * 3 + [11], (2000, 150, 1200), wide=1200)
    found = shift_reached(query, subjects, None, threads=1)[0]
    assert found.tolist() == expected(query, subjects)
    assert found[:, 0].max() > np.iinfo(np.int16).max


@pytest.mark.parametrize("by_codons", [False, True])
@pytest.mark.sampled
def test_paths_are_those_of_the_reference(way, by_codons):
    rng = np.random.default_rng(7)
    shifts = 0
    for _ in range(4):
        lengths = rng.integers(0, 70, size=12)
        query, subjects = drawn(rng, by_codons, int(rng.integers(20, 70)), lengths, (int(rng.integers(1, 9)), 1, 3))
        ends = shift_reached(query, subjects, None, threads=1)[0]
        for k, path in enumerate(all_of(shift_paths(query, subjects, ends, threads=1))):
            same = shifted_alignment(*query.against(subjects[k]))
            assert (path is None) == (same is None)
            if path is not None:
                assert (path.cigar, path.dna_start, path.score) == (same.cigar, same.dna_start, same.score)
                assert rescored(path, *query.against(subjects[k])) == path.score
                shifts += path.shifts
    assert shifts > 20


@pytest.mark.parametrize("by_codons", [False, True])
def test_a_path_whose_rows_are_not_all_kept_is_the_same(monkeypatch, by_codons):
    query, subjects = drawn(np.random.default_rng(11), by_codons, 60, [90] * 6, (7, 1, 3))
    ends = shift_reached(query, subjects, None, threads=1)[0]
    whole = shift_paths(query, subjects, ends, threads=1)
    monkeypatch.setattr(shifting, "KEPT_BYTES", 300)
    parts = shift_paths(query, subjects, ends, threads=1)
    assert [path.cigar for path in all_of(parts)] == [path.cigar for path in all_of(whole)]


def test_a_residue_outside_of_the_alphabet_is_an_error():
    if library.problem():
        pytest.skip(library.problem())
    query, subjects = drawn(np.random.default_rng(9), False, 10, [20], (7, 1, 3))
    subjects.codes[3] = 200
    with pytest.raises(ValueError, match="not in the alphabet"):
        shift_reached(query, subjects, None)


@pytest.mark.parametrize("by_codons", [False, True])
def test_what_is_reached_holds_the_ends_and_the_starts_of_alignments(way, by_codons):
    rng = np.random.default_rng(13)
    query, subjects = drawn(rng, by_codons, 50, rng.integers(3, 120, size=40), (9, 1, 5))
    ends, codons = shift_reached(query, subjects, np.full(40, 12), threads=1)
    assert ends.tolist() == shift_reached(query, subjects, None, threads=1)[0].tolist()
    _, back = shift_reached(query, subjects, np.full(40, 12), backwards=True, threads=1)
    seen = 0
    for k, path in enumerate(all_of(shift_paths(query, subjects, ends, threads=1))):
        if path is None or path.score < 12:
            assert way == "plain" or codons[k, 0] == codons[k, 1]
            continue
        length = len(query.profile) if by_codons else int(subjects.lengths[k])
        assert codons[k, 0] <= path.dna_end - 3 < codons[k, 1]
        assert back[k, 0] <= length - 1 - path.dna_start < back[k, 1]
        seen += 1
    assert seen > 10


@pytest.mark.parametrize("by_codons", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_many_queries_in_one_call_are_one_after_the_other(level, by_codons, threads, monkeypatch):
    rng, costs = np.random.default_rng(8), (9, 1, 6)
    table = rng.integers(-4, 3, size=(SYMBOLS, SYMBOLS)).astype(np.int16)
    table[np.arange(SYMBOLS), np.arange(SYMBOLS)] = 6
    own, others = (
        Subjects.stacked([rng.integers(0, SYMBOLS, size=size).astype(np.uint8) for size in rng.integers(1, 120, count)])
        for count in (12, 40)
    )
    of = rng.integers(0, 12, 40)
    of[of == 5] = 4  # a query without subjects
    least = rng.integers(1, 30, 40)
    profiles = [table.T[own[k]] if by_codons else table[own[k]] for k in range(12)]
    queries = [ShiftQuery(np.ascontiguousarray(one), *costs, by_codons=by_codons) for one in profiles]
    how = {"by_codons": by_codons, "threads": threads}
    for backwards in (False, True):
        ends, codons = shift_reached_each(table, costs, own, others, of, least, backwards=backwards, **how)
        for k, query in enumerate(queries):
            mine = np.flatnonzero(of == k)
            alone = shift_reached(query, others.take(mine), least[mine], backwards=backwards, threads=1)
            assert (ends[mine].tolist(), codons[mine].tolist()) == (alone[0].tolist(), alone[1].tolist())
    ends, _ = shift_reached_each(table, costs, own, others, of, least, **how)
    proteins, strands = (others, own.take(of)) if by_codons else (own.take(of), others)
    froms = np.zeros(40, dtype=np.int64)
    known = shift_paths_each(table, costs, proteins, strands, ends, froms, threads=threads)
    paths = all_of(known)
    for k, path in enumerate(paths):
        (alone,) = all_of(shift_paths(queries[of[k]], others.take(np.array([k])), ends[k : k + 1], threads=1))
        assert (path is None) == (alone is None) == (ends[k, 0] == 0)
        assert path is None or (path.ops.tolist(), path.lengths.tolist()) == (
            alone.ops.tolist(),
            alone.lengths.tolist(),
        )
    assert sum(path is not None for path in paths) > 20
    for shared in (shifting.KEPT_BYTES, 500):  # of origins: one block of rows, and several
        monkeypatch.setattr(shifting, "KEPT_BYTES", shared)
        unknown = np.where(np.arange(40)[:, None] % 4, [[shifting.UNKNOWN, 0, 0]], ends)
        found = shift_paths_each(table, costs, proteins, strands, unknown, froms, threads=threads)
        assert [column.tolist() for column in found.regions.columns] == [
            column.tolist() for column in known.regions.columns
        ]
        assert (found.ops.tolist(), found.lengths.tolist()) == (known.ops.tolist(), known.lengths.tolist())
    with pytest.raises(ValueError, match="not in the alphabet"):
        shift_reached_each(table[:9, :9].copy(), costs, own, others, of, least, **how)


def test_sums_and_codons_are_those_of_the_residues():
    if library.problem():
        pytest.skip(library.problem())
    rng = np.random.default_rng(17)
    table = rng.integers(-4, 7, size=(SYMBOLS, SYMBOLS)).astype(np.int16)
    protein = rng.integers(0, SYMBOLS, size=60).astype(np.uint8)
    strands = Subjects.stacked([rng.integers(0, SYMBOLS, size=200).astype(np.uint8) for _ in range(20)])
    query = ShiftQuery(table[protein], 7, 1, 3, by_codons=False)
    paths = shift_paths(query, strands, shift_reached(query, strands, None, threads=1)[0], threads=1)
    proteins = Subjects.stacked([protein]).take(np.zeros(20, dtype=np.int64))
    sums, codons = shifting.shift_sums(table, query.costs, proteins, strands, paths)
    assert sum(path.shifts for path in all_of(paths)) > 5
    for k, path in enumerate(all_of(paths)):
        assert sums[k, 0] == path.score == rescored(path, *query.against(strands[k]))
        columns = spell_out(oriented(path, dna_query=False))
        both = (columns.query >= 0) & (columns.subject >= 0)
        ours, theirs = protein[columns.query[both]], strands[k][columns.subject[both]]
        assert sums[k, 1:].tolist() == [int(PROTEIN.same(ours, theirs).sum()), int((table[ours, theirs] > 0).sum())]
        assert codons[k].tolist() == strands[k][columns.subject[columns.subject >= 0]].tolist()
