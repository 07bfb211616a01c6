"""The CUDA kernel for DNA whose reading may shift: run on the CPU, against the reference; compiled for every GPU."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from swgui.core.frameshift import best_end, span_bound
from swgui.core.stretches import Subjects
from swgui.engines.cuda.modules import source
from swgui.engines.cuda.shifting import FILE, KERNEL, ROWS, ShiftVariant, border_groups, grid_units, rows_for
from swgui.engines.shifted import cut_pieces
from tests.kernels import nvrtc
from tests.kernels.on_cpu import COMPILER, library, pointer

SYMBOLS = 24
GRID = 2
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


def table(rng):
    scores = rng.integers(-4, 3, size=(SYMBOLS, SYMBOLS)).astype(np.int16)
    scores[np.arange(SYMBOLS), np.arange(SYMBOLS)] = 6
    return scores


def resembling(rng, protein, length):
    """Return codons that spell a protein three apart, with shifts, among others."""
    codons, at = rng.integers(0, SYMBOLS, size=length), int(rng.integers(0, 3))
    for residue in protein:
        if at >= length:
            break
        codons[at] = residue
        at = max(at + 1, at + 3 + int(rng.choice([0, 0, 0, 0, 0, 1, -1, 2, -2])))
    return codons.astype(np.uint8)


def scored(variant, scores, proteins, pairs, sanitize=False):
    """Return the kernel's result for each protein with its two pieces."""
    residues = np.concatenate([np.zeros(0, np.uint8), *proteins])
    codons = np.concatenate([np.zeros(1, np.uint8), *(piece for pair in pairs for piece in pair)])
    units, residue, codon = [], 0, 1
    for protein, pair in zip(proteins, pairs, strict=True):
        row = [residue, len(protein)]
        for piece in pair:
            row += [codon, len(piece)]
            codon += len(piece)
        residue += len(protein)
        units.append(row)
    units = np.array(units, dtype=np.int64)
    groups = border_groups(units, variant.rows)
    borders = np.full(GRID * groups * 6 + 1, 0x55555555, dtype=np.uint32)
    found, counter, cancel = np.full((len(units), 2), -77, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    arrays = [pointer(array) for array in (residues, codons, scores, units)]
    built = library("frameshift/on_cpu.cpp", variant.defines(), sanitize)
    built.run_shifts(
        GRID,
        ctypes.c_size_t(variant.shared_bytes),
        *arrays,
        len(units),
        pointer(borders),
        groups,
        *(pointer(array) for array in (counter, found, cancel)),
    )
    return found


def expected(scores, proteins, pairs, costs):
    return [
        [best_end(scores[a], piece, *costs).score for piece in pair] for a, pair in zip(proteins, pairs, strict=True)
    ]


@needs_compiler
@pytest.mark.parametrize("costs", [(12, 1, 15), (3, 1, 0)])
def test_scores_are_those_of_the_reference(costs):
    rng = np.random.default_rng(costs[2])
    scores, variant = table(rng), ShiftVariant(4, SYMBOLS, *costs)
    proteins = [rng.integers(0, SYMBOLS, size=n).astype(np.uint8) for n in (1, 3, 4, 5, 31, 127, 128, 129, 260)]
    sizes = [(1, 0), (2, 3), (40, 4), (5, 96), (100, 95), (97, 98), (191, 60), (30, 200), (400, 301)]
    pairs = [tuple(resembling(rng, a, n) for n in pair) for a, pair in zip(proteins, sizes, strict=True)]
    found = scored(variant, scores, proteins, pairs)
    assert found.tolist() == expected(scores, proteins, pairs, costs)
    assert found.max() > 200


@needs_compiler
@pytest.mark.parametrize("rows", [8])
def test_tiles_of_other_heights_score_the_same(rows):
    rng = np.random.default_rng(rows)
    scores, costs = table(rng), (11, 2, 6)
    proteins = [rng.integers(0, SYMBOLS, size=n).astype(np.uint8) for n in (60, 32 * rows, 32 * rows + 1)]
    pairs = [(resembling(rng, a, 250), resembling(rng, a, 131)) for a in proteins]
    assert scored(ShiftVariant(rows, SYMBOLS, *costs), scores, proteins, pairs).tolist() == expected(
        scores, proteins, pairs, costs
    )


def test_pieces_hold_every_stretch_that_an_alignment_can_span():
    for length in (0, 1, 9, 10, 11, 99, 100, 101, 350):
        pieces = cut_pieces([5, length], 30, 100)
        assert (pieces[0].tolist()) == [0, 0, 5]
        own = pieces[pieces[:, 0] == 1]
        assert own[-1, 1:].sum() == length
        assert own[:, 2].max(initial=0) <= 100
        for start in range(max(1, length - 30 + 1)):
            assert any(a <= start and min(start + 30, length) <= a + n for _, a, n in own.tolist())


def test_pieces_score_what_the_whole_strand_scores():
    rng = np.random.default_rng(3)
    scores = table(rng)
    protein = rng.integers(0, SYMBOLS, size=12).astype(np.uint8)
    strand = np.concatenate([rng.integers(0, SYMBOLS, size=333).astype(np.uint8), resembling(rng, protein, 400)])
    costs = (8, 4, 9)
    overlap = span_bound(scores[protein], *costs)
    pieces = cut_pieces([len(strand)], overlap, overlap + 7)
    parts = [best_end(scores[protein], strand[a : a + n], *costs) for _, a, n in pieces.tolist()]
    whole = best_end(scores[protein], strand, *costs)
    best = max(part.score for part in parts)
    ends = [a + part.dna_end for part, (_, a, _) in zip(parts, pieces.tolist(), strict=True) if part.score == best]
    assert len(pieces) > 20
    assert (best, min(ends)) == (whole.score, whole.dna_end)


@pytest.mark.skipif(nvrtc.library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")
@pytest.mark.parametrize("architecture", nvrtc.ARCHITECTURES)
def test_it_compiles_for_every_gpu(architecture):
    rows = ROWS[2] if architecture >= 90 else ROWS[0]
    used = nvrtc.compile_kernel(source(FILE), architecture, ShiftVariant(rows, SYMBOLS, 12, 1, 15).defines())[KERNEL]
    assert used.spilled == 0


def test_lanes_hold_no_more_rows_than_a_protein_needs():
    lengths = np.array([1, 128, 129, 256, 384, 385, 512, 513, 769, 1100])
    rows = rows_for(lengths)
    assert rows.tolist() == [4, 4, 8, 8, 12, 16, 16, 12, 16, 12]
    passes = -(-lengths // (32 * rows))
    assert passes.tolist() == [1, 1, 1, 1, 1, 1, 1, 2, 2, 3]


def test_units_hold_every_pair_once():
    rng = np.random.default_rng(4)
    proteins = Subjects.packed(np.zeros(30, np.uint8), np.array([0, 10, 10, 30]))
    strands = Subjects.packed(np.zeros(40, np.uint8), np.array([0, 5, 25, 40]))
    for number in (1, 2, 3):
        some = strands.take(rng.permutation(3)[:number])
        order, units = grid_units(proteins, some)
        assert sorted(order.tolist()) == list(range(number))
        found = []
        for at, unit in enumerate(units.tolist()):
            halves = [tuple(unit[2 + 2 * half : 4 + 2 * half]) for half in range(2)]
            assert (unit[0], unit[1]) == (proteins.starts[at * 3 // len(units)], proteins.lengths[at * 3 // len(units)])
            found += [half for half in halves if half[1]]
        assert found == [(some.starts[at], some.lengths[at]) for at in order] * 3
