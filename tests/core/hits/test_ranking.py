"""Which hits are listed, and in which order."""

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.hits.limits import Limits
from swgui.core.hits.ranking import rank
from swgui.core.records import SequenceRecord

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


def test_sequences_are_scaled_with_residues():
    assert Limits().database_size(DATABASE) == (24.0, 6.0)
    assert Limits(effective_residues=240).database_size(DATABASE) == (240.0, 60.0)
