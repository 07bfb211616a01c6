"""Which hits are listed, and in which order."""

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.judging.ranking import rank, rank_each
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.io.statistics import load_statistics
from tests.asking import BLOSUM62

DATABASE = encode_database([SequenceRecord(f"s{n}", "", b"MKVL") for n in range(6)], PROTEIN)


class LogarithmOfE:
    """Statistics in which a score of s has an E of 10 ** -s."""

    def bit_scores(self, scores, lengths):
        return np.asarray(scores, dtype=float)

    def log10_evalues(self, scores, **_):
        return -np.asarray(scores, dtype=float)


def ranked(scores, statistics, **limits):
    index, strands = np.arange(len(scores)), np.ones(len(scores), dtype=np.int8)
    return rank(4, index, np.array(scores, dtype=np.int32), strands, DATABASE, statistics, Limits(**limits))


def test_equal_e_goes_by_score_then_as_in_the_database():
    assert ranked([3, 9, 3, 7, 9, 0], None).db_index.tolist() == [1, 4, 3, 0, 2]  # a score of 0 is no hit


def test_a_hit_at_the_limit_is_listed():
    assert ranked([1, 2, 3, 2, 1], LogarithmOfE(), max_evalue=0.01).db_index.tolist() == [2, 1, 3]


def test_lists_of_several_queries_are_those_of_each(rng):
    published = load_statistics(BLOSUM62)
    each = [published, replace(published), replace(published, stops=0.1)]  # equal, though not the same, and another
    lists = [
        (np.arange(6), rng.integers(20, 60, 6).astype(np.int32), np.ones(6, dtype=np.int8)) for _ in range(len(each))
    ]
    for some in (slice(0, 2), slice(0, 3)):
        made = rank_each([40, 70, 90][some], lists[some], DATABASE, each[some], Limits())
        for hits, length, scored, by in zip(made, (40, 70, 90), lists, each, strict=False):
            alone = rank(length, *scored, DATABASE, by, Limits())
            assert len(alone)
            assert hits.db_index.tolist() == alone.db_index.tolist()
            assert hits.log10_evalues.tolist() == alone.log10_evalues.tolist()


def test_sequences_are_scaled_with_residues():
    assert Limits().database_size(DATABASE) == (24.0, 6.0)
    assert Limits(effective_residues=240).database_size(DATABASE) == (240.0, 60.0)
