"""Which hits are listed, and in which order."""

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.judging.ranking import least_scores, measure, rank_each
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.statistics.fit import FittedStatistics
from swgui.io.statistics import load_statistics
from tests.asking import BLOSUM62

DATABASE = encode_database([SequenceRecord(f"s{n}", "", b"MKVL") for n in range(6)], PROTEIN)


class LogarithmOfE:
    """Statistics in which a score of s has an E of 10 ** -s."""

    def bit_scores(self, scores, lengths):
        return np.asarray(scores, dtype=float)

    def log10_evalues(self, scores, **_):
        return -np.asarray(scores, dtype=float)


def listed(lengths, lists, each, limits):
    """Return the lists of queries, by the scores of all subjects in the order of the database."""
    scores, of = np.array(lists, dtype=np.int32).ravel(), np.repeat(np.arange(len(lists)), len(DATABASE))
    index, strands = np.tile(np.arange(len(DATABASE)), len(lists)), np.ones(len(of), dtype=np.int8)
    return rank_each(lengths, index, scores, strands, of, DATABASE, each, limits).parts()


def ranked(scores, statistics, **limits):
    return listed([4], [scores], [statistics], Limits(**limits))[0]


def test_equal_e_goes_by_score_then_as_in_the_database():
    assert ranked([3, 9, 3, 7, 9, 0], None).db_index.tolist() == [1, 4, 3, 0, 2]  # a score of 0 is no hit


def test_a_hit_at_the_limit_is_listed():
    assert ranked([1, 2, 3, 2, 1, 0], LogarithmOfE(), max_evalue=0.01).db_index.tolist() == [2, 1, 3]


def test_lists_of_several_queries_are_those_of_each(rng):
    published = load_statistics(BLOSUM62)
    fits = [
        FittedStatistics(length, 2.0, 20.0, variance, 600, 600, 0, 0, 9, 0, 120.0)
        for length, variance in ((60, 30.0), (80, 20.0))
    ]
    equal = [published, replace(published)]  # though not the same
    each = [*equal, fits[0], replace(published, stops=0.1), None, fits[1], replace(published, gumbel=None)]
    lengths = [40, 70, 60, 90, 50, 80, 30]
    lists = rng.integers(20, 60, (len(each), len(DATABASE))).tolist()
    for some in (slice(0, 2), slice(0, len(each)), slice(2, None, 3)):
        made = listed(lengths[some], lists[some], each[some], Limits())
        for hits, length, scores, by in zip(made, lengths[some], lists[some], each[some], strict=True):
            (alone,) = listed([length], [scores], [by], Limits())
            assert len(alone)
            assert hits.db_index.tolist() == alone.db_index.tolist()
            np.testing.assert_array_equal(hits.log10_evalues, alone.log10_evalues)


def test_sequences_are_scaled_with_residues():
    assert Limits().database_size(DATABASE) == (24.0, 6.0)
    assert Limits(effective_residues=240).database_size(DATABASE) == (240.0, 60.0)


def test_no_subject_of_a_rare_length_is_below_the_least_score():
    """E at one score is least of peptides, not of the shortest or the longest subjects."""
    lengths = [1, 27, *[600] * 40, 20_000]
    database = encode_database([SequenceRecord(f"s{size}", "", b"A" * size) for size in lengths], PROTEIN, "mine")
    by, limits, scores = load_statistics(BLOSUM62), Limits(max_evalue=0.5), np.arange(1, 200, dtype=np.int32)
    (least,) = least_scores([300], database, [by], limits)
    log10_evalues = measure(300, np.ones(len(scores), dtype=np.int64), scores, database, by, limits)[1]
    assert 0 < least <= scores[log10_evalues <= np.log10(0.5)][0]
