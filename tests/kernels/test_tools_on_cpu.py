"""Packing and ranking, run on the CPU."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.packing import ChunkPlan
from swgui.core.translation.frames import FRAMES
from swgui.core.translation.parts import bases_among, codon_parts, parts_of, translated_parts
from swgui.core.translation.programs import Translation
from swgui.engines.windows import cut
from swgui.io.database.packed.codec import Runs, pack
from tests.engines.conftest import database_of
from tests.kernels.on_cpu import COMPILER, CpuDatabase, library, pointer

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

LETTERS = 27
BINS = 8192


@given(st.lists(st.integers(0, 40), max_size=30))
@settings(max_examples=30)
def test_letters_come_back_from_the_stream(lengths):
    rng = np.random.default_rng(0)
    subjects = [rng.integers(0, LETTERS, n).astype(np.uint8) for n in lengths]
    database = CpuDatabase(subjects, LETTERS)
    words = database.words[: 2 * database.blocks].reshape(-1, 2)
    for at, index in enumerate(database.order):
        first, last = (int(block) for block in database.layout.block_of[at // 2 : at // 2 + 2])
        letters = np.ascontiguousarray(words[first:last, at % 2]).view(np.uint8)
        assert letters[: len(subjects[index])].tolist() == subjects[index].tolist()
        assert set(letters[len(subjects[index]) : -1].tolist()) <= {LETTERS}
        assert letters[-1] == LETTERS + 1


@given(st.lists(st.integers(0, 150), min_size=1, max_size=30))
@settings(max_examples=10)
def test_packed_residues_are_laid_out_as_others_are(lengths):
    rng = np.random.default_rng(0)
    subjects = [rng.integers(0, 32, n).astype(np.uint8) for n in sorted(lengths, reverse=True)]
    allowed = CpuDatabase([np.minimum(one, LETTERS - 1) for one in subjects], LETTERS)
    codes, offsets = np.concatenate(subjects), allowed.layout.offsets
    packed, groups = pack(codes, offsets, np.arange(len(subjects)), 5), -(-len(codes) // 64)
    tools = library("tools_on_cpu.cpp", (f"-DSW_LETTERS={LETTERS}", "-DSW_BLOCK_WORDS=2", "-DRANK_BINS=8192"))
    for first in (0, allowed.layout.twins // 2):
        blocks, twins = allowed.layout.blocks(first, allowed.layout.twins), allowed.layout.twins - first
        own, words = offsets[2 * first :].copy(), np.zeros(2 * blocks, np.uint32)
        where = pointer(own), pointer(allowed.layout.block_of), first, twins, len(own) - 1
        tools.run_pack_planes(-(-blocks // 256), pointer(packed), ctypes.c_int64(groups), *where, pointer(words))
        begin = 2 * int(allowed.layout.block_of[first])
        assert words.tolist() == allowed.words[begin : begin + 2 * blocks].tolist()


@given(st.lists(st.integers(0, 400), min_size=1, max_size=30), st.integers(0, 3))
@settings(max_examples=10)
def test_packed_bases_are_laid_out_as_others_are(lengths, rare):
    rng = np.random.default_rng(sum(lengths))
    letters = rng.integers(0, 4, sum(lengths))
    for begin in rng.integers(0, max(sum(lengths), 1), 5 * rare).tolist():
        letters[begin : begin + int(rng.integers(1, 90))] = rng.integers(4, 16)
    codes, offsets = letters.astype(np.uint8), np.concatenate([[0], np.cumsum(sorted(lengths, reverse=True))])
    wanted = CpuDatabase(np.split(codes, offsets[1:-1]), 16)
    runs = Runs.of(codes, offsets, np.arange(len(lengths)))
    packed, data = pack(codes, offsets, np.arange(len(lengths)), 2), runs.data()
    tools = library("tools_on_cpu.cpp", ("-DSW_LETTERS=16", "-DSW_BLOCK_WORDS=2", "-DRANK_BINS=8192"))
    for first in (0, wanted.layout.twins // 2):
        blocks, twins = wanted.layout.blocks(first, wanted.layout.twins), wanted.layout.twins - first
        own, words = offsets[2 * first :].copy(), np.zeros(2 * blocks, np.uint32)
        where, subjects = (pointer(own), pointer(wanted.layout.block_of), first), len(own) - 1
        tools.run_pack_bases(-(-blocks // 256), pointer(packed), *where, twins, subjects, pointer(words))
        count = len(runs.starts)
        tools.run_lay_runs(-(-count // 8), pointer(data), count, *where, subjects, pointer(words))
        begin = 2 * int(wanted.layout.block_of[first])
        assert words.tolist() == wanted.words[begin : begin + 2 * blocks].tolist()


@pytest.mark.parametrize("code", [1, 4])
def test_codons_are_read_in_every_frame(code):
    """Parts of frames as the device lays them out: the same words as of what is translated first."""
    rng = np.random.default_rng(code)
    dna = database_of([rng.integers(0, 16, n).astype(np.uint8) for n in (900, 301, 47, 5, 2, 0)], NUCLEOTIDE)
    plan = ChunkPlan(0, len(dna), dna.residues)
    parts = parts_of(dna, plan, FRAMES, 60, lambda length: cut(length, 20, 40))
    how = Translation("tblastn", subject_code=code)
    proteins, codons = translated_parts(dna, how, parts), codon_parts(dna, how, parts)
    given = [proteins.subject(at) for at in range(len(proteins))]
    expected = CpuDatabase(given, LETTERS)
    assert expected.order == list(range(len(given)))
    tools = library("tools_on_cpu.cpp", (f"-DSW_LETTERS={LETTERS}", "-DSW_BLOCK_WORDS=2", "-DRANK_BINS=8192"))
    tables, block_of, twins = (
        np.ascontiguousarray(codons.codons.tables),
        expected.layout.block_of,
        expected.layout.twins,
    )
    for first, last in [(0, twins), (1, 6), (twins - 3, twins), (twins - 1, twins)]:
        stop = min(2 * last, len(given))
        bases, firsts = bases_among(codons, 2 * first, stop)
        blocks, offsets = expected.layout.blocks(first, last), codons.offsets[2 * first : stop + 1]
        words = np.zeros(2 * blocks, np.uint32)
        arrays = (pointer(np.ascontiguousarray(one)) for one in (bases, tables, firsts, offsets, block_of))
        tools.run_pack_codons(-(-blocks // 256), *arrays, first, last - first, stop - 2 * first, pointer(words))
        begin = 2 * int(block_of[first])
        assert words.tolist() == expected.words[begin : begin + 2 * blocks].tolist()
    assert len(bases_among(codons, 0, len(given))[0]) == dna.residues - 2  # the last sequence has no codon


def ranked(scores: np.ndarray, wanted: int, capacity: int = 4096) -> tuple[int, int, set[tuple[int, int]]]:
    tools = library("tools_on_cpu.cpp", (f"-DSW_LETTERS={LETTERS}", f"-DRANK_BINS={BINS}"))
    histogram, state = np.zeros(BINS, np.int32), np.zeros(2, np.int32)
    best = np.full((capacity, 2), -1, np.int32)
    scores = scores.astype(np.int32)
    tools.run_ranking(
        3, pointer(scores), len(scores), wanted, capacity, pointer(histogram), pointer(state), pointer(best)
    )
    kept = min(int(state[1]), capacity)
    return int(state[0]), int(state[1]), {(int(a), int(b)) for a, b in best[:kept]}


@pytest.mark.parametrize("wanted", [1, 10, 999, 1000])
@pytest.mark.parametrize("highest", [1, 60, 5000, 40_000])
@pytest.mark.sampled
def test_all_that_reach_the_score_of_the_last_place_are_collected(wanted, highest):
    scores = np.random.default_rng(highest).integers(0, highest + 1, 1000)
    threshold, count, best = ranked(scores, wanted)
    expected = min(np.sort(scores)[-wanted], BINS - 1)
    assert threshold == expected
    assert best == {(int(i), int(scores[i])) for i in np.flatnonzero(scores >= expected)}
    assert count == len(best)


def test_more_ties_than_places_are_counted():
    _, count, best = ranked(np.full(500, 30), 10, capacity=64)
    assert count == 500
    assert len(best) == 64
