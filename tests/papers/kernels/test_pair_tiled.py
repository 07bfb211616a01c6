"""The tiled kernels on the CPU against the textbook, and for every GPU through the compiler."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alignment import rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import EngineFault
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.cuda.modules import source
from swgui.engines.rowscan import local_end
from swgui.io.matrices import load_matrix
from swgui.papers.tiled.engine import FILE, TileRun, TileShape, TileWork, check_launches, host_bytes, launches
from tests.asking import DNA_SCHEME
from tests.kernels import nvrtc
from tests.kernels.on_cpu import COMPILER, library, pointer

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
needs_nvrtc = pytest.mark.skipif(nvrtc.library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")

LINEAR = ScoringScheme(match_mismatch(NUCLEOTIDE, 2, -3), 3, 3)
BLOSUM = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)


class CpuTiles:
    """Computes a tile when it is given."""

    def __init__(self, shape: TileShape, query: np.ndarray, subject: np.ndarray, table: np.ndarray, by_position: bool):
        self.shape, self.query, self.subject = shape, query, subject
        self.table, self.by_position = np.ascontiguousarray(table, np.int16), by_position
        self.packed = np.zeros(1, np.uint64)
        self.host = 0

    def border(self, lines, length, words):
        array = np.zeros((lines, length, words), np.int32)
        self.host += array.nbytes
        return array

    def _compute(self, work: TileWork, directions: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        built = library("../papers/kernels/tiles_on_cpu.cpp", self.shape.defines(directions=directions is not None))
        top, left, corners = work.top.copy(), work.left.copy(), work.corners.copy()
        best = self.packed if directions is None else np.zeros(1, np.uint64)
        arrays = (work.place, self.query, self.subject, self.table)
        given = (*map(pointer, arrays), int(self.by_position), *map(pointer, (top, left, corners, best, directions)))
        for grid, arguments in launches(self.shape, given):
            built.run_fill_diagonal(grid, *(int(one) if isinstance(one, np.int32) else one for one in arguments))
        check_launches(self.shape, int(corners[-1]))
        return top, left

    def fill(self, work):
        work.bottom[:], work.right[:] = self._compute(work, None)

    def finish(self):
        pass

    def best(self):
        return int(self.packed[0])

    def trace(self, work, cursor):
        size = self.shape.tile
        directions = np.zeros(size * size // 8, np.uint32)
        bottom, right = self._compute(work, directions)
        assert np.array_equal(bottom, work.bottom)
        assert np.array_equal(right, work.right)
        ops = np.zeros(2 * size, np.uint8)
        built = library("../papers/kernels/tiles_on_cpu.cpp", self.shape.defines(directions=True))
        built.run_walk_tile(pointer(directions), self.shape.blocks, pointer(cursor), pointer(ops))
        return ops[: cursor[3]].copy()


def check(query: EncodedQuery, subject: np.ndarray, scheme: ScoringScheme, tile: int):
    profiled = query.profile is not None
    table = query.profile if profiled else scheme.matrix.scores
    shape = TileShape(tile, table.shape[1], scheme.gap_first, scheme.gap_extend)
    machine = CpuTiles(shape, query.codes, subject, table, profiled)
    run = TileRun(machine, shape, len(query), len(subject))
    cells = sum(sum(run.fill(diagonal)) for diagonal in range(run.diagonals))
    assert cells == len(query) * len(subject)
    assert machine.host == host_bytes(shape, len(query), len(subject))
    expected = local_end(query.scores(scheme), subject, scheme.gap_first, scheme.gap_extend)
    end = run.end()
    assert (end.score, end.query_end, end.subject_end) == (expected.score, expected.query_end, expected.subject_end)
    if end.score:
        *_, alignment = run.path(end)
        assert (alignment.query_end, alignment.subject_end) == (end.query_end, end.subject_end)
        assert rescore(alignment, query, subject, scheme) == end.score


def relatives(rng, length, letters, rate):
    one = rng.integers(0, letters, length).astype(np.uint8)
    other = one.copy()
    hit = rng.random(length) < rate
    other[hit] = rng.integers(0, letters, int(hit.sum()))
    other = np.insert(np.delete(other, slice(length // 3, length // 3 + 17)), length // 2, np.zeros(40, np.uint8))
    return one, other.astype(np.uint8)


@needs_compiler
@pytest.mark.parametrize("scheme", [DNA_SCHEME, LINEAR, BLOSUM], ids=["affine", "linear", "proteins"])
@pytest.mark.parametrize("tile", [128, 256])
@pytest.mark.sampled
def test_related_sequences(scheme, tile):
    rng = np.random.default_rng(tile)
    one, other = relatives(rng, 300, 20 if scheme is BLOSUM else 4, 0.2)
    check(EncodedQuery("q", one), other, scheme, tile)
    check(EncodedQuery("q", other), one, scheme, tile)


@needs_compiler
def test_small_pairs_profiles_and_equal_scores():
    rng = np.random.default_rng(2)
    for query, subject in (([0], [0]), ([0], [1]), ([2] * 128, [2] * 128), ([3] * 129, [0, 3])):
        check(EncodedQuery("q", np.array(query, np.uint8)), np.array(subject, np.uint8), DNA_SCHEME, 128)
    word, stranger = np.array([0, 1, 2, 3, 3, 1], np.uint8), np.zeros(60, np.uint8)
    several = np.concatenate([word, stranger, word, stranger, word])
    check(EncodedQuery("q", several), np.tile(several, 2), DNA_SCHEME, 128)
    codes = rng.integers(0, 4, 200).astype(np.uint8)
    profile = rng.integers(-5, 6, (200, len(NUCLEOTIDE))).astype(np.int16)
    check(EncodedQuery("q", codes, profile), rng.integers(0, 4, 150).astype(np.uint8), DNA_SCHEME, 128)


def test_a_lost_launch_is_noticed():
    shape = TileShape(1024, 16, 7, 2)
    check_launches(shape, 15)
    with pytest.raises(EngineFault, match="Of 15 launches for a tile 14 took place"):
        check_launches(shape, 14)


@needs_nvrtc
@pytest.mark.parametrize("architecture", nvrtc.ARCHITECTURES)
def test_compiles_for(architecture):
    for scheme, directions in ((DNA_SCHEME, True), (LINEAR, False)):
        defines = TileShape(1024, 16, scheme.gap_first, scheme.gap_extend).defines(directions=directions)
        used = nvrtc.compile_kernel(source(FILE), architecture, defines)
        assert used["fill_diagonal"].registers <= 64
        assert not used["fill_diagonal"].spilled


@needs_nvrtc
def test_launches_from_the_device_compile():
    defines = (*TileShape(1024, 16, 7, 2).defines(), "-DTILE_DYNAMIC", "-rdc=true")
    nvrtc.compile_kernel(source(FILE), 90, defines)


@needs_nvrtc
def test_a_missing_constant_stops_the_compiler():
    defines = TileShape(1024, 16, 7, 2).defines()
    with pytest.raises(SyntaxError, match="the scheme is not given"):
        nvrtc.compile_kernel(source(FILE), 90, tuple(one for one in defines if "FIRST" not in one))
