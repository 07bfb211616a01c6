"""Profiles against profiles: all engines give the integers of the definition, and paths that score as much."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alignment import Op
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.plain import replace
from swgui.core.profiles.pairs import LARGEST_GAP, MAX_COLUMNS, PairGaps, ProfileSet, column_scores, pair_score
from swgui.engines.facts import CPU, GPU, PAIR_ENGINES, REFERENCE
from swgui.engines.native import library
from swgui.engines.native.tracing import LARGE
from swgui.engines.profile_pairs import make_pair_engine, paths
from swgui.engines.profile_pairs.cpu import CpuPairs
from swgui.engines.profile_pairs.paths import pair_paths
from swgui.engines.profile_pairs.reference import ReferencePairs
from tests.engines.profile_pairs.examples import related

# Around the lanes of vectors (4, 8, 16), the rows of a lane of a GPU (32 times 1 to 10) and its strips.
QUERIES = (1, 2, 31, 32, 33, 65, 161, 321)
TARGETS = (1, 2, 4, 5, 8, 9, 15, 17, 33, 3, 3, 3, 3, 3, 3, 3, 3, 100, 257)
COSTS = (PairGaps(), PairGaps(40, 40), PairGaps(0, 0))
ON_GPU = pytest.param(GPU.name, marks=pytest.mark.gpu)
PARTS = (len(QUERIES), 5, 5)  # queries for which the definition is computed with these costs


def never():
    raise Stopped("Stopped.")


def made(name):
    return make_pair_engine(name, 1e15, EngineOptions(threads=2))[0]


@pytest.fixture(scope="module")
def profiles():
    return related(1, (*QUERIES, *TARGETS), split=len(QUERIES))


@pytest.fixture(scope="module")
def expected(profiles):
    queries, targets = profiles
    return [
        ReferencePairs().scores(queries.part(0, last), targets, gaps) for gaps, last in zip(COSTS, PARTS, strict=True)
    ]


@pytest.mark.parametrize("name", [CPU.name, ON_GPU])
def test_engines_score_as_the_definition(name, profiles, expected):
    engine = made(name)
    for gaps, scores in zip(COSTS, expected, strict=True):
        found = engine.scores(*profiles, gaps)
        assert found.dtype == np.int32
        assert np.array_equal(found[: len(scores)], scores)


@pytest.mark.parametrize("level", library.levels())
def test_instruction_sets_score_alike(level, profiles, expected):
    assert np.array_equal(CpuPairs(1, level).scores(*profiles, COSTS[0]), expected[0])


def test_both_directions_score_the_same(profiles):
    queries, targets = profiles
    engine = CpuPairs(1)
    assert np.array_equal(engine.scores(queries, targets, PairGaps()), engine.scores(targets, queries, PairGaps()).T)


@pytest.mark.parametrize("name", [CPU.name, ON_GPU, REFERENCE.name])
def test_nothing_against_nothing(name, profiles):
    queries, targets = profiles
    engine = made(name)
    assert engine.scores(queries.part(0, 0), targets, PairGaps()).shape == (0, len(targets))
    assert engine.scores(queries, targets.part(0, 0), PairGaps()).shape == (len(queries), 0)


@pytest.mark.parametrize("name", [CPU.name, ON_GPU, REFERENCE.name])
def test_a_check_that_raises_ends_the_work(name, profiles):
    with pytest.raises(Stopped):
        made(name).scores(*profiles, PairGaps(), never)


def test_strips_of_a_long_query_and_its_score():
    one, _ = related(4, (300, 1), split=1)
    longest = replace(one, codes=np.tile(one.codes, (7, 1)), scales=np.tile(one.scales, 7), offsets=one.offsets * 7)
    own = column_scores(one, one).diagonal()
    assert own.min() > 0
    assert CpuPairs(1).scores(longest, longest, PairGaps())[0, 0] == 7 * own.sum()  # each column with itself


def test_scores_of_the_longest_profiles_fit_in_32_bits():
    full = np.full((1, 20), 255, np.uint8), np.array([1], np.int16), np.array([0, 1])
    most = int(column_scores(ProfileSet(*full), ProfileSet(*full))[0, 0])
    assert most * MAX_COLUMNS + LARGEST_GAP < 1 << 31


def rescored(found, number, query, target, gaps):
    """The score of a path, from its columns."""
    table, total = column_scores(query, target), 0
    row, column = int(found.regions.query_start[number]), int(found.regions.subject_start[number])
    for run in range(found.offsets[number], found.offsets[number + 1]):
        length = int(found.lengths[run])
        if found.ops[run] == Op.MATCH:
            total += int(table[np.arange(row, row + length), np.arange(column, column + length)].sum())
        else:
            total -= gaps.first + (length - 1) * gaps.extend
        row += length * (found.ops[run] != Op.DELETION)
        column += length * (found.ops[run] != Op.INSERTION)
    assert (row, column) == (found.regions.query_end[number], found.regions.subject_end[number])
    return total


def test_paths_score_what_the_engines_say(profiles, expected, monkeypatch):
    queries, targets = profiles
    monkeypatch.setattr(paths, "WIDE_SYMBOLS", 200)  # batches, and targets that are turned round
    kinds = set()
    for row in range(len(queries)):
        found = pair_paths(queries[row], targets, PairGaps(), threads=1)
        long = (targets.lengths > 200) & (queries.lengths[row] > 200)
        assert np.array_equal(found.status == LARGE, long)
        assert np.array_equal(found.regions.scores[~long], expected[0][row][~long])
        for number in np.flatnonzero(~long):
            assert rescored(found, number, queries[row], targets[number], PairGaps()) == expected[0][row, number]
        kinds |= set(found.ops.tolist())
    assert kinds == {Op.MATCH, Op.INSERTION, Op.DELETION}


def test_paths_of_no_target(profiles):
    assert len(pair_paths(profiles[0][0], profiles[1].part(0, 0), PairGaps())) == 0


def test_a_column_of_zeros_ends_an_alignment():
    one, _ = related(5, (40, 1), split=1)
    codes, scales = one.codes.copy(), one.scales.copy()
    codes[20], scales[20] = 0, 512
    gap = replace(one, codes=codes, scales=scales)
    assert 0 < pair_score(gap, one, PairGaps()) < pair_score(one, one, PairGaps())
    assert CpuPairs(1).scores(gap, one, PairGaps())[0, 0] == pair_score(gap, one, PairGaps())


def test_auto_takes_the_cpu_for_little_work():
    engine, _, code = make_pair_engine("auto", 1e3)
    assert isinstance(engine, CpuPairs)
    assert code["compiled code SHA-256"] == library.checksum()


def test_auto_takes_the_definition_where_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(library, "problem", lambda: "The compiled library has not been built")
    assert isinstance(make_pair_engine("auto", 1e3)[0], ReferencePairs)


def test_an_unknown_engine_is_refused():
    with pytest.raises(InvalidParameter, match="not by 'cluster'"):
        make_pair_engine("cluster")
    assert set(PAIR_ENGINES) == {CPU.name, GPU.name, REFERENCE.name}
