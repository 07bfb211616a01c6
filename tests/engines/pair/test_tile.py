"""Tiles and bands in compiled code are those in NumPy: borders, windows, best vertices, all values and paths."""

import threading
from dataclasses import fields

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.pair.problem import PairProblem
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.pair import band, band_walk, tile
from swgui.engines.pair.band import Band
from swgui.engines.pair.band_walk import BandWalk
from swgui.engines.pair.problem import Problem, make_problem
from swgui.engines.pair.sweep import End, Rules, Start
from swgui.engines.pair.tile import Best, Borders, compute_states, compute_tile
from tests.asking import BLOSUM62, DNA_SCHEME
from tests.engines.pair import numpy_tiles
from tests.engines.pair.numpy_tiles import NumpyBand

SHAPES = [(1, 1), (1, 40), (40, 1), (17, 16), (16, 17), (64, 200), (200, 64), (257, 255)]
SCHEMES = {
    "protein": BLOSUM62,
    "nucleotide": DNA_SCHEME,
    "nucleotide, no opening": ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 1, -1), 0, 1),
    "wide": ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 16_000, -16_000), 900_000, 90_000),
}


def problem_of(name, shape, forbidden, profile, rng) -> Problem:
    scheme = SCHEMES[name]
    letters = 20 if scheme.alphabet is PROTEIN else 4
    codes, subject = (rng.integers(0, letters, size).astype(np.uint8) for size in shape)
    codes[: len(subject)][: len(codes) // 2] = subject[: len(codes)][: len(codes) // 2]
    if name == "nucleotide" and min(shape) > 9:
        codes[3], subject[7] = 14, 9  # ambiguous: not every tile knows only matches and mismatches
    own = rng.integers(-9, 9, (len(codes), len(scheme.alphabet))).astype(np.int16) if profile else None
    made = make_problem(PairProblem(EncodedQuery("q", codes, own), subject, scheme))
    if forbidden:
        pairs = np.unique(np.stack([rng.integers(0, size, 30) for size in shape], axis=1), axis=0).astype(np.int64)
        made = Problem(*(getattr(made, field.name) for field in fields(made)[:-1]), pairs)
    return made


def numpy_fill(problem, place, work, scores, best, *, floor, check):
    """Fill a tile in NumPy, in the place of compiled code."""
    numpy_tiles.fill(problem, place, work, best, floor=floor, check=check)


def borders_of(problem, shape, rng) -> Borders:
    h, w = shape
    values = [rng.integers(-60, 60, size + 1).astype(problem.dtype) for size in (w, w, h, h)]
    values[2][0] = values[0][0]
    for part in values[1], values[3]:
        part[rng.random(len(part)) < 0.5] = problem.never
    return Borders(*values)


@pytest.mark.parametrize("profile", [False, True])
@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.sampled
def test_compiled_tiles_are_those_of_numpy(shape, name, forbidden, profile, monkeypatch):
    rng = np.random.default_rng([*shape, len(name), forbidden])
    problem = problem_of(name, shape, forbidden, profile, rng)
    before = borders_of(problem, shape, rng)
    monkeypatch.setattr(tile, "CELLS_AT_ONCE", 1_000)  # several calls for a tile
    for floor in (False, True):
        for best in (None, Best(-(1 << 60)), Best(20)):
            found = []
            for compiled in (True, False):
                with monkeypatch.context() as patch:
                    if not compiled:
                        patch.setattr(tile, "fill_compiled", numpy_fill)
                    mine = None if best is None else Best(best.score, best.column, best.row)
                    cells: list[int] = []
                    place = (0, shape[0], 0, shape[1])
                    after = compute_tile(problem, place, before, mine, floor=floor, check=cells.append)
                    assert sum(cells) == shape[0] * shape[1]
                    found.append((after, mine))
            (one, mine), (other, theirs) = found
            # The first of F and E are never looked at.
            assert np.array_equal(one.row_h, other.row_h)
            assert np.array_equal(one.column_h, other.column_h)
            assert np.array_equal(one.row_f[1:], other.row_f[1:])
            assert np.array_equal(one.column_e[1:], other.column_e[1:])
            assert mine == theirs


@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_compiled_states_are_those_of_numpy(shape, name, forbidden):
    rng = np.random.default_rng([*shape, len(name), forbidden])
    problem = problem_of(name, shape, forbidden, False, rng)
    before = borders_of(problem, shape, rng)
    found = [make(problem, before, lambda cells: None) for make in (compute_states, numpy_tiles.states)]
    diagonals = np.arange(2, sum(shape) + 1)
    for name in ("pair", "insertion", "deletion"):
        one, other = (getattr(states, name) for states in found)
        for d in diagonals:
            inside = slice(max(1, d - shape[1]), min(shape[0], d - 1) + 1)
            assert np.array_equal(one[d, inside], other[d, inside]), (name, d)


def related(name, rows, forbidden, rng) -> Problem:
    """A pair of which the second is the first with a residue changed here and there, and a piece left out."""
    made = problem_of(name, (rows, rows), forbidden, False, rng)
    subject = made.rows.copy()
    subject[:: rows // 9] = made.subject[:: rows // 9]
    query = EncodedQuery("q", made.rows.astype(np.uint8))
    again = make_problem(PairProblem(query, np.delete(subject, slice(40, 52)).astype(np.uint8), SCHEMES[name]))
    refused = made.forbidden[made.forbidden[:, 1] < rows - 12]
    return Problem(*(getattr(again, field.name) for field in fields(again)[:-1]), refused)


@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize("name", SCHEMES)
def test_compiled_bands_are_those_of_numpy(name, forbidden, monkeypatch):
    rng = np.random.default_rng([len(name), forbidden])
    monkeypatch.setattr(band, "CUT_EVERY", 8)
    problem = related(name, 180, forbidden, rng)
    for start, end, positive in (
        (Start.ANYWHERE, End.ANYWHERE, False),
        (Start.BORDER, End.BORDER, False),
        (Start.CORNER, End.CORNER, False),
        (Start.CORNER, End.ANYWHERE, True),
        (Start.CORNER, End.BORDER, False),
    ):
        score = None
        for bound in (None, 0, -9):  # nothing is known; the score; a little less
            known = None if bound is None or score is None else score + bound
            found = []
            for kind in (Band, NumpyBand):
                with monkeypatch.context() as patch:
                    patch.setattr(band, "LOOK_CELLS", 700)
                    way = kind(problem, Rules(start, end, known, positive), Best(problem.never))
                    list(way.run(threading.Event()))
                    found.append((way.best, way.cells, way.at, way.ended, way.low, way.high, way.state()))
            score = found[0][0].score
            assert found[0][:-1] == found[1][:-1]
            assert all(np.array_equal(found[0][-1][key], found[1][-1][key]) for key in found[0][-1])


@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize("name", SCHEMES)
def test_ways_back_through_compiled_bands_are_those_of_numpy(name, forbidden, monkeypatch):
    rng = np.random.default_rng([len(name), forbidden])
    monkeypatch.setattr(band, "CUT_EVERY", 8)
    problem = related(name, 180, forbidden, rng)
    whole = Band(problem, Rules(Start.CORNER, End.CORNER), Best(problem.never))
    list(whole.run(threading.Event()))
    found = []
    for kind in (Band, NumpyBand):
        with monkeypatch.context() as patch:
            patch.setattr(band_walk, "Band", kind)
            back = BandWalk(problem, whole.best.score, positive=False, stop=threading.Event(), spacing=16)
            list(back.run())
            found.append((back.runs(), back.cells))
    assert found[0] == found[1]
    assert sum(length for op, length in found[0][0] if op != 2) == problem.shape[0]
