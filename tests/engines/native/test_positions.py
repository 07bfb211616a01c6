"""Gap costs by position in the compiled library: those of plain programming, by every instruction set and without."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import native
from swgui.engines.rowscan import local_end
from swgui.engines.traceback.many import align_many
from swgui.engines.traceback.path import global_path
from tests.engines.conftest import random_codes, random_gaps, random_matrix, relative
from tests.engines.native.test_scoring import packed
from tests.reference import remembered


@remembered
def corners(profile, subject, gaps):
    """Score and corners by the rule, from plain row scans forwards and backwards."""
    last = local_end(profile, subject, 0, 0, gaps=gaps)
    rows, columns = last.query_end, last.subject_end
    back = gaps.take(slice(rows)).reversed()
    first = local_end(profile[:rows][::-1], subject[:columns][::-1], 0, 0, gaps=back)
    return [last.score, rows - first.query_end, rows, columns - first.subject_end, columns]


def problems(rng, alphabet, factor=1, way=""):
    """Profiles and costs, with subjects that are related, random, equal and empty; few of them, and many."""
    for length in (1, 7, 33, 64, 150):
        codes = random_codes(rng, length, len(alphabet))
        profile = random_matrix(rng, alphabet, -5, 9).scores.astype(np.int64)[codes] * factor
        some = [random_codes(rng, int(n), len(alphabet)) for n in (0, 1, 2, 31, 200)]
        some += [codes, relative(rng, codes, len(alphabet)), relative(rng, codes, 4), np.repeat(codes, 3)]
        for times, most in ((1, 14), (1 if way == "plain" else 8, 5)):
            yield profile.astype(np.int16), random_gaps(rng, length, most, factor), packed(some * times)


@pytest.mark.parametrize("alphabet", [PROTEIN, NUCLEOTIDE], ids=lambda alphabet: alphabet.name)
@pytest.mark.parametrize("factor", [1, 12, 300])
@pytest.mark.sampled
def test_scores_and_regions_are_those_of_plain_programming(way, rng, alphabet, factor):
    for profile, gaps, subjects in problems(rng, alphabet, factor, way):
        expected = [corners(profile, subjects[k], gaps) for k in range(len(subjects))]
        assert native.scores(profile, subjects, 0, 0, gaps=gaps).tolist() == [one[0] for one in expected]
        found = native.regions(profile, subjects, 0, 0, gaps=gaps)
        assert np.stack(found.columns, axis=1).tolist() == expected


@pytest.mark.sampled(2)
def test_paths_are_those_of_the_checkpointed_step(way, rng):
    scheme = ScoringScheme(random_matrix(rng, PROTEIN, -5, 9), 7, 2)
    for profile, gaps, subjects in problems(rng, PROTEIN, way=way):
        query = EncodedQuery("q", np.zeros(len(profile), dtype=np.uint8), profile, gaps=gaps)
        found = align_many(query, subjects, scheme)
        for k in range(len(subjects)):
            one, inside = found.alignment(k), subjects[k]
            if not one.score:
                continue
            rows = slice(one.query_start, one.query_end)
            part = profile[rows], inside[one.subject_start : one.subject_end]
            score, runs = global_path(*part, 0, 0, gaps=gaps.take(rows))
            assert (score, runs) == (one.score, list(zip(one.ops.tolist(), one.lengths.tolist(), strict=True)))


@pytest.mark.sampled(1)  # the best instruction set: others take seconds
def test_scores_next_to_the_end_of_8_and_16_bits(way):
    # 11 a residue: just below, at and above every limit that a lane could have.
    profile = np.full((2990, 2), -4, dtype=np.int16)
    profile[:, 0] = 11
    lengths = [1, *range(15, 26), 2950, 2976, 2977, 2978, 2979, 2980, 2990]
    subjects = packed([np.zeros(n, np.uint8) for n in lengths])
    gaps = PositionGaps.constant(2990, 12, 1)
    assert native.scores(profile, subjects, 0, 0, gaps=gaps).tolist() == [11 * n for n in lengths]
    assert native.regions(profile, subjects, 0, 0, gaps=gaps).scores.tolist() == [11 * n for n in lengths]


def test_a_deletion_may_get_back_all_that_it_cost(way):
    # Leaving out four positions costs 200 at first and nothing as a whole, from any score.
    first = np.full(10, 200, dtype=np.int16)
    extend = np.array([0, 0, 0, 0, -60, -60, -80, 0, 0, 0], dtype=np.int16)
    gaps = PositionGaps(first, first, first, extend)
    profile = np.full((10, 10), -50, dtype=np.int16)
    np.fill_diagonal(profile, 4)
    subjects = packed([np.array(codes, np.uint8) for codes in ([0, 1, 2, 7, 8, 9], [2, 7], [6, 7], [3, 7, 8])])
    assert native.scores(profile, subjects, 0, 0, gaps=gaps).tolist() == [24, 8, 8, 8]


def test_subjects_longer_than_16_bits_number_and_than_a_block(way, rng):
    codes = random_codes(rng, 20, 20)
    profile = random_matrix(rng, PROTEIN, -5, 9).scores[codes]
    gaps = random_gaps(rng, 20)
    long = [np.concatenate([random_codes(rng, n, 20), codes]) for n in (2_030, 2_048, 33_000)]
    long.append(np.concatenate([np.full(300_000, 26, np.uint8), codes]))
    long.append(codes)
    found = native.regions(profile, packed(long), 0, 0, gaps=gaps)
    expected = [corners(profile, one, gaps) for one in long]
    assert np.stack(found.columns, axis=1).tolist() == expected
    assert native.scores(profile, packed(long), 0, 0, gaps=gaps).tolist() == [one[0] for one in expected]


def test_codes_without_scores_are_refused(way, rng):
    profile, gaps = np.ones((5, 4), dtype=np.int16), random_gaps(rng, 5)
    if way == "plain":
        pytest.skip("NumPy clips them")
    for call in (native.scores, native.regions):
        with pytest.raises(ValueError, match="not in the alphabet"):
            call(profile, packed([np.array([0, 4], np.uint8)]), 0, 0, gaps=gaps)
