"""The striped and chunked kernels on the CPU: scores, ends and paths against the textbook, memory against the paper."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alignment import rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.pair.problem import PairProblem
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.rowscan import local_end
from swgui.io.matrices import load_matrix
from swgui.papers.striped.run import StripRun
from swgui.papers.striped.shape import Sides, States, StripShape, formula_of, memory_of
from tests.asking import DNA_SCHEME
from tests.kernels.on_cpu import COMPILER
from tests.papers.kernels.strips_machine import CpuMachine

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

BLOSUM = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
FREE_GAPS = ScoringScheme(match_mismatch(NUCLEOTIDE, 1, -1), 0, 0)
LARGE = ScoringScheme(match_mismatch(NUCLEOTIDE, 200, -300), 40_000, 11)
# s, h, T. A compiled shape serves several tests.
NARROW = (37, 8, 16)
SHAPES = {"narrow": NARROW, "two warps": (300, 52, 40)}


def shape_of(sides: Sides, scheme: ScoringScheme, cut: tuple[int, int, int], states: States) -> StripShape:
    strip, chunk, batch = cut
    return StripShape(
        strip=strip,
        chunk=chunk,
        batch=batch,
        states=states,
        letters=sides.table.shape[1],
        score_bytes=sides.score_bytes(scheme.gap_first),
        gap_first=scheme.gap_first,
        gap_extend=scheme.gap_extend,
        column_first=not sides.swapped,
        dpx=False,
    )


def relatives(rng, length, letters, changes=0.15):
    """A sequence and one derived from it, each with strangers around."""
    one = rng.integers(0, letters, length).astype(np.uint8)
    other = one.copy()
    hit = rng.random(length) < changes
    other[hit] = rng.integers(0, letters, int(hit.sum()))
    other = np.delete(other, slice(length // 3, length // 3 + length // 9))
    other = np.insert(other, length // 2, rng.integers(0, letters, length // 12))
    stranger = rng.integers(0, letters, length // 5)
    return one, np.concatenate([stranger, other, stranger]).astype(np.uint8)


def check(query: EncodedQuery, subject, scheme, cut, states, blocks=2, sanitize=False):
    sides = Sides.of(PairProblem(query, subject, scheme))
    shape = shape_of(sides, scheme, cut, states)
    machine = CpuMachine(blocks, sanitize)
    run = StripRun(machine, shape, sides)
    run.start_scoring()
    expected = local_end(query.scores(scheme), subject, scheme.gap_first, scheme.gap_extend)
    end = run.end()
    assert (end.score, end.query_end, end.subject_end) == (expected.score, expected.query_end, expected.subject_end)
    if states is States.NONE or not end.score:
        return None
    pieces = run.find_pieces()
    run.start_path(pieces)
    alignment = run.alignment(pieces)
    assert alignment.score == end.score
    assert (alignment.query_end, alignment.subject_end) == (end.query_end, end.subject_end)
    assert rescore(alignment, query, subject, scheme) == end.score
    most = memory_of(shape, len(sides.rows), len(sides.columns), len(sides.table))
    assert all(machine.used[purpose] <= most[purpose] for purpose, used in machine.used.items() if used)
    if len(sides.rows) > 8:
        assert most["directions"] <= formula_of(shape, len(sides.rows), len(sides.columns))
    return alignment


@pytest.mark.parametrize("states", list(States), ids=lambda one: one.name)
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.sampled(3)
def test_related_sequences(name, states):
    rng = np.random.default_rng(len(name))
    strip, chunk, batch = SHAPES[name]
    cut = strip, chunk if states else 0, batch
    one, other = relatives(rng, 330, 4)
    check(EncodedQuery("q", one), other, DNA_SCHEME, cut, states)
    if states is not States.STRIP:
        check(EncodedQuery("q", other), one, DNA_SCHEME, cut, states)


def test_striped_alignment_saves_no_rows():
    one, other = relatives(np.random.default_rng(3), 300, 4)
    check(EncodedQuery("q", one), other, DNA_SCHEME, (100, 0, 32), States.STRIP)


def test_three_warps():
    one, other = relatives(np.random.default_rng(5), 450, 4)
    check(EncodedQuery("q", one), other, DNA_SCHEME, (530, 0, 8), States.NONE)


@pytest.mark.parametrize("states", list(States), ids=lambda one: one.name)
@pytest.mark.parametrize("scheme", [BLOSUM, FREE_GAPS, LARGE], ids=["proteins", "gaps without cost", "large scores"])
@pytest.mark.sampled
def test_schemes(scheme, states):
    letters = 20 if scheme is BLOSUM else 4
    rng = np.random.default_rng(7)
    one, other = relatives(rng, 170, letters, 0.4)
    check(EncodedQuery("q", one), other, scheme, (64, 16 if states else 0, 32), states)


@pytest.mark.parametrize("states", list(States), ids=lambda one: one.name)
@pytest.mark.sampled(2)
def test_equal_scores_end_first_in_the_subject_then_in_the_query(states):
    word = np.array([0, 1, 2, 3, 3, 1], np.uint8)
    stranger = np.full(20, 0, np.uint8)
    several = np.concatenate([word, stranger, word, stranger, word])
    for query, subject in ((several, np.tile(several, 2)), (np.tile(several, 2), several), (word, several)):
        check(EncodedQuery("q", query), subject, DNA_SCHEME, (37, 8 if states else 0, 16), states)


@pytest.mark.parametrize("states", list(States), ids=lambda one: one.name)
def test_shortest_pairs_and_pairs_without_a_score(states):
    for query, subject in (([0], [0]), ([0], [1]), ([0, 1], [2] * 90), ([3] * 90, [0, 3])):
        codes = np.array(query, np.uint8), np.array(subject, np.uint8)
        check(EncodedQuery("q", codes[0]), codes[1], DNA_SCHEME, (37, 8 if states else 0, 16), states)


@pytest.mark.parametrize("states", [States.STRIP, States.CHUNK], ids=lambda one: one.name)
def test_long_gaps_cross_strips_and_chunks(states):
    rng = np.random.default_rng(9)
    one = rng.integers(0, 4, 380).astype(np.uint8)
    shorter = np.delete(one, slice(150, 240))
    for query, subject in ((shorter, one), (one, shorter)):
        alignment = check(EncodedQuery("q", query), subject, DNA_SCHEME, NARROW, states)
        assert max(alignment.lengths[alignment.ops != 0]) == 90


def test_a_profile_scores_by_position():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 20, 130).astype(np.uint8)
    profile = rng.integers(-6, 9, (130, len(PROTEIN))).astype(np.int16)
    subject = rng.integers(0, 20, 151).astype(np.uint8)
    for states in (States.NONE, States.CHUNK):
        check(EncodedQuery("q", codes, profile), subject, BLOSUM, (64, 16 if states else 0, 32), states)


@pytest.mark.parametrize("blocks", [1, 3, 7])
def test_strips_wait_for_each_other_however_many_blocks_there_are(blocks):
    one, other = relatives(np.random.default_rng(blocks), 200, 4)
    for states in (States.NONE, States.CHUNK):
        check(EncodedQuery("q", one), other, DNA_SCHEME, (37, 8 if states else 0, 16), states, blocks)


def test_cancelled_work_stops():
    one, other = relatives(np.random.default_rng(1), 300, 4)
    query = EncodedQuery("q", one)
    sides = Sides.of(PairProblem(query, other, DNA_SCHEME))
    machine = CpuMachine()
    run = StripRun(machine, shape_of(sides, DNA_SCHEME, (37, 0, 16), States.NONE), sides)
    machine.cancel[0] = 1
    run.start_scoring()
    assert run.end().score == 0
